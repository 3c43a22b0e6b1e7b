import { DIFFICULTIES } from '../../schemas/difficulties.ts';
import type { Db } from '../db.ts';
import { readStamp, select } from '../index/positions.ts';
import { countSets, sets } from '../index/postings.ts';
import type { Visibility } from '../view.ts';
import { allCategories, presentCategory } from './categories.ts';
import { facet } from './facets.ts';

/** Lists the categories with their numbers of questions, as far as the caller sees them. */
export function listCategories(db: Db, visibility: Visibility) {
  return db.snapshot(async (tx) => {
    const rows = await allCategories(tx);
    const names = rows.flatMap(({ id }) => DIFFICULTIES.map(({ level }) => facet.both(id, level)));
    const totals = await countQuestions(tx, names, visibility);
    const data = rows.map((row) => {
      const counts = Object.fromEntries(
        DIFFICULTIES.map(({ level }) => [level, totals.get(facet.both(row.id, level)) ?? 0]),
      );
      const question_count = Object.values(counts).reduce((sum, n) => sum + n, 0);
      return { ...presentCategory(row), question_count, counts_by_difficulty: counts };
    });
    return { data };
  });
}

/** Counts the questions of facets. If some are hidden, the sets are read instead of their counts. */
export async function countQuestions(
  db: Db,
  facets: string[],
  visibility: Visibility,
): Promise<Map<string, number>> {
  const hidden = visibility === 'all' ? [] : [facet.unapproved];
  const totals = await countSets(db, [...facets, ...hidden].map(sets.created));
  if (!hidden.some((name) => totals.get(sets.created(name)))) return totals;
  const stamp = await readStamp(db);
  for (const name of facets) {
    const selector = { all: [[name]], none: hidden };
    if (totals.get(name)) totals.set(name, (await select(db, stamp, 'created', selector)).total);
  }
  return totals;
}
