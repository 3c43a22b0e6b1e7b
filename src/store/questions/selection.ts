/** Which questions a run is about, and how a worker reads them: whole sets of slots instead of pages. */
import type { QuestionFilter } from '../../schemas/question.ts';
import type { Db, Table } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { type Block, bitmapOf, blockFrom, blockOf, placeOf, SlotSet } from '../index/slots.ts';
import { matchingSlots } from './listing.ts';
import { BODY, type View } from './row.ts';
import { countSearched, searchedSlots } from './search.ts';

/** A block of slots as a bitmap, for a single one to be looked up in the database. */
export interface Members {
  block: number;
  members: Uint8Array;
}

export const QUESTIONS_OF_RUN: Table = {
  name: 'analysis_questions',
  columns: { analysis_id: 'uuid', block: 'bigint', members: 'bytea' },
};

export const membersOf = (slots: SlotSet): Members[] =>
  slots.blocks.map((each: Block) => ({ block: each.block, members: new Uint8Array(bitmapOf(each).buffer) }));

/** Ids looked up by one statement: a hundred thousand at once would stop the loop while their rows are read. */
const AT_ONCE = 5_000;

/** The slots of the questions with these ids, and which of them there are not. */
export async function resolveIds(db: Db, ids: string[]): Promise<{ members: Members[]; unknown: string[] }> {
  const slots = new Map<string, number>();
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const rows = await db.all<{ id: string; created_slot: number }>(
      `SELECT id, created_slot FROM questions WHERE id IN (SELECT ${db.dialect.id('value->>0')} FROM ${db.dialect.each('$1')})`,
      JSON.stringify(ids.slice(i, i + AT_ONCE).map((id) => [id])),
    );
    for (const { id, created_slot } of rows) slots.set(id, created_slot);
  }
  return {
    members: membersOf(SlotSet.of([...slots.values()])),
    unknown: ids.filter((id) => !slots.has(id)),
  };
}

/** How many questions the criteria select at the moment. */
export async function countSelected(db: Db, args: { filter: QuestionFilter; view: View }): Promise<number> {
  return db.snapshot(async (tx) => {
    if (args.filter.q !== undefined) return countSearched(tx, args);
    return (await matchingSlots(tx, args.filter)).total;
  });
}

const selected = (db: Db, args: { filter: QuestionFilter; view: View }) =>
  args.filter.q === undefined ? matchingSlots(db, args.filter) : searchedSlots(db, args);

/**
 * The slots of a run: those it was given, or what its criteria select now; and how many of those given are no longer there. Call
 * it within a snapshot.
 */
export async function slotsOfRun(
  db: Db,
  run: { id: string; filter: QuestionFilter | undefined; view: View },
): Promise<{ slots: SlotSet; missing: number }> {
  if (run.filter) return { slots: await selected(db, { filter: run.filter, view: run.view }), missing: 0 };
  const rows = await db.all<Members>(
    'SELECT block, members FROM analysis_questions WHERE analysis_id = $1 ORDER BY block',
    run.id,
  );
  const given = new SlotSet(
    rows.map(({ block, members }) => blockFrom(block, new Uint32Array(Uint8Array.from(members).buffer))),
  );
  const slots = SlotSet.intersection([given, await matchingSlots(db, {})]);
  return { slots, missing: given.total - slots.total };
}

/** The questions at these slots, as JSON texts in the order of the slots; those deleted since are missing. */
export async function readQuestions(
  db: Db,
  view: View,
  slots: number[],
): Promise<{ slot: number; body: string }[]> {
  return db.all(
    `SELECT q.created_slot AS slot, ${BODY[view]} AS body FROM (SELECT CAST(value AS bigint) AS slot FROM ${db.dialect.each('$1')}) v
     JOIN questions q ON q.created_slot = v.slot JOIN categories c ON c.id = q.category_id ORDER BY q.created_slot`,
    JSON.stringify(slots),
  );
}

/** The runs that a question, deleted or not, was part of. */
export async function ranOn(db: Db, questionId: string): Promise<string[]> {
  const id = canonicalId(questionId);
  const row =
    id &&
    (await db.get<{ created_slot: number }>(
      'SELECT created_slot FROM questions WHERE id = $1 UNION ALL SELECT created_slot FROM revisions WHERE question_id = $1 LIMIT 1',
      id,
    ));
  if (!row) return [];
  const place = placeOf(row.created_slot);
  const rows = await db.all<{ analysis_id: string; byte: Uint8Array }>(
    'SELECT analysis_id, substr(members, $2, 1) AS byte FROM analysis_questions WHERE block = $1',
    blockOf(row.created_slot),
    (place >>> 3) + 1,
  );
  return rows.filter(({ byte }) => byte[0]! & (1 << (place & 7))).map(({ analysis_id }) => analysis_id);
}
