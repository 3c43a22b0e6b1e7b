/**
 * Kernels for the missing information (Louis, 1982): outer products of the expected complete-data
 * scores of each pattern, and their posterior covariances within items.
 */
import { newPosteriorByBlock, type Posterior } from './expectation.ts';
import type { KernelArguments, ScoreTables } from './kernel-arguments.ts';
import { NODES } from './model.ts';
import type { Problem } from './problem.ts';

/** Lists the items of a pattern and the offsets of its responses in `residual`. */
function newResponseReader(problem: Problem) {
  const { patterns, blocks, items } = problem;
  const item = new Uint32Array(items);
  const row = new Uint32Array(items);
  const responses = { item, row, count: 0 };
  return (p: number) => {
    let count = 0;
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++) {
      const block = patterns.block[i]!;
      for (let k = blocks.starts[block]!; k < blocks.starts[block + 1]!; k++) {
        item[count] = blocks.item[k]!;
        row[count++] = (blocks.right[k]! * items + blocks.item[k]!) * NODES;
      }
    }
    responses.count = count;
    return responses;
  };
}

/** Patterns per rank-k update of the matrix, to read and write it less often. */
const PATTERNS_PER_UPDATE = 4;

/** Σ E[S] · E[S]ᵀ over the patterns of a part, as the lower triangle of the part's own matrix. */
export function sumMeanProducts(
  problem: Problem,
  part: number,
  { scoreTables, sums }: KernelArguments,
): void {
  const { items, patterns, parts } = problem;
  const { kinds } = scoreTables;
  const size = kinds * items;
  const matrix = sums.subarray(part * size * size, (part + 1) * size * size);
  const readResponses = newResponseReader(problem);
  const computePosterior = newPosteriorByBlock(problem);
  const means = Array.from({ length: PATTERNS_PER_UPDATE }, () => new Float64Array(size));
  const isAsked = new Uint8Array(items);
  for (let start = parts[part]!; start < parts[part + 1]!; start += PATTERNS_PER_UPDATE) {
    isAsked.fill(0);
    for (let k = 0; k < PATTERNS_PER_UPDATE; k++) {
      const mean = means[k]!.fill(0);
      const p = start + k;
      if (p >= parts[part + 1]!) continue;
      const { item, row, count } = readResponses(p);
      const result = computePosterior(p);
      const scale = Math.sqrt(patterns.weight[p]!);
      for (let i = 0; i < count; i++) {
        isAsked[item[i]!] = 1;
        for (let kind = 0; kind < kinds; kind++) {
          const index = kind * items + item[i]!;
          mean[index] = scale * computeExpectedScore(result, scoreTables, row[i]!, index * NODES);
        }
      }
    }
    addProducts(matrix, means, listParameterIndices(isAsked, kinds));
  }
}

/** Indices of the parameters of the asked items, ascending. */
function listParameterIndices(isAsked: Uint8Array, kinds: number): Uint32Array {
  const indices = new Uint32Array(kinds * isAsked.length);
  let count = 0;
  for (let kind = 0; kind < kinds; kind++)
    for (let j = 0; j < isAsked.length; j++) if (isAsked[j]) indices[count++] = kind * isAsked.length + j;
  return indices.subarray(0, count);
}

function addProducts(matrix: Float64Array, means: Float64Array[], indices: Uint32Array): void {
  const [one, two, three, four] = means as [Float64Array, Float64Array, Float64Array, Float64Array];
  const size = one.length;
  for (let i = 0; i < indices.length; i++) {
    const row = indices[i]!;
    const [a, b, c, d] = [one[row]!, two[row]!, three[row]!, four[row]!];
    for (let k = 0; k <= i; k++) {
      const column = indices[k]!;
      matrix[row * size + column]! +=
        a * one[column]! + b * two[column]! + (c * three[column]! + d * four[column]!);
    }
  }
}

/** Posterior mean of the score of one response by one parameter. */
function computeExpectedScore(
  { weight, from, to }: Posterior,
  { residual, factor }: ScoreTables,
  row: number,
  by: number,
): number {
  let sum = 0;
  for (let q = from; q <= to; q++) sum += weight[q]! * residual[row + q]! * factor[by + q]!;
  return sum;
}

/**
 * Posterior covariances of the scores within each item, by item and pair of parameter kinds, in the
 * part's own table. Its last entry is the variance of the score by a common discrimination.
 */
export function sumItemCovariances(
  problem: Problem,
  part: number,
  { scoreTables, sums }: KernelArguments,
): void {
  const { items, patterns, parts } = problem;
  const { kinds, residual, factor } = scoreTables;
  const size = items * kinds * kinds + 1;
  const table = sums.subarray(part * size, (part + 1) * size);
  const readResponses = newResponseReader(problem);
  const computePosterior = newPosteriorByBlock(problem);
  const mean = new Float64Array(kinds);
  const byDiscrimination = new Float64Array(NODES);
  for (let p = parts[part]!; p < parts[part + 1]!; p++) {
    const { item, row, count } = readResponses(p);
    const result = computePosterior(p);
    const { weight, from, to } = result;
    const cases = patterns.weight[p]!;
    byDiscrimination.fill(0);
    for (let i = 0; i < count; i++) {
      const base = item[i]! * kinds * kinds;
      for (let q = from; q <= to; q++)
        byDiscrimination[q]! += residual[row[i]! + q]! * factor[item[i]! * NODES + q]!;
      for (let a = 0; a < kinds; a++) {
        const by = (a * items + item[i]!) * NODES;
        mean[a] = computeExpectedScore(result, scoreTables, row[i]!, by);
        for (let b = 0; b <= a; b++) {
          const other = (b * items + item[i]!) * NODES;
          let sum = -mean[a]! * mean[b]!;
          for (let q = from; q <= to; q++)
            sum += weight[q]! * residual[row[i]! + q]! ** 2 * factor[by + q]! * factor[other + q]!;
          table[base + a * kinds + b]! += cases * sum;
        }
      }
    }
    let first = 0;
    let second = 0;
    for (let q = from; q <= to; q++) {
      first += weight[q]! * byDiscrimination[q]!;
      second += weight[q]! * byDiscrimination[q]! ** 2;
    }
    table[size - 1]! += cases * (second - first * first);
  }
}
