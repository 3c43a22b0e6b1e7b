/**
 * Kernels for Σ E[S · Sᵀ] over all patterns, with S the complete-data scores (Louis, 1982). Items
 * are taken in groups of one block. Patterns with the same blocks in two groups differ in their
 * posterior weights only, so the weights are summed by pair of blocks first, and pairs of items are
 * formed from these sums.
 */

import { newPosteriorByBlock } from './expectation.ts';
import type { KernelArguments, PosteriorBatch, ScoreTables } from './kernel-arguments.ts';
import { NODES } from './model.ts';
import { type Blocks, ITEMS_PER_BLOCK } from './patterns.ts';
import type { Problem } from './problem.ts';
import { sharedFloats, sharedIntegers } from './shared-arrays.ts';

/** Patterns per batch: their weights should fit into the processor's cache. */
export const BATCH_PATTERNS = 32_768;
/** Parts that a batch is filled in. */
export const BATCH_PARTS = 8;
/** A group of which no item was asked. */
const NO_BLOCK = 0xffffffff;

const countGroups = (items: number) => Math.ceil(items / ITEMS_PER_BLOCK);

/** Number of unordered pairs of groups, including each group with itself. */
export const countGroupPairs = (items: number) => (countGroups(items) * (countGroups(items) + 1)) / 2;

export const newPosteriorBatch = (items: number): PosteriorBatch => ({
  first: 0,
  weight: sharedFloats(BATCH_PATTERNS * NODES),
  from: sharedIntegers(BATCH_PATTERNS),
  to: sharedIntegers(BATCH_PATTERNS),
  block: sharedIntegers(countGroups(items) * BATCH_PATTERNS),
});

/** Computes the posteriors of one part of a batch. */
export function fillPosteriorBatch(problem: Problem, part: number, { batch }: KernelArguments): void {
  const { patterns, blocks, items } = problem;
  const { first, weight, from, to, block } = batch!;
  const count = Math.min(BATCH_PATTERNS, patterns.count - first);
  const computePosterior = newPosteriorByBlock(problem);
  const end = Math.floor((count * (part + 1)) / BATCH_PARTS);
  for (let i = Math.floor((count * part) / BATCH_PARTS); i < end; i++) {
    const p = first + i;
    const result = computePosterior(p);
    from[i] = result.from;
    to[i] = result.to;
    for (let q = result.from; q <= result.to; q++)
      weight[i * NODES + q] = patterns.weight[p]! * result.weight[q]!;
    for (let g = 0; g < countGroups(items); g++) block[g * BATCH_PATTERNS + i] = NO_BLOCK;
    for (let k = patterns.starts[p]!; k < patterns.starts[p + 1]!; k++)
      block[getGroup(blocks, patterns.block[k]!) * BATCH_PATTERNS + i] = patterns.block[k]!;
  }
}

/**
 * Adds a batch's products for all pairs of items in one pair of groups; a part is a pair of groups.
 */
export function sumPairProducts(
  problem: Problem,
  part: number,
  { scoreTables, sums: matrix, batch }: KernelArguments,
): void {
  const { patterns, blocks, items } = problem;
  const { first, weight, from, to, block } = batch!;
  const [group, other] = getGroupPair(part);
  const ranks = rankBlocks(blocks);
  const [own, others] = [ranks.members[group]!, ranks.members[other]!];
  const sums = new Float64Array(own.length * others.length * NODES);
  const occurs = new Uint8Array(own.length * others.length);
  const count = Math.min(BATCH_PATTERNS, patterns.count - first);
  for (let i = 0; i < count; i++) {
    const one = block[group * BATCH_PATTERNS + i]!;
    const two = block[other * BATCH_PATTERNS + i]!;
    if (one === NO_BLOCK || two === NO_BLOCK) continue;
    const pair = ranks.of[one]! * others.length + ranks.of[two]!;
    occurs[pair] = 1;
    const end = to[i]!;
    for (let q = from[i]!; q <= end; q++) sums[pair * NODES + q]! += weight[i * NODES + q]!;
  }
  const byNode = sumResidualProducts(blocks, items, own, others, sums, occurs, scoreTables.residual);
  for (let a = 0; a < ITEMS_PER_BLOCK; a++) {
    const j = group * ITEMS_PER_BLOCK + a;
    for (let b = 0; b < ITEMS_PER_BLOCK; b++) {
      const k = other * ITEMS_PER_BLOCK + b;
      if (j < items && k <= j)
        addPair(matrix, items, j, k, byNode, (a * ITEMS_PER_BLOCK + b) * NODES, scoreTables);
    }
  }
}

/**
 * Sums of products of residuals by pair of items and node, from sums of weights by pair of blocks:
 * contracts the first block to items, then the second.
 */
function sumResidualProducts(
  blocks: Blocks,
  items: number,
  own: number[],
  others: number[],
  sums: Float64Array,
  occurs: Uint8Array,
  residual: Float64Array,
): Float64Array {
  const half = new Float64Array(ITEMS_PER_BLOCK * others.length * NODES);
  for (const [r, block] of own.entries()) {
    for (let i = blocks.starts[block]!; i < blocks.starts[block + 1]!; i++) {
      const response = (blocks.right[i]! * items + blocks.item[i]!) * NODES;
      const slot = blocks.item[i]! % ITEMS_PER_BLOCK;
      for (let s = 0; s < others.length; s++) {
        if (!occurs[r * others.length + s]) continue;
        const row = (r * others.length + s) * NODES;
        const index = (slot * others.length + s) * NODES;
        for (let q = 0; q < NODES; q++) half[index + q]! += residual[response + q]! * sums[row + q]!;
      }
    }
  }
  const byNode = new Float64Array(ITEMS_PER_BLOCK * ITEMS_PER_BLOCK * NODES);
  for (const [s, block] of others.entries()) {
    for (let i = blocks.starts[block]!; i < blocks.starts[block + 1]!; i++) {
      const response = (blocks.right[i]! * items + blocks.item[i]!) * NODES;
      const slot = blocks.item[i]! % ITEMS_PER_BLOCK;
      for (let a = 0; a < ITEMS_PER_BLOCK; a++) {
        const row = (a * others.length + s) * NODES;
        const index = (a * ITEMS_PER_BLOCK + slot) * NODES;
        for (let q = 0; q < NODES; q++) byNode[index + q]! += residual[response + q]! * half[row + q]!;
      }
    }
  }
  return byNode;
}

/** Adds the products of all parameters of a pair of items to the lower triangle. */
function addPair(
  matrix: Float64Array,
  items: number,
  j: number,
  k: number,
  byNode: Float64Array,
  start: number,
  { kinds, factor }: ScoreTables,
): void {
  const size = kinds * items;
  for (let a = 0; a < kinds; a++) {
    for (let b = 0; b < (j === k ? a + 1 : kinds); b++) {
      const one = a * items + j;
      const two = b * items + k;
      let sum = 0;
      for (let q = 0; q < NODES; q++)
        sum += byNode[start + q]! * factor[one * NODES + q]! * factor[two * NODES + q]!;
      matrix[Math.max(one, two) * size + Math.min(one, two)]! += sum;
    }
  }
}

const getGroup = (blocks: Blocks, block: number) =>
  Math.floor(blocks.item[blocks.starts[block]!]! / ITEMS_PER_BLOCK);

/** The pair of groups with this index, in the order (0, 0), (1, 0), (1, 1), (2, 0), … */
function getGroupPair(part: number): [number, number] {
  let group = 0;
  let before = 0;
  while (before + group + 1 <= part) before += ++group;
  return [group, part - before];
}

/** The blocks of each group, and the rank of each block within its group. */
function rankBlocks(blocks: Blocks): { members: number[][]; of: Uint32Array } {
  const members: number[][] = [];
  const of = new Uint32Array(blocks.count);
  for (let b = 0; b < blocks.count; b++) {
    const group = getGroup(blocks, b);
    members[group] ??= [];
    of[b] = members[group].push(b) - 1;
  }
  return { members, of };
}
