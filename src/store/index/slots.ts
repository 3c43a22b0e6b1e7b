/**
 * Sets of slots in blocks of 8,192, after Roaring bitmaps (Chambi et al., 2016). The members of a
 * block are bytes: up to 511 of them an array of sorted 16-bit offsets, more a bitmap of 1,024
 * bytes. Both are little-endian, on disk and in memory.
 */
import { popcount } from '../../bits/popcount.ts';

export const BLOCK_BITS = 13;
const BLOCK_SIZE = 1 << BLOCK_BITS;
export const BITMAP_WORDS = BLOCK_SIZE / 32;
/** From 512 members on, the bitmap is no larger than the array. */
const MAX_ARRAY_MEMBERS = 511;
/** The size of a block in memory besides its members. */
const BLOCK_OVERHEAD_BYTES = 100;

export interface Block {
  block: number;
  n: number;
  members: Uint8Array;
}

export const toBlock = (slot: number) => Math.floor(slot / BLOCK_SIZE);
export const offsetInBlock = (slot: number) => slot % BLOCK_SIZE;
export const toSlot = (block: number, offset: number) => block * BLOCK_SIZE + offset;

export function toBitmap({ n, members }: Block): Uint32Array {
  const words = new Uint32Array(BITMAP_WORDS);
  if (n > MAX_ARRAY_MEMBERS) new Uint8Array(words.buffer).set(members);
  else addOffsets(words, members);
  return words;
}

function addOffsets(words: Uint32Array, members: Uint8Array): void {
  for (let i = 0; i < members.length; i += 2) {
    const offset = members[i]! | (members[i + 1]! << 8);
    words[offset >>> 5]! |= 1 << (offset & 31);
  }
}

/** Adds the members of a block to a bitmap. */
export function addToBitmap(words: Uint32Array, block: Block): void {
  if (block.n > MAX_ARRAY_MEMBERS) {
    const others = toBitmap(block);
    for (let i = 0; i < BITMAP_WORDS; i++) words[i]! |= others[i]!;
  } else addOffsets(words, block.members);
}

export function fromBitmap(block: number, words: Uint32Array): Block {
  let n = 0;
  for (let i = 0; i < BITMAP_WORDS; i++) n += popcount(words[i]!);
  if (n > MAX_ARRAY_MEMBERS) return { block, n, members: new Uint8Array(words.buffer) };
  const members = new Uint8Array(2 * n);
  let at = 0;
  for (let i = 0; i < BITMAP_WORDS; i++) {
    for (let word = words[i]!; word !== 0; word &= word - 1) {
      const offset = (i << 5) + 31 - Math.clz32(word & -word);
      members[at++] = offset & 255;
      members[at++] = offset >>> 8;
    }
  }
  return { block, n, members };
}

export function changeBlock(before: Block, added: number[], removed: number[]): Block {
  return appendMembers(before, added, removed) ?? rebuildBlock(before, added, removed);
}

/**
 * The common case: new slots are the highest yet, and an array that stays an array grows at its
 * end.
 */
function appendMembers({ block, n, members }: Block, added: number[], removed: number[]): Block | undefined {
  if (removed.length > 0 || n + added.length > MAX_ARRAY_MEMBERS) return undefined;
  let last = n === 0 ? -1 : members[2 * n - 2]! | (members[2 * n - 1]! << 8);
  for (const offset of added) {
    if (offset <= last) return undefined;
    last = offset;
  }
  const longer = new Uint8Array(2 * (n + added.length));
  longer.set(members);
  longer.set(packOffsets(added), 2 * n);
  return { block, n: n + added.length, members: longer };
}

function rebuildBlock(before: Block, added: number[], removed: number[]): Block {
  const words = toBitmap(before);
  for (const offset of removed) words[offset >>> 5]! &= ~(1 << (offset & 31));
  for (const offset of added) words[offset >>> 5]! |= 1 << (offset & 31);
  return fromBitmap(before.block, words);
}

export const packOffsets = (offsets: number[]) => new Uint8Array(Uint16Array.from(offsets).buffer);
export const unpackOffsets = (bytes: Uint8Array) => {
  const offsets: number[] = [];
  for (let i = 0; i < bytes.length; i += 2) offsets.push(bytes[i]! | (bytes[i + 1]! << 8));
  return offsets;
};

/** A set of slots in ascending blocks, with rank and select. */
export class SlotSet {
  readonly #blocks: Block[];
  /** Prefix sums: the members before each block, and at the end the total. */
  readonly #before: Float64Array;

  constructor(blocks: Block[]) {
    this.#blocks = blocks;
    this.#before = new Float64Array(blocks.length + 1);
    for (let i = 0; i < blocks.length; i++) this.#before[i + 1] = this.#before[i]! + blocks[i]!.n;
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get total(): number {
    return this.#before[this.#blocks.length]!;
  }

  /** An estimate of its size in memory. */
  get bytes(): number {
    return this.#blocks.reduce((sum, { members }) => sum + members.length + BLOCK_OVERHEAD_BYTES, 0);
  }

  /** Select: the `limit` members from the `offset`-th on, ascending. */
  slice(offset: number, limit: number): number[] {
    const slots: number[] = [];
    const end = Math.min(offset + limit, this.total);
    if (offset >= end) return slots;
    for (let i = this.#blockAt(offset); slots.length < end - offset; i++) {
      const skip = Math.max(0, offset - this.#before[i]!);
      collect(this.#blocks[i]!, skip, end - offset, slots);
    }
    return slots;
  }

  /** Select: the members of these ranks, in the order of the ranks. */
  at(ranks: readonly number[]): number[] {
    const slots = new Array<number>(ranks.length);
    const order = ranks.map((_, i) => i).sort((a, b) => ranks[a]! - ranks[b]!);
    let block = -1;
    let words: Uint32Array = new Uint32Array();
    let word = 0;
    let before = 0;
    for (const i of order) {
      const rank = ranks[i]!;
      if (block < 0 || rank >= this.#before[block + 1]!) {
        block = this.#blockAt(rank);
        words = toBitmap(this.#blocks[block]!);
        word = 0;
        before = this.#before[block]!;
      }
      for (let n = popcount(words[word]!); before + n <= rank; n = popcount(words[word]!)) {
        before += n;
        word++;
      }
      let bits = words[word]!;
      for (let skip = rank - before; skip > 0; skip--) bits &= bits - 1;
      const offset = (word << 5) + 31 - Math.clz32(bits & -bits);
      slots[i] = toSlot(this.#blocks[block]!.block, offset);
    }
    return slots;
  }

  /** The number of members smaller than the slot. */
  rank(slot: number): number {
    const block = toBlock(slot);
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.block < block) low = middle + 1;
      else high = middle;
    }
    const found = this.#blocks[low];
    if (!found || found.block !== block) return this.#before[low]!;
    const offset = offsetInBlock(slot);
    const words = toBitmap(found);
    let n = this.#before[low]!;
    for (let i = 0; i < offset >>> 5; i++) n += popcount(words[i]!);
    return n + popcount(words[offset >>> 5]! & ((1 << (offset & 31)) - 1));
  }

  /** The members that are at least `slot`. */
  from(slot: number): SlotSet {
    const block = toBlock(slot);
    return new SlotSet(
      this.#blocks.flatMap((each) => {
        if (each.block !== block) return each.block > block ? [each] : [];
        const words = toBitmap(each);
        for (let offset = 0; offset < offsetInBlock(slot); offset++)
          words[offset >>> 5]! &= ~(1 << (offset & 31));
        return [fromBitmap(block, words)];
      }),
    );
  }

  /** The members in some blocks. */
  within(blocks: ReadonlySet<number>): SlotSet {
    return new SlotSet(this.#blocks.filter(({ block }) => blocks.has(block)));
  }

  /** Tests membership in constant time. */
  tester(): (slot: number) => boolean {
    const bitmaps = new Map(this.#blocks.map((block) => [block.block, toBitmap(block)]));
    return (slot) => {
      const offset = offsetInBlock(slot);
      const words = bitmaps.get(toBlock(slot));
      return words !== undefined && (words[offset >>> 5]! & (1 << (offset & 31))) !== 0;
    };
  }

  /** The numbers from 0 to before `n`. */
  static range(n: number): SlotSet {
    const blocks = Array.from({ length: Math.ceil(n / BLOCK_SIZE) }, (_, block) => {
      const words = new Uint32Array(BITMAP_WORDS).fill(0xffff_ffff);
      for (let offset = n - block * BLOCK_SIZE; offset < BLOCK_SIZE; offset++)
        words[offset >>> 5]! &= ~(1 << (offset & 31));
      return fromBitmap(block, words);
    });
    return new SlotSet(blocks);
  }

  static intersection(sets: SlotSet[]): SlotSet {
    const [first, ...others] = [...sets].sort((a, b) => a.#blocks.length - b.#blocks.length);
    if (!first || others.length === 0) return first ?? new SlotSet([]);
    const byNumber = others.map((set) => new Map(set.#blocks.map((each) => [each.block, each])));
    const shared: Block[] = [];
    for (const each of first.#blocks) {
      const peers = byNumber.map((blocks) => blocks.get(each.block));
      if (peers.includes(undefined)) continue;
      const words = toBitmap(each);
      for (const peer of peers) {
        const other = toBitmap(peer!);
        for (let i = 0; i < BITMAP_WORDS; i++) words[i]! &= other[i]!;
      }
      const block = fromBitmap(each.block, words);
      if (block.n > 0) shared.push(block);
    }
    return new SlotSet(shared);
  }

  static difference(a: SlotSet, b: SlotSet): SlotSet {
    if (b.total === 0) return a;
    const taken = new Map(b.#blocks.map((each) => [each.block, each]));
    return new SlotSet(
      a.#blocks.flatMap((each) => {
        const other = taken.get(each.block);
        if (!other) return [each];
        const words = toBitmap(each);
        const others = toBitmap(other);
        for (let i = 0; i < BITMAP_WORDS; i++) words[i]! &= ~others[i]!;
        const block = fromBitmap(each.block, words);
        return block.n > 0 ? [block] : [];
      }),
    );
  }

  static union(a: SlotSet, b: SlotSet): SlotSet {
    if (b.total === 0) return a;
    const blocks = new Map(a.#blocks.map((each) => [each.block, each]));
    for (const each of b.#blocks) {
      const other = blocks.get(each.block);
      if (!other) {
        blocks.set(each.block, each);
        continue;
      }
      const words = toBitmap(each);
      const others = toBitmap(other);
      for (let i = 0; i < BITMAP_WORDS; i++) words[i]! |= others[i]!;
      blocks.set(each.block, fromBitmap(each.block, words));
    }
    return new SlotSet([...blocks.values()].sort((x, y) => x.block - y.block));
  }

  static of(slots: number[]): SlotSet {
    const offsets = new Map<number, number[]>();
    for (const slot of slots) {
      offsets.getOrInsertComputed(toBlock(slot), () => []).push(offsetInBlock(slot));
    }
    const blocks = [...offsets].sort(([a], [b]) => a - b);
    return new SlotSet(
      blocks.map(([block, added]) => changeBlock({ block, n: 0, members: new Uint8Array() }, added, [])),
    );
  }

  #blockAt(offset: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#before[middle + 1]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Appends the block's members from the `skip`-th on to `slots`, until it holds `limit`. */
function collect({ block, n, members }: Block, skip: number, limit: number, slots: number[]): void {
  const base = block * BLOCK_SIZE;
  if (n <= MAX_ARRAY_MEMBERS) {
    for (let i = 2 * skip; i < members.length && slots.length < limit; i += 2) {
      slots.push(base + (members[i]! | (members[i + 1]! << 8)));
    }
    return;
  }
  const words = toBitmap({ block, n, members });
  let left = skip;
  for (let i = 0; i < BITMAP_WORDS && slots.length < limit; i++) {
    let word = words[i]!;
    const count = popcount(word);
    if (left >= count) {
      left -= count;
      continue;
    }
    for (; word !== 0 && slots.length < limit; word &= word - 1) {
      if (left > 0) left--;
      else slots.push(base + (i << 5) + 31 - Math.clz32(word & -word));
    }
  }
}
