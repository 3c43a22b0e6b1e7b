/**
 * Newton's method on the observed information, from the point where EM has stopped. EM may stop far
 * from the maximum where it converges slowly; the Newton step measures the distance that is left.
 */
import type { Ticker } from '../../../concurrency/ticker.ts';
import { cholesky, solve } from '../../../statistics/linear.ts';
import { type Evaluation, evaluateAt, findMaxDifference, RELATIVE_ROUNDING } from './em.ts';
import { type EmContext, runEStep } from './em-step.ts';
import { computeJointInformation } from './information.ts';
import { clampToBounds, findDiscriminationBound, getBounds, type ParameterVector } from './model.ts';

/** Convergence is quadratic: a few steps are enough. */
const MAX_NEWTON_STEPS = 6;
/** After a longer step the information is computed again. */
const MAX_STEP_FOR_REUSE = 1e-3;
/** A step shorter than this fraction of the tolerance is not taken. */
const NEWTON_TOLERANCE = 0.01;
/** The maximum must be within this multiple of the tolerance to count as converged. */
const CONVERGED_DISTANCE = 10;
const PROGRESS_START = 0.75;

/** Cholesky factor of the observed information of the free parameters, given by their indices. */
interface Information {
  free: Uint32Array;
  decomposed: Float64Array;
}

export interface NewtonResult {
  evaluation: Evaluation;
  /** Undefined where the information matrix is not positive definite. */
  information: Information | undefined;
  /** Whether the last Newton step was short enough. */
  near: boolean;
  iterations: number;
}

/** Undefined where the joint information of all parameters would take too long to compute. */
export async function newtonRefine(
  context: EmContext,
  from: Evaluation,
  tolerance: number,
): Promise<NewtonResult | undefined> {
  const { model, prepared, ticker } = context;
  await ticker.yield(PROGRESS_START);
  let current = from;
  let information: Information | undefined;
  let iterations = 0;
  let step = Infinity;
  for (let n = 0; n < MAX_NEWTON_STEPS; n++) {
    if (!information || step > MAX_STEP_FOR_REUSE) {
      const matrix = await computeJointInformation(context, current.point, current.expected);
      if (!matrix) return;
      const free = listFreeParameters(context, current.point);
      const fewer = excludeBoundedItems(context, current.point, free);
      information = await decompose(matrix, current.point.length, free, ticker);
      if (!information && fewer.length < free.length)
        information = await decompose(matrix, current.point.length, fewer, ticker);
    }
    if (!information) return { evaluation: current, information, near: false, iterations };
    const { free, decomposed } = information;
    const wanted = solve(
      decomposed,
      free.length,
      Float64Array.from(free, (index) => current.gradient[index]!),
    );
    const point = current.point.slice();
    for (const [i, index] of free.entries()) point[index]! += wanted[i]!;
    clampToBounds(point, model, prepared.problem.items);
    step = findMaxDifference(point, current.point);
    if (step <= NEWTON_TOLERANCE * tolerance) break;
    const trial = await evaluateAt(context, point);
    iterations++;
    if (trial.objective < current.objective - RELATIVE_ROUNDING * Math.abs(current.objective)) {
      // Restores the tables of the point that is returned.
      await runEStep(context, current.point);
      break;
    }
    current = trial;
  }
  return { evaluation: current, information, near: step <= CONVERGED_DISTANCE * tolerance, iterations };
}

/** Indices of the parameters that are not at a bound. */
function listFreeParameters({ model, prepared }: EmContext, point: ParameterVector): Uint32Array {
  const indices: number[] = [];
  for (let i = 0; i < point.length; i++) {
    const [min, max] = getBounds(model, prepared.problem.items, i);
    if (point[i]! > min && point[i]! < max) indices.push(i);
  }
  return Uint32Array.from(indices);
}

/** Excludes items with a discrimination at its bound: the intercept of a step is not identified. */
function excludeBoundedItems(
  { model, prepared }: EmContext,
  point: ParameterVector,
  free: Uint32Array,
): Uint32Array {
  const { items } = prepared.problem;
  const getDiscrimination = (index: number) => (model === '1pl' ? point[0]! : point[index % items]!);
  return free.filter((index) => findDiscriminationBound(model, getDiscrimination(index)) === null);
}

async function decompose(
  matrix: Float64Array,
  size: number,
  free: Uint32Array,
  ticker: Ticker,
): Promise<Information | undefined> {
  const submatrix = selectSubmatrix(matrix, size, free);
  const decomposed = await cholesky(submatrix, free.length, () => ticker.yield());
  return decomposed && { free, decomposed };
}

function selectSubmatrix(matrix: Float64Array, size: number, indices: Uint32Array): Float64Array {
  if (indices.length === size) return matrix;
  const submatrix = new Float64Array(indices.length ** 2);
  for (const [i, row] of indices.entries())
    for (let k = 0; k <= i; k++) submatrix[i * indices.length + k] = matrix[row * size + indices[k]!]!;
  return submatrix;
}
