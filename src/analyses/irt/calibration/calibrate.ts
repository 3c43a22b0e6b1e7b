/**
 * Calibration: estimates item parameters by marginal maximum likelihood (MML; Bock & Aitkin, 1981)
 * with abilities integrated out over a standard normal distribution. The EM algorithm (em.ts) is
 * followed by Newton's method (newton.ts) where the joint information matrix is affordable;
 * standard errors come from that matrix (information.ts), abilities are EAP estimates
 * (expectation.ts).
 */
import type { Ticker } from '../../../concurrency/ticker.ts';
import type { Scores } from '../../shared/responses.ts';
import type { Evaluation } from './em.ts';
import type { EmContext } from './em-step.ts';
import { newInlineExecutor, newThreadExecutor } from './executor.ts';
import { computeItemInformation } from './information.ts';
import {
  countParameters,
  getBounds,
  type ItemCurves,
  type Model,
  type ParameterVector,
  toItemCurves,
} from './model.ts';
import type { NewtonResult } from './newton.ts';
import { NO_PATTERN } from './patterns.ts';
import { getPriorMean, type Priors } from './priors.ts';
import { prepareProblem } from './problem.ts';
import { maximiseWithRestarts } from './restarts.ts';
import {
  computeItemStandardErrors,
  computeJointStandardErrors,
  type StandardErrors,
} from './standard-errors.ts';
import { countResponses, estimateDiscriminations } from './starting-values.ts';

export interface CalibrationOptions {
  model: Model;
  /** The prior of discriminations does not apply to the 1PL. */
  priors: Priors;
  /** Largest change of a parameter in an EM iteration at which it counts as converged. */
  tolerance: number;
  max_iterations: number;
}

/**
 * Item parameters: P(right) = guessing + (1 − guessing) · logistic(discrimination · θ + intercept).
 */
export interface Calibration extends ItemCurves {
  /**
   * From the observed information, that of the difficulty by the delta method. Infinite for a
   * parameter at its bound or not identified by the data. Undefined where the information matrix is
   * singular or not positive definite.
   */
  standardErrors: StandardErrors | undefined;
  /** Why there are no standard errors, or how they are approximate, in a sentence for users. */
  standardErrorsNote: string | undefined;
  /** Marginal log-likelihood of the data, without the prior. */
  logLikelihood: number;
  /** Number of free parameters. */
  parameters: number;
  /** Evaluations of the likelihood by EM and by Newton's method, from the start that is kept. */
  iterations: number;
  /**
   * Whether an EM iteration changes no parameter by more than the tolerance, and the maximum is
   * near by Newton's method. A parameter that presses against its bound counts as converged.
   */
  converged: boolean;
  /** Largest change of a parameter in an EM iteration from these values. */
  change: number;
  /**
   * Largest absolute derivative of the objective (3PL: with the prior, by the logit of guessing) by
   * a parameter that does not press against its bound.
   */
  gradient: number;
  /** By case: EAP ability and its standard error; 0 and 1 (the prior) for cases without scores. */
  ability: Float64Array;
  abilitySe: Float64Array;
}

/** From this number of blocks on, threads pay; by forms there is less work per block. */
const MIN_BLOCKS_FOR_THREADS = 40_000;
const MIN_BLOCKS_FOR_THREADS_BY_FORM = 400_000;

export async function calibrate(
  scores: Scores,
  options: CalibrationOptions,
  ticker: Ticker,
): Promise<Calibration> {
  const { model } = options;
  const { items } = scores;
  const counts = await countResponses(scores, ticker);
  const prepared = await prepareProblem(scores, model, ticker);
  const { problem, patternOf } = prepared;
  const priors = model === '1pl' ? { guessing: options.priors.guessing } : options.priors;
  const start = {
    discrimination: await estimateDiscriminations(scores, counts, Boolean(priors.discrimination), ticker),
    guessing: Float64Array.from(priors.guessing, getPriorMean),
  };
  const blocks = problem.patterns.starts[problem.patterns.count]!;
  const large = blocks > (problem.tables ? MIN_BLOCKS_FOR_THREADS_BY_FORM : MIN_BLOCKS_FOR_THREADS);
  const executor = large ? newThreadExecutor(problem, ticker) : newInlineExecutor(problem, ticker);
  try {
    const context: EmContext = {
      model,
      priors,
      prepared,
      rightCount: counts.right,
      executor,
      ticker,
    };
    const { evaluation, newton, iterations, converged } = await maximiseWithRestarts(
      context,
      counts,
      start,
      options,
    );
    const bounded = hasParameterAtBound(evaluation.point, model, items);
    const standardErrors = await estimateStandardErrors(context, evaluation, newton, bounded);
    await executor.run('estimateEap', problem.parts.length - 1);
    return {
      ...toItemCurves(evaluation.point, model, items),
      ...standardErrors,
      logLikelihood: evaluation.logLikelihood,
      parameters: countParameters(model, items),
      iterations,
      converged,
      change: evaluation.change,
      gradient: findMaxGradient(evaluation, model, items),
      ...toCaseAbilities(patternOf, problem.ability, problem.abilitySe),
    };
  } finally {
    await executor.close();
  }
}

const NOTE_BY_ITEM =
  'There are too many parameters for a joint information matrix: each standard error is computed from its question ' +
  'alone, as if the other questions were known, and is slightly too small.';
const NOTE_NOT_POSITIVE_DEFINITE =
  'There are no standard errors, because the information matrix is not positive definite: the responses do not ' +
  'identify all parameters.';
const NOTE_NEARLY_SINGULAR =
  'There are no standard errors, because the information matrix is nearly singular: the responses do not identify ' +
  'the parameters.';
const NOTE_EXCLUDED =
  'The information matrix is nearly singular: the responses do not identify the parameters of some questions. These ' +
  'have no standard errors, and the standard errors of the others treat them as known.';
const NOTE_AT_BOUNDS =
  'Some parameters are at the bounds of the estimation, such as a discrimination of 20 (or of 0 where all questions ' +
  'share one). They have no standard error, and the standard errors of the others treat them as known.';

async function estimateStandardErrors(
  context: EmContext,
  { point, expected }: Evaluation,
  newton: NewtonResult | undefined,
  bounded: boolean,
): Promise<Pick<Calibration, 'standardErrors' | 'standardErrorsNote'>> {
  const { model, prepared, ticker } = context;
  const { items } = prepared.problem;
  if (!newton) {
    const information = await computeItemInformation(context, point, expected);
    return {
      standardErrors: computeItemStandardErrors(model, items, point, information),
      standardErrorsNote: bounded ? `${NOTE_BY_ITEM} ${NOTE_AT_BOUNDS}` : NOTE_BY_ITEM,
    };
  }
  if (!newton.information)
    return { standardErrors: undefined, standardErrorsNote: NOTE_NOT_POSITIVE_DEFINITE };
  const found = await computeJointStandardErrors(model, items, point, newton.information, ticker);
  if (!found) return { standardErrors: undefined, standardErrorsNote: NOTE_NEARLY_SINGULAR };
  const notes = [...(bounded ? [NOTE_AT_BOUNDS] : []), ...(found.excluded ? [NOTE_EXCLUDED] : [])];
  return {
    standardErrors: found.standardErrors,
    standardErrorsNote: notes.length > 0 ? notes.join(' ') : undefined,
  };
}

/** Guessing does not count: a value of almost 0 is a regular estimate. */
const hasParameterAtBound = (point: ParameterVector, model: Model, items: number) =>
  point.subarray(0, 2 * items).some((value, i) => {
    const [min, max] = getBounds(model, items, i);
    return value <= min || value >= max;
  });

function findMaxGradient({ point, gradient }: Evaluation, model: Model, items: number): number {
  let maxGradient = 0;
  for (const [i, value] of gradient.entries()) {
    const [min, max] = getBounds(model, items, i);
    const isFree = value < 0 ? point[i]! > min : point[i]! < max;
    if (isFree) maxGradient = Math.max(maxGradient, Math.abs(value));
  }
  return maxGradient;
}

function toCaseAbilities(patternOf: Uint32Array, ability: Float64Array, abilitySe: Float64Array) {
  const cases = {
    ability: new Float64Array(patternOf.length),
    abilitySe: new Float64Array(patternOf.length).fill(1),
  };
  for (const [c, pattern] of patternOf.entries()) {
    if (pattern === NO_PATTERN) continue;
    cases.ability[c] = ability[pattern]!;
    cases.abilitySe[c] = abilitySe[pattern]!;
  }
  return cases;
}
