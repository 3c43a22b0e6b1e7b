/** Changes to sets of slots, before they are written to postings. */
import { offsetInBlock, toBlock } from './slots.ts';

/** The changes to one block of a set, as offsets within the block. */
export interface BlockChange {
  set: string;
  block: number;
  added: number[];
  removed: number[];
}

/**
 * Collects changes by set: a slot where it is added, its negative where it is removed. Adding and
 * removing are summed, so the order in which transactions are read back from the log does not
 * matter.
 */
export class Marks {
  readonly #bySet = new Map<string, number[]>();

  add(set: string, slot: number): void {
    this.#bySet.getOrInsertComputed(set, () => []).push(slot);
  }

  remove(set: string, slot: number): void {
    this.#bySet.getOrInsertComputed(set, () => []).push(-slot);
  }

  merge(others: Marks): void {
    for (const [set, slots] of others.#bySet) {
      const known = this.#bySet.get(set);
      if (known) for (const slot of slots) known.push(slot);
      else this.#bySet.set(set, slots);
    }
  }

  /** The net changes by block. */
  changes(): BlockChange[] {
    const changes: BlockChange[] = [];
    for (const [set, slots] of this.#bySet) {
      const blocks = new Map<number, BlockChange>();
      for (const slot of cancelOpposites(slots)) {
        const block = toBlock(Math.abs(slot));
        const change = blocks.getOrInsertComputed(block, () => ({ set, block, added: [], removed: [] }));
        if (slot > 0) change.added.push(offsetInBlock(slot));
        else change.removed.push(offsetInBlock(-slot));
      }
      changes.push(...blocks.values());
    }
    return changes;
  }
}

function cancelOpposites(slots: number[]): number[] {
  if (slots.every((slot) => slot > 0)) return slots;
  const sums = new Map<number, number>();
  for (const slot of slots) sums.set(Math.abs(slot), (sums.get(Math.abs(slot)) ?? 0) + Math.sign(slot));
  return [...sums].filter(([, sum]) => sum !== 0).map(([slot, sum]) => slot * Math.sign(sum));
}
