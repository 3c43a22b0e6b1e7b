/**
 * A PostgreSQL transaction as a `Tx`, and the translation of errors. Statements are prepared once
 * per connection.
 */
import pg from 'pg';
import { errors } from '../../errors.ts';
import type { LruCache } from '../../store/cache.ts';
import {
  ConstraintViolation,
  type Counters,
  type Db,
  type Dialect,
  type Row,
  type Tx,
} from '../../store/db.ts';
import { IndexChanges } from '../../store/index/changes.ts';
import type { Topic } from '../../store/notifications.ts';
import { insertedColumns, type NewRow, type Table, type Value } from '../../store/table.ts';

export const dialect: Dialect = {
  values: (param, type) =>
    `(SELECT ${type === 'text' ? 'value' : `CAST(value AS ${type}) AS value`} FROM jsonb_array_elements_text(${param}::jsonb))`,
  rows: (param, columns) => {
    const members = Object.entries(columns).map(([name, type], i) =>
      type === 'text' ? `value->>${i} AS ${name}` : `CAST(value->>${i} AS ${type}) AS ${name}`,
    );
    return `(SELECT ${members.join(', ')} FROM jsonb_array_elements(${param}::jsonb))`;
  },
  // Text is sent as it is; bytea would be sent in hexadecimal, at twice the length.
  utf8: (expression) => expression,
  now: 'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)',
  forUpdate: 'FOR UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  // Below the oldest transaction that is still open.
  settled: 'tx < CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)',
  reached: 'tx <= CAST(CAST(pg_current_xact_id() AS text) AS bigint)',
  counters: `SELECT (SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM slots) AS next_slot,
    (SELECT last_value FROM moments) AS last_at,
    (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM events_id_seq) AS last_event,
    (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM sittings_id_seq) AS last_sitting`,
  // The server ends statements by itself.
  withinDeadline: 'true',
  // The server checks pages by itself, when they are read.
  structureFaults: `SELECT '' AS fault WHERE false`,
  storageWarnings: `SELECT 'data_checksums is off: PostgreSQL does not notice damaged pages' AS warning
    WHERE current_setting('data_checksums') = 'off'`,
  slotColumn: 'slot',
  matches: (param) => `terms @@ ${param}::tsquery`,
  matchExpression: ({ any, none }) => {
    const quoted = (term: string) => (term.endsWith('*') ? `'${term.slice(0, -1)}':*` : `'${term}'`);
    const combinations = any.map((all) =>
      all.map((choice) => `(${choice.map(quoted).join(' | ')})`).join(' & '),
    );
    const wanted = combinations.map((combination) => `(${combination})`).join(' | ');
    return [`(${wanted})`, ...none.map((term) => `!${quoted(term)}`)].join(' & ');
  },
};

/** Decodes 64-bit integers as numbers: slots, counts and times are far below 2^53. */
export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

const statementNames = new Map<string, string>();

const toStatementName = (sql: string) =>
  statementNames.getOrInsertComputed(sql, () => `q${statementNames.size}`);

export interface Queryable {
  query(config: { name?: string; text: string; values?: unknown[] }): Promise<pg.QueryResult>;
}

export async function query(on: Queryable, sql: string, params: unknown[]): Promise<pg.QueryResult> {
  try {
    return await on.query({ name: toStatementName(sql), text: sql, values: params });
  } catch (error) {
    throw translate(error);
  }
}

/** A transaction on one connection. */
export class PgTx implements Tx {
  readonly dialect = dialect;
  readonly cache: LruCache;
  readonly index = new IndexChanges();
  /** Topics to publish after the commit. */
  readonly topics = new Set<Topic>();
  readonly #cache = new Map<string, Promise<unknown>>();
  readonly #client: Queryable;

  constructor(client: Queryable, cache: LruCache) {
    this.#client = client;
    this.cache = cache;
  }

  version(): undefined {}

  notify(topic: Topic): void {
    this.topics.add(topic);
  }

  async all<R = Row>(sql: string, ...params: Value[]): Promise<R[]> {
    return (await query(this.#client, sql, params)).rows;
  }

  async get<R = Row>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return (await query(this.#client, sql, params)).rows[0];
  }

  async run(sql: string, ...params: Value[]): Promise<number> {
    return (await query(this.#client, sql, params)).rowCount ?? 0;
  }

  /** Runs in this transaction: a read-only one has its snapshot already. */
  snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    return work(this);
  }

  /** One array per column, so that the statement's text does not depend on the number of rows. */
  async insert<T extends Table>(into: T, rows: readonly NewRow<T>[], onConflict = ''): Promise<number> {
    if (rows.length === 0) return 0;
    const columns = insertedColumns(into, rows);
    const arrays = columns.map((name, i) => `$${i + 1}::${into.columns[name]!.type}[]`);
    const result = await query(
      this.#client,
      `INSERT INTO ${into.name} (${columns.join(', ')})
       SELECT * FROM unnest(${arrays.join(', ')}) ${onConflict}`,
      columns.map((name) => (rows as readonly Row[]).map((row) => asBuffer(row[name] ?? null))),
    );
    return result.rowCount ?? 0;
  }

  async insertTerms(rows: [slot: number, terms: string][]): Promise<void> {
    await query(
      this.#client,
      `INSERT INTO search (slot, terms)
       SELECT slot, array_to_tsvector(string_to_array(terms, ' '))
       FROM unnest($1::bigint[], $2::text[]) AS t (slot, terms)`,
      [rows.map(([slot]) => slot), rows.map(([, terms]) => terms)],
    );
  }

  cached<R>(key: string, load: () => Promise<R>): Promise<R> {
    return this.#cache.getOrInsertComputed(key, load) as Promise<R>;
  }

  uncache(key: string): void {
    this.#cache.delete(key);
  }

  async allocateSlots(n: number): Promise<{ first: number; at: number }> {
    return (await this.get('SELECT first, at FROM allocate_slots($1)', n))!;
  }

  async truncate(tables: readonly string[]): Promise<void> {
    await this.run(`TRUNCATE ${tables.join(', ')}`);
  }

  async lock(...names: string[]): Promise<void> {
    await this.get(
      'SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS t (name)',
      `{${names.map((name) => JSON.stringify(`quaestor ${name}`)).join(',')}}`,
    );
  }

  async tryLock(name: string): Promise<boolean> {
    const row = await this.get<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
      `quaestor ${name}`,
    );
    return row!.locked;
  }

  async setCounters({ next_slot, last_at, last_event, last_sitting }: Counters): Promise<void> {
    await this.get(
      `SELECT setval('slots', $1, false), setval('moments', $2),
              setval('events_id_seq', $3, false), setval('sittings_id_seq', $4, false)`,
      next_slot,
      last_at,
      last_event + 1,
      last_sitting + 1,
    );
  }
}

/** The driver encodes bytes within arrays only as Buffers. */
const asBuffer = (value: Value) =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;

/**
 * Whether an error of the driver means that the server is unavailable: by SQLSTATE, by Node's code,
 * or by the driver's message.
 */
export function isConnectionFailure(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    // 25006: the server became a read-only standby in a failover.
    /^(08|57P|25006)/.test(code) ||
    /^(ECONN|EPIPE|ENOENT|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/.test(code) ||
    /Query read timeout|timeout expired|[Cc]onnection terminated|Client (?:has encountered a connection error|was closed)/.test(
      message,
    )
  );
}

export const databaseUnavailable = (cause?: unknown) =>
  errors.unavailable('The database is unavailable. Try again shortly.', cause);

export function translate(error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  if (code === '23505') return new ConstraintViolation('unique', error);
  if (code === '23503') return new ConstraintViolation('foreign key', error);
  if (code === '53100') return errors.diskFull(error);
  // Cancelled by statement_timeout, lock_timeout or transaction_timeout.
  if (['57014', '55P03', '25P04'].includes(code)) return errors.tooSlow(error);
  if (code === '25006')
    return errors.unavailable('The database is read-only at the moment. Try again shortly.', error);
  if (isConnectionFailure(error) || /^(53|25P03)/.test(code)) return databaseUnavailable(error);
  return error;
}

/** The error of a write whose retries are exhausted. Nothing has been written. */
export const retriesExhausted = (error: unknown) =>
  error instanceof ConstraintViolation
    ? error
    : errors.unavailable('Too many concurrent changes of the same data. Try again shortly.', error);

/**
 * Rejects if the server answers with a warning. That is how it reports that the wait for a
 * synchronous standby was cancelled: the transaction is committed, but a failover would lose it.
 */
export async function commit(client: pg.ClientBase): Promise<void> {
  let warning: string | undefined;
  const listen = ({ severity, message }: { severity?: string | undefined; message?: string | undefined }) => {
    if (severity === 'WARNING') warning = message;
  };
  client.on('notice', listen);
  const { command } = await client.query('COMMIT').finally(() => client.off('notice', listen));
  // The server answers the COMMIT of a failed transaction with ROLLBACK.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  if (warning !== undefined) throw databaseUnavailable(new Error(warning));
}

/** A prepared statement no longer fits a table that a migration has changed. */
export const isOutdatedStatement = (error: unknown) => (error as { code?: string })?.code === '0A000';

/**
 * Whether the connection must be closed: its statements are outdated, or its server has become
 * read-only.
 */
export const invalidatesConnection = (error: unknown) =>
  isOutdatedStatement(error) || ((error as Error)?.cause as { code?: string } | undefined)?.code === '25006';

/**
 * Whether a retry may succeed: a conflict with another transaction (40001 serialization failure,
 * 40P01 deadlock).
 */
export const isTransient = (error: unknown) =>
  error instanceof ConstraintViolation ||
  isOutdatedStatement(error) ||
  ['40001', '40P01'].includes((error as { code?: string })?.code ?? '');

/**
 * Closes the socket without the protocol's goodbye, which an unresponsive server would not answer.
 */
export function destroy(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
