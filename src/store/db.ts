/**
 * The interface between queries and engines. Store functions take a `Db` first; a transaction is a
 * `Db` too, so that the same function serves inside and outside of one. Queries are plain SQL with
 * `$n` parameters, written once: what the engines do differently is data, the `Dialect`.
 */
import type { LruCache } from './cache.ts';
import type { CommandName, QueryName } from './command-names.ts';
import type { Notifications, Topic } from './notifications.ts';
import type { NewRow, Table, Value } from './table.ts';

/**
 * Text to be sent: as a string, or as UTF-8 bytes where the engine can hand those over without
 * decoding them.
 */
export type Utf8 = string | Uint8Array;
export type Row = Record<string, Value>;
type Awaitable<T> = T | Promise<T>;

export interface Db {
  readonly dialect: Dialect;
  /** Caches the index (index/positions.ts) and pages of this process. */
  readonly cache: LruCache;
  /**
   * A number that changes with every commit of any process; undefined where reading it would cost
   * as much as the query it could save.
   */
  version(): number | undefined;
  all<R = Row>(sql: string, ...params: Value[]): Awaitable<R[]>;
  get<R = Row>(sql: string, ...params: Value[]): Awaitable<R | undefined>;
  /** Runs several reads on one consistent state. */
  snapshot<R>(work: (db: Db) => Promise<R>): Promise<R>;
}

export interface Tx extends Db {
  readonly index: IndexWriter;
  /** Loads a value once per transaction, until `uncache` is called for its key. */
  cached<R>(key: string, load: () => Promise<R>): Promise<R>;
  uncache(key: string): void;
  /** Runs a statement; returns the number of rows it changed. */
  run(sql: string, ...params: Value[]): Awaitable<number>;
  insert<T extends Table>(into: T, rows: readonly NewRow<T>[], onConflict?: string): Awaitable<number>;
  /** Indexes the words of questions: `[slot, terms]`, the terms separated by spaces. */
  insertTerms(rows: [slot: number, terms: string][]): Awaitable<void>;
  /**
   * Allocates the next `n` slots and the timestamp of the write. Timestamps never decrease as slots
   * increase, whatever the clocks do, so that the order of slots is the order of time.
   */
  allocateSlots(n: number): Awaitable<{ first: number; at: number }>;
  /** Publishes a notification after the commit. */
  notify(topic: Topic): void;
  /** Takes named locks, one after the other, until the transaction ends. */
  lock(...names: string[]): Awaitable<void>;
  /** Takes a named lock until the transaction ends; false if another transaction has it. */
  tryLock(name: string): Awaitable<boolean>;
  /** Deletes all rows of tables, which are listed before those they refer to. */
  truncate(tables: readonly string[]): Awaitable<void>;
  /** Sets the bank's counters to those of another bank, when it is copied. */
  setCounters(counters: Counters): Awaitable<void>;
}

/** Collects what a transaction changes in the index. The engine writes it before the commit. */
export interface IndexWriter {
  add(set: string, slot: number): void;
  remove(set: string, slot: number): void;
  putTerms(slot: number, terms: string): void;
  removeTerms(slot: number): void;
}

/** The bank's running numbers. None is allocated twice, even if its row is deleted. */
export interface Counters {
  next_slot: number;
  /** The latest timestamp; see `Tx.allocateSlots`. */
  last_at: number;
  last_event: number;
  last_sitting: number;
}

/** The differences between the engines, as data. */
export interface Dialect {
  /**
   * The values of a JSON array parameter, as a subquery with the column `value`. One parameter for
   * a list of any length keeps the statement's text the same, so that it is prepared once.
   */
  values(param: string, type: 'bigint' | 'text' | 'uuid'): string;
  /** The rows of a parameter that is a JSON array of arrays, as a subquery with these columns. */
  rows(param: string, columns: Record<string, 'bigint' | 'text' | 'uuid'>): string;
  /** A text expression in the form that is cheapest to send; see `Utf8`. */
  utf8(expression: string): string;
  /**
   * The database's clock in milliseconds. Unlike the clocks of the processes it is the same for
   * all.
   */
  readonly now: string;
  /** Locks the selected rows until the transaction ends. Empty on SQLite, which has one writer. */
  readonly forUpdate: string;
  /** Locks the selected rows and skips those that another transaction has locked. */
  readonly skipLocked: string;
  /** The condition that no event can still commit before those that satisfy it. */
  readonly settled: string;
  /** The condition that an event's transaction number has been allocated by this database. */
  readonly reached: string;
  /** A query for the `Counters`. */
  readonly counters: string;
  /** A condition on rows of `search` that fails the statement once the deadline has passed. */
  readonly withinDeadline: string;
  /** A query for faults of the database's files, as rows with the column `fault`. */
  readonly structureFaults: string;
  /** A query for settings under which damage is not noticed, as rows with the column `warning`. */
  readonly storageWarnings: string;
  /**
   * The slot column of the full-text table `search`, and the condition that a row matches a
   * parameter.
   */
  readonly slotColumn: string;
  matches(param: string): string;
  /** The expression that `matches` compares with. */
  matchExpression(terms: MatchTerms): string;
}

/**
 * Matches rows with one term of each choice (a term with `*` is a prefix) of at least one combination
 * in `any`, and none of `none`. Nothing is empty.
 */
export interface MatchTerms {
  any: string[][][];
  none: string[];
}

/** Rows that one statement of a cleanup deletes. A cleanup repeats until it finds fewer. */
export const CLEANUP_BATCH_SIZE = 5000;

/** A write: plain data in, plain data out, so that it can run in another thread. */
export interface Command<A, R, N extends CommandName = CommandName> {
  (tx: Tx, args: A): Promise<R>;
  readonly commandName: N;
  /**
   * Computes in steps what a large write needs and what does not depend on the bank, so that its
   * transaction is short. Optional: without it, the command computes it itself.
   */
  readonly prepare?: ((args: A) => Iterable<void>) | undefined;
  readonly replay?: Replay<R> | undefined;
}

/**
 * How a large result is stored under an Idempotency-Key: in a short form, from which the same result
 * is rebuilt for a repetition.
 */
export interface Replay<R> {
  shorten(result: R): unknown;
  rebuild(db: Db, short: unknown): Promise<R>;
}

export const defineCommand = <N extends CommandName, A, R>(
  name: N,
  run: (tx: Tx, args: A) => Promise<R>,
  options: Pick<Command<A, R, N>, 'prepare' | 'replay'> = {},
): Command<A, R, N> => Object.assign(run, { commandName: name, ...options });

/** A read that may take long, and runs where it does not block requests. Plain data in and out. */
export interface Query<A, R, N extends QueryName = QueryName> {
  (db: Db, args: A): Promise<R>;
  readonly queryName: N;
}

export const defineQuery = <N extends QueryName, A, R>(
  name: N,
  run: (db: Db, args: A) => Promise<R>,
): Query<A, R, N> => Object.assign(run, { queryName: name });

/**
 * An Idempotency-Key: unique within its scope (client and route), bound to one request by its
 * fingerprint.
 */
export interface IdempotencyKey {
  scope: string;
  key: string;
  fingerprint: string;
}

/** Who waits for a call, and until when. */
export interface CallOptions {
  /** The client that the call is for. Waiting calls are served fairly between callers. */
  caller?: string | undefined;
  /**
   * By `performance.now()`. A call that has not started by then is rejected and never runs; a
   * search is ended.
   */
  deadlineAt?: number | undefined;
  /** Whether no caller waits for the result any more: the call does not run if it has not started. */
  isCancelled?: (() => boolean) | undefined;
}

export interface WriteOptions extends CallOptions {
  key?: IdempotencyKey | undefined;
  /** The size of the arguments, roughly: large writes give way to short ones. */
  bytes?: number | undefined;
}

export type ReaderSpec =
  | { path: string }
  /** `known` identifies the newest database server: after a failover an older one is refused. */
  | { url: string; known?: { system: string; timeline: number } | undefined };

/** A read-only connection. */
export interface Reader {
  readonly db: Db;
  close(): Promise<void>;
}

export type Gauge =
  | 'connections'
  | 'connections_idle'
  | 'connections_waiting'
  | 'writes_in_flight'
  | 'searches_in_flight'
  | 'damaged'
  | 'bytes'
  | 'wal_bytes'
  | 'free_bytes';

/** A statement violated a constraint of the schema. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'foreign key';

  constructor(kind: 'unique' | 'foreign key', cause: unknown) {
    super(`${kind} constraint`, { cause });
    this.kind = kind;
  }
}

export interface Engine {
  /** For reads that take well under a millisecond. */
  readonly db: Db;
  /** Runs a read that may take long without blocking the thread that serves requests. */
  search<A, R>(query: Query<A, R>, args: A, options?: CallOptions): Promise<R>;
  /** Runs a command in a transaction. Once it resolves, the write survives a loss of power. */
  write<A, R>(command: Command<A, R>, args: A, options?: WriteOptions): Promise<R>;
  /** Notifications of commits, by this process or another one. */
  readonly notifications: Notifications;
  /** Whether other processes may work on the same data. */
  readonly shared: boolean;
  /** How another process opens the same data to read it. Plain data; it may hold a password. */
  readonly reader: ReaderSpec;
  /** Where the data is, for messages; without a password. */
  readonly location: string;
  /** Throws if a request of this size would fill the disk, where the service can see it. */
  requireSpace(bytes: number): void;
  /** The size of the bank's data. */
  bankBytes(): Promise<number>;
  /** Whether a write would be refused at the moment, because too many wait. */
  isSaturated(): boolean;
  gauges(): Partial<Record<Gauge, number>>;
  /** Rejects when the database is unavailable. */
  ready(): Promise<void>;
  close(): Promise<void>;
}
