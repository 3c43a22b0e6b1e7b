/**
 * The maximisation step: the curves that fit best where the cases are expected to be. Newton's method,
 * started from the curves as they are; its first gradient is that of the marginal likelihood (Fisher's
 * identity), and is kept.
 */

import type { Pace } from '../../shared/ticker.ts';
import { ABILITIES, boundsOf, logistic, NODES, type Point } from './model.ts';

/** What the data is expected to look like, summed over all cases. */
export interface Expected {
  /** By item and node: how many were asked there, and (3PL) were right. */
  asked: Float64Array;
  right: Float64Array;
  /** By item: how many were right, and the sum of their expected abilities. */
  rightCount: Float64Array;
  rightAbility: Float64Array;
}

export interface Maximised {
  point: Point;
  /** Of the marginal likelihood, with the prior of the lower asymptotes, where the step began. */
  gradient: Float64Array;
  /** How strongly each parameter is held: the diagonal of the complete-data information. */
  curvature: Float64Array;
}

const MOST_STEPS = 50;
/** Items between two looks at the clock. */
const BATCH = 256;
/** A smaller step leaves an error of its square. */
const SMALL_STEP = 1e-7;
/** No step is longer: far from the maximum the curvature says little. */
const LONGEST_STEP = 2;
/** Keeps a curvature of nothing apart from 0. */
const LEAST_CURVATURE = 1e-9;

/** The 2PL: each item is a logistic regression by itself. */
export async function maximiseSlopes(
  expected: Expected,
  items: number,
  from: Point,
  pace: Pace,
): Promise<Maximised> {
  const result = started(from);
  const sums = new Float64Array(5);
  for (let j = 0; j < items; j++) {
    if (j % BATCH === 0) await pace.pause();
    maximiseItem(expected, items, j, result, sums);
  }
  return result;
}

function maximiseItem(
  { asked, rightCount, rightAbility }: Expected,
  items: number,
  item: number,
  { point, gradient, curvature }: Maximised,
  sums: Float64Array,
): void {
  const [least, most] = boundsOf('2pl', items, 0);
  const [lowest, highest] = boundsOf('2pl', items, items);
  let slope = point[item]!;
  let intercept = point[items + item]!;
  let slopeStep = 0;
  let interceptStep = 0;
  let gain = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    logisticSums(asked, item, slope, intercept, sums);
    const bySlope = rightAbility[item]! - sums[1]!;
    const byIntercept = rightCount[item]! - sums[0]!;
    const a = sums[4]! + LEAST_CURVATURE;
    const b = sums[3]!;
    const c = sums[2]! + LEAST_CURVATURE;
    if (step === 0) {
      gradient[item] = bySlope;
      gradient[items + item] = byIntercept;
      curvature[item] = a;
      curvature[items + item] = c;
    } else if (bySlope * slopeStep + byIntercept * interceptStep < -gain / 2) {
      // Too far: the way here has begun to lead down.
      slopeStep /= 2;
      interceptStep /= 2;
      gain /= 2;
      slope -= slopeStep;
      intercept -= interceptStep;
      continue;
    }
    const determinant = a * c - b * b;
    slopeStep = (c * bySlope - b * byIntercept) / determinant;
    interceptStep = (a * byIntercept - b * bySlope) / determinant;
    if (slope + slopeStep < least || slope + slopeStep > most) {
      slopeStep = (slopeStep > 0 ? most : least) - slope;
      interceptStep = (byIntercept - b * slopeStep) / c;
    }
    const scale = Math.min(1, LONGEST_STEP / Math.max(Math.abs(slopeStep), Math.abs(interceptStep)));
    slopeStep *= scale;
    interceptStep = Math.min(highest, Math.max(lowest, intercept + interceptStep * scale)) - intercept;
    gain = Math.abs(bySlope * slopeStep + byIntercept * interceptStep);
    slope += slopeStep;
    intercept += interceptStep;
    if (Math.abs(slopeStep) < SMALL_STEP && Math.abs(interceptStep) < SMALL_STEP) break;
  }
  point[item] = slope;
  point[items + item] = intercept;
}

/** The 1PL: the common slope holds the items together; without it each would be by itself. */
export async function maximiseCommonSlope(
  expected: Expected,
  items: number,
  from: Point,
  pace: Pace,
): Promise<Maximised> {
  const result = started(from);
  const { point, gradient, curvature } = result;
  const sums = new Float64Array(5);
  const slopes = new Float64Array(items);
  const step = new Float64Array(point.length);
  const now = new Float64Array(point.length);
  const ability = expected.rightAbility.reduce((sum, value) => sum + value, 0);
  const [least, most] = boundsOf('1pl', items, 0);
  const [lowest, highest] = boundsOf('1pl', items, 1);
  let expectedGain = 0;
  for (let n = 0; n < MOST_STEPS; n++) {
    now[0] = ability;
    let slopeCurvature = LEAST_CURVATURE;
    for (let j = 0; j < items; j++) {
      if (j % BATCH === 0) await pace.pause();
      logisticSums(expected.asked, j, point[0]!, point[1 + j]!, sums);
      now[0]! -= sums[1]!;
      now[1 + j] = expected.rightCount[j]! - sums[0]!;
      slopeCurvature += sums[4]!;
      slopes[j] = sums[3]!;
      curvature[1 + j] = sums[2]! + LEAST_CURVATURE;
    }
    curvature[0] = slopeCurvature;
    if (n === 0) gradient.set(now);
    else if (dot(now, step) < -expectedGain / 2) {
      expectedGain /= 2;
      for (let i = 0; i < step.length; i++) point[i]! -= step[i]! /= 2;
      continue;
    }
    // The slope first, with the intercepts following it.
    let gain = now[0]!;
    let held = slopeCurvature;
    for (let j = 0; j < items; j++) {
      gain -= (slopes[j]! * now[1 + j]!) / curvature[1 + j]!;
      held -= slopes[j]! ** 2 / curvature[1 + j]!;
    }
    const wanted = limited(gain / Math.max(held, LEAST_CURVATURE), LONGEST_STEP);
    step[0] = Math.min(most, Math.max(least, point[0]! + wanted)) - point[0]!;
    let longest = Math.abs(step[0]!);
    for (let j = 0; j < items; j++) {
      const wish = limited((now[1 + j]! - slopes[j]! * step[0]!) / curvature[1 + j]!, LONGEST_STEP);
      step[1 + j] = Math.min(highest, Math.max(lowest, point[1 + j]! + wish)) - point[1 + j]!;
      longest = Math.max(longest, Math.abs(step[1 + j]!));
    }
    expectedGain = Math.abs(dot(now, step));
    for (let i = 0; i < step.length; i++) point[i]! += step[i]!;
    if (longest < SMALL_STEP) break;
  }
  return result;
}

/** Nothing done yet. */
export const started = (from: Point): Maximised => ({
  point: from.slice(),
  gradient: new Float64Array(from.length),
  curvature: new Float64Array(from.length),
});

/** Over the nodes, with n asked and a probability of P: Σ nP, Σ nPθ, then Σ nP(1 − P) times 1, θ and θ². */
function logisticSums(
  asked: Float64Array,
  item: number,
  slope: number,
  intercept: number,
  sums: Float64Array,
): void {
  let right = 0;
  let rightAbility = 0;
  let curvature = 0;
  let mixed = 0;
  let slopeCurvature = 0;
  for (let q = 0; q < NODES; q++) {
    const n = asked[item * NODES + q]!;
    if (n === 0) continue;
    const ability = ABILITIES[q]!;
    const p = logistic(slope * ability + intercept);
    right += n * p;
    rightAbility += n * p * ability;
    const held = n * p * (1 - p);
    curvature += held;
    mixed += held * ability;
    slopeCurvature += held * ability * ability;
  }
  sums[0] = right;
  sums[1] = rightAbility;
  sums[2] = curvature;
  sums[3] = mixed;
  sums[4] = slopeCurvature;
}

const limited = (step: number, longest: number) => Math.min(longest, Math.max(-longest, step));

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
