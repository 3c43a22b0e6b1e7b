/**
 * What a transaction changes in the index, gathered until its end and written at once. For the words that is not only
 * cheaper: SQLite's full text writes out all it has gathered at every savepoint, and each write has one.
 */
import type { Tx } from '../db.ts';
import { Marks } from './postings.ts';

export class IndexChanges {
  readonly marks = new Marks();
  /** The terms of slots that are new. */
  readonly #terms = new Map<number, string>();
  /** Slots whose terms go; should they have new ones, before those come. */
  readonly #gone = new Set<number>();

  putTerms(slot: number, terms: string): void {
    this.#terms.set(slot, terms);
  }

  removeTerms(slot: number): void {
    this.#terms.delete(slot);
    this.#gone.add(slot);
  }

  merge(later: IndexChanges): void {
    this.marks.merge(later.marks);
    for (const slot of later.#gone) this.removeTerms(slot);
    for (const [slot, terms] of later.#terms) this.#terms.set(slot, terms);
  }

  async writeTerms(tx: Tx): Promise<void> {
    if (this.#gone.size > 0) {
      await tx.run(
        `DELETE FROM search
         WHERE ${tx.dialect.slotColumn} IN (SELECT CAST(value AS bigint) FROM ${tx.dialect.each('$1')})`,
        JSON.stringify([...this.#gone]),
      );
    }
    if (this.#terms.size > 0) await tx.insertTerms([...this.#terms]);
  }
}
