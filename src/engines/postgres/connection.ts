/** A PostgreSQL connection as a `Db`. Statements are prepared once on each connection, under a name of their own. */
import pg from 'pg';
import { errors } from '../../errors.ts';
import {
  ConstraintViolation,
  type Counters,
  type Db,
  type Dialect,
  type Row,
  type Table,
  type Tx,
  type Value,
} from '../../store/db.ts';
import { IndexChanges } from '../../store/index/changes.ts';
import type { LruCache } from '../../store/index/positions.ts';
import type { Topic } from '../../store/notifications.ts';

export const dialect: Dialect = {
  each: (param) => `jsonb_array_elements(${param}::jsonb)`,
  // Bytes would travel in hexadecimal, at twice the length.
  utf8: (expression) => expression,
  id: (expression) => `CAST(${expression} AS uuid)`,
  now: 'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)',
  forUpdate: 'FOR UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  // Transactions that were begun earlier and are not yet committed would come before.
  settled: 'tx < CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)',
  reached: 'tx <= CAST(CAST(pg_current_xact_id() AS text) AS bigint)',
  counters: `SELECT (SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM slots) AS next_slot,
    (SELECT last_value FROM moments) AS last_at,
    (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM events_id_seq) AS last_event,
    (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM sittings_id_seq) AS last_sitting`,
  slotColumn: 'slot',
  matches: (param) => `terms @@ ${param}::tsquery`,
  matchExpression: ({ all, none }) => {
    const quoted = (term: string) => (term.endsWith('*') ? `'${term.slice(0, -1)}':*` : `'${term}'`);
    return [
      ...all.map((choice) => `(${choice.map(quoted).join(' | ')})`),
      ...none.map((term) => `!${quoted(term)}`),
    ].join(' & ');
  },
};

/** 64-bit integers are slots, counts and times here, all far below 2^53. */
export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

const names = new Map<string, string>();

const nameOf = (sql: string) => names.getOrInsertComputed(sql, () => `q${names.size}`);

export interface Queryable {
  query(config: { name?: string; text: string; values?: unknown[] }): Promise<pg.QueryResult>;
}

export async function ask(on: Queryable, sql: string, params: unknown[]): Promise<pg.QueryResult> {
  try {
    return await on.query({ name: nameOf(sql), text: sql, values: params });
  } catch (error) {
    throw translate(error);
  }
}

/** A transaction, and what the transaction is on: one connection. */
export class PgTx implements Tx {
  readonly dialect = dialect;
  readonly cache: LruCache;
  readonly index = new IndexChanges();
  readonly announced = new Set<Topic>();
  readonly #cache = new Map<string, Promise<unknown>>();
  readonly #client: Queryable;

  constructor(client: Queryable, memory: LruCache) {
    this.#client = client;
    this.cache = memory;
  }

  version(): undefined {}

  notify(topic: Topic): void {
    this.announced.add(topic);
  }

  async all<R = Row>(sql: string, ...params: Value[]): Promise<R[]> {
    return (await ask(this.#client, sql, params)).rows;
  }

  async get<R = Row>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return (await ask(this.#client, sql, params)).rows[0];
  }

  async run(sql: string, ...params: Value[]): Promise<number> {
    return (await ask(this.#client, sql, params)).rowCount ?? 0;
  }

  /** A transaction sees one state already. */
  snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    return work(this);
  }

  async insert(into: Table, rows: Value[][]): Promise<void> {
    const columns = Object.entries(into.columns);
    const arrays = columns.map(([, type], i) => `$${i + 1}::${type}[]`);
    await ask(
      this.#client,
      `INSERT INTO ${into.name} (${columns.map(([name]) => name).join(', ')})
       SELECT * FROM unnest(${arrays.join(', ')}) ${into.onConflict ?? ''}`,
      columns.map((_, i) => rows.map((row) => asBuffer(row[i]!))),
    );
  }

  async insertTerms(rows: [slot: number, terms: string][]): Promise<void> {
    await ask(
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

  forget(key: string): void {
    this.#cache.delete(key);
  }

  async allocateSlots(n: number): Promise<{ first: number; at: number }> {
    return (await this.get('SELECT first, at FROM allocate_slots($1)', n))!;
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

/** The driver knows bytes inside an array as Buffers only. */
const asBuffer = (value: Value) =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;

/** Whether the database was not there, by SQLSTATE or, where the connection itself failed, by Node's code or what the driver says. */
export function isUnavailable(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    // A server that only reads was the one to write to before another took its place.
    /^(08|57P|25006)/.test(code) ||
    /^(ECONN|EPIPE|ENOENT|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/.test(code) ||
    /Query read timeout|timeout expired|[Cc]onnection terminated|Client (?:has encountered a connection error|was closed)/.test(
      message,
    )
  );
}

export const unavailable = (cause?: unknown) =>
  errors.unavailable('The database does not answer at the moment. Try again shortly.', cause);

export function translate(error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  if (code === '23505') return new ConstraintViolation('unique', error);
  if (code === '23503') return new ConstraintViolation('foreign key', error);
  if (code === '53100') return errors.diskFull(error);
  // What was ended because it took too long, itself or the lock it waited for.
  if (['57014', '55P03', '25P04'].includes(code)) return errors.tooSlow(error);
  if (code === '25006')
    return errors.unavailable('The database takes no writes at the moment. Try again shortly.', error);
  if (isUnavailable(error) || /^(53|25P03)/.test(code)) return unavailable(error);
  return error;
}

/** Tried often enough: nothing was done, and later it may go through. */
export const givenUp = (error: unknown) =>
  error instanceof ConstraintViolation
    ? error
    : errors.unavailable('Too many wanted to change the same at once. Try again shortly.', error);

/** A table has changed under a statement that this connection has prepared. */
export const isOutdated = (error: unknown) => (error as { code?: string })?.code === '0A000';

/** A connection on which this happened is of no more use: it is outdated, or leads to a server that only reads. */
export const isSpent = (error: unknown) =>
  isOutdated(error) || ((error as Error)?.cause as { code?: string } | undefined)?.code === '25006';

/** Two transactions got in each other's way, or a connection was outdated: it will go through now. */
export const worthRepeating = (error: unknown) =>
  error instanceof ConstraintViolation ||
  isOutdated(error) ||
  ['40001', '40P01'].includes((error as { code?: string })?.code ?? '');

/** Ends a connection without a word: on the other side nobody may be listening. */
export function cut(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
