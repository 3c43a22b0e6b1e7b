/** The maximisation step of the 3PL, with a Beta prior of the lower asymptotes. */
import { choleskySync, solve } from '../../../statistics/linear.ts';
import type { Pace } from '../../shared/ticker.ts';
import { type Expected, type Maximised, started } from './maximisation.ts';
import { ABILITIES, boundsOf, logistic, NODES, type Point } from './model.ts';

interface Prior {
  alpha: number;
  beta: number;
}

/** What is left to be done is done in the next cycle. */
const MOST_STEPS = 8;
const MOST_HALVINGS = 8;
const SMALL_STEP = 1e-7;
const LONGEST_STEP = 1;
/** A value is not lower for the error of its rounding. */
const ROUNDING = 1e-12;
const LEAST_CURVATURE = 1e-9;

/** The logarithm of the prior's density of all lower asymptotes, up to a constant. */
export function guessingPrior(lower: Float64Array, { alpha, beta }: Prior): number {
  let sum = 0;
  for (const value of lower) sum += (alpha - 1) * Math.log(value) + (beta - 1) * Math.log1p(-value);
  return sum;
}

/** Item by item. */
export async function maximiseGuessing(
  expected: Expected,
  items: number,
  from: Point,
  prior: Prior,
  pace: Pace,
): Promise<Maximised> {
  const result = started(from);
  const { point, gradient, curvature } = result;
  const bounds = [0, 1, 2].map((kind) => boundsOf('3pl', items, kind * items));
  for (let j = 0; j < items; j++) {
    await pace.pause();
    const asked = expected.asked.subarray(j * NODES, (j + 1) * NODES);
    const right = expected.right.subarray(j * NODES, (j + 1) * NODES);
    const at = Float64Array.of(point[j]!, point[items + j]!, point[2 * items + j]!);
    const here = derivatives(asked, right, at, prior);
    const best = scoring(at, here, bounds, (there) => derivatives(asked, right, there, prior));
    for (let kind = 0; kind < 3; kind++) {
      gradient[kind * items + j] = here.gradient[kind]!;
      curvature[kind * items + j] = here.information[kind * 4]!;
      point[kind * items + j] = best[kind]!;
    }
  }
  return result;
}

/** Fisher's scoring; a step that leads down is halved. */
function scoring(
  from: Float64Array,
  first: Derivatives,
  bounds: [number, number][],
  look: (at: Float64Array) => Derivatives,
): Float64Array {
  let now = from;
  let here = first;
  for (let n = 0; n < MOST_STEPS; n++) {
    const step = stepOf(here, now, bounds);
    for (let halved = 0; halved < MOST_HALVINGS; halved++) {
      const next = now.map((value, kind) => value + step[kind]!);
      const there = look(next);
      if (there.value >= here.value - ROUNDING * Math.abs(here.value)) {
        now = next;
        here = there;
        break;
      }
      for (let kind = 0; kind < 3; kind++) step[kind]! /= 2;
    }
    if (Math.max(...step.map(Math.abs)) < SMALL_STEP) break;
  }
  return now;
}

interface Derivatives {
  value: number;
  gradient: Float64Array;
  /** Expected, so that it is positive definite. */
  information: Float64Array;
}

/** A parameter that would leave its bounds stays there, and the others are moved as if it were known. */
function stepOf(
  { gradient, information }: Derivatives,
  now: Float64Array,
  bounds: [number, number][],
): Float64Array {
  const wanted = gradient.slice();
  const matrix = information.slice();
  for (const [kind, [least, most]] of bounds.entries()) {
    const outwards = gradient[kind]! > 0 ? now[kind]! >= most : now[kind]! <= least;
    if (!outwards) continue;
    wanted[kind] = 0;
    for (let other = 0; other < 3; other++) matrix[Math.max(kind, other) * 3 + Math.min(kind, other)] = 0;
    matrix[kind * 4] = 1;
  }
  const lower = choleskySync(matrix, 3);
  const step = lower ? solve(lower, 3, wanted) : wanted.map((value, kind) => value / matrix[kind * 4]!);
  let scale = 1;
  for (const [kind, value] of step.entries()) {
    const [least, most] = bounds[kind]!;
    const room = Math.min(LONGEST_STEP, value > 0 ? most - now[kind]! : now[kind]! - least);
    if (Math.abs(value) * scale > room) scale = room / Math.abs(value);
  }
  return step.map((value) => value * scale);
}

/**
 * Of the expected log-likelihood of one item with its prior, by slope, intercept and the logit of the lower
 * asymptote.
 */
function derivatives(
  asked: Float64Array,
  right: Float64Array,
  at: Float64Array,
  { alpha, beta }: Prior,
): Derivatives {
  const guess = logistic(at[2]!);
  const guessSlope = guess * (1 - guess);
  const gradient = new Float64Array(3);
  const information = new Float64Array(9);
  let value = (alpha - 1) * Math.log(guess) + (beta - 1) * Math.log1p(-guess);
  for (let q = 0; q < NODES; q++) {
    const n = asked[q]!;
    if (n === 0) continue;
    const known = logistic(at[0]! * ABILITIES[q]! + at[1]!);
    const unknown = logistic(-at[0]! * ABILITIES[q]! - at[1]!);
    const p = guess + (1 - guess) * known;
    const wrong = (1 - guess) * unknown;
    value += right[q]! * Math.log(p) + (n - right[q]!) * Math.log(Math.max(wrong, Number.MIN_VALUE));
    // P′ / (P · (1 − P)), in which the chance of not knowing cancels out.
    const byLogit = known / p;
    const byGuess = guess / p;
    const residual = right[q]! - n * p;
    gradient[0]! += residual * byLogit * ABILITIES[q]!;
    gradient[1]! += residual * byLogit;
    gradient[2]! += residual * byGuess;
    const variance = n * p * wrong;
    const [a, d, g] = [byLogit * ABILITIES[q]!, byLogit, byGuess];
    information[0]! += variance * a * a;
    information[3]! += variance * a * d;
    information[4]! += variance * d * d;
    information[6]! += variance * a * g;
    information[7]! += variance * d * g;
    information[8]! += variance * g * g;
  }
  gradient[2]! += (alpha - 1) * (1 - guess) - (beta - 1) * guess;
  information[8]! += Math.max(0, alpha + beta - 2) * guessSlope;
  for (let part = 0; part < 3; part++) information[part * 4]! += LEAST_CURVATURE;
  return { value, gradient, information };
}
