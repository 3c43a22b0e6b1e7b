/** The main thread's handle of a thread with a connection of its own (thread.ts). */
import { Worker } from 'node:worker_threads';
import { ApiError, errors, type Fault } from '../../errors.ts';
import type { Outcome, Reply, Request, ThreadData } from './thread.ts';

export class DatabaseThread {
  readonly started: Promise<void>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, { resolve(reply: Reply): void; reject(error: unknown): void }>();
  #next = 0;
  #failure: Error | undefined;

  constructor(workerData: ThreadData) {
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
    this.started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => {
        this.#worker.on('message', (reply: Reply) => this.#settle(reply));
        resolve();
      });
      this.#worker.once('error', reject);
    });
    // Calls are rejected by `end`, whether or not the start is awaited.
    this.started.catch(() => {});
    const end = (error: Error) => {
      this.#failure ??= error;
      for (const { reject } of this.#pending.values()) reject(this.#stopped());
      this.#pending.clear();
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('the thread has ended')));
  }

  /** Sends a request to the thread, which serves requests in order. */
  async send(request: Request): Promise<Reply> {
    this.refuseIfStopped();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }

  refuseIfStopped(): void {
    if (this.#failure) throw this.#stopped();
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage('close');
    await ended;
  }

  #stopped(): ApiError {
    return errors.unavailable('The database thread has stopped. Restart the service.', this.#failure);
  }

  #settle(reply: Reply): void {
    const waiting = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    waiting?.resolve(reply);
  }
}

/** The value of an outcome; throws its error. */
export function toResult(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value;
  throw 'problem' in outcome ? toApiError(outcome.problem) : new Error(outcome.failed);
}

function toApiError(problem: Extract<Outcome, { problem: unknown }>['problem']): ApiError {
  const { status, code, detail, headers } = problem;
  return new ApiError(status, code, detail, { errors: problem.errors as Fault[] | undefined, headers });
}
