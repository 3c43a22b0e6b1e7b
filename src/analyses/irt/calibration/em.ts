/** The EM algorithm (Bock & Aitkin, 1981) with Anderson acceleration; newton.ts continues. */
import { newAndersonAcceleration } from './acceleration.ts';
import { type EmContext, type EStepResult, runEStep, runMStep } from './em-step.ts';
import type { MStepResult } from './maximisation.ts';
import { clampToBounds, type ParameterVector } from './model.ts';

/** A decrease of the likelihood below this fraction is rounding error. */
export const RELATIVE_ROUNDING = 1e-11;
/** Share of the progress that EM begins and ends at. */
const PROGRESS_START = 0.1;
const PROGRESS_RANGE = 0.6;

export interface IterationLimits {
  tolerance: number;
  max_iterations: number;
}

/** A point with the E-step and the M-step from it. */
export interface Evaluation extends EStepResult, Pick<MStepResult, 'gradient' | 'curvature'> {
  point: ParameterVector;
  /** The image of the point under one EM iteration, and the largest change of a parameter to it. */
  next: ParameterVector;
  change: number;
}

export async function evaluateAt(
  context: EmContext,
  point: ParameterVector,
  known?: EStepResult,
): Promise<Evaluation> {
  const eStep = known ?? (await runEStep(context, point));
  const { point: next, gradient, curvature } = await runMStep(context, eStep.expected, point);
  return { ...eStep, point, next, gradient, curvature, change: findMaxDifference(next, point) };
}

/**
 * Iterates EM until no parameter changes by more than the tolerance. An accelerated point is
 * accepted if the objective does not decrease; otherwise a plain EM step is taken and the
 * acceleration restarts.
 */
export async function runEm(
  context: EmContext,
  start: ParameterVector,
  { tolerance, max_iterations }: IterationLimits,
): Promise<{ evaluation: Evaluation; iterations: number }> {
  const { model, prepared, ticker } = context;
  const acceleration = newAndersonAcceleration(start.length);
  let current = await evaluateAt(context, start);
  const firstChange = current.change;
  let iterations = 1;
  let progress = 0;
  while (current.change > tolerance && iterations < max_iterations) {
    const accelerated = acceleration.next(current.point, current.next, current.curvature);
    clampToBounds(accelerated, model, prepared.problem.items);
    const eStep = await runEStep(context, accelerated);
    iterations++;
    if (eStep.objective >= current.objective - RELATIVE_ROUNDING * Math.abs(current.objective)) {
      current = await evaluateAt(context, accelerated, eStep);
    } else {
      acceleration.restart();
      current = await evaluateAt(context, current.next);
      iterations++;
    }
    // Convergence is linear, so the logarithm of the change measures the way.
    const way =
      Math.log(firstChange / Math.max(tolerance, current.change)) / Math.log(firstChange / tolerance);
    progress = Math.max(progress, PROGRESS_START + PROGRESS_RANGE * (way || 0));
    await ticker.yield(progress);
  }
  return { evaluation: current, iterations };
}

export function findMaxDifference(a: Float64Array, b: Float64Array): number {
  let max = 0;
  for (let i = 0; i < a.length; i++) max = Math.max(max, Math.abs(a[i]! - b[i]!));
  return max;
}
