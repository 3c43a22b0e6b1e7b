/**
 * Calibration: the curves of items, by marginal maximum likelihood (Bock and Aitkin, 1981), with abilities
 * taken as standard normal. The EM algorithm, accelerated, and at the end Newton's method where the
 * information of all parameters together can be had.
 */
import type { Scores } from '../../shared/responses.ts';
import { paceOf } from '../../shared/ticker.ts';
import type { Setting } from './em-step.ts';
import { alone, inThreads } from './executor.ts';
import { informationByItem } from './information.ts';
import { climb, type Polished, polish, type Reached } from './maximum.ts';
import { boundsOf, curvesAt, type Model, type Point, sizeOf } from './model.ts';
import { NO_PATTERN } from './patterns.ts';
import { prepare } from './problem.ts';
import { type Errors, errorsByItem, jointErrors } from './standard-errors.ts';
import { countsOf, startingPoint } from './starting-values.ts';

export interface CalibrationOptions {
  model: Model;
  /** The Beta prior of the lower asymptotes (3PL only). */
  guessing: { alpha: number; beta: number };
  /** The largest change of any parameter in a cycle of EM that counts as none. */
  tolerance: number;
  max_iterations: number;
}

export interface Calibration {
  /** By item: P(right) = lower + (1 − lower) · logistic(slope · ability + intercept). */
  slope: Float64Array;
  intercept: Float64Array;
  lower: Float64Array;
  /**
   * Standard errors from the observed information, that of the difficulty by the delta method. Infinite where
   * a parameter has run to the bound of what is estimated, or is not told by the data; undefined where there
   * are none at all.
   */
  errors: Errors | undefined;
  /**
   * What is to be known about the standard errors, in a sentence: why there are none, or that they are
   * approximate.
   */
  errors_note: string | undefined;
  /** The marginal log-likelihood of the data alone, without a prior. */
  log_likelihood: number;
  /** How many are free. */
  parameters: number;
  /** How often the likelihood of the whole data was computed. */
  cycles: number;
  /**
   * Whether a cycle of EM changes no parameter by more than the tolerance, and the maximum is near. What is at
   * its bound and would go beyond is at rest there.
   */
  converged: boolean;
  /** The largest change of a parameter in a cycle of EM from these values. */
  change: number;
  /**
   * The largest derivative of the log-likelihood (3PL: with the prior; by the logit of the lower asymptote)
   * by a parameter that is free to follow it.
   */
  gradient: number;
  /**
   * The expected a posteriori ability of every case and its standard error; 0 and 1 for those without scores.
   */
  ability: Float64Array;
  ability_error: Float64Array;
}

/** From so many blocks on, threads pay; by forms there is less to do for each. */
const LARGE = 40_000;
const LARGE_BY_FORM = 400_000;

export async function calibrate(
  scores: Scores,
  options: CalibrationOptions,
  progress: (share: number) => Promise<void>,
): Promise<Calibration> {
  const { model, guessing, tolerance } = options;
  const { items } = scores;
  const pace = paceOf(progress);
  const counts = await countsOf(scores, pace);
  const prepared = await prepare(scores, model, pace);
  const { problem, patternOf } = prepared;
  const guess = guessing.alpha / (guessing.alpha + guessing.beta);
  const start = await startingPoint(scores, counts, model, guess, pace);
  const blocks = problem.patterns.starts[problem.patterns.count]!;
  const large = blocks > (problem.tables ? LARGE_BY_FORM : LARGE);
  const team = large ? inThreads(problem, pace) : alone(problem, pace);
  try {
    const setting: Setting = { model, guessing, prepared, rightCount: counts.right, team, pace };
    const climbed = await climb(setting, start, options);
    const polished = await polish(setting, climbed.reached, tolerance);
    const { reached } = polished ?? climbed;
    const within = !atBounds(reached.point, model, items);
    const errors = await errorsAt(setting, reached, polished, within);
    await team.run('measure', problem.parts.length - 1);
    return {
      ...curvesAt(reached.point, model, items),
      ...errors,
      log_likelihood: reached.logLikelihood,
      parameters: sizeOf(model, items),
      cycles: climbed.cycles + (polished?.cycles ?? 0),
      converged: reached.change <= tolerance && (polished?.near ?? true),
      change: reached.change,
      gradient: largestGradient(reached, model, items),
      ...abilities(patternOf, problem.ability, problem.deviation),
    };
  } finally {
    await team.end();
  }
}

const BY_ITEM =
  'There are too many parameters for standard errors from all of them together; each is from its question alone, ' +
  'as if the others were known, and a little too small.';
const NO_INFORMATION =
  'There are no standard errors, because the information matrix is not positive definite: the responses do ' +
  'not tell the parameters apart.';
const AT_BOUNDS =
  'Some parameters ran to the bounds of what is estimated, such as a slope of 20 (or of 0 where all share one); ' +
  'they have no standard error, and those of the others take them as known.';

async function errorsAt(
  setting: Setting,
  { point, expected }: Reached,
  polished: Polished | undefined,
  within: boolean,
): Promise<Pick<Calibration, 'errors' | 'errors_note'>> {
  const { model, prepared, pace } = setting;
  const { items } = prepared.problem;
  if (!polished) {
    const byItem = await informationByItem(setting, point, expected);
    const errors = errorsByItem(model, items, point, byItem);
    return { errors, errors_note: within ? BY_ITEM : `${BY_ITEM} ${AT_BOUNDS}` };
  }
  if (!polished.information) return { errors: undefined, errors_note: NO_INFORMATION };
  const { free, decomposed } = polished.information;
  const errors = await jointErrors(model, items, point, free, decomposed, pace);
  return { errors, errors_note: within ? undefined : AT_BOUNDS };
}

/** Whether a slope or an intercept is. A lower asymptote may well be 0. */
const atBounds = (point: Point, model: Model, items: number) =>
  point.subarray(0, 2 * items).some((value, i) => {
    const [least, most] = boundsOf(model, items, i);
    return value <= least || value >= most;
  });

/** What presses against a bound has nowhere to go. */
function largestGradient({ point, gradient }: Reached, model: Model, items: number): number {
  let largest = 0;
  for (const [i, value] of gradient.entries()) {
    const [least, most] = boundsOf(model, items, i);
    if (value < 0 ? point[i]! > least : point[i]! < most) largest = Math.max(largest, Math.abs(value));
  }
  return largest;
}

/** By case; those without scores are where the population is. */
function abilities(patternOf: Uint32Array, mean: Float64Array, deviation: Float64Array) {
  const ability = new Float64Array(patternOf.length);
  const ability_error = new Float64Array(patternOf.length).fill(1);
  for (let c = 0; c < patternOf.length; c++) {
    if (patternOf[c] === NO_PATTERN) continue;
    ability[c] = mean[patternOf[c]!]!;
    ability_error[c] = deviation[patternOf[c]!]!;
  }
  return { ability, ability_error };
}
