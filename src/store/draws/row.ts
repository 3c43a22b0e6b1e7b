/** The row of a draw: the questions that were handed out, by revision, in their order. */
import { CLEANUP_BATCH_SIZE, type Db, defineCommand, type Tx } from '../db.ts';
import { bigint, defineTable, nullable, type RowOf, text, uuid } from '../table.ts';

/** After which answers an explanation is shown. */
export type ShownExplanation = 'when_correct' | 'always';

export const DRAWS = defineTable(
  'draws',
  {
    id: uuid,
    /** The client that drew. */
    client_id: text(),
    respondent: nullable(text()),
    seed: text(),
    /** JSON: `DrawnQuota` for each quota. */
    quotas: text(),
    /** JSON: `DrawnItem` for each question. */
    items: text(),
    /** JSON: the created slots of the questions. */
    slots: text(),
    created_at: bigint,
    /** When the explanation of a question is shown; null for never. */
    explain: nullable(text<ShownExplanation>()),
  },
  'id',
);

export type DrawRow = RowOf<typeof DRAWS>;

export interface DrawnQuota {
  asked: number;
  drawn: number;
}

/** A quota that cannot be met. */
export interface Shortage {
  /** The index of the quota. */
  quota: number;
  asked: number;
  /** The questions that the quota alone could take. */
  available: number;
  short: number;
}

export interface DrawnItem {
  id: string;
  revision: number;
  /** The category's name when the question was drawn. */
  category: string;
  /** The order of the options: indices of the stored ones. Null for a question without options. */
  order: number[] | null;
}

/** The slots of the questions that were handed out to a respondent, and the number of draws. */
export async function readHandedOut(db: Db, respondent: string): Promise<{ slots: number[]; draws: number }> {
  const rows = await db.all<Pick<DrawRow, 'slots'>>(
    'SELECT slots FROM draws WHERE respondent = $1',
    respondent,
  );
  return { slots: rows.flatMap(({ slots }): number[] => JSON.parse(slots)), draws: rows.length };
}

/** Deletes the draws of a respondent, and tokens for them. */
export async function deleteDrawsOf(tx: Tx, respondent: string): Promise<void> {
  await tx.run('DELETE FROM draws WHERE respondent = $1', respondent);
  await tx.run('DELETE FROM tokens WHERE respondent = $1', respondent);
}

const RETENTION_MS = 365 * 24 * 60 * 60 * 1000;

export const deleteOldDraws = defineCommand(
  'deleteOldDraws',
  async (tx: Tx, now: number): Promise<number> =>
    tx.run(
      `DELETE FROM draws WHERE id IN (SELECT id FROM draws WHERE created_at <= $1 LIMIT ${CLEANUP_BATCH_SIZE})`,
      now - RETENTION_MS,
    ),
);
