/** The engine for many processes on one database. */
import type pg from 'pg';
import type { Command, Db, Engine, Once, Reader } from '../../store/db.ts';
import { perform } from '../../store/idempotency.ts';
import { Memory } from '../../store/positions.ts';
import { foldLog, logMarks } from '../../store/postings.ts';
import { StartError } from '../start-error.ts';
import { givenUp, PgTx, worthRepeating } from './connection.ts';
import { migrate } from './migrate.ts';
import { openPool, PooledDb, transaction } from './pool.ts';

const ATTEMPTS = 3;
/** A short wait lets writes that come close together be folded together. */
const FOLD_AFTER = 50;
/** Whatever a process left behind that died before it folded. */
const FOLD_EVERY = 5_000;

export async function openPostgres(url: string, beside = false): Promise<Engine> {
  const pool = openPool(url, 10);
  try {
    await migrate(url, !beside);
  } catch (error) {
    await pool.end();
    throw error instanceof StartError
      ? error
      : new StartError(`PostgreSQL cannot be used: ${(error as Error).message}.`);
  }
  return new PostgresEngine(pool, url);
}

export function openPostgresReader(url: string): Reader {
  // Nobody waits for a worker's statements, and it may think for a while between two of them.
  const pool = openPool(url, 1, { statement: 120_000, idle: 600_000 });
  return { db: new PooledDb(pool, new Memory()), close: () => pool.end() };
}

class PostgresEngine implements Engine {
  readonly shared = true;
  readonly reader: { url: string };
  readonly location: string;
  readonly db: Db;
  readonly #pool: pg.Pool;
  readonly #memory = new Memory();
  readonly #sweep: NodeJS.Timeout;
  #fold: Promise<void> | undefined;
  #closed = false;

  constructor(pool: pg.Pool, url: string) {
    this.#pool = pool;
    this.reader = { url };
    this.location = withoutPassword(url);
    this.db = new PooledDb(pool, this.#memory);
    this.#sweep = setInterval(() => this.#foldSoon(), FOLD_EVERY);
    this.#sweep.unref();
  }

  /** PostgreSQL does the long work itself. */
  search<A, R>(work: (db: Db, args: A) => Promise<R>, args: A): Promise<R> {
    return work(this.db, args);
  }

  async write<A, R>(command: Command<A, R>, args: A, once?: Once): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await transaction(this.#pool, 'BEGIN', async (client) => {
          const tx = new PgTx(client, this.#memory);
          const result = await perform(tx, command, args, once);
          await tx.index.writeTerms(tx);
          if (await logMarks(tx, tx.index.marks)) this.#foldSoon();
          return result;
        });
      } catch (error) {
        if (!worthRepeating(error)) throw error;
        if (attempt === ATTEMPTS) throw givenUp(error);
      }
    }
  }

  async ready(): Promise<void> {
    await this.db.get('SELECT epoch FROM ledger');
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    await this.#fold;
    await this.#pool.end();
  }

  #foldSoon(): void {
    if (this.#closed) return;
    this.#fold ??= new Promise((resolve) => setTimeout(resolve, FOLD_AFTER))
      .then(() => this.#foldAll())
      // The log keeps what could not be folded now, and readers read it there: slower, not wrong.
      .catch((error) => process.emitWarning(`The index log could not be folded: ${error.message}`))
      .finally(() => {
        this.#fold = undefined;
      });
  }

  async #foldAll(): Promise<void> {
    const step = () => transaction(this.#pool, 'BEGIN', (client) => foldLog(new PgTx(client, this.#memory)));
    while (await step());
  }
}

function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.password = '';
    parsed.searchParams.delete('password');
    return parsed.href;
  } catch {
    return 'PostgreSQL';
  }
}
