/** Systems of linear equations with a symmetric, positive definite matrix, by Cholesky's decomposition. */

/** What is left of a singular matrix is rounding error: this share of what was there. */
const ROUNDING = 1e-13;

/**
 * The lower triangle L with L · Lᵀ = the matrix (row by row, of which the lower triangle is read), or
 * undefined where the matrix is not positive definite: where no more than `singular` of a diagonal element is
 * left. `pause` is waited for between rows.
 */
export async function cholesky(
  matrix: Float64Array,
  size: number,
  pause: () => Promise<void>,
  singular = ROUNDING,
): Promise<Float64Array | undefined> {
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    if (!decomposeRow(matrix, lower, size, i, singular)) return;
    await pause();
  }
  return lower;
}

/** As above, of a matrix that is small enough to be done at once. */
export function choleskyAtOnce(matrix: Float64Array, size: number): Float64Array | undefined {
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++) if (!decomposeRow(matrix, lower, size, i, ROUNDING)) return;
  return lower;
}

function decomposeRow(
  matrix: Float64Array,
  lower: Float64Array,
  size: number,
  i: number,
  singular: number,
): boolean {
  const row = i * size;
  for (let j = 0; j < i; j++) {
    const other = j * size;
    let sum = matrix[row + j]!;
    for (let k = 0; k < j; k++) sum -= lower[row + k]! * lower[other + k]!;
    lower[row + j] = sum / lower[other + j]!;
  }
  let rest = matrix[row + i]!;
  for (let k = 0; k < i; k++) rest -= lower[row + k]! ** 2;
  if (!(rest > Math.abs(matrix[row + i]!) * singular)) return false;
  lower[row + i] = Math.sqrt(rest);
  return true;
}

/** The x with L · Lᵀ · x = b. */
export function solve(lower: Float64Array, size: number, b: Float64Array): Float64Array {
  const x = b.slice();
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i]! -= lower[i * size + k]! * x[k]!;
    x[i]! /= lower[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    x[i]! /= lower[i * size + i]!;
    for (let k = 0; k < i; k++) x[k]! -= lower[i * size + k]! * x[i]!;
  }
  return x;
}

/** The inverse of a lower triangle. `pause` is waited for between rows. */
export async function inverseOfLower(
  lower: Float64Array,
  size: number,
  pause: () => Promise<void>,
): Promise<Float64Array> {
  const inverse = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const row = i * size;
    for (let k = 0; k < i; k++) {
      const factor = lower[row + k]!;
      const other = k * size;
      for (let j = 0; j <= k; j++) inverse[row + j]! -= factor * inverse[other + j]!;
    }
    const scale = 1 / lower[row + i]!;
    for (let j = 0; j < i; j++) inverse[row + j]! *= scale;
    inverse[row + i] = scale;
    await pause();
  }
  return inverse;
}
