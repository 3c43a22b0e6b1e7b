/**
 * The part of the summary about the estimation, the test as a whole and the abilities of the cases.
 */

import { mean, quantile } from '../../statistics/descriptive.ts';
import { findDiscriminationBound } from './calibration/model.ts';
import type { Estimates } from './estimate.ts';
import type { Sample } from './sample.ts';
import type { Summary } from './schemas.ts';
import { computeMarginalReliability, summariseInformation } from './test-information.ts';

/** Range of the histogram: EAP abilities lie between the outermost quadrature nodes. */
const MAX_ABS_ABILITY = 6;
const BINS_PER_UNIT = 4;

/** With fewer items, chance decides how many discriminations are negative. */
const MIN_ITEMS_FOR_DIRECTION = 4;
/** Most keys are presumed right. From this share of negative items on, that is not safe. */
const MIN_NEGATIVE_SHARE = 1 / 3;

/**
 * The likelihood is the same if all discriminations and abilities change their signs, so the
 * direction of the scale rests on the presumption that most keys are right.
 */
export function isDirectionUncertain({ calibration: { discrimination }, model }: Estimates): boolean {
  const negative = discrimination.reduce((sum, a) => sum + (a < 0 ? 1 : 0), 0);
  return (
    model !== '1pl' &&
    discrimination.length >= MIN_ITEMS_FOR_DIRECTION &&
    negative >= MIN_NEGATIVE_SHARE * discrimination.length
  );
}

export function summariseTest(
  { scores, cases_used }: Sample,
  estimates: Estimates,
  maxAbilitySe: number,
): Pick<Summary, 'estimation' | 'reliability' | 'ability' | 'information' | 'fit'> {
  const { calibration, information, model } = estimates;
  const { logLikelihood, parameters, converged, iterations, change, gradient } = calibration;
  const hasScores = (_: number, c: number) => scores.starts[c + 1]! > scores.starts[c]!;
  const ability = calibration.ability.filter(hasScores).sort();
  const abilitySe = calibration.abilitySe.filter(hasScores);
  const variance = computeVariance(ability);
  const errorVariance = mean(abilitySe.map((se) => se * se))!;
  return {
    estimation: {
      converged,
      iterations,
      last_change: change,
      gradient,
      common_discrimination_bound:
        model === '1pl' ? findDiscriminationBound(model, calibration.discrimination[0]!) : null,
      direction_uncertain: isDirectionUncertain(estimates),
      has_standard_errors: calibration.standardErrors?.intercept.some(Number.isFinite) ?? false,
      standard_errors_note: calibration.standardErrorsNote ?? null,
      log_likelihood: logLikelihood,
      parameters,
      aic: 2 * parameters - 2 * logLikelihood,
      bic: parameters * Math.log(cases_used) - 2 * logLikelihood,
    },
    reliability: {
      marginal: computeMarginalReliability(information),
      empirical: variance === null ? null : variance / (variance + errorVariance),
    },
    ability: {
      mean: mean(ability)!,
      standard_deviation: variance === null ? null : Math.sqrt(variance),
      minimum: ability[0]!,
      lower_quartile: quantile(ability, 0.25)!,
      median: quantile(ability, 0.5)!,
      upper_quartile: quantile(ability, 0.75)!,
      maximum: ability.at(-1)!,
      mean_se: mean(abilitySe)!,
      histogram: buildHistogram(ability),
    },
    information: summariseInformation(information, maxAbilitySe),
    fit: {
      complete_cases: estimates.completeCases,
      tested: estimates.sX2.filter((fit) => fit !== null).length,
      reason: estimates.untestedReason,
    },
  };
}

/** Unbiased sample variance. Null for a single value. */
function computeVariance(values: Float64Array): number | null {
  if (values.length < 2) return null;
  const centre = mean(values)!;
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

function buildHistogram(ability: Float64Array) {
  const counts = Array.from({ length: 2 * MAX_ABS_ABILITY * BINS_PER_UNIT }, () => 0);
  for (const value of ability) {
    const bin = Math.floor((value + MAX_ABS_ABILITY) * BINS_PER_UNIT);
    counts[Math.min(counts.length - 1, Math.max(0, bin))]!++;
  }
  return { from: -MAX_ABS_ABILITY, step: 1 / BINS_PER_UNIT, counts };
}
