/**
 * Lists questions in a random order, which a seed determines. The order is a permutation of the
 * slots below a bound (bits/permutation.ts), so a page needs no state but its first position: no
 * question comes twice, whatever is created or deleted between two pages. The permutation depends
 * on the bank's own key: with a public one, the order would disclose slot numbers, and so how much
 * was written between two questions.
 */
import { createHmac } from 'node:crypto';
import { Permutation } from '../../bits/permutation.ts';
import { type Db, defineQuery } from '../db.ts';
import type { SlotSet } from '../index/slots.ts';
import { matchingSlots } from './listing.ts';
import { choosePage, type ListArgs, readCursorKey, type StoredPageItems } from './pages.ts';
import { searchedSlots } from './search.ts';

/** Where a page of a random order starts. */
export interface RandomStart {
  position: number;
  /** Slots from here on were not allocated when the first page was read. */
  bound: number;
  /** The number of items on the pages before. */
  sent: number;
}

export interface RandomListArgs extends Omit<ListArgs, 'start' | 'descending' | 'byRelevance' | 'deleted'> {
  seed: string;
  /** Undefined for the first page. */
  start: RandomStart | undefined;
}

export interface RandomPage extends StoredPageItems {
  total: number;
  offset: number;
  /** The start of the next page; undefined after the last one. */
  next: RandomStart | undefined;
}

/** A smaller permutation would be less uniform. */
const MIN_BITS = 16;

export const listRandom = defineQuery(
  'listRandom',
  (db: Db, args: RandomListArgs): Promise<RandomPage> =>
    db.snapshot(async (tx) => {
      const { filter, view, seed, start, limit } = args;
      const slots =
        filter.q === undefined ? await matchingSlots(tx, filter) : await searchedSlots(tx, { filter, view });
      const bound = start?.bound ?? (await readBound(tx));
      const order = buildOrder(await readCursorKey(tx), seed, bound);
      // One more than the page has, to know whether another page follows.
      const found = findFrom(slots, order, { bound, from: start?.position ?? 0, limit: limit + 1 });
      const shown = found.slice(0, limit).map((position) => order.at(position));
      const page = await choosePage(tx, args, shown);
      const offset = start?.sent ?? 0;
      const position = found[page.n];
      const next = position === undefined ? undefined : { position, bound, sent: offset + page.n };
      return { ...page, total: slots.rank(bound), offset, next };
    }),
);

async function readBound(db: Db): Promise<number> {
  const row = await db.get<{ last: number | null }>('SELECT max(created_slot) AS last FROM questions');
  return (row!.last ?? 0) + 1;
}

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
