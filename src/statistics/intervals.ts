/** Confidence intervals. Null means that the sample is too small for one. */
import { normalQuantile } from './special.ts';

type Interval = [low: number, high: number];

/** Two-sided 95 %. */
const Z_95 = normalQuantile(0.975);

/**
 * Score interval of a proportion (Wilson, 1927), by default at 95 %: (p + z²/2n ± z · √(p(1 − p)/n
 * + z²/4n²)) / (1 + z²/n). Unlike the Wald interval it stays within [0, 1] and keeps its coverage
 * for small n and for proportions near 0 and 1. Null for n = 0.
 */
export function wilson(successes: number, n: number, z = Z_95): Interval | null {
  if (!(n > 0)) return null;
  const p = successes / n;
  const denominator = 1 + (z * z) / n;
  const centre = (p + (z * z) / (2 * n)) / denominator;
  const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / denominator;
  return [successes <= 0 ? 0 : Math.max(0, centre - half), successes >= n ? 1 : Math.min(1, centre + half)];
}

/**
 * Interval of a Pearson correlation over n pairs through Fisher's transformation (1921), by default
 * at 95 %: tanh(artanh r ± z / √(n − 3)). Null for fewer than four pairs, or where r is not within
 * [−1, 1].
 */
export function fisher(correlation: number, n: number, z = Z_95): Interval | null {
  if (n < 4 || !(Math.abs(correlation) <= 1)) return null;
  const centre = Math.atanh(correlation);
  const half = z / Math.sqrt(n - 3);
  return [Math.tanh(centre - half), Math.tanh(centre + half)];
}
