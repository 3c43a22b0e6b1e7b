/**
 * The logistic IRT models in slope-intercept form, P(θ) = c + (1 − c) · logistic(a · θ + d), with
 * discrimination a, intercept d and guessing (lower asymptote) c. 1PL: common a, c = 0. 2PL: c = 0.
 * 3PL: all three. There is no scaling constant 1.702; the difficulty is b = −d / a. Abilities θ are
 * standard normal and integrated out on a fixed grid of quadrature nodes.
 */

export type Model = '1pl' | '2pl' | '3pl';

/** Number of quadrature nodes, from −6 to 6. */
export const NODES = 61;
const MIDDLE = (NODES - 1) / 2;
/** Equal spacing turns many exponentials in the E-step into powers of one number. */
export const NODE_SPACING = 0.2;
/** Abilities at the nodes. */
export const THETA = Float64Array.from({ length: NODES }, (_, q) => (q - MIDDLE) / 5);

/**
 * Logarithms of the quadrature weights: the standard normal density at the nodes, normalised to a
 * sum of 1.
 */
export const LOG_PRIOR = (() => {
  const total = THETA.reduce((sum, ability) => sum + Math.exp((-ability * ability) / 2), 0);
  return THETA.map((ability) => (-ability * ability) / 2 - Math.log(total));
})();

/** Beyond this the curve is a step: it rises from almost 0 to almost 1 between two nodes. */
const MAX_DISCRIMINATION = 20;
/** Not 0, a stationary point: the likelihood is symmetric in the common discrimination. */
const MIN_COMMON_DISCRIMINATION = 1e-4;
/** With the maximum discrimination, a difficulty at the outermost node. */
const MAX_ABS_INTERCEPT = MAX_DISCRIMINATION * 6;
/** Guessing from 0.00002 to 0.99998. */
const MAX_ABS_GUESSING_LOGIT = 11;

/**
 * Free parameters. 1PL: the common discrimination, then the intercepts. 2PL and 3PL: all
 * discriminations, then all intercepts, then (3PL) the logits of all guessing parameters.
 */
export type ParameterVector = Float64Array;

/** Item parameters, by item. */
export interface ItemCurves {
  discrimination: Float64Array;
  intercept: Float64Array;
  guessing: Float64Array;
}

export const countParameters = (model: Model, items: number) =>
  model === '1pl' ? items + 1 : model === '2pl' ? 2 * items : 3 * items;

export const logistic = (logit: number) => 1 / (1 + Math.exp(-logit));

/** ln(1 + e^x), without overflow. */
export const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

export function toItemCurves(point: ParameterVector, model: Model, items: number): ItemCurves {
  if (model === '1pl') {
    return {
      discrimination: new Float64Array(items).fill(point[0]!),
      intercept: point.slice(1),
      guessing: new Float64Array(items),
    };
  }
  return {
    discrimination: point.slice(0, items),
    intercept: point.slice(items, 2 * items),
    guessing: model === '3pl' ? point.slice(2 * items).map(logistic) : new Float64Array(items),
  };
}

/** Box constraints of the parameter with this index in the vector. */
export function getBounds(model: Model, items: number, index: number): [min: number, max: number] {
  if (model === '1pl')
    return index === 0
      ? [MIN_COMMON_DISCRIMINATION, MAX_DISCRIMINATION]
      : [-MAX_ABS_INTERCEPT, MAX_ABS_INTERCEPT];
  if (index < items) return [-MAX_DISCRIMINATION, MAX_DISCRIMINATION];
  return index < 2 * items
    ? [-MAX_ABS_INTERCEPT, MAX_ABS_INTERCEPT]
    : [-MAX_ABS_GUESSING_LOGIT, MAX_ABS_GUESSING_LOGIT];
}

/** The bound that a discrimination is at; null where it is within its bounds. */
export function findDiscriminationBound(model: Model, discrimination: number): 'lower' | 'upper' | null {
  const [min, max] = getBounds(model, 1, 0);
  if (discrimination <= min) return 'lower';
  return discrimination >= max ? 'upper' : null;
}

export function clampToBounds(point: ParameterVector, model: Model, items: number): void {
  for (let i = 0; i < point.length; i++) {
    const [min, max] = getBounds(model, items, i);
    point[i] = Math.min(max, Math.max(min, point[i]!));
  }
}
