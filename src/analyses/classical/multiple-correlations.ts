/** How much of each question's variance the others explain: from the inverse of the correlations. */
import { cholesky, inverseOfLower } from '../../statistics/linear.ts';

/** A pivot this small says that a question is a combination of others, up to rounding. */
const SINGULAR = 1e-9;

/** The squared multiple correlations; null where the matrix cannot be inverted or is no matrix of correlations at all. */
export async function multipleCorrelations(
  correlations: Float64Array,
  k: number,
  progress: (share: number) => Promise<void>,
): Promise<Float64Array | null> {
  let rows = 0;
  const pause = () => progress(rows++ / (2 * k));
  const lower = await cholesky(correlations, k, pause, SINGULAR);
  if (!lower) return null;
  const inverse = await inverseOfLower(lower, k, pause);
  // The diagonal of the inverse of L · Lᵀ.
  const diagonal = new Float64Array(k);
  for (let i = 0; i < k; i++) for (let j = 0; j <= i; j++) diagonal[j]! += inverse[i * k + j]! ** 2;
  return diagonal.map((value) => Math.min(1, Math.max(0, 1 - 1 / value)));
}
