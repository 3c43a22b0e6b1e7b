/** The thread that reads the files of imports (import-thread.ts), as seen by the process. */
import { Worker } from 'node:worker_threads';
import type { ImportFileSpec, Message, Request } from './import-messages.ts';

/** A file of one million questions needs less; one that needs more is refused. */
const MAX_HEAP_MB = 768;

export class ImportReader {
  readonly #worker: Worker;
  #pending: PromiseWithResolvers<Message> | undefined;
  #failure: Error | undefined;

  constructor() {
    this.#worker = new Worker(new URL('./import-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    this.#worker.on('message', (message: Message) => {
      this.#pending?.resolve(message);
      this.#pending = undefined;
    });
    const end = (error: Error) => {
      this.#failure ??= error;
      this.#pending?.reject(this.#failure);
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('the thread has ended')));
  }

  /** Starts a file; the one before is abandoned. */
  open(file: ImportFileSpec): void {
    this.#worker.ref();
    this.#send({ open: file });
  }

  /** The next batch, or the reason why reading ended. One call at a time. */
  next(): Promise<Message> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#pending = Promise.withResolvers();
    this.#send('next');
    return this.#pending.promise;
  }

  /** Closes the file and keeps the thread for the next one. False if the thread cannot be kept. */
  rest(): boolean {
    if (this.#failure || this.#pending) return false;
    this.#send('close');
    this.#worker.unref();
    return true;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(request: Request): void {
    this.#worker.postMessage(request);
  }
}

/** Keeps one idle thread for the next file: starting one takes longer than reading most files. */
export class ImportReaders {
  readonly #maxIdleMs: number;
  #idle: { reader: ImportReader; timer: NodeJS.Timeout } | undefined;

  constructor(maxIdleMs: number) {
    this.#maxIdleMs = maxIdleMs;
  }

  acquire(): ImportReader {
    const idle = this.#idle;
    this.#idle = undefined;
    clearTimeout(idle?.timer);
    return idle?.reader ?? new ImportReader();
  }

  async release(reader: ImportReader): Promise<void> {
    if (this.#idle || !reader.rest()) return reader.end();
    const timer = setTimeout(() => void this.end(), this.#maxIdleMs).unref();
    this.#idle = { reader, timer };
  }

  /** Ends the idle thread. */
  async end(): Promise<void> {
    const idle = this.#idle;
    this.#idle = undefined;
    clearTimeout(idle?.timer);
    await idle?.reader.end();
  }
}
