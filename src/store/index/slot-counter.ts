import { popcount } from '../../bits/popcount.ts';
import { BITMAP_WORDS, BLOCK_BITS, offsetInBlock, type SlotSet, toBitmap, toBlock } from './slots.ts';

/** Counts the members that sets have in common with one set, without building intersections. */
export class SlotCounter {
  readonly slots: SlotSet;
  /** By block. An array: members of small sets are in a block each, so that it is looked up for each. */
  readonly #bitmaps: (Uint32Array | undefined)[];

  constructor(slots: SlotSet) {
    this.slots = slots;
    this.#bitmaps = new Array((slots.blocks.at(-1)?.block ?? -1) + 1).fill(undefined);
    for (const block of slots.blocks) this.#bitmaps[block.block] = toBitmap(block);
  }

  count(set: SlotSet): number {
    let n = 0;
    for (const block of set.blocks) {
      const mine = this.#bitmaps[block.block];
      if (!mine) continue;
      const words = toBitmap(block);
      for (let i = 0; i < words.length; i++) n += popcount(words[i]! & mine[i]!);
    }
    return n;
  }

  /** Counts members of a list of slots. */
  countSlots(slots: Uint32Array): number {
    const bitmaps = this.#bitmaps;
    let n = 0;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      const bitmap = bitmaps[slot >>> BLOCK_BITS];
      if (bitmap) n += (bitmap[(slot >>> 5) & (BITMAP_WORDS - 1)]! >>> (slot & 31)) & 1;
    }
    return n;
  }

  has(slot: number): boolean {
    const bitmap = this.#bitmaps[toBlock(slot)];
    const offset = offsetInBlock(slot);
    return bitmap !== undefined && (bitmap[offset >>> 5]! & (1 << (offset & 31))) !== 0;
  }
}
