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
  /** Why one of them is null, where one is. */
  reason: string | null;
}

/** Fewer pairs leave no degree of freedom for a test. */
const FEWEST_PAIRS = 3;
/** Fisher's z of Kendall's τ has the variance 0.437 / (n − 4): Fieller, Hartley and Pearson (1957). */
const KENDALL_VARIANCE = 0.437;
const KENDALL_LOST = 4;

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
  const p_value = correlationTail(r, n);
  return { n, coefficient: r, p_value, ...throughFisher(r, n, 1 + (r * r) / 2, 3, confidence) };
}

/** The interval where z has the variance `spread` / (n − `lost`), or the reason why there is none. */
function throughFisher(
  coefficient: number,
  n: number,
  spread: number,
  lost: number,
  confidence: number,
): Pick<Agreement, 'low' | 'high' | 'reason'> {
  const without = (reason: string) => ({ low: null, high: null, reason });
  if (n < FEWEST_PAIRS) return without('Two questions leave neither a test nor an interval.');
  if (n <= lost) return without(`${n} questions leave no interval: it takes ${lost + 1}.`);
  if (Math.abs(coefficient) >= 1) return without('A perfect order leaves no interval.');
  const half = zFor(confidence) * Math.sqrt(spread / (n - lost));
  const centre = Math.atanh(coefficient);
  return { low: Math.tanh(centre - half), high: Math.tanh(centre + half), reason: null };
}

function correlationTail(r: number, n: number): number | null {
  if (n < FEWEST_PAIRS) return null;
  if (Math.abs(r) >= 1) return 0;
  return Math.min(1, 2 * studentUpperTail(Math.abs(r) * Math.sqrt((n - 2) / (1 - r * r)), n - 2));
}

/**
 * Kendall's τ-b, with p by the normal approximation to its distribution with ties (Kendall 1970) and the
 * interval through Fisher's z. Pairs are counted by sorting (Knight 1966).
 */
export function kendall(x: Float64Array, y: Float64Array, confidence: number): Agreement {
  const n = x.length;
  if (n < 2) return undefinedFor(n, NO_PAIRS);
  const order = Uint32Array.from(x.keys()).sort((i, j) => x[i]! - x[j]! || y[i]! - y[j]!);
  const tiesInX = tiesOf(n, (i, j) => x[order[i]!] === x[order[j]!]);
  const tiesInBoth = tiesOf(n, (i, j) => x[order[i]!] === x[order[j]!] && y[order[i]!] === y[order[j]!]);
  const sorted = Float64Array.from(order, (i) => y[i]!);
  const discordant = exchangesToSort(sorted);
  const tiesInY = tiesOf(n, (i, j) => sorted[i] === sorted[j]);
  const pairs = (n * (n - 1)) / 2;
  const untied = Math.sqrt(pairs - tiesInX.pairs) * Math.sqrt(pairs - tiesInY.pairs);
  if (untied === 0) return undefinedFor(n, NO_SPREAD);
  const surplus = pairs - tiesInX.pairs - tiesInY.pairs + tiesInBoth.pairs - 2 * discordant;
  const coefficient = Math.max(-1, Math.min(1, surplus / untied));
  const p_value = n < FEWEST_PAIRS ? null : surplusTail(surplus, n, tiesInX, tiesInY);
  const interval = throughFisher(coefficient, n, KENDALL_VARIANCE, KENDALL_LOST, confidence);
  return { n, coefficient, p_value, ...interval };
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

const ONE_CLASS =
  'One of the two has all questions in the same class, so there is no agreement beyond chance.';
const NO_ERROR = 'The standard error is 0, and no interval can rest on that.';
const TRACE = 1e-9;

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
  if (rows.includes(1) || columns.includes(1)) return undefinedFor(n, ONE_CLASS);
  const rowWeights = rows.map((_, i) => sum(columns.map((share, j) => weight(i, j, k) * share)));
  const columnWeights = columns.map((_, j) => sum(rows.map((share, i) => weight(i, j, k) * share)));
  const overCells = (value: (i: number, j: number) => number) =>
    sum(rows.map((_, i) => sum(columns.map((_, j) => value(i, j)))));
  const observed = overCells((i, j) => (weight(i, j, k) * table[i]![j]!) / n);
  const expected = overCells((i, j) => weight(i, j, k) * rows[i]! * columns[j]!);
  const beyondChance = 1 - expected;
  const coefficient = (observed - expected) / beyondChance;
  const spread =
    overCells(
      (i, j) =>
        (table[i]![j]! / n) *
        (weight(i, j, k) * beyondChance - (rowWeights[i]! + columnWeights[j]!) * (1 - observed)) ** 2,
    ) -
    (observed * expected - 2 * expected + observed) ** 2;
  const spreadByChance =
    overCells(
      (i, j) => rows[i]! * columns[j]! * (weight(i, j, k) - rowWeights[i]! - columnWeights[j]!) ** 2,
    ) -
    expected ** 2;
  const p_value = chanceTail(coefficient, Math.sqrt(spreadByChance / n) / beyondChance);
  // Rounding leaves a trace of a spread that is zero, as it is where all agree.
  if (spread <= TRACE * beyondChance ** 2) {
    return { n, coefficient, low: null, high: null, p_value, reason: NO_ERROR };
  }
  const half = (zFor(confidence) * Math.sqrt(spread / n)) / beyondChance ** 2;
  const [low, high] = [Math.max(-1, coefficient - half), Math.min(1, coefficient + half)];
  return { n, coefficient, low, high, p_value, reason: null };
}

/** Where the two have no class in common, agreement cannot vary, and there is no error to test by. */
const chanceTail = (coefficient: number, error: number): number | null =>
  error > 0 ? Math.min(1, 2 * normalUpperTail(Math.abs(coefficient) / error)) : null;

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
