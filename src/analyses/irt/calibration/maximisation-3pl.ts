/**
 * The M-step of the 3PL, with priors: Fisher scoring, item by item, over discrimination, intercept
 * and the logit of guessing.
 */

import type { Ticker } from '../../../concurrency/ticker.ts';
import { choleskySync, solve } from '../../../statistics/linear.ts';
import { type ExpectedCounts, type MStepResult, newMStepResult } from './maximisation.ts';
import { getBounds, logistic, NODES, type ParameterVector, THETA } from './model.ts';
import {
  type BetaPrior,
  differentiateLognormal,
  type LognormalPrior,
  logBetaDensity,
  logLognormalDensity,
  type Priors,
} from './priors.ts';

/** The next EM iteration continues where this one stops. */
const MAX_STEPS = 8;
const MAX_HALVINGS = 8;
const STEP_TOLERANCE = 1e-7;
const MAX_STEP = 1;
/** A decrease of the objective below this is rounding error. */
const RELATIVE_ROUNDING = 1e-12;
const MIN_CURVATURE = 1e-9;

export async function maximise3pl(
  expected: ExpectedCounts,
  items: number,
  from: ParameterVector,
  priors: Priors,
  ticker: Ticker,
): Promise<MStepResult> {
  const result = newMStepResult(from);
  const { point, gradient, curvature } = result;
  const bounds = [0, 1, 2].map((kind) => getBounds('3pl', items, kind * items));
  for (let j = 0; j < items; j++) {
    await ticker.yield();
    const asked = expected.asked.subarray(j * NODES, (j + 1) * NODES);
    const right = expected.right.subarray(j * NODES, (j + 1) * NODES);
    const start = Float64Array.of(point[j]!, point[items + j]!, point[2 * items + j]!);
    const evaluateAt = (x: Float64Array) =>
      computeDerivatives(asked, right, x, priors.guessing[j]!, priors.discrimination);
    const here = evaluateAt(start);
    const best = maximiseByScoring(start, here, bounds, evaluateAt);
    for (let kind = 0; kind < 3; kind++) {
      gradient[kind * items + j] = here.gradient[kind]!;
      curvature[kind * items + j] = here.information[kind * 4]!;
      point[kind * items + j] = best[kind]!;
    }
  }
  return result;
}

/** Fisher scoring with step halving. */
function maximiseByScoring(
  from: Float64Array,
  first: Derivatives,
  bounds: [number, number][],
  evaluateAt: (x: Float64Array) => Derivatives,
): Float64Array {
  let current = from;
  let here = first;
  for (let n = 0; n < MAX_STEPS; n++) {
    const step = computeStep(here, current, bounds);
    for (let halvings = 0; halvings < MAX_HALVINGS; halvings++) {
      const next = current.map((value, kind) => value + step[kind]!);
      const trial = evaluateAt(next);
      if (trial.value >= here.value - RELATIVE_ROUNDING * Math.abs(here.value)) {
        current = next;
        here = trial;
        break;
      }
      for (let kind = 0; kind < 3; kind++) step[kind]! /= 2;
    }
    if (Math.max(...step.map(Math.abs)) < STEP_TOLERANCE) break;
  }
  return current;
}

interface Derivatives {
  value: number;
  gradient: Float64Array;
  /** Expected (Fisher) information, which is positive definite; lower triangle of 3 × 3. */
  information: Float64Array;
}

/** Scoring step within the bounds. A parameter that presses against its bound stays fixed. */
function computeStep(
  { gradient, information }: Derivatives,
  current: Float64Array,
  bounds: [number, number][],
): Float64Array {
  const wanted = gradient.slice();
  const matrix = information.slice();
  for (const [kind, [min, max]] of bounds.entries()) {
    const outwards = gradient[kind]! > 0 ? current[kind]! >= max : current[kind]! <= min;
    if (!outwards) continue;
    wanted[kind] = 0;
    for (let other = 0; other < 3; other++) matrix[Math.max(kind, other) * 3 + Math.min(kind, other)] = 0;
    matrix[kind * 4] = 1;
  }
  const lower = choleskySync(matrix, 3);
  const step = lower ? solve(lower, 3, wanted) : wanted.map((value, kind) => value / matrix[kind * 4]!);
  let scale = 1;
  for (const [kind, value] of step.entries()) {
    const [min, max] = bounds[kind]!;
    const maxStep = Math.min(MAX_STEP, value > 0 ? max - current[kind]! : current[kind]! - min);
    if (Math.abs(value) * scale > maxStep) scale = maxStep / Math.abs(value);
  }
  return step.map((value) => value * scale);
}

/**
 * Expected complete-data log-likelihood of one item plus its log prior, with gradient and
 * information by discrimination, intercept and the logit of guessing.
 */
function computeDerivatives(
  asked: Float64Array,
  right: Float64Array,
  x: Float64Array,
  guessingPrior: BetaPrior,
  discriminationPrior: LognormalPrior | undefined,
): Derivatives {
  const guessing = logistic(x[2]!);
  const guessingVariance = guessing * (1 - guessing);
  const gradient = new Float64Array(3);
  const information = new Float64Array(9);
  const { alpha, beta } = guessingPrior;
  let value = logBetaDensity(guessing, guessingPrior);
  if (discriminationPrior) value += logLognormalDensity(x[0]!, discriminationPrior);
  for (let q = 0; q < NODES; q++) {
    const n = asked[q]!;
    if (n === 0) continue;
    const known = logistic(x[0]! * THETA[q]! + x[1]!);
    const unknown = logistic(-x[0]! * THETA[q]! - x[1]!);
    const p = guessing + (1 - guessing) * known;
    const wrong = (1 - guessing) * unknown;
    value += right[q]! * Math.log(p) + (n - right[q]!) * Math.log(Math.max(wrong, Number.MIN_VALUE));
    // ∂P / (P · (1 − P)); the factor 1 − logistic(…) cancels out.
    const byLogit = known / p;
    const byGuessing = guessing / p;
    const residual = right[q]! - n * p;
    gradient[0]! += residual * byLogit * THETA[q]!;
    gradient[1]! += residual * byLogit;
    gradient[2]! += residual * byGuessing;
    const variance = n * p * wrong;
    const [a, d, g] = [byLogit * THETA[q]!, byLogit, byGuessing];
    information[0]! += variance * a * a;
    information[3]! += variance * a * d;
    information[4]! += variance * d * d;
    information[6]! += variance * a * g;
    information[7]! += variance * d * g;
    information[8]! += variance * g * g;
  }
  gradient[2]! += (alpha - 1) * (1 - guessing) - (beta - 1) * guessing;
  information[8]! += Math.max(0, alpha + beta - 2) * guessingVariance;
  const prior = differentiateLognormal(x[0]!, discriminationPrior);
  gradient[0]! += prior.gradient;
  information[0]! += Math.max(0, prior.curvature);
  for (let kind = 0; kind < 3; kind++) information[kind * 4]! += MIN_CURVATURE;
  return { value, gradient, information };
}
