/** The row of a report, and its JSON. */
import type { Report, ReportOutcome, ReportReason, ReportStatus } from '../../schemas/report.ts';
import { bigint, defineTable, integer, nullable, type RowOf, text, uuid } from '../table.ts';
import { formatTime } from '../time.ts';

export const REPORTS = defineTable(
  'reports',
  {
    id: uuid,
    question_id: uuid,
    /** The current revision of the question when it was reported. */
    revision: integer,
    /** Identifies who has one report per revision: the respondent or, without one, the client. */
    reporter: text(),
    /** The client that sent the report. */
    client_id: text(),
    respondent: nullable(text()),
    reason: text<ReportReason>(),
    comment: nullable(text()),
    /** The answer that the respondent gave, as JSON. */
    answer: nullable(text()),
    status: text<ReportStatus>(),
    outcome: nullable(text<ReportOutcome>()),
    note: nullable(text()),
    resolved_by: nullable(text()),
    resolved_at: nullable(bigint),
    created_at: bigint,
    updated_at: bigint,
  },
  'id',
);

export type ReportRow = RowOf<typeof REPORTS>;

export const toReport = ({ reporter, answer, ...row }: ReportRow): Report => ({
  ...row,
  answer: answer === null ? null : JSON.parse(answer),
  resolved_at: row.resolved_at === null ? null : formatTime(row.resolved_at),
  created_at: formatTime(row.created_at),
  updated_at: formatTime(row.updated_at),
});
