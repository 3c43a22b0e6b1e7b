/** Connections, how long they are waited for, and what runs on them: single statements and transactions. */
import pg from 'pg';
import type { Db, Row, Value } from '../../store/db.ts';
import type { Memory } from '../../store/positions.ts';
import { ask, dialect, PgTx, translate, types } from './connection.ts';

/** How long a statement may take, and a transaction may wait for the next one, in milliseconds. */
const PATIENCE = { statement: 8_000, idle: 10_000 };

export function openPool(url: string, max: number, { statement, idle } = PATIENCE): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    pipeline: true,
    application_name: 'quaestor',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // The server ends what takes too long; should it hang itself, we do.
    lock_timeout: 5_000,
    statement_timeout: statement,
    query_timeout: statement + 1_000,
    idle_in_transaction_session_timeout: idle,
  } as pg.PoolConfig);
  // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    // An acknowledged write is a durable one, whatever the server's default is.
    void client
      .query(
        `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`,
      )
      .catch(() => {});
  });
  return pool;
}

/**
 * Single statements on whichever connection is free. They are sent at the end of a turn of the loop, and what was asked for
 * twice in it is sent once: under load, whose token it is and how the index stands is asked once for many requests. Nobody
 * gets an answer that was read before they asked.
 */
export class PooledDb implements Db {
  readonly dialect = dialect;
  readonly memory: Memory;
  readonly #pool: pg.Pool;
  #asked = new Map<string, Promise<unknown[]>>();

  constructor(pool: pg.Pool, memory: Memory) {
    this.#pool = pool;
    this.memory = memory;
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
      return (await ask(this.#pool, sql, params)).rows;
    }) as Promise<R[]>;
  }

  async get<R = Row>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return (await this.all<R>(sql, ...params))[0];
  }

  snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    return transaction(this.#pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (client) =>
      work(new PgTx(client, this.memory)),
    );
  }
}

export async function transaction<R>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient) => Promise<R>,
): Promise<R> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    throw translate(error);
  }
  let broken: Error | undefined;
  try {
    // Not awaited: it travels together with the first statement. If it fails, so does that one.
    void client.query(begin).catch(() => {});
    const result = await work(client);
    await client.query('COMMIT').catch((error) => {
      broken = error;
      throw translate(error);
    });
    return result;
  } catch (error) {
    if (!broken) await client.query('ROLLBACK').catch((failure) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}
