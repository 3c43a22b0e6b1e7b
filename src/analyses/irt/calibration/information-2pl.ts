/**
 * The part of the observed information that is lost with the abilities, for the 2PL where all cases were
 * asked the same items. Given a pattern, the derivatives are x · θ − θ · P(θ) by the slope and x − P(θ) by
 * the intercept; of their covariances, all that depends on the pattern can be summed before any pair of items
 * is looked at, but for the variance of θ.
 */

import type { Pace } from '../../shared/ticker.ts';
import type { Derivatives, Further } from './derivatives.ts';
import { posteriorByForm } from './expectation.ts';
import { ABILITIES, NODES } from './model.ts';
import type { Problem } from './problem.ts';

/**
 * The sums of a part: of products of weights by pairs of nodes; by block and node, of weights times the
 * distance to the mean; of variances by pairs of items.
 */
const layout = ({ items, blocks }: Problem) => {
  const byBlock = NODES * NODES;
  const byPair = byBlock + blocks.count * NODES;
  return { byBlock, byPair, size: byPair + items * items };
};

export const completeSize = (problem: Problem) => layout(problem).size;

export function sumComplete(problem: Problem, part: number, { sums }: Further): void {
  const { patterns, blocks, items, parts } = problem;
  const { byBlock, byPair, size } = layout(problem);
  const own = sums.subarray(part * size, (part + 1) * size);
  const posterior = posteriorByForm(problem);
  const right = new Uint32Array(items);
  for (let p = parts[part]!; p < parts[part + 1]!; p++) {
    const { weight, from, to, mean, variance } = posterior(p);
    const cases = patterns.weight[p]!;
    for (let q = from; q <= to; q++) {
      const scaled = cases * weight[q]!;
      for (let r = from; r <= q; r++) own[q * NODES + r]! += scaled * weight[r]!;
    }
    for (let q = from; q <= to; q++) weight[q]! *= cases * (ABILITIES[q]! - mean);
    let count = 0;
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++) {
      const block = patterns.block[i]!;
      const row = byBlock + block * NODES;
      for (let q = from; q <= to; q++) own[row + q]! += weight[q]!;
      for (let k = blocks.starts[block]!; k < blocks.starts[block + 1]!; k++)
        if (blocks.right[k]) right[count++] = blocks.item[k]!;
    }
    const spread = cases * variance;
    for (let i = 0; i < count; i++) {
      const row = byPair + right[i]! * items;
      for (let k = 0; k <= i; k++) own[row + right[k]!]! += spread;
    }
  }
}

/** Takes what is lost from a matrix, of which the lower triangle is kept; `sums` are those of all parts. */
export async function subtractComplete(
  matrix: Float64Array,
  problem: Problem,
  cases: Float64Array,
  { residual }: Derivatives,
  sums: Float64Array,
  pace: Pace,
): Promise<void> {
  const { items } = problem;
  const { byPair } = layout(problem);
  // Probabilities times the ability, for the slopes; and as they are, for the intercepts.
  const curve = new Float64Array(2 * items * NODES);
  for (let j = 0; j < items; j++) {
    for (let q = 0; q < NODES; q++) {
      curve[j * NODES + q] = -residual[j * NODES + q]! * ABILITIES[q]!;
      curve[(items + j) * NODES + q] = -residual[j * NODES + q]!;
    }
  }
  const varied = curvesTimes(covarianceOfNodes(sums, cases), curve);
  const distance = distanceByItem(problem, sums);
  const size = 2 * items;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let lost = product(varied, row, curve, column);
      if (column < items) lost -= product(distance, column, curve, row);
      if (row < items) lost += sums[byPair + row * items + column]! - product(distance, row, curve, column);
      matrix[row * size + column]! -= lost;
    }
    await pace.pause();
  }
}

function product(one: Float64Array, i: number, two: Float64Array, k: number): number {
  let sum = 0;
  for (let q = 0; q < NODES; q++) sum += one[i * NODES + q]! * two[k * NODES + q]!;
  return sum;
}

/** Σ diag(w) − w · wᵀ over all cases. */
function covarianceOfNodes(sums: Float64Array, cases: Float64Array): Float64Array {
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

function curvesTimes(matrix: Float64Array, curve: Float64Array): Float64Array {
  const result = new Float64Array(curve.length);
  for (let i = 0; i < curve.length / NODES; i++)
    for (let q = 0; q < NODES; q++) result[i * NODES + q] = product(matrix, q, curve, i);
  return result;
}

/**
 * By item and node, over all cases that were right: the weight of the node times its distance to the mean.
 */
function distanceByItem(problem: Problem, sums: Float64Array): Float64Array {
  const { items, blocks } = problem;
  const { byBlock } = layout(problem);
  const distance = new Float64Array(items * NODES);
  for (let b = 0; b < blocks.count; b++) {
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++) {
      if (!blocks.right[i]) continue;
      const row = blocks.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) distance[row + q]! += sums[byBlock + b * NODES + q]!;
    }
  }
  return distance;
}
