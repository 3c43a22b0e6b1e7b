/** Standard errors of the item parameters, from the inverse of the observed information. */

import type { Ticker } from '../../../concurrency/ticker.ts';
import { choleskySync, invertLower } from '../../../statistics/linear.ts';
import { findDiscriminationBound, type Model, type ParameterVector, toItemCurves } from './model.ts';

export interface StandardErrors {
  discrimination: Float64Array;
  intercept: Float64Array;
  guessing: Float64Array;
  difficulty: Float64Array;
}

/** Sampling variances of an item's parameters. */
interface Variances {
  discrimination: number;
  intercept: number;
  /** Of discrimination and intercept. */
  covariance: number;
  guessingLogit: number;
}

/** From the Cholesky factor of the joint information of the free parameters. */
export async function computeJointStandardErrors(
  model: Model,
  items: number,
  point: ParameterVector,
  free: Uint32Array,
  decomposed: Float64Array,
  ticker: Ticker,
): Promise<StandardErrors> {
  const size = free.length;
  const inverse = await invertLower(decomposed, size, () => ticker.yield());
  const position = new Int32Array(point.length).fill(-1);
  for (const [i, index] of free.entries()) position[index] = i;
  const covariance = (a: number, b: number) => {
    if (position[a]! < 0 || position[b]! < 0) return a === b ? Infinity : 0;
    let sum = 0;
    for (let row = Math.max(position[a]!, position[b]!); row < size; row++)
      sum += inverse[row * size + position[a]!]! * inverse[row * size + position[b]!]!;
    return sum;
  };
  const common = model === '1pl' ? covariance(0, 0) : 0;
  return toStandardErrors(model, items, point, (j) => {
    const discrimination = model === '1pl' ? 0 : j;
    const intercept = model === '1pl' ? 1 + j : items + j;
    return {
      discrimination: model === '1pl' ? common : covariance(discrimination, discrimination),
      intercept: covariance(intercept, intercept),
      covariance: covariance(discrimination, intercept),
      guessingLogit: model === '3pl' ? covariance(2 * items + j, 2 * items + j) : 0,
    };
  });
}

/** From the information of each item alone, as if the other items were known. */
export function computeItemStandardErrors(
  model: Model,
  items: number,
  point: ParameterVector,
  { kinds, matrices }: { kinds: number; matrices: Float64Array },
): StandardErrors {
  const common =
    model === '1pl' && !findDiscriminationBound(model, point[0]!)
      ? invertInformation(matrices.at(-1)!)
      : Infinity;
  return toStandardErrors(model, items, point, (j) => {
    const matrix = matrices.subarray(j * kinds * kinds, (j + 1) * kinds * kinds);
    if (model === '1pl')
      return {
        discrimination: common,
        intercept: invertInformation(matrix[3]!),
        covariance: 0,
        guessingLogit: 0,
      };
    const lower = choleskySync(matrix, kinds);
    if (!lower) return UNKNOWN;
    return invertFactor(lower, kinds);
  });
}

const invertInformation = (information: number) => (information > 0 ? 1 / information : Infinity);

/** Inverse of a 2 × 2 or 3 × 3 matrix, from its Cholesky factor. */
function invertFactor(lower: Float64Array, kinds: number): Variances {
  const column = (of: number) => {
    const x = new Float64Array(kinds);
    for (let i = of; i < kinds; i++) {
      let sum = i === of ? 1 : 0;
      for (let k = of; k < i; k++) sum -= lower[i * kinds + k]! * x[k]!;
      x[i] = sum / lower[i * kinds + i]!;
    }
    return x;
  };
  const [discrimination, intercept] = [column(0), column(1)];
  const product = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  return {
    discrimination: product(discrimination, discrimination),
    intercept: product(intercept, intercept),
    covariance: product(discrimination, intercept),
    guessingLogit: kinds === 3 ? product(column(2), column(2)) : 0,
  };
}

const UNKNOWN: Variances = {
  discrimination: Infinity,
  intercept: Infinity,
  covariance: 0,
  guessingLogit: Infinity,
};

/** Whether the curve is a step, whose intercept is not identified between two nodes. */
const isStepFunction = (model: Model, discrimination: number) =>
  findDiscriminationBound(model, discrimination) !== null &&
  !(model === '1pl' && findDiscriminationBound(model, discrimination) === 'lower');

/** Transforms by the delta method to the difficulty b = −d/a and to guessing c = logistic(g). */
function toStandardErrors(
  model: Model,
  items: number,
  point: ParameterVector,
  getVariances: (item: number) => Variances,
): StandardErrors {
  const curves = toItemCurves(point, model, items);
  const errors = {
    discrimination: new Float64Array(items),
    intercept: new Float64Array(items),
    guessing: new Float64Array(items),
    difficulty: new Float64Array(items),
  };
  for (let j = 0; j < items; j++) {
    const isStep = isStepFunction(model, curves.discrimination[j]!);
    const { discrimination, intercept, covariance, guessingLogit } = isStep ? UNKNOWN : getVariances(j);
    const guessing = curves.guessing[j]!;
    const difficulty = -curves.intercept[j]! / curves.discrimination[j]!;
    const variance = intercept + difficulty * difficulty * discrimination + 2 * difficulty * covariance;
    errors.discrimination[j] = Math.sqrt(discrimination);
    errors.intercept[j] = Math.sqrt(intercept);
    errors.guessing[j] = model === '3pl' ? guessing * (1 - guessing) * Math.sqrt(guessingLogit) : 0;
    const se = Math.sqrt(Math.max(0, variance)) / Math.abs(curves.discrimination[j]!);
    errors.difficulty[j] = Number.isNaN(se) ? Infinity : se;
  }
  return errors;
}
