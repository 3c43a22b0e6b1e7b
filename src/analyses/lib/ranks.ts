/**
 * How far two orders, or two sortings into classes, agree. What is not defined is null, with the reason in
 * words.
 */
import { studentUpperTail } from './beta.ts';
import { normalQuantile, normalUpperTail } from './special.ts';

interface Agreement {
  n: number;
  coefficient: number | null;
  low: number | null;
  high: number | null;
  p_value: number | null;
  reason: string | null;
}

/** Fewer pairs leave no degree of freedom for a test. */
const FEWEST_PAIRS = 3;

const NO_PAIRS = 'There are fewer than two questions to compare.';
const NO_SPREAD = 'One of the two has the same value everywhere, so there is no order to compare.';

/**
 * Spearman's rank correlation, with tied values at their mean rank: p by Student's t with n − 2 degrees of
 * freedom, the interval through Fisher's z with the variance (1 + r²/2) / (n − 3) of Bonett and Wright
 * (2000).
 */
export function spearman(x: Float64Array, y: Float64Array, confidence: number): Agreement {
  const n = x.length;
  if (n < 2) return undefinedFor(n, NO_PAIRS);
  const r = correlation(ranksOf(x), ranksOf(y));
  if (r === null) return undefinedFor(n, NO_SPREAD);
  const [low, high] = spearmanInterval(r, n, confidence);
  return { n, coefficient: r, low, high, p_value: correlationTail(r, n), reason: null };
}

function spearmanInterval(r: number, n: number, confidence: number): [number | null, number | null] {
  if (n <= FEWEST_PAIRS || Math.abs(r) >= 1) return [null, null];
  const half = zFor(confidence) * Math.sqrt((1 + (r * r) / 2) / (n - 3));
  const centre = Math.atanh(r);
  return [Math.tanh(centre - half), Math.tanh(centre + half)];
}

function correlationTail(r: number, n: number): number | null {
  if (n < FEWEST_PAIRS) return null;
  if (Math.abs(r) >= 1) return 0;
  return Math.min(1, 2 * studentUpperTail(Math.abs(r) * Math.sqrt((n - 2) / (1 - r * r)), n - 2));
}

/**
 * Kendall's τ-b, with p by the normal approximation to its distribution with ties (Kendall 1970). Pairs are
 * counted by sorting (Knight 1966).
 */
export function kendall(x: Float64Array, y: Float64Array): Omit<Agreement, 'low' | 'high'> {
  const n = x.length;
  if (n < 2) return { n, coefficient: null, p_value: null, reason: NO_PAIRS };
  const order = Uint32Array.from(x.keys()).sort((i, j) => x[i]! - x[j]! || y[i]! - y[j]!);
  const tiesInX = tiesOf(n, (i, j) => x[order[i]!] === x[order[j]!]);
  const tiesInBoth = tiesOf(n, (i, j) => x[order[i]!] === x[order[j]!] && y[order[i]!] === y[order[j]!]);
  const sorted = Float64Array.from(order, (i) => y[i]!);
  const discordant = exchangesToSort(sorted);
  const tiesInY = tiesOf(n, (i, j) => sorted[i] === sorted[j]);
  const pairs = (n * (n - 1)) / 2;
  const untied = Math.sqrt(pairs - tiesInX.pairs) * Math.sqrt(pairs - tiesInY.pairs);
  if (untied === 0) return { n, coefficient: null, p_value: null, reason: NO_SPREAD };
  const surplus = pairs - tiesInX.pairs - tiesInY.pairs + tiesInBoth.pairs - 2 * discordant;
  return {
    n,
    coefficient: Math.max(-1, Math.min(1, surplus / untied)),
    p_value: n < FEWEST_PAIRS ? null : surplusTail(surplus, n, tiesInX, tiesInY),
    reason: null,
  };
}

interface Ties {
  pairs: number;
  triples: number;
  spread: number;
}

function surplusTail(surplus: number, n: number, x: Ties, y: Ties): number {
  const m = n * (n - 1);
  const variance =
    (m * (2 * n + 5) - x.spread - y.spread) / 18 +
    (2 * x.pairs * y.pairs) / m +
    (x.triples * y.triples) / (9 * m * (n - 2));
  return Math.min(1, 2 * normalUpperTail(Math.abs(surplus) / Math.sqrt(variance)));
}

/** Runs of values that are the same, of n that are in order. */
function tiesOf(n: number, same: (i: number, j: number) => boolean): Ties {
  const ties = { pairs: 0, triples: 0, spread: 0 };
  for (let start = 0, end = 1; start < n; start = end++) {
    while (end < n && same(start, end)) end++;
    const t = end - start;
    ties.pairs += (t * (t - 1)) / 2;
    ties.triples += t * (t - 1) * (t - 2);
    ties.spread += t * (t - 1) * (2 * t + 5);
  }
  return ties;
}

/** Sorts the values by merging, and counts how many pairs were in the wrong order. */
function exchangesToSort(values: Float64Array): number {
  let from: Float64Array = values;
  let to: Float64Array = new Float64Array(values.length);
  let exchanges = 0;
  for (let width = 1; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) exchanges += merge(from, to, start, width);
    [from, to] = [to, from];
  }
  if (from !== values) values.set(from);
  return exchanges;
}

function merge(from: Float64Array, to: Float64Array, start: number, width: number): number {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(start + 2 * width, from.length);
  let exchanges = 0;
  for (let left = start, right = middle, at = start; at < end; at++) {
    if (right >= end || (left < middle && from[left]! <= from[right]!)) to[at] = from[left++]!;
    else {
      exchanges += middle - left;
      to[at] = from[right++]!;
    }
  }
  return exchanges;
}

/** The place of each value among all, from 1; values that are the same share the mean of their places. */
function ranksOf(values: Float64Array): Float64Array {
  const order = Uint32Array.from(values.keys()).sort((i, j) => values[i]! - values[j]!);
  const ranks = new Float64Array(values.length);
  for (let start = 0, end = 1; start < order.length; start = end++) {
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++;
    for (let i = start; i < end; i++) ranks[order[i]!] = (start + end + 1) / 2;
  }
  return ranks;
}

/** Of ranks, whose mean is known. */
function correlation(x: Float64Array, y: Float64Array): number | null {
  const centre = (x.length + 1) / 2;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < x.length; i++) {
    const dx = x[i]! - centre;
    const dy = y[i]! - centre;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return xx === 0 || yy === 0 ? null : Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
}

/** What an agreement between two of k classes in their order counts, from 0 to 1. */
type Weight = (i: number, j: number, k: number) => number;

const sameOnly: Weight = (i, j) => (i === j ? 1 : 0);
const bySquares: Weight = (i, j, k) => 1 - ((i - j) / (k - 1)) ** 2;

/** Cohen's κ (1960): agreement on the very class, beyond what chance would give. */
export const kappa = (table: readonly (readonly number[])[], confidence: number) =>
  weightedKappa(table, sameOnly, confidence);

/** Cohen's weighted κ (1968) with quadratic weights: near misses count as partial agreement. */
export const quadraticKappa = (table: readonly (readonly number[])[], confidence: number) =>
  weightedKappa(table, bySquares, confidence);

/**
 * With the large-sample standard errors of Fleiss, Cohen and Everitt (1969), for the interval and for the
 * test against 0.
 */
function weightedKappa(table: readonly (readonly number[])[], weight: Weight, confidence: number): Agreement {
  const k = table.length;
  const n = sum(table.map(sum));
  if (n === 0) return undefinedFor(n, 'There is no question to compare.');
  const rows = table.map((row) => sum(row) / n);
  const columns = rows.map((_, j) => sum(table.map((row) => row[j]!)) / n);
  const rowWeights = rows.map((_, i) => sum(columns.map((share, j) => weight(i, j, k) * share)));
  const columnWeights = columns.map((_, j) => sum(rows.map((share, i) => weight(i, j, k) * share)));
  const overCells = (value: (i: number, j: number) => number) =>
    sum(rows.map((_, i) => sum(columns.map((_, j) => value(i, j)))));
  const observed = overCells((i, j) => (weight(i, j, k) * table[i]![j]!) / n);
  const expected = overCells((i, j) => weight(i, j, k) * rows[i]! * columns[j]!);
  if (1 - expected < Number.EPSILON * 4) {
    return undefinedFor(n, 'All questions are in one and the same class on both sides.');
  }
  const coefficient = (observed - expected) / (1 - expected);
  const variance =
    (overCells(
      (i, j) =>
        (table[i]![j]! / n) *
        (weight(i, j, k) * (1 - expected) - (rowWeights[i]! + columnWeights[j]!) * (1 - observed)) ** 2,
    ) -
      (observed * expected - 2 * expected + observed) ** 2) /
    (n * (1 - expected) ** 4);
  const varianceByChance =
    (overCells(
      (i, j) => rows[i]! * columns[j]! * (weight(i, j, k) - rowWeights[i]! - columnWeights[j]!) ** 2,
    ) -
      expected ** 2) /
    (n * (1 - expected) ** 2);
  const half = zFor(confidence) * Math.sqrt(Math.max(0, variance));
  return {
    n,
    coefficient,
    low: Math.max(-1, coefficient - half),
    high: Math.min(1, coefficient + half),
    p_value: chanceTail(coefficient, varianceByChance),
    reason: null,
  };
}

/** Rounding leaves a trace of a variance that is zero. */
function chanceTail(coefficient: number, variance: number): number | null {
  if (variance < Number.EPSILON) return null;
  return Math.min(1, 2 * normalUpperTail(Math.abs(coefficient) / Math.sqrt(variance)));
}

const zFor = (confidence: number) => normalQuantile(0.5 + confidence / 2);

const undefinedFor = (n: number, reason: string): Agreement => ({
  n,
  coefficient: null,
  low: null,
  high: null,
  p_value: null,
  reason,
});

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
