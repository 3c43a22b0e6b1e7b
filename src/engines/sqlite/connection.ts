/** One SQLite connection as a `Db`. Statements are prepared once and cached. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { errors } from '../../errors.ts';
import { LruCache } from '../../store/cache.ts';
import { ConstraintViolation, type Db, type Dialect, type MatchTerms, type Row } from '../../store/db.ts';
import { insertedColumns, type NewRow, type Table, type Value } from '../../store/table.ts';

/** The last id that an AUTOINCREMENT table has allocated. */
function lastId(table: string): string {
  return `coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`;
}

const dialect: Dialect = {
  values: (param, type) =>
    `(SELECT ${type === 'bigint' ? 'CAST(value AS INTEGER) AS value' : 'value'} FROM json_each(${param}))`,
  rows: (param, columns) => {
    const members = Object.entries(columns).map(([name, type], i) =>
      type === 'bigint' ? `CAST(value->>${i} AS INTEGER) AS ${name}` : `value->>${i} AS ${name}`,
    );
    return `(SELECT ${members.join(', ')} FROM json_each(${param}))`;
  },
  // A blob is read as bytes, which saves decoding the text and encoding it again.
  utf8: (expression) => `CAST(${expression} AS BLOB)`,
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  forUpdate: '',
  skipLocked: '',
  settled: 'true',
  reached: 'true',
  counters: `SELECT next_slot, last_at, ${lastId('events')} AS last_event, ${lastId('sittings')} AS last_sitting FROM bank_state`,
  // SQLite calls the function for one in 64 rows. node:sqlite offers no other way to end a statement.
  withinDeadline: '(search.rowid & 63 OR within_deadline())',
  structureFaults: `SELECT integrity_check AS fault FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
  storageWarnings: `SELECT '' AS warning WHERE false`,
  slotColumn: 'rowid',
  matches: (param) => `search MATCH ${param}`,
  matchExpression: ({ any, none }: MatchTerms) => {
    const quoted = (term: string) => (term.endsWith('*') ? `"${term.slice(0, -1)}"*` : `"${term}"`);
    const combinations = any.map((all) =>
      all.map((choice) => `(${choice.map(quoted).join(' OR ')})`).join(' AND '),
    );
    const wanted = combinations.map((combination) => `(${combination})`).join(' OR ');
    return `(${wanted}) NOT (${none.map(quoted).join(' OR ')})`;
  },
};

const BUSY_TIMEOUT_MS = 5000;
const MAX_IDLE_WAL_BYTES = 4 * 1024 * 1024;

/** The page caches. A process has half a dozen readers, behind which is the cache of the system. */
const READER_CACHE_KIB = 16 * 1024;
const WRITER_CACHE_KIB = 64 * 1024;

/** Set on every connection and read back: a pragma that silently fails could lose data. */
const listPragmas = (cacheKib: number): [pragma: string, value: string, expected: string | number][] => [
  // Readers and the writer do not block each other.
  ['journal_mode', 'WAL', 'wal'],
  // Every commit is on disk before it is acknowledged. NORMAL loses the latest commits at a loss of
  // power.
  ['synchronous', 'FULL', 2],
  ['foreign_keys', 'ON', 1],
  ['busy_timeout', `${BUSY_TIMEOUT_MS}`, BUSY_TIMEOUT_MS],
  // Negative means kibibytes.
  ['cache_size', `-${cacheKib}`, -cacheKib],
  // Overwrites deleted content: a deleted respondent must not remain in the file.
  ['secure_delete', 'ON', 1],
  // After a large write the log shrinks to about the size at which it is checkpointed.
  ['journal_size_limit', `${MAX_IDLE_WAL_BYTES}`, MAX_IDLE_WAL_BYTES],
  // No temporary files next to the data.
  ['temp_store', 'MEMORY', 2],
];

export interface ConnectionOptions {
  readOnly?: boolean;
  cache?: LruCache;
  /** Receives every error of a statement. */
  onError?: (error: unknown) => void;
}

function openDatabase(path: string, readOnly: boolean): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // The timeout also applies to the pragmas: switching to WAL may have to wait for another
    // connection.
    database = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
    setPragmas(database, readOnly ? READER_CACHE_KIB : WRITER_CACHE_KIB);
    return database;
  } catch (error) {
    database?.close();
    throw translate(error);
  }
}

function setPragmas(database: DatabaseSync, cacheKib: number): void {
  for (const [pragma, value, expected] of listPragmas(cacheKib)) {
    database.exec(`PRAGMA ${pragma} = ${value}`);
    const actual = Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
    if (actual !== expected)
      throw new Error(`SQLite did not accept PRAGMA ${pragma} = ${value}: it is ${actual}.`);
  }
}

export class Connection implements Db {
  readonly dialect = dialect;
  readonly cache: LruCache;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  #deadlineAt = Number.POSITIVE_INFINITY;
  readonly #onError: ((error: unknown) => void) | undefined;

  constructor(path: string, options: ConnectionOptions = {}) {
    this.#onError = options.onError;
    this.#database = openDatabase(path, options.readOnly ?? false);
    this.cache = options.cache ?? new LruCache();
    this.#database.function('within_deadline', () => {
      if (performance.now() > this.#deadlineAt) throw errors.tooSlow();
      return 1;
    });
  }

  exec(sql: string): void {
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw translate(error);
    }
  }

  /** From now on, statements with the condition `withinDeadline` fail once this time is over. */
  limitTime(ms: number): void {
    this.#deadlineAt = performance.now() + ms;
  }

  version(): number {
    return this.get<{ data_version: number }>('PRAGMA data_version')!.data_version;
  }

  all<R = Row>(sql: string, ...params: Value[]): R[] {
    return this.#call(sql, params, (statement, bound) => statement.all(...bound) as R[]);
  }

  get<R = Row>(sql: string, ...params: Value[]): R | undefined {
    return this.#call(sql, params, (statement, bound) => statement.get(...bound) as R | undefined);
  }

  run(sql: string, ...params: Value[]): number {
    return this.#call(sql, params, (statement, bound) => Number(statement.run(...bound).changes));
  }

  insert<T extends Table>(into: T, rows: readonly NewRow<T>[], onConflict = ''): number {
    if (rows.length === 0) return 0;
    const columns = insertedColumns(into, rows);
    const params = columns.map((_, i) => `$${i + 1}`);
    const sql = `INSERT INTO ${into.name} (${columns.join(', ')}) VALUES (${params.join(', ')}) ${onConflict}`;
    let inserted = 0;
    for (const row of rows as readonly Row[])
      inserted += this.run(sql, ...columns.map((name) => row[name] ?? null));
    return inserted;
  }

  /** A deferred transaction, whose snapshot is that of the first read. */
  async snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    this.run('BEGIN');
    try {
      return await work(this);
    } finally {
      // An error of the disk has already ended the transaction.
      if (this.inTransaction) this.run('COMMIT');
    }
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#database.close();
  }

  #call<R>(sql: string, params: Value[], use: (statement: StatementSync, bound: Value[]) => R): R {
    try {
      const { statement, order } = this.#statements.getOrInsertComputed(sql, () =>
        prepare(this.#database, sql),
      );
      return use(statement, order ? order.map((i) => params[i]!) : params);
    } catch (error) {
      const translated = translate(error);
      this.#onError?.(translated);
      throw translated;
    }
  }
}

interface Prepared {
  statement: StatementSync;
  /** The index of the parameter for each placeholder; undefined if they are in order. */
  order: number[] | undefined;
}

/** SQLite takes `$n` for a name. Positional parameters are what node:sqlite binds fastest. */
function prepare(database: DatabaseSync, sql: string): Prepared {
  const order: number[] = [];
  const text = sql.replace(/\$(\d+)/g, (_, n) => {
    order.push(Number(n) - 1);
    return '?';
  });
  const statement = database.prepare(text);
  // The last inserted rowid, which run() returns, can exceed 2^53 for the full-text table.
  if (!/^\s*(?:SELECT|PRAGMA)|RETURNING/i.test(sql)) statement.setReadBigInts(true);
  return { statement, order: order.every((param, i) => param === i) ? undefined : order };
}

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
const SQLITE_CONSTRAINT_FOREIGNKEY = 787;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

function translate(error: unknown): unknown {
  const { errcode = 0 } = error as { errcode?: number };
  if (errcode === SQLITE_CONSTRAINT_FOREIGNKEY) return new ConstraintViolation('foreign key', error);
  if (errcode === SQLITE_CONSTRAINT_UNIQUE || errcode === SQLITE_CONSTRAINT_PRIMARYKEY) {
    return new ConstraintViolation('unique', error);
  }
  if ((errcode & 255) === SQLITE_BUSY)
    return errors.unavailable('Another process has locked the database. Try again shortly.', error);
  if ((errcode & 255) === SQLITE_CORRUPT || (errcode & 255) === SQLITE_NOTADB)
    return errors.damagedDatabase(error);
  // A full disk shows as FULL or, where the file system reports it late, as IOERR.
  if ((errcode & 255) === SQLITE_FULL) return errors.diskFull(error);
  if ((errcode & 255) === SQLITE_IOERR || (errcode & 255) === SQLITE_CANTOPEN)
    return errors.unavailable('The disk cannot be read or written at the moment.', error);
  return error;
}
