/** The item response function of a calibrated item, and its item information function. */

import { type ItemCurves, logistic } from './calibration/model.ts';

/** P(right) = guessing + (1 − guessing) · logistic(discrimination · θ + intercept). */
export interface ItemCurve {
  discrimination: number;
  intercept: number;
  guessing: number;
}

export const getCurve = ({ discrimination, intercept, guessing }: ItemCurves, item: number): ItemCurve => ({
  discrimination: discrimination[item]!,
  intercept: intercept[item]!,
  guessing: guessing[item]!,
});

export const computeProbability = ({ discrimination, intercept, guessing }: ItemCurve, ability: number) =>
  guessing + (1 - guessing) * logistic(discrimination * ability + intercept);

/** Fisher information about the ability (Lord, 1980): P′² / (P · (1 − P)). */
export function computeInformation(
  { discrimination, intercept, guessing }: ItemCurve,
  ability: number,
): number {
  const known = logistic(discrimination * ability + intercept);
  const weight = guessing > 0 ? ((1 - guessing) * known) / (guessing + (1 - guessing) * known) : 1;
  return discrimination * discrimination * known * (1 - known) * weight;
}

/** Maximum of the information function (Birnbaum, 1968). Null for a flat curve. */
export function findPeak(curve: ItemCurve): { ability: number; information: number } | null {
  const logit = Math.log((1 + Math.sqrt(1 + 8 * curve.guessing)) / 2);
  const ability = (logit - curve.intercept) / curve.discrimination;
  return Number.isFinite(ability) ? { ability, information: computeInformation(curve, ability) } : null;
}
