/** What a calibrated question does at each ability: the probability of a right answer, and the information that it gives. */

import { type Curves, logistic } from './calibration/model.ts';

/** Of one question: P(right) = lower + (1 − lower) · logistic(slope · ability + intercept). */
export interface Curve {
  slope: number;
  intercept: number;
  lower: number;
}

export const curveOf = ({ slope, intercept, lower }: Curves, item: number): Curve => ({
  slope: slope[item]!,
  intercept: intercept[item]!,
  lower: lower[item]!,
});

export const probability = ({ slope, intercept, lower }: Curve, ability: number) =>
  lower + (1 - lower) * logistic(slope * ability + intercept);

/** Fisher's information about the ability (Lord, 1980): P′² / (P · (1 − P)). */
export function information({ slope, intercept, lower }: Curve, ability: number): number {
  const known = logistic(slope * ability + intercept);
  const guessed = lower > 0 ? ((1 - lower) * known) / (lower + (1 - lower) * known) : 1;
  return slope * slope * known * (1 - known) * guessed;
}

/** Where a question tells most, and how much; nothing where its curve is flat. */
export function peakOf(curve: Curve): { ability: number; information: number } | null {
  const logit = Math.log((1 + Math.sqrt(1 + 8 * curve.lower)) / 2);
  const ability = (logit - curve.intercept) / curve.slope;
  return Number.isFinite(ability) ? { ability, information: information(curve, ability) } : null;
}

/** The ability at which the curve has this value; nothing where it never has. */
export function abilityAt({ slope, intercept, lower }: Curve, value: number): number | null {
  const known = (value - lower) / (1 - lower);
  const ability = (Math.log(known / (1 - known)) - intercept) / slope;
  return known > 0 && known < 1 && Number.isFinite(ability) ? ability : null;
}
