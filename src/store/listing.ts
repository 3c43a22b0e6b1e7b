/** Pages of questions: filtered by facets from the index (positions.ts), or by words from the engine's full text. */
import type { QuestionFilter } from '../schemas/question.ts';
import { categoriesByKey } from './categories.ts';
import type { Db } from './db.ts';
import { facet, nameKey, term } from './facets.ts';
import { readSet, recallSelection, STAMP, type Stamp, sameStamp, select } from './positions.ts';
import { type Order, pendingMarks, sets } from './postings.ts';
import { rankByRelevance } from './relevance.ts';
import { SlotSet } from './slots.ts';
import { wordsOf } from './words.ts';

export interface ListArgs {
  filter: QuestionFilter;
  order: Order;
  descending: boolean;
  /** Best matches first, for a search. */
  byRelevance: boolean;
  limit: number;
  /** Where to begin: after so many, or behind this slot. */
  start: { offset: number } | { slot: number };
}

export interface Page {
  /** The questions as JSON texts, with commas between them: what a list sends is put together once, by the database. */
  items: string;
  /** How many they are. */
  n: number;
  total: number;
  offset: number;
  /** The slot of the last item, for a cursor. */
  last: number | undefined;
}

const SLOT_COLUMN = { created: 'seq', updated: 'touch' } as const;

/** A question as `bodyOf` in question-row.ts would write it. */
const BODY = `'{"id":"' || q.id || '","category":' || c.name_json || ',' || q.rest`;

/** The questions at the slots of a parameter; none where there is none at a slot. */
const questionsAt = (db: Db, order: Order, joined = '') =>
  `(SELECT CAST(value AS bigint) AS slot FROM ${db.dialect.each('$1')}) v ${joined}
   LEFT JOIN questions q ON q.${SLOT_COLUMN[order]} = v.slot
   LEFT JOIN categories c ON c.id = q.category_id`;

/** The questions at these slots, which are in ascending order, and the stamp of the state they were read in. */
async function fetchItems(db: Db, order: Order, descending: boolean, slots: number[]) {
  const row = await db.get<Stamp & { n: number; items: string | null }>(
    `SELECT s.epoch, s.pending, count(q.id) AS n,
            string_agg(${BODY}, ',' ORDER BY v.slot ${descending ? 'DESC' : 'ASC'}) AS items
     FROM ${STAMP} s LEFT JOIN ${questionsAt(db, order, 'ON true')}
     GROUP BY s.epoch, s.pending`,
    JSON.stringify(slots),
  );
  const { epoch, pending, n, items } = row!;
  return { stamp: { epoch, pending }, n, items: items ?? '', last: descending ? slots[0] : slots.at(-1) };
}

/** The same one by one, for ranking. */
async function fetchEach(db: Db, order: Order, slots: number[]): Promise<string[]> {
  const rows = await db.all<{ body: string }>(
    `SELECT ${BODY} AS body FROM ${questionsAt(db, order)} WHERE q.id IS NOT NULL ORDER BY v.slot`,
    JSON.stringify(slots),
  );
  return rows.map(({ body }) => body);
}

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

export async function listQuestions(db: Db, args: ListArgs): Promise<Page> {
  return (await pageFromMemory(db, args)) ?? db.snapshot((tx) => pageFromIndex(tx, args));
}

const CATEGORIES = 'categories';
type RememberedCategories = { stamp: Stamp; ids: Map<string, number> };

/** One statement: the page as remembered, if the index has not changed since. */
async function pageFromMemory(db: Db, args: ListArgs): Promise<Page | undefined> {
  if (args.filter.updated_since !== undefined || args.filter.external_id !== undefined) return undefined;
  const categories = db.memory.get<RememberedCategories>(CATEGORIES);
  const facets = categories && facetsFor(args.filter, categories.ids);
  const known = facets && recallSelection(db, args.order, facets);
  if (!known || !sameStamp(known.stamp, categories.stamp)) return undefined;
  const { offset, chosen } = choose(known.slots, args);
  const { stamp, ...page } = await fetchItems(db, args.order, args.descending, chosen);
  return sameStamp(stamp, known.stamp) ? { ...page, total: known.slots.total, offset } : undefined;
}

async function pageFromIndex(db: Db, args: ListArgs): Promise<Page> {
  const stamp = (await db.get<Stamp>(`SELECT * FROM ${STAMP} s`))!;
  const facets = facetsFor(args.filter, await categoryIds(db, stamp));
  const slots = facets ? await narrowed(db, stamp, args, facets) : new SlotSet([]);
  const { offset, chosen } = choose(slots, args);
  const { stamp: _, ...page } = await fetchItems(db, args.order, args.descending, chosen);
  return { ...page, total: slots.total, offset };
}

async function categoryIds(db: Db, stamp: Stamp): Promise<Map<string, number>> {
  const known = db.memory.get<RememberedCategories>(CATEGORIES);
  if (known && sameStamp(known.stamp, stamp)) return known.ids;
  const ids = new Map([...(await categoriesByKey(db)).values()].map(({ name_key, id }) => [name_key, id]));
  db.memory.set(CATEGORIES, { stamp, ids }, ids.size * 100);
  return ids;
}

/** The facets a question must stand in; nothing if no question can. */
function facetsFor(filter: QuestionFilter, categories: Map<string, number>): string[] | undefined {
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
async function narrowed(db: Db, stamp: Stamp, args: ListArgs, facets: string[]): Promise<SlotSet> {
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

async function slotOfExternalId(db: Db, order: Order, externalId: string): Promise<number[]> {
  const rows = await db.all<{ slot: number }>(
    `SELECT ${SLOT_COLUMN[order]} AS slot FROM questions WHERE external_id = $1`,
    externalId,
  );
  return rows.map(({ slot }) => slot);
}

/** The order of update slots is the order of time, so a moment is a slot. */
async function firstSlotSince(db: Db, moment: string): Promise<number | undefined> {
  const row = await db.get<{ touch: number }>(
    'SELECT touch FROM questions WHERE updated_at >= $1 ORDER BY updated_at, touch LIMIT 1',
    Math.ceil(Date.parse(moment)),
  );
  return row?.touch;
}

/**
 * Where questions were created that were created before the slot and updated since. What was created since stands
 * behind the slot in either order; so only questions that moved have to be looked up.
 */
async function movedSince(db: Db, stamp: Stamp, first: number): Promise<SlotSet> {
  const name = sets.moved(facet.all);
  const pending = stamp.pending > 0 ? await pendingMarks(db, [name]) : undefined;
  const moved = (await readSet(db, stamp, name, pending)).from(first);
  const rows = await db.all<{ seq: number }>(
    `SELECT seq FROM questions
     WHERE touch IN (SELECT CAST(value AS bigint) FROM ${db.dialect.each('$1')}) AND seq < $2`,
    JSON.stringify(moved.slice(0, moved.total)),
    first,
  );
  return SlotSet.of(rows.map(({ seq }) => seq));
}

/** How many matches relevance ranks; the others follow in the list's order. */
const MOST_RANKED = 1000;

/** A page of what the words of `q` find. May take long: it counts every match. */
export function searchQuestions(db: Db, args: ListArgs): Promise<Page> {
  return db.snapshot(async (tx) => {
    const condition = await searchCondition(tx, args);
    if (!condition) return { items: '', n: 0, total: 0, offset: 0, last: undefined };
    const { where, params } = condition;
    const slot = tx.dialect.slotColumn;
    const [p, p2] = [`$${params.length + 1}`, `$${params.length + 2}`];
    const { start, limit } = args;
    const down = args.descending;
    const count = async (more = '', ...values: number[]) =>
      (await tx.get<{ n: number }>(
        `SELECT count(*) AS n FROM search WHERE ${where} ${more}`,
        ...params,
        ...values,
      ))!.n;
    const total = await count();
    const offset =
      'offset' in start
        ? start.offset
        : await count(`AND ${slot} ${down ? '>=' : '<='} ${whole(p)}`, start.slot);
    const slotsFrom = async (from: number, most: number): Promise<number[]> => {
      // The nearer end is the shorter way.
      const backwards = from > total / 2;
      const skip = backwards ? Math.max(0, total - from - most) : from;
      const take = Math.min(most, total - from);
      if (take <= 0) return [];
      const rows = await tx.all<{ slot: number }>(
        `SELECT ${slot} AS slot FROM search WHERE ${where}
         ORDER BY ${slot} ${down !== backwards ? 'DESC' : 'ASC'} LIMIT ${p} OFFSET ${p2}`,
        ...params,
        take,
        skip,
      );
      return rows.map((row) => row.slot).sort((a, b) => a - b);
    };
    if (args.byRelevance && offset < MOST_RANKED) {
      const candidates = await fetchEach(tx, args.order, await slotsFrom(0, MOST_RANKED));
      const ranked = rankByRelevance(candidates, wordsOf(args.filter.q!)).slice(offset, offset + limit);
      const missing = limit - ranked.length;
      const behind = missing > 0 && total > MOST_RANKED ? await slotsFrom(MOST_RANKED, missing) : [];
      const all = [...ranked, ...(await fetchEach(tx, args.order, behind))];
      return { items: all.join(','), n: all.length, total, offset, last: undefined };
    }
    const { stamp: _, ...page } = await fetchItems(tx, args.order, down, await slotsFrom(offset, limit));
    return { ...page, total, offset, ...(args.byRelevance && { last: undefined }) };
  });
}

/** A number is bound as a floating one, and a full-text table of SQLite passes over a row number that is not whole. */
const whole = (param: string) => `CAST(${param} AS bigint)`;

/** What a row of `search` must satisfy; nothing if no question can. */
async function searchCondition(db: Db, args: ListArgs) {
  const { q, external_id, updated_since } = args.filter;
  const facets = facetsFor(
    args.filter,
    new Map([...(await categoriesByKey(db))].map(([key, row]) => [key, row.id])),
  );
  if (!facets) return undefined;
  const params: (string | number)[] = [
    db.dialect.matchExpression({
      all: [
        ...termsFor(q!),
        ...facets.filter((name) => name !== facet.all).map((name) => [term.facet(name)]),
      ],
      none: [args.order === 'created' ? term.notFirst : term.notLast],
    }),
  ];
  const slot = `search.${db.dialect.slotColumn}`;
  let where = db.dialect.matches('$1');
  if (external_id !== undefined) {
    const [only = -1] = await slotOfExternalId(db, args.order, external_id);
    params.push(only);
    where += ` AND ${slot} = ${whole(`$${params.length}`)}`;
  }
  if (updated_since !== undefined) {
    params.push((await firstSlotSince(db, updated_since)) ?? Number.MAX_SAFE_INTEGER);
    where +=
      args.order === 'updated'
        ? ` AND ${slot} >= ${whole(`$${params.length}`)}`
        : ` AND EXISTS (SELECT 1 FROM questions q WHERE q.seq = ${slot} AND q.touch >= $${params.length})`;
  }
  return { where, params };
}

/** Each word of the query as the choice of terms that satisfy it; empty if there is no word in it. */
export function termsFor(q: string): string[][] {
  return q.split(/\s+/u).flatMap((piece) => {
    const words = wordsOf(piece);
    return words.map((word, i) => {
      const star = piece.endsWith('*') && i === words.length - 1 ? '*' : '';
      return [term.word(word) + star, term.answer(word) + star];
    });
  });
}
