/** Maximum-likelihood (ML) ability estimates, the basis of infit and outfit. */

import type { Ticker } from '../../concurrency/ticker.ts';
import { mean } from '../../statistics/descriptive.ts';
import type { Scores } from '../shared/responses.ts';
import type { ItemCurves } from './calibration/model.ts';

/** An estimate that reaches this magnitude is infinite: the likelihood has no maximum. */
const MAX_ABS_ABILITY = 10;
const MAX_STEPS = 50;
const MAX_STEP = 1;
/** Convergence is nearly quadratic: after a step this small the error is negligible. */
const STEP_TOLERANCE = 1e-3;
/** Offset of infinite estimates from the extreme finite one, in logits at mean discrimination. */
const EXTREME_OFFSET = 0.1;

/**
 * By Fisher scoring from the given starting values. A case with all responses right, or all wrong,
 * has no finite estimate and gets one slightly beyond the most extreme other case, as in mirt. NaN
 * for cases without scores.
 */
export async function estimateMlAbilities(
  scores: Scores,
  curves: ItemCurves,
  start: Float64Array,
  ticker: Ticker,
): Promise<Float64Array> {
  const estimates = new Float64Array(scores.cases).fill(Number.NaN);
  let min = Infinity;
  let max = -Infinity;
  for (let c = 0; c < scores.cases; c++) {
    if (ticker.due()) await ticker.yield(c / scores.cases);
    if (scores.starts[c + 1] === scores.starts[c]) continue;
    const ability = maximiseLikelihood(scores, curves, c, start[c]!);
    estimates[c] = ability;
    if (Math.abs(ability) >= MAX_ABS_ABILITY) continue;
    min = Math.min(min, ability);
    max = Math.max(max, ability);
  }
  if (min > max) return estimates;
  const offset = EXTREME_OFFSET / (mean(curves.discrimination.map(Math.abs)) || 1);
  for (let c = 0; c < scores.cases; c++) {
    if (estimates[c]! >= MAX_ABS_ABILITY) estimates[c] = max + offset;
    else if (estimates[c]! <= -MAX_ABS_ABILITY) estimates[c] = min - offset;
  }
  return estimates;
}

function maximiseLikelihood(
  scores: Scores,
  { discrimination, intercept, guessing }: ItemCurves,
  c: number,
  start: number,
): number {
  const { starts, item, right } = scores;
  let ability = start;
  for (let step = 0; step < MAX_STEPS; step++) {
    let gradient = 0;
    let information = 0;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const j = item[i]!;
      const a = discrimination[j]!;
      const known = 1 / (1 + Math.exp(-(a * ability + intercept[j]!)));
      const p = guessing[j]! + (1 - guessing[j]!) * known;
      const weight = guessing[j]! > 0 ? known / p : 1;
      gradient += a * (right[i]! - p) * weight;
      information += a * a * p * (1 - p) * weight * weight;
    }
    const wanted = gradient / information;
    const taken = Math.max(-MAX_STEP, Math.min(MAX_STEP, wanted));
    if (Number.isNaN(taken)) return ability;
    ability = Math.max(-MAX_ABS_ABILITY, Math.min(MAX_ABS_ABILITY, ability + taken));
    if (Math.abs(taken) < STEP_TOLERANCE || (Math.abs(ability) === MAX_ABS_ABILITY && ability * taken > 0))
      break;
  }
  return ability;
}
