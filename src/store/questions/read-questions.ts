import type { Db, Utf8 } from '../db.ts';
import type { View, Visibility } from '../view.ts';
import { BODY_CHECK, verifyBodies } from './checksums.ts';
import { toMissing } from './merged.ts';
import { etagOfBody, etagWithAnswers, parseId, QUESTION_JSON } from './row.ts';
import { isVisibleSql } from './status.ts';

/**
 * Reads the questions at these slots as JSON texts, in the order of the slots. Deleted ones are
 * missing.
 */
export async function readQuestions(
  db: Db,
  view: View,
  slots: number[],
): Promise<{ slot: number; updated_slot: number; body: string }[]> {
  const rows = await db.all<{ slot: number; updated_slot: number; body: string; body_check: string }>(
    `SELECT q.created_slot AS slot, q.updated_slot, ${QUESTION_JSON[view]} AS body, ${BODY_CHECK[view]} AS body_check FROM ${db.dialect.values('$1', 'bigint')} v
     JOIN questions q ON q.created_slot = v.value JOIN categories c ON c.id = q.category_id ORDER BY q.created_slot`,
    JSON.stringify(slots),
  );
  for (const { body, body_check } of rows) verifyBodies(body, body_check);
  return rows;
}

/** Reads one question as JSON text. */
export async function getQuestion(
  db: Db,
  { id, view, visibility }: { id: string; view: View; visibility: Visibility },
): Promise<{ etag: string; body: Utf8 }> {
  const row = await db.get<{ revision: number; category_version: number; body: Utf8; body_check: string }>(
    `SELECT q.revision, c.name_version AS category_version, ${db.dialect.utf8(QUESTION_JSON[view])} AS body,
            ${BODY_CHECK[view]} AS body_check
     FROM questions q JOIN categories c ON c.id = q.category_id
     WHERE q.id = $1 AND ${isVisibleSql('q', visibility)}`,
    parseId(id),
  );
  if (!row) throw await toMissing(db, id, visibility);
  const body = verifyBodies(row.body, row.body_check);
  return { etag: view === 'with_answers' ? etagWithAnswers(row) : etagOfBody(body), body };
}
