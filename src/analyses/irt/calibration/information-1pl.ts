/** The observed information of the 1PL, where all cases with the same form and score are one class. */

import type { Pace } from '../../shared/ticker.ts';
import { type Posterior, posteriorByForm } from './expectation.ts';
import { ABILITIES, logistic, NODES, type Point } from './model.ts';
import type { Problem } from './problem.ts';

/** By item and node: the probability of a right answer. */
function probabilities(point: Point, items: number): Float64Array {
  const table = new Float64Array(items * NODES);
  for (let j = 0; j < items; j++)
    for (let q = 0; q < NODES; q++)
      table[j * NODES + q] = logistic(point[0]! * ABILITIES[q]! + point[1 + j]!);
  return table;
}

/**
 * The lower triangle of the matrix for the slope and the intercepts. An answer by itself adds nothing to what
 * is not known: given the score, the derivatives vary with the probabilities alone.
 */
export async function commonSlopeInformation(
  problem: Problem,
  point: Point,
  asked: Float64Array,
  pace: Pace,
): Promise<Float64Array> {
  const { items, patterns } = problem;
  const { forms } = problem.tables!;
  const size = items + 1;
  const p = probabilities(point, items);
  const matrix = new Float64Array(size * size);
  for (let j = 0; j < items; j++) {
    for (let q = 0; q < NODES; q++) {
      const held = asked[j * NODES + q]! * p[j * NODES + q]! * (1 - p[j * NODES + q]!);
      matrix[0]! += held * ABILITIES[q]! ** 2;
      matrix[(1 + j) * size]! += held * ABILITIES[q]!;
      matrix[(1 + j) * size + 1 + j]! += held;
    }
  }
  const posterior = posteriorByForm(problem);
  for (let f = 0; f < forms.count; f++) {
    const own = forms.item.subarray(forms.starts[f]!, forms.starts[f + 1]!);
    const expectedScore = new Float64Array(NODES);
    for (const j of own) for (let q = 0; q < NODES; q++) expectedScore[q]! += p[j * NODES + q]!;
    const cases = new Float64Array(NODES);
    for (let c = 0; c < patterns.count; c++) {
      if (forms.of[c] !== f) continue;
      const found = posterior(c);
      const count = patterns.weight[c]!;
      for (let q = found.from; q <= found.to; q++) cases[q]! += count * found.weight[q]!;
      subtractClass(matrix, size, own, p, found, count, patterns.block[c]!, expectedScore);
      await pace.pause();
    }
    for (const [i, j] of own.entries()) {
      for (let k = 0; k <= i; k++) {
        let sum = 0;
        for (let q = 0; q < NODES; q++) sum += cases[q]! * p[j * NODES + q]! * p[own[k]! * NODES + q]!;
        matrix[(1 + j) * size + 1 + own[k]!]! -= sum;
      }
      await pace.pause();
    }
  }
  return matrix;
}

/**
 * Takes away the covariances within a class, but for the mean products of the probabilities, which are common
 * to the form.
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
  const bySlope = new Float64Array(NODES);
  let mean = 0;
  let square = 0;
  for (let q = from; q <= to; q++) {
    bySlope[q] = ABILITIES[q]! * (score - expectedScore[q]!);
    mean += weight[q]! * bySlope[q]!;
    square += weight[q]! * bySlope[q]! ** 2;
  }
  matrix[0]! -= count * (square - mean * mean);
  const means = new Float64Array(own.length);
  for (const [i, j] of own.entries()) {
    let mixed = 0;
    for (let q = from; q <= to; q++) {
      means[i]! += weight[q]! * p[j * NODES + q]!;
      mixed += weight[q]! * p[j * NODES + q]! * bySlope[q]!;
    }
    matrix[(1 + j) * size]! += count * (mixed - mean * means[i]!);
  }
  for (const [i, j] of own.entries()) {
    const row = (1 + j) * size + 1;
    const scaled = count * means[i]!;
    for (let k = 0; k <= i; k++) matrix[row + own[k]!]! += scaled * means[k]!;
  }
}
