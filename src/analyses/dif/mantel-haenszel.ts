/**
 * The Mantel-Haenszel procedure for one item (Holland & Thayer 1988), and the standardized
 * difference of proportions (Dorans & Kulick 1986).
 */
import { chiSquaredUpperTail, normalQuantile } from '../../statistics/special.ts';
import { CELLS, type Table } from './matching.ts';
import { computeScoreInterval } from './score-interval.ts';

/** Converts a log odds ratio to the ETS delta scale. */
const DELTA_PER_LOG_ODDS = -2.35;
/** The smallest |Δ| of the ETS classes B and C (Dorans & Holland 1993; Zieky 1993). */
export const MIN_MODERATE_DELTA = 1;
export const MIN_LARGE_DELTA = 1.5;

/**
 * With fewer cases in a group an item gets no class. Even with 10 and an infinite reference group,
 * the 95 % confidence interval of Δ is at best ± 3 (1.96 · 2.35 · 2 / √10), from C in favour of one
 * group to C in favour of the other.
 */
export const MIN_GROUP_CASES = 10;

export type EtsClass = 'A' | 'B' | 'C';

export interface MantelHaenszel {
  /** By side: cases with a score, and of these the correct ones. */
  cases: readonly [number, number];
  right: readonly [number, number];
  /** The common odds ratio; null if it is 0, infinite or undefined. */
  alpha: number | null;
  delta: number | null;
  delta_se: number | null;
  chi_squared: number | null;
  chi_squared_uncorrected: number | null;
  p_value: number | null;
  /** Positive if the focal group has more correct responses than expected under equal odds. */
  focalAdvantage: number;
  /** STD P-DIF: focal minus reference proportion correct, weighted by the focal group. */
  standardized: number | null;
  /** Strata with cases of both groups, and the number of cases in them. */
  strata: number;
  matched: number;
}

const Z_95 = normalQuantile(0.975);

export function mantelHaenszel(table: Table, continuityCorrection: boolean): MantelHaenszel {
  const sums = sumStrata(table);
  const { numerator, denominator, difference, variance } = sums;
  const tested = variance > 0;
  const uncorrected = tested ? difference ** 2 / variance : null;
  const chi_squared =
    tested && continuityCorrection ? correctedChiSquared(Math.abs(difference), variance) : uncorrected;
  return {
    ...countCases(table),
    ...estimateEffect(table, numerator, denominator),
    chi_squared,
    chi_squared_uncorrected: uncorrected,
    p_value: chi_squared === null ? null : chiSquaredUpperTail(chi_squared, 1),
    focalAdvantage: difference === 0 ? 0 : -difference,
    standardized: sums.focal > 0 ? sums.standardized / sums.focal : null,
    strata: sums.strata,
    matched: sums.matched,
  };
}

function countCases(table: Table): Pick<MantelHaenszel, 'cases' | 'right'> {
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  for (let cell = 0; cell < table.length; cell++) sums[cell % CELLS]! += table[cell]!;
  const [referenceWrong, referenceRight, focalWrong, focalRight] = sums;
  return {
    cases: [referenceWrong + referenceRight, focalWrong + focalRight],
    right: [referenceRight, focalRight],
  };
}

/**
 * Yates's continuity correction (1934), as in Holland & Thayer. For differences below 0.5 the
 * corrected statistic would grow again; with a small variance that could be significant, so it is
 * 0.
 */
function correctedChiSquared(difference: number, variance: number): number {
  return difference < 0.5 && variance < 0.25 ? 0 : (difference - 0.5) ** 2 / variance;
}

/**
 * In each stratum a and b are the correct and incorrect responses of the reference group, c and d
 * those of the focal group. Only strata with cases of both groups contribute. The odds ratio is
 * numerator / denominator.
 */
function sumStrata(table: Table) {
  const sums = {
    numerator: 0,
    denominator: 0,
    difference: 0,
    variance: 0,
    standardized: 0,
    focal: 0,
    strata: 0,
    matched: 0,
  };
  for (let cell = 0; cell < table.length; cell += CELLS) {
    const b = table[cell]!;
    const a = table[cell + 1]!;
    const d = table[cell + 2]!;
    const c = table[cell + 3]!;
    const reference = a + b;
    const focal = c + d;
    if (reference === 0 || focal === 0) continue;
    const all = reference + focal;
    sums.numerator += (a * d) / all;
    sums.denominator += (b * c) / all;
    sums.difference += a - (reference * (a + c)) / all;
    sums.variance += ((reference * focal) / all) * ((a + c) / all) * ((b + d) / (all - 1));
    sums.standardized += focal * (c / focal - a / reference);
    sums.focal += focal;
    sums.strata++;
    sums.matched += all;
  }
  return sums;
}

const NO_EFFECT = { alpha: null, delta: null, delta_se: null };

/**
 * The variance is that of Robins, Breslow & Greenland (1986), equal to that of Phillips & Holland
 * (1987).
 */
function estimateEffect(table: Table, numerator: number, denominator: number) {
  if (numerator === 0 || denominator === 0) return NO_EFFECT;
  const alpha = numerator / denominator;
  let sum = 0;
  for (let cell = 0; cell < table.length; cell += CELLS) {
    const b = table[cell]!;
    const a = table[cell + 1]!;
    const d = table[cell + 2]!;
    const c = table[cell + 3]!;
    if (a + b === 0 || c + d === 0) continue;
    const all = a + b + c + d;
    sum += ((a * d + alpha * b * c) * (a + d + alpha * (b + c))) / all ** 2;
  }
  const delta = DELTA_PER_LOG_ODDS * Math.log(alpha);
  const delta_se = (-DELTA_PER_LOG_ODDS * Math.sqrt(sum / 2)) / numerator;
  return { alpha, delta, delta_se };
}

/**
 * The 95 % confidence interval of Δ that belongs to the test. A limit is null if it is infinite, or
 * if there is no test.
 */
export function computeDeltaInterval(table: Table, continuityCorrection: boolean) {
  const { variance } = sumStrata(table);
  if (!(variance > 0)) return { delta_low: null, delta_high: null };
  const { low, high } = computeScoreInterval(table, Z_95, continuityCorrection ? 0.5 : 0);
  return {
    delta_low: high === null ? null : DELTA_PER_LOG_ODDS * high,
    delta_high: low === null ? null : DELTA_PER_LOG_ODDS * low,
  };
}

export const hasTooFewCases = ({ cases }: MantelHaenszel): boolean => Math.min(...cases) < MIN_GROUP_CASES;

/**
 * The ETS class, by a p-value that may be adjusted. A: not significant, or |Δ| below 1. C: |Δ| of at least 1.5, and significantly
 * above 1. B: otherwise. If the odds ratio is 0 or infinite, a significant item is C. Null without
 * a test, or with too few cases.
 */
export function classify(result: MantelHaenszel, significance: number, p = result.p_value): EtsClass | null {
  const { delta, delta_se } = result;
  if (p === null || hasTooFewCases(result)) return null;
  if (p >= significance) return 'A';
  if (delta === null || delta_se === null) return 'C';
  const size = Math.abs(delta);
  if (size < MIN_MODERATE_DELTA) return 'A';
  const isAboveModerate = size - MIN_MODERATE_DELTA > normalQuantile(1 - significance) * delta_se;
  return size >= MIN_LARGE_DELTA && isAboveModerate ? 'C' : 'B';
}
