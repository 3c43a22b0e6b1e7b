/** Standard errors of the parameters, from the information about them. */
import { choleskySync, invertLower } from '../../../statistics/linear.ts';
import type { Pace } from '../../shared/ticker.ts';
import { curvesAt, type Model, type Point, slopeBoundOf } from './model.ts';

export interface Errors {
  slope: Float64Array;
  intercept: Float64Array;
  lower: Float64Array;
  difficulty: Float64Array;
}

/** Variances of an item's parameters, and the covariance of its slope and intercept. */
interface Variances {
  slope: number;
  intercept: number;
  mixed: number;
  /** Of the logit of the lower asymptote. */
  guess: number;
}

/**
 * From the decomposition of the joint information of those parameters that are free, given by their places.
 */
export async function jointErrors(
  model: Model,
  items: number,
  point: Point,
  free: Uint32Array,
  decomposed: Float64Array,
  pace: Pace,
): Promise<Errors> {
  const size = free.length;
  const inverse = await invertLower(decomposed, size, () => pace.pause());
  const at = new Int32Array(point.length).fill(-1);
  for (const [i, place] of free.entries()) at[place] = i;
  const covariance = (a: number, b: number) => {
    if (at[a]! < 0 || at[b]! < 0) return a === b ? Infinity : 0;
    let sum = 0;
    for (let row = Math.max(at[a]!, at[b]!); row < size; row++)
      sum += inverse[row * size + at[a]!]! * inverse[row * size + at[b]!]!;
    return sum;
  };
  const common = model === '1pl' ? covariance(0, 0) : 0;
  return errorsOf(model, items, point, (j) => {
    const slope = model === '1pl' ? 0 : j;
    const intercept = model === '1pl' ? 1 + j : items + j;
    return {
      slope: model === '1pl' ? common : covariance(slope, slope),
      intercept: covariance(intercept, intercept),
      mixed: covariance(slope, intercept),
      guess: model === '3pl' ? covariance(2 * items + j, 2 * items + j) : 0,
    };
  });
}

/** From the information of each item alone; undefined where one of them tells nothing. */
export function errorsByItem(
  model: Model,
  items: number,
  point: Point,
  { kinds, matrices }: { kinds: number; matrices: Float64Array },
): Errors {
  const common = model === '1pl' && !slopeBoundOf(model, point[0]!) ? variance(matrices.at(-1)!) : Infinity;
  return errorsOf(model, items, point, (j) => {
    const matrix = matrices.subarray(j * kinds * kinds, (j + 1) * kinds * kinds);
    if (model === '1pl') return { slope: common, intercept: variance(matrix[3]!), mixed: 0, guess: 0 };
    const lower = choleskySync(matrix, kinds);
    if (!lower) return UNKNOWN;
    return smallInverse(lower, kinds);
  });
}

const variance = (information: number) => (information > 0 ? 1 / information : Infinity);

/** Of a decomposed matrix of two or three rows. */
function smallInverse(lower: Float64Array, kinds: number): Variances {
  const column = (of: number) => {
    const x = new Float64Array(kinds);
    for (let i = of; i < kinds; i++) {
      let sum = i === of ? 1 : 0;
      for (let k = of; k < i; k++) sum -= lower[i * kinds + k]! * x[k]!;
      x[i] = sum / lower[i * kinds + i]!;
    }
    return x;
  };
  const [slope, intercept] = [column(0), column(1)];
  const product = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  return {
    slope: product(slope, slope),
    intercept: product(intercept, intercept),
    mixed: product(slope, intercept),
    guess: kinds === 3 ? product(column(2), column(2)) : 0,
  };
}

const UNKNOWN: Variances = { slope: Infinity, intercept: Infinity, mixed: 0, guess: Infinity };

/** Of a step, nothing else is known either: it may be anywhere between two nodes. */
const isStep = (model: Model, slope: number) =>
  slopeBoundOf(model, slope) !== null && !(model === '1pl' && slopeBoundOf(model, slope) === 'lower');

/** By the delta method where the parameter itself is not what was estimated: b = −d/a, c = logistic(g). */
function errorsOf(
  model: Model,
  items: number,
  point: Point,
  variancesOf: (item: number) => Variances,
): Errors {
  const curves = curvesAt(point, model, items);
  const errors = {
    slope: new Float64Array(items),
    intercept: new Float64Array(items),
    lower: new Float64Array(items),
    difficulty: new Float64Array(items),
  };
  for (let j = 0; j < items; j++) {
    const { slope, intercept, mixed, guess } = isStep(model, curves.slope[j]!) ? UNKNOWN : variancesOf(j);
    const lower = curves.lower[j]!;
    const difficulty = -curves.intercept[j]! / curves.slope[j]!;
    const spread = intercept + difficulty * difficulty * slope + 2 * difficulty * mixed;
    errors.slope[j] = Math.sqrt(slope);
    errors.intercept[j] = Math.sqrt(intercept);
    errors.lower[j] = model === '3pl' ? lower * (1 - lower) * Math.sqrt(guess) : 0;
    const error = Math.sqrt(Math.max(0, spread)) / Math.abs(curves.slope[j]!);
    errors.difficulty[j] = Number.isNaN(error) ? Infinity : error;
  }
  return errors;
}
