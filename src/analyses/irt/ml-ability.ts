/**
 * Maximum-likelihood (ML) ability estimates, the basis of infit and outfit.
 *
 * The maximum is bracketed by a sign change of the derivative of the log-likelihood and found by
 * Newton's method, with bisection where a step leaves the bracket. Without guessing the
 * log-likelihood is concave and has one maximum at most. With guessing it can have several; each is
 * bracketed on a grid, and the highest is taken.
 */

import type { Ticker } from '../../concurrency/ticker.ts';
import { mean } from '../../statistics/descriptive.ts';
import type { Scores } from '../shared/responses.ts';
import { type ItemCurves, softplus } from './calibration/model.ts';

/** An estimate beyond this magnitude counts as infinite, as by default in mirt. */
const MAX_ABS_ABILITY = 20;
/** Convergence is quadratic: after a step this small the error is negligible. */
const STEP_TOLERANCE = 1e-5;
/** Bisection alone ends before. */
const MAX_STEPS = 60;
/** Offset of infinite estimates from the extreme finite one, in logits at mean discrimination. */
const EXTREME_OFFSET = 0.1;

/** Abilities between which maxima are bracketed: narrower than the curves of usual items. */
const GRID = (() => {
  const nodes: number[] = [];
  for (let tenths = -10 * MAX_ABS_ABILITY; tenths <= 10 * MAX_ABS_ABILITY; tenths++)
    if (Math.abs(tenths) <= 60 || tenths % 5 === 0) nodes.push(tenths / 10);
  return Float64Array.from(nodes);
})();

/**
 * A case whose likelihood has its maximum at infinity, such as one with all responses right, gets
 * an estimate slightly beyond the most extreme finite one. NaN for cases without scores, and for
 * infinite estimates if none is finite. `start` has starting values by case.
 */
export async function estimateMlAbilities(
  scores: Scores,
  curves: ItemCurves,
  start: Float64Array,
  ticker: Ticker,
): Promise<Float64Array> {
  const maximise = curves.guessing.some((guessing) => guessing > 0)
    ? newGridSearch(scores, curves)
    : (c: number) => maximiseConcave(scores, curves, c, start[c]!);
  const estimates = new Float64Array(scores.cases).fill(Number.NaN);
  let min = Infinity;
  let max = -Infinity;
  for (let c = 0; c < scores.cases; c++) {
    if (ticker.due()) await ticker.yield(c / scores.cases);
    if (scores.starts[c + 1] === scores.starts[c]) continue;
    const ability = maximise(c);
    estimates[c] = ability;
    if (!Number.isFinite(ability)) continue;
    min = Math.min(min, ability);
    max = Math.max(max, ability);
  }
  const offset = EXTREME_OFFSET / (mean(curves.discrimination.map(Math.abs)) || 1);
  return estimates.map((ability) => {
    if (Number.isFinite(ability)) return ability;
    if (min > max) return Number.NaN;
    return ability > 0 ? max + offset : min - offset;
  });
}

/** First derivative and negative second derivative of the log-likelihood of a case. */
interface Derivatives {
  gradient: number;
  curvature: number;
}

function maximiseConcave(scores: Scores, curves: ItemCurves, c: number, start: number): number {
  const { starts, item, right } = scores;
  let isBoundedAbove = false;
  let isBoundedBelow = false;
  for (let i = starts[c]!; i < starts[c + 1]!; i++) {
    const pull = curves.discrimination[item[i]!]! * (right[i]! - 0.5);
    if (pull < 0) isBoundedAbove = true;
    else if (pull > 0) isBoundedBelow = true;
  }
  if (!isBoundedBelow) return isBoundedAbove ? -Infinity : 0;
  if (!isBoundedAbove) return Infinity;
  const ability = findRoot(scores, curves, c, -MAX_ABS_ABILITY, MAX_ABS_ABILITY, start);
  if (Math.abs(ability) < MAX_ABS_ABILITY - STEP_TOLERANCE) return ability;
  return Math.sign(ability) * Infinity;
}

/** Maximises over all abilities; infinite where the likelihood is highest at an end of the grid. */
function newGridSearch(scores: Scores, curves: ItemCurves): (c: number) => number {
  const { starts, item, right } = scores;
  const nodes = GRID.length;
  const last = nodes - 1;
  const table = tabulateGradients(curves);
  const gradient = new Float64Array(nodes);
  return (c) => {
    gradient.fill(0);
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const offset = (2 * item[i]! + right[i]!) * nodes;
      for (let q = 0; q < nodes; q++) gradient[q]! += table[offset + q]!;
    }
    let best = 0;
    let bestValue = -Infinity;
    const consider = (ability: number, at = ability) => {
      const value = computeLogLikelihood(scores, curves, c, at);
      if (value > bestValue) [best, bestValue] = [ability, value];
    };
    for (let q = 0; q < last; q++) {
      if (!(gradient[q]! > 0 && gradient[q + 1]! <= 0)) continue;
      const [low, high] = [GRID[q]!, GRID[q + 1]!];
      consider(findRoot(scores, curves, c, low, high, (low + high) / 2));
    }
    if (gradient[0]! < 0) consider(-Infinity, -MAX_ABS_ABILITY);
    if (gradient[last]! > 0) consider(Infinity, MAX_ABS_ABILITY);
    return best;
  };
}

/** By item, response and node of the grid: derivative of the log-likelihood. */
function tabulateGradients(curves: ItemCurves): Float64Array {
  const items = curves.discrimination.length;
  const table = new Float64Array(2 * items * GRID.length);
  const sums = { gradient: 0, curvature: 0 };
  for (let j = 0; j < items; j++) {
    for (const right of [0, 1]) {
      for (const [q, ability] of GRID.entries()) {
        sums.gradient = 0;
        addDerivatives(sums, curves, j, right, ability);
        table[(2 * j + right) * GRID.length + q] = sums.gradient;
      }
    }
  }
  return table;
}

/**
 * The root of the gradient between `low` and `high`, where it is positive and negative. Returns a
 * value near an end if the gradient has the same sign at both.
 */
function findRoot(
  { starts, item, right }: Scores,
  curves: ItemCurves,
  c: number,
  low: number,
  high: number,
  start: number,
): number {
  const sums: Derivatives = { gradient: 0, curvature: 0 };
  let ability = start > low && start < high ? start : (low + high) / 2;
  for (let step = 0; step < MAX_STEPS; step++) {
    sums.gradient = 0;
    sums.curvature = 0;
    for (let i = starts[c]!; i < starts[c + 1]!; i++)
      addDerivatives(sums, curves, item[i]!, right[i]!, ability);
    if (sums.gradient > 0) low = ability;
    else high = ability;
    const wanted = ability + sums.gradient / sums.curvature;
    const isInside = sums.curvature > 0 && wanted > low && wanted < high;
    const next = isInside ? wanted : (low + high) / 2;
    const change = Math.abs(next - ability);
    ability = next;
    if (change < STEP_TOLERANCE) break;
  }
  return ability;
}

/** Adds one response. 1 − P is not taken as a difference: it would round to 0 for steep items. */
function addDerivatives(
  sums: Derivatives,
  { discrimination, intercept, guessing }: ItemCurves,
  j: number,
  right: number,
  ability: number,
): void {
  const a = discrimination[j]!;
  const logit = a * ability + intercept[j]!;
  const small = Math.exp(-Math.abs(logit));
  const large = 1 / (1 + small);
  const known = logit > 0 ? large : small * large;
  const unknown = logit > 0 ? small * large : large;
  if (right) {
    const c = guessing[j]!;
    const weight = c > 0 ? ((1 - c) * known) / (c + (1 - c) * known) : 1;
    sums.gradient += a * weight * unknown;
    sums.curvature += a * a * weight * unknown * (known - unknown * (1 - weight));
  } else {
    sums.gradient -= a * known;
    sums.curvature += a * a * known * unknown;
  }
}

/** Without the constant ln(1 − c) of wrong responses. */
function computeLogLikelihood(
  { starts, item, right }: Scores,
  { discrimination, intercept, guessing }: ItemCurves,
  c: number,
  ability: number,
): number {
  let sum = 0;
  for (let i = starts[c]!; i < starts[c + 1]!; i++) {
    const j = item[i]!;
    const logit = discrimination[j]! * ability + intercept[j]!;
    if (!right[i]) sum -= softplus(logit);
    else if (guessing[j] === 0) sum -= softplus(-logit);
    else sum += Math.log1p(-(1 - guessing[j]!) / (1 + Math.exp(logit)));
  }
  return sum;
}
