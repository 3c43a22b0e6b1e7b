/**
 * Anderson acceleration (1965) of a fixed-point iteration x → g(x): the next point is the affine
 * combination of the last images whose residual g(x) − x is smallest in a weighted least-squares
 * sense. For its use with EM see Henderson and Varadhan (2019).
 */
import { choleskySync, solve } from '../../../statistics/linear.ts';

/** Number of earlier residual differences that are combined. */
const DEPTH = 8;
/** Keeps the normal equations solvable where residuals are nearly collinear. */
const RIDGE = 1e-12;

export function newAndersonAcceleration(size: number) {
  /** Differences of successive points, and of their residuals. */
  let points: Float64Array[] = [];
  let residuals: Float64Array[] = [];
  let last: { point: Float64Array; residual: Float64Array } | undefined;
  return {
    /** Discards the history. */
    restart() {
      points = [];
      residuals = [];
      last = undefined;
    },
    /**
     * Extrapolates from `to` = g(`from`). `weight` weights the squared residuals of the parameters.
     */
    next(from: Float64Array, to: Float64Array, weight: Float64Array): Float64Array {
      const residual = to.map((value, i) => value - from[i]!);
      if (last) {
        points.push(from.map((value, i) => value - last!.point[i]!));
        residuals.push(residual.map((value, i) => value - last!.residual[i]!));
        if (points.length > DEPTH) {
          points.shift();
          residuals.shift();
        }
      }
      last = { point: from.slice(), residual };
      const coefficients = solveLeastSquares(residuals, residual, weight);
      const next = to.slice();
      if (!coefficients) return next;
      for (let k = 0; k < coefficients.length; k++)
        for (let i = 0; i < size; i++) next[i]! -= coefficients[k]! * (points[k]![i]! + residuals[k]![i]!);
      return next;
    },
  };
}

/** Regresses the residual on the earlier differences, through the normal equations. */
function solveLeastSquares(
  differences: Float64Array[],
  residual: Float64Array,
  weight: Float64Array,
): Float64Array | undefined {
  const depth = differences.length;
  if (depth === 0) return;
  const product = (a: Float64Array, b: Float64Array) => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]! * weight[i]!;
    return sum;
  };
  const matrix = new Float64Array(depth * depth);
  const right = new Float64Array(depth);
  for (let k = 0; k < depth; k++) {
    for (let l = 0; l <= k; l++) matrix[k * depth + l] = product(differences[k]!, differences[l]!);
    matrix[k * depth + k]! *= 1 + RIDGE;
    right[k] = product(differences[k]!, residual);
  }
  const lower = choleskySync(matrix, depth);
  return lower && solve(lower, depth, right);
}
