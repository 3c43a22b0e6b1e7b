/**
 * Observed information by Louis' method (1982): the complete-data information minus the missing
 * information, which is the posterior covariance of the complete-data scores summed over patterns.
 * It includes the curvature of the priors. Matrices are lower triangles, by rows.
 */

import { type EmContext, sumParts } from './em-step.ts';
import { computeInformation1pl } from './information-1pl.ts';
import { countMissingSums, subtractMissing2pl } from './information-2pl.ts';
import type { ScoreTables } from './kernel-arguments.ts';
import type { Kernel } from './kernels.ts';
import type { ExpectedCounts } from './maximisation.ts';
import {
  type ItemCurves,
  logistic,
  type Model,
  NODES,
  type ParameterVector,
  THETA,
  toItemCurves,
} from './model.ts';
import { differentiateLognormal, type Priors } from './priors.ts';
import type { Problem } from './problem.ts';
import { BATCH_PARTS, BATCH_PATTERNS, countGroupPairs, newPosteriorBatch } from './score-products.ts';
import { sharedFloats } from './shared-arrays.ts';

/** Beyond either limit the information is computed item by item. */
const MAX_PARAMETERS = 1500;
const MAX_RESPONSE_PAIRS = 1e10;

/** Joint information of all parameters. Undefined where it would take too long. */
export async function computeJointInformation(
  context: EmContext,
  point: ParameterVector,
  expected: ExpectedCounts,
): Promise<Float64Array | undefined> {
  const { model, prepared, ticker } = context;
  const { problem } = prepared;
  if (prepared.byScore) return computeInformation1pl(problem, point, expected.asked, ticker);
  const kinds = countKinds(model);
  const { items } = problem;
  if (kinds * items > MAX_PARAMETERS) return;
  const curves = toItemCurves(point, model, items);
  const scoreTables = computeScoreTables(curves, kinds);
  const matrix = computeCompleteInformation(curves, scoreTables, expected, context.priors);
  if (problem.tables?.forms.count === 1) {
    const size = countMissingSums(problem);
    const sums = await sumOverParts(context, 'sumMissing2pl', scoreTables, size);
    // With one form the expected numbers of responses are the same for all items.
    await subtractMissing2pl(matrix, problem, expected.asked.subarray(0, NODES), scoreTables, sums, ticker);
  } else {
    if (countResponsePairs(problem) > MAX_RESPONSE_PAIRS) return;
    await subtractMissing(matrix, context, scoreTables);
  }
  return model === '1pl' ? mergeDiscriminations(matrix, items) : matrix;
}

/** Subtracts the missing information Σ E[S · Sᵀ] − E[S] · E[S]ᵀ, for any model and forms. */
async function subtractMissing(
  matrix: Float64Array,
  context: EmContext,
  scoreTables: ScoreTables,
): Promise<void> {
  const { prepared, executor } = context;
  const { problem } = prepared;
  const pairs = sharedFloats(matrix.length);
  // The E-step by forms does not fill this table.
  await executor.run('fillBlocks', problem.parts.length - 1);
  const batch = newPosteriorBatch(problem.items);
  for (; batch.first < problem.patterns.count; batch.first += BATCH_PATTERNS) {
    await executor.run('fillPosteriorBatch', BATCH_PARTS, { scoreTables, sums: pairs, batch });
    await executor.run('sumPairProducts', countGroupPairs(problem.items), {
      scoreTables,
      sums: pairs,
      batch,
    });
  }
  const products = await sumOverParts(context, 'sumMeanProducts', scoreTables, matrix.length);
  for (let i = 0; i < matrix.length; i++) matrix[i]! += products[i]! - pairs[i]!;
}

/** Runs a kernel and adds the sums of its parts in order. */
async function sumOverParts(
  { prepared, executor }: EmContext,
  kernel: Kernel,
  scoreTables: ScoreTables,
  size: number,
): Promise<Float64Array> {
  const parts = prepared.problem.parts.length - 1;
  const byPart = sharedFloats(parts * size);
  await executor.run(kernel, parts, { scoreTables, sums: byPart });
  return sumParts(byPart, size);
}

/**
 * Information of each item alone, as if all others were known: a small matrix per item. The last
 * entry is the information of the common discrimination of the 1PL.
 */
export async function computeItemInformation(
  context: EmContext,
  point: ParameterVector,
  expected: ExpectedCounts,
): Promise<{ kinds: number; matrices: Float64Array }> {
  const { model, prepared, executor } = context;
  const { problem } = prepared;
  const { items } = problem;
  const kinds = countKinds(model);
  const curves = toItemCurves(point, model, items);
  const scoreTables = computeScoreTables(curves, kinds);
  await executor.run('fillBlocks', problem.parts.length - 1);
  const size = items * kinds * kinds + 1;
  const matrices = await sumOverParts(context, 'sumItemCovariances', scoreTables, size);
  for (let i = 0; i < size; i++) matrices[i] = -matrices[i]!;
  for (let j = 0; j < items; j++) {
    const complete = computeItemComplete(j, curves, scoreTables, expected, context.priors);
    for (let i = 0; i < kinds * kinds; i++) matrices[j * kinds * kinds + i]! += complete[i]!;
    matrices[size - 1]! += complete[0]!;
  }
  return { kinds, matrices };
}

const countKinds = (model: Model) => (model === '3pl' ? 3 : 2);

/** Number of pairs of responses over all patterns. */
function countResponsePairs({ patterns, blocks }: Problem): number {
  let pairs = 0;
  for (let p = 0; p < patterns.count; p++) {
    let responses = 0;
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++) {
      const block = patterns.block[i]!;
      responses += blocks.starts[block + 1]! - blocks.starts[block]!;
    }
    pairs += (responses * responses) / 2;
  }
  return pairs;
}

/** Residuals and factors of the complete-data score at all nodes. */
function computeScoreTables({ discrimination, intercept, guessing }: ItemCurves, kinds: number): ScoreTables {
  const items = discrimination.length;
  const size = items * NODES;
  const residual = sharedFloats(2 * size);
  const factor = sharedFloats(kinds * size);
  for (let j = 0; j < items; j++) {
    for (let q = 0; q < NODES; q++) {
      const index = j * NODES + q;
      const logit = discrimination[j]! * THETA[q]! + intercept[j]!;
      const known = logistic(logit);
      const p = guessing[j]! + (1 - guessing[j]!) * known;
      residual[index] = -p;
      residual[size + index] = (1 - guessing[j]!) * logistic(-logit);
      const byLogit = guessing[j]! > 0 ? known / p : 1;
      factor[index] = byLogit * THETA[q]!;
      factor[size + index] = byLogit;
      if (kinds === 3) factor[2 * size + index] = guessing[j]! / p;
    }
  }
  return { kinds, residual, factor };
}

/** Complete-data information, in which items are independent. */
function computeCompleteInformation(
  curves: ItemCurves,
  scoreTables: ScoreTables,
  expected: ExpectedCounts,
  priors: Priors,
): Float64Array {
  const { kinds } = scoreTables;
  const items = curves.discrimination.length;
  const size = kinds * items;
  const matrix = new Float64Array(size * size);
  for (let j = 0; j < items; j++) {
    const own = computeItemComplete(j, curves, scoreTables, expected, priors);
    for (let a = 0; a < kinds; a++)
      for (let b = 0; b <= a; b++) matrix[(a * items + j) * size + b * items + j] = own[a * kinds + b]!;
  }
  return matrix;
}

/** Negative Hessian of the expected complete-data log-likelihood of one item, with its prior. */
function computeItemComplete(
  item: number,
  { discrimination, intercept, guessing }: ItemCurves,
  { kinds, residual, factor }: ScoreTables,
  { asked, right }: ExpectedCounts,
  priors: Priors,
): Float64Array {
  const matrix = new Float64Array(kinds * kinds);
  const size = discrimination.length * NODES;
  const c = guessing[item]!;
  for (let q = 0; q < NODES; q++) {
    const index = item * NODES + q;
    const variance = -asked[index]! * residual[index]! * residual[size + index]!;
    for (let a = 0; a < kinds; a++)
      for (let b = 0; b <= a; b++)
        matrix[a * kinds + b]! += variance * factor[a * size + index]! * factor[b * size + index]!;
    if (kinds < 3) continue;
    // In the 3PL the factors depend on the parameters, so the residuals contribute.
    const p = -residual[index]!;
    const residualSum = right[index]! - asked[index]! * p;
    const known = logistic(discrimination[item]! * THETA[q]! + intercept[item]!);
    const byLogit = (residualSum * known * (1 - known) * c) / (p * p);
    const mixed = (residualSum * known * (1 - known) * c * (1 - c)) / (p * p);
    matrix[0]! -= byLogit * THETA[q]! ** 2;
    matrix[kinds]! -= byLogit * THETA[q]!;
    matrix[kinds + 1]! -= byLogit;
    matrix[2 * kinds]! += mixed * THETA[q]!;
    matrix[2 * kinds + 1]! += mixed;
    matrix[2 * kinds + 2]! -= (residualSum * known * c * (1 - c)) / (p * p);
  }
  matrix[0]! += differentiateLognormal(discrimination[item]!, priors.discrimination).curvature;
  if (kinds === 3) {
    const { alpha, beta } = priors.guessing[item]!;
    matrix[8]! += (alpha + beta - 2) * c * (1 - c);
  }
  return matrix;
}

/** Sums the rows and columns of all discriminations into those of a common one (chain rule). */
function mergeDiscriminations(matrix: Float64Array, items: number): Float64Array {
  const size = items + 1;
  const wide = 2 * items;
  const common = new Float64Array(size * size);
  for (let j = 0; j < items; j++) {
    for (let k = 0; k <= j; k++) {
      common[0]! += (j === k ? 1 : 2) * matrix[j * wide + k]!;
      common[(1 + j) * size + 1 + k] = matrix[(items + j) * wide + items + k]!;
    }
    for (let k = 0; k < items; k++) common[(1 + j) * size]! += matrix[(items + j) * wide + k]!;
  }
  return common;
}
