/**
 * Infit and outfit: mean squares of the residuals at the ML abilities (Wright & Masters, 1982).
 * Infit = Σ (x − P)² / Σ P(1 − P); outfit = mean of (x − P)² / (P(1 − P)).
 */

import type { Ticker } from '../../concurrency/ticker.ts';
import type { Scores } from '../shared/responses.ts';
import type { ItemCurves } from './calibration/model.ts';

interface MeanSquare {
  mean_square: number;
  /** Standardised by the cube root (Wilson & Hilferty, 1931); null for a variance of 0. */
  z: number | null;
}

export interface InfitOutfit {
  infit: MeanSquare;
  outfit: MeanSquare;
}

/** Lower limit of P(1 − P): a very unlikely response would outweigh thousands of others. */
const MIN_VARIANCE = Math.sqrt(1e-5);
/** The transformation is close to normal up to this standard deviation of the mean square. */
const MAX_STANDARD_DEVIATION = Math.SQRT2;
/** Sums that are accumulated per item. */
const SUMS_PER_ITEM = 6;

/**
 * Missing responses and cases without an ability (NaN) are ignored. Null for an item without
 * responses.
 */
export async function computeInfitOutfit(
  { cases, items, starts, item, right }: Scores,
  { discrimination, intercept, guessing }: ItemCurves,
  ability: Float64Array,
  ticker: Ticker,
): Promise<(item: number) => InfitOutfit | null> {
  const sums = new Float64Array(items * SUMS_PER_ITEM);
  for (let c = 0; c < cases; c++) {
    if (ticker.due()) await ticker.yield(c / cases);
    if (Number.isNaN(ability[c])) continue;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const j = item[i]!;
      const p =
        guessing[j]! +
        (1 - guessing[j]!) / (1 + Math.exp(-(discrimination[j]! * ability[c]! + intercept[j]!)));
      const squared = (right[i]! - p) ** 2;
      const exact = p * (1 - p);
      const variance = Math.max(exact, MIN_VARIANCE);
      const fourthMoment = exact * (1 - 3 * exact);
      const offset = j * SUMS_PER_ITEM;
      sums[offset]!++;
      sums[offset + 1]! += squared;
      sums[offset + 2]! += squared / variance;
      sums[offset + 3]! += variance;
      sums[offset + 4]! += fourthMoment / (variance * variance);
      sums[offset + 5]! += fourthMoment - variance * variance;
    }
  }
  return (j) => toInfitOutfit(sums.subarray(j * SUMS_PER_ITEM, (j + 1) * SUMS_PER_ITEM));
}

function toInfitOutfit([
  n = 0,
  squared = 0,
  standardised = 0,
  variance = 0,
  kurtosis = 0,
  excess = 0,
]: Iterable<number>): InfitOutfit | null {
  if (n === 0) return null;
  return {
    infit: standardise(squared / variance, Math.sqrt(Math.max(0, excess)) / variance),
    outfit: standardise(standardised / n, Math.sqrt(Math.max(0, kurtosis / n - 1) / n)),
  };
}

function standardise(mean_square: number, standardDeviation: number): MeanSquare {
  const q = Math.min(standardDeviation, MAX_STANDARD_DEVIATION);
  const z = (Math.cbrt(mean_square) - 1) * (3 / q) + q / 3;
  return { mean_square, z: Number.isFinite(z) ? z : null };
}
