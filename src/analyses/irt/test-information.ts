/** Test information: the sum of the item information functions, and the resulting precision. */

import type { Ticker } from '../../concurrency/ticker.ts';
import { findDiscriminationBound, type ItemCurves, type Model } from './calibration/model.ts';
import { computeInformation, getCurve } from './curves.ts';

/** Grid of abilities from −6 to 6. */
const MAX_ABS_ABILITY = 6;
const POINTS_PER_UNIT = 20;
const POINTS = 2 * MAX_ABS_ABILITY * POINTS_PER_UNIT + 1;
/** The coarser grid that is reported. */
const MAX_ABS_REPORTED_ABILITY = 4;
const REPORTED_POINTS_PER_UNIT = 10;

const getAbility = (index: number) => (index - MAX_ABS_ABILITY * POINTS_PER_UNIT) / POINTS_PER_UNIT;
const getIndex = (ability: number) => Math.round((ability + MAX_ABS_ABILITY) * POINTS_PER_UNIT);

export interface TestInformation {
  /** Items that contribute. */
  questions: number;
  /** By point of the grid. */
  total: Float64Array;
}

/** Excludes items with a discrimination at its bound, which would determine their information. */
export async function computeTestInformation(
  curves: ItemCurves,
  model: Model,
  ticker: Ticker,
): Promise<TestInformation> {
  const total = new Float64Array(POINTS);
  const items = curves.discrimination.length;
  let questions = 0;
  for (let item = 0; item < items; item++) {
    if (ticker.due()) await ticker.yield(item / items);
    const curve = getCurve(curves, item);
    if (findDiscriminationBound(model, curve.discrimination)) continue;
    questions++;
    for (let index = 0; index < POINTS; index++)
      total[index]! += computeInformation(curve, getAbility(index));
  }
  return { questions, total };
}

/**
 * Standard error of an ability estimate, 1 / √I. Null where the information is 0 up to rounding.
 */
const computeSe = (information: number) => (information > Number.EPSILON ? 1 / Math.sqrt(information) : null);

/**
 * Marginal reliability in a standard normal population: the mean of I / (I + 1) (Green et al.,
 * 1984). Null if no item contributes.
 */
export function computeMarginalReliability({ questions, total }: TestInformation): number | null {
  if (questions === 0) return null;
  let sum = 0;
  let weights = 0;
  for (const [index, information] of total.entries()) {
    const weight = Math.exp(-(getAbility(index) ** 2) / 2);
    sum += (weight * information) / (information + 1);
    weights += weight;
  }
  return sum / weights;
}

/** The reported grid, the peak, and the range around it in which abilities are precise enough. */
export function summariseInformation({ questions, total }: TestInformation, maxAbilitySe: number) {
  if (questions === 0) return { questions, points: [], peak: null, precise_range: null };
  const toPoint = (index: number) => ({
    ability: getAbility(index),
    information: Number(total[index]!.toPrecision(6)),
    ability_se: roundToSixDigits(computeSe(total[index]!)),
  });
  const steps = 2 * MAX_ABS_REPORTED_ABILITY * REPORTED_POINTS_PER_UNIT;
  const points = Array.from({ length: steps + 1 }, (_, i) =>
    toPoint(getIndex(i / REPORTED_POINTS_PER_UNIT - MAX_ABS_REPORTED_ABILITY)),
  );
  const best = total.indexOf(total.reduce((max, value) => Math.max(max, value)));
  const isPrecise = (index: number) => (computeSe(total[index] ?? 0) ?? Infinity) <= maxAbilitySe;
  if (!isPrecise(best)) return { questions, points, peak: toPoint(best), precise_range: null };
  let from = best;
  while (isPrecise(from - 1)) from--;
  let to = best;
  while (isPrecise(to + 1)) to++;
  const precise_range = { from: getAbility(from), to: getAbility(to) };
  return { questions, points, peak: toPoint(best), precise_range };
}

const roundToSixDigits = (value: number | null) => value && Number(value.toPrecision(6));
