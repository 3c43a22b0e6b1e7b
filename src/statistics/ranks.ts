/**
 * Agreement of two variables over the same questions: rank correlations (Spearman's ρ, Kendall's
 * τ-b) and Cohen's κ. Each comes with a confidence interval and a two-sided test against 0. Null
 * means undefined; `reason` says why.
 */
import { studentUpperTail } from './beta.ts';
import { normalQuantile, normalUpperTail } from './special.ts';

interface Agreement {
  n: number;
  coefficient: number | null;
  low: number | null;
  high: number | null;
  p_value: number | null;
  /** Why a field is null; null where none is. */
  reason: string | null;
}

/** Fewer pairs leave no degree of freedom for a test. */
const MIN_PAIRS = 3;
/** artanh τ has a variance of about 0.437 / (n − 4): Fieller, Hartley and Pearson (1957). */
const KENDALL_VARIANCE = 0.437;
const KENDALL_OFFSET = 4;

const NO_PAIRS = 'There are fewer than two questions to compare.';
const NO_SPREAD = 'One of the two has the same value everywhere, so there is no rank order to compare.';

/**
 * Spearman's rank correlation ρ, with mid-ranks for ties. The p-value is from Student's t with n −
 * 2 degrees of freedom; the interval from Fisher's transformation with the variance (1 + ρ²/2) / (n
 * − 3) of Bonett and Wright (2000). Undefined for fewer than two pairs, or where one variable is
 * constant.
 */
export function spearman(x: Float64Array, y: Float64Array, confidence: number): Agreement {
  const n = x.length;
  if (n < 2) return undefinedAgreement(n, NO_PAIRS);
  const r = correlateRanks(computeRanks(x), computeRanks(y));
  if (r === null) return undefinedAgreement(n, NO_SPREAD);
  const p_value = testCorrelation(r, n);
  return { n, coefficient: r, p_value, ...fisherInterval(r, n, 1 + (r * r) / 2, 3, confidence) };
}

/** Interval tanh(artanh r ± z · √(variance / (n − offset))), or the reason why there is none. */
function fisherInterval(
  coefficient: number,
  n: number,
  variance: number,
  offset: number,
  confidence: number,
): Pick<Agreement, 'low' | 'high' | 'reason'> {
  const without = (reason: string) => ({ low: null, high: null, reason });
  if (n < MIN_PAIRS) return without('Two questions leave neither a test nor an interval.');
  if (n <= offset) return without(`${n} questions leave no interval: it takes ${offset + 1}.`);
  if (Math.abs(coefficient) >= 1) return without('A perfect order has no interval.');
  const half = criticalZ(confidence) * Math.sqrt(variance / (n - offset));
  const centre = Math.atanh(coefficient);
  return { low: Math.tanh(centre - half), high: Math.tanh(centre + half), reason: null };
}

/**
 * Two-sided p-value of a correlation: t = r · √((n − 2) / (1 − r²)). Null for fewer than three
 * pairs.
 */
function testCorrelation(r: number, n: number): number | null {
  if (n < MIN_PAIRS) return null;
  if (Math.abs(r) >= 1) return 0;
  return Math.min(1, 2 * studentUpperTail(Math.abs(r) * Math.sqrt((n - 2) / (1 - r * r)), n - 2));
}

/**
 * Kendall's τ-b = (C − D) / √((pairs untied in x) · (pairs untied in y)), for concordant and
 * discordant pairs C and D. They are counted by merge sort in O(n log n) (Knight, 1966). The
 * p-value is from the normal approximation with ties (Kendall, 1970), the interval from Fisher's
 * transformation. Undefined for fewer than two pairs, or where one variable is constant.
 */
export function kendall(x: Float64Array, y: Float64Array, confidence: number): Agreement {
  const n = x.length;
  if (n < 2) return undefinedAgreement(n, NO_PAIRS);
  const order = Uint32Array.from(x.keys()).sort((i, j) => x[i]! - x[j]! || y[i]! - y[j]!);
  const tiesInX = countTies(n, (i, j) => x[order[i]!] === x[order[j]!]);
  const tiesInBoth = countTies(n, (i, j) => x[order[i]!] === x[order[j]!] && y[order[i]!] === y[order[j]!]);
  const sorted = Float64Array.from(order, (i) => y[i]!);
  const discordant = countInversions(sorted);
  const tiesInY = countTies(n, (i, j) => sorted[i] === sorted[j]);
  const pairs = (n * (n - 1)) / 2;
  const denominator = Math.sqrt(pairs - tiesInX.pairs) * Math.sqrt(pairs - tiesInY.pairs);
  if (denominator === 0) return undefinedAgreement(n, NO_SPREAD);
  const difference = pairs - tiesInX.pairs - tiesInY.pairs + tiesInBoth.pairs - 2 * discordant;
  const coefficient = Math.max(-1, Math.min(1, difference / denominator));
  const p_value = n < MIN_PAIRS ? null : testKendall(difference, n, tiesInX, tiesInY);
  const interval = fisherInterval(coefficient, n, KENDALL_VARIANCE, KENDALL_OFFSET, confidence);
  return { n, coefficient, p_value, ...interval };
}

/** Sums over groups of t tied values: t(t − 1)/2, t(t − 1)(t − 2) and t(t − 1)(2t + 5). */
interface Ties {
  pairs: number;
  triples: number;
  varianceTerm: number;
}

/** Two-sided p-value of C − D, with its variance under ties (Kendall, 1970). */
function testKendall(difference: number, n: number, x: Ties, y: Ties): number {
  const m = n * (n - 1);
  const variance =
    (m * (2 * n + 5) - x.varianceTerm - y.varianceTerm) / 18 +
    (2 * x.pairs * y.pairs) / m +
    (x.triples * y.triples) / (9 * m * (n - 2));
  return Math.min(1, 2 * normalUpperTail(Math.abs(difference) / Math.sqrt(variance)));
}

/** Counts ties among n values in ascending order. */
function countTies(n: number, same: (i: number, j: number) => boolean): Ties {
  const ties = { pairs: 0, triples: 0, varianceTerm: 0 };
  for (let start = 0, end = 1; start < n; start = end++) {
    while (end < n && same(start, end)) end++;
    const t = end - start;
    ties.pairs += (t * (t - 1)) / 2;
    ties.triples += t * (t - 1) * (t - 2);
    ties.varianceTerm += t * (t - 1) * (2 * t + 5);
  }
  return ties;
}

/** Sorts the values in place by bottom-up merge sort and counts the inversions. */
function countInversions(values: Float64Array): number {
  let from: Float64Array = values;
  let to: Float64Array = new Float64Array(values.length);
  let inversions = 0;
  for (let width = 1; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width)
      inversions += merge(from, to, start, width);
    [from, to] = [to, from];
  }
  if (from !== values) values.set(from);
  return inversions;
}

/** Merges two runs of `width` values and returns the number of inversions between them. */
function merge(from: Float64Array, to: Float64Array, start: number, width: number): number {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(start + 2 * width, from.length);
  let inversions = 0;
  for (let left = start, right = middle, i = start; i < end; i++) {
    if (right >= end || (left < middle && from[left]! <= from[right]!)) to[i] = from[left++]!;
    else {
      inversions += middle - left;
      to[i] = from[right++]!;
    }
  }
  return inversions;
}

/** Ranks from 1; tied values get the mean of their ranks (mid-ranks). */
function computeRanks(values: Float64Array): Float64Array {
  const order = Uint32Array.from(values.keys()).sort((i, j) => values[i]! - values[j]!);
  const ranks = new Float64Array(values.length);
  for (let start = 0, end = 1; start < order.length; start = end++) {
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++;
    for (let i = start; i < end; i++) ranks[order[i]!] = (start + end + 1) / 2;
  }
  return ranks;
}

/** Pearson correlation of ranks, whose mean is (n + 1)/2. Null where one of the two is constant. */
function correlateRanks(x: Float64Array, y: Float64Array): number | null {
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

/** Agreement weight of classes i and j out of k ordered classes, from 0 to 1. */
type Weight = (i: number, j: number, k: number) => number;

const identityWeight: Weight = (i, j) => (i === j ? 1 : 0);
const quadraticWeight: Weight = (i, j, k) => 1 - ((i - j) / (k - 1)) ** 2;

/** Cohen's κ (1960): agreement on the same class, beyond chance. */
export const kappa = (table: readonly (readonly number[])[], confidence: number) =>
  weightedKappa(table, identityWeight, confidence);

/** Cohen's weighted κ (1968) with quadratic weights 1 − ((i − j) / (k − 1))². */
export const quadraticKappa = (table: readonly (readonly number[])[], confidence: number) =>
  weightedKappa(table, quadraticWeight, confidence);

const ONE_CLASS =
  'One of the two has all questions in the same class, so there is no agreement beyond chance.';
const NO_ERROR = 'The standard error is 0, so there is no interval.';
/** A relative variance below this is rounding error of a variance that is 0, as where all agree. */
const MIN_RELATIVE_VARIANCE = 1e-9;

/**
 * κ = (Pₒ − Pₑ) / (1 − Pₑ) of a square table of counts, with observed and expected weighted
 * agreement Pₒ and Pₑ. The standard errors, one for the interval and one under the null hypothesis,
 * are the large-sample ones of Fleiss, Cohen and Everitt (1969). Undefined for an empty table, or
 * where one rater uses one class only.
 */
function weightedKappa(table: readonly (readonly number[])[], weight: Weight, confidence: number): Agreement {
  const k = table.length;
  const n = sum(table.map(sum));
  if (n === 0) return undefinedAgreement(n, 'There is no question to compare.');
  const rows = table.map((row) => sum(row) / n);
  const columns = rows.map((_, j) => sum(table.map((row) => row[j]!)) / n);
  if (rows.includes(1) || columns.includes(1)) return undefinedAgreement(n, ONE_CLASS);
  const rowWeights = rows.map((_, i) => sum(columns.map((share, j) => weight(i, j, k) * share)));
  const columnWeights = columns.map((_, j) => sum(rows.map((share, i) => weight(i, j, k) * share)));
  const overCells = (value: (i: number, j: number) => number) =>
    sum(rows.map((_, i) => sum(columns.map((_, j) => value(i, j)))));
  const observed = overCells((i, j) => (weight(i, j, k) * table[i]![j]!) / n);
  const expected = overCells((i, j) => weight(i, j, k) * rows[i]! * columns[j]!);
  const beyondChance = 1 - expected;
  const coefficient = (observed - expected) / beyondChance;
  const variance =
    overCells(
      (i, j) =>
        (table[i]![j]! / n) *
        (weight(i, j, k) * beyondChance - (rowWeights[i]! + columnWeights[j]!) * (1 - observed)) ** 2,
    ) -
    (observed * expected - 2 * expected + observed) ** 2;
  const nullVariance =
    overCells(
      (i, j) => rows[i]! * columns[j]! * (weight(i, j, k) - rowWeights[i]! - columnWeights[j]!) ** 2,
    ) -
    expected ** 2;
  const p_value = testKappa(coefficient, Math.sqrt(nullVariance / n) / beyondChance);
  if (variance <= MIN_RELATIVE_VARIANCE * beyondChance ** 2) {
    return { n, coefficient, low: null, high: null, p_value, reason: NO_ERROR };
  }
  const half = (criticalZ(confidence) * Math.sqrt(variance / n)) / beyondChance ** 2;
  const [low, high] = [Math.max(-1, coefficient - half), Math.min(1, coefficient + half)];
  return { n, coefficient, low, high, p_value, reason: null };
}

/**
 * Two-sided p-value. Null for a standard error of 0: without a common class, agreement cannot vary.
 */
const testKappa = (coefficient: number, se: number): number | null =>
  se > 0 ? Math.min(1, 2 * normalUpperTail(Math.abs(coefficient) / se)) : null;

const criticalZ = (confidence: number) => normalQuantile(0.5 + confidence / 2);

const undefinedAgreement = (n: number, reason: string): Agreement => ({
  n,
  coefficient: null,
  low: null,
  high: null,
  p_value: null,
  reason,
});

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
