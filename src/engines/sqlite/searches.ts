/** The search threads. Each runs one search at a time, so that none waits behind a long one. */
import type { QueryName } from '../../store/command-names.ts';
import type { CallOptions } from '../../store/db.ts';
import { FairPool } from '../fair-pool.ts';
import { DatabaseThread, toResult } from './database-thread.ts';
import type { ThreadData } from './thread.ts';

/** A client uses at most half of them. */
const THREADS = 4;

export class SearchThreads {
  readonly started: Promise<unknown>;
  readonly #threads: DatabaseThread[];
  readonly #pool: FairPool<DatabaseThread>;

  constructor(data: ThreadData) {
    this.#threads = Array.from({ length: THREADS }, () => new DatabaseThread(data));
    this.#pool = new FairPool(this.#threads);
    this.started = Promise.all(this.#threads.map(({ started }) => started));
  }

  get inFlight(): number {
    return this.#pool.inFlight;
  }

  async call(name: QueryName, args: unknown, options: CallOptions = {}): Promise<unknown> {
    this.refuseIfStopped();
    return this.#pool.run(options, async (thread, timeoutMs) => {
      const { outcomes } = await thread.send({ search: { name, args, key: undefined }, timeoutMs });
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
