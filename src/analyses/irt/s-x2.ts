/** S-X²: whether those with the same number of right answers got a question right as often as the model says. */

import { chiSquaredUpperTail } from '../../statistics/special.ts';
import type { Scores } from '../shared/responses.ts';
import { ABILITIES, type Curves, LOG_PRIOR } from './calibration/model.ts';
import { curveOf, probability } from './curves.ts';

export interface SumScoreFit {
  chi_squared: number;
  degrees_of_freedom: number;
  p_value: number;
  rmsea: number;
}

export interface SumScoreFits {
  /** Those who answered every question: only their numbers of right answers can be compared. */
  cases: number;
  /** Why no question could be tested; null where they could. */
  reason: string | null;
  fit(item: number): SumScoreFit | null;
}

/** Those with one number of right answers, or with several of them taken together. */
interface Cell {
  right: number;
  wrong: number;
  expectedRight: number;
  expectedWrong: number;
}

/** Time and space grow with the square of the number of questions. */
const MOST_ITEMS = 1000;
const LEAST_EXPECTED = 1;
/** Cases between two looks at whether the run is still wanted. */
const AT_ONCE = 1 << 16;

/**
 * Orlando & Thissen (2000). The expected shares come from the distribution of the number of right answers (Lord &
 * Wingersky, 1984), with and without the question.
 */
export async function sumScoreFits(
  scores: Scores,
  curves: Curves,
  parametersPerItem: number,
  rest: () => Promise<void>,
): Promise<SumScoreFits> {
  const { items } = scores;
  const none = (cases: number, reason: string): SumScoreFits => ({ cases, reason, fit: () => null });
  if (items > MOST_ITEMS) return none(0, `It is only computed for up to ${MOST_ITEMS} questions.`);
  const { cases, withScore, rightOf } = await tally(scores, rest);
  if (cases === 0) return none(0, 'Nobody answered all of the questions.');
  const expected = await expectedShares(curves, rest);
  const fit = (item: number) => {
    const cells: Cell[] = [];
    for (let score = 1; score < items; score++) {
      const n = withScore[score]!;
      if (n === 0) continue;
      const right = rightOf[item * (items + 1) + score]!;
      const expectedRight = n * expected[item * (items + 1) + score]!;
      cells.push({ right, wrong: n - right, expectedRight, expectedWrong: n - expectedRight });
    }
    return statistic(collapsed(cells), parametersPerItem, cases);
  };
  return { cases, reason: null, fit };
}

/** How many of those who answered everything have each number of right answers, and of them this question right. */
async function tally({ cases, items, starts, item, right }: Scores, rest: () => Promise<void>) {
  const withScore = new Float64Array(items + 1);
  const rightOf = new Float64Array(items * (items + 1));
  let complete = 0;
  for (let c = 0; c < cases; c++) {
    if (c % AT_ONCE === 0) await rest();
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

/** By question and number of right answers: the share that should have the question right. */
async function expectedShares(curves: Curves, rest: () => Promise<void>): Promise<Float64Array> {
  const items = curves.slope.length;
  const width = items + 1;
  const shares = new Float64Array(items * width);
  const total = new Float64Array(width);
  for (const [node, ability] of ABILITIES.entries()) {
    const density = Math.exp(LOG_PRIOR[node]!);
    const p = Float64Array.from({ length: items }, (_, j) => probability(curveOf(curves, j), ability));
    const all = scoreDistribution(p);
    for (let score = 0; score < width; score++) total[score]! += density * all[score]!;
    for (let j = 0; j < items; j++) {
      const others = without(all, p[j]!);
      for (let score = 1; score < width; score++)
        shares[j * width + score]! += density * p[j]! * others[score - 1]!;
    }
    await rest();
  }
  for (let i = 0; i < shares.length; i++) {
    const sum = total[i % width]!;
    shares[i] = sum > 0 ? Math.min(1, shares[i]! / sum) : 0;
  }
  return shares;
}

/** Of the number of right answers, from the probability of each (the recursion of Lord & Wingersky). */
function scoreDistribution(p: Float64Array): Float64Array {
  const shares = new Float64Array(p.length + 1);
  shares[0] = 1;
  for (let j = 0; j < p.length; j++) {
    for (let score = j + 1; score > 0; score--)
      shares[score] = shares[score]! * (1 - p[j]!) + shares[score - 1]! * p[j]!;
    shares[0]! *= 1 - p[j]!;
  }
  return shares;
}

/** The same without one of the questions: one step of the recursion undone, from the end where errors die away. */
function without(all: Float64Array, p: number): Float64Array {
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

/** Neighbours are taken together until at least one right and one wrong answer is expected everywhere. */
function collapsed(cells: Cell[]): Cell[] {
  const rows: Cell[] = [];
  let single: Cell | undefined;
  // A single person is no group: they count with the next, and the last with the one before.
  for (const cell of cells) {
    const row = single ? together(single, cell) : cell;
    single = row.right + row.wrong === 1 ? row : undefined;
    if (!single) rows.push(row);
  }
  if (single) rows.push(rows.length > 0 ? together(rows.pop()!, single) : single);
  for (let i = rows.findIndex(tooSmall); i >= 0 && rows.length > 1; i = rows.findIndex(tooSmall)) {
    const before = i === rows.length - 1 || (i > 0 && sizeOf(rows[i - 1]!) <= sizeOf(rows[i + 1]!));
    const from = before ? i - 1 : i;
    rows.splice(from, 2, together(rows[from]!, rows[from + 1]!));
  }
  return rows;
}

const together = (a: Cell, b: Cell): Cell => ({
  right: a.right + b.right,
  wrong: a.wrong + b.wrong,
  expectedRight: a.expectedRight + b.expectedRight,
  expectedWrong: a.expectedWrong + b.expectedWrong,
});

const sizeOf = ({ right, wrong }: Cell) => right + wrong;
const tooSmall = ({ expectedRight, expectedWrong }: Cell) =>
  expectedRight < LEAST_EXPECTED || expectedWrong < LEAST_EXPECTED;

/** Nothing where so few groups are left that there is nothing to test. */
function statistic(rows: readonly Cell[], parameters: number, cases: number): SumScoreFit | null {
  const degrees_of_freedom = rows.length - parameters;
  if (degrees_of_freedom < 1 || rows.some(tooSmall)) return null;
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
