/** Checks an answer to a question with its current key. */
import type { Db } from '../db.ts';
import type { Visibility } from '../view.ts';
import { requireSound } from './checksums.ts';
import { toMissing } from './merged.ts';
import { parseId, type QuestionRow } from './row.ts';
import { type GivenAnswer, isCorrect } from './scoring.ts';
import { isVisibleSql } from './status.ts';

export async function checkAnswer(
  db: Db,
  { id, answer, visibility }: { id: string; answer: GivenAnswer; visibility: Visibility },
): Promise<{ correct: boolean; explanation: string | null }> {
  const row = await db.get<QuestionRow>(
    `SELECT * FROM questions q WHERE q.id = $1 AND ${isVisibleSql('q', visibility)}`,
    parseId(id),
  );
  if (!row) throw await toMissing(db, id, visibility);
  requireSound(row, id);
  const key = JSON.parse(`{${row.answer_json}}`);
  return { correct: isCorrect(key, answer), explanation: key.explanation };
}
