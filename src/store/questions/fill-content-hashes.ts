/** Computes the content hashes of questions that were stored before questions had one. */
import { lockBankState } from '../bank-state.ts';
import { defineCommand, type Tx } from '../db.ts';
import { isSound } from './checksums.ts';
import { computeContentHash } from './content-hash.ts';
import { parseFields, type QuestionRow } from './row.ts';

const BATCH_ROWS = 1000;
/** A damaged question has no content to compare. */
const DAMAGED_HASH = 0;

/** Fills one batch; returns how many rows it filled. Run after `fillChecksums` and `fillKinds`. */
export const fillContentHashes = defineCommand(
  'fillContentHashes',
  async (tx: Tx, _: null): Promise<number> => {
    await lockBankState(tx);
    const rows = await tx.all<QuestionRow>(
      `SELECT * FROM questions WHERE content_hash IS NULL ORDER BY created_slot LIMIT ${BATCH_ROWS}`,
    );
    if (rows.length === 0) return 0;
    await tx.run(
      `UPDATE questions SET content_hash = v.hash
       FROM ${tx.dialect.rows('$1', { slot: 'bigint', hash: 'bigint' })} v WHERE created_slot = v.slot`,
      JSON.stringify(
        rows.map((row) => [
          row.created_slot,
          isSound(row) ? computeContentHash(parseFields(row).question_text) : DAMAGED_HASH,
        ]),
      ),
    );
    return rows.length;
  },
);
