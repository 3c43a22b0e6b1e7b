/**
 * Lists questions in a random order, which a seed determines. The order is a permutation of the
 * slots below a bound (bits/permutation.ts), so a page needs no state but its first position: no
 * question comes twice, whatever is created or deleted between two pages. The permutation depends
 * on the bank's own key: with a public one, the order would disclose slot numbers, and so how much
 * was written between two questions.
 */
import { type Db, defineQuery } from '../db.ts';
import { readBound } from './bound.ts';
import { matchingSlots } from './listing.ts';
import { choosePage, type ListArgs, readCursorKey, type StoredPageItems } from './pages.ts';
import { buildOrder, findFrom } from './random-order.ts';
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
