/** One SQLite connection as a `Db`. Statements are prepared once and kept. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { errors } from '../../errors.ts';
import {
  ConstraintViolation,
  type Db,
  type Dialect,
  type MatchTerms,
  type Row,
  type Table,
  type Value,
} from '../../store/db.ts';
import { LruCache } from '../../store/index/positions.ts';

/** The last number that a table has given out, from what SQLite itself keeps. */
function lastOf(table: string): string {
  return `coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)`;
}

const dialect: Dialect = {
  each: (param) => `json_each(${param})`,
  // Bytes as they lie in the database need neither be made a string nor bytes again.
  utf8: (expression) => `CAST(${expression} AS BLOB)`,
  id: (expression) => expression,
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  forUpdate: '',
  skipLocked: '',
  settled: 'true',
  reached: 'true',
  counters: `SELECT next_slot, last_at, ${lastOf('events')} AS last_event, ${lastOf('sittings')} AS last_sitting FROM bank_state`,
  slotColumn: 'rowid',
  matches: (param) => `search MATCH ${param}`,
  matchExpression: ({ all, none }: MatchTerms) => {
    const quoted = (term: string) => (term.endsWith('*') ? `"${term.slice(0, -1)}"*` : `"${term}"`);
    const wanted = all.map((choice) => `(${choice.map(quoted).join(' OR ')})`).join(' AND ');
    return `(${wanted}) NOT (${none.map(quoted).join(' OR ')})`;
  },
};

const BUSY_TIMEOUT = 5000;

/** Asked of every connection when it is opened, and asserted: a setting that did not take would cost data in silence. */
const PRAGMAS: [pragma: string, value: string, expected: string | number][] = [
  // Readers never wait for the writer, nor it for them.
  ['journal_mode', 'WAL', 'wal'],
  // Every commit reaches the disk before it is acknowledged; NORMAL loses the newest ones when the power goes.
  ['synchronous', 'FULL', 2],
  ['foreign_keys', 'ON', 1],
  ['busy_timeout', `${BUSY_TIMEOUT}`, BUSY_TIMEOUT],
  // Negative means kibibytes: 64 MiB of pages.
  ['cache_size', '-65536', -65536],
  // What is deleted is gone from the file: people have a right to be forgotten.
  ['secure_delete', 'ON', 1],
  // Sorting and temporary indexes stay in memory: no temporary files beside the data.
  ['temp_store', 'MEMORY', 2],
];

export class Connection implements Db {
  readonly dialect = dialect;
  readonly cache: LruCache;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(path: string, options: { readOnly?: boolean; memory?: LruCache } = {}) {
    this.#database = new DatabaseSync(path, {
      readOnly: options.readOnly ?? false,
      // From the first statement on: turning WAL on may have to wait for another connection.
      timeout: BUSY_TIMEOUT,
    });
    this.cache = options.memory ?? new LruCache();
    for (const [pragma, value, expected] of PRAGMAS) {
      this.exec(`PRAGMA ${pragma} = ${value}`);
      const actual = Object.values(this.#database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
      if (actual !== expected)
        throw new Error(`SQLite keeps ${pragma} at ${actual}; it has to be ${expected}.`);
    }
  }

  exec(sql: string): void {
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw translate(error);
    }
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

  insert(into: Table, rows: Value[][]): void {
    const columns = Object.keys(into.columns);
    const values = columns.map((_, i) => `$${i + 1}`);
    const sql = `INSERT INTO ${into.name} (${columns.join(', ')}) VALUES (${values.join(', ')}) ${into.onConflict ?? ''}`;
    for (const row of rows) this.run(sql, ...row);
  }

  /** Reads of one state: the transaction begins with the first of them. */
  async snapshot<R>(work: (db: Db) => Promise<R>): Promise<R> {
    this.run('BEGIN');
    try {
      return await work(this);
    } finally {
      this.run('COMMIT');
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
      throw translate(error);
    }
  }
}

interface Prepared {
  statement: StatementSync;
  /** Which parameter stands at each place; nothing if they stand in their order. */
  order: number[] | undefined;
}

/** `$n` is a name to SQLite; its place in the list is what node:sqlite binds quickest. */
function prepare(database: DatabaseSync, sql: string): Prepared {
  const order: number[] = [];
  const text = sql.replace(/\$(\d+)/g, (_, n) => {
    order.push(Number(n) - 1);
    return '?';
  });
  const statement = database.prepare(text);
  // A full-text table's own row numbers, which run() tells of, go beyond 2^53.
  if (!/^\s*(?:SELECT|PRAGMA)|RETURNING/i.test(sql)) statement.setReadBigInts(true);
  return { statement, order: order.every((at, i) => at === i) ? undefined : order };
}

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
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
    return errors.unavailable(
      'Another process keeps the database from being written. Try again shortly.',
      error,
    );
  // A disk with no room left shows as FULL or, where the file system says it late, as a failed write.
  if ((errcode & 255) === SQLITE_FULL) return errors.diskFull(error);
  if ((errcode & 255) === SQLITE_IOERR)
    return errors.unavailable('The disk does not take or give data at the moment.', error);
  return error;
}
