/**
 * Full-text search. The facets that are terms of the index too are part of the query; by the others,
 * the matches are selected as sets of slots.
 */
import type { QuestionFilter } from '../../schemas/question-filter.ts';
import { type Db, defineQuery } from '../db.ts';
import { readStamp, type Selector, type Stamp, sameStamp, select } from '../index/positions.ts';
import type { SetOrder } from '../index/postings.ts';
import { SlotSet } from '../index/slots.ts';
import type { View } from '../view.ts';
import { firstSlotSince, readSelector, SELECT_ALL, slotOfExternalId } from './criteria.ts';
import type { DeletedRow } from './deleted.ts';
import { facet, isTermFacet, term } from './facets.ts';
import { findingSlots } from './finding-filter.ts';
import { choosePage, fetchPage, findRange, type ListArgs, type Page } from './pages.ts';
import type { QuestionCriteria } from './question-criteria.ts';
import { rankByRelevance } from './relevance.ts';
import { parseSearch, termsFor } from './search-words.ts';

/** Matches that are ranked by relevance. Those beyond follow in the list's order. */
const MAX_RANKED = 1000;

/** A search for more words, or for a prefix, may take so long that it has to be ended. */
const MAX_CHEAP_WORDS = 4;

/** A page of the matches of `q`. May take long: every match is counted. */
export const searchQuestions = defineQuery('searchQuestions', (db: Db, args: ListArgs): Promise<Page> => {
  return db.snapshot(async (tx) => {
    const { start, limit, descending } = args;
    const matches = await findMatches(tx, args);
    const total = await matches.count();
    if (total === 0) return emptyPage(args);
    const offset = 'offset' in start ? start.offset : await matches.countUpTo(start.slot, descending);
    const slotsFrom = (from: number, limit: number) => matches.read({ total, descending, from, limit });
    if (args.byRelevance) {
      const ranked =
        offset < MAX_RANKED
          ? await rankByRelevance(tx, { ...args, q: args.filter.q! }, await slotsFrom(0, MAX_RANKED))
          : [];
      const best = ranked.slice(offset, offset + limit);
      const unranked = await slotsFrom(Math.max(offset, MAX_RANKED), limit - best.length);
      return { ...(await choosePage(tx, args, [...best, ...unranked])), total, offset, last: undefined };
    }
    return { ...(await fetchPage(tx, args, await slotsFrom(offset, limit))), total, offset };
  });
});

type Criteria = { filter: QuestionCriteria; view: View };

/** Counts the matches of `q`. Runs within a snapshot. */
export async function countSearched(db: Db, criteria: Criteria): Promise<number> {
  return (await findMatches(db, { ...criteria, order: 'created' })).count();
}

/** The slots of all matches of `q` and the other criteria. Runs within a snapshot. */
export async function searchedSlots(
  db: Db,
  criteria: Criteria & Partial<Pick<ListArgs, 'order'>>,
): Promise<SlotSet> {
  return (await findMatches(db, { order: 'created', ...criteria })).slots();
}

const emptyPage = ({ start }: ListArgs): Page => ({
  items: '',
  n: 0,
  total: 0,
  offset: 'offset' in start ? start.offset : 0,
  last: undefined,
});

interface Range {
  total: number;
  descending: boolean;
  from: number;
  limit: number;
}

interface Matches {
  count(): Promise<number>;
  /** Counts the matches up to and including the slot, in the list's order. */
  countUpTo(slot: number, descending: boolean): Promise<number>;
  /** Reads the slots of a range of the list, ascending. */
  read(range: Range): Promise<number[]>;
  slots(): Promise<SlotSet>;
}

async function findMatches(db: Db, args: Pick<ListArgs, 'filter' | 'view' | 'order'>): Promise<Matches> {
  const { terms, others } = splitSelector(await readSelector(db, args.filter));
  const condition = await addOtherCriteria(db, args, buildCondition(db, args, terms));
  const stamp = await readStamp(db);
  const found = await findingSlots(db, stamp, args.order, args.filter);
  if (!others && !found) {
    return {
      count: () => countCached(db, condition),
      countUpTo: (slot, descending) => countUpTo(db, condition, slot, descending),
      read: (range) => readRange(db, condition, range),
      slots: () => readSlots(db, condition),
    };
  }
  const parts = [await readSlots(db, condition)];
  if (others) parts.push(await select(db, stamp, args.order, others));
  if (found) parts.push(found);
  return toMatches(SlotSet.intersection(parts));
}

const toMatches = (slots: SlotSet): Matches => ({
  count: async () => slots.total,
  countUpTo: async (slot, descending) => findRange(slots, { start: { slot }, limit: 0, descending }).offset,
  read: async ({ from, limit, descending }) =>
    findRange(slots, { start: { offset: from }, limit, descending }).chosen,
  slots: async () => slots,
});

/** Separates the facets that the full-text index has from the others, if there are any. */
function splitSelector({ all, none }: Selector): { terms: Selector; others: Selector | undefined } {
  const isTerms = (choice: string[]) => choice.every(isTermFacet);
  const terms = { all: all.filter(isTerms), none: none.filter(isTermFacet) };
  const rest = {
    all: all.filter((choice) => !isTerms(choice) && !choice.includes(facet.all)),
    none: none.filter((name) => !isTermFacet(name)),
  };
  if (rest.all.length === 0 && rest.none.length === 0) return { terms, others: undefined };
  return { terms, others: rest.all.length > 0 ? rest : { ...SELECT_ALL, none: rest.none } };
}

/** A condition on rows of `search`, with its parameters. */
interface Condition {
  where: string;
  params: (string | number)[];
}

/** The slots of all matches of words alone, in an order. Runs within a snapshot. */
export function searchWords(
  db: Db,
  { q, view, order }: { q: string; view: View; order: SetOrder },
): Promise<SlotSet> {
  return readSlots(db, buildCondition(db, { filter: { q }, view, order }, { all: [], none: [] }));
}

/** The slots of the deleted questions that match the filter. Runs within a snapshot. */
export async function deletedSlots(db: Db, { filter, view }: Criteria): Promise<SlotSet> {
  const stamp = await readStamp(db);
  let slots = await select(db, stamp, 'deleted', await readSelector(db, filter));
  const { q, external_id, updated_since } = filter;
  if (q !== undefined)
    slots = SlotSet.intersection([slots, await searchWords(db, { q, view, order: 'deleted' })]);
  if (external_id !== undefined) {
    const rows = await db.all<Pick<DeletedRow, 'deleted_slot'>>(
      'SELECT deleted_slot FROM deleted_questions WHERE external_id = $1 ORDER BY deleted_slot',
      external_id,
    );
    slots = SlotSet.intersection([slots, SlotSet.of(rows.map(({ deleted_slot }) => deleted_slot))]);
  }
  if (updated_since !== undefined) {
    const first = await db.get<Pick<DeletedRow, 'deleted_slot'>>(
      'SELECT deleted_slot FROM deleted_questions WHERE deleted_at >= $1 ORDER BY deleted_at, deleted_slot LIMIT 1',
      Math.ceil(Date.parse(updated_since)),
    );
    slots = first ? slots.from(first.deleted_slot) : new SlotSet([]);
  }
  return slots;
}

/** Reads the slots of all matches, and caches them until something is written. */
async function readSlots(db: Db, { where, params }: Condition): Promise<SlotSet> {
  const stamp = await readStamp(db);
  const key = `slots: ${where} ${JSON.stringify(params)}`;
  const known = db.cache.get<{ stamp: Stamp; slots: SlotSet }>(key);
  if (known && sameStamp(known.stamp, stamp)) return known.slots;
  // One text is decoded faster than a row for each match.
  const row = await db.get<{ slots: string | null }>(
    `SELECT string_agg(CAST(${db.dialect.slotColumn} AS text), ',') AS slots FROM search WHERE ${where}`,
    ...params,
  );
  const numbers: number[] = JSON.parse(`[${row!.slots ?? ''}]`);
  const slots = SlotSet.of(numbers.sort((a, b) => a - b));
  db.cache.set(key, { stamp, slots }, slots.bytes);
  return slots;
}

/** Counts matches, which is most of the work of a search. Cached until something is written. */
async function countCached(db: Db, condition: Condition): Promise<number> {
  const stamp = await readStamp(db);
  const key = `total: ${condition.where} ${JSON.stringify(condition.params)}`;
  const known = db.cache.get<{ stamp: Stamp; total: number }>(key);
  if (known && sameStamp(known.stamp, stamp)) return known.total;
  const total = await countMatches(db, condition);
  db.cache.set(key, { stamp, total }, 0);
  return total;
}

async function countMatches(db: Db, { where, params }: Condition): Promise<number> {
  return (await db.get<{ n: number }>(`SELECT count(*) AS n FROM search WHERE ${where}`, ...params))!.n;
}

function countUpTo(db: Db, { where, params }: Condition, slot: number, descending: boolean): Promise<number> {
  const bound = `${db.dialect.slotColumn} ${descending ? '>=' : '<='} ${asInteger(`$${params.length + 1}`)}`;
  return countMatches(db, { where: `${where} AND ${bound}`, params: [...params, slot] });
}

/** Scans from the nearer end. */
async function readRange(db: Db, { where, params }: Condition, range: Range): Promise<number[]> {
  const { total, descending, from, limit } = range;
  const take = Math.min(limit, total - from);
  if (take <= 0) return [];
  const backwards = from > total / 2;
  const skip = backwards ? total - from - take : from;
  const slot = db.dialect.slotColumn;
  const rows = await db.all<{ slot: number }>(
    `SELECT ${slot} AS slot FROM search WHERE ${where}
     ORDER BY ${slot} ${descending !== backwards ? 'DESC' : 'ASC'}
     LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
    ...params,
    take,
    skip,
  );
  return rows.map((row) => row.slot).sort((a, b) => a - b);
}

/** node:sqlite binds numbers as floating point, which FTS5 does not compare with row ids. */
const asInteger = (param: string) => `CAST(${param} AS bigint)`;

/** The entries of a question that an order excludes. */
const EXCLUDED: Record<SetOrder, string> = {
  created: term.notFirst,
  updated: term.notLast,
  deleted: term.never,
};

/** Matches the words of `q`, and facets that are terms. */
function buildCondition(
  db: Db,
  { filter, view, order }: { filter: Pick<QuestionFilter, 'q'>; view: View; order: SetOrder },
  { all, none }: Selector,
): Condition {
  const words = parseSearch(filter.q!);
  const toTerm = order === 'deleted' ? term.deleted : (each: string) => each;
  const choices = [...termsFor(words, view), ...all.map((choice) => choice.map(term.facet))];
  const expression = db.dialect.matchExpression({
    any: [choices.map((choice) => choice.map(toTerm))],
    none: [EXCLUDED[order], ...none.map((name) => toTerm(term.facet(name)))],
  });
  const isCheap = words.length <= MAX_CHEAP_WORDS && !words.some(({ isPrefix }) => isPrefix);
  // The second condition costs about half of a cheap search, which needs no limit.
  const within = isCheap ? '' : ` AND ${db.dialect.withinDeadline}`;
  return { where: db.dialect.matches('$1') + within, params: [expression] };
}

/** Adds external_id and updated_since. */
async function addOtherCriteria(
  db: Db,
  { filter: { external_id, updated_since }, order }: Pick<ListArgs, 'filter' | 'order'>,
  condition: Condition,
): Promise<Condition> {
  const params = [...condition.params];
  let { where } = condition;
  const slot = `search.${db.dialect.slotColumn}`;
  if (external_id !== undefined) {
    const [only = -1] = await slotOfExternalId(db, order, external_id);
    params.push(only);
    where += ` AND ${slot} = ${asInteger(`$${params.length}`)}`;
  }
  if (updated_since !== undefined) {
    params.push((await firstSlotSince(db, updated_since)) ?? Number.MAX_SAFE_INTEGER);
    where +=
      order === 'updated'
        ? ` AND ${slot} >= ${asInteger(`$${params.length}`)}`
        : ` AND EXISTS (SELECT 1 FROM questions q WHERE q.created_slot = ${slot} AND q.updated_slot >= $${params.length})`;
  }
  return { where, params };
}
