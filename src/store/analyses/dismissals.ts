/** Dismisses findings, and withdraws and lists dismissals. See findings/dismissals.ts. */
import { errors } from '../../errors.ts';
import { type Db, defineCommand, defineQuery, type Tx } from '../db.ts';
import { DISMISSALS, type DismissalRow } from '../findings/dismissals.ts';
import { canonicalId } from '../ids.ts';
import { joinTexts, limitBytes, toSized } from '../page-bytes.ts';
import { lockQuestion, parseId } from '../questions/row.ts';
import { columnList } from '../table.ts';
import { formatTime } from '../time.ts';
import type { Visibility } from '../view.ts';

export interface NewDismissal {
  question_id: string;
  type: string;
  name: string;
  reason: string;
  /** The revision that was judged; undefined for the current one. */
  revision: number | undefined;
  by: { client: string; key: string | null };
}

const toDismissal = (row: DismissalRow & { current: number | null }) => ({
  question_id: row.question_id,
  analysis_type: row.type,
  name: row.name,
  revision: row.revision,
  reason: row.reason,
  dismissed_by: row.dismissed_by,
  dismissed_key: row.dismissed_key,
  dismissed_at: formatTime(row.dismissed_at),
  active: row.current === row.revision,
});

export type Dismissal = ReturnType<typeof toDismissal>;

/**
 * Dismisses a finding of the question at its revision; again, with another reason. A finding that no
 * run has reported yet can be dismissed, too.
 */
export const dismissFinding = defineCommand(
  'dismissFinding',
  async (tx: Tx, { question_id, type, name, reason, revision, by }: NewDismissal): Promise<Dismissal> => {
    const question = await lockQuestion(tx, parseId(question_id));
    if (!question) throw errors.noSuchQuestion(question_id);
    if (revision !== undefined && revision !== question.revision)
      throw errors.revisionChanged(question.id, question.revision);
    const row: DismissalRow = {
      question_id: question.id,
      type,
      name,
      revision: question.revision,
      reason,
      dismissed_by: by.client,
      dismissed_key: by.key,
      dismissed_at: Date.now(),
    };
    await tx.insert(
      DISMISSALS,
      [row],
      `ON CONFLICT (question_id, type, name, revision) DO UPDATE SET reason = excluded.reason,
         dismissed_by = excluded.dismissed_by, dismissed_key = excluded.dismissed_key, dismissed_at = excluded.dismissed_at`,
    );
    return toDismissal({ ...row, current: question.revision });
  },
);

/** Withdraws the dismissal that holds for a question at its current revision, if there is one. */
export const withdrawDismissal = defineCommand(
  'withdrawDismissal',
  async (tx: Tx, { question_id, type, name }: { question_id: string; type: string; name: string }) => {
    const question = await lockQuestion(tx, parseId(question_id));
    if (!question) throw errors.noSuchQuestion(question_id);
    await tx.run(
      'DELETE FROM dismissals WHERE question_id = $1 AND type = $2 AND name = $3 AND revision = $4',
      question.id,
      type,
      name,
      question.revision,
    );
    return null;
  },
);

export interface DismissalQuery {
  question_id: string | undefined;
  /** Only those that hold, or only those that do not. */
  active: boolean | undefined;
  visibility: Visibility;
  limit: number;
  offset: number;
  maxBytes: number;
}

/** The question is approved, or was when it was deleted. */
const VISIBLE_TO_READERS = `(q.status = 'approved' OR (q.id IS NULL AND EXISTS (
  SELECT 1 FROM revisions r WHERE r.question_id = d.question_id AND r.action = 'deleted' AND r.status = 'approved')))`;

/** The newest first. `items` are JSON objects separated by commas. */
export const listDismissals = defineQuery('listDismissals', async (db: Db, query: DismissalQuery) => {
  const { question_id, active, visibility, limit, offset, maxBytes } = query;
  const params: (string | number)[] = [];
  const conditions = [visibility === 'all' ? '1 = 1' : VISIBLE_TO_READERS];
  if (question_id !== undefined) {
    const id = canonicalId(question_id);
    conditions.push(id ? `d.question_id = $${params.push(id)}` : '1 = 0');
  }
  if (active !== undefined)
    conditions.push(active ? 'q.revision = d.revision' : '(q.revision IS NULL OR q.revision <> d.revision)');
  const from = `FROM dismissals d LEFT JOIN questions q ON q.id = d.question_id WHERE ${conditions.join(' AND ')}`;
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ n: number }>(`SELECT count(*) AS n ${from}`, ...params);
    const rows = await tx.all<DismissalRow & { current: number | null }>(
      `SELECT ${columnList(DISMISSALS, 'd')}, q.revision AS current ${from}
       ORDER BY d.dismissed_at DESC, d.question_id DESC, d.type DESC, d.name DESC, d.revision DESC
       LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      ...params,
      limit,
      offset,
    );
    const items = limitBytes(
      rows.map((row) => toSized(JSON.stringify(toDismissal(row)))),
      maxBytes,
    );
    return { items: joinTexts(items), n: items.length, total: counted!.n, offset, last: undefined };
  });
});
