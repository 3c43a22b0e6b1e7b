/** Statistics of grades: quantiles, histogram, Tukey's fence and the order of the rows. */
import { quantile } from '../../statistics/descriptive.ts';
import type { Distribution } from './schemas.ts';

export function computeDistribution(values: Float64Array): Distribution {
  const sorted = values.toSorted();
  return {
    count: sorted.length,
    min: quantile(sorted, 0),
    lower_quartile: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    upper_quartile: quantile(sorted, 0.75),
    max: quantile(sorted, 1),
  };
}

/** Histogram counts; values outside are counted in the first or the last bin. */
export function countBins(
  values: Float64Array,
  { from, step, count }: { from: number; step: number; count: number },
): number[] {
  const bins = new Array<number>(count).fill(0);
  for (const value of values) {
    const bin = Math.floor((value - from) / step);
    bins[Math.min(Math.max(bin, 0), count - 1)]!++;
  }
  return bins;
}

/** Quartiles of fewer values are not compared with. */
export const MIN_GROUP_SIZE = 5;
/** Minimum distance of the fence from the quartile, for groups with hardly any variance. */
const MIN_FENCE_DISTANCE = 1;

/** Tukey's upper fence: a grade above it is an outlier of its group. */
export function computeUpperFence(
  { count, lower_quartile, upper_quartile }: Distribution,
  iqrMultiple: number,
): number {
  if (count < MIN_GROUP_SIZE) return Number.POSITIVE_INFINITY;
  const iqr = upper_quartile! - lower_quartile!;
  return upper_quartile! + Math.max(iqrMultiple * iqr, MIN_FENCE_DISTANCE);
}

/** Exceeds any grade in tenths: the longest word that is allowed has grade 58,000. */
const MAX_GRADE_TENTHS = 2 ** 22;

/**
 * Indexes by rank, then by descending grade, then by index. The three are packed into one number
 * each, because typed arrays sort numbers much faster than a comparator would.
 */
export function sortByRankAndGrade(ranks: Uint8Array, grades: Float64Array): Float64Array {
  const count = ranks.length;
  const keys = Float64Array.from(ranks, (rank, index) => {
    const tenths = Math.round((grades[index] || 0) * 10);
    return ((rank + 0.5) * MAX_GRADE_TENTHS - tenths) * count + index;
  });
  return keys.sort().map((key) => key % count);
}
