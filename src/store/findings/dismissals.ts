/**
 * Dismissals: findings that an editor has judged to be acceptable, with the reason. A dismissal
 * holds for the question at one revision, so a finding returns when the question changes. That it
 * returns reveals that an answer may have changed: dismissals apply to callers that read answers.
 */
import type { Db } from '../db.ts';
import { SlotSet } from '../index/slots.ts';
import { bigint, columnList, defineTable, integer, nullable, type RowOf, text, uuid } from '../table.ts';

export const DISMISSALS = defineTable(
  'dismissals',
  {
    question_id: uuid,
    type: text(),
    name: text(),
    revision: integer,
    reason: text(),
    /** The client, and the id of its key; null for a session. */
    dismissed_by: text(),
    dismissed_key: nullable(text()),
    dismissed_at: bigint,
  },
  'question_id',
  'type',
  'name',
  'revision',
);

export type DismissalRow = RowOf<typeof DISMISSALS>;

/** The created slots of the questions with a dismissal that holds, by type and name. */
export async function readDismissed(
  db: Db,
  finding?: { type: string; name: string },
): Promise<Map<string, SlotSet>> {
  const rows = await db.all<{ type: string; name: string; slot: number }>(
    `SELECT d.type, d.name, q.created_slot AS slot FROM dismissals d
     JOIN questions q ON q.id = d.question_id AND q.revision = d.revision
     ${finding ? 'WHERE d.type = $1 AND d.name = $2' : ''}`,
    ...(finding ? [finding.type, finding.name] : []),
  );
  const byFinding = Map.groupBy(rows, ({ type, name }) => `${type}:${name}`);
  return new Map([...byFinding].map(([key, found]) => [key, SlotSet.of(found.map(({ slot }) => slot))]));
}

/** The dismissals that hold for a question at its revision. */
export async function listDismissalsOf(
  db: Db,
  { id, revision }: { id: string; revision: number },
): Promise<DismissalRow[]> {
  return db.all<DismissalRow>(
    `SELECT ${columnList(DISMISSALS)} FROM dismissals WHERE question_id = $1 AND revision = $2`,
    id,
    revision,
  );
}
