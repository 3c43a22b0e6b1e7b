/**
 * Observed shares of right answers by ability, to be held against the curve of a question. A person's ability is told by their
 * other answers: were the answer itself among them, the right ones would gather at the top, whatever the question is like.
 */

import { quantile } from '../../statistics/descriptive.ts';
import type { Scores } from '../shared/responses.ts';
import { ABILITIES, type Curves, LOG_PRIOR, NODES } from './calibration/model.ts';
import { curveOf, probability } from './curves.ts';

export interface ObservedGroup {
  n: number;
  right: number;
  /** The mean of the abilities, and of the probabilities of a right answer, that the other answers speak for. */
  ability: number;
  expected: number;
}

const GROUPS = 10;
/** Shares of fewer answers say nothing. */
const LEAST_IN_GROUP = 10;
/** Pictures need no more answers than these, in all or for each question: of more, the cases are taken in even steps. */
const MOST_ANSWERS = 500_000;
const MOST_ANSWERS_EACH = 1000;
/** Nodes where a case is less likely to be, compared with the likeliest, are left out. */
const NEGLIGIBLE = 1e-9;
/** Keeps every factor above zero, and so every product within what a double can hold between two scalings. */
const LEAST_PROBABILITY = 1e-9;
const FACTORS_AT_ONCE = 16;
/** Cases between two looks at whether the run is still wanted. */
const AT_ONCE = 1 << 9;

/** By question: the groups that somebody is in, from the least able. */
export async function observedGroups(
  scores: Scores,
  curves: Curves,
  ability: Float64Array,
  rest: () => Promise<void>,
): Promise<(item: number) => ObservedGroup[]> {
  const { cases, items, starts, item, right } = scores;
  const prior = LOG_PRIOR.map(Math.exp);
  const table = tableOf(curves);
  const cuts = cutsOf(ability, starts);
  const n = new Uint32Array(items * GROUPS);
  const rights = new Uint32Array(items * GROUPS);
  const abilities = new Float64Array(items * GROUPS);
  const expected = new Float64Array(items * GROUPS);
  const weights = new Float64Array(NODES);
  const step = Math.ceil(item.length / Math.max(MOST_ANSWERS, items * MOST_ANSWERS_EACH)) || 1;
  for (let c = 0, seen = 0; c < cases; c += step, seen++) {
    if (seen % AT_ONCE === 0) await rest();
    posterior(scores, table, prior, c, weights);
    let from = 0;
    while (weights[from]! < NEGLIGIBLE) from++;
    let to = NODES;
    while (weights[to - 1]! < NEGLIGIBLE) to--;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const row = item[i]! * NODES;
      let total = 0;
      let node = 0;
      let share = 0;
      const mark = right[i]!;
      for (let q = from; q < to; q++) {
        const p = table[row + q]!;
        const other = weights[q]! / (mark === 1 ? p : 1 - p);
        total += other;
        node += other * ABILITIES[q]!;
        share += other * p;
      }
      const place = item[i]! * GROUPS + groupOf(node / total, cuts);
      n[place]!++;
      rights[place]! += mark;
      abilities[place]! += node / total;
      expected[place]! += share / total;
    }
  }
  return (j) => {
    const groups: ObservedGroup[] = [];
    for (let place = j * GROUPS; place < (j + 1) * GROUPS; place++)
      groups.push({
        n: n[place]!,
        right: rights[place]!,
        ability: abilities[place]!,
        expected: expected[place]!,
      });
    return joined(groups).map(({ n, right, ability, expected }) => ({
      n,
      right,
      ability: ability / n,
      expected: expected / n,
    }));
  };
}

/** Of sums: neighbours are put together until there are enough answers in each group. */
function joined(groups: readonly ObservedGroup[]): ObservedGroup[] {
  const large: ObservedGroup[] = [];
  for (const group of groups) {
    const last = large.at(-1);
    if (last && last.n < LEAST_IN_GROUP) large[large.length - 1] = sumOf(last, group);
    else if (group.n > 0) large.push(group);
  }
  if (large.length > 1 && large.at(-1)!.n < LEAST_IN_GROUP) {
    const rest = large.pop()!;
    large.push(sumOf(large.pop()!, rest));
  }
  return large;
}

const sumOf = (a: ObservedGroup, b: ObservedGroup): ObservedGroup => ({
  n: a.n + b.n,
  right: a.right + b.right,
  ability: a.ability + b.ability,
  expected: a.expected + b.expected,
});

/** Probabilities of a right answer, by question and node. */
function tableOf(curves: Curves): Float64Array {
  const table = new Float64Array(curves.slope.length * NODES);
  for (let j = 0; j < curves.slope.length; j++) {
    const curve = curveOf(curves, j);
    for (let q = 0; q < NODES; q++)
      table[j * NODES + q] = Math.min(
        1 - LEAST_PROBABILITY,
        Math.max(LEAST_PROBABILITY, probability(curve, ABILITIES[q]!)),
      );
  }
  return table;
}

/** How likely a case is to be at each node, given all its answers, up to a factor. */
function posterior(
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
    if ((i - starts[c]!) % FACTORS_AT_ONCE === FACTORS_AT_ONCE - 1) scale(weights);
  }
  scale(weights);
}

function scale(weights: Float64Array): void {
  let most = 0;
  for (let q = 0; q < NODES; q++) most = Math.max(most, weights[q]!);
  for (let q = 0; q < NODES; q++) weights[q]! /= most;
}

/** Groups of about the same size, over all cases that have answers. */
function cutsOf(ability: Float64Array, starts: Uint32Array): number[] {
  const known = ability.filter((_, c) => starts[c + 1]! > starts[c]!).sort();
  return Array.from({ length: GROUPS - 1 }, (_, i) => quantile(known, (i + 1) / GROUPS) ?? 0);
}

function groupOf(ability: number, cuts: readonly number[]): number {
  let group = 0;
  while (group < cuts.length && ability > cuts[group]!) group++;
  return group;
}
