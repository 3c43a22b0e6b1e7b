/**
 * Merged questions: each has been deleted, and another one took over its responses. While it is not
 * restored, requests for it are answered with the address of that one.
 */
import { type ApiError, errors } from '../../errors.ts';
import type { Status } from '../../schemas/status.ts';
import type { Db, Tx } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { defineTable, uuid } from '../table.ts';
import type { Visibility } from '../view.ts';

export const MERGED_QUESTIONS = defineTable('merged_questions', { id: uuid, survivor_id: uuid }, 'id');

/** A survivor can be merged in turn. */
const MAX_MERGES = 100;

/**
 * The error of a request for a question that does not exist: it was merged, or there is none. A
 * caller that sees approved questions only learns of a merge if both questions were approved.
 */
export async function toMissing(db: Db, id: string, visibility: Visibility = 'all'): Promise<ApiError> {
  const survivor = await findSurvivor(db, id);
  if (survivor === undefined) return errors.noSuchQuestion(id);
  const isHidden = visibility !== 'all' && !(await areApproved(db, { merged: canonicalId(id)!, survivor }));
  return isHidden ? errors.noSuchQuestion(id) : errors.merged(id, survivor);
}

async function findSurvivor(db: Db, id: string): Promise<string | undefined> {
  let survivor: string | undefined;
  for (let i = 0, next = canonicalId(id); next !== undefined && i < MAX_MERGES; i++) {
    const row: { survivor_id: string } | undefined = await db.get(
      'SELECT survivor_id FROM merged_questions WHERE id = $1',
      next,
    );
    next = row?.survivor_id;
    survivor = next ?? survivor;
  }
  return survivor;
}

async function areApproved(
  db: Db,
  { merged, survivor }: { merged: string; survivor: string },
): Promise<boolean> {
  const rows = await db.all<{ status: Status | null }>(
    `SELECT (SELECT status FROM questions WHERE id = $1) AS status
     UNION ALL
     SELECT (SELECT status FROM revisions WHERE question_id = $2 ORDER BY revision DESC LIMIT 1)`,
    survivor,
    merged,
  );
  return rows.every(({ status }) => status === 'approved');
}

export async function addMerged(tx: Tx, ids: readonly string[], survivor_id: string): Promise<void> {
  await tx.insert(
    MERGED_QUESTIONS,
    ids.map((id) => ({ id, survivor_id })),
    'ON CONFLICT (id) DO UPDATE SET survivor_id = excluded.survivor_id',
  );
}

/** For questions that are restored. */
export async function removeMerged(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(
    `DELETE FROM merged_questions WHERE id IN ${tx.dialect.values('$1', 'uuid')}`,
    JSON.stringify(ids),
  );
}
