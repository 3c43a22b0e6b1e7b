/**
 * Decides whether a measured series grows. The second half of a run is divided into windows, each
 * is reduced to one value, and the Theil–Sen estimator (the median of the slopes of all pairs)
 * gives the growth: up to 29 % of the windows may be outliers.
 */

export interface Series {
  name: string;
  values: number[];
  /** The largest growth over the second half that counts as flat, in the unit of the values. */
  maxGrowth: number;
  /**
   * `min` for the heap, which rises until the next garbage collection; `median` for other series.
   */
  reduce?: 'min' | 'median';
}

const WINDOWS = 30;

/** Returns the growth from the beginning to the end of the second half. */
export function estimateGrowth({ values, reduce = 'median' }: Series): number {
  const windows = splitEvenly(values.slice(Math.floor(values.length / 2)), WINDOWS);
  const levels = windows.map((window) => (reduce === 'min' ? Math.min(...window) : computeMedian(window)));
  const slopes = levels.flatMap((level, i) =>
    levels.slice(i + 1).map((later, j) => (later - level) / (j + 1)),
  );
  return slopes.length === 0 ? 0 : computeMedian(slopes) * (levels.length - 1);
}

export const isFlat = (series: Series) => estimateGrowth(series) <= series.maxGrowth;

function computeMedian(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2;
}

function splitEvenly(values: number[], parts: number): number[][] {
  const size = Math.max(1, values.length / parts);
  const count = Math.min(parts, values.length);
  return Array.from({ length: count }, (_, i) =>
    values.slice(Math.floor(i * size), Math.max(Math.floor(i * size) + 1, Math.floor((i + 1) * size))),
  );
}
