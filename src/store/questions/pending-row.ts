/** The rows of changes that wait for approval. */
import type { Tx } from '../db.ts';
import { bigint, defineTable, integer, nullable, text, uuid } from '../table.ts';

export const PENDING_REVISIONS = defineTable(
  'pending_revisions',
  {
    question_id: uuid,
    revision: integer,
    /** The revision that the change is of. */
    base_revision: integer,
    state: text<'waiting' | 'changes_requested'>(),
    category_id: bigint,
    /** The category's name as JSON text, for a category that is deleted later. */
    category: text(),
    /** Null after the change was withdrawn; the row keeps its number. */
    public_json: nullable(text()),
    answer_json: nullable(text()),
    checksum: nullable(integer),
    /** The clients that have contributed, as a JSON array. */
    authors: text(),
    changed_by: nullable(text()),
    changed_key: nullable(text()),
    change_id: nullable(text()),
    created_at: bigint,
    updated_at: bigint,
  },
  'question_id',
);

/** Removes the content of changes that wait; their numbers are not used again. */
export async function clearPending(tx: Tx, questionIds: readonly string[]): Promise<void> {
  await tx.run(
    `UPDATE pending_revisions SET public_json = NULL, answer_json = NULL, checksum = NULL
     WHERE question_id IN ${tx.dialect.values('$1', 'uuid')} AND public_json IS NOT NULL`,
    JSON.stringify(questionIds),
  );
}
