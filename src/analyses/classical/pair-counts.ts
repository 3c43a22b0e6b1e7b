/**
 * Counts the joint outcomes of every pair of items: the 2 × 2 tables behind the covariances.
 *
 * Two algorithms give the same counts. `countWithinCases` enumerates the pairs within each case:
 * fast for sparse data. `countByWords` keeps one bit per case and counts 32 cases at a time with
 * popcount: fast for dense data. `countPairs` chooses by estimated cost.
 */
import { popcount } from '../../bits/popcount.ts';
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Scores } from '../shared/responses.ts';

/**
 * Four counts for each pair of items i < j: both wrong, only j right, only i right, both right.
 * Pairs are ordered by i, then j.
 */
export type PairCounts = Uint32Array;

/** Words of 32 cases per block: the bits of a block stay in the processor cache. */
const BLOCK_WORDS = 256;
/** The cost of counting one pair within a case, relative to one word of 32 cases. */
const RELATIVE_PAIR_COST = 2;

/** The number of pairs of k items. */
const countCombinations = (k: number) => (k * (k - 1)) / 2;

/** The index of the first count of the pair i < j. */
export const pairIndex = (i: number, j: number, k: number) => 4 * (i * k - (i * (i + 1)) / 2 + (j - i - 1));

/**
 * Counts over the cases marked in `used` and the items with a non-negative column in
 * `columnByItem`.
 */
export async function countPairs(
  scores: Scores,
  used: Uint8Array,
  columnByItem: Int32Array,
  k: number,
  ticker: Ticker,
): Promise<PairCounts> {
  let cases = 0;
  let pairsWithinCases = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (!used[c]) continue;
    cases++;
    pairsWithinCases += countCombinations(scores.starts[c + 1]! - scores.starts[c]!);
  }
  const wordOperations = 4 * countCombinations(k) * Math.ceil(cases / 32);
  const count = RELATIVE_PAIR_COST * pairsWithinCases < wordOperations ? countWithinCases : countByWords;
  return count(scores, used, columnByItem, k, ticker);
}

async function countWithinCases(
  { cases, starts, item, right }: Scores,
  used: Uint8Array,
  columnByItem: Int32Array,
  k: number,
  ticker: Ticker,
): Promise<PairCounts> {
  const counts = new Uint32Array(4 * countCombinations(k));
  for (let c = 0; c < cases; c++) {
    if (!used[c]) continue;
    if (ticker.due()) await ticker.yield(c / cases);
    const end = starts[c + 1]!;
    for (let a = starts[c]!; a < end; a++) {
      const i = columnByItem[item[a]!]!;
      if (i < 0) continue;
      const base = 2 * right[a]!;
      for (let b = a + 1; b < end; b++) {
        const j = columnByItem[item[b]!]!;
        if (j >= 0) counts[pairIndex(i, j, k) + base + right[b]!]!++;
      }
    }
  }
  return counts;
}

async function countByWords(
  { cases, starts, item, right }: Scores,
  used: Uint8Array,
  columnByItem: Int32Array,
  k: number,
  ticker: Ticker,
): Promise<PairCounts> {
  const counts = new Uint32Array(4 * countCombinations(k));
  const rightBits = new Int32Array(k * BLOCK_WORDS);
  const wrongBits = new Int32Array(k * BLOCK_WORDS);
  for (let c = 0; c < cases; ) {
    rightBits.fill(0);
    wrongBits.fill(0);
    let n = 0;
    for (; c < cases && n < 32 * BLOCK_WORDS; c++) {
      if (!used[c]) continue;
      for (let a = starts[c]!; a < starts[c + 1]!; a++) {
        const i = columnByItem[item[a]!]!;
        if (i >= 0) (right[a] ? rightBits : wrongBits)[i * BLOCK_WORDS + (n >>> 5)]! |= 1 << (n & 31);
      }
      n++;
    }
    for (let i = 0; i < k; i++) {
      if (ticker.due()) await ticker.yield(c / cases);
      addPairsOfItem(counts, rightBits, wrongBits, i, k, Math.ceil(n / 32));
    }
  }
  return counts;
}

/** Adds the counts of one block for the pairs of item i with the items after it. */
function addPairsOfItem(
  counts: PairCounts,
  rightBits: Int32Array,
  wrongBits: Int32Array,
  i: number,
  k: number,
  words: number,
): void {
  const first = i * BLOCK_WORDS;
  let index = pairIndex(i, i + 1, k);
  for (let j = i + 1; j < k; j++, index += 4) {
    const second = j * BLOCK_WORDS;
    let both = 0;
    let onlyFirst = 0;
    let onlySecond = 0;
    let neither = 0;
    for (let w = 0; w < words; w++) {
      const rightFirst = rightBits[first + w]!;
      const wrongFirst = wrongBits[first + w]!;
      const rightSecond = rightBits[second + w]!;
      const wrongSecond = wrongBits[second + w]!;
      both += popcount(rightFirst & rightSecond);
      onlyFirst += popcount(rightFirst & wrongSecond);
      onlySecond += popcount(wrongFirst & rightSecond);
      neither += popcount(wrongFirst & wrongSecond);
    }
    counts[index]! += neither;
    counts[index + 1]! += onlySecond;
    counts[index + 2]! += onlyFirst;
    counts[index + 3]! += both;
  }
}
