import { fromBitmap, offsetInBlock, SlotSet, toBitmap } from './slots.ts';

/** A block of slots as a bitmap, in which SQL can look up a single slot by `substr`. */
export interface BitmapBlock {
  block: number;
  members: Uint8Array;
}

export const toBitmapBlocks = (slots: SlotSet): BitmapBlock[] =>
  slots.blocks.map((block) => ({
    block: block.block,
    members: new Uint8Array(toBitmap(block).buffer),
  }));

export const fromBitmapBlocks = (blocks: BitmapBlock[]): SlotSet =>
  new SlotSet(
    blocks.map(({ block, members }) => fromBitmap(block, new Uint32Array(Uint8Array.from(members).buffer))),
  );

/** The byte of a bitmap that holds the slot's bit, counted from 1 as in SQL. */
export const bytePosition = (slot: number) => (offsetInBlock(slot) >>> 3) + 1;

export const hasBit = (byte: Uint8Array, slot: number) => (byte[0]! & (1 << (offsetInBlock(slot) & 7))) !== 0;
