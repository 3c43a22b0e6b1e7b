/**
 * Anderson's acceleration (1965) of a sequence of points that each follow from the one before: the
 * combination of the last steps that would have moved least is taken to be where they lead. For EM see
 * Henderson and Varadhan (2019).
 */
import { choleskySync, solve } from '../../../statistics/linear.ts';

/** How many steps are combined. */
const DEPTH = 8;
/** Keeps the equations solvable where steps resemble each other. */
const RIDGE = 1e-12;

export function acceleration(size: number) {
  /** Differences between successive points, and between the steps from there. */
  let points: Float64Array[] = [];
  let steps: Float64Array[] = [];
  let last: { point: Float64Array; step: Float64Array } | undefined;
  return {
    /** Forgets what it has seen. */
    restart() {
      points = [];
      steps = [];
      last = undefined;
    },
    /**
     * The next point, given that `to` follows from `from`. How much a parameter's move counts is told by
     * `weight`.
     */
    next(from: Float64Array, to: Float64Array, weight: Float64Array): Float64Array {
      const step = to.map((value, i) => value - from[i]!);
      if (last) {
        points.push(from.map((value, i) => value - last!.point[i]!));
        steps.push(step.map((value, i) => value - last!.step[i]!));
        if (points.length > DEPTH) {
          points.shift();
          steps.shift();
        }
      }
      last = { point: from.slice(), step };
      const shares = sharesOf(steps, step, weight);
      const next = to.slice();
      if (!shares) return next;
      for (let k = 0; k < shares.length; k++)
        for (let i = 0; i < size; i++) next[i]! -= shares[k]! * (points[k]![i]! + steps[k]![i]!);
      return next;
    },
  };
}

/** How much of each earlier difference explains the present step, by weighted least squares. */
function sharesOf(steps: Float64Array[], step: Float64Array, weight: Float64Array): Float64Array | undefined {
  const depth = steps.length;
  if (depth === 0) return;
  const product = (a: Float64Array, b: Float64Array) => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]! * weight[i]!;
    return sum;
  };
  const matrix = new Float64Array(depth * depth);
  const right = new Float64Array(depth);
  for (let k = 0; k < depth; k++) {
    for (let l = 0; l <= k; l++) matrix[k * depth + l] = product(steps[k]!, steps[l]!);
    matrix[k * depth + k]! *= 1 + RIDGE;
    right[k] = product(steps[k]!, step);
  }
  const lower = choleskySync(matrix, depth);
  return lower && solve(lower, depth, right);
}
