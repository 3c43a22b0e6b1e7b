/**
 * Newton's method on the observed information, from the point where EM has stopped. EM may stop far
 * from the maximum where it converges slowly; the Newton step measures the distance that is left.
 * Where the information is not positive definite, or a step lowers the objective, steps are damped.
 */
import type { Ticker } from '../../../concurrency/ticker.ts';
import { cholesky, solve } from '../../../statistics/linear.ts';
import {
  type Evaluation,
  evaluateAt,
  findMaxDifference,
  type IterationLimits,
  RELATIVE_ROUNDING,
} from './em.ts';
import { type EmContext, runEStep } from './em-step.ts';
import { computeJointInformation } from './information.ts';
import { clampToBounds, findDiscriminationBound, getBounds, type ParameterVector } from './model.ts';
import type { Information } from './standard-errors.ts';

/** Convergence is quadratic: a few steps are enough, except along a nearly flat likelihood. */
const MAX_NEWTON_STEPS = 50;
/** Longer steps are scaled down. */
const MAX_STEP = 4;
/** Damping, as a multiple of the complete-data information: first and largest value, and factor. */
const MIN_DAMPING = 1e-4;
const MAX_DAMPING = 10;
const DAMPING_FACTOR = 10;
/** After a longer step the information is computed again. */
const MAX_STEP_FOR_REUSE = 1e-3;
/** A step shorter than this fraction of the tolerance is not taken. */
const NEWTON_TOLERANCE = 0.01;
/** The maximum must be within this multiple of the tolerance to count as converged. */
const CONVERGED_DISTANCE = 10;
const PROGRESS_START = 0.75;

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
  { tolerance, max_iterations }: IterationLimits,
): Promise<NewtonResult | undefined> {
  const { ticker } = context;
  await ticker.yield(PROGRESS_START);
  let current = from;
  let matrix: Float64Array | undefined;
  let information: Information | undefined;
  let iterations = 0;
  let damping = 0;
  let step = Infinity;
  for (let n = 0; n < Math.min(MAX_NEWTON_STEPS, max_iterations); n++) {
    if (!matrix || step > MAX_STEP_FOR_REUSE || hasReleasedParameter(context, current, information)) {
      matrix = await computeJointInformation(context, current.point, current.expected);
      if (!matrix) return;
      information = await decomposeFree(context, current, matrix);
    }
    if (!information && damping === 0) damping = MIN_DAMPING;
    const used = damping === 0 ? information : await decomposeDamped(context, current, matrix, damping);
    if (!used) {
      if (damping >= MAX_DAMPING) break;
      damping *= DAMPING_FACTOR;
      continue;
    }
    const point = takeStep(context, current, used);
    const length = findMaxDifference(point, current.point);
    if (damping === 0) step = length;
    if (length <= NEWTON_TOLERANCE * tolerance) break;
    const trial = await evaluateAt(context, point);
    iterations++;
    if (trial.objective >= current.objective - RELATIVE_ROUNDING * Math.abs(current.objective)) {
      current = trial;
      step = length;
      damping = damping <= MIN_DAMPING ? 0 : damping / DAMPING_FACTOR;
      continue;
    }
    // Restores the tables of the point that is returned.
    await runEStep(context, current.point);
    if (length <= CONVERGED_DISTANCE * tolerance || damping >= MAX_DAMPING) break;
    damping = Math.max(MIN_DAMPING, damping * DAMPING_FACTOR);
  }
  const near = information !== undefined && damping === 0 && step <= CONVERGED_DISTANCE * tolerance;
  return { evaluation: current, information, near, iterations };
}

function takeStep({ model, prepared }: EmContext, { point, gradient }: Evaluation, used: Information) {
  const { free, decomposed } = used;
  const wanted = solve(
    decomposed,
    free.length,
    Float64Array.from(free, (index) => gradient[index]!),
  );
  const scale = Math.min(1, MAX_STEP / wanted.reduce((max, value) => Math.max(max, Math.abs(value)), 0));
  const next = point.slice();
  for (const [i, index] of free.entries()) next[index]! += scale * wanted[i]!;
  clampToBounds(next, model, prepared.problem.items);
  return next;
}

async function decomposeFree(
  context: EmContext,
  { point, gradient }: Evaluation,
  matrix: Float64Array,
): Promise<Information | undefined> {
  const free = listFreeParameters(context, point, gradient);
  const all = await decompose(matrix, point.length, free, context.ticker);
  if (all) return all;
  const fewer = excludeBoundedItems(context, point, free);
  return fewer.length < free.length ? decompose(matrix, point.length, fewer, context.ticker) : undefined;
}

/** Levenberg-Marquardt: adds a multiple of the diagonal of the complete-data information. */
async function decomposeDamped(
  context: EmContext,
  { point, gradient, curvature }: Evaluation,
  matrix: Float64Array,
  damping: number,
): Promise<Information | undefined> {
  const size = point.length;
  const damped = matrix.slice();
  for (let i = 0; i < size; i++) damped[i * size + i]! += damping * curvature[i]!;
  return decompose(damped, size, listFreeParameters(context, point, gradient), context.ticker);
}

/** Whether the gradient at a bound now points inwards. */
function hasReleasedParameter(
  context: EmContext,
  { point, gradient }: Evaluation,
  information: Information | undefined,
): boolean {
  if (!information) return false;
  return listFreeParameters(context, point, gradient).length > information.free.length;
}

/** Indices of the parameters that do not press against a bound. */
function listFreeParameters(
  { model, prepared }: EmContext,
  point: ParameterVector,
  gradient: Float64Array,
): Uint32Array {
  const indices: number[] = [];
  for (let i = 0; i < point.length; i++) {
    const [min, max] = getBounds(model, prepared.problem.items, i);
    if ((point[i]! > min || gradient[i]! > 0) && (point[i]! < max || gradient[i]! < 0)) indices.push(i);
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
