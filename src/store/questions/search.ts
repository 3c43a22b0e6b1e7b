/**
 * Full-text search. Facets are terms of the index too, so that a search with a filter is one query.
 */
import type { Fault } from '../../errors.ts';
import type { QuestionFilter } from '../../schemas/question.ts';
import { type Db, defineQuery } from '../db.ts';
import { readStamp, type Stamp, sameStamp } from '../index/positions.ts';
import { SlotSet } from '../index/slots.ts';
import type { View } from '../view.ts';
import { categoriesByKey } from './categories.ts';
import { firstSlotSince, requireFacets, slotOfExternalId } from './criteria.ts';
import { facet, term } from './facets.ts';
import { choosePage, fetchPage, type ListArgs, type Page } from './pages.ts';
import { rankByRelevance } from './relevance.ts';
import { isCharacterWord, stem, tokenizeUnstemmed } from './words.ts';

/** Matches that are ranked by relevance. Those beyond follow in the list's order. */
const MAX_RANKED = 1000;

/** A search for more words, or for a prefix, may take so long that it has to be ended. */
const MAX_CHEAP_WORDS = 4;

/** A page of the matches of `q`. May take long: every match is counted. */
export const searchQuestions = defineQuery('searchQuestions', (db: Db, args: ListArgs): Promise<Page> => {
  return db.snapshot(async (tx) => {
    const { start, limit, descending } = args;
    const condition = await buildCondition(tx, args);
    const total = await countCached(tx, condition);
    if (total === 0) return emptyPage(args);
    const offset = 'offset' in start ? start.offset : await countUpTo(tx, condition, start.slot, descending);
    const slotsFrom = (from: number, limit: number) =>
      readSlots(tx, condition, { total, descending, from, limit });
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

/** Counts the matches of `q`. Runs within a snapshot. */
export async function countSearched(
  db: Db,
  criteria: { filter: QuestionFilter; view: View },
): Promise<number> {
  return countCached(db, await buildCondition(db, { ...criteria, order: 'created' }));
}

/** The created slots of all matches of `q`. Runs within a snapshot. */
export async function searchedSlots(
  db: Db,
  criteria: { filter: QuestionFilter; view: View },
): Promise<SlotSet> {
  const condition = await buildCondition(db, { ...criteria, order: 'created' });
  const rows = await db.all<{ slot: number }>(
    `SELECT ${db.dialect.slotColumn} AS slot FROM search WHERE ${condition.where}`,
    ...condition.params,
  );
  return SlotSet.of(rows.map(({ slot }) => slot).sort((a, b) => a - b));
}

const emptyPage = ({ start }: ListArgs): Page => ({
  items: '',
  n: 0,
  total: 0,
  offset: 'offset' in start ? start.offset : 0,
  last: undefined,
});

/** A condition on rows of `search`, with its parameters. */
interface Condition {
  where: string;
  params: (string | number)[];
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

/** Counts the matches up to and including the slot, in the list's order. */
function countUpTo(db: Db, { where, params }: Condition, slot: number, descending: boolean): Promise<number> {
  const bound = `${db.dialect.slotColumn} ${descending ? '>=' : '<='} ${asInteger(`$${params.length + 1}`)}`;
  return countMatches(db, { where: `${where} AND ${bound}`, params: [...params, slot] });
}

interface Range {
  total: number;
  descending: boolean;
  from: number;
  limit: number;
}

/** Reads the slots of a range of the list, ascending. Scans from the nearer end. */
async function readSlots(db: Db, { where, params }: Condition, range: Range): Promise<number[]> {
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

async function buildCondition(db: Db, args: Pick<ListArgs, 'filter' | 'view' | 'order'>): Promise<Condition> {
  const { q, external_id, updated_since } = args.filter;
  const facets = await requireFacets(
    db,
    args.filter,
    new Map([...(await categoriesByKey(db))].map(([key, row]) => [key, row.id])),
  );
  const words = parseSearch(q!);
  const params: (string | number)[] = [
    db.dialect.matchExpression({
      any: [
        [
          ...termsFor(words, args.view),
          ...facets.filter((name) => name !== facet.all).map((name) => [term.facet(name)]),
        ],
      ],
      none: [args.order === 'created' ? term.notFirst : term.notLast],
    }),
  ];
  const slot = `search.${db.dialect.slotColumn}`;
  let where = db.dialect.matches('$1');
  // The condition costs about half of a cheap search, which needs no limit.
  if (words.length > MAX_CHEAP_WORDS || words.some(({ isPrefix }) => isPrefix))
    where += ` AND ${db.dialect.withinDeadline}`;
  if (external_id !== undefined) {
    const [only = -1] = await slotOfExternalId(db, args.order, external_id);
    params.push(only);
    where += ` AND ${slot} = ${asInteger(`$${params.length}`)}`;
  }
  if (updated_since !== undefined) {
    params.push((await firstSlotSince(db, updated_since)) ?? Number.MAX_SAFE_INTEGER);
    where +=
      args.order === 'updated'
        ? ` AND ${slot} >= ${asInteger(`$${params.length}`)}`
        : ` AND EXISTS (SELECT 1 FROM questions q WHERE q.created_slot = ${slot} AND q.updated_slot >= $${params.length})`;
  }
  return { where, params };
}

interface SearchWord {
  word: string;
  isPrefix: boolean;
}

const MAX_SEARCH_WORDS = 16;
/** A prefix reads the entries of all words that start with it. */
const MAX_PREFIXES = 4;
const MIN_PREFIX_CHARS = 2;

/** The different words of a search text. */
function parseSearch(q: string): SearchWord[] {
  const found = new Map<string, SearchWord>();
  for (const piece of q.split(/\s+/u)) {
    const words = tokenizeUnstemmed(piece);
    for (const [i, word] of words.entries()) {
      const isPrefix = piece.endsWith('*') && i === words.length - 1 && !isCharacterWord(word);
      found.set(`${word} ${isPrefix}`, { word, isPrefix });
    }
  }
  return [...found.values()];
}

/** Finds the fault of a search text; undefined if it can be searched for. */
export function checkSearch(q: string): Omit<Fault, 'pointer'> | undefined {
  const words = parseSearch(q);
  const prefixes = words.filter(({ isPrefix }) => isPrefix);
  if (words.length === 0) return { code: 'no_search_terms', detail: 'must contain a letter or a digit' };
  if (words.length > MAX_SEARCH_WORDS)
    return { code: 'too_many_terms', detail: `must have at most ${MAX_SEARCH_WORDS} different words` };
  if (prefixes.length > MAX_PREFIXES)
    return { code: 'too_many_terms', detail: `must have at most ${MAX_PREFIXES} words with *` };
  if (prefixes.some(({ word }) => word.length < MIN_PREFIX_CHARS))
    return {
      code: 'prefix_too_short',
      detail: `must have at least ${MIN_PREFIX_CHARS} characters before each *`,
    };
  return undefined;
}

/**
 * The terms for each word, any of which matches it. Words of answers are searched only in the view
 * with answers.
 */
function termsFor(words: SearchWord[], view: View): string[][] {
  const kinds = view === 'with_answers' ? [term.word, term.answer] : [term.word];
  return words.map(({ word, isPrefix }) =>
    kinds.flatMap((kind) => [kind(stem(word)), ...(isPrefix ? [`${kind(word)}*`] : [])]),
  );
}
