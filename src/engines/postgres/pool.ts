/** Connections, how long they are waited for, and what runs on them: single statements and transactions. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { errors } from '../../errors.ts';
import type { Db, Row, Value } from '../../store/db.ts';
import type { LruCache } from '../../store/index/positions.ts';
import type { Connection } from './address.ts';
import { ask, cut, dialect, isOutdated, isSpent, PgTx, translate, types, unavailable } from './connection.ts';

/** Longer than anything. */
export const LONG = 24 * 3_600_000;

/** How long things may take, in milliseconds. Nobody is to wait for longer than ten seconds for anything. */
interface Patience {
  statement: number;
  /** Between two statements of a transaction. */
  idle: number;
  /** A transaction in all. */
  transaction: number;
}

export const OF_REQUESTS: Patience = { statement: 8_000, idle: 10_000, transaction: 8_000 };
/** Nobody waits for a worker's statements, and it may think for a while between two of them. */
export const OF_WORKERS: Patience = { statement: 120_000, idle: 600_000, transaction: LONG };

const ATTEMPTS = 3;
/** How long a connection is waited for, and how soon it is tried again. */
const CONNECTING = 5_000;
const RETRY = 50;

interface ConnectionOptions {
  /** How many at once. */
  max: number;
  patience: Patience;
  /** Asked before anything is sent: what is known to be away is not waited for. */
  isAway?: () => boolean;
}

export class Connections {
  readonly #pool: pg.Pool;
  readonly #patience: Patience;
  /** All there are, those that are yet to be established included: since when each is in use, or that it is not. */
  readonly #clients = new Map<pg.ClientBase, number | 'idle'>();
  readonly #isAway: () => boolean;

  constructor(connection: Connection, { max, patience, isAway = () => false }: ConnectionOptions) {
    this.#patience = patience;
    this.#isAway = isAway;
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
      max,
      types,
      pipeline: true,
      application_name: 'quaestor',
      connectionTimeoutMillis: CONNECTING,
      keepAlive: true,
      // The server ends what takes too long; should it hang itself, we do.
      lock_timeout: 5_000,
      statement_timeout: patience.statement,
      query_timeout: patience.statement + 1_000,
      idle_in_transaction_session_timeout: patience.idle,
    } as pg.PoolConfig);
    // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('acquire', (client) => clients.set(client, performance.now()));
    this.#pool.on('release', (_error, client) => {
      if (clients.has(client)) clients.set(client, 'idle');
    });
    this.#pool.on('connect', (client) => {
      // An acknowledged write is a durable one, whatever the server's default is.
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

  /** A single statement, on whichever connection is free. */
  async ask(sql: string, params: unknown[]): Promise<pg.QueryResult> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#connect();
      try {
        const result = await ask(client, sql, params);
        client.release();
        return result;
      } catch (error) {
        client.release(error as Error);
        if (!isOutdated(error) || attempt === ATTEMPTS) throw error;
        this.cut(Number.POSITIVE_INFINITY);
      }
    }
  }

  /** `limit`: how many milliseconds it may take in all. */
  async transaction<R>(
    begin: string,
    work: (client: pg.PoolClient) => Promise<R>,
    limit = this.#patience.transaction,
  ): Promise<R> {
    const client = await this.#connect();
    let broken: Error | undefined;
    let late = false;
    const deadline = setTimeout(() => {
      late = true;
      cut(client);
    }, limit);
    try {
      // Awaited, though it could travel with the first statement: should it alone fail, that one would stand by itself.
      await client.query(begin).catch((error) => {
        broken = error;
        throw translate(error);
      });
      const result = await work(client);
      const { command } = await client.query('COMMIT').catch((error) => {
        broken = error;
        throw translate(error);
      });
      // What the server thinks has failed it rolls back, and says no more than that.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
      return result;
    } catch (error) {
      if (late) throw errors.tooSlow(error);
      // Whose connection is gone has nothing to take back.
      if (!broken && this.#clients.has(client))
        await client.query('ROLLBACK').catch((failure) => (broken = failure));
      if (isSpent(error)) broken = error as Error;
      throw error;
    } finally {
      clearTimeout(deadline);
      client.release(broken ?? late);
    }
  }

  /** Ends connections at once: all, or those not in use and those in use for so many milliseconds. */
  cut(busyFor = 0): void {
    const now = performance.now();
    for (const [client, since] of this.#clients) if (since === 'idle' || now - since >= busyFor) cut(client);
  }

  async close(): Promise<void> {
    const impatient = setTimeout(() => this.cut(), CLOSING);
    await this.#pool.end();
    clearTimeout(impatient);
  }

  async #connect(): Promise<pg.PoolClient> {
    const until = performance.now() + CONNECTING;
    for (;;) {
      if (this.#isAway()) throw unavailable();
      try {
        return await this.#pool.connect();
      } catch (error) {
        // The server may give us fewer than we would take: then one of those we have will be free soon.
        const scarce = (error as { code?: string }).code === '53300';
        // Whether nobody is there, all connections are in use, or they would not let us in.
        if (!scarce || performance.now() > until) throw unavailable(error);
        await sleep(RETRY);
      }
    }
  }
}

/** How long connections have to end in good order. */
const CLOSING = 2_000;

/**
 * Single statements on whichever connection is free. They are sent at the end of a turn of the loop, and what was asked for
 * twice in it is sent once: under load, whose token it is and how the index stands is asked once for many requests. Nobody
 * gets an answer that was read before they asked.
 */
export class PooledDb implements Db {
  readonly dialect = dialect;
  readonly cache: LruCache;
  readonly #connections: Connections;
  #asked = new Map<string, Promise<unknown[]>>();

  constructor(connections: Connections, memory: LruCache) {
    this.#connections = connections;
    this.cache = memory;
  }

  version(): undefined {}

  all<R = Row>(sql: string, ...params: Value[]): Promise<R[]> {
    if (this.#asked.size === 0) {
      setImmediate(() => {
        this.#asked = new Map();
      });
    }
    const key = params.length === 0 ? sql : `${sql} ${JSON.stringify(params)}`;
    return this.#asked.getOrInsertComputed(key, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return (await this.#connections.ask(sql, params)).rows;
    }) as Promise<R[]>;
  }

  async get<R = Row>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return (await this.all<R>(sql, ...params))[0];
  }

  snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    return this.#connections.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (client) =>
      work(new PgTx(client, this.cache)),
    );
  }
}
