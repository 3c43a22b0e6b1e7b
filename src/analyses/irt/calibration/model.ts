/** The models, their parameters as one list of numbers, and the abilities at which everything is computed. */

export type Model = '1pl' | '2pl' | '3pl';

/**
 * Abilities from −6 to 6. Steps of equal width make powers of one number of what would be many exponentials.
 */
export const NODES = 61;
const MIDDLE = (NODES - 1) / 2;
export const STEP = 0.2;
export const ABILITIES = Float64Array.from({ length: NODES }, (_, q) => (q - MIDDLE) / 5);

/** The logarithm of the standard normal density at the nodes, so that they sum to 1. */
export const LOG_PRIOR = (() => {
  const total = ABILITIES.reduce((sum, ability) => sum + Math.exp((-ability * ability) / 2), 0);
  return ABILITIES.map((ability) => (-ability * ability) / 2 - Math.log(total));
})();

/** Beyond this a slope is a step: between two nodes the probability jumps from almost 0 to almost 1. */
const STEEPEST = 20;
/** A common slope of 0 would be left by no step, since the likelihood is the same on both of its sides. */
const FLATTEST_COMMON = 1e-4;
/** With the steepest slope, a difficulty at the end of the nodes. */
const FARTHEST = STEEPEST * 6;
/** Logits of lower asymptotes from 0.00002 to 0.99998. */
const FARTHEST_GUESS = 11;

/**
 * The free parameters: the common slope and the intercepts (1PL); or the slopes, the intercepts and, in the
 * 3PL, the logits of the lower asymptotes.
 */
export type Point = Float64Array;

export interface Curves {
  slope: Float64Array;
  intercept: Float64Array;
  lower: Float64Array;
}

export const sizeOf = (model: Model, items: number) =>
  model === '1pl' ? items + 1 : model === '2pl' ? 2 * items : 3 * items;

export const logistic = (logit: number) => 1 / (1 + Math.exp(-logit));

/** ln(1 + e^x), without overflow. */
export const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

export function curvesAt(point: Point, model: Model, items: number): Curves {
  if (model === '1pl') {
    return {
      slope: new Float64Array(items).fill(point[0]!),
      intercept: point.slice(1),
      lower: new Float64Array(items),
    };
  }
  return {
    slope: point.slice(0, items),
    intercept: point.slice(items, 2 * items),
    lower: model === '3pl' ? point.slice(2 * items).map(logistic) : new Float64Array(items),
  };
}

/** The bounds of a parameter, by its place. */
export function boundsOf(model: Model, items: number, place: number): [least: number, most: number] {
  if (model === '1pl') return place === 0 ? [FLATTEST_COMMON, STEEPEST] : [-FARTHEST, FARTHEST];
  if (place < items) return [-STEEPEST, STEEPEST];
  return place < 2 * items ? [-FARTHEST, FARTHEST] : [-FARTHEST_GUESS, FARTHEST_GUESS];
}

/** The bound that a slope is at, if it is. */
export function slopeBoundOf(model: Model, slope: number): 'lower' | 'upper' | null {
  const [least, most] = boundsOf(model, 1, 0);
  if (slope <= least) return 'lower';
  return slope >= most ? 'upper' : null;
}

/** Brings what lies beyond its bounds back to them. */
export function keepWithin(point: Point, model: Model, items: number): void {
  for (let i = 0; i < point.length; i++) {
    const [least, most] = boundsOf(model, items, i);
    point[i] = Math.min(most, Math.max(least, point[i]!));
  }
}
