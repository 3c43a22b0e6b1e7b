/** Coefficients of reliability from the covariances of the questions. What is not defined is null. */
import { fQuantile } from '../../statistics/beta.ts';

/** A total whose variance is this small beside that of its questions does not vary: they cancel out. */
const CANCELLED = 1e-12;

export interface Sums {
  k: number;
  /** The sum of the variances of the questions, the variance of their total, and each question's covariance with the total. */
  trace: number;
  total: number;
  rows: Float64Array;
}

export function sumsOf(matrix: Float64Array, k: number): Sums {
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

/** Cronbach's alpha (1951), of k questions whose variances sum to `trace` and whose total has the variance `total`. */
export function alpha({ k, trace, total }: Pick<Sums, 'k' | 'trace' | 'total'>): number | null {
  if (k < 2 || !(total > CANCELLED * trace)) return null;
  return (k / (k - 1)) * (1 - trace / total);
}

/** Alpha of the other questions. */
export function alphaWithout(i: number, variance: number, sums: Sums): number | null {
  return alpha({
    k: sums.k - 1,
    trace: sums.trace - variance,
    total: sums.total - 2 * sums.rows[i]! + variance,
  });
}

/** The correlation of a question with the total of the others. */
export function correctedCorrelation(i: number, variance: number, sums: Sums): number | null {
  const rest = sums.total - 2 * sums.rows[i]! + variance;
  if (!(rest > CANCELLED * sums.trace)) return null;
  const r = (sums.rows[i]! - variance) / Math.sqrt(variance * rest);
  // Covariances of different cases need not fit together.
  return Math.abs(r) > 1 + 1e-9 ? null : Math.max(-1, Math.min(1, r));
}

/**
 * Feldt's (1965) interval: (1 − population alpha) / (1 − alpha) has an F distribution with n − 1 and (n − 1)(k − 1) degrees of
 * freedom.
 */
export function feldt(value: number, n: number, k: number, level = 0.95): [low: number, high: number] | null {
  if (n < 2 || k < 2) return null;
  const numerator = n - 1;
  const denominator = (n - 1) * (k - 1);
  const outside = (1 - level) / 2;
  const bound = (p: number) => 1 - (1 - value) * fQuantile(p, numerator, denominator);
  return [bound(1 - outside), bound(outside)];
}

/** The reliability of a test so many times as long (Spearman 1910, Brown 1910). */
export function prophecy(reliability: number, times: number): number | null {
  const denominator = 1 + (times - 1) * reliability;
  return denominator > 0 ? (times * reliability) / denominator : null;
}

/** Guttman's λ2 (1945). */
export function lambda2(matrix: Float64Array, { k, trace, total }: Sums): number | null {
  if (k < 2 || !(total > CANCELLED * trace)) return null;
  let squares = 0;
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < k; j++) if (j !== i) squares += matrix[i * k + j]! ** 2;
  }
  return (total - trace + Math.sqrt((k / (k - 1)) * squares)) / total;
}

/** Kuder and Richardson's formula 21 (1937): as if all questions were equally hard. Its variance divides by n. */
export function kr21(facilities: Float64Array, { k, total }: Sums, n: number): number | null {
  const mean = facilities.reduce((sum, facility) => sum + facility, 0);
  const variance = (total * (n - 1)) / n;
  if (k < 2 || !(variance > 0)) return null;
  return (k / (k - 1)) * (1 - (mean * (k - mean)) / (k * variance));
}

/** How the totals of every other question go together. */
export function oddEvenCorrelation(matrix: Float64Array, k: number): number | null {
  const sums = [0, 0, 0];
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < k; j++) {
      if (i % 2 === j % 2) sums[i % 2]! += matrix[i * k + j]!;
      else if (i % 2 === 0) sums[2]! += matrix[i * k + j]!;
    }
  }
  const [odd, even, both] = sums as [number, number, number];
  if (!(odd > 0 && even > 0)) return null;
  const r = both / Math.sqrt(odd * even);
  return Math.abs(r) > 1 + 1e-9 ? null : r;
}

/** Covariances as correlations. */
export function correlationsOf(matrix: Float64Array, k: number): Float64Array {
  return matrix.map((covariance, place) => {
    const [i, j] = [Math.floor(place / k), place % k];
    return i === j ? 1 : covariance / Math.sqrt(matrix[i * k + i]! * matrix[j * k + j]!);
  });
}

export function averageCorrelation(correlations: Float64Array, k: number): number | null {
  if (k < 2) return null;
  return (correlations.reduce((sum, r) => sum + r, 0) - k) / (k * (k - 1));
}
