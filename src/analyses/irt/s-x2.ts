/**
 * S-X² item fit (Orlando & Thissen, 2000): compares observed and expected proportions of right
 * responses among cases with the same sum score. The expected proportions come from the sum score
 * distributions with and without the item, by the recursion of Lord & Wingersky (1984).
 */

import type { Ticker } from '../../concurrency/ticker.ts';
import { chiSquaredUpperTail } from '../../statistics/special.ts';
import type { Scores } from '../shared/responses.ts';
import { type ItemCurves, LOG_PRIOR, THETA } from './calibration/model.ts';
import { computeProbability, getCurve } from './curves.ts';

export interface SX2 {
  chi_squared: number;
  degrees_of_freedom: number;
  p_value: number;
  rmsea: number;
}

export interface SX2Results {
  /** Complete cases: only their sum scores are comparable. */
  cases: number;
  /** Why no item could be tested; null if it was possible. */
  reason: string | null;
  get(item: number): SX2 | null;
}

/** Cases with one sum score, or with several neighbouring ones. */
interface Cell {
  right: number;
  wrong: number;
  expectedRight: number;
  expectedWrong: number;
}

/** Time and memory grow with the square of the number of items. */
const MAX_ITEMS = 1000;
const MIN_EXPECTED_COUNT = 1;

export async function computeSX2(
  scores: Scores,
  curves: ItemCurves,
  parametersPerItem: number,
  ticker: Ticker,
): Promise<SX2Results> {
  const { items } = scores;
  const none = (cases: number, reason: string): SX2Results => ({ cases, reason, get: () => null });
  if (items > MAX_ITEMS) return none(0, `It is only computed for up to ${MAX_ITEMS} questions.`);
  const { cases, withScore, rightOf } = await tallyByScore(scores, ticker);
  if (cases === 0) return none(0, 'No case has responses to all calibrated questions.');
  const expected = await computeExpectedProportions(curves, ticker);
  const get = (item: number) => {
    const cells: Cell[] = [];
    for (let score = 1; score < items; score++) {
      const n = withScore[score]!;
      if (n === 0) continue;
      const right = rightOf[item * (items + 1) + score]!;
      const expectedRight = n * expected[item * (items + 1) + score]!;
      cells.push({ right, wrong: n - right, expectedRight, expectedWrong: n - expectedRight });
    }
    return computeStatistic(collapseCells(cells), parametersPerItem, cases);
  };
  return { cases, reason: null, get };
}

/** Complete cases by sum score, and those with the item right by item and sum score. */
async function tallyByScore({ cases, items, starts, item, right }: Scores, ticker: Ticker) {
  const withScore = new Float64Array(items + 1);
  const rightOf = new Float64Array(items * (items + 1));
  let complete = 0;
  for (let c = 0; c < cases; c++) {
    if (ticker.due()) await ticker.yield();
    const from = starts[c]!;
    if (starts[c + 1]! - from !== items) continue;
    let score = 0;
    for (let i = from; i < from + items; i++) score += right[i]!;
    for (let i = from; i < from + items; i++) rightOf[item[i]! * (items + 1) + score]! += right[i]!;
    withScore[score]!++;
    complete++;
  }
  return { cases: complete, withScore, rightOf };
}

/** By item and sum score: the expected proportion of right responses. */
async function computeExpectedProportions(curves: ItemCurves, ticker: Ticker): Promise<Float64Array> {
  const items = curves.discrimination.length;
  const width = items + 1;
  const proportions = new Float64Array(items * width);
  const total = new Float64Array(width);
  for (const [node, ability] of THETA.entries()) {
    const density = Math.exp(LOG_PRIOR[node]!);
    const p = Float64Array.from({ length: items }, (_, j) =>
      computeProbability(getCurve(curves, j), ability),
    );
    const all = computeScoreDistribution(p);
    for (let score = 0; score < width; score++) total[score]! += density * all[score]!;
    for (let j = 0; j < items; j++) {
      const others = removeItem(all, p[j]!);
      for (let score = 1; score < width; score++)
        proportions[j * width + score]! += density * p[j]! * others[score - 1]!;
    }
    await ticker.yield((node + 1) / THETA.length);
  }
  for (let i = 0; i < proportions.length; i++) {
    const sum = total[i % width]!;
    proportions[i] = sum > 0 ? Math.min(1, proportions[i]! / sum) : 0;
  }
  return proportions;
}

/** Sum score distribution at one ability, by the recursion of Lord & Wingersky (1984). */
function computeScoreDistribution(p: Float64Array): Float64Array {
  const proportions = new Float64Array(p.length + 1);
  proportions[0] = 1;
  for (let j = 0; j < p.length; j++) {
    for (let score = j + 1; score > 0; score--)
      proportions[score] = proportions[score]! * (1 - p[j]!) + proportions[score - 1]! * p[j]!;
    proportions[0]! *= 1 - p[j]!;
  }
  return proportions;
}

/** Undoes one step of the recursion, from the end at which rounding errors decay. */
function removeItem(all: Float64Array, p: number): Float64Array {
  const items = all.length - 1;
  const others = new Float64Array(items);
  let last = 0;
  if (p < 0.5)
    for (let score = 0; score < items; score++) {
      last = Math.max(0, (all[score]! - p * last) / (1 - p));
      others[score] = last;
    }
  else
    for (let score = items - 1; score >= 0; score--) {
      last = Math.max(0, (all[score + 1]! - (1 - p) * last) / p);
      others[score] = last;
    }
  return others;
}

/** Merges neighbouring scores until each cell expects at least one right and one wrong response. */
function collapseCells(cells: Cell[]): Cell[] {
  const rows: Cell[] = [];
  let single: Cell | undefined;
  // A cell of one case is merged with the next, the last one with its predecessor.
  for (const cell of cells) {
    const row = single ? mergeCells(single, cell) : cell;
    single = row.right + row.wrong === 1 ? row : undefined;
    if (!single) rows.push(row);
  }
  if (single) rows.push(rows.length > 0 ? mergeCells(rows.pop()!, single) : single);
  for (let i = rows.findIndex(isTooSmall); i >= 0 && rows.length > 1; i = rows.findIndex(isTooSmall)) {
    const before = i === rows.length - 1 || (i > 0 && countCases(rows[i - 1]!) <= countCases(rows[i + 1]!));
    const from = before ? i - 1 : i;
    rows.splice(from, 2, mergeCells(rows[from]!, rows[from + 1]!));
  }
  return rows;
}

const mergeCells = (a: Cell, b: Cell): Cell => ({
  right: a.right + b.right,
  wrong: a.wrong + b.wrong,
  expectedRight: a.expectedRight + b.expectedRight,
  expectedWrong: a.expectedWrong + b.expectedWrong,
});

const countCases = ({ right, wrong }: Cell) => right + wrong;
const isTooSmall = ({ expectedRight, expectedWrong }: Cell) =>
  expectedRight < MIN_EXPECTED_COUNT || expectedWrong < MIN_EXPECTED_COUNT;

/** Null if no degree of freedom is left. */
function computeStatistic(rows: readonly Cell[], parameters: number, cases: number): SX2 | null {
  const degrees_of_freedom = rows.length - parameters;
  if (degrees_of_freedom < 1 || rows.some(isTooSmall)) return null;
  let chi_squared = 0;
  for (const { right, wrong, expectedRight, expectedWrong } of rows)
    chi_squared +=
      (right - expectedRight) ** 2 / expectedRight + (wrong - expectedWrong) ** 2 / expectedWrong;
  return {
    chi_squared,
    degrees_of_freedom,
    p_value: chiSquaredUpperTail(chi_squared, degrees_of_freedom),
    rmsea: Math.sqrt(Math.max(0, chi_squared / degrees_of_freedom - 1) / Math.max(1, cases - 1)),
  };
}
