import type { IndexWriter, Tx } from '../db.ts';
import { Marks } from './marks.ts';

/**
 * Buffers what a transaction changes in the index; the engine writes it once, at the end. SQLite's
 * full-text index flushes all it has buffered at every savepoint, and each command has one.
 */
export class IndexChanges implements IndexWriter {
  readonly marks = new Marks();
  /** The terms of slots that are added. */
  readonly #terms = new Map<number, string>();
  /** Slots whose terms are deleted before those in `#terms` are inserted. */
  readonly #deleted = new Set<number>();

  add(set: string, slot: number): void {
    this.marks.add(set, slot);
  }

  remove(set: string, slot: number): void {
    this.marks.remove(set, slot);
  }

  putTerms(slot: number, terms: string): void {
    this.#terms.set(slot, terms);
  }

  removeTerms(slot: number): void {
    this.#terms.delete(slot);
    this.#deleted.add(slot);
  }

  merge(later: IndexChanges): void {
    this.marks.merge(later.marks);
    for (const slot of later.#deleted) this.removeTerms(slot);
    for (const [slot, terms] of later.#terms) this.#terms.set(slot, terms);
  }

  async writeTerms(tx: Tx): Promise<void> {
    if (this.#deleted.size > 0)
      await tx.run(
        `DELETE FROM search WHERE ${tx.dialect.slotColumn} IN ${tx.dialect.values('$1', 'bigint')}`,
        JSON.stringify([...this.#deleted]),
      );
    if (this.#terms.size > 0) await tx.insertTerms([...this.#terms]);
  }
}
