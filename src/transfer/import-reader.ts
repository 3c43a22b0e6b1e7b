/** The thread that reads the file of an import (import-thread.ts), as seen by the process. */
import { Worker } from 'node:worker_threads';
import type { Message, ThreadData } from './import-messages.ts';

/** A file of one million questions needs less; one that needs more is refused. */
const MAX_HEAP_MB = 768;

export class ImportReader {
  readonly #worker: Worker;
  #pending: PromiseWithResolvers<Message> | undefined;
  #failure: Error | undefined;

  constructor(workerData: ThreadData) {
    this.#worker = new Worker(new URL('./import-thread.ts', import.meta.url), {
      workerData,
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

  /** The next batch, or the reason why reading ended. One call at a time. */
  next(): Promise<Message> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#pending = Promise.withResolvers();
    this.#worker.postMessage('next');
    return this.#pending.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
