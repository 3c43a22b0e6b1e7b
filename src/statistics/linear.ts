/**
 * Dense linear algebra for symmetric positive definite matrices, by Cholesky decomposition A = L ·
 * Lᵀ. Matrices are stored by rows; of a symmetric one only the lower triangle is read. The O(n³)
 * functions await `yieldControl` after each row, so that a long decomposition does not block the
 * event loop.
 */

/**
 * A pivot below this fraction of its diagonal element is rounding error: the matrix is singular.
 */
const RELATIVE_PIVOT = 1e-13;

/**
 * Cholesky factor L. Undefined where the matrix is not positive definite: where a pivot is at most
 * `minPivot` times its diagonal element.
 */
export async function cholesky(
  matrix: Float64Array,
  size: number,
  yieldControl: () => Promise<void>,
  minPivot = RELATIVE_PIVOT,
): Promise<Float64Array | undefined> {
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    if (!decomposeRow(matrix, lower, size, i, minPivot)) return;
    await yieldControl();
  }
  return lower;
}

/** Like `cholesky`, without yielding: for small matrices. */
export function choleskySync(matrix: Float64Array, size: number): Float64Array | undefined {
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++) if (!decomposeRow(matrix, lower, size, i, RELATIVE_PIVOT)) return;
  return lower;
}

function decomposeRow(
  matrix: Float64Array,
  lower: Float64Array,
  size: number,
  i: number,
  minPivot: number,
): boolean {
  const row = i * size;
  for (let j = 0; j < i; j++) {
    const other = j * size;
    let sum = matrix[row + j]!;
    for (let k = 0; k < j; k++) sum -= lower[row + k]! * lower[other + k]!;
    lower[row + j] = sum / lower[other + j]!;
  }
  let pivot = matrix[row + i]!;
  for (let k = 0; k < i; k++) pivot -= lower[row + k]! ** 2;
  if (!(pivot > Math.abs(matrix[row + i]!) * minPivot)) return false;
  lower[row + i] = Math.sqrt(pivot);
  return true;
}

/** Solves L · Lᵀ · x = b by forward and back substitution. */
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

/** Inverse of a lower triangular matrix with a non-zero diagonal. */
export async function invertLower(
  lower: Float64Array,
  size: number,
  yieldControl: () => Promise<void>,
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
    await yieldControl();
  }
  return inverse;
}
