/** Infit and outfit: how far answers lie from what is expected at the abilities estimated (Wright & Masters, 1982). */

import type { Scores } from '../shared/responses.ts';
import type { Curves } from './calibration/model.ts';

interface MeanSquare {
  mean_square: number;
  /** The same as a standard normal variable, by the cube root of Wilson & Hilferty (1931); null where nothing could vary. */
  z: number | null;
}

export interface Squares {
  infit: MeanSquare;
  outfit: MeanSquare;
}

/** Smaller variances count as this one: a single answer against all odds would outweigh thousands otherwise. */
const LEAST_VARIANCE = Math.sqrt(1e-5);
/** The largest spread for which the cube root comes near a normal variable: √2. */
const LARGEST_SPREAD = Math.SQRT2;
/** Cases between two looks at whether the run is still wanted. */
const AT_ONCE = 1 << 12;

/** What is summed up for each question, side by side. */
const SUMS = 6;

/** Every answer counts where it was given; nobody has to have answered everything. */
export async function meanSquares(
  { cases, items, starts, item, right }: Scores,
  { slope, intercept, lower }: Curves,
  ability: Float64Array,
  rest: () => Promise<void>,
): Promise<(item: number) => Squares | null> {
  const sums = new Float64Array(items * SUMS);
  for (let c = 0; c < cases; c++) {
    if (c % AT_ONCE === 0) await rest();
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const j = item[i]!;
      const p = lower[j]! + (1 - lower[j]!) / (1 + Math.exp(-(slope[j]! * ability[c]! + intercept[j]!)));
      const squared = (right[i]! - p) ** 2;
      const exact = p * (1 - p);
      const variance = Math.max(exact, LEAST_VARIANCE);
      const fourthMoment = exact * (1 - 3 * exact);
      const at = j * SUMS;
      sums[at]!++;
      sums[at + 1]! += squared;
      sums[at + 2]! += squared / variance;
      sums[at + 3]! += variance;
      sums[at + 4]! += fourthMoment / (variance * variance);
      sums[at + 5]! += fourthMoment - variance * variance;
    }
  }
  return (j) => squaresOf(sums.subarray(j * SUMS, (j + 1) * SUMS));
}

function squaresOf([
  n = 0,
  squared = 0,
  standardised = 0,
  variance = 0,
  kurtosis = 0,
  excess = 0,
]: Iterable<number>): Squares | null {
  if (n === 0) return null;
  return {
    infit: asNormal(squared / variance, Math.sqrt(Math.max(0, excess)) / variance),
    outfit: asNormal(standardised / n, Math.sqrt(Math.max(0, kurtosis / n - 1) / n)),
  };
}

function asNormal(mean_square: number, deviation: number): MeanSquare {
  const spread = Math.min(deviation, LARGEST_SPREAD);
  const z = (Math.cbrt(mean_square) - 1) * (3 / spread) + spread / 3;
  return { mean_square, z: Number.isFinite(z) ? z : null };
}
