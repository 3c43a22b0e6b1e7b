/** The one connection that writes, in one transaction after the other. */
import { errors } from '../../errors.ts';
import type { Counters, Tx } from '../../store/db.ts';
import { IndexChanges } from '../../store/index/changes.ts';
import { applyMarks } from '../../store/index/postings.ts';
import type { Topic } from '../../store/notifications.ts';
import type { Mode } from '../mode.ts';
import { Connection } from './connection.ts';

/**
 * What the full-text index buffers of a transaction before it writes a segment. With the default of
 * 1 MiB, a batch of 10 MiB writes and merges so many that it takes four times as long.
 */
const TERM_BUFFER_BYTES = 16 * 1024 * 1024;

/**
 * The percentage of deleted entries at which a segment of the full-text index is merged. With the
 * default of 10, a change of all questions rewrites the index several times.
 */
const MAX_DELETED_PERCENT = 50;

const SEARCH_SETTINGS = { hashsize: TERM_BUFFER_BYTES, deletemerge: MAX_DELETED_PERCENT };

export class Writer extends Connection implements Tx {
  index = new IndexChanges();
  readonly #topics = new Set<Topic>();
  readonly #cache = new Map<string, Promise<unknown>>();
  /**
   * The next slot and the last timestamp. Ahead of `bank_state` until the transaction ends; gaps
   * are harmless.
   */
  readonly #next: { slot: number; at: number };
  /** In mode `admin` the service may be running, and only it allocates slots. */
  readonly #allocatesSlots: boolean;

  constructor(path: string, mode: Mode) {
    super(path);
    this.#allocatesSlots = mode !== 'admin';
    const { next_slot, last_at } = this.get<{ next_slot: number; last_at: number }>(
      'SELECT next_slot, last_at FROM bank_state',
    )!;
    this.#next = { slot: next_slot, at: last_at };
    this.#configureSearch();
  }

  /** Runs the work in a transaction, and writes what it changed in the index before the commit. */
  async commit<R>(work: () => Promise<R>): Promise<R> {
    this.#cache.clear();
    this.index = new IndexChanges();
    this.run('BEGIN IMMEDIATE');
    try {
      const result = await work();
      await this.index.writeTerms(this);
      await applyMarks(this, this.index.marks);
      if (this.#allocatesSlots)
        this.run('UPDATE bank_state SET next_slot = $1, last_at = $2', this.#next.slot, this.#next.at);
      this.run('COMMIT');
      return result;
    } catch (error) {
      // Some errors, such as a full disk, have already rolled back.
      if (this.inTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  /**
   * Runs one of several commands of a transaction in a savepoint: if it fails, the others are not
   * affected.
   */
  async attempt<R>(work: () => Promise<R>): Promise<R> {
    const before = this.index;
    this.run('SAVEPOINT command');
    try {
      this.index = new IndexChanges();
      const result = await work();
      this.run('RELEASE command');
      before.merge(this.index);
      return result;
    } catch (error) {
      this.#cache.clear();
      if (this.inTransaction) {
        this.run('ROLLBACK TO command');
        this.run('RELEASE command');
      }
      throw error;
    } finally {
      this.index = before;
    }
  }

  /** The settings are stored in the database. In mode `admin` they are left to the service. */
  #configureSearch(): void {
    if (!this.#allocatesSlots) return;
    for (const [name, value] of Object.entries(SEARCH_SETTINGS)) {
      const stored = this.get<{ v: number }>('SELECT v FROM search_config WHERE k = $1', name);
      if (stored?.v !== value)
        this.run('INSERT INTO search (search, rank) VALUES ($1, CAST($2 AS integer))', name, value);
    }
  }

  /** In the order of slots: the full-text index writes a segment whenever one is lower than the last. */
  insertTerms(rows: [slot: number, terms: string][]): void {
    for (const [slot, terms] of rows.toSorted(([a], [b]) => a - b))
      this.run('INSERT INTO search (rowid, terms) VALUES ($1, $2)', slot, terms);
  }

  notify(topic: Topic): void {
    this.#topics.add(topic);
  }

  /** The topics of notifications since the last call. */
  takeTopics(): Topic[] {
    const topics = [...this.#topics];
    this.#topics.clear();
    return topics;
  }

  cached<R>(key: string, load: () => Promise<R>): Promise<R> {
    return this.#cache.getOrInsertComputed(key, load) as Promise<R>;
  }

  uncache(key: string): void {
    this.#cache.delete(key);
  }

  allocateSlots(n: number): { first: number; at: number } {
    if (!this.#allocatesSlots) throw errors.unavailable('The data folder is in use by a running service.');
    const first = this.#next.slot;
    this.#next.slot += n;
    this.#next.at = Math.max(this.#next.at, Date.now());
    return { first, at: this.#next.at };
  }

  setCounters({ next_slot, last_at, last_event, last_sitting }: Counters): void {
    this.#next.slot = next_slot;
    this.#next.at = last_at;
    this.run(`DELETE FROM sqlite_sequence WHERE name IN ('events', 'sittings')`);
    this.run(
      `INSERT INTO sqlite_sequence (name, seq) VALUES ('events', $1), ('sittings', $2)`,
      last_event,
      last_sitting,
    );
  }

  truncate(tables: readonly string[]): void {
    for (const table of tables)
      this.run(
        table === 'search' ? "INSERT INTO search (search) VALUES ('delete-all')" : `DELETE FROM ${table}`,
      );
  }

  /** Always succeeds, as `tryLock`: one writer runs one transaction at a time. */
  lock(): void {}

  tryLock(): boolean {
    return true;
  }
}
