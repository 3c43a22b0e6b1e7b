/**
 * Classical item indices, computed from two columns: the scores of an item, and the total or rest
 * scores of the same cases. Every variance divides by n − 1.
 */
import { wilson } from '../../statistics/intervals.ts';
import { normalQuantile } from '../../statistics/special.ts';
import type { ScoreLevels } from './score-groups.ts';

/** A variance below this, relative to the squared mean, is rounding error of equal values. */
const MIN_VARIANCE = 1e-24;

interface Moments {
  n: number;
  meanX: number;
  meanY: number;
  varianceX: number;
  varianceY: number;
  covariance: number;
}

/** Means, variances and covariance of two columns; null for fewer than two cases. */
export function computeMoments(x: ArrayLike<number>, y: ArrayLike<number>): Moments | null {
  const n = x.length;
  if (n < 2) return null;
  let meanX = 0;
  let meanY = 0;
  for (let i = 0; i < n; i++) {
    meanX += x[i]!;
    meanY += y[i]!;
  }
  meanX /= n;
  meanY /= n;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < n; i++) {
    const dx = x[i]! - meanX;
    const dy = y[i]! - meanY;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  const df = n - 1;
  return { n, meanX, meanY, varianceX: xx / df, varianceY: yy / df, covariance: xy / df };
}

/** Pearson's correlation; null if a column does not vary. */
export function pearson(moments: Moments | null): number | null {
  if (!moments || !varies(moments.varianceX, moments.meanX) || !varies(moments.varianceY, moments.meanY)) {
    return null;
  }
  const r = moments.covariance / Math.sqrt(moments.varianceX * moments.varianceY);
  return Math.max(-1, Math.min(1, r));
}

const varies = (variance: number, mean: number) => variance > MIN_VARIANCE * Math.max(1, mean * mean);

/**
 * Moodle's discriminative efficiency, in percent: the covariance relative to the maximum possible
 * with the same values, which both columns have in ascending order. Null if the maximum is not
 * positive.
 */
export function discriminativeEfficiency(
  moments: Moments | null,
  x: ScoreLevels,
  y: ScoreLevels,
): number | null {
  if (!moments || pearson(moments) === null) return null;
  const max = maxCovariance(moments, x, y);
  return max > 0 ? (100 * moments.covariance) / max : null;
}

function maxCovariance({ n, meanX, meanY }: Moments, x: ScoreLevels, y: ScoreLevels): number {
  let sum = 0;
  for (let done = 0, i = 0, j = 0; done < n; ) {
    const end = Math.min(x.ends[i]!, y.ends[j]!);
    sum += (end - done) * (x.values[i]! - meanX) * (y.values[j]! - meanY);
    done = end;
    if (x.ends[i] === end) i++;
    if (y.ends[j] === end) j++;
  }
  return sum / (n - 1);
}

/**
 * Moodle's effective weights, in percent: the square root of each item's covariance with the total,
 * relative to the sum of all. Null for an item with a negative covariance.
 */
export function effectiveWeights(covariances: readonly (number | null)[]): (number | null)[] {
  const roots = covariances.map((covariance) =>
    covariance === null || covariance < 0 ? null : Math.sqrt(covariance),
  );
  const sum = roots.reduce<number>((total, root) => total + (root ?? 0), 0);
  return roots.map((root) => (root === null || sum === 0 ? null : (100 * root) / sum));
}

/**
 * The biserial correlation: the estimated correlation with a normally distributed variable of which
 * the item score is a dichotomy. It may exceed 1 if that assumption does not hold.
 */
export function biserial(pointBiserial: number | null, facility: number): number | null {
  if (pointBiserial === null || !(facility > 0 && facility < 1)) return null;
  const z = normalQuantile(facility);
  const ordinate = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return (pointBiserial * Math.sqrt(facility * (1 - facility))) / ordinate;
}

/**
 * The 95 % confidence interval of the difference of two proportions of `n` cases each (Newcombe
 * 1998, method 10). Combines the Wilson intervals of both, so it does not degenerate for
 * proportions of 0 or 1.
 */
export function newcombeInterval(
  first: number,
  second: number,
  n: number,
): [low: number, high: number] | null {
  const [a, b] = [wilson(first, n), wilson(second, n)];
  if (!a || !b) return null;
  const [p, q] = [first / n, second / n];
  return [p - q - Math.hypot(p - a[0], b[1] - q), p - q + Math.hypot(a[1] - p, q - b[0])];
}
