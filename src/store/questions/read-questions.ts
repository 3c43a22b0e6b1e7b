import type { Db } from '../db.ts';
import type { View } from '../view.ts';
import { BODY_CHECK, verifyBodies } from './checksums.ts';
import { QUESTION_JSON } from './row.ts';

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
