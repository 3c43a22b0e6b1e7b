/** Descriptive statistics and histograms of test scores. */
import { mean, quantile } from '../../statistics/descriptive.ts';

export interface Distribution {
  n: number;
  mean: number | null;
  sd: number | null;
  median: number | null;
  min: number | null;
  max: number | null;
  skewness: number | null;
  kurtosis: number | null;
}

/**
 * Skewness and excess kurtosis are Fisher's G1 and G2 (from k-statistics), as in Moodle and
 * spreadsheets.
 */
export function describeDistribution(scores: Float64Array): Distribution {
  const sorted = scores.slice().sort();
  const n = sorted.length;
  const centre = mean(sorted);
  const [second, third, fourth] = centralMoments(sorted, centre ?? 0);
  const variance = n > 1 ? (second * n) / (n - 1) : 0;
  const varies = n > 1 && sorted[0]! < sorted[n - 1]!;
  return {
    n,
    mean: centre,
    sd: n > 1 ? Math.sqrt(variance) : null,
    median: quantile(sorted, 0.5),
    min: sorted[0] ?? null,
    max: sorted[n - 1] ?? null,
    skewness: varies && n > 2 ? (n * n * third) / ((n - 1) * (n - 2)) / variance ** 1.5 : null,
    kurtosis:
      varies && n > 3
        ? (n * n * ((n + 1) * fourth - 3 * (n - 1) * second * second)) /
          ((n - 1) * (n - 2) * (n - 3)) /
          variance ** 2
        : null,
  };
}

function centralMoments(values: Float64Array, centre: number): [number, number, number] {
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (const value of values) {
    const square = (value - centre) ** 2;
    second += square;
    third += square * (value - centre);
    fourth += square * square;
  }
  const n = values.length;
  return [second / n, third / n, fourth / n];
}

export interface Histogram {
  from: number;
  step: number;
  counts: number[];
}

/**
 * Bins number-correct scores from 0 to `max`. Bins are centred on integers; wider than 1 if there
 * are too many.
 */
export function binCounts(scores: Float64Array, max: number, maxBins: number): Histogram {
  const step = Math.max(1, Math.ceil((max + 1) / maxBins));
  const counts = Array.from({ length: Math.ceil((max + 1) / step) }, () => 0);
  for (const score of scores) counts[Math.floor(score / step)]!++;
  return { from: -0.5, step, counts };
}

/** Bins proportions from 0 to 1 into intervals of equal width; 1 belongs to the last. */
export function binProportions(scores: Float64Array, bins: number): Histogram {
  const counts = Array.from({ length: bins }, () => 0);
  for (const score of scores) counts[Math.min(bins - 1, Math.floor(score * bins))]!++;
  return { from: 0, step: 1 / bins, counts };
}
