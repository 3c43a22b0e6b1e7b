/**
 * Reports of faults in questions by respondents. There is one report per respondent, question and
 * revision. Reporting neither hides a question nor discloses whether a report is the first: that
 * would disclose a new revision, and so a change of the answer.
 */
import { errors } from '../../errors.ts';
import type { Report, ReportInput, ReportQuery, ReportResolution } from '../../schemas/report.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { emit } from '../events.ts';
import { canonicalId, uuidv7 } from '../ids.ts';
import { joinTexts, limitBytes, toSized } from '../page-bytes.ts';
import { parseId, requireKnownQuestion } from '../questions/row.ts';
import { isVisibleSql } from '../questions/status.ts';
import type { Visibility } from '../view.ts';
import { REPORTS, type ReportRow, toReport } from './row.ts';

/** The event `question.reported` is emitted when so many respondents have reported a revision. */
const MIN_REPORTERS = 3;

export interface NewReport {
  question_id: string;
  /** The client that sends the report. */
  client: string;
  report: ReportInput;
  at: number;
  visibility: Visibility;
}

export const reportQuestion = defineCommand(
  'reportQuestion',
  async (tx: Tx, { question_id, client, report, at, visibility }: NewReport): Promise<null> => {
    const id = parseId(question_id);
    // Reports of a question are counted one after the other.
    await tx.lock(`reports ${id}`);
    const question = await tx.get<{ revision: number }>(
      `SELECT q.revision FROM questions q WHERE q.id = $1 AND ${isVisibleSql('q', visibility)}`,
      id,
    );
    if (!question) throw errors.noSuchQuestion(question_id);
    const { reason, comment = null, respondent = null, answer } = report;
    const { revision } = question;
    const reporter = respondent === null ? `client ${client}` : `respondent ${respondent}`;
    const given = answer == null ? null : JSON.stringify(answer);
    const replaced = await tx.run(
      `UPDATE reports SET client_id = $4, reason = $5, comment = $6, answer = $7, updated_at = $8, status = 'open',
              outcome = NULL, note = NULL, resolved_by = NULL, resolved_at = NULL
       WHERE question_id = $1 AND revision = $2 AND reporter = $3`,
      ...[id, revision, reporter, client, reason, comment, given, at],
    );
    if (replaced > 0) return null;
    await tx.insert(REPORTS, [
      {
        ...{ id: uuidv7(at), question_id: id, revision, reporter, client_id: client, respondent },
        ...{ reason, comment, answer: given, status: 'open', created_at: at, updated_at: at },
      },
    ]);
    const counted = await tx.get<{ n: number }>(
      'SELECT count(*) AS n FROM reports WHERE question_id = $1 AND revision = $2',
      id,
      revision,
    );
    if (counted!.n === MIN_REPORTERS)
      await emit(tx, { kind: 'question.reported', at, subjects: [id], audience: 'maintainers' });
    return null;
  },
);

export interface ReportListArgs {
  filter: Omit<ReportQuery, 'limit' | 'offset'>;
  /** Whether the question of the filter has to exist, or to have existed. */
  ofKnownQuestion: boolean;
  limit: number;
  offset: number;
  /** The maximum length of the items in UTF-8. A page has at least one item. */
  maxBytes: number;
}

/** Lists reports, newest first, as JSON texts separated by commas. */
export function listReports(db: Db, args: ReportListArgs) {
  const { filter, ofKnownQuestion, limit, offset, maxBytes } = args;
  const { status, reason, question_id } = filter;
  const params: string[] = [];
  const conditions: string[] = [];
  const where = (column: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`${column} = $${params.push(value)}`);
  };
  where('status', status);
  where('reason', reason);
  const id = question_id === undefined ? undefined : canonicalId(question_id);
  where('question_id', id);
  if (question_id !== undefined && id === undefined) conditions.push('false');
  const condition = conditions.join(' AND ') || 'true';
  return db.snapshot(async (tx) => {
    if (ofKnownQuestion) await requireKnownQuestion(tx, question_id!);
    const counted = await tx.get<{ n: number }>(
      `SELECT count(*) AS n FROM reports WHERE ${condition}`,
      ...params,
    );
    const rows = await tx.all<ReportRow>(
      `SELECT * FROM reports WHERE ${condition}
       ORDER BY id DESC LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      ...params,
      limit,
      offset,
    );
    const items = limitBytes(
      rows.map((row) => toSized(JSON.stringify(toReport(row)))),
      maxBytes,
    );
    return { items: joinTexts(items), n: items.length, total: counted!.n, offset, last: undefined };
  });
}

export interface Resolution extends ReportResolution {
  id: string;
  client: string;
  at: number;
}

export const resolveReport = defineCommand(
  'resolveReport',
  async (tx: Tx, { id, outcome, note = null, client, at }: Resolution): Promise<Report> => {
    const canonical = canonicalId(id);
    const row =
      canonical &&
      (await tx.get<ReportRow>(
        `UPDATE reports SET status = 'resolved', outcome = $2, note = $3, resolved_by = $4, resolved_at = $5, updated_at = $5
         WHERE id = $1 RETURNING *`,
        ...[canonical, outcome, note, client, at],
      ));
    if (!row) throw errors.noSuchReport(id);
    return toReport(row);
  },
);

/** Deletes the reports of a respondent. */
export async function deleteReportsOf(tx: Tx, respondent: string): Promise<void> {
  await tx.run('DELETE FROM reports WHERE respondent = $1', respondent);
}

/**
 * Counts the open reports of each question that has some, those of deleted questions left out: by
 * created slot, ascending.
 */
export async function countOpenReports(db: Db): Promise<Map<number, number>> {
  const rows = await db.all<{ slot: number; reports: number }>(
    `SELECT q.created_slot AS slot, r.reports
     FROM (SELECT question_id, count(*) AS reports FROM reports WHERE status = 'open' GROUP BY question_id) r
     JOIN questions q ON q.id = r.question_id ORDER BY q.created_slot`,
  );
  return new Map(rows.map(({ slot, reports }) => [slot, reports]));
}
