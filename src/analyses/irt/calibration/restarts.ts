/**
 * Maximises the likelihood from one start, and from several where the maximum is doubtful. With few
 * responses, steep items or guessing the likelihood has several maxima: an item that few know may
 * fit a negative discrimination almost as well as a step at high ability.
 */

import { type Evaluation, type IterationLimits, runEm } from './em.ts';
import { type EmContext, runEStep } from './em-step.ts';
import { clampToBounds, findDiscriminationBound, type ParameterVector } from './model.ts';
import { type NewtonResult, newtonRefine } from './newton.ts';
import { buildStart, type ResponseCounts, type StartingCurves } from './starting-values.ts';

export interface Solution {
  evaluation: Evaluation;
  /** Undefined where the joint information would take too long to compute. */
  newton: NewtonResult | undefined;
  iterations: number;
  converged: boolean;
}

/** A smaller increase of the objective is the same maximum, reached with another precision. */
const MIN_GAIN = 1e-3;
/** From steep curves EM reaches maxima with steps that it misses from flatter ones. */
const STEEP_DISCRIMINATION = 2;
const MAX_START_DISCRIMINATION = 2.5;
const SCATTERED_STARTS = 4;
/**
 * With more blocks of responses there are no scattered starts: each takes long, and the likelihood of
 * many responses has hardly any minor maxima.
 */
const MAX_BLOCKS_SCATTERED = 40_000;
/** Amplitude of the changes of ln a, d and the logit of c in a scattered start. */
const SCATTER = 0.8;
/** Multiples of this angle are spread evenly over the circle. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

export async function maximiseWithRestarts(
  context: EmContext,
  counts: ResponseCounts,
  start: StartingCurves,
  limits: IterationLimits,
): Promise<Solution> {
  const first = await maximise(context, buildStart(context.model, counts, start), limits);
  let best = first;
  let last = first;
  for await (const point of listRestarts(context, counts, start, first, limits)) {
    last = await maximise(context, point, limits);
    const gain = last.evaluation.objective - best.evaluation.objective;
    if (gain > MIN_GAIN && !isReflected(last.evaluation, start)) best = last;
  }
  // The tables of the problem are those of the last evaluation.
  if (last !== best) await runEStep(context, best.evaluation.point);
  return best;
}

async function maximise(
  context: EmContext,
  start: ParameterVector,
  limits: IterationLimits,
): Promise<Solution> {
  const em = await runEm(context, start, limits);
  const newton = await newtonRefine(context, em.evaluation, limits);
  const { evaluation } = newton ?? em;
  return {
    evaluation,
    newton,
    iterations: em.iterations + (newton?.iterations ?? 0),
    converged: evaluation.change <= limits.tolerance && (newton?.near ?? true),
  };
}

/** Whether high abilities stand for many wrong responses: the scale has the wrong direction. */
function isReflected({ point }: Evaluation, { discrimination }: StartingCurves): boolean {
  return discrimination.reduce((sum, a, j) => sum + Math.sign(a) * Math.sign(point[j]!), 0) < 0;
}

/**
 * None where the solution is not doubtful. One with a discrimination at its bound, without a
 * positive definite information matrix, or not converged, is followed by starts from steep curves,
 * the 2PL and scattered values (with moderate data). A reversed item of the 3PL, and one at its bound, is started from the
 * other sign.
 */
async function* listRestarts(
  context: EmContext,
  counts: ResponseCounts,
  start: StartingCurves,
  { evaluation, newton, converged }: Solution,
  limits: IterationLimits,
): AsyncGenerator<ParameterVector> {
  const { model, priors, prepared } = context;
  if (model === '1pl') return;
  const { items, patterns } = prepared.problem;
  const reached = evaluation.point.subarray(0, items);
  const isBounded = (a: number) => findDiscriminationBound(model, a) !== null;
  const isSuspect = (a: number) => isBounded(a) || (model === '3pl' && a < 0);
  const from = (discrimination: Float64Array) => buildStart(model, counts, { ...start, discrimination });
  if (reached.some(isSuspect) && !priors.discrimination)
    yield from(start.discrimination.map((a, j) => (isSuspect(reached[j]!) ? -Math.sign(reached[j]!) : a)));
  if (converged && (!newton || newton.information) && !reached.some(isBounded)) return;
  yield from(start.discrimination.map((a) => Math.sign(a) * STEEP_DISCRIMINATION));
  if (model === '3pl') {
    const twoPl = { ...context, model: '2pl' as const };
    const { evaluation: found } = await runEm(twoPl, buildStart('2pl', counts, start), limits);
    const point = from(start.discrimination);
    for (let j = 0; j < items; j++) {
      const a = found.point[j]!;
      point[j] = Math.max(-MAX_START_DISCRIMINATION, Math.min(MAX_START_DISCRIMINATION, a));
      // The difficulty is kept.
      point[items + j] = found.point[items + j]! * (a === 0 ? 1 : point[j]! / a);
    }
    yield point;
  }
  if (patterns.starts[patterns.count]! > MAX_BLOCKS_SCATTERED) return;
  for (let n = 1; n <= SCATTERED_STARTS; n++) {
    const point = from(start.discrimination);
    for (let i = 0; i < point.length; i++) {
      const change = SCATTER * Math.cos(n * (i + 1) * GOLDEN_ANGLE);
      if (i < items) point[i]! *= Math.exp(change);
      else point[i]! += change;
    }
    clampToBounds(point, model, items);
    yield point;
  }
}
