/** What the latest runs found in one question. */
import { errors } from '../../errors.ts';
import { type Db, defineQuery } from '../db.ts';
import { type DismissalRow, listDismissalsOf } from '../findings/dismissals.ts';
import { bytePosition, hasBit } from '../index/bitmaps.ts';
import { toBlock } from '../index/slots.ts';
import { parseId } from '../questions/row.ts';
import { isVisibleSql } from '../questions/status.ts';
import type { View, Visibility } from '../view.ts';
import { getResultView, ITEMS_PER_BLOCK } from './row.ts';
import { findRowsOfQuestion, readItemBlocks } from './row-index.ts';

/** The latest run of a type that covered a question. */
export interface LatestRun {
  id: string;
  type: string;
  finished_at: number;
  /** Whether the question has been updated since; undefined without answers. */
  stale: boolean | undefined;
  /** The numbers of the rows about the question, and the compressed blocks that have them. */
  rows: number[];
  blocks: { block: number; lines: Uint8Array }[];
}

interface QuestionSlotsRow {
  id: string;
  created_slot: number;
  updated_slot: number;
  revision: number;
}

export const findLatestRuns = defineQuery(
  'findLatestRuns',
  async (
    db: Db,
    { id, view, visibility, without }: { id: string; view: View; visibility: Visibility; without: string[] },
  ): Promise<{ runs: LatestRun[]; dismissals: DismissalRow[] }> =>
    db.snapshot(async (tx) => {
      const question = await tx.get<QuestionSlotsRow>(
        `SELECT q.id, q.created_slot, q.updated_slot, q.revision FROM questions q
         WHERE q.id = $1 AND ${isVisibleSql('q', visibility)}`,
        parseId(id),
      );
      if (!question) throw errors.noSuchQuestion(id);
      const latest = (await listRunsOn(tx, question.created_slot, view)).filter(
        ({ type }) => !without.includes(type),
      );
      const runs: LatestRun[] = [];
      for (const { id, type, finished_at, reads_answers } of latest) {
        const result = { id, view: getResultView({ reads_answers }, view) };
        const rows = await findRowsOfQuestion(tx, result, question.created_slot);
        const blocks = await readItemBlocks(tx, result, [
          ...new Set(rows.map((row) => Math.floor(row / ITEMS_PER_BLOCK))),
        ]);
        const stale = view === 'with_answers' ? await isStale(tx, id, question) : undefined;
        runs.push({ id, type, finished_at, stale, rows, blocks });
      }
      const dismissals = view === 'with_answers' ? await listDismissalsOf(tx, question) : [];
      return { runs, dismissals };
    }),
);

interface RunOnQuestion {
  id: string;
  type: string;
  finished_at: number;
  reads_answers: number;
}

/** The latest run of each type that covered the question at a slot, by type. */
async function listRunsOn(db: Db, slot: number, view: View): Promise<RunOnQuestion[]> {
  const rows = await db.all<RunOnQuestion & { byte: Uint8Array }>(
    `SELECT a.id, a.type, a.finished_at, a.reads_answers, substr(m.members, $2, 1) AS byte
     FROM analysis_questions m JOIN analyses a ON a.id = m.analysis_id
     WHERE m.block = $1 AND a.status = 'succeeded' AND a.definition_version IS NOT NULL
       AND (a.reveals_answers = 0 OR $3 = 'with_answers')
     ORDER BY a.finished_at DESC, a.id DESC`,
    toBlock(slot),
    bytePosition(slot),
    view,
  );
  const latest = new Map<string, RunOnQuestion>();
  for (const { byte, ...run } of rows) if (hasBit(byte, slot)) latest.getOrInsert(run.type, run);
  return [...latest.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** Whether a question has been updated since a run read it. */
async function isStale(
  db: Db,
  analysisId: string,
  { created_slot, updated_slot }: QuestionSlotsRow,
): Promise<boolean> {
  if (updated_slot === created_slot) return false;
  const row = await db.get<{ byte: Uint8Array }>(
    'SELECT substr(members, $3, 1) AS byte FROM analysis_revisions WHERE analysis_id = $1 AND block = $2',
    analysisId,
    toBlock(updated_slot),
    bytePosition(updated_slot),
  );
  return !row || !hasBit(row.byte, updated_slot);
}
