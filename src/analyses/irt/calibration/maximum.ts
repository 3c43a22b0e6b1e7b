/** The way to the maximum: cycles of EM, accelerated, and from there Newton's steps. */
import { cholesky, solve } from '../../../statistics/linear.ts';
import type { Pace } from '../../shared/ticker.ts';
import { acceleration } from './acceleration.ts';
import { type Evaluated, evaluate, maximise, type Setting } from './em-step.ts';
import { jointInformation } from './information.ts';
import type { Maximised } from './maximisation.ts';
import { boundsOf, keepWithin, type Point, slopeBoundOf } from './model.ts';

/** A likelihood is not lower for the error of its rounding. */
const ROUNDING = 1e-11;
/** Newton's steps after EM has converged: each squares the distance, so a few do. */
const MOST_NEWTON_STEPS = 6;
/** Beyond this the information is computed anew after a step. */
const SAME_INFORMATION = 1e-3;
/** A step that is worth a cycle is longer than this share of the tolerance. */
const SETTLED = 0.01;
/** How much more than the tolerance the maximum may be away. */
const NEAR = 10;

/** A point, and what is known of it. */
export interface Reached extends Evaluated, Pick<Maximised, 'gradient' | 'curvature'> {
  point: Point;
  /** What a cycle of EM makes of it, and the largest change of a parameter in that. */
  next: Point;
  change: number;
}

async function look(setting: Setting, point: Point, found?: Evaluated): Promise<Reached> {
  const evaluated = found ?? (await evaluate(setting, point));
  const { point: next, gradient, curvature } = await maximise(setting, evaluated.expected, point);
  return { ...evaluated, point, next, gradient, curvature, change: largestDifference(next, point) };
}

/**
 * Cycles of EM until nothing changes any more. A guess of the acceleration that is no better than where it
 * came from is not followed.
 */
export async function climb(
  setting: Setting,
  start: Point,
  { tolerance, max_iterations }: { tolerance: number; max_iterations: number },
): Promise<{ reached: Reached; cycles: number }> {
  const { model, prepared, pace } = setting;
  const history = acceleration(start.length);
  let reached = await look(setting, start);
  const farthest = reached.change;
  let cycles = 1;
  while (reached.change > tolerance && cycles < max_iterations) {
    const guess = history.next(reached.point, reached.next, reached.curvature);
    keepWithin(guess, model, prepared.problem.items);
    const found = await evaluate(setting, guess);
    cycles++;
    if (found.objective >= reached.objective - ROUNDING * Math.abs(reached.objective)) {
      reached = await look(setting, guess, found);
    } else {
      history.restart();
      reached = await look(setting, reached.next);
      cycles++;
    }
    const way = Math.log(farthest / Math.max(tolerance, reached.change)) / Math.log(farthest / tolerance);
    pace.share = Math.max(pace.share, 0.1 + 0.6 * (way || 0));
    await pace.pause();
  }
  return { reached, cycles };
}

export interface Polished {
  reached: Reached;
  /**
   * The decomposed information of the parameters that are free, given by their places; nothing where it is
   * not positive definite.
   */
  information: { free: Uint32Array; decomposed: Float64Array } | undefined;
  /** Whether the maximum is near, as far as the information tells. */
  near: boolean;
  cycles: number;
}

/**
 * Newton's steps from where EM has stopped. Slow steps do not tell how far the way is that is left; the
 * information does. Undefined where that of all parameters together would take too long.
 */
export async function polish(
  setting: Setting,
  from: Reached,
  tolerance: number,
): Promise<Polished | undefined> {
  const { model, prepared, pace } = setting;
  pace.share = 0.75;
  let reached = from;
  let information: Polished['information'];
  let cycles = 0;
  let step = Infinity;
  for (let n = 0; n < MOST_NEWTON_STEPS; n++) {
    if (!information || step > SAME_INFORMATION) {
      const matrix = await jointInformation(setting, reached.point, reached.expected);
      if (!matrix) return;
      const free = freeOf(setting, reached.point);
      const fewer = withoutSteps(setting, reached.point, free);
      information = await decomposedAmong(matrix, reached.point.length, free, pace);
      if (!information && fewer.length < free.length)
        information = await decomposedAmong(matrix, reached.point.length, fewer, pace);
    }
    if (!information) return { reached, information, near: false, cycles };
    const { free, decomposed } = information;
    const wanted = solve(
      decomposed,
      free.length,
      Float64Array.from(free, (place) => reached.gradient[place]!),
    );
    const point = reached.point.slice();
    for (const [i, place] of free.entries()) point[place]! += wanted[i]!;
    keepWithin(point, model, prepared.problem.items);
    step = largestDifference(point, reached.point);
    if (step <= SETTLED * tolerance) break;
    const there = await look(setting, point);
    cycles++;
    if (there.objective < reached.objective - ROUNDING * Math.abs(reached.objective)) {
      // The tables are to be those of the point that is returned.
      await evaluate(setting, reached.point);
      break;
    }
    reached = there;
  }
  return { reached, information, near: step <= NEAR * tolerance, cycles };
}

/** The places of the parameters that are not at their bounds. */
function freeOf({ model, prepared }: Setting, point: Point): Uint32Array {
  const places: number[] = [];
  for (let i = 0; i < point.length; i++) {
    const [least, most] = boundsOf(model, prepared.problem.items, i);
    if (point[i]! > least && point[i]! < most) places.push(i);
  }
  return Uint32Array.from(places);
}

/** Without what else belongs to items whose slope is at its bound: the data may well not tell where a step is. */
function withoutSteps({ model, prepared }: Setting, point: Point, free: Uint32Array): Uint32Array {
  const { items } = prepared.problem;
  const slopeOf = (place: number) => (model === '1pl' ? point[0]! : point[place % items]!);
  return free.filter((place) => slopeBoundOf(model, slopeOf(place)) === null);
}

async function decomposedAmong(
  matrix: Float64Array,
  size: number,
  free: Uint32Array,
  pace: Pace,
): Promise<Polished['information']> {
  const decomposed = await cholesky(among(matrix, size, free), free.length, () => pace.pause());
  return decomposed && { free, decomposed };
}

/** Rows and columns of a matrix. */
function among(matrix: Float64Array, size: number, places: Uint32Array): Float64Array {
  if (places.length === size) return matrix;
  const part = new Float64Array(places.length ** 2);
  for (const [i, row] of places.entries())
    for (let k = 0; k <= i; k++) part[i * places.length + k] = matrix[row * size + places[k]!]!;
  return part;
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i]! - b[i]!));
  return most;
}
