/** Selects the questions of a change by what a run found. */
import { Ticker } from '../../concurrency/ticker.ts';
import { type Db, defineQuery } from '../db.ts';
import { type BitmapBlock, fromBitmapBlocks, toBitmapBlocks } from '../index/bitmaps.ts';
import { SlotSet } from '../index/slots.ts';
import type { View } from '../view.ts';
import { listRemedies, type ResultRow } from './remedies.ts';
import { readAllRows } from './result-rows.ts';

export interface FoundArgs {
  /** A run that has succeeded, and the view of its result. */
  id: string;
  view: View;
  /** Questions with this finding, with any, or with a remedy of one of these rules or of all. */
  by: { finding: string | null } | { remedies: string[] | null };
}

/** Lists the ids of the questions in which a run found something. */
export const listFound = defineQuery(
  'listFound',
  async (db: Db, { id, view, by }: FoundArgs): Promise<string[]> => {
    const matches = (row: ResultRow) =>
      'finding' in by ? hasFinding(row, by.finding) : listRemedies(row, by.remedies).length > 0;
    const ids = new Set<string>();
    const ticker = new Ticker();
    for await (const rows of readAllRows<ResultRow>(db, { id, view })) {
      for (const row of rows) if (matches(row)) ids.add(row.question_id);
      if (ticker.due()) await ticker.yield();
    }
    return [...ids];
  },
);

/** Whether a row has the flag, class or verdict; without a name, whether it has any flag. */
const hasFinding = ({ flags = [], class: group, verdict }: ResultRow, name: string | null) =>
  name === null ? flags.length > 0 : flags.includes(name) || group === name || verdict === name;

/** The questions in both sets, and their number. */
export function intersectMembers(
  a: BitmapBlock[],
  b: BitmapBlock[],
): { members: BitmapBlock[]; count: number } {
  const slots = SlotSet.intersection([fromBitmapBlocks(a), fromBitmapBlocks(b)]);
  return { members: toBitmapBlocks(slots), count: slots.total };
}
