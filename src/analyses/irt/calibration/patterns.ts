/**
 * Response patterns: the compressed form of the scores that the E-step iterates over. Cases with
 * the same responses are one pattern with a weight. Within a pattern, the responses to four
 * neighbouring items are one block, so that the E-step adds a tabulated log-likelihood per block
 * instead of one per response.
 */

import type { Ticker } from '../../../concurrency/ticker.ts';
import type { Scores } from '../../shared/responses.ts';
import { sharedFloats, sharedIntegers } from './shared-arrays.ts';

/** Each item of a block is not asked, wrong or right: 3⁴ = 81 values, few enough to tabulate. */
export const ITEMS_PER_BLOCK = 4;
const POWERS_OF_3 = [1, 3, 9, 27];
const BLOCK_VALUES = 81;

/**
 * The distinct blocks that occur. The responses of block b are those from starts[b] to before
 * starts[b + 1].
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
  /** Number of cases with the pattern. */
  weight: Float64Array;
}

/** The pattern of a case without scores. */
export const NO_PATTERN = 0xffffffff;

export interface EncodedPatterns {
  patterns: Patterns;
  blocks: Blocks;
  /** The pattern of each case. */
  patternOf: Uint32Array;
}

export async function encodePatterns(scores: Scores, ticker: Ticker): Promise<EncodedPatterns> {
  const { cases, items, starts, item, right } = scores;
  const indices = new Int32Array(Math.ceil(items / ITEMS_PER_BLOCK) * BLOCK_VALUES).fill(-1);
  const keys: number[] = [];
  const internBlock = (group: number, value: number) => {
    const key = group * BLOCK_VALUES + value;
    if (indices[key]! < 0) indices[key] = keys.push(key) - 1;
    return indices[key]!;
  };
  const lists = newListInterner(cases, await countBlocks(scores, ticker));
  const patternOf = new Uint32Array(cases).fill(NO_PATTERN);
  const weight = sharedFloats(cases);
  for (let c = 0; c < cases; c++) {
    if (ticker.due()) await ticker.yield();
    if (starts[c] === starts[c + 1]) continue;
    let group = Math.floor(item[starts[c]!]! / ITEMS_PER_BLOCK);
    let value = 0;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const own = Math.floor(item[i]! / ITEMS_PER_BLOCK);
      if (own !== group) {
        lists.push(internBlock(group, value));
        group = own;
        value = 0;
      }
      value += POWERS_OF_3[item[i]! % ITEMS_PER_BLOCK]! * (1 + right[i]!);
    }
    lists.push(internBlock(group, value));
    const pattern = lists.close();
    patternOf[c] = pattern;
    weight[pattern]!++;
  }
  const patterns = { count: lists.count(), starts: lists.starts, block: lists.values, weight };
  return { patterns, blocks: decodeBlocks(keys), patternOf };
}

/** Total number of blocks over all cases. */
async function countBlocks({ cases, starts, item }: Scores, ticker: Ticker): Promise<number> {
  let count = 0;
  for (let c = 0; c < cases; c++) {
    if (ticker.due()) await ticker.yield();
    let last = -1;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const group = Math.floor(item[i]! / ITEMS_PER_BLOCK);
      if (group !== last) count++;
      last = group;
    }
  }
  return count;
}

function decodeBlocks(keys: number[]): Blocks {
  const starts = sharedIntegers(keys.length + 1);
  const item: number[] = [];
  const right: number[] = [];
  for (const [block, key] of keys.entries()) {
    const value = key % BLOCK_VALUES;
    for (let i = 0; i < ITEMS_PER_BLOCK; i++) {
      const digit = Math.floor(value / POWERS_OF_3[i]!) % 3;
      if (digit === 0) continue;
      item.push(Math.floor(key / BLOCK_VALUES) * ITEMS_PER_BLOCK + i);
      right.push(digit - 1);
    }
    starts[block + 1] = item.length;
  }
  return { count: keys.length, starts, item: sharedIntegers(item), right: sharedIntegers(right) };
}

/**
 * Interns lists of integers in shared memory, by a hash table with linear probing: push the values
 * of a list, then `close` returns the index of the list, the same for equal lists.
 */
export function newListInterner(maxLists: number, maxValues: number) {
  const starts = sharedIntegers(maxLists + 1);
  const values = sharedIntegers(maxValues);
  const table = new Int32Array(2 ** Math.ceil(Math.log2(2 * maxLists + 2))).fill(-1);
  let count = 0;
  let end = 0;
  const equalsOpenList = (list: number) => {
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
      let slot = hash & (table.length - 1);
      while (table[slot]! >= 0) {
        if (equalsOpenList(table[slot]!)) {
          end = starts[count]!;
          return table[slot]!;
        }
        slot = (slot + 1) & (table.length - 1);
      }
      table[slot] = count;
      starts[++count] = end;
      return count - 1;
    },
  };
}
