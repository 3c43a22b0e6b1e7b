/** The PostgreSQL engine, for any number of processes on one database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { retry } from '../../concurrency/retry.ts';
import { ApiError, errors } from '../../errors.ts';
import { LruCache } from '../../store/cache.ts';
import { untimed } from '../../store/commands.ts';
import type { CallOptions, Command, Engine, Gauge, Query, Reader, WriteOptions } from '../../store/db.ts';
import { runIdempotent } from '../../store/idempotency.ts';
import { foldLog, logMarks } from '../../store/index/postings.ts';
import { Notifications } from '../../store/notifications.ts';
import { FairPool } from '../fair-pool.ts';
import type { Mode } from '../mode.ts';
import { StartError } from '../start-error.ts';
import { type ConnectionConfig, parseDatabaseUrl, withoutPassword } from './address.ts';
import { isConnectionFailure, isTransient, PgTx, type Queryable, retriesExhausted } from './connection.ts';
import { DatabaseMonitor } from './monitor.ts';
import {
  ConnectionPool,
  PooledDb,
  REQUEST_TIMEOUTS,
  type Timeouts,
  UNLIMITED_MS,
  WORKER_TIMEOUTS,
} from './pool.ts';
import { migrateSchema } from './schema.ts';
import { type KnownServer, ServerHistory } from './server-history.ts';
import { WriteAdmission } from './write-admission.ts';

const WRITE_ATTEMPTS = 3;
/** Delays folding, so that the changes of several writes are folded together. */
const FOLD_DELAY_MS = 50;
/** Folds what a process left behind that died before it folded. */
const FOLD_INTERVAL_MS = 5_000;
const START_RETRY_MS = 500;
/** Connections that writes leave free: all writes may be waiting for locks. */
const CONNECTIONS_FOR_READS = 2;
const DEFAULT_CONNECTIONS = 10;

export interface PostgresOptions {
  mode: Mode;
  connections?: number | undefined;
  /** How long to retry while the server is unavailable at the start, and where to report it. */
  wait?: { ms: number; report(line: string): void } | undefined;
}

export async function openPostgres(url: string, options: PostgresOptions): Promise<Engine> {
  const { mode, connections = DEFAULT_CONNECTIONS, wait } = options;
  const connection = parseDatabaseUrl(url);
  try {
    await retry(() => migrateSchema(connection, mode !== 'admin'), {
      forMs: wait?.ms ?? 0,
      delayMs: START_RETRY_MS,
      // 53300: all connections of the server are in use.
      when: (error) => isConnectionFailure(error) || (error as { code?: string }).code === '53300',
      onRetry: (error, attempts) => {
        if (attempts === 1)
          wait?.report(`PostgreSQL is unavailable (${toReason(error)}). Retrying for ${wait.ms / 1000} s.`);
      },
    });
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`PostgreSQL cannot be used: ${toReason(error)}.`);
  }
  return new PostgresEngine(url, connection, connections, mode);
}

function toReason(error: unknown): string | undefined {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code;
}

export function openPostgresReader(url: string, known: KnownServer | undefined): Reader {
  const pool = new ConnectionPool(parseDatabaseUrl(url), {
    maxConnections: 1,
    timeouts: WORKER_TIMEOUTS,
    history: new ServerHistory({ known }),
  });
  return { db: new PooledDb(pool, new LruCache()), close: () => pool.close() };
}

class PostgresEngine implements Engine {
  readonly shared = true;
  readonly location: string;
  readonly db: PooledDb;
  readonly notifications = new Notifications();
  readonly #url: string;
  // A server that was promoted without the newest writes counts its index versions from there: the
  // cached ones may mean other contents.
  readonly #history = new ServerHistory({ onChange: () => this.#cache.clear() });
  readonly #pool: ConnectionPool;
  readonly #timeouts: Timeouts;
  readonly #monitor: DatabaseMonitor;
  readonly #cache = new LruCache();
  readonly #writes: WriteAdmission;
  readonly #searches: FairPool<number>;
  readonly #foldTimer: NodeJS.Timeout;
  #folding: Promise<void> | undefined;
  #closed = false;

  constructor(url: string, connection: ConnectionConfig, connections: number, mode: Mode) {
    this.#url = url;
    this.location = withoutPassword(url);
    this.#monitor = new DatabaseMonitor({
      connection,
      history: this.#history,
      notifications: this.notifications,
      onUnavailable: () => this.#pool.destroyConnections(),
      onStale: (inUseMs) => this.#pool.destroyConnections(inUseMs),
    });
    this.#timeouts = mode === 'migrate-target' ? WORKER_TIMEOUTS : REQUEST_TIMEOUTS;
    this.#pool = new ConnectionPool(connection, {
      maxConnections: connections,
      timeouts: this.#timeouts,
      history: this.#history,
      isUnavailable: () => this.#monitor.unavailable,
    });
    this.#writes = new WriteAdmission(Math.max(1, connections - CONNECTIONS_FOR_READS));
    // Searches leave half of the connections to other work.
    this.#searches = new FairPool(Array.from({ length: Math.max(1, connections >> 1) }, (_, i) => i));
    if (mode !== 'admin') this.#monitor.start();
    this.db = new PooledDb(this.#pool, this.#cache);
    this.#foldTimer = setInterval(() => this.#scheduleFold(), FOLD_INTERVAL_MS);
    this.#foldTimer.unref();
  }

  get reader() {
    return { url: this.#url, known: this.#history.known };
  }

  /** Runs on the pool: PostgreSQL does the long work in its own process. */
  search<A, R>(query: Query<A, R>, args: A, options: CallOptions = {}): Promise<R> {
    return this.#searches.run(options, (_, timeoutMs) =>
      query(this.db.limitedTo(Math.min(timeoutMs, this.#timeouts.statementMs)), args),
    );
  }

  write<A, R>(command: Command<A, R>, args: A, options: WriteOptions = {}): Promise<R> {
    const attempt = () => this.#runTransaction(command, args, options);
    return this.#writes.run(options, () =>
      retry(attempt, { attempts: WRITE_ATTEMPTS, when: isTransient }).catch((error) => {
        throw isTransient(error) ? retriesExhausted(error) : error;
      }),
    );
  }

  async #runTransaction<A, R>(
    command: Command<A, R>,
    args: A,
    { key, deadlineAt = Number.POSITIVE_INFINITY }: WriteOptions,
  ): Promise<R> {
    const work = async (client: Queryable) => {
      // The write may have waited for a connection.
      if (performance.now() >= deadlineAt) throw errors.tooSlow(undefined, 'never started');
      const tx = new PgTx(client, this.#cache);
      const result = await runIdempotent(tx, command, args, key);
      await tx.index.writeTerms(tx);
      if (await logMarks(tx, tx.index.marks)) this.#scheduleFold();
      return { tx, result };
    };
    const timeoutMs = untimed.has(command) ? UNLIMITED_MS : undefined;
    const { tx, result } = await this.#pool.transaction('BEGIN', work, timeoutMs);
    this.notifications.publish(tx.topics);
    this.#monitor.publish(tx.topics);
    return result;
  }

  /** The server's disk is not visible from here: a full one is reported by the write itself. */
  requireSpace(): void {}

  async bankBytes(): Promise<number> {
    const row = await this.db.get<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
    return row!.bytes;
  }

  isSaturated(): boolean {
    return this.#writes.isSaturated;
  }

  gauges(): Partial<Record<Gauge, number>> {
    const { total, idle, waiting } = this.#pool.counts;
    return {
      connections: total,
      connections_idle: idle,
      connections_waiting: waiting,
      writes_in_flight: this.#writes.inFlight,
      searches_in_flight: this.#searches.inFlight,
    };
  }

  /**
   * Decided by the monitor: all connections of the pool may be in use while the database is
   * available.
   */
  async ready(): Promise<void> {
    if (!this.#monitor.heardRecently) await this.db.get('SELECT epoch FROM bank_state');
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#foldTimer);
    await this.#folding;
    await this.#monitor.close();
    await this.#pool.close();
  }

  #scheduleFold(): void {
    if (this.#closed) return;
    this.#folding ??= sleep(FOLD_DELAY_MS)
      .then(() => this.#foldAll())
      // The log keeps the changes, and readers read it there: slower, but correct.
      .catch((error) => {
        // An unavailable database is logged elsewhere.
        if (!(error instanceof ApiError))
          process.emitWarning(`Folding the index log failed: ${error.message}`);
      })
      .finally(() => {
        this.#folding = undefined;
      });
  }

  async #foldAll(): Promise<void> {
    const step = () => this.#pool.transaction('BEGIN', (client) => foldLog(new PgTx(client, this.#cache)));
    while (await step());
  }
}
