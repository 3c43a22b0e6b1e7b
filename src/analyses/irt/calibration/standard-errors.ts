/** Standard errors of the item parameters, from the inverse of the observed information. */

import type { Ticker } from '../../../concurrency/ticker.ts';
import { cholesky, choleskySync, invertLower } from '../../../statistics/linear.ts';
import {
  findDiscriminationBound,
  getBounds,
  type Model,
  type ParameterVector,
  toItemCurves,
} from './model.ts';

export interface StandardErrors {
  discrimination: Float64Array;
  intercept: Float64Array;
  guessing: Float64Array;
  difficulty: Float64Array;
}

/** Cholesky factor of the observed information of the free parameters, given by their indices. */
export interface Information {
  free: Uint32Array;
  decomposed: Float64Array;
}

/** Sampling variances of an item's parameters. */
interface Variances {
  discrimination: number;
  intercept: number;
  /** Of discrimination and intercept. */
  covariance: number;
  guessingLogit: number;
}

/** A larger condition number of the information matrix is due to rounding errors. */
const MAX_CONDITION = 1e10;
const Z_95 = 1.96;

/**
 * From the Cholesky factor of the joint information of the free parameters. Items with a parameter
 * that the information does not identify have infinite standard errors; those of the others treat
 * their parameters as known. Undefined if no parameter is identified.
 */
export async function computeJointStandardErrors(
  model: Model,
  items: number,
  point: ParameterVector,
  { free: all, decomposed }: Information,
  ticker: Ticker,
): Promise<{ standardErrors: StandardErrors; excluded: boolean } | undefined> {
  let free = all;
  let lower: Float64Array | undefined = decomposed;
  let inverse = await invertLower(lower, free.length, () => ticker.yield());
  for (;;) {
    const unidentified = findUnidentified(model, items, free, lower, inverse);
    if (unidentified.size === 0) break;
    const kept = free.filter((index) => !unidentified.has(getOwner(model, items, index)));
    if (kept.length === 0) return;
    lower = await cholesky(selectFromFactor(lower, free, kept), kept.length, () => ticker.yield());
    if (!lower) return;
    free = kept;
    inverse = await invertLower(lower, free.length, () => ticker.yield());
  }
  const standardErrors = toJointStandardErrors(model, items, point, free, inverse);
  return { standardErrors, excluded: free.length < all.length };
}

/** The item of a parameter. The common discrimination of the 1PL counts as an item of its own. */
const getOwner = (model: Model, items: number, index: number) =>
  model === '1pl' ? index - 1 : index % items;

/** Items with a parameter whose variance shows that the matrix is nearly singular. */
function findUnidentified(
  model: Model,
  items: number,
  free: Uint32Array,
  lower: Float64Array,
  inverse: Float64Array,
): Set<number> {
  const size = free.length;
  let maxInformation = 0;
  for (let i = 0; i < size; i++) {
    let information = 0;
    for (let k = 0; k <= i; k++) information += lower[i * size + k]! ** 2;
    maxInformation = Math.max(maxInformation, information);
  }
  const unidentified = new Set<number>();
  for (const [i, index] of free.entries()) {
    let variance = 0;
    for (let row = i; row < size; row++) variance += inverse[row * size + i]! ** 2;
    if (!(variance * maxInformation <= MAX_CONDITION)) unidentified.add(getOwner(model, items, index));
  }
  return unidentified;
}

/** The elements L · Lᵀ of the matrix that belong to the kept parameters; lower triangle. */
function selectFromFactor(lower: Float64Array, free: Uint32Array, kept: Uint32Array): Float64Array {
  const size = free.length;
  const positions = Array.from(kept, (index) => free.indexOf(index));
  const matrix = new Float64Array(kept.length ** 2);
  for (const [i, row] of positions.entries())
    for (let k = 0; k <= i; k++) {
      const column = positions[k]!;
      let sum = 0;
      for (let m = 0; m <= column; m++) sum += lower[row * size + m]! * lower[column * size + m]!;
      matrix[i * kept.length + k] = sum;
    }
  return matrix;
}

function toJointStandardErrors(
  model: Model,
  items: number,
  point: ParameterVector,
  free: Uint32Array,
  inverse: Float64Array,
): StandardErrors {
  const size = free.length;
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

/**
 * Whether a 95 % interval is wider than the range of possible values. Guessing is not judged: near
 * 0 it has a large variance on the scale of the logit.
 */
function isUnidentified(model: Model, items: number, { discrimination, intercept }: Variances): boolean {
  const isTooWide = (variance: number, index: number) => {
    const [min, max] = getBounds(model, items, index);
    return Number.isFinite(variance) && 2 * Z_95 * Math.sqrt(variance) > max - min;
  };
  return isTooWide(discrimination, 0) || isTooWide(intercept, model === '1pl' ? 1 : items);
}

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
    const variances = isStep ? UNKNOWN : getVariances(j);
    const { discrimination, intercept, covariance, guessingLogit } = isUnidentified(model, items, variances)
      ? UNKNOWN
      : variances;
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
