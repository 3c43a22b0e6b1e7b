/** Observed information of the 1PL for patterns merged by form and sum score. */

import type { Ticker } from '../../../concurrency/ticker.ts';
import { newPosteriorByForm, type Posterior } from './expectation.ts';
import { logistic, NODES, type ParameterVector, THETA } from './model.ts';
import type { Problem } from './problem.ts';

/** P by item and node. */
function tabulateProbabilities(point: ParameterVector, items: number): Float64Array {
  const table = new Float64Array(items * NODES);
  for (let j = 0; j < items; j++)
    for (let q = 0; q < NODES; q++) table[j * NODES + q] = logistic(point[0]! * THETA[q]! + point[1 + j]!);
  return table;
}

/**
 * Lower triangle of the information of the common discrimination and the intercepts. Given the sum
 * score, the posterior covariance of the scores depends on the probabilities only, not on the
 * single responses.
 */
export async function computeInformation1pl(
  problem: Problem,
  point: ParameterVector,
  asked: Float64Array,
  ticker: Ticker,
): Promise<Float64Array> {
  const { items, patterns } = problem;
  const { forms } = problem.tables!;
  const size = items + 1;
  const p = tabulateProbabilities(point, items);
  const matrix = new Float64Array(size * size);
  for (let j = 0; j < items; j++) {
    for (let q = 0; q < NODES; q++) {
      const variance = asked[j * NODES + q]! * p[j * NODES + q]! * (1 - p[j * NODES + q]!);
      matrix[0]! += variance * THETA[q]! ** 2;
      matrix[(1 + j) * size]! += variance * THETA[q]!;
      matrix[(1 + j) * size + 1 + j]! += variance;
    }
  }
  const computePosterior = newPosteriorByForm(problem);
  for (let f = 0; f < forms.count; f++) {
    const own = forms.item.subarray(forms.starts[f]!, forms.starts[f + 1]!);
    const expectedScore = new Float64Array(NODES);
    for (const j of own) for (let q = 0; q < NODES; q++) expectedScore[q]! += p[j * NODES + q]!;
    const cases = new Float64Array(NODES);
    for (let c = 0; c < patterns.count; c++) {
      if (forms.of[c] !== f) continue;
      const result = computePosterior(c);
      const count = patterns.weight[c]!;
      for (let q = result.from; q <= result.to; q++) cases[q]! += count * result.weight[q]!;
      subtractClass(matrix, size, own, p, result, count, patterns.block[c]!, expectedScore);
      await ticker.yield();
    }
    for (const [i, j] of own.entries()) {
      for (let k = 0; k <= i; k++) {
        let sum = 0;
        for (let q = 0; q < NODES; q++) sum += cases[q]! * p[j * NODES + q]! * p[own[k]! * NODES + q]!;
        matrix[(1 + j) * size + 1 + own[k]!]! -= sum;
      }
      await ticker.yield();
    }
  }
  return matrix;
}

/**
 * Subtracts the missing information of one class of cases, except for the mean products of
 * probabilities, which are the same for all classes of a form and subtracted once.
 */
function subtractClass(
  matrix: Float64Array,
  size: number,
  own: Uint32Array,
  p: Float64Array,
  { weight, from, to }: Posterior,
  count: number,
  score: number,
  expectedScore: Float64Array,
): void {
  const byDiscrimination = new Float64Array(NODES);
  let mean = 0;
  let square = 0;
  for (let q = from; q <= to; q++) {
    byDiscrimination[q] = THETA[q]! * (score - expectedScore[q]!);
    mean += weight[q]! * byDiscrimination[q]!;
    square += weight[q]! * byDiscrimination[q]! ** 2;
  }
  matrix[0]! -= count * (square - mean * mean);
  const means = new Float64Array(own.length);
  for (const [i, j] of own.entries()) {
    let mixed = 0;
    for (let q = from; q <= to; q++) {
      means[i]! += weight[q]! * p[j * NODES + q]!;
      mixed += weight[q]! * p[j * NODES + q]! * byDiscrimination[q]!;
    }
    matrix[(1 + j) * size]! += count * (mixed - mean * means[i]!);
  }
  for (const [i, j] of own.entries()) {
    const row = (1 + j) * size + 1;
    const scaled = count * means[i]!;
    for (let k = 0; k <= i; k++) matrix[row + own[k]!]! += scaled * means[k]!;
  }
}
