/**
 * What a query may ask of an engine. Store functions take a `Db` first; a transaction is a `Db` too, so the same
 * function serves inside and outside of one. Queries are plain SQL with `$n` parameters, written once: what the
 * engines do differently is the `Dialect`, and nothing else.
 */
import type { IndexChanges } from './index/changes.ts';
import type { LruCache } from './index/positions.ts';
import type { Notifications, Topic } from './notifications.ts';

export type Value = string | number | null | Uint8Array;
/** Text on its way to the network: as a string, or as its bytes in UTF-8 where an engine gives those for less. */
export type Utf8 = string | Uint8Array;
export type Row = Record<string, Value>;
type Awaitable<T> = T | Promise<T>;

export interface Db {
  readonly dialect: Dialect;
  /** What this process remembers of the index; see positions.ts. */
  readonly cache: LruCache;
  /** Another number whenever anything was written, by whomever; nothing where asking would cost as much as reading. */
  version(): number | undefined;
  all<R = Row>(sql: string, ...params: Value[]): Awaitable<R[]>;
  get<R = Row>(sql: string, ...params: Value[]): Awaitable<R | undefined>;
  /** Several reads of one consistent state. */
  snapshot<R>(work: (db: Db) => Promise<R>): Promise<R>;
}

export interface Tx extends Db {
  /** What this transaction changes in the index; the engine writes it at its end. */
  readonly index: IndexChanges;
  /** Loaded once in a transaction, for as long as nobody changes it. */
  cached<R>(key: string, load: () => Promise<R>): Promise<R>;
  forget(key: string): void;
  /** Runs a statement and tells how many rows it changed. */
  run(sql: string, ...params: Value[]): Awaitable<number>;
  insert(into: Table, rows: Value[][]): Awaitable<void>;
  /** Indexes the words of questions: `[slot, terms]`, the terms separated by spaces. */
  insertTerms(rows: [slot: number, terms: string][]): Awaitable<void>;
  /**
   * The next `n` slots in the order of all writes, and the moment they were given out. Moments never run against
   * slots, whatever the clocks do, so that the order of slots is the order of time.
   */
  allocateSlots(n: number): Awaitable<{ first: number; at: number }>;
  /** Tells that there is something new, once it is committed. */
  notify(topic: Topic): void;
  /** Whether this transaction now holds the named lock; false if another one does. */
  tryLock(name: string): Awaitable<boolean>;
  /** Goes on from the numbers that another bank has reached. */
  setCounters(counters: Counters): Awaitable<void>;
}

/** The numbers a bank has reached; none is given out twice, also if what had it is gone. */
export interface Counters {
  next_slot: number;
  /** The last moment; see `Tx.ticket`. */
  last_at: number;
  last_event: number;
  last_sitting: number;
}

/** Where rows are inserted: column names with the types that PostgreSQL's arrays need. */
export interface Table {
  name: string;
  columns: Record<string, 'bigint' | 'integer' | 'text' | 'uuid' | 'bytea'>;
  /** What to do about rows that are there already. */
  onConflict?: string;
}

export interface Dialect {
  /** A JSON array parameter as rows with one column, `value`. */
  each(param: string): string;
  /** An expression of type text, as whatever is cheapest to send on. */
  utf8(expression: string): string;
  /** An expression of type text as what ids are stored as. */
  id(expression: string): string;
  /** The database's clock in milliseconds: the same for every process, unlike their own. */
  readonly now: string;
  /** Keeps the row until the transaction ends; SQLite has one writer and needs no word for it. */
  readonly forUpdate: string;
  /** The same, but passes over rows that somebody else keeps. */
  readonly skipLocked: string;
  /** The condition that no event can come any more before those that satisfy it. */
  readonly settled: string;
  /** The condition that the number of an event's transaction is one that has been given out here. */
  readonly reached: string;
  /** A query for the `Counters`. */
  readonly counters: string;
  /** The table of indexed words: its slot column, and the condition that a parameter matches. */
  readonly slotColumn: string;
  matches(param: string): string;
  /** The expression for what `matches` compares with. */
  matchExpression(terms: MatchTerms): string;
}

/** All of `all`, each a choice of terms (a term with `*` is a beginning), and none of `none`; neither is empty. */
export interface MatchTerms {
  all: string[][];
  none: string[];
}

/** What is swept away at once; a sweep goes on while it finds as many. */
export const CLEANUP_BATCH_SIZE = 5000;

/** A write: plain data in, plain data out, so that it can run in another thread. Registered in commands.ts. */
export type Command<A, R> = (tx: Tx, args: A) => Promise<R>;

/** The guard of an Idempotency-Key: who used it where, and for what. */
export interface IdempotencyKey {
  scope: string;
  key: string;
  fingerprint: string;
}

export type ReaderSpec = { path: string } | { url: string };

/** A connection that only reads. */
export interface Reader {
  readonly db: Db;
  close(): Promise<void>;
}

/** What can be told of an engine by a number: what is in use, and what waits. */
export type Gauge =
  | 'connections'
  | 'connections_idle'
  | 'connections_waiting'
  | 'writes_in_flight'
  | 'searches_in_flight';

export interface Engine {
  /** For reads that cost next to nothing. */
  readonly db: Db;
  /** For reads that may take long: they never hold up the thread that serves requests. */
  search<A, R>(work: (db: Db, args: A) => Promise<R>, args: A): Promise<R>;
  /** Runs a command in a transaction. When it resolves, the write survives the loss of power. */
  write<A, R>(command: Command<A, R>, args: A, once?: IdempotencyKey): Promise<R>;
  /** What is new, by this process or another one. */
  readonly notifications: Notifications;
  /** Whether other processes may be at work on the same data. */
  readonly shared: boolean;
  /** With what another process opens the same data to read it. Plain data; it may hold a password. */
  readonly reader: ReaderSpec;
  /** Where the data is, for people. */
  readonly location: string;
  /** How it stands at this moment, as far as there is something to tell. */
  gauges(): Partial<Record<Gauge, number>>;
  /** Rejects when the database does not answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A statement broke a constraint of the schema. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'foreign key';

  constructor(kind: 'unique' | 'foreign key', cause: unknown) {
    super(`${kind} constraint`, { cause });
    this.kind = kind;
  }
}
