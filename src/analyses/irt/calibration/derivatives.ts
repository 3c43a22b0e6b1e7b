/**
 * What the observed information takes from every pattern (Louis, 1982): how the derivatives of its
 * complete-data likelihood vary with the ability, which is not known. They are residual · factor, with
 * factors for the slope, the intercept and the logit of the lower asymptote.
 */
import { type Posterior, posteriorByBlock } from './expectation.ts';
import { NODES } from './model.ts';
import type { Problem } from './problem.ts';
import type { Ready } from './score-products.ts';

export interface Derivatives {
  /** How many parameters an item has. */
  kinds: number;
  /** For wrong and right answers, by item and node: the answer (0 or 1) less its probability. */
  residual: Float64Array;
  /**
   * By kind of parameter, item and node: the derivative of the probability by the parameter, divided by P(1 −
   * P).
   */
  factor: Float64Array;
}

/** What the sums are made of, and where they go. */
export interface Further {
  derivatives: Derivatives;
  sums: Float64Array;
  ready?: Ready;
}

/** The items that a pattern has been asked, and where in `residual` the answers to them stand. */
function answersOf(problem: Problem) {
  const { patterns, blocks, items } = problem;
  const item = new Uint32Array(items);
  const row = new Uint32Array(items);
  const answers = { item, row, count: 0 };
  return (p: number) => {
    let count = 0;
    for (let i = patterns.starts[p]!; i < patterns.starts[p + 1]!; i++) {
      const block = patterns.block[i]!;
      for (let k = blocks.starts[block]!; k < blocks.starts[block + 1]!; k++) {
        item[count] = blocks.item[k]!;
        row[count++] = (blocks.right[k]! * items + blocks.item[k]!) * NODES;
      }
    }
    answers.count = count;
    return answers;
  };
}

/** Patterns whose derivatives are multiplied at a time: what is in memory is read and written less often. */
const AT_A_TIME = 4;

/** Σ E[S] · E[S]ᵀ over the patterns of a part: the lower triangle, in a matrix that is the part's own. */
export function sumProducts(problem: Problem, part: number, { derivatives, sums }: Further): void {
  const { items, patterns, parts } = problem;
  const { kinds } = derivatives;
  const size = kinds * items;
  const matrix = sums.subarray(part * size * size, (part + 1) * size * size);
  const answers = answersOf(problem);
  const posterior = posteriorByBlock(problem);
  const means = Array.from({ length: AT_A_TIME }, () => new Float64Array(size));
  const isAsked = new Uint8Array(items);
  for (let start = parts[part]!; start < parts[part + 1]!; start += AT_A_TIME) {
    isAsked.fill(0);
    for (let k = 0; k < AT_A_TIME; k++) {
      const mean = means[k]!.fill(0);
      const p = start + k;
      if (p >= parts[part + 1]!) continue;
      const { item, row, count } = answers(p);
      const found = posterior(p);
      const scale = Math.sqrt(patterns.weight[p]!);
      for (let i = 0; i < count; i++) {
        isAsked[item[i]!] = 1;
        for (let kind = 0; kind < kinds; kind++) {
          const place = kind * items + item[i]!;
          mean[place] = scale * meanOf(found, derivatives, row[i]!, place * NODES);
        }
      }
    }
    addProducts(matrix, means, placesOf(isAsked, kinds));
  }
}

/** The places of the parameters of some items, ascending. */
function placesOf(isAsked: Uint8Array, kinds: number): Uint32Array {
  const places = new Uint32Array(kinds * isAsked.length);
  let count = 0;
  for (let kind = 0; kind < kinds; kind++)
    for (let j = 0; j < isAsked.length; j++) if (isAsked[j]) places[count++] = kind * isAsked.length + j;
  return places.subarray(0, count);
}

function addProducts(matrix: Float64Array, means: Float64Array[], places: Uint32Array): void {
  const [one, two, three, four] = means as [Float64Array, Float64Array, Float64Array, Float64Array];
  const size = one.length;
  for (let i = 0; i < places.length; i++) {
    const row = places[i]!;
    const [a, b, c, d] = [one[row]!, two[row]!, three[row]!, four[row]!];
    for (let k = 0; k <= i; k++) {
      const column = places[k]!;
      matrix[row * size + column]! +=
        a * one[column]! + b * two[column]! + (c * three[column]! + d * four[column]!);
    }
  }
}

/** The expected derivative of one answer by one parameter. */
function meanOf(
  { weight, from, to }: Posterior,
  { residual, factor }: Derivatives,
  row: number,
  by: number,
): number {
  let sum = 0;
  for (let q = from; q <= to; q++) sum += weight[q]! * residual[row + q]! * factor[by + q]!;
  return sum;
}

/**
 * The covariances of the derivatives of each item alone, by item and pair of kinds, in a table that is the
 * part's own; and behind them the variance of the derivative by a slope that all items share.
 */
export function sumOwn(problem: Problem, part: number, { derivatives, sums }: Further): void {
  const { items, patterns, parts } = problem;
  const { kinds, residual, factor } = derivatives;
  const size = items * kinds * kinds + 1;
  const table = sums.subarray(part * size, (part + 1) * size);
  const answers = answersOf(problem);
  const posterior = posteriorByBlock(problem);
  const mean = new Float64Array(kinds);
  const bySlope = new Float64Array(NODES);
  for (let p = parts[part]!; p < parts[part + 1]!; p++) {
    const { item, row, count } = answers(p);
    const found = posterior(p);
    const { weight, from, to } = found;
    const cases = patterns.weight[p]!;
    bySlope.fill(0);
    for (let i = 0; i < count; i++) {
      const base = item[i]! * kinds * kinds;
      for (let q = from; q <= to; q++) bySlope[q]! += residual[row[i]! + q]! * factor[item[i]! * NODES + q]!;
      for (let a = 0; a < kinds; a++) {
        const by = (a * items + item[i]!) * NODES;
        mean[a] = meanOf(found, derivatives, row[i]!, by);
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
      first += weight[q]! * bySlope[q]!;
      second += weight[q]! * bySlope[q]! ** 2;
    }
    table[size - 1]! += cases * (second - first * first);
  }
}
