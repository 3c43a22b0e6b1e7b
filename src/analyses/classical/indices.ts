/**
 * The classical figures of a question, over columns of real numbers: its scores, and the scores of the same cases on the
 * whole test or on the rest of it. Every variance divides by n − 1.
 */
import { wilson } from '../../statistics/intervals.ts';
import { normalQuantile } from '../../statistics/special.ts';
import type { Levels } from './score-groups.ts';

interface Moments {
  n: number;
  meanX: number;
  meanY: number;
  varianceX: number;
  varianceY: number;
  covariance: number;
}

/** How two columns vary, and vary together; null for fewer than two cases. */
export function momentsOf(x: ArrayLike<number>, y: ArrayLike<number>): Moments | null {
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
  const freedom = n - 1;
  return { n, meanX, meanY, varianceX: xx / freedom, varianceY: yy / freedom, covariance: xy / freedom };
}

/** Pearson's correlation; null where a column does not vary. */
export function correlationOf(moments: Moments | null): number | null {
  if (!moments || !varies(moments.varianceX, moments.meanX) || !varies(moments.varianceY, moments.meanY)) {
    return null;
  }
  const r = moments.covariance / Math.sqrt(moments.varianceX * moments.varianceY);
  return Math.max(-1, Math.min(1, r));
}

/** What rounding leaves of equal values is no variance. */
const varies = (variance: number, mean: number) => variance > 1e-24 * Math.max(1, mean * mean);

/**
 * Moodle's discriminative efficiency, in percent: the covariance beside the greatest that the values of two columns could have,
 * which is that of both in ascending order. Null where no order would discriminate.
 */
export function discriminativeEfficiency(moments: Moments | null, x: Levels, y: Levels): number | null {
  if (!moments || correlationOf(moments) === null) return null;
  const greatest = ascendingCovariance(moments, x, y);
  return greatest > 0 ? (100 * moments.covariance) / greatest : null;
}

function ascendingCovariance({ n, meanX, meanY }: Moments, x: Levels, y: Levels): number {
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
 * Moodle's effective weights, in percent: the square root of each question's covariance with the total beside the sum of
 * all. A question whose covariance is negative has none.
 */
export function effectiveWeights(covariances: readonly (number | null)[]): (number | null)[] {
  const roots = covariances.map((covariance) =>
    covariance === null || covariance < 0 ? null : Math.sqrt(covariance),
  );
  const sum = roots.reduce<number>((all, root) => all + (root ?? 0), 0);
  return roots.map((root) => (root === null || sum === 0 ? null : (100 * root) / sum));
}

/**
 * The biserial correlation from a point-biserial one: what it would be if what lies behind right and wrong were normally
 * distributed. It may exceed 1 where that is not so.
 */
export function biserial(pointBiserial: number | null, facility: number): number | null {
  if (pointBiserial === null || !(facility > 0 && facility < 1)) return null;
  const z = normalQuantile(facility);
  const ordinate = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return (pointBiserial * Math.sqrt(facility * (1 - facility))) / ordinate;
}

/**
 * The 95 % interval of the difference of two shares of `size` cases each (Newcombe 1998, method 10): put together from Wilson's
 * intervals of both, so that it does not shrink to nothing where a share is 0 or 1.
 */
export function newcombe(first: number, second: number, size: number): [low: number, high: number] | null {
  const [a, b] = [wilson(first, size), wilson(second, size)];
  if (!a || !b) return null;
  const [p, q] = [first / size, second / size];
  return [p - q - Math.hypot(p - a[0], b[1] - q), p - q + Math.hypot(a[1] - p, q - b[0])];
}
