/**
 * The item covariance matrix: from complete cases (listwise deletion), or pairwise where too few
 * are complete.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Scores } from '../shared/responses.ts';
import { countPairs, type PairCounts, pairIndex } from './pair-counts.ts';
import type { Totals } from './totals.ts';

/** Time and memory grow with the square; no single test has as many items. */
const MAX_ITEMS = 1000;
/**
 * With at least this share of complete cases the others are dropped (listwise); with fewer,
 * pairwise.
 */
const MIN_COMPLETE_SHARE = 0.8;

export const METHODS = ['all_cases', 'listwise', 'pairwise'] as const;

export interface Covariances {
  method: (typeof METHODS)[number];
  /** The number of cases used. */
  cases: number;
  /** By case: 1 if used. */
  used: Uint8Array;
  /** The items that vary, by index: the rows and columns of the matrix. */
  items: Uint32Array;
  /** The items without variance. They are not in the matrix. */
  constant: Uint32Array;
  /** The facility of each item of the matrix. */
  facilities: Float64Array;
  /** Row-major. */
  matrix: Float64Array;
  /** The smallest number of cases that two items share. */
  minShared: number;
}

/** Returns the covariances, or the reason why they cannot be computed. */
export async function computeCovariances(
  scores: Scores,
  totals: Totals,
  ticker: Ticker,
): Promise<Covariances | { reason: string }> {
  const k = totals.items.length;
  if (k === 0) return { reason: 'No response was scored.' };
  if (k === 1) return { reason: 'At least two questions with responses are needed; there is one.' };
  if (k > MAX_ITEMS) {
    return {
      reason: `At most ${MAX_ITEMS} questions are supported; ${k} have responses. Select the questions of one test.`,
    };
  }
  if (totals.cases < 2) return { reason: 'At least two cases are needed; there is one.' };
  const { method, used, cases } = selectCases(totals);
  const columnByItem = new Int32Array(scores.items).fill(-1);
  for (const [i, item] of totals.items.entries()) columnByItem[item] = i;
  const counts = countSingles(scores, used, columnByItem, k);
  const varying = [...totals.items.keys()].filter((i) => counts.right[i]! * counts.wrong[i]! > 0);
  const constant = totals.items.filter((_, i) => counts.right[i]! * counts.wrong[i]! === 0);
  if (varying.length < 2) {
    return {
      reason:
        'Fewer than two questions vary. A question with only correct or only incorrect responses has no correlation with others.',
    };
  }
  const items = totals.items.filter((_, i) => varying.includes(i));
  columnByItem.fill(-1);
  for (const [i, item] of items.entries()) columnByItem[item] = i;
  const pairs = await countPairs(scores, used, columnByItem, items.length, ticker);
  const facilities = Float64Array.from(
    varying,
    (i) => counts.right[i]! / (counts.right[i]! + counts.wrong[i]!),
  );
  const { matrix, minShared } = buildMatrix(pairs, varying, counts);
  if (minShared < 2) {
    return {
      reason:
        'Some pairs of questions have no cases in common, so their covariance is unknown. Select questions that were administered together.',
    };
  }
  return { method, cases, used, items, constant, facilities, matrix, minShared };
}

function selectCases({ answered, items, cases, complete }: Totals) {
  const isComplete = Uint8Array.from(answered, (count) => (count === items.length ? 1 : 0));
  const completeCases = isComplete.reduce((sum, flag) => sum + flag, 0);
  if (complete) return { method: METHODS[0], used: isComplete, cases };
  if (completeCases >= Math.max(2, MIN_COMPLETE_SHARE * cases)) {
    return { method: METHODS[1], used: isComplete, cases: completeCases };
  }
  return { method: METHODS[2], used: Uint8Array.from(answered, (count) => (count > 0 ? 1 : 0)), cases };
}

interface SingleCounts {
  right: Uint32Array;
  wrong: Uint32Array;
}

function countSingles(
  { cases, starts, item, right }: Scores,
  used: Uint8Array,
  columnByItem: Int32Array,
  k: number,
): SingleCounts {
  const counts = { right: new Uint32Array(k), wrong: new Uint32Array(k) };
  for (let c = 0; c < cases; c++) {
    if (!used[c]) continue;
    for (let a = starts[c]!; a < starts[c + 1]!; a++) {
      counts[right[a] ? 'right' : 'wrong'][columnByItem[item[a]!]!]!++;
    }
  }
  return counts;
}

/**
 * Variances over all cases of an item, covariances over the shared cases of two; both divide by n −
 * 1.
 */
function buildMatrix(pairs: PairCounts, varying: readonly number[], singles: SingleCounts) {
  const k = varying.length;
  const matrix = new Float64Array(k * k);
  let minShared = Infinity;
  for (let i = 0; i < k; i++) {
    const [right, wrong] = [singles.right[varying[i]!]!, singles.wrong[varying[i]!]!];
    matrix[i * k + i] = (right * wrong) / (right + wrong) / (right + wrong - 1);
    for (let j = i + 1; j < k; j++) {
      const index = pairIndex(i, j, k);
      const neither = pairs[index]!;
      const onlySecond = pairs[index + 1]!;
      const onlyFirst = pairs[index + 2]!;
      const both = pairs[index + 3]!;
      const n = neither + onlySecond + onlyFirst + both;
      minShared = Math.min(minShared, n);
      // Equal to (both · n − right of i · right of j) / n, without the cancellation of large terms.
      const covariance = n < 2 ? 0 : (both * neither - onlyFirst * onlySecond) / n / (n - 1);
      matrix[i * k + j] = covariance;
      matrix[j * k + i] = covariance;
    }
  }
  return { matrix, minShared };
}
