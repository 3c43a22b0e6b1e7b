/** A run of an analysis between its row and what is told of it. */
import type { QuestionFilter } from '../../schemas/question.ts';
import type { Tx } from '../db.ts';
import { type EventKind, emit } from '../events.ts';
import { time, type View } from '../questions/row.ts';

export type Status = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface AnalysisRow {
  id: string;
  client_id: string;
  type: string;
  /** 1 if it looks at answers: then there are two results, for those who may see them and for the others. */
  reads_answers: number;
  /** JSON: what is set, defaults included. */
  parameters: string;
  /** JSON: which questions; null where they were named by their ids. */
  filter: string | null;
  /** What whoever asked for it may see, and so search. */
  view: View;
  /** 1 if which questions it ran on tells of answers. */
  reveals_answers: number;
  status: Status;
  /** Counts the changes. */
  version: number;
  question_count: number;
  /** In thousandths. */
  progress: number;
  attempts: number;
  /** JSON: why it failed. */
  error: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

const COLUMNS = [
  ...[
    'id',
    'client_id',
    'type',
    'reads_answers',
    'parameters',
    'filter',
    'view',
    'reveals_answers',
    'status',
    'version',
  ],
  ...['question_count', 'progress', 'attempts', 'error', 'created_at', 'started_at', 'finished_at'],
];
export const ANALYSIS_COLUMNS = COLUMNS.join(', ');
/** The same of a run `a`, where another table is joined in. */
export const QUALIFIED_ANALYSIS_COLUMNS = COLUMNS.map((name) => `a.${name}`).join(', ');

/** What a worker is given. */
export interface Run {
  id: string;
  type: string;
  parameters: object;
  /** The criteria; nothing where the questions were named by their ids. */
  filter: QuestionFilter | undefined;
  view: View;
}

export const runOf = (row: AnalysisRow): Run => ({
  id: row.id,
  type: row.type,
  parameters: JSON.parse(row.parameters),
  filter: row.filter === null ? undefined : JSON.parse(row.filter),
  view: row.view,
});

/** Who may see answers sees the whole result, where there are two. */
export const resultView = (row: Pick<AnalysisRow, 'reads_answers'>, view: View): View =>
  row.reads_answers === 1 ? view : 'without_answers';

/** The same in SQL, of a run `a` and the parameter that says what the caller may see. */
export const RESULT_VIEW = (param: string) =>
  `CASE WHEN a.reads_answers = 1 THEN ${param} ELSE 'without_answers' END`;

/** Strong: the two results of a run are two representations. */
export const analysisEtag = (row: AnalysisRow, view: View) => `"${row.version}.${resultView(row, view)}"`;

const moment = (at: number | null) => (at === null ? 'null' : `"${time(at)}"`);

/** A run's record as JSON members; `summary` is JSON. */
export const recordMembers = (row: AnalysisRow, summary: string | null) =>
  `"id":"${row.id}","analysis_type":"${row.type}","status":"${row.status}","question_count":${row.question_count},` +
  `"parameters":${row.parameters},"filter":${row.filter},"progress":${row.progress / 1000},"attempts":${row.attempts},` +
  `"summary":${summary},"error":${row.error},"created_at":${moment(row.created_at)},` +
  `"started_at":${moment(row.started_at)},"finished_at":${moment(row.finished_at)}`;

/** Tells of a change of a run, as the row is now. */
export async function emitAnalysisEvent(
  tx: Tx,
  kind: Extract<EventKind, `analysis.${string}`>,
  at: number,
  row: Pick<AnalysisRow, 'id' | 'type' | 'status' | 'progress' | 'reveals_answers'>,
): Promise<void> {
  const subject = {
    analysis_id: row.id,
    analysis_type: row.type,
    status: row.status,
    progress: row.progress / 1000,
  };
  await emit(tx, { kind, at, subjects: [subject], reveals_answers: row.reveals_answers === 1 });
}
