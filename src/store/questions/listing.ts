/** Pages of questions by their facets, found through the index: see positions.ts. */
import type { QuestionFilter } from '../../schemas/question.ts';
import type { Db } from '../db.ts';
import { readSet, readStamp, recallSelection, type Stamp, sameStamp, select } from '../index/positions.ts';
import { type Order, pendingMarks, sets } from '../index/postings.ts';
import { SlotSet } from '../index/slots.ts';
import { categoriesByKey } from './categories.ts';
import { facet, nameKey } from './facets.ts';
import { fetchItems, type ListArgs, type Page, SLOT_COLUMN } from './pages.ts';

/** Counts from the end where the order is descending: the set itself is always ascending. */
function choose(slots: SlotSet, args: ListArgs): { offset: number; chosen: number[] } {
  const { start, limit, descending } = args;
  const { total } = slots;
  const offset =
    'offset' in start
      ? start.offset
      : descending
        ? total - slots.rank(start.slot)
        : slots.rank(start.slot + 1);
  if (!descending) return { offset, chosen: slots.slice(offset, limit) };
  const end = Math.max(0, total - offset);
  const begin = Math.max(0, end - limit);
  return { offset, chosen: slots.slice(begin, end - begin) };
}

/** Whether the page costs more than a look at the index: it counts matches, or looks up what moved since a moment. */
export const mayTakeLong = ({ filter, order }: ListArgs) =>
  filter.q !== undefined || (filter.updated_since !== undefined && order === 'created');

/** A page, and the state of the bank that it is the page of. */
interface StampedPage {
  stamp: Stamp;
  page: Page;
  /** The database's version then, where it has one: cheaper to compare. */
  version?: number | undefined;
}

/** Larger pages than this are put together anew each time. */
const MOST_KEPT = 128 * 1024;

export async function listQuestions(db: Db, args: ListArgs): Promise<Page> {
  const { view, filter, order, descending, limit, start } = args;
  const key = `page: ${JSON.stringify([view, order, descending, limit, start, filter])}`;
  const known = db.cache.get<StampedPage>(key);
  const version = db.version();
  if (known && version !== undefined && known.version === version) return known.page;
  if (known && sameStamp(known.stamp, await readStamp(db))) {
    known.version = version;
    return known.page;
  }
  const found = (await pageFromMemory(db, args)) ?? (await db.snapshot((tx) => pageFromIndex(tx, args)));
  if (found.page.items.length <= MOST_KEPT)
    db.cache.set(key, { ...found, version }, 2 * found.page.items.length);
  return found.page;
}

const CATEGORIES = 'categories';
type RememberedCategories = { stamp: Stamp; ids: Map<string, number> };

/** One statement: the page as remembered, if the index has not changed since. */
async function pageFromMemory(db: Db, args: ListArgs): Promise<StampedPage | undefined> {
  if (args.filter.updated_since !== undefined || args.filter.external_id !== undefined) return undefined;
  const categories = db.cache.get<RememberedCategories>(CATEGORIES);
  const facets = categories && facetsFor(args.filter, categories.ids);
  const known = facets && recallSelection(db, args.order, facets);
  if (!known || !sameStamp(known.stamp, categories.stamp)) return undefined;
  const { offset, chosen } = choose(known.slots, args);
  const { stamp, ...page } = await fetchItems(db, args, chosen);
  if (!sameStamp(stamp, known.stamp)) return undefined;
  return { stamp, page: { ...page, total: known.slots.total, offset } };
}

async function pageFromIndex(db: Db, args: ListArgs): Promise<StampedPage> {
  const stamp = await readStamp(db);
  const slots = await matching(db, stamp, args);
  const { offset, chosen } = choose(slots, args);
  const { stamp: _, ...page } = await fetchItems(db, args, chosen);
  return { stamp, page: { ...page, total: slots.total, offset } };
}

/** Where all questions that the filter selects were created. Call it within a snapshot. */
export async function matchingSlots(db: Db, filter: QuestionFilter): Promise<SlotSet> {
  return matching(db, await readStamp(db), { filter, order: 'created' });
}

/** Which questions, in which order. */
type Criteria = Pick<ListArgs, 'filter' | 'order'>;

async function matching(db: Db, stamp: Stamp, criteria: Criteria): Promise<SlotSet> {
  const facets = facetsFor(criteria.filter, await categoryIds(db, stamp));
  return facets ? narrowed(db, stamp, criteria, facets) : new SlotSet([]);
}

async function categoryIds(db: Db, stamp: Stamp): Promise<Map<string, number>> {
  const known = db.cache.get<RememberedCategories>(CATEGORIES);
  if (known && sameStamp(known.stamp, stamp)) return known.ids;
  const ids = new Map([...(await categoriesByKey(db)).values()].map(({ name_key, id }) => [name_key, id]));
  db.cache.set(CATEGORIES, { stamp, ids }, ids.size * 100);
  return ids;
}

/** The facets a question must stand in; nothing if no question can. */
export function facetsFor(filter: QuestionFilter, categories: Map<string, number>): string[] | undefined {
  const { category, difficulty, topic_focus, tag = [] } = filter;
  const facets = [...tag].map(facet.tag);
  if (topic_focus !== undefined) facets.push(facet.topic(topic_focus));
  if (category !== undefined) {
    const id = categories.get(nameKey(category));
    if (id === undefined) return undefined;
    facets.push(difficulty === undefined ? facet.category(id) : facet.both(id, difficulty));
  } else if (difficulty !== undefined) {
    facets.push(facet.difficulty(difficulty));
  }
  return facets.length > 0 ? facets : [facet.all];
}

/** Narrows the facets' slots by what is no facet: an external_id, a moment. */
async function narrowed(db: Db, stamp: Stamp, args: Criteria, facets: string[]): Promise<SlotSet> {
  let slots = await select(db, stamp, args.order, facets);
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

export async function slotOfExternalId(db: Db, order: Order, externalId: string): Promise<number[]> {
  const rows = await db.all<{ slot: number }>(
    `SELECT ${SLOT_COLUMN[order]} AS slot FROM questions WHERE external_id = $1`,
    externalId,
  );
  return rows.map(({ slot }) => slot);
}

/** The order of update slots is the order of time, so a moment is a slot. */
export async function firstSlotSince(db: Db, moment: string): Promise<number | undefined> {
  const row = await db.get<{ updated_slot: number }>(
    'SELECT updated_slot FROM questions WHERE updated_at >= $1 ORDER BY updated_at, updated_slot LIMIT 1',
    Math.ceil(Date.parse(moment)),
  );
  return row?.updated_slot;
}

/**
 * Where questions were created that were created before the slot and updated since. What was created since stands
 * behind the slot in either order; so only questions that moved have to be looked up.
 */
async function movedSince(db: Db, stamp: Stamp, first: number): Promise<SlotSet> {
  const name = sets.moved(facet.all);
  const pending = stamp.pending > 0 ? await pendingMarks(db, [name]) : undefined;
  const moved = (await readSet(db, stamp, name, pending)).from(first);
  const rows = await db.all<{ created_slot: number }>(
    `SELECT created_slot FROM questions
     WHERE updated_slot IN (SELECT CAST(value AS bigint) FROM ${db.dialect.each('$1')}) AND created_slot < $2`,
    JSON.stringify(moved.slice(0, moved.total)),
    first,
  );
  return SlotSet.of(rows.map(({ created_slot }) => created_slot));
}
