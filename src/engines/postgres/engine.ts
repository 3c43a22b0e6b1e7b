/** The engine for many processes on one database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import { unhurried } from '../../store/commands.ts';
import type { Command, Db, Engine, Gauge, IdempotencyKey, Reader } from '../../store/db.ts';
import { runIdempotent } from '../../store/idempotency.ts';
import { LruCache } from '../../store/index/positions.ts';
import { foldLog, logMarks } from '../../store/index/postings.ts';
import { Notifications } from '../../store/notifications.ts';
import { StartError } from '../start-error.ts';
import { type Connection, connectionTo, withoutPassword } from './address.ts';
import { givenUp, isUnavailable, PgTx, type Queryable, worthRepeating } from './connection.ts';
import { Semaphore } from './gate.ts';
import { migrate } from './migrate.ts';
import { Connections, LONG, OF_REQUESTS, OF_WORKERS, PooledDb } from './pool.ts';
import { Watch } from './watch.ts';

const ATTEMPTS = 3;
/** A short wait lets writes that come close together be folded together. */
const FOLD_AFTER = 50;
/** Whatever a process left behind that died before it folded. */
const FOLD_EVERY = 5_000;
const TRY_EVERY = 500;
/** Connections that writers leave to others: they may be waiting for a lock, all of them. */
const FOR_READERS = 2;

export interface PostgresOptions {
  /** Beside whoever serves the bank: changes no schema, and does not follow what happens. */
  beside?: boolean;
  /** Nobody waits for an answer: statements may take long. */
  patient?: boolean;
  /** How many connections are used at once. */
  connections?: number | undefined;
  /** For how many milliseconds a server that is not there yet is waited for, and what is said about it. */
  wait?: { ms: number; say(line: string): void } | undefined;
}

export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Engine> {
  const connection = connectionTo(url);
  const { beside = false, patient = false, connections = 10, wait } = options;
  const until = performance.now() + (wait?.ms ?? 0);
  for (let told = false; ; told = true) {
    try {
      await migrate(connection, !beside);
      return new PostgresEngine(url, { connection, connections, watched: !beside, patient });
    } catch (error) {
      if (error instanceof StartError) throw error;
      const { message, code } = error as NodeJS.ErrnoException;
      const reason = message || code;
      // All its connections may be taken for a moment.
      const passes = isUnavailable(error) || code === '53300';
      if (!passes || performance.now() >= until)
        throw new StartError(`PostgreSQL cannot be used: ${reason}.`);
      if (!told) wait?.say(`PostgreSQL does not answer yet (${reason}). Trying for ${wait.ms / 1000} s.`);
      await sleep(TRY_EVERY);
    }
  }
}

export function openPostgresReader(url: string): Reader {
  const connections = new Connections(connectionTo(url), { max: 1, patience: OF_WORKERS });
  return { db: new PooledDb(connections, new LruCache()), close: () => connections.close() };
}

interface Opened {
  connection: Connection;
  connections: number;
  watched: boolean;
  patient: boolean;
}

class PostgresEngine implements Engine {
  readonly shared = true;
  readonly reader: { url: string };
  readonly location: string;
  readonly db: Db;
  readonly notifications = new Notifications();
  readonly #connections: Connections;
  readonly #watch: Watch;
  readonly #memory = new LruCache();
  readonly #writers: Semaphore;
  readonly #sweep: NodeJS.Timeout;
  #fold: Promise<void> | undefined;
  #closed = false;

  constructor(url: string, { connection, connections, watched, patient }: Opened) {
    this.reader = { url };
    this.location = withoutPassword(url);
    this.#watch = new Watch({
      connection,
      news: this.notifications,
      onAway: () => this.#connections.cut(),
      onStale: (ms) => this.#connections.cut(ms),
    });
    this.#connections = new Connections(connection, {
      max: connections,
      patience: patient ? OF_WORKERS : OF_REQUESTS,
      isAway: () => this.#watch.away,
    });
    this.#writers = new Semaphore(Math.max(1, connections - FOR_READERS));
    if (watched) this.#watch.start();
    this.db = new PooledDb(this.#connections, this.#memory);
    this.#sweep = setInterval(() => this.#foldSoon(), FOLD_EVERY);
    this.#sweep.unref();
  }

  /** PostgreSQL does the long work itself. */
  search<A, R>(work: (db: Db, args: A) => Promise<R>, args: A): Promise<R> {
    return work(this.db, args);
  }

  async write<A, R>(command: Command<A, R>, args: A, once?: IdempotencyKey): Promise<R> {
    const leave = await this.#writers.enter();
    try {
      return await this.#write(command, args, once);
    } finally {
      leave();
    }
  }

  async #write<A, R>(command: Command<A, R>, args: A, once?: IdempotencyKey): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        const work = async (client: Queryable) => {
          const tx = new PgTx(client, this.#memory);
          const result = await runIdempotent(tx, command, args, once);
          await tx.index.writeTerms(tx);
          if (await logMarks(tx, tx.index.marks)) this.#foldSoon();
          return { tx, result };
        };
        const limit = unhurried.has(command) ? LONG : undefined;
        const { tx, result } = await this.#connections.transaction('BEGIN', work, limit);
        this.notifications.publish(tx.announced);
        this.#watch.tell(tx.announced);
        return result;
      } catch (error) {
        if (!worthRepeating(error)) throw error;
        if (attempt === ATTEMPTS) throw givenUp(error);
      }
    }
  }

  gauges(): Partial<Record<Gauge, number>> {
    const { total, idle, waiting } = this.#connections.counts;
    return { connections: total, connections_idle: idle, connections_waiting: waiting };
  }

  /** By what the watch hears: all connections may be in use without the database being away. */
  async ready(): Promise<void> {
    if (!this.#watch.hears) await this.db.get('SELECT epoch FROM bank_state');
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    await this.#fold;
    await this.#watch.close();
    await this.#connections.close();
  }

  #foldSoon(): void {
    if (this.#closed) return;
    this.#fold ??= new Promise((resolve) => setTimeout(resolve, FOLD_AFTER))
      .then(() => this.#foldAll())
      // The log keeps what could not be folded now, and readers read it there: slower, not wrong.
      .catch((error) => {
        // That the database is away is told by others.
        if (!(error instanceof ApiError))
          process.emitWarning(`The index log could not be folded: ${error.message}`);
      })
      .finally(() => {
        this.#fold = undefined;
      });
  }

  async #foldAll(): Promise<void> {
    const step = () =>
      this.#connections.transaction('BEGIN', (client) => foldLog(new PgTx(client, this.#memory)));
    while (await step());
  }
}
