/** Translates the criteria of a filter to facets and slots. */

import { errors, type Fault } from '../../errors.ts';
import { toNameKey } from '../../schemas/names.ts';
import { type QuestionFilter, toList } from '../../schemas/question-filter.ts';
import { STATUSES, type Status } from '../../schemas/status.ts';
import type { Db } from '../db.ts';
import type { Selector } from '../index/positions.ts';
import type { Order } from '../index/postings.ts';
import { categoriesByKey, findCategoryFault } from './categories.ts';
import { facet } from './facets.ts';
import type { QuestionCriteria } from './question-criteria.ts';
import { SLOT_COLUMN } from './row.ts';
import { listHiddenFacets, selectStatuses } from './status.ts';

/** Everything in the bank. */
export const SELECT_ALL: Selector = { all: [[facet.all]], none: [] };

/** The facets that a filter requires and excludes; undefined if a category does not exist. */
export function buildSelector(
  filter: QuestionCriteria,
  categories: Map<string, number>,
): Selector | undefined {
  const inside = findCategoryIds(filter.category, categories);
  const outside = findCategoryIds(filter.not_category, categories);
  if (!inside || !outside) return undefined;
  const levels = unique(toList(filter.difficulty));
  const statuses = selectStatuses(listStatuses(filter));
  const choices = [
    ...toList(filter.tag).map((name) => [facet.tag(name)]),
    unique(toList(filter.topic_focus).map(facet.topic)),
    ...combine(inside, levels),
    unique(toList(filter.kind).map(facet.kind)),
    unique(toList(filter.source).map(facet.source)),
    unique(toList(filter.missing).map(facet.missing)),
    statuses.any,
  ];
  const none = [
    ...outside.map(facet.category),
    ...toList(filter.not_difficulty).map(facet.difficulty),
    ...toList(filter.not_tag).map(facet.tag),
    ...toList(filter.not_topic_focus).map(facet.topic),
    ...toList(filter.not_kind).map(facet.kind),
    ...toList(filter.not_source).map(facet.source),
    ...statuses.none,
    ...listHiddenFacets(filter.visibility),
  ];
  const all = choices.filter((choice) => choice.length > 0);
  return { all: all.length > 0 ? all : SELECT_ALL.all, none: unique(none) };
}

/** The statuses that a filter admits. */
function listStatuses({ status, not_status }: QuestionFilter): Status[] {
  const [inside, outside] = [toList(status), toList(not_status)];
  return STATUSES.filter((each) => (inside.length === 0 || inside.includes(each)) && !outside.includes(each));
}

/** A category with a difficulty has a facet of its own. */
function combine(categories: number[], levels: number[]): string[][] {
  if (categories.length === 1 && levels.length === 1) return [[facet.both(categories[0]!, levels[0]!)]];
  return [categories.map(facet.category), levels.map(facet.difficulty)];
}

const unique = <T>(values: T[]): T[] => (values.length > 1 ? [...new Set(values)] : values);

function findCategoryIds(
  names: QuestionFilter['category'],
  categories: Map<string, number>,
): number[] | undefined {
  const ids = toList(names).map((name) => categories.get(toNameKey(name)));
  return ids.includes(undefined) ? undefined : unique(ids as number[]);
}

/** The selector of a list's filter. Refuses a category that does not exist. */
export async function requireSelector(
  db: Db,
  filter: QuestionCriteria,
  categories: Map<string, number>,
): Promise<Selector> {
  const selector = buildSelector(filter, categories);
  if (selector) return selector;
  const faults = await findCategoryFaults(db, filter);
  throw errors.invalidQuery(
    faults.map((fault) => ({ ...fault, pointer: `?${fault.pointer.split('/')[1]}` })),
  );
}

/** The same, with the categories as they are stored. */
export async function readSelector(db: Db, filter: QuestionCriteria): Promise<Selector> {
  const categories = [...(await categoriesByKey(db))].map(([key, { id }]): [string, number] => [key, id]);
  return requireSelector(db, filter, new Map(categories));
}

/** Finds categories of a filter that do not exist. Pointers are relative to the filter. */
export async function findCategoryFaults(db: Db, filter: QuestionFilter): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const name of ['category', 'not_category'] as const) {
    const values = filter[name];
    for (const [i, value] of toList(values).entries()) {
      const fault = await findCategoryFault(db, value);
      if (fault) faults.push({ pointer: Array.isArray(values) ? `/${name}/${i}` : `/${name}`, ...fault });
    }
  }
  return faults;
}

export async function slotOfExternalId(db: Db, order: Order, externalId: string): Promise<number[]> {
  const rows = await db.all<{ slot: number }>(
    `SELECT ${SLOT_COLUMN[order]} AS slot FROM questions WHERE external_id = $1`,
    externalId,
  );
  return rows.map(({ slot }) => slot);
}

/** The first slot of the updates since a time. The order of updated slots is the order of time. */
export async function firstSlotSince(db: Db, since: string): Promise<number | undefined> {
  const row = await db.get<{ updated_slot: number }>(
    'SELECT updated_slot FROM questions WHERE updated_at >= $1 ORDER BY updated_at, updated_slot LIMIT 1',
    Math.ceil(Date.parse(since)),
  );
  return row?.updated_slot;
}
