/**
 * Starting values of the EM algorithm: intercepts from the proportions of right responses,
 * discriminations from the correlation of each item with the first principal component of the
 * others.
 */

import type { Ticker } from '../../../concurrency/ticker.ts';
import type { Scores } from '../../shared/responses.ts';
import { clampToBounds, countParameters, type Model, type ParameterVector } from './model.ts';

/** A discrimination of 0 is a stationary point, and very large ones are often chance. */
const MIN_DISCRIMINATION = 0.3;
const MAX_DISCRIMINATION = 2.5;
/** The constant D that brings the logistic function closest to the normal ogive. */
const LOGISTIC_SCALE = 1.702;
const RESPONSES_PER_TICK = 65_536;
/** A sample of this size gives starting values that are good enough. */
const MAX_CASES = 1000;
/** A negative correlation counts as negative from this many standard errors on. */
const MIN_NEGATIVE_Z = 3;
const POWER_ITERATIONS = 6;

export interface ResponseCounts {
  /** By item: numbers of responses and of right responses. */
  asked: Float64Array;
  right: Float64Array;
}

export async function countResponses(
  { items, item, right }: Scores,
  ticker: Ticker,
): Promise<ResponseCounts> {
  const counts = { asked: new Float64Array(items), right: new Float64Array(items) };
  for (let i = 0; i < item.length; i++) {
    if (i % RESPONSES_PER_TICK === 0) await ticker.yield();
    counts.asked[item[i]!]!++;
    counts.right[item[i]!]! += right[i]!;
  }
  return counts;
}

/** By item: discrimination and guessing that EM starts from. */
export interface StartingCurves {
  discrimination: Float64Array;
  guessing: Float64Array;
}

/** `isPositive` restricts discriminations to positive values. */
export async function estimateDiscriminations(
  scores: Scores,
  counts: ResponseCounts,
  isPositive: boolean,
  ticker: Ticker,
): Promise<Float64Array> {
  const correlation = await computeRestCorrelations(scores, counts, ticker);
  return correlation.map((value, j) => {
    const r = Math.min(0.85, Math.max(-0.85, value));
    const magnitude = Math.min(MAX_DISCRIMINATION, (LOGISTIC_SCALE * Math.abs(r)) / Math.sqrt(1 - r * r));
    // Without clear evidence the sign is positive: an item that is mostly guessed has a second,
    // lower maximum.
    const cases = Math.min(counts.asked[j]!, MAX_CASES);
    const isNegative = !isPositive && r < -MIN_NEGATIVE_Z / Math.sqrt(cases);
    return (isNegative ? -1 : 1) * Math.max(MIN_DISCRIMINATION, magnitude);
  });
}

/** Intercepts are those of the observed proportions in a standard normal population. */
export function buildStart(
  model: Model,
  counts: ResponseCounts,
  { discrimination, guessing }: StartingCurves,
): ParameterVector {
  const items = discrimination.length;
  const point = new Float64Array(countParameters(model, items));
  for (let j = 0; j < items; j++) {
    const c = guessing[j]!;
    const proportion = (counts.right[j]! + 0.5) / (counts.asked[j]! + 1);
    // A proportion below the lower asymptote is replaced by one a little above it.
    const known = model === '3pl' ? Math.max(0.02, (proportion - c) / (1 - c)) : proportion;
    const spread = Math.sqrt(1 + (discrimination[j]! / LOGISTIC_SCALE) ** 2);
    const intercept = Math.log(known / (1 - known)) * spread;
    if (model === '1pl') {
      point[0]! += discrimination[j]! / items;
      point[1 + j] = intercept;
    } else {
      point[j] = discrimination[j]!;
      point[items + j] = intercept;
      if (model === '3pl') point[2 * items + j] = Math.log(c / (1 - c));
    }
  }
  if (model === '1pl') point[0] = Math.max(MIN_DISCRIMINATION, point[0]!);
  clampToBounds(point, model, items);
  return point;
}

/** Evenly sampled cases: responses minus the item's proportion of right responses. */
interface Deviations {
  starts: number[];
  item: Uint32Array;
  deviation: Float64Array;
  variance: Float64Array;
}

function sampleDeviations({ cases, starts, item, right }: Scores, counts: ResponseCounts): Deviations {
  const proportion = counts.right.map((value, j) => value / counts.asked[j]!);
  const stride = Math.ceil(cases / MAX_CASES);
  let count = 0;
  for (let c = 0; c < cases; c += stride) count += starts[c + 1]! - starts[c]!;
  const from = [0];
  const sampledItem = new Uint32Array(count);
  const deviation = new Float64Array(count);
  let n = 0;
  for (let c = 0; c < cases; c += stride) {
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      sampledItem[n] = item[i]!;
      deviation[n++] = right[i]! - proportion[item[i]!]!;
    }
    from.push(n);
  }
  return { starts: from, item: sampledItem, deviation, variance: proportion.map((p) => p * (1 - p)) };
}

/**
 * Item-rest correlations. The rest score weights the other items by the first principal component,
 * so that items with a wrong key count with reversed sign.
 */
async function computeRestCorrelations(
  scores: Scores,
  counts: ResponseCounts,
  ticker: Ticker,
): Promise<Float64Array> {
  const deviations = sampleDeviations(scores, counts);
  const { starts, item, deviation, variance } = deviations;
  const weight = await computeFirstComponent(deviations, ticker);
  const covariance = new Float64Array(variance.length);
  const own = new Float64Array(variance.length);
  const rest = new Float64Array(variance.length);
  for (let c = 0; c + 1 < starts.length; c++) {
    if (ticker.due()) await ticker.yield();
    let sum = 0;
    let spread = 0;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const j = item[i]!;
      sum += weight[j]! * deviation[i]!;
      spread += weight[j]! ** 2 * variance[j]!;
    }
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const j = item[i]!;
      const restVariance = spread - weight[j]! ** 2 * variance[j]!;
      if (!(restVariance > 1e-9 * spread)) continue;
      const restScore = (sum - weight[j]! * deviation[i]!) / Math.sqrt(restVariance);
      covariance[j]! += deviation[i]! * restScore;
      own[j]! += deviation[i]! ** 2;
      rest[j]! += restScore * restScore;
    }
  }
  return covariance.map((value, j) =>
    own[j]! > 0 && rest[j]! > 0 ? value / Math.sqrt(own[j]! * rest[j]!) : 0,
  );
}

/** Loadings of the first principal component, by power iteration, with a positive sum. */
async function computeFirstComponent(
  { starts, item, deviation, variance }: Deviations,
  ticker: Ticker,
): Promise<Float64Array> {
  const items = variance.length;
  // Unequal weights: with equal ones, two items that are each other's opposite would cancel out for
  // ever.
  let weight = Float64Array.from({ length: items }, (_, j) => 1 + (j % 7) / 70);
  for (let n = 0; n < POWER_ITERATIONS; n++) {
    const next = new Float64Array(items);
    for (let c = 0; c + 1 < starts.length; c++) {
      if (ticker.due()) await ticker.yield();
      let sum = 0;
      for (let i = starts[c]!; i < starts[c + 1]!; i++) sum += weight[item[i]!]! * deviation[i]!;
      for (let i = starts[c]!; i < starts[c + 1]!; i++) next[item[i]!]! += sum * deviation[i]!;
    }
    const norm = next.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
    if (norm === 0) break;
    weight = next.map((value) => value / norm);
  }
  const sum = weight.reduce((total, value) => total + value, 0);
  return sum < 0 ? weight.map((value) => -value) : weight;
}
