/**
 * The search threads. Each runs one search at a time, so that none waits behind a long one. A thread
 * loads most of the program, which takes some 0.4 s: it starts when all that run are busy.
 */
import type { QueryName } from '../../store/command-names.ts';
import type { CallOptions } from '../../store/db.ts';
import { FairPool } from '../fair-pool.ts';
import { DatabaseThread, toResult } from './database-thread.ts';
import type { ThreadData } from './thread.ts';

/** A client uses at most half of them. */
const THREADS = 4;

export class SearchThreads {
  readonly #threads: LazyThread[];
  readonly #pool: FairPool<LazyThread>;

  constructor(data: ThreadData) {
    this.#threads = Array.from({ length: THREADS }, () => new LazyThread(data));
    this.#pool = new FairPool(this.#threads);
  }

  get inFlight(): number {
    return this.#pool.inFlight;
  }

  async call(name: QueryName, args: unknown, options: CallOptions = {}): Promise<unknown> {
    this.refuseIfStopped();
    return this.#pool.run(options, async (thread, timeoutMs) => {
      const { outcomes } = await thread.start().send({ search: { name, args, key: undefined }, timeoutMs });
      return toResult(outcomes[0]!);
    });
  }

  refuseIfStopped(): void {
    for (const thread of this.#threads) thread.refuseIfStopped();
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

class LazyThread {
  readonly #data: ThreadData;
  #thread: DatabaseThread | undefined;

  constructor(data: ThreadData) {
    this.#data = data;
  }

  /** The thread, which is started unless it runs. It serves requests once it has started. */
  start(): DatabaseThread {
    this.#thread ??= new DatabaseThread(this.#data);
    return this.#thread;
  }

  refuseIfStopped(): void {
    this.#thread?.refuseIfStopped();
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }
}
