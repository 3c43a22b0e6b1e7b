/** The connection pool, its timeouts, and single statements and transactions on it. */
import pg from 'pg';
import { retry } from '../../concurrency/retry.ts';
import { errors } from '../../errors.ts';
import type { LruCache } from '../../store/cache.ts';
import type { Db, Row } from '../../store/db.ts';
import type { Value } from '../../store/table.ts';
import type { ConnectionConfig } from './address.ts';
import {
  commit,
  databaseUnavailable,
  destroy,
  dialect,
  invalidatesConnection,
  isOutdatedStatement,
  PgTx,
  query,
  translate,
  types,
} from './connection.ts';
import { ServerHistory } from './server-history.ts';

/** A day: effectively no limit. */
export const UNLIMITED_MS = 24 * 3_600_000;

export interface Timeouts {
  statementMs: number;
  /** Between two statements of a transaction. */
  idleMs: number;
  transactionMs: number;
}

/** Below the deadline of a request. */
export const REQUEST_TIMEOUTS: Timeouts = { statementMs: 8_000, idleMs: 10_000, transactionMs: 8_000 };
/** A worker reads whole tables, and computes between two statements. */
export const WORKER_TIMEOUTS: Timeouts = {
  statementMs: 120_000,
  idleMs: 600_000,
  transactionMs: UNLIMITED_MS,
};

const LOCK_TIMEOUT_MS = 5_000;
/** How much longer than the server the client waits before it gives up a statement. */
const CLIENT_MARGIN_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
const CONNECT_RETRY_MS = 50;
const CLOSE_TIMEOUT_MS = 2_000;
const STATEMENT_ATTEMPTS = 3;
/** SQLSTATE too_many_connections. */
const TOO_MANY_CONNECTIONS = '53300';

interface PoolOptions {
  maxConnections: number;
  timeouts: Timeouts;
  /** Admits new connections. */
  history?: ServerHistory;
  /**
   * Checked before each use: without it, every request would wait for the timeout of its own
   * connection.
   */
  isUnavailable?: () => boolean;
}

export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #timeouts: Timeouts;
  /** All connections, those being established included: in use since when, or idle. */
  readonly #clients = new Map<pg.ClientBase, number | 'idle'>();
  readonly #isUnavailable: () => boolean;

  constructor(
    connection: ConnectionConfig,
    { maxConnections, timeouts, history = new ServerHistory(), isUnavailable = () => false }: PoolOptions,
  ) {
    this.#timeouts = timeouts;
    this.#isUnavailable = isUnavailable;
    const clients = this.#clients;
    class Client extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super(config);
        clients.set(this, performance.now());
        this.on('error', () => {});
        this.once('end', () => clients.delete(this));
      }
    }
    this.#pool = new pg.Pool({
      ...connection,
      Client,
      onConnect: (client) => history.admit(client),
      max: maxConnections,
      types,
      pipeline: true,
      application_name: 'quaestor',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      lock_timeout: LOCK_TIMEOUT_MS,
      statement_timeout: timeouts.statementMs,
      // Should the server hang, the client gives up by itself.
      query_timeout: timeouts.statementMs + CLIENT_MARGIN_MS,
      idle_in_transaction_session_timeout: timeouts.idleMs,
    } as pg.PoolConfig);
    // A broken idle connection is replaced at the next use. Without a listener the error would end
    // the process.
    this.#pool.on('error', () => {});
    this.#pool.on('acquire', (client) => clients.set(client, performance.now()));
    this.#pool.on('release', (_error, client) => {
      if (clients.has(client)) clients.set(client, 'idle');
    });
    this.#pool.on('connect', (client) => {
      // Acknowledged writes are durable, whatever the server's default.
      void client
        .query(
          `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`,
        )
        .catch(() => {});
    });
  }

  get counts(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  /** Runs a single statement on any connection. */
  query(sql: string, params: unknown[]): Promise<pg.QueryResult> {
    const attempt = async () => {
      const client = await this.#connect();
      try {
        const result = await query(client, sql, params);
        client.release();
        return result;
      } catch (error) {
        client.release(error as Error);
        throw error;
      }
    };
    return retry(attempt, {
      attempts: STATEMENT_ATTEMPTS,
      when: isOutdatedStatement,
      onRetry: () => this.destroyConnections(Number.POSITIVE_INFINITY),
    });
  }

  async transaction<R>(
    begin: string,
    work: (client: pg.PoolClient) => Promise<R>,
    timeoutMs = this.#timeouts.transactionMs,
  ): Promise<R> {
    const client = await this.#connect();
    let broken: Error | undefined;
    let timedOut = false;
    const deadline = setTimeout(() => {
      timedOut = true;
      destroy(client);
    }, timeoutMs);
    try {
      // Awaited rather than pipelined: if BEGIN alone failed, the next statement would commit by
      // itself.
      await client.query(begin).catch((error) => {
        broken = error;
        throw translate(error);
      });
      const result = await work(client);
      await commit(client).catch((error) => {
        broken = error;
        throw translate(error);
      });
      return result;
    } catch (error) {
      if (timedOut) throw errors.tooSlow(error);
      // A closed connection has nothing to roll back.
      if (!broken && this.#clients.has(client))
        await client.query('ROLLBACK').catch((failure) => (broken = failure));
      if (invalidatesConnection(error)) broken = error as Error;
      throw error;
    } finally {
      clearTimeout(deadline);
      client.release(broken ?? timedOut);
    }
  }

  /** Destroys the idle connections and those that have been in use for at least `inUseMs`. */
  destroyConnections(inUseMs = 0): void {
    const now = performance.now();
    for (const [client, since] of this.#clients)
      if (since === 'idle' || now - since >= inUseMs) destroy(client);
  }

  async close(): Promise<void> {
    const timeout = setTimeout(() => this.destroyConnections(), CLOSE_TIMEOUT_MS);
    await this.#pool.end();
    clearTimeout(timeout);
  }

  #connect(): Promise<pg.PoolClient> {
    const attempt = async () => {
      if (this.#isUnavailable()) throw databaseUnavailable();
      try {
        return await this.#pool.connect();
      } catch (error) {
        throw databaseUnavailable(error);
      }
    };
    return retry(attempt, {
      forMs: CONNECT_TIMEOUT_MS,
      delayMs: CONNECT_RETRY_MS,
      // The server may allow fewer connections than the pool: then one in use will soon be free.
      when: (error) =>
        ((error as Error).cause as { code?: string } | undefined)?.code === TOO_MANY_CONNECTIONS,
    });
  }
}

/**
 * Runs single statements on any connection. Statements of one turn of the event loop are sent
 * together, and identical ones once: under load, many requests share the lookup of their token and
 * of the index's stamp. No result was read before its caller asked for it.
 */
export class PooledDb implements Db {
  readonly dialect = dialect;
  readonly cache: LruCache;
  readonly #pool: ConnectionPool;
  #pending = new Map<string, Promise<unknown[]>>();

  constructor(pool: ConnectionPool, cache: LruCache) {
    this.#pool = pool;
    this.cache = cache;
  }

  version(): undefined {}

  all<R = Row>(sql: string, ...params: Value[]): Promise<R[]> {
    if (this.#pending.size === 0) {
      setImmediate(() => {
        this.#pending = new Map();
      });
    }
    const key = params.length === 0 ? sql : `${sql} ${JSON.stringify(params)}`;
    return this.#pending.getOrInsertComputed(key, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return (await this.#pool.query(sql, params)).rows;
    }) as Promise<R[]>;
  }

  async get<R = Row>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return (await this.all<R>(sql, ...params))[0];
  }

  snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    return this.#runSnapshot(BEGIN_SNAPSHOT, work);
  }

  /** The same database, with this time for each statement of a snapshot. The server ends it then. */
  limitedTo(statementMs: number): Db {
    const begin = `${BEGIN_SNAPSHOT}; SET LOCAL statement_timeout = ${Math.max(1, Math.ceil(statementMs))}`;
    return {
      dialect: this.dialect,
      cache: this.cache,
      version: () => this.version(),
      all: (sql, ...params) => this.all(sql, ...params),
      get: (sql, ...params) => this.get(sql, ...params),
      snapshot: (work) => this.#runSnapshot(begin, work),
    };
  }

  #runSnapshot<R>(begin: string, work: (db: Db) => Promise<R>): Promise<R> {
    return this.#pool.transaction(begin, (client) => work(new PgTx(client, this.cache)));
  }
}

const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
