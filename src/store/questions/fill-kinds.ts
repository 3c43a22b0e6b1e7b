/** Adds the kind to questions and revisions that were stored before questions had one. */
import type { Kind } from '../../schemas/question-kinds.ts';
import { lockBankState } from '../bank-state.ts';
import { defineCommand, type Tx } from '../db.ts';
import { computeChecksums, isSound } from './checksums.ts';
import { kindOf } from './kind.ts';
import { parseFields, type QuestionRow, type RevisionRow } from './row.ts';

const BATCH_ROWS = 500;

/** The condition of the partial indexes that find the rows, so that a bank without any is not scanned. */
const WITHOUT_KIND = `substr(public_json, 1, 8) <> '"kind":"'`;

/**
 * Fills one batch; returns how many rows it filled. The state is locked: of several processes that
 * start, one fills a batch at a time. Run before the service reads the bank, after
 * `fillChecksums`.
 */
export const fillKinds = defineCommand('fillKinds', async (tx: Tx, _: null): Promise<number> => {
  await lockBankState(tx);
  return (await fillQuestions(tx)) + (await fillRevisions(tx));
});

async function fillQuestions(tx: Tx): Promise<number> {
  const rows = await tx.all<QuestionRow>(
    `SELECT * FROM questions WHERE ${WITHOUT_KIND} ORDER BY created_slot LIMIT ${BATCH_ROWS}`,
  );
  if (rows.length === 0) return 0;
  const columns = {
    slot: 'bigint',
    json: 'text',
    added: 'bigint',
    checksum: 'bigint',
    public_checksum: 'bigint',
  } as const;
  await tx.run(
    `UPDATE questions SET public_json = v.json, content_bytes = content_bytes + v.added, checksum = v.checksum,
            public_checksum = v.public_checksum
     FROM ${tx.dialect.rows('$1', columns)} v WHERE created_slot = v.slot`,
    JSON.stringify(
      rows.map((row) => {
        const { public_json, checksum, public_checksum } = addKind(row);
        const added = Buffer.byteLength(public_json) - Buffer.byteLength(row.public_json);
        return [row.created_slot, public_json, added, checksum, public_checksum];
      }),
    ),
  );
  return rows.length;
}

async function fillRevisions(tx: Tx): Promise<number> {
  const rows = await tx.all<RevisionRow>(
    `SELECT * FROM revisions WHERE ${WITHOUT_KIND} ORDER BY question_id, revision LIMIT ${BATCH_ROWS}`,
  );
  if (rows.length === 0) return 0;
  await tx.run(
    `UPDATE revisions SET public_json = v.json, checksum = v.checksum
     FROM ${tx.dialect.rows('$1', { id: 'uuid', n: 'bigint', json: 'text', checksum: 'bigint' })} v
     WHERE question_id = v.id AND revision = v.n`,
    JSON.stringify(
      rows.map((row) => {
        const { question_id: id, category_id, public_json, answer_json, checksum } = row;
        const rendered = addKind({
          ...{ id, category_id, checksum },
          ...{ public_json: public_json ?? '', answer_json: answer_json ?? '' },
        });
        return [id, row.revision, rendered.public_json, rendered.checksum];
      }),
    ),
  );
  return rows.length;
}

/** A damaged row stays damaged: it gets a checksum that does not match. */
function addKind(row: Pick<QuestionRow, 'id' | 'category_id' | 'public_json' | 'answer_json' | 'checksum'>) {
  const { id, category_id, answer_json } = row;
  const sound = isSound(row);
  const kind: Kind = sound ? kindOf(parseFields({ ...row, status: 'approved' })) : 'short_answer';
  const public_json = `"kind":"${kind}",${row.public_json}`;
  const { checksum, public_checksum } = computeChecksums({ id, category_id, public_json, answer_json });
  return sound
    ? { public_json, checksum, public_checksum }
    : { public_json, checksum: ~checksum, public_checksum: ~public_checksum };
}
