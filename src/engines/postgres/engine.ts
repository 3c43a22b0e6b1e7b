/** The engine for many processes on one database. */
import pg from 'pg';
import type { Command, Db, Engine, Once, Reader, Row, Value } from '../../store/db.ts';
import { perform } from '../../store/idempotency.ts';
import { Memory } from '../../store/positions.ts';
import { foldLog, logMarks } from '../../store/postings.ts';
import { StartError } from '../start-error.ts';
import { ask, dialect, givenUp, PgTx, translate, types, worthRepeating } from './connection.ts';
import { migrations } from './migrations.ts';

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

/** How long a statement may take, and a transaction may wait for the next one, in milliseconds. */
const PATIENCE = { statement: 8_000, idle: 10_000 };

function openPool(url: string, max: number, { statement, idle } = PATIENCE): pg.Pool {
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

/**
 * Single statements on whichever connection is free. They are sent at the end of a turn of the loop, and what was asked for
 * twice in it is sent once: under load, whose token it is and how the index stands is asked once for many requests. Nobody
 * gets an answer that was read before they asked.
 */
class PooledDb implements Db {
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

async function transaction<R>(
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

/** Nodes that start together take turns; whoever comes second finds the work done. */
async function migrate(url: string, mayChange: boolean): Promise<void> {
  // A connection of its own: a migration, and waiting for another node's, may take longer than a request.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    const { rows } = await client.query(
      `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`,
    );
    const { version: server, encoding } = rows[0];
    if (server < 150_000)
      throw new StartError(`PostgreSQL 15 or newer is needed; this is ${Math.floor(server / 10_000)}.`);
    if (encoding !== 'UTF8')
      throw new StartError(`The database is encoded in ${encoding}; it has to be UTF8.`);
    await client.query(`SELECT pg_advisory_lock(hashtext('quaestor migrations'))`);
    if (mayChange) await client.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    else if ((await client.query(`SELECT to_regclass('schema_version') AS it`)).rows[0].it === null)
      throw new StartError('There is no bank in this database. Start the service on it once.');
    const found = await client.query('SELECT version FROM schema_version');
    const version: number = found.rows[0]?.version ?? 0;
    if (version > migrations.length) {
      throw new StartError(
        `The database is of version ${version}; this program knows versions up to ${migrations.length}. ` +
          'Start the newer program that last used it.',
      );
    }
    if (version < migrations.length && !mayChange)
      throw new StartError('The database is of an older version. Start the service on it once.');
    if (found.rows.length === 0) await client.query('INSERT INTO schema_version VALUES (0)');
    for (let step = version; step < migrations.length; step++) {
      await client.query('BEGIN');
      try {
        await client.query(migrations[step]!);
        await client.query('UPDATE schema_version SET version = $1', [step + 1]);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    }
  } finally {
    // Closing the connection gives the lock back, whatever happened.
    await client.end();
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
