/**
 * Sets of slots, cut into blocks of 8,192. A block's members are kept as bytes: up to 511 of them as sorted 16-bit
 * numbers, more as a bitmap of 1,024 bytes. Both forms are little-endian, on disk and in memory.
 */
const BLOCK_BITS = 13;
const BLOCK_SIZE = 1 << BLOCK_BITS;
const WORDS = BLOCK_SIZE / 32;
const MOST_LISTED = 511;

export interface Block {
  block: number;
  n: number;
  members: Uint8Array;
}

export const blockOf = (slot: number) => Math.floor(slot / BLOCK_SIZE);
export const placeOf = (slot: number) => slot % BLOCK_SIZE;
export const slotAt = (block: number, place: number) => block * BLOCK_SIZE + place;

function popcount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

export function bitmapOf({ n, members }: Block): Uint32Array {
  const words = new Uint32Array(WORDS);
  if (n > MOST_LISTED) {
    new Uint8Array(words.buffer).set(members);
  } else {
    for (let i = 0; i < members.length; i += 2) {
      const place = members[i]! | (members[i + 1]! << 8);
      words[place >>> 5]! |= 1 << (place & 31);
    }
  }
  return words;
}

export function blockFrom(block: number, words: Uint32Array): Block {
  let n = 0;
  for (let i = 0; i < WORDS; i++) n += popcount(words[i]!);
  if (n > MOST_LISTED) return { block, n, members: new Uint8Array(words.buffer) };
  const members = new Uint8Array(2 * n);
  let at = 0;
  for (let i = 0; i < WORDS; i++) {
    for (let word = words[i]!; word !== 0; word &= word - 1) {
      const place = (i << 5) + 31 - Math.clz32(word & -word);
      members[at++] = place & 255;
      members[at++] = place >>> 8;
    }
  }
  return { block, n, members };
}

/** The block with places added and taken away. */
export function changed(before: Block, added: number[], removed: number[]): Block {
  return appended(before, added, removed) ?? rebuilt(before, added, removed);
}

/** New slots are mostly the highest yet: a list that stays one needs them only at its end. */
function appended({ block, n, members }: Block, added: number[], removed: number[]): Block | undefined {
  if (removed.length > 0 || n + added.length > MOST_LISTED) return undefined;
  let last = n === 0 ? -1 : members[2 * n - 2]! | (members[2 * n - 1]! << 8);
  for (const place of added) {
    if (place <= last) return undefined;
    last = place;
  }
  const longer = new Uint8Array(2 * (n + added.length));
  longer.set(members);
  longer.set(packPlaces(added), 2 * n);
  return { block, n: n + added.length, members: longer };
}

function rebuilt(before: Block, added: number[], removed: number[]): Block {
  const words = bitmapOf(before);
  for (const place of removed) words[place >>> 5]! &= ~(1 << (place & 31));
  for (const place of added) words[place >>> 5]! |= 1 << (place & 31);
  return blockFrom(before.block, words);
}

export const packPlaces = (places: number[]) => new Uint8Array(Uint16Array.from(places).buffer);
export const unpackPlaces = (bytes: Uint8Array) => {
  const places: number[] = [];
  for (let i = 0; i < bytes.length; i += 2) places.push(bytes[i]! | (bytes[i + 1]! << 8));
  return places;
};

/** A set of slots in ascending blocks: how many there are, which is the k-th, and how many come before one. */
export class SlotSet {
  readonly #blocks: Block[];
  /** Members before each block, and after the last of them the total. */
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

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#blocks.reduce((sum, { members }) => sum + members.length + 100, 0);
  }

  /** The `limit` members from the `offset`-th on, ascending. */
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

  /** How many members are smaller than the slot. */
  rank(slot: number): number {
    const block = blockOf(slot);
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.block < block) low = middle + 1;
      else high = middle;
    }
    const found = this.#blocks[low];
    if (!found || found.block !== block) return this.#before[low]!;
    const place = placeOf(slot);
    const words = bitmapOf(found);
    let n = this.#before[low]!;
    for (let i = 0; i < place >>> 5; i++) n += popcount(words[i]!);
    return n + popcount(words[place >>> 5]! & ((1 << (place & 31)) - 1));
  }

  /** The members that are at least `slot`. */
  from(slot: number): SlotSet {
    const block = blockOf(slot);
    return new SlotSet(
      this.#blocks.flatMap((each) => {
        if (each.block !== block) return each.block > block ? [each] : [];
        const words = bitmapOf(each);
        for (let place = 0; place < placeOf(slot); place++) words[place >>> 5]! &= ~(1 << (place & 31));
        return [blockFrom(block, words)];
      }),
    );
  }

  /** What all the sets share. */
  static intersection(sets: SlotSet[]): SlotSet {
    const [first, ...others] = [...sets].sort((a, b) => a.#blocks.length - b.#blocks.length);
    if (!first || others.length === 0) return first ?? new SlotSet([]);
    const byNumber = others.map((set) => new Map(set.#blocks.map((each) => [each.block, each])));
    const shared: Block[] = [];
    for (const each of first.#blocks) {
      const peers = byNumber.map((blocks) => blocks.get(each.block));
      if (peers.includes(undefined)) continue;
      const words = bitmapOf(each);
      for (const peer of peers) {
        const other = bitmapOf(peer!);
        for (let i = 0; i < WORDS; i++) words[i]! &= other[i]!;
      }
      const block = blockFrom(each.block, words);
      if (block.n > 0) shared.push(block);
    }
    return new SlotSet(shared);
  }

  /** What is in the first set and not in the second. */
  static difference(a: SlotSet, b: SlotSet): SlotSet {
    if (b.total === 0) return a;
    const taken = new Map(b.#blocks.map((each) => [each.block, each]));
    return new SlotSet(
      a.#blocks.flatMap((each) => {
        const other = taken.get(each.block);
        if (!other) return [each];
        const words = bitmapOf(each);
        const others = bitmapOf(other);
        for (let i = 0; i < WORDS; i++) words[i]! &= ~others[i]!;
        const block = blockFrom(each.block, words);
        return block.n > 0 ? [block] : [];
      }),
    );
  }

  /** What is in either set. */
  static union(a: SlotSet, b: SlotSet): SlotSet {
    if (b.total === 0) return a;
    const blocks = new Map(a.#blocks.map((each) => [each.block, each]));
    for (const each of b.#blocks) {
      const other = blocks.get(each.block);
      if (!other) {
        blocks.set(each.block, each);
        continue;
      }
      const words = bitmapOf(each);
      const others = bitmapOf(other);
      for (let i = 0; i < WORDS; i++) words[i]! |= others[i]!;
      blocks.set(each.block, blockFrom(each.block, words));
    }
    return new SlotSet([...blocks.values()].sort((x, y) => x.block - y.block));
  }

  static of(slots: number[]): SlotSet {
    const places = new Map<number, number[]>();
    for (const slot of slots) {
      places.getOrInsertComputed(blockOf(slot), () => []).push(placeOf(slot));
    }
    const blocks = [...places].sort(([a], [b]) => a - b);
    return new SlotSet(
      blocks.map(([block, added]) => changed({ block, n: 0, members: new Uint8Array() }, added, [])),
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

/** Adds the block's members from the `skip`-th on to `slots`, until there are `most`. */
function collect({ block, n, members }: Block, skip: number, most: number, slots: number[]): void {
  const base = block * BLOCK_SIZE;
  if (n <= MOST_LISTED) {
    for (let i = 2 * skip; i < members.length && slots.length < most; i += 2) {
      slots.push(base + (members[i]! | (members[i + 1]! << 8)));
    }
    return;
  }
  const words = bitmapOf({ block, n, members });
  let left = skip;
  for (let i = 0; i < WORDS && slots.length < most; i++) {
    let word = words[i]!;
    const count = popcount(word);
    if (left >= count) {
      left -= count;
      continue;
    }
    for (; word !== 0 && slots.length < most; word &= word - 1) {
      if (left > 0) left--;
      else slots.push(base + (i << 5) + 31 - Math.clz32(word & -word));
    }
  }
}
