/**
 * Reliability coefficients, computed from the item covariance matrix. An undefined coefficient is
 * null.
 */
import { fQuantile } from '../../statistics/beta.ts';
import { chiSquaredUpperTail } from '../../statistics/special.ts';

/**
 * A total variance below this share of the sum of item variances is rounding error: the items
 * cancel out.
 */
const MIN_VARIANCE_RATIO = 1e-12;

/** A correlation may exceed 1 by rounding; beyond this, pairwise covariances are inconsistent. */
const MAX_ABS_CORRELATION = 1 + 1e-9;

export interface CovarianceSums {
  /** The number of items. */
  k: number;
  /** The sum of the item variances. */
  trace: number;
  /** The variance of the total score. */
  total: number;
  /** By item: its covariance with the total score. */
  rows: Float64Array;
}

export function sumCovariances(matrix: Float64Array, k: number): CovarianceSums {
  const rows = new Float64Array(k);
  let trace = 0;
  let total = 0;
  for (let i = 0; i < k; i++) {
    let sum = 0;
    for (let j = 0; j < k; j++) sum += matrix[i * k + j]!;
    rows[i] = sum;
    total += sum;
    trace += matrix[i * k + i]!;
  }
  return { k, trace, total, rows };
}

/** Cronbach's alpha (1951). */
export function cronbachAlpha({
  k,
  trace,
  total,
}: Pick<CovarianceSums, 'k' | 'trace' | 'total'>): number | null {
  if (k < 2 || !(total > MIN_VARIANCE_RATIO * trace)) return null;
  return (k / (k - 1)) * (1 - trace / total);
}

/** Alpha of the other items. */
export function cronbachAlphaIfDeleted(i: number, variance: number, sums: CovarianceSums): number | null {
  return cronbachAlpha({
    k: sums.k - 1,
    trace: sums.trace - variance,
    total: sums.total - 2 * sums.rows[i]! + variance,
  });
}

/** The corrected item-total correlation: of an item with the total of the other items. */
export function correctedItemTotalCorrelation(
  i: number,
  variance: number,
  sums: CovarianceSums,
): number | null {
  const restVariance = sums.total - 2 * sums.rows[i]! + variance;
  if (!(restVariance > MIN_VARIANCE_RATIO * sums.trace)) return null;
  const r = (sums.rows[i]! - variance) / Math.sqrt(variance * restVariance);
  return Math.abs(r) > MAX_ABS_CORRELATION ? null : Math.max(-1, Math.min(1, r));
}

/**
 * The confidence interval of alpha by Feldt (1965): (1 − population alpha) / (1 − alpha) has an F
 * distribution with n − 1 and (n − 1)(k − 1) degrees of freedom.
 */
export function feldtInterval(
  alpha: number,
  n: number,
  k: number,
  confidence = 0.95,
): [low: number, high: number] | null {
  if (n < 2 || k < 2) return null;
  const numerator = n - 1;
  const denominator = (n - 1) * (k - 1);
  const tail = (1 - confidence) / 2;
  const bound = (p: number) => 1 - (1 - alpha) * fQuantile(p, numerator, denominator);
  return [bound(1 - tail), bound(tail)];
}

/**
 * The Spearman-Brown prophecy formula (1910): the reliability of a test of `factor` times the
 * length.
 */
export function spearmanBrown(reliability: number, factor: number): number | null {
  const denominator = 1 + (factor - 1) * reliability;
  return denominator > 0 ? (factor * reliability) / denominator : null;
}

/** Guttman's λ2 (1945). */
export function guttmanLambda2(matrix: Float64Array, { k, trace, total }: CovarianceSums): number | null {
  if (k < 2 || !(total > MIN_VARIANCE_RATIO * trace)) return null;
  let squares = 0;
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < k; j++) if (j !== i) squares += matrix[i * k + j]! ** 2;
  }
  return (total - trace + Math.sqrt((k / (k - 1)) * squares)) / total;
}

/** Guttman's λ6 (1945), from correlations and the squared multiple correlations. */
export function guttmanLambda6(
  squaredMultipleCorrelations: Float64Array,
  correlations: Float64Array,
): number | null {
  const total = correlations.reduce((sum, r) => sum + r, 0);
  const unexplained = squaredMultipleCorrelations.reduce((sum, smc) => sum + 1 - smc, 0);
  return total > 0 ? 1 - unexplained / total : null;
}

/**
 * Kuder and Richardson's formula 21 (1937), which assumes equal facilities. Its variance divides by
 * n.
 */
export function kr21(facilities: Float64Array, { k, total }: CovarianceSums, n: number): number | null {
  const mean = facilities.reduce((sum, facility) => sum + facility, 0);
  const variance = (total * (n - 1)) / n;
  if (k < 2 || !(variance > 0)) return null;
  return (k / (k - 1)) * (1 - (mean * (k - mean)) / (k * variance));
}

/** The correlation of the total of the odd items with the total of the even items. */
export function oddEvenCorrelation(matrix: Float64Array, k: number): number | null {
  const sums = [0, 0, 0];
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < k; j++) {
      if (i % 2 === j % 2) sums[i % 2]! += matrix[i * k + j]!;
      else if (i % 2 === 0) sums[2]! += matrix[i * k + j]!;
    }
  }
  const [odd, even, covariance] = sums as [number, number, number];
  if (!(odd > 0 && even > 0)) return null;
  const r = covariance / Math.sqrt(odd * even);
  return Math.abs(r) > MAX_ABS_CORRELATION ? null : r;
}

export function toCorrelations(covariances: Float64Array, k: number): Float64Array {
  return covariances.map((covariance, index) => {
    const [i, j] = [Math.floor(index / k), index % k];
    return i === j ? 1 : covariance / Math.sqrt(covariances[i * k + i]! * covariances[j * k + j]!);
  });
}

/**
 * The p-value of the hypothesis that no two items correlate: the sum of the squares of Fisher's z,
 * times n - 3, is approximately chi-squared (Steiger 1980).
 */
export function testIndependence(correlations: Float64Array, k: number, cases: number): number {
  let squares = 0;
  for (let i = 0; i < k; i++)
    for (let j = 0; j < i; j++) {
      const r = correlations[i * k + j]!;
      squares += Math.atanh(Math.min(Math.abs(r), MAX_FISHER_CORRELATION)) ** 2;
    }
  return chiSquaredUpperTail(Math.max(0, cases - 3) * squares, (k * (k - 1)) / 2);
}

/** Fisher's z of a correlation of 1 is infinite. */
const MAX_FISHER_CORRELATION = 1 - 1e-9;

export function averageInterItemCorrelation(correlations: Float64Array, k: number): number | null {
  if (k < 2) return null;
  return (correlations.reduce((sum, r) => sum + r, 0) - k) / (k * (k - 1));
}
