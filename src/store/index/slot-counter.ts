import { popcount } from '../../bits/popcount.ts';
import { offsetInBlock, type SlotSet, toBitmap, toBlock } from './slots.ts';

/** Counts the members that sets have in common with one set, without building intersections. */
export class SlotCounter {
  readonly slots: SlotSet;
  readonly #bitmaps: Map<number, Uint32Array>;

  constructor(slots: SlotSet) {
    this.slots = slots;
    this.#bitmaps = new Map(slots.blocks.map((block) => [block.block, toBitmap(block)]));
  }

  count(set: SlotSet): number {
    let n = 0;
    for (const block of set.blocks) {
      const mine = this.#bitmaps.get(block.block);
      if (!mine) continue;
      const words = toBitmap(block);
      for (let i = 0; i < words.length; i++) n += popcount(words[i]! & mine[i]!);
    }
    return n;
  }

  /** Counts members of a sorted list of slots. */
  countSlots(slots: Uint32Array): number {
    let n = 0;
    let block = -1;
    let bitmap: Uint32Array | undefined;
    for (let i = 0; i < slots.length; i++) {
      const number = toBlock(slots[i]!);
      if (number !== block) {
        block = number;
        bitmap = this.#bitmaps.get(number);
      }
      const offset = offsetInBlock(slots[i]!);
      if (bitmap) n += (bitmap[offset >>> 5]! >>> (offset & 31)) & 1;
    }
    return n;
  }

  has(slot: number): boolean {
    const bitmap = this.#bitmaps.get(toBlock(slot));
    const offset = offsetInBlock(slot);
    return bitmap !== undefined && (bitmap[offset >>> 5]! & (1 << (offset & 31))) !== 0;
  }
}
