/**
 * Scores in the shape in which they are gone through quickly: cases with the same answers are one pattern
 * that counts as often as it occurs, and the answers to four neighbouring items are one block, looked up
 * instead of added up.
 */
import type { Scores } from '../../shared/responses.ts';
import type { Pace } from '../../shared/ticker.ts';
import { sharedFloats, sharedIntegers } from './shared-arrays.ts';

/**
 * How many items make a block: 3⁴ = 81 ways of being asked and answered, few enough for tables of all of
 * them.
 */
export const ITEMS_IN_BLOCK = 4;
const POWERS = [1, 3, 9, 27];
const VALUES = 81;
/** Cases between two looks at the clock. */
const BATCH = 2048;

/**
 * The answers to up to four items, as they occur: those of block b are from starts[b] to before starts[b +
 * 1].
 */
export interface Blocks {
  count: number;
  starts: Uint32Array;
  item: Uint32Array;
  right: Uint32Array;
}

export interface Patterns {
  count: number;
  /** The blocks of pattern p are those from starts[p] to before starts[p + 1]. */
  starts: Uint32Array;
  block: Uint32Array;
  /** How many cases have it. */
  weight: Float64Array;
}

/** Stands for the pattern of a case without scores. */
export const NO_PATTERN = 0xffffffff;

export interface Encoded {
  patterns: Patterns;
  blocks: Blocks;
  /** The pattern of each case. */
  patternOf: Uint32Array;
}

export async function encode(scores: Scores, pace: Pace): Promise<Encoded> {
  const { cases, items, starts, item, right } = scores;
  const numbers = new Int32Array(Math.ceil(items / ITEMS_IN_BLOCK) * VALUES).fill(-1);
  const keys: number[] = [];
  const blockOf = (group: number, value: number) => {
    const key = group * VALUES + value;
    if (numbers[key]! < 0) numbers[key] = keys.push(key) - 1;
    return numbers[key]!;
  };
  const found = distinctLists(cases, await countBlocks(scores, pace));
  const patternOf = new Uint32Array(cases).fill(NO_PATTERN);
  const weight = sharedFloats(cases);
  for (let c = 0; c < cases; c++) {
    if (c % BATCH === 0) await pace.pause();
    if (starts[c] === starts[c + 1]) continue;
    let group = Math.floor(item[starts[c]!]! / ITEMS_IN_BLOCK);
    let value = 0;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const own = Math.floor(item[i]! / ITEMS_IN_BLOCK);
      if (own !== group) {
        found.push(blockOf(group, value));
        group = own;
        value = 0;
      }
      value += POWERS[item[i]! % ITEMS_IN_BLOCK]! * (1 + right[i]!);
    }
    found.push(blockOf(group, value));
    const pattern = found.close();
    patternOf[c] = pattern;
    weight[pattern]!++;
  }
  const patterns = { count: found.count(), starts: found.starts, block: found.values, weight };
  return { patterns, blocks: blocksOf(keys), patternOf };
}

/** How many blocks the cases have together. */
async function countBlocks({ cases, starts, item }: Scores, pace: Pace): Promise<number> {
  let count = 0;
  for (let c = 0; c < cases; c++) {
    if (c % BATCH === 0) await pace.pause();
    let last = -1;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const group = Math.floor(item[i]! / ITEMS_IN_BLOCK);
      if (group !== last) count++;
      last = group;
    }
  }
  return count;
}

function blocksOf(keys: number[]): Blocks {
  const starts = sharedIntegers(keys.length + 1);
  const item: number[] = [];
  const right: number[] = [];
  for (const [block, key] of keys.entries()) {
    const value = key % VALUES;
    for (let place = 0; place < ITEMS_IN_BLOCK; place++) {
      const answer = Math.floor(value / POWERS[place]!) % 3;
      if (answer === 0) continue;
      item.push(Math.floor(key / VALUES) * ITEMS_IN_BLOCK + place);
      right.push(answer - 1);
    }
    starts[block + 1] = item.length;
  }
  return { count: keys.length, starts, item: sharedIntegers(item), right: sharedIntegers(right) };
}

/**
 * Lists of numbers, each kept once: its numbers are pushed, and closing it tells which of the lists it is.
 */
export function distinctLists(most: number, room: number) {
  const starts = sharedIntegers(most + 1);
  const values = sharedIntegers(room);
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2))).fill(-1);
  let count = 0;
  let end = 0;
  const same = (list: number) => {
    const from = starts[list]!;
    const length = end - starts[count]!;
    if (starts[list + 1]! - from !== length) return false;
    for (let i = 0; i < length; i++) if (values[from + i] !== values[starts[count]! + i]) return false;
    return true;
  };
  return {
    starts,
    values,
    count: () => count,
    push(value: number) {
      values[end++] = value;
    },
    close(): number {
      let hash = 0;
      for (let i = starts[count]!; i < end; i++) {
        hash = Math.imul(hash ^ values[i]!, 0x9e3779b1);
        hash ^= hash >>> 15;
      }
      let slot = hash & (slots.length - 1);
      while (slots[slot]! >= 0) {
        if (same(slots[slot]!)) {
          end = starts[count]!;
          return slots[slot]!;
        }
        slot = (slot + 1) & (slots.length - 1);
      }
      slots[slot] = count;
      starts[++count] = end;
      return count - 1;
    },
  };
}
