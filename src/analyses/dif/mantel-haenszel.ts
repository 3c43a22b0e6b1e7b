/**
 * The Mantel-Haenszel procedure for one question (Holland and Thayer 1988), and the difference of
 * standardised shares.
 */
import { chiSquaredUpperTail, normalQuantile } from '../../statistics/special.ts';
import { CELLS, type Table } from './matching.ts';

/** Makes Δ of a log odds ratio: the scale of difficulty in use at ETS. */
const DELTA_PER_LOG_ODDS = -2.35;
/** Where the classes begin (Dorans and Holland 1993; Zieky 1993). */
export const MODERATE = 1;
export const LARGE = 1.5;

/**
 * With fewer cases in a group a question gets no class. Even with 10, beside a reference group without end,
 * the 95 % interval of Δ reaches 3 to either side at best (1.96 · 2.35 · 2 / √10): from C for the one group to
 * C for the other, so that "A" would say nothing.
 */
export const FEWEST_TO_JUDGE = 10;

export type EtsClass = 'A' | 'B' | 'C';

export interface MantelHaenszel {
  /** By group: cases that were asked the question, and how many of them are right. */
  cases: readonly [number, number];
  right: readonly [number, number];
  /** Null where no odds ratio can be told from the data. */
  alpha: number | null;
  delta: number | null;
  delta_se: number | null;
  delta_low: number | null;
  delta_high: number | null;
  chi_squared: number | null;
  chi_squared_uncorrected: number | null;
  p_value: number | null;
  /** Positive: the focal group has more right than at equal odds; negative: fewer. */
  lean: number;
  standardized: number | null;
  /** Strata with cases of both groups, and how many cases these are. */
  strata: number;
  matched: number;
}

const Z_95 = normalQuantile(0.975);

export function mantelHaenszel(table: Table, corrected: boolean): MantelHaenszel {
  const sums = sumsOf(table);
  const { forReference, forFocal, difference, variance } = sums;
  const tested = variance > 0;
  const uncorrected = tested ? difference ** 2 / variance : null;
  const chi_squared = tested && corrected ? withCorrection(Math.abs(difference), variance) : uncorrected;
  return {
    ...totalsOf(table),
    ...effectOf(table, forReference, forFocal),
    chi_squared,
    chi_squared_uncorrected: uncorrected,
    p_value: chi_squared === null ? null : chiSquaredUpperTail(chi_squared, 1),
    lean: difference === 0 ? 0 : -difference,
    standardized: sums.focal > 0 ? sums.standardized / sums.focal : null,
    strata: sums.strata,
    matched: sums.matched,
  };
}

function totalsOf(table: Table): Pick<MantelHaenszel, 'cases' | 'right'> {
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  for (let at = 0; at < table.length; at++) sums[at % CELLS]! += table[at]!;
  const [referenceWrong, referenceRight, focalWrong, focalRight] = sums;
  return {
    cases: [referenceWrong + referenceRight, focalWrong + focalRight],
    right: [referenceRight, focalRight],
  };
}

/**
 * Less the half of Yates (1934), as Holland and Thayer write it. Below one half that turns round and grows
 * again; where the variance is so small that this might look like a finding, it counts as none.
 */
function withCorrection(difference: number, variance: number): number {
  return difference < 0.5 && variance < 0.25 ? 0 : (difference - 0.5) ** 2 / variance;
}

/** Only strata with cases of both groups say anything; the others would add nothing to any of the sums. */
function sumsOf(table: Table) {
  const sums = {
    forReference: 0,
    forFocal: 0,
    difference: 0,
    variance: 0,
    standardized: 0,
    focal: 0,
    strata: 0,
    matched: 0,
  };
  for (let at = 0; at < table.length; at += CELLS) {
    const b = table[at]!;
    const a = table[at + 1]!;
    const d = table[at + 2]!;
    const c = table[at + 3]!;
    const reference = a + b;
    const focal = c + d;
    if (reference === 0 || focal === 0) continue;
    const all = reference + focal;
    sums.forReference += (a * d) / all;
    sums.forFocal += (b * c) / all;
    sums.difference += a - (reference * (a + c)) / all;
    sums.variance += ((reference * focal) / all) * ((a + c) / all) * ((b + d) / (all - 1));
    sums.standardized += focal * (c / focal - a / reference);
    sums.focal += focal;
    sums.strata++;
    sums.matched += all;
  }
  return sums;
}

const NO_EFFECT = { alpha: null, delta: null, delta_se: null, delta_low: null, delta_high: null };

/**
 * With the variance of Robins, Breslow and Greenland (1986), which is that of Phillips and Holland (1987).
 */
function effectOf(table: Table, forReference: number, forFocal: number) {
  if (forReference === 0 || forFocal === 0) return NO_EFFECT;
  const alpha = forReference / forFocal;
  let sum = 0;
  for (let at = 0; at < table.length; at += CELLS) {
    const b = table[at]!;
    const a = table[at + 1]!;
    const d = table[at + 2]!;
    const c = table[at + 3]!;
    if (a + b === 0 || c + d === 0) continue;
    const all = a + b + c + d;
    sum += ((a * d + alpha * b * c) * (a + d + alpha * (b + c))) / all ** 2;
  }
  const delta = DELTA_PER_LOG_ODDS * Math.log(alpha);
  const delta_se = (-DELTA_PER_LOG_ODDS * Math.sqrt(sum / 2)) / forReference;
  return {
    alpha,
    delta,
    delta_se,
    delta_low: delta - Z_95 * delta_se,
    delta_high: delta + Z_95 * delta_se,
  };
}

export const isTiny = ({ cases }: MantelHaenszel): boolean => Math.min(...cases) < FEWEST_TO_JUDGE;

/**
 * A: not significant, or below 1. C: at least 1.5, and significantly above 1. B: what is between. Where one
 * group has all the odds, Δ is beyond every bound, and the test alone decides. Null where there is no test, or
 * too few cases to judge by one.
 */
export function classOf(found: MantelHaenszel, significance: number): EtsClass | null {
  const { delta, delta_se, p_value } = found;
  if (p_value === null || isTiny(found)) return null;
  if (p_value >= significance) return 'A';
  if (delta === null || delta_se === null) return 'C';
  const size = Math.abs(delta);
  if (size < MODERATE) return 'A';
  const aboveModerate = size - MODERATE > normalQuantile(1 - significance) * delta_se;
  return size >= LARGE && aboveModerate ? 'C' : 'B';
}
