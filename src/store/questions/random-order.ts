/** The random order of a seed: a permutation of slots, specified in docs/delivery.md. */
import { createHmac } from 'node:crypto';
import { Permutation } from '../../bits/permutation.ts';
import type { SlotSet } from '../index/slots.ts';

/** A smaller permutation would be less uniform. */
const MIN_BITS = 16;

/**
 * The permutation of a seed. Its size is a power of two: a bank that grows keeps the order of its
 * questions until the number of slots exceeds the next one.
 */
export function buildOrder(bankKey: string, seed: string, bound: number): Permutation {
  const digest = createHmac('sha256', Buffer.from(bankKey, 'hex')).update(`random order ${seed}`).digest();
  const keys = Uint32Array.from({ length: digest.length / 4 }, (_, i) => digest.readUInt32BE(4 * i));
  return new Permutation(keys, Math.max(MIN_BITS, (bound - 1).toString(2).length));
}

/** The first positions from `from` on whose slots are in the set and below the bound, ascending. */
export function findFrom(
  slots: SlotSet,
  order: Permutation,
  { bound, from, limit }: { bound: number; from: number; limit: number },
): number[] {
  const total = slots.rank(bound);
  const expectedSteps = (limit * order.size) / total;
  return expectedSteps < SORTING_STEPS * total
    ? walk(slots, order, { bound, from, limit })
    : sortPositions(slots.slice(0, total), order, from).slice(0, limit);
}

/** The cost of computing and sorting a position, in steps of a walk. */
const SORTING_STEPS = 3;

function walk(
  slots: SlotSet,
  order: Permutation,
  { bound, from, limit }: { bound: number; from: number; limit: number },
): number[] {
  const isMatching = slots.tester();
  const found: number[] = [];
  for (let position = from; position < order.size && found.length < limit; position++) {
    const slot = order.at(position);
    if (slot < bound && isMatching(slot)) found.push(position);
  }
  return found;
}

/** For a filter with few matches: the positions of all of them. */
function sortPositions(slots: number[], order: Permutation, from: number): number[] {
  const positions = Float64Array.from(slots, (slot) => order.positionOf(slot)).sort();
  const first = positions.findIndex((position) => position >= from);
  return first < 0 ? [] : [...positions.subarray(first)];
}
