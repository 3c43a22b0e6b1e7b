/** Translates the criteria of a filter to facets and slots. */

import { errors } from '../../errors.ts';
import { toNameKey } from '../../schemas/names.ts';
import type { QuestionFilter } from '../../schemas/question.ts';
import type { Db } from '../db.ts';
import type { Order } from '../index/postings.ts';
import { findCategoryFault } from './categories.ts';
import { facet } from './facets.ts';
import { SLOT_COLUMN } from './row.ts';

/** The facets that a filter requires; undefined if its category does not exist. */
export function facetsFor(filter: QuestionFilter, categories: Map<string, number>): string[] | undefined {
  const { category, difficulty, topic_focus, tag = [] } = filter;
  const facets = [...tag].map(facet.tag);
  if (topic_focus !== undefined) facets.push(facet.topic(topic_focus));
  if (category !== undefined) {
    const id = categories.get(toNameKey(category));
    if (id === undefined) return undefined;
    facets.push(difficulty === undefined ? facet.category(id) : facet.both(id, difficulty));
  } else if (difficulty !== undefined) {
    facets.push(facet.difficulty(difficulty));
  }
  return facets.length > 0 ? facets : [facet.all];
}

/** The facets that the filter of a list requires. Refuses a category that does not exist. */
export async function requireFacets(
  db: Db,
  filter: QuestionFilter,
  categories: Map<string, number>,
): Promise<string[]> {
  const facets = facetsFor(filter, categories);
  if (facets) return facets;
  const fault = await findCategoryFault(db, filter.category!);
  throw errors.invalidQuery([{ pointer: '?category', ...fault! }]);
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
