import type { Ticker } from '../../concurrency/ticker.ts';
import { cholesky, invertLower } from '../../statistics/linear.ts';

/**
 * A pivot below this share of the diagonal means that an item is a linear combination of others.
 */
const MIN_PIVOT = 1e-9;

/**
 * The squared multiple correlation of each item with all others, 1 − 1 / diag(R⁻¹). Null if the
 * correlation matrix is not positive definite.
 */
export async function squaredMultipleCorrelations(
  correlations: Float64Array,
  k: number,
  ticker: Ticker,
): Promise<Float64Array | null> {
  let rows = 0;
  const pause = () => ticker.yield(rows++ / (2 * k));
  const lower = await cholesky(correlations, k, pause, MIN_PIVOT);
  if (!lower) return null;
  const inverse = await invertLower(lower, k, pause);
  // R = L · Lᵀ, so R⁻¹ = L⁻ᵀ · L⁻¹: its diagonal is the column sums of squares of L⁻¹.
  const diagonal = new Float64Array(k);
  for (let i = 0; i < k; i++) for (let j = 0; j <= i; j++) diagonal[j]! += inverse[i * k + j]! ** 2;
  return diagonal.map((value) => Math.min(1, Math.max(0, 1 - 1 / value)));
}
