/** The part of the summary that is about the test as a whole and the people who took it. */

import { mean, quantile } from '../../statistics/descriptive.ts';
import { slopeBoundOf } from './calibration/model.ts';
import type { Measures } from './estimate.ts';
import type { Sample } from './sample.ts';
import type { Summary } from './schemas.ts';
import { describeInformation, marginalReliability } from './test-information.ts';

/** The bins of the abilities: estimates lie within the nodes that they are computed on. */
const END = 6;
const PER_UNIT = 4;

export function wholeOf(
  { scores, cases_used }: Sample,
  measures: Measures,
  largestError: number,
): Pick<Summary, 'estimation' | 'reliability' | 'ability' | 'information' | 'fit'> {
  const { calibration, information, model } = measures;
  const { log_likelihood, parameters, converged, cycles, change, gradient } = calibration;
  const hasScores = (_: number, c: number) => scores.starts[c + 1]! > scores.starts[c]!;
  const ability = calibration.ability.filter(hasScores).sort();
  const errors = calibration.ability_error.filter(hasScores);
  const variance = varianceOf(ability);
  const unexplained = mean(errors.map((error) => error * error))!;
  return {
    estimation: {
      converged,
      cycles,
      last_change: change,
      gradient,
      shared_slope_bound: model === '1pl' ? slopeBoundOf(model, calibration.slope[0]!) : null,
      standard_errors: calibration.errors?.intercept.some(Number.isFinite) ?? false,
      standard_errors_note: calibration.errors_note ?? null,
      log_likelihood,
      parameters,
      aic: 2 * parameters - 2 * log_likelihood,
      bic: parameters * Math.log(cases_used) - 2 * log_likelihood,
    },
    reliability: {
      marginal: marginalReliability(information),
      empirical: variance === null ? null : variance / (variance + unexplained),
    },
    ability: {
      mean: mean(ability)!,
      standard_deviation: variance === null ? null : Math.sqrt(variance),
      minimum: ability[0]!,
      lower_quartile: quantile(ability, 0.25)!,
      median: quantile(ability, 0.5)!,
      upper_quartile: quantile(ability, 0.75)!,
      maximum: ability.at(-1)!,
      mean_standard_error: mean(errors)!,
      histogram: histogramOf(ability),
    },
    information: describeInformation(information, largestError),
    fit: {
      complete_cases: measures.complete_cases,
      tested: measures.sumScores.filter((fit) => fit !== null).length,
      reason: measures.untested,
    },
  };
}

function varianceOf(values: Float64Array): number | null {
  if (values.length < 2) return null;
  const centre = mean(values)!;
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

function histogramOf(ability: Float64Array) {
  const counts = Array.from({ length: 2 * END * PER_UNIT }, () => 0);
  for (const value of ability)
    counts[Math.min(counts.length - 1, Math.max(0, Math.floor((value + END) * PER_UNIT)))]!++;
  return { from: -END, step: 1 / PER_UNIT, counts };
}
