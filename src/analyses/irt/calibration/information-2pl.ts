/**
 * Missing information of the 2PL where all cases have the same form. Given a pattern x, the scores
 * are x · θ − θ · P(θ) by the discrimination and x − P(θ) by the intercept. The terms of their
 * posterior covariance that depend on the pattern are summed over patterns before any pair of items
 * is formed, except for the variance of θ, which is summed by pair of right responses.
 */

import type { Ticker } from '../../../concurrency/ticker.ts';
import { newPosteriorByForm } from './expectation.ts';
import type { KernelArguments, ScoreTables } from './kernel-arguments.ts';
import { NODES, THETA } from './model.ts';
import type { Problem } from './problem.ts';

/**
 * Layout of the sums of a part: products of posterior weights by pair of nodes; weights times θ −
 * E[θ] by block and node; posterior variances by pair of items.
 */
const getLayout = ({ items, blocks }: Problem) => {
  const byBlock = NODES * NODES;
  const byPair = byBlock + blocks.count * NODES;
  return { byBlock, byPair, size: byPair + items * items };
};

export const countMissingSums = (problem: Problem) => getLayout(problem).size;

export function sumMissing2pl(problem: Problem, part: number, { sums }: KernelArguments): void {
  const { patterns, blocks, items, parts } = problem;
  const { byBlock, byPair, size } = getLayout(problem);
  const partSums = sums.subarray(part * size, (part + 1) * size);
  const computePosterior = newPosteriorByForm(problem);
  const right = new Uint32Array(items);
  for (let p = parts[part]!; p < parts[part + 1]!; p++) {
    const { weight, from, to, mean, variance } = computePosterior(p);
    const cases = patterns.weight[p]!;
    for (let q = from; q <= to; q++) {
      const scaled = cases * weight[q]!;
      for (let r = from; r <= q; r++) partSums[q * NODES + r]! += scaled * weight[r]!;
    }
    for (let q = from; q <= to; q++) weight[q]! *= cases * (THETA[q]! - mean);
    let count = 0;
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++) {
      const block = patterns.block[i]!;
      const row = byBlock + block * NODES;
      for (let q = from; q <= to; q++) partSums[row + q]! += weight[q]!;
      for (let k = blocks.starts[block]!; k < blocks.starts[block + 1]!; k++)
        if (blocks.right[k]) right[count++] = blocks.item[k]!;
    }
    const scaledVariance = cases * variance;
    for (let i = 0; i < count; i++) {
      const row = byPair + right[i]! * items;
      for (let k = 0; k <= i; k++) partSums[row + right[k]!]! += scaledVariance;
    }
  }
}

/**
 * Subtracts the missing information from a lower triangle; `sums` are the totals over all parts.
 */
export async function subtractMissing2pl(
  matrix: Float64Array,
  problem: Problem,
  cases: Float64Array,
  { residual }: ScoreTables,
  sums: Float64Array,
  ticker: Ticker,
): Promise<void> {
  const { items } = problem;
  const { byPair } = getLayout(problem);
  // θ · P for the discriminations, then P for the intercepts.
  const curve = new Float64Array(2 * items * NODES);
  for (let j = 0; j < items; j++) {
    for (let q = 0; q < NODES; q++) {
      curve[j * NODES + q] = -residual[j * NODES + q]! * THETA[q]!;
      curve[(items + j) * NODES + q] = -residual[j * NODES + q]!;
    }
  }
  const curveCovariance = multiplyCurves(computeNodeCovariance(sums, cases), curve);
  const deviations = sumDeviationsByItem(problem, sums);
  const size = 2 * items;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let missing = dotRows(curveCovariance, row, curve, column);
      if (column < items) missing -= dotRows(deviations, column, curve, row);
      if (row < items)
        missing += sums[byPair + row * items + column]! - dotRows(deviations, row, curve, column);
      matrix[row * size + column]! -= missing;
    }
    await ticker.yield();
  }
}

function dotRows(one: Float64Array, i: number, two: Float64Array, k: number): number {
  let sum = 0;
  for (let q = 0; q < NODES; q++) sum += one[i * NODES + q]! * two[k * NODES + q]!;
  return sum;
}

/** Σ diag(w) − w · wᵀ over all cases, with posterior weights w. */
function computeNodeCovariance(sums: Float64Array, cases: Float64Array): Float64Array {
  const matrix = new Float64Array(NODES * NODES);
  for (let q = 0; q < NODES; q++) {
    for (let r = 0; r <= q; r++) {
      const value = (q === r ? cases[q]! : 0) - sums[q * NODES + r]!;
      matrix[q * NODES + r] = value;
      matrix[r * NODES + q] = value;
    }
  }
  return matrix;
}

function multiplyCurves(matrix: Float64Array, curve: Float64Array): Float64Array {
  const result = new Float64Array(curve.length);
  for (let i = 0; i < curve.length / NODES; i++)
    for (let q = 0; q < NODES; q++) result[i * NODES + q] = dotRows(matrix, q, curve, i);
  return result;
}

/** By item and node, summed over the cases that are right: posterior weight times θ − E[θ]. */
function sumDeviationsByItem(problem: Problem, sums: Float64Array): Float64Array {
  const { items, blocks } = problem;
  const { byBlock } = getLayout(problem);
  const deviations = new Float64Array(items * NODES);
  for (let b = 0; b < blocks.count; b++) {
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++) {
      if (!blocks.right[i]) continue;
      const row = blocks.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) deviations[row + q]! += sums[byBlock + b * NODES + q]!;
    }
  }
  return deviations;
}
