/** Lists questions by facets, through the index (index/positions.ts). */

import { type Db, defineQuery } from '../db.ts';
import {
  findCachedSelection,
  readSet,
  readStamp,
  type Stamp,
  sameStamp,
  select,
} from '../index/positions.ts';
import { type Order, readPendingMarks, sets } from '../index/postings.ts';
import { SlotSet } from '../index/slots.ts';
import { categoriesByKey } from './categories.ts';
import { buildSelector, firstSlotSince, requireSelector, slotOfExternalId } from './criteria.ts';
import { facet } from './facets.ts';
import { findingSlots } from './finding-filter.ts';
import { fetchPage, fetchWhole, findRange, type ListArgs, type Page } from './pages.ts';
import type { QuestionCriteria } from './question-criteria.ts';
import { isStored } from './stored-items.ts';

/**
 * Whether the list may take long: it counts matches of a search, or looks up questions by the time
 * of their update, or deleted ones.
 */
export const mayTakeLong = ({ filter, order, deleted }: ListArgs) =>
  deleted !== undefined ||
  filter.q !== undefined ||
  filter.finding !== undefined ||
  (filter.updated_since !== undefined && order === 'created');

/** A page with the state of the index that it is the page of. */
interface StampedPage {
  stamp: Stamp;
  page: Page;
  /** The database's version at that time, where it has one: cheaper to compare than the stamp. */
  version?: number | undefined;
}

const MAX_CACHED_PAGE_BYTES = 128 * 1024;

export const listQuestions = defineQuery('listQuestions', async (db: Db, args: ListArgs): Promise<Page> => {
  const { view, filter, order, descending, limit, start } = args;
  // What runs found changes without a change of the index.
  if (filter.finding !== undefined) return (await db.snapshot((tx) => pageFromIndex(tx, args))).page;
  const key = `page: ${JSON.stringify([view, order, descending, limit, start, filter])}`;
  const known = db.cache.get<StampedPage>(key);
  const version = db.version();
  if (known && version !== undefined && known.version === version) return known.page;
  if (known && sameStamp(known.stamp, await readStamp(db))) {
    known.version = version;
    return known.page;
  }
  const found = (await pageFromCache(db, args)) ?? (await db.snapshot((tx) => pageFromIndex(tx, args)));
  const { items } = found.page;
  if (!isStored(items) && items.length <= MAX_CACHED_PAGE_BYTES)
    db.cache.set(key, { ...found, version }, 2 * items.length);
  return found.page;
});

const CATEGORY_IDS = 'category ids';
type CachedCategoryIds = { stamp: Stamp; ids: Map<string, number> };

/**
 * Fetches the page that the cached index gives, in one statement; undefined if the index has
 * changed or the page is too large.
 */
async function pageFromCache(db: Db, args: ListArgs): Promise<StampedPage | undefined> {
  if (args.filter.updated_since !== undefined || args.filter.external_id !== undefined) return undefined;
  const categories = db.cache.get<CachedCategoryIds>(CATEGORY_IDS);
  const selector = categories && buildSelector(args.filter, categories.ids);
  const known = selector && findCachedSelection(db, args.order, selector);
  if (!known || !sameStamp(known.stamp, categories.stamp)) return undefined;
  const { offset, chosen } = findRange(known.slots, args);
  const { stamp, page } = await fetchWhole(db, args, chosen);
  if (!page || !sameStamp(stamp, known.stamp)) return undefined;
  return { stamp, page: { ...page, total: known.slots.total, offset } };
}

async function pageFromIndex(db: Db, args: ListArgs): Promise<StampedPage> {
  const stamp = await readStamp(db);
  const slots = await matching(db, stamp, args);
  const { offset, chosen } = findRange(slots, args);
  return { stamp, page: { ...(await fetchPage(db, args, chosen)), total: slots.total, offset } };
}

/** The slots of all questions that match the filter. Runs within a snapshot. */
export async function matchingSlots(
  db: Db,
  filter: QuestionCriteria,
  order: Order = 'created',
): Promise<SlotSet> {
  return matching(db, await readStamp(db), { filter, order });
}

type Criteria = Pick<ListArgs, 'filter' | 'order'>;

async function matching(db: Db, stamp: Stamp, criteria: Criteria): Promise<SlotSet> {
  const selector = await requireSelector(db, criteria.filter, await readCategoryIds(db, stamp));
  const slots = await select(db, stamp, criteria.order, selector);
  const found = await findingSlots(db, stamp, criteria.order, criteria.filter);
  const selected = found ? SlotSet.intersection([slots, found]) : slots;
  return applyOtherCriteria(db, stamp, criteria, selected);
}

async function readCategoryIds(db: Db, stamp: Stamp): Promise<Map<string, number>> {
  const known = db.cache.get<CachedCategoryIds>(CATEGORY_IDS);
  if (known && sameStamp(known.stamp, stamp)) return known.ids;
  const ids = new Map([...(await categoriesByKey(db)).values()].map(({ name_key, id }) => [name_key, id]));
  db.cache.set(CATEGORY_IDS, { stamp, ids }, ids.size * 100);
  return ids;
}

/** Applies the criteria that are not facets: external_id and updated_since. */
async function applyOtherCriteria(db: Db, stamp: Stamp, args: Criteria, selected: SlotSet): Promise<SlotSet> {
  let slots = selected;
  const { external_id, updated_since } = args.filter;
  if (external_id !== undefined) {
    slots = SlotSet.intersection([slots, SlotSet.of(await slotOfExternalId(db, args.order, external_id))]);
  }
  if (updated_since !== undefined) {
    const first = await firstSlotSince(db, updated_since);
    if (first === undefined) return new SlotSet([]);
    slots =
      args.order === 'updated'
        ? slots.from(first)
        : SlotSet.union(slots.from(first), SlotSet.intersection([slots, await movedSince(db, stamp, first)]));
  }
  return slots;
}

/** The created slots of questions that were created before the slot and updated since. */
async function movedSince(db: Db, stamp: Stamp, first: number): Promise<SlotSet> {
  const name = sets.moved(facet.all);
  const pending = stamp.pending > 0 ? await readPendingMarks(db, [name]) : undefined;
  const moved = (await readSet(db, stamp, name, pending)).from(first);
  const rows = await db.all<{ created_slot: number }>(
    `SELECT created_slot FROM questions
     WHERE updated_slot IN ${db.dialect.values('$1', 'bigint')} AND created_slot < $2`,
    JSON.stringify(moved.slice(0, moved.total)),
    first,
  );
  return SlotSet.of(rows.map(({ created_slot }) => created_slot));
}
