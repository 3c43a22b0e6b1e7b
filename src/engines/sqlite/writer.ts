/** The one connection that writes, within one transaction after the other. */
import { errors } from '../../errors.ts';
import type { Counters, Tx } from '../../store/db.ts';
import { IndexChanges } from '../../store/index/changes.ts';
import { applyMarks } from '../../store/index/postings.ts';
import type { Topic } from '../../store/notifications.ts';
import { Connection } from './connection.ts';

export class Writer extends Connection implements Tx {
  index = new IndexChanges();
  /** What the transaction, and what came before it, is news of; whoever passes it on empties it. */
  readonly announced = new Set<Topic>();
  readonly #cache = new Map<string, Promise<unknown>>();
  /** Where allocatesSlots stand. They run ahead of the bank_state until the transaction's end; a gap does no harm. */
  readonly #next: { slot: number; at: number };
  /** Whether this process gives them out: another one may, and then this one must not. */
  readonly #allocatesSlots: boolean;

  constructor(path: string, allocatesSlots: boolean) {
    super(path);
    this.#allocatesSlots = allocatesSlots;
    const { next_slot, last_at } = this.get<{ next_slot: number; last_at: number }>(
      'SELECT next_slot, last_at FROM bank_state',
    )!;
    this.#next = { slot: next_slot, at: last_at };
  }

  /** Runs the work within a transaction, and with it whatever it changed in the index. */
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
      // Some faults, a full disk among them, have rolled the transaction back already.
      if (this.inTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  /** One of several in a transaction: if it fails, nothing of it is left, and the others go on. */
  async attempt<R>(work: () => Promise<R>): Promise<R> {
    const before = this.index;
    this.run('SAVEPOINT one');
    try {
      this.index = new IndexChanges();
      const result = await work();
      this.run('RELEASE one');
      before.merge(this.index);
      return result;
    } catch (error) {
      this.#cache.clear();
      if (this.inTransaction) {
        this.run('ROLLBACK TO one');
        this.run('RELEASE one');
      }
      throw error;
    } finally {
      this.index = before;
    }
  }

  insertTerms(rows: [slot: number, terms: string][]): void {
    for (const [slot, terms] of rows)
      this.run('INSERT INTO search (rowid, terms) VALUES ($1, $2)', slot, terms);
  }

  notify(topic: Topic): void {
    this.announced.add(topic);
  }

  cached<R>(key: string, load: () => Promise<R>): Promise<R> {
    return this.#cache.getOrInsertComputed(key, load) as Promise<R>;
  }

  forget(key: string): void {
    this.#cache.delete(key);
  }

  allocateSlots(n: number): { first: number; at: number } {
    if (!this.#allocatesSlots) throw errors.unavailable('The data folder is in use by another process.');
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

  /** There is one writer, and it does one thing at a time. */
  tryLock(): boolean {
    return true;
  }
}
