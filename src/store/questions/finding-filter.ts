/** Selects questions by what the latest runs of analyses found in them. */
import { type QuestionFilter, toList } from '../../schemas/question-filter.ts';
import type { Db } from '../db.ts';
import { readFindingSets } from '../findings/finding-sets.ts';
import { readSet, type Stamp } from '../index/positions.ts';
import { type Order, readPendingMarks, sets } from '../index/postings.ts';
import { SlotSet } from '../index/slots.ts';
import { facet } from './facets.ts';

/** Questions that one statement looks up. */
const BATCH_ROWS = 5000;

/**
 * The slots of the questions with one of the findings of a filter; undefined if it has none. Sets of
 * findings do not belong to the state of the index, so what depends on them is not cached with it.
 * Runs within the snapshot that the stamp was read in.
 */
export async function findingSlots(
  db: Db,
  stamp: Stamp,
  order: Order,
  { finding }: QuestionFilter,
): Promise<SlotSet | undefined> {
  const wanted = toList(finding).map(parseFinding);
  if (wanted.length === 0) return undefined;
  let slots = new SlotSet([]);
  for (const set of await readFindingSets(db, wanted)) slots = SlotSet.union(slots, set.slots);
  return order === 'created' ? slots : toUpdatedSlots(db, stamp, slots);
}

function parseFinding(finding: string): { type: string; name: string } {
  const colon = finding.indexOf(':');
  return { type: finding.slice(0, colon), name: finding.slice(colon + 1) };
}

/** The slots of the last updates of questions, by the slots they were created at. */
async function toUpdatedSlots(db: Db, stamp: Stamp, created: SlotSet): Promise<SlotSet> {
  const name = sets.left(facet.all);
  const pending = stamp.pending > 0 ? await readPendingMarks(db, [name]) : undefined;
  const left = await readSet(db, stamp, name, pending);
  const moved = SlotSet.intersection([created, left]);
  const updated: number[] = [];
  for (let i = 0; i < moved.total; i += BATCH_ROWS) {
    const rows = await db.all<{ updated_slot: number }>(
      `SELECT updated_slot FROM questions WHERE created_slot IN ${db.dialect.values('$1', 'bigint')}`,
      JSON.stringify(moved.slice(i, BATCH_ROWS)),
    );
    for (const { updated_slot } of rows) updated.push(updated_slot);
  }
  const changed = SlotSet.of(updated.sort((a, b) => a - b));
  return SlotSet.union(SlotSet.difference(created, left), changed);
}
