/**
 * Σ E[S · Sᵀ] over all patterns, where S are the derivatives of a pattern's complete-data likelihood.
 * Patterns that have the same answers to two groups of items differ only in where on the scale they are, so
 * those are summed first, and pairs of items are made of the sums.
 */

import type { Derivatives, Further } from './derivatives.ts';
import { posteriorByBlock } from './expectation.ts';
import { NODES } from './model.ts';
import { type Blocks, ITEMS_IN_BLOCK } from './patterns.ts';
import type { Problem } from './problem.ts';
import { sharedFloats, sharedIntegers } from './shared-arrays.ts';

/** How many patterns are kept ready at a time: their weights should stay in the processor's cache. */
export const ROUND = 32_768;
/** Into how many parts a round is cut. */
export const ROUND_PARTS = 8;
/** Stands for a group of which nothing was asked. */
const NOTHING = 0xffffffff;

/**
 * Patterns made ready: the number of the first, their weights by node and the range of those, and their
 * blocks by group.
 */
export interface Ready {
  first: number;
  weight: Float64Array;
  from: Uint32Array;
  to: Uint32Array;
  block: Uint32Array;
}

const groupsOf = (items: number) => Math.ceil(items / ITEMS_IN_BLOCK);

/** How many pairs of groups there are, each with itself included. */
export const groupPairsOf = (items: number) => (groupsOf(items) * (groupsOf(items) + 1)) / 2;

export const newReady = (items: number): Ready => ({
  first: 0,
  weight: sharedFloats(ROUND * NODES),
  from: sharedIntegers(ROUND),
  to: sharedIntegers(ROUND),
  block: sharedIntegers(groupsOf(items) * ROUND),
});

/** Makes a part of a round ready. */
export function makeReady(problem: Problem, part: number, { ready }: Further): void {
  const { patterns, blocks, items } = problem;
  const { first, weight, from, to, block } = ready!;
  const count = Math.min(ROUND, patterns.count - first);
  const posterior = posteriorByBlock(problem);
  const end = Math.floor((count * (part + 1)) / ROUND_PARTS);
  for (let i = Math.floor((count * part) / ROUND_PARTS); i < end; i++) {
    const p = first + i;
    const found = posterior(p);
    from[i] = found.from;
    to[i] = found.to;
    for (let q = found.from; q <= found.to; q++)
      weight[i * NODES + q] = patterns.weight[p]! * found.weight[q]!;
    for (let g = 0; g < groupsOf(items); g++) block[g * ROUND + i] = NOTHING;
    for (let k = patterns.starts[p]!; k < patterns.starts[p + 1]!; k++)
      block[groupOf(blocks, patterns.block[k]!) * ROUND + i] = patterns.block[k]!;
  }
}

/**
 * Adds what a round tells of all pairs of items in a pair of groups. No other part writes these entries of
 * the matrix.
 */
export function sumPairs(
  problem: Problem,
  part: number,
  { derivatives, sums: matrix, ready }: Further,
): void {
  const { patterns, blocks, items } = problem;
  const { first, weight, from, to, block } = ready!;
  const [group, other] = groupPair(part);
  const ranks = ranksOf(blocks);
  const [own, others] = [ranks.members[group]!, ranks.members[other]!];
  const sums = new Float64Array(own.length * others.length * NODES);
  const occurs = new Uint8Array(own.length * others.length);
  const count = Math.min(ROUND, patterns.count - first);
  for (let i = 0; i < count; i++) {
    const one = block[group * ROUND + i]!;
    const two = block[other * ROUND + i]!;
    if (one === NOTHING || two === NOTHING) continue;
    const pair = ranks.of[one]! * others.length + ranks.of[two]!;
    occurs[pair] = 1;
    const end = to[i]!;
    for (let q = from[i]!; q <= end; q++) sums[pair * NODES + q]! += weight[i * NODES + q]!;
  }
  const byNode = pairsByNode(blocks, items, own, others, sums, occurs, derivatives.residual);
  for (let a = 0; a < ITEMS_IN_BLOCK; a++) {
    const j = group * ITEMS_IN_BLOCK + a;
    for (let b = 0; b < ITEMS_IN_BLOCK; b++) {
      const k = other * ITEMS_IN_BLOCK + b;
      if (j < items && k <= j)
        addPair(matrix, items, j, k, byNode, (a * ITEMS_IN_BLOCK + b) * NODES, derivatives);
    }
  }
}

/**
 * From sums by pairs of blocks to sums by pairs of items and node, of the products of residuals: first for
 * the one, then for the other.
 */
function pairsByNode(
  blocks: Blocks,
  items: number,
  own: number[],
  others: number[],
  sums: Float64Array,
  occurs: Uint8Array,
  residual: Float64Array,
): Float64Array {
  const half = new Float64Array(ITEMS_IN_BLOCK * others.length * NODES);
  for (const [r, block] of own.entries()) {
    for (let i = blocks.starts[block]!; i < blocks.starts[block + 1]!; i++) {
      const answer = (blocks.right[i]! * items + blocks.item[i]!) * NODES;
      const slot = blocks.item[i]! % ITEMS_IN_BLOCK;
      for (let s = 0; s < others.length; s++) {
        if (!occurs[r * others.length + s]) continue;
        const row = (r * others.length + s) * NODES;
        const place = (slot * others.length + s) * NODES;
        for (let q = 0; q < NODES; q++) half[place + q]! += residual[answer + q]! * sums[row + q]!;
      }
    }
  }
  const byNode = new Float64Array(ITEMS_IN_BLOCK * ITEMS_IN_BLOCK * NODES);
  for (const [s, block] of others.entries()) {
    for (let i = blocks.starts[block]!; i < blocks.starts[block + 1]!; i++) {
      const answer = (blocks.right[i]! * items + blocks.item[i]!) * NODES;
      const slot = blocks.item[i]! % ITEMS_IN_BLOCK;
      for (let a = 0; a < ITEMS_IN_BLOCK; a++) {
        const row = (a * others.length + s) * NODES;
        const place = (a * ITEMS_IN_BLOCK + slot) * NODES;
        for (let q = 0; q < NODES; q++) byNode[place + q]! += residual[answer + q]! * half[row + q]!;
      }
    }
  }
  return byNode;
}

/** Adds a pair of items to the lower triangle, for all of their parameters. */
function addPair(
  matrix: Float64Array,
  items: number,
  j: number,
  k: number,
  byNode: Float64Array,
  start: number,
  { kinds, factor }: Derivatives,
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

const groupOf = (blocks: Blocks, block: number) =>
  Math.floor(blocks.item[blocks.starts[block]!]! / ITEMS_IN_BLOCK);

/** The pair of groups that a part is about, the second not behind the first. */
function groupPair(part: number): [number, number] {
  let group = 0;
  let before = 0;
  while (before + group + 1 <= part) before += ++group;
  return [group, part - before];
}

/** The blocks of each group, and the place of each block among those. */
function ranksOf(blocks: Blocks): { members: number[][]; of: Uint32Array } {
  const members: number[][] = [];
  const of = new Uint32Array(blocks.count);
  for (let b = 0; b < blocks.count; b++) {
    const group = groupOf(blocks, b);
    members[group] ??= [];
    of[b] = members[group].push(b) - 1;
  }
  return { members, of };
}
