/**
 * The M-step of the 1PL and 2PL: maximises the expected complete-data log-likelihood, a weighted
 * logistic regression on the nodes, by Newton's method with step halving. The gradient at the
 * starting point is that of the marginal log-likelihood (Fisher's identity) and is returned too.
 */

import type { Ticker } from '../../../concurrency/ticker.ts';
import { getBounds, logistic, NODES, type ParameterVector, THETA } from './model.ts';
import { differentiateLognormal, type LognormalPrior } from './priors.ts';

/** Sufficient statistics of the M-step, summed over all cases by the E-step. */
export interface ExpectedCounts {
  /** By item and node: expected numbers of responses and (3PL) of right responses. */
  asked: Float64Array;
  right: Float64Array;
  /**
   * By item: number of right responses, and the sum of the posterior mean abilities of those cases.
   */
  rightCount: Float64Array;
  rightAbility: Float64Array;
}

export interface MStepResult {
  point: ParameterVector;
  /** Of the objective (marginal log-likelihood plus log prior), at the starting point. */
  gradient: Float64Array;
  /** Diagonal of the complete-data information, which weights the acceleration. */
  curvature: Float64Array;
}

const MAX_STEPS = 50;
/** Newton's method converges quadratically: after a step this small the error is negligible. */
const STEP_TOLERANCE = 1e-7;
/** Far from the maximum the quadratic model is unreliable. */
const MAX_STEP = 2;
/** Keeps the information matrix positive definite. */
const MIN_CURVATURE = 1e-9;

/** 2PL: one logistic regression per item. */
export async function maximise2pl(
  expected: ExpectedCounts,
  items: number,
  from: ParameterVector,
  prior: LognormalPrior | undefined,
  ticker: Ticker,
): Promise<MStepResult> {
  const result = newMStepResult(from);
  const sums = new Float64Array(5);
  for (let j = 0; j < items; j++) {
    if (ticker.due()) await ticker.yield();
    maximiseItem(expected, items, j, result, prior, sums);
  }
  return result;
}

function maximiseItem(
  { asked, rightCount, rightAbility }: ExpectedCounts,
  items: number,
  item: number,
  { point, gradient, curvature }: MStepResult,
  prior: LognormalPrior | undefined,
  sums: Float64Array,
): void {
  const [min, max] = getBounds('2pl', items, 0);
  const [minIntercept, maxIntercept] = getBounds('2pl', items, items);
  let discrimination = point[item]!;
  let intercept = point[items + item]!;
  let discriminationStep = 0;
  let interceptStep = 0;
  let gain = 0;
  for (let step = 0; step < MAX_STEPS; step++) {
    computeLogisticSums(asked, item, discrimination, intercept, sums);
    const ofPrior = differentiateLognormal(discrimination, prior);
    const byDiscrimination = rightAbility[item]! - sums[1]! + ofPrior.gradient;
    const byIntercept = rightCount[item]! - sums[0]!;
    const a = sums[4]! + MIN_CURVATURE + Math.max(0, ofPrior.curvature);
    const b = sums[3]!;
    const c = sums[2]! + MIN_CURVATURE;
    if (step === 0) {
      gradient[item] = byDiscrimination;
      gradient[items + item] = byIntercept;
      curvature[item] = a;
      curvature[items + item] = c;
    } else if (byDiscrimination * discriminationStep + byIntercept * interceptStep < -gain / 2) {
      // Overshoot: the directional derivative at the new point is clearly negative.
      discriminationStep /= 2;
      interceptStep /= 2;
      gain /= 2;
      discrimination -= discriminationStep;
      intercept -= interceptStep;
      continue;
    }
    const determinant = a * c - b * b;
    discriminationStep = (c * byDiscrimination - b * byIntercept) / determinant;
    interceptStep = (a * byIntercept - b * byDiscrimination) / determinant;
    if (discrimination + discriminationStep < min || discrimination + discriminationStep > max) {
      discriminationStep = (discriminationStep > 0 ? max : min) - discrimination;
      interceptStep = (byIntercept - b * discriminationStep) / c;
    }
    // The density of the prior is 0 for a discrimination of 0 or less.
    if (prior) discriminationStep = Math.max(discriminationStep, -discrimination / 2);
    const scale = Math.min(1, MAX_STEP / Math.max(Math.abs(discriminationStep), Math.abs(interceptStep)));
    discriminationStep *= scale;
    interceptStep =
      Math.min(maxIntercept, Math.max(minIntercept, intercept + interceptStep * scale)) - intercept;
    gain = Math.abs(byDiscrimination * discriminationStep + byIntercept * interceptStep);
    discrimination += discriminationStep;
    intercept += interceptStep;
    if (Math.abs(discriminationStep) < STEP_TOLERANCE && Math.abs(interceptStep) < STEP_TOLERANCE) break;
  }
  point[item] = discrimination;
  point[items + item] = intercept;
}

/**
 * 1PL: the common discrimination couples the items. The information matrix is an arrowhead matrix,
 * solved by eliminating the intercepts.
 */
export async function maximise1pl(
  expected: ExpectedCounts,
  items: number,
  from: ParameterVector,
  ticker: Ticker,
): Promise<MStepResult> {
  const result = newMStepResult(from);
  const { point, gradient, curvature } = result;
  const sums = new Float64Array(5);
  const mixed = new Float64Array(items);
  const step = new Float64Array(point.length);
  const currentGradient = new Float64Array(point.length);
  const ability = expected.rightAbility.reduce((sum, value) => sum + value, 0);
  const [min, max] = getBounds('1pl', items, 0);
  const [minIntercept, maxIntercept] = getBounds('1pl', items, 1);
  let expectedGain = 0;
  for (let n = 0; n < MAX_STEPS; n++) {
    currentGradient[0] = ability;
    let discriminationCurvature = MIN_CURVATURE;
    for (let j = 0; j < items; j++) {
      if (ticker.due()) await ticker.yield();
      computeLogisticSums(expected.asked, j, point[0]!, point[1 + j]!, sums);
      currentGradient[0]! -= sums[1]!;
      currentGradient[1 + j] = expected.rightCount[j]! - sums[0]!;
      discriminationCurvature += sums[4]!;
      mixed[j] = sums[3]!;
      curvature[1 + j] = sums[2]! + MIN_CURVATURE;
    }
    curvature[0] = discriminationCurvature;
    if (n === 0) gradient.set(currentGradient);
    else if (dot(currentGradient, step) < -expectedGain / 2) {
      expectedGain /= 2;
      for (let i = 0; i < step.length; i++) point[i]! -= step[i]! /= 2;
      continue;
    }
    // Schur complement: the step of the discrimination first, then the intercepts given that step.
    let reducedGradient = currentGradient[0]!;
    let reducedCurvature = discriminationCurvature;
    for (let j = 0; j < items; j++) {
      reducedGradient -= (mixed[j]! * currentGradient[1 + j]!) / curvature[1 + j]!;
      reducedCurvature -= mixed[j]! ** 2 / curvature[1 + j]!;
    }
    const wanted = clampStep(reducedGradient / Math.max(reducedCurvature, MIN_CURVATURE), MAX_STEP);
    step[0] = Math.min(max, Math.max(min, point[0]! + wanted)) - point[0]!;
    let maxStep = Math.abs(step[0]!);
    for (let j = 0; j < items; j++) {
      const wantedIntercept = clampStep(
        (currentGradient[1 + j]! - mixed[j]! * step[0]!) / curvature[1 + j]!,
        MAX_STEP,
      );
      step[1 + j] =
        Math.min(maxIntercept, Math.max(minIntercept, point[1 + j]! + wantedIntercept)) - point[1 + j]!;
      maxStep = Math.max(maxStep, Math.abs(step[1 + j]!));
    }
    expectedGain = Math.abs(dot(currentGradient, step));
    for (let i = 0; i < step.length; i++) point[i]! += step[i]!;
    if (maxStep < STEP_TOLERANCE) break;
  }
  return result;
}

export const newMStepResult = (from: ParameterVector): MStepResult => ({
  point: from.slice(),
  gradient: new Float64Array(from.length),
  curvature: new Float64Array(from.length),
});

/**
 * Sums over the nodes, with n expected responses: Σ nP, Σ nPθ, then Σ nP(1 − P) times 1, θ and θ².
 */
function computeLogisticSums(
  asked: Float64Array,
  item: number,
  discrimination: number,
  intercept: number,
  sums: Float64Array,
): void {
  let right = 0;
  let rightAbility = 0;
  let curvature = 0;
  let mixed = 0;
  let discriminationCurvature = 0;
  for (let q = 0; q < NODES; q++) {
    const n = asked[item * NODES + q]!;
    if (n === 0) continue;
    const ability = THETA[q]!;
    const p = logistic(discrimination * ability + intercept);
    right += n * p;
    rightAbility += n * p * ability;
    const variance = n * p * (1 - p);
    curvature += variance;
    mixed += variance * ability;
    discriminationCurvature += variance * ability * ability;
  }
  sums[0] = right;
  sums[1] = rightAbility;
  sums[2] = curvature;
  sums[3] = mixed;
  sums[4] = discriminationCurvature;
}

const clampStep = (step: number, max: number) => Math.min(max, Math.max(-max, step));

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
