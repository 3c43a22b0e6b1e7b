/**
 * The expectation step: where on the scale each pattern's cases are to be expected, and the sums of that over
 * all patterns. A weight below a rounding error of the largest one is left out.
 */
import { ABILITIES, LOG_PRIOR, NODES, STEP } from './model.ts';
import type { Problem } from './problem.ts';

const NEGLIGIBLE = 1e-18;
const LOG_NEGLIGIBLE = Math.log(NEGLIGIBLE);
/** The logarithms of ratios up to here can be taken apart into factors without overflow. */
const STEEP = 300;

/** A pattern's distribution of ability: weights of the nodes `from` to `to`, which sum to 1. */
export interface Posterior {
  weight: Float64Array;
  from: number;
  to: number;
  mean: number;
  variance: number;
  /** The logarithm of the pattern's likelihood; by forms, without the intercepts of its right answers. */
  log: number;
}

const newPosterior = (): Posterior => ({
  weight: new Float64Array(NODES),
  from: 0,
  to: 0,
  mean: 0,
  variance: 0,
  log: 0,
});

/**
 * By forms: from the node with the largest weight outwards, each weight follows from its neighbour's. It
 * falls all the way, since the density is log-concave.
 */
export function posteriorByForm(problem: Problem) {
  const { patterns, tables } = problem;
  const { starts, block } = patterns;
  const { forms, slope, level, rise, up, down } = tables!;
  const found = newPosterior();
  const { weight } = found;
  return (p: number): Posterior => {
    const form = forms.of[p]! * NODES;
    let sum = 0;
    for (let i = starts[p]!; i < starts[p + 1]!; i++) sum += slope[block[i]!]!;
    const lift = STEP * sum;
    let mode = 0;
    for (let high = NODES - 1; mode < high; ) {
      const middle = (mode + high) >> 1;
      if (rise[form + middle]! + lift > 0) mode = middle + 1;
      else high = middle;
    }
    const steep = Math.abs(lift) > STEEP;
    const ratio = steep ? 1 : Math.exp(lift);
    const inverse = 1 / ratio;
    weight[mode] = 1;
    let total = 1;
    let first = 0;
    let second = 0;
    let to = mode;
    for (let w = 1; to < NODES - 1; ) {
      w *= steep ? Math.exp(rise[form + to]! + lift) : up[form + to]! * ratio;
      if (!(w > NEGLIGIBLE)) break;
      weight[++to] = w;
      total += w;
      first += w * (to - mode);
      second += w * (to - mode) * (to - mode);
    }
    let from = mode;
    for (let w = 1; from > 0; ) {
      w *= steep ? Math.exp(-rise[form + from - 1]! - lift) : down[form + from - 1]! * inverse;
      if (!(w > NEGLIGIBLE)) break;
      weight[--from] = w;
      total += w;
      first += w * (from - mode);
      second += w * (from - mode) * (from - mode);
    }
    const scale = 1 / total;
    for (let q = from; q <= to; q++) weight[q]! *= scale;
    const shift = first * scale;
    found.from = from;
    found.to = to;
    found.mean = ABILITIES[mode]! + STEP * shift;
    found.variance = STEP * STEP * Math.max(0, second * scale - shift * shift);
    found.log = level[form + mode]! + ABILITIES[mode]! * sum + Math.log(total);
    return found;
  };
}

/** By blocks, for any model and any choice of items. */
export function posteriorByBlock(problem: Problem) {
  const { patterns, blockLog } = problem;
  const { starts, block } = patterns;
  const found = newPosterior();
  const { weight } = found;
  const logs = new Float64Array(NODES);
  return (p: number): Posterior => {
    logs.set(LOG_PRIOR);
    const end = starts[p + 1]!;
    let i = starts[p]!;
    // Four at a time: what is in memory is read and written less often.
    for (; i + 3 < end; i += 4) {
      const one = block[i]! * NODES;
      const two = block[i + 1]! * NODES;
      const three = block[i + 2]! * NODES;
      const four = block[i + 3]! * NODES;
      for (let q = 0; q < NODES; q++)
        logs[q]! += blockLog[one + q]! + blockLog[two + q]! + (blockLog[three + q]! + blockLog[four + q]!);
    }
    for (; i < end; i++) {
      const one = block[i]! * NODES;
      for (let q = 0; q < NODES; q++) logs[q]! += blockLog[one + q]!;
    }
    let largest = logs[0]!;
    for (let q = 1; q < NODES; q++) if (logs[q]! > largest) largest = logs[q]!;
    let from = 0;
    let to = NODES - 1;
    while (logs[from]! - largest < LOG_NEGLIGIBLE) from++;
    while (logs[to]! - largest < LOG_NEGLIGIBLE) to--;
    let total = 0;
    for (let q = from; q <= to; q++) total += weight[q] = Math.exp(logs[q]! - largest);
    const scale = 1 / total;
    let mean = 0;
    for (let q = from; q <= to; q++) {
      weight[q]! *= scale;
      mean += weight[q]! * ABILITIES[q]!;
    }
    let variance = 0;
    for (let q = from; q <= to; q++) variance += weight[q]! * (ABILITIES[q]! - mean) ** 2;
    found.from = from;
    found.to = to;
    found.mean = mean;
    found.variance = variance;
    found.log = largest + Math.log(total);
    return found;
  };
}

const posteriorOf = (problem: Problem) =>
  problem.tables ? posteriorByForm(problem) : posteriorByBlock(problem);

/** The sums over one part of the patterns, by forms. */
export function expectByForm(problem: Problem, part: number): void {
  const { patterns, tables, parts, logLikelihood } = problem;
  const { starts, block, weight: cases } = patterns;
  const { forms, slope } = tables!;
  const blocks = slope.length;
  const asked = tables!.asked.subarray(part * forms.count * NODES, (part + 1) * forms.count * NODES).fill(0);
  const mean = tables!.mean.subarray(part * blocks, (part + 1) * blocks).fill(0);
  const posterior = posteriorByForm(problem);
  let log = 0;
  for (let p = parts[part]!; p < parts[part + 1]!; p++) {
    const found = posterior(p);
    const { weight, from, to } = found;
    const count = cases[p]!;
    const form = forms.of[p]! * NODES;
    for (let q = from; q <= to; q++) asked[form + q]! += count * weight[q]!;
    const sum = count * found.mean;
    for (let i = starts[p]!; i < starts[p + 1]!; i++) mean[block[i]!]! += sum;
    log += count * found.log;
  }
  logLikelihood[part] = log;
}

/**
 * Sums by block and node, of one part at a time; kept for the next one, since making it anew takes longer
 * than clearing it.
 */
let byBlock = new Float64Array(0);

/** The sums over one part of the patterns, by blocks. */
export function expectByBlock(problem: Problem, part: number): void {
  const { patterns, blocks, parts, items, logLikelihood } = problem;
  const { starts, block, weight: cases } = patterns;
  if (byBlock.length === blocks.count * NODES) byBlock.fill(0);
  else byBlock = new Float64Array(blocks.count * NODES);
  const sums = byBlock;
  const posterior = posteriorByBlock(problem);
  let log = 0;
  for (let p = parts[part]!; p < parts[part + 1]!; p++) {
    const found = posterior(p);
    const { weight, from, to } = found;
    const count = cases[p]!;
    if (count !== 1) for (let q = from; q <= to; q++) weight[q]! *= count;
    for (let i = starts[p]!; i < starts[p + 1]!; i++) {
      const row = block[i]! * NODES;
      for (let q = from; q <= to; q++) sums[row + q]! += weight[q]!;
    }
    log += count * found.log;
  }
  logLikelihood[part] = log;
  const asked = problem.asked.subarray(part * items * NODES, (part + 1) * items * NODES).fill(0);
  const right = problem.right.subarray(part * items * NODES, (part + 1) * items * NODES).fill(0);
  for (let b = 0; b < blocks.count; b++) {
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++) {
      const item = blocks.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) asked[item + q]! += sums[b * NODES + q]!;
      if (blocks.right[i]) for (let q = 0; q < NODES; q++) right[item + q]! += sums[b * NODES + q]!;
    }
  }
}

/** Fills the share of one part in the table of blocks. */
export function fillBlocks(problem: Problem, part: number): void {
  const { blocks, parts, logRight, logWrong, blockLog } = problem;
  const count = parts.length - 1;
  const to = Math.floor((blocks.count * (part + 1)) / count);
  for (let b = Math.floor((blocks.count * part) / count); b < to; b++) {
    const row = blockLog.subarray(b * NODES, (b + 1) * NODES).fill(0);
    for (let i = blocks.starts[b]!; i < blocks.starts[b + 1]!; i++) {
      const logs = blocks.right[i] ? logRight : logWrong;
      const item = blocks.item[i]! * NODES;
      for (let q = 0; q < NODES; q++) row[q]! += logs[item + q]!;
    }
  }
}

/** The mean and the standard deviation of the ability for the patterns of one part. */
export function measure(problem: Problem, part: number): void {
  const posterior = posteriorOf(problem);
  for (let p = problem.parts[part]!; p < problem.parts[part + 1]!; p++) {
    const { mean, variance } = posterior(p);
    problem.ability[p] = mean;
    problem.deviation[p] = Math.sqrt(variance);
  }
}
