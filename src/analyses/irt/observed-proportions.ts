/**
 * Observed proportions of right responses in groups of ability, for comparison with the item
 * response function. A case is grouped by the posterior of its other responses: with the response
 * itself included, right responses would accumulate in the upper groups of a short test whatever
 * the item.
 */

import type { Ticker } from '../../concurrency/ticker.ts';
import { quantile } from '../../statistics/descriptive.ts';
import type { Scores } from '../shared/responses.ts';
import { type ItemCurves, LOG_PRIOR, NODES, THETA } from './calibration/model.ts';
import { computeProbability, getCurve } from './curves.ts';

export interface ObservedGroup {
  n: number;
  right: number;
  /** Means of the ability and of P, given the other responses. */
  ability: number;
  expected: number;
}

const GROUPS = 10;
/** Smaller groups are merged with a neighbour. */
const MIN_GROUP_RESPONSES = 10;
/** Larger data is sampled at even intervals: the proportions are for plots. */
const MAX_RESPONSES = 500_000;
const MAX_RESPONSES_PER_ITEM = 1000;
/** Nodes with a smaller weight relative to the largest are skipped. */
const MIN_RELATIVE_WEIGHT = 1e-9;
/** Keeps products of FACTORS_PER_RESCALING probabilities from underflowing. */
const MIN_PROBABILITY = 1e-9;
const FACTORS_PER_RESCALING = 16;

/** By item: the groups with responses, in order of ability. */
export async function computeObservedProportions(
  scores: Scores,
  curves: ItemCurves,
  ability: Float64Array,
  ticker: Ticker,
): Promise<(item: number) => ObservedGroup[]> {
  const { cases, items, starts, item, right } = scores;
  const prior = LOG_PRIOR.map(Math.exp);
  const table = tabulateProbabilities(curves);
  const cutPoints = computeCutPoints(ability, starts);
  const n = new Uint32Array(items * GROUPS);
  const rights = new Uint32Array(items * GROUPS);
  const abilities = new Float64Array(items * GROUPS);
  const expected = new Float64Array(items * GROUPS);
  const weights = new Float64Array(NODES);
  const stride = Math.ceil(item.length / Math.max(MAX_RESPONSES, items * MAX_RESPONSES_PER_ITEM)) || 1;
  for (let c = 0; c < cases; c += stride) {
    if (ticker.due()) await ticker.yield(c / cases);
    fillPosterior(scores, table, prior, c, weights);
    let from = 0;
    while (weights[from]! < MIN_RELATIVE_WEIGHT) from++;
    let to = NODES;
    while (weights[to - 1]! < MIN_RELATIVE_WEIGHT) to--;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const row = item[i]! * NODES;
      let total = 0;
      let abilitySum = 0;
      let expectedSum = 0;
      const isRight = right[i]!;
      for (let q = from; q < to; q++) {
        const p = table[row + q]!;
        const withoutItem = weights[q]! / (isRight === 1 ? p : 1 - p);
        total += withoutItem;
        abilitySum += withoutItem * THETA[q]!;
        expectedSum += withoutItem * p;
      }
      const cell = item[i]! * GROUPS + findGroup(abilitySum / total, cutPoints);
      n[cell]!++;
      rights[cell]! += isRight;
      abilities[cell]! += abilitySum / total;
      expected[cell]! += expectedSum / total;
    }
  }
  return (j) => {
    const groups: ObservedGroup[] = [];
    for (let cell = j * GROUPS; cell < (j + 1) * GROUPS; cell++)
      groups.push({
        n: n[cell]!,
        right: rights[cell]!,
        ability: abilities[cell]!,
        expected: expected[cell]!,
      });
    return mergeSmallGroups(groups).map(({ n, right, ability, expected }) => ({
      n,
      right,
      ability: ability / n,
      expected: expected / n,
    }));
  };
}

/** Merges neighbours until each group has enough responses. The groups hold sums. */
function mergeSmallGroups(groups: readonly ObservedGroup[]): ObservedGroup[] {
  const large: ObservedGroup[] = [];
  for (const group of groups) {
    const last = large.at(-1);
    if (last && last.n < MIN_GROUP_RESPONSES) large[large.length - 1] = addGroups(last, group);
    else if (group.n > 0) large.push(group);
  }
  if (large.length > 1 && large.at(-1)!.n < MIN_GROUP_RESPONSES) {
    const last = large.pop()!;
    large.push(addGroups(large.pop()!, last));
  }
  return large;
}

const addGroups = (a: ObservedGroup, b: ObservedGroup): ObservedGroup => ({
  n: a.n + b.n,
  right: a.right + b.right,
  ability: a.ability + b.ability,
  expected: a.expected + b.expected,
});

/** P by item and node. */
function tabulateProbabilities(curves: ItemCurves): Float64Array {
  const table = new Float64Array(curves.discrimination.length * NODES);
  for (let j = 0; j < curves.discrimination.length; j++) {
    const curve = getCurve(curves, j);
    for (let q = 0; q < NODES; q++)
      table[j * NODES + q] = Math.min(
        1 - MIN_PROBABILITY,
        Math.max(MIN_PROBABILITY, computeProbability(curve, THETA[q]!)),
      );
  }
  return table;
}

/** Posterior weights of the nodes given all responses of a case, relative to the largest. */
function fillPosterior(
  { starts, item, right }: Scores,
  table: Float64Array,
  prior: Float64Array,
  c: number,
  weights: Float64Array,
): void {
  weights.set(prior);
  for (let i = starts[c]!; i < starts[c + 1]!; i++) {
    const row = item[i]! * NODES;
    if (right[i] === 1) for (let q = 0; q < NODES; q++) weights[q]! *= table[row + q]!;
    else for (let q = 0; q < NODES; q++) weights[q]! *= 1 - table[row + q]!;
    if ((i - starts[c]!) % FACTORS_PER_RESCALING === FACTORS_PER_RESCALING - 1) rescale(weights);
  }
  rescale(weights);
}

function rescale(weights: Float64Array): void {
  let max = 0;
  for (let q = 0; q < NODES; q++) max = Math.max(max, weights[q]!);
  for (let q = 0; q < NODES; q++) weights[q]! /= max;
}

/** Quantiles of the abilities of all cases with responses, for groups of about equal size. */
function computeCutPoints(ability: Float64Array, starts: Uint32Array): number[] {
  const known = ability.filter((_, c) => starts[c + 1]! > starts[c]!).sort();
  return Array.from({ length: GROUPS - 1 }, (_, i) => quantile(known, (i + 1) / GROUPS) ?? 0);
}

function findGroup(ability: number, cutPoints: readonly number[]): number {
  let group = 0;
  while (group < cutPoints.length && ability > cutPoints[group]!) group++;
  return group;
}
