/** Selects the questions of a change by what a run found. */
import { Ticker } from '../../concurrency/ticker.ts';
import { readAllRows } from '../analyses/result-rows.ts';
import { type Db, defineQuery } from '../db.ts';
import { type BitmapBlock, fromBitmapBlocks, toBitmapBlocks } from '../index/bitmaps.ts';
import { type Block, SlotSet } from '../index/slots.ts';
import type { View } from '../view.ts';
import { listRemedies, type ResultRow } from './remedies.ts';

/** A run that has succeeded, and the view of its result. */
interface ResultRef {
  id: string;
  view: View;
}

/** The questions in which a run found what is named, or anything. Deleted ones are among them. */
export async function selectFound(
  db: Db,
  { id, view, name }: ResultRef & { name: string | undefined },
): Promise<BitmapBlock[]> {
  const rows = await db.all<Block & { name: string }>(
    `SELECT name, block, n, members FROM analysis_findings WHERE analysis_id = $1 AND view = $2 ORDER BY name, block`,
    id,
    view,
  );
  let found = new SlotSet([]);
  for (const [key, blocks] of Map.groupBy(rows, (row) => row.name))
    if (name === undefined || key === name) found = SlotSet.union(found, new SlotSet(blocks));
  return toBitmapBlocks(found);
}

/** Lists the ids of the questions with a remedy of a run, of these rules or of all. */
export const listRemedied = defineQuery(
  'listRemedied',
  async (db: Db, { id, view, rules }: ResultRef & { rules: string[] | null }): Promise<string[]> => {
    const ids: string[] = [];
    const ticker = new Ticker();
    for await (const rows of readAllRows<ResultRow>(db, { id, view })) {
      for (const row of rows) if (listRemedies(row, rules).length > 0) ids.push(row.question_id);
      if (ticker.due()) await ticker.yield();
    }
    return ids;
  },
);

/** The questions in both sets, and their number. */
export function intersectMembers(
  a: BitmapBlock[],
  b: BitmapBlock[],
): { members: BitmapBlock[]; count: number } {
  const slots = SlotSet.intersection([fromBitmapBlocks(a), fromBitmapBlocks(b)]);
  return { members: toBitmapBlocks(slots), count: slots.total };
}
