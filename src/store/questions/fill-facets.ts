/**
 * Adds what questions that were written by earlier releases lack in the index: facets that were
 * added later, and the list of deleted questions. Run before the service reads the bank.
 */
import { lockBankState } from '../bank-state.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { isSound } from './checksums.ts';
import { addDeleted } from './deleted.ts';
import { isAddedLater, listFacets } from './facets.ts';
import { addToSets } from './index-entries.ts';
import { parseFields, type QuestionRow } from './row.ts';

const BATCH_ROWS = 1000;

interface Progress {
  filled_slot: number | null;
  filled_deletion: number | null;
}

async function readProgress(db: Db): Promise<Progress> {
  return (await db.get<Progress>('SELECT filled_slot, filled_deletion FROM bank_state'))!;
}

/** Whether nothing is left to fill. Read before writing: a filled bank opens on a full disk too. */
export async function isFilled(db: Db): Promise<boolean> {
  const { filled_slot, filled_deletion } = await readProgress(db);
  return filled_slot === null && filled_deletion === null;
}

/**
 * Fills one batch; returns how many questions it examined. The state is locked: of several processes
 * that start, one fills a batch at a time.
 */
export const fillFacets = defineCommand('fillFacets', async (tx: Tx, _: null): Promise<number> => {
  await lockBankState(tx);
  const { filled_slot, filled_deletion } = await readProgress(tx);
  if (filled_slot !== null) return fillQuestions(tx, filled_slot);
  if (filled_deletion !== null) return fillDeletions(tx, filled_deletion);
  return 0;
});

async function fillQuestions(tx: Tx, after: number): Promise<number> {
  const rows = await tx.all<QuestionRow>(
    `SELECT * FROM questions WHERE created_slot > $1 ORDER BY created_slot LIMIT ${BATCH_ROWS}`,
    after,
  );
  // The facets of a damaged question cannot be read.
  for (const row of rows.filter(isSound))
    addToSets(tx, row, listFacets(row.category_id, parseFields(row)).filter(isAddedLater));
  await tx.run('UPDATE bank_state SET filled_slot = $1', rows.at(-1)?.created_slot ?? null);
  return rows.length;
}

/** Deletions of earlier releases have no slot. They get one in the order of time. */
async function fillDeletions(tx: Tx, since: number): Promise<number> {
  const rows = await tx.all<{ id: string; at: number }>(
    `SELECT r.question_id AS id, r.at FROM revisions r
     WHERE r.action = 'deleted' AND r.at >= $1
       AND NOT EXISTS (SELECT 1 FROM deleted_questions d WHERE d.id = r.question_id)
       AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.id = r.question_id)
       AND NOT EXISTS (SELECT 1 FROM revisions later WHERE later.question_id = r.question_id AND later.revision > r.revision)
     ORDER BY r.at, r.question_id LIMIT ${BATCH_ROWS}`,
    since,
  );
  if (rows.length > 0) {
    const { first } = await tx.allocateSlots(rows.length);
    for (const [i, { id, at }] of rows.entries())
      await addDeleted(tx, [
        { mark: { deleted_slot: first + i, id, deleted_at: at, created_by: null }, content: undefined },
      ]);
  }
  await tx.run(
    'UPDATE bank_state SET filled_deletion = $1',
    rows.length < BATCH_ROWS ? null : rows.at(-1)!.at,
  );
  return rows.length;
}
