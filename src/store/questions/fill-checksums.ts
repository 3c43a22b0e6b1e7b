/** Computes the checksums of rows that were written before the schema had them. */
import { defineCommand, type Tx } from '../db.ts';
import { computeBlockChecksum } from '../index/postings.ts';
import type { Block } from '../index/slots.ts';
import { type CategoryRow, computeCategoryChecksum } from './category-row.ts';
import { computeChecksums } from './checksums.ts';
import { parseFields, type QuestionRow, type RevisionRow } from './row.ts';

const BATCH_ROWS = 1000;

/**
 * Fills one batch; returns how many rows it filled. Run before the service reads the bank. Partial
 * indexes find the rows, so that a bank without such rows is not scanned at every start.
 */
export const fillChecksums = defineCommand(
  'fillChecksums',
  async (tx: Tx, _: null): Promise<number> =>
    (await fillCategories(tx)) +
    (await fillQuestions(tx)) +
    (await fillRevisions(tx)) +
    (await fillPostings(tx)),
);

async function fillCategories(tx: Tx): Promise<number> {
  const rows = await tx.all<CategoryRow>('SELECT * FROM categories WHERE checksum IS NULL');
  for (const row of rows)
    await tx.run('UPDATE categories SET checksum = $2 WHERE id = $1', row.id, computeCategoryChecksum(row));
  return rows.length;
}

async function fillQuestions(tx: Tx): Promise<number> {
  const rows = await tx.all<QuestionRow>(
    `SELECT * FROM questions WHERE checksum IS NULL ORDER BY created_slot LIMIT ${BATCH_ROWS}`,
  );
  if (rows.length === 0) return 0;
  await tx.run(
    `UPDATE questions SET checksum = v.checksum, public_checksum = v.public_checksum
     FROM ${tx.dialect.rows('$1', { slot: 'bigint', checksum: 'bigint', public_checksum: 'bigint' })} v
     WHERE created_slot = v.slot`,
    JSON.stringify(
      rows.map((row) => {
        const { checksum, public_checksum } = computeFirst(row);
        return [row.created_slot, checksum, public_checksum];
      }),
    ),
  );
  return rows.length;
}

async function fillRevisions(tx: Tx): Promise<number> {
  const rows = await tx.all<RevisionRow>(
    `SELECT * FROM revisions WHERE checksum IS NULL AND public_json IS NOT NULL
     ORDER BY question_id, revision LIMIT ${BATCH_ROWS}`,
  );
  if (rows.length === 0) return 0;
  await tx.run(
    `UPDATE revisions SET checksum = v.checksum
     FROM ${tx.dialect.rows('$1', { id: 'uuid', n: 'bigint', checksum: 'bigint' })} v
     WHERE question_id = v.id AND revision = v.n`,
    JSON.stringify(
      rows.map(({ question_id: id, revision, category_id, public_json, answer_json }) => {
        const { checksum } = computeFirst({
          ...{ id, category_id, public_json: public_json ?? '', answer_json: answer_json ?? '' },
        });
        return [id, revision, checksum];
      }),
    ),
  );
  return rows.length;
}

/** JSON that cannot be parsed was damaged before it had a checksum. It gets one that does not match. */
function computeFirst(row: Pick<QuestionRow, 'id' | 'category_id' | 'public_json' | 'answer_json'>) {
  const { checksum, public_checksum } = computeChecksums(row);
  try {
    parseFields({ ...row, status: 'approved' });
    return { checksum, public_checksum };
  } catch {
    return { checksum: ~checksum, public_checksum: ~public_checksum };
  }
}

async function fillPostings(tx: Tx): Promise<number> {
  const rows = await tx.all<Block & { facet: string }>(
    `SELECT facet, block, n, members FROM postings WHERE checksum IS NULL
     ORDER BY facet, block LIMIT ${BATCH_ROWS}`,
  );
  if (rows.length === 0) return 0;
  await tx.run(
    `UPDATE postings SET checksum = v.checksum
     FROM ${tx.dialect.rows('$1', { set_name: 'text', n: 'bigint', checksum: 'bigint' })} v
     WHERE facet = v.set_name AND block = v.n`,
    JSON.stringify(rows.map((row) => [row.facet, row.block, computeBlockChecksum(row.facet, row)])),
  );
  return rows.length;
}
