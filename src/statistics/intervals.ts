/** Intervals for what was estimated from a sample: null where there is nothing to estimate from. */
import { normalQuantile } from './special.ts';

type Interval = [low: number, high: number];

/** What leaves 2.5 % on either side. */
const Z_95 = normalQuantile(0.975);

/** The score interval of a share (Wilson, 1927), by default for 95 %: sound for few cases and for shares near 0 and 1, too. */
export function wilson(successes: number, n: number, z = Z_95): Interval | null {
  if (!(n > 0)) return null;
  const share = successes / n;
  const denominator = 1 + (z * z) / n;
  const centre = (share + (z * z) / (2 * n)) / denominator;
  const half = (z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))) / denominator;
  return [successes <= 0 ? 0 : Math.max(0, centre - half), successes >= n ? 1 : Math.min(1, centre + half)];
}

/** Of a correlation over n pairs, through Fisher's z (1921), by default for 95 %. It takes four pairs. */
export function fisher(correlation: number, n: number, z = Z_95): Interval | null {
  if (n < 4 || !(Math.abs(correlation) <= 1)) return null;
  const centre = Math.atanh(correlation);
  const half = z / Math.sqrt(n - 3);
  return [Math.tanh(centre - half), Math.tanh(centre + half)];
}
