/** The row of a run, and its representations: in the API, in events, and for a worker. */
import type { QuestionFilter } from '../../schemas/question-filter.ts';
import type { Tx } from '../db.ts';
import { type EventKind, emit } from '../events.ts';
import {
  bigint,
  bytea,
  columnList,
  defineTable,
  integer,
  nullable,
  type RowOf,
  text,
  uuid,
} from '../table.ts';
import { formatTime } from '../time.ts';
import type { View } from '../view.ts';

export type Status = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export const ANALYSES = defineTable(
  'analyses',
  {
    id: uuid,
    client_id: text(),
    type: text(),
    /** 1 if the analysis reads answers; then it has a result for each view. */
    reads_answers: integer,
    /** JSON, with defaults. */
    parameters: text(),
    /** JSON; null where the questions are given by id. */
    filter: nullable(text()),
    /** The view of the client that started the run: what its filter may search. */
    view: text<View>(),
    /** 1 if the selection of questions reveals answers. */
    reveals_answers: integer,
    /** 1 if the run may include questions that are not approved. */
    unapproved: integer,
    status: text<Status>(),
    /** Counts the changes of the row. */
    version: integer,
    question_count: bigint,
    /** In thousandths. */
    progress: integer,
    attempts: integer,
    /** The attempt that has the run, and until when by the database's clock. */
    lease: nullable(text()),
    lease_until: nullable(bigint),
    /** JSON. */
    error: nullable(text()),
    created_at: bigint,
    started_at: nullable(bigint),
    finished_at: nullable(bigint),
    /** The version of the analysis, of a run that succeeded; null once another version is current. */
    definition_version: nullable(integer),
  },
  'id',
);

export type AnalysisRow = RowOf<typeof ANALYSES>;

export const ANALYSIS_COLUMNS = columnList(ANALYSES);

export const ANALYSIS_RESULTS = defineTable(
  'analysis_results',
  {
    analysis_id: uuid,
    view: text<View | 'abilities'>(),
    /** JSON. */
    head: text(),
    summary: text(),
    items: bigint,
    figure: text(),
    figures: text(),
  },
  'analysis_id',
  'view',
);

/** Rows of a result in one row of `analysis_items`. */
export const ITEMS_PER_BLOCK = 1000;

export const ANALYSIS_ITEMS = defineTable(
  'analysis_items',
  { analysis_id: uuid, view: text<View | 'abilities'>(), block: integer, lines: bytea },
  'analysis_id',
  'view',
  'block',
);

/** The slots of the questions that a run was given or selected. */
export const ANALYSIS_QUESTIONS = defineTable(
  'analysis_questions',
  { analysis_id: uuid, block: bigint, members: bytea },
  'analysis_id',
  'block',
);

/**
 * The slots at which the questions of a run were last updated, where that is not their first slot:
 * a question whose last slot is not among them has been updated since.
 */
export const ANALYSIS_REVISIONS = defineTable(
  'analysis_revisions',
  { analysis_id: uuid, block: bigint, members: bytea },
  'analysis_id',
  'block',
);

/** A run as a worker needs it. */
export interface Run {
  id: string;
  type: string;
  parameters: object;
  /** Undefined where the questions were given by their ids. */
  filter: QuestionFilter | undefined;
  view: View;
  unapproved: boolean;
}

export const toRun = (row: AnalysisRow): Run => ({
  id: row.id,
  type: row.type,
  parameters: JSON.parse(row.parameters),
  filter: row.filter === null ? undefined : JSON.parse(row.filter),
  view: row.view,
  unapproved: row.unapproved === 1,
});

/** The result that a caller with this view is shown. */
export const getResultView = (row: Pick<AnalysisRow, 'reads_answers'>, view: View): View =>
  row.reads_answers === 1 ? view : 'without_answers';

/** A strong ETag: the results of the two views are two representations. */
export const formatEtag = (row: AnalysisRow, view: View) => `"${row.version}.${getResultView(row, view)}"`;

const toJsonTime = (at: number | null) => (at === null ? 'null' : `"${formatTime(at)}"`);

/** The columns of a run in a list: without its parameters, which may be large. */
const LISTED = [
  ...(['id', 'type', 'status', 'question_count', 'filter', 'progress', 'attempts', 'error'] as const),
  ...(['created_at', 'started_at', 'finished_at'] as const),
] as const;

export type ListedRow = Pick<AnalysisRow, (typeof LISTED)[number]>;

export const LISTED_COLUMNS = LISTED.join(', ');

/** The members of a run's JSON object, without its parameters and its result. */
export const formatRecord = (row: ListedRow) =>
  `"id":"${row.id}","analysis_type":"${row.type}","status":"${row.status}","question_count":${row.question_count},` +
  `"filter":${row.filter},"progress":${row.progress / 1000},"attempts":${row.attempts},` +
  `"error":${row.error},"created_at":${toJsonTime(row.created_at)},` +
  `"started_at":${toJsonTime(row.started_at)},"finished_at":${toJsonTime(row.finished_at)}`;

export async function emitAnalysisEvent(
  tx: Tx,
  kind: Extract<EventKind, `analysis.${string}`>,
  at: number,
  row: Pick<AnalysisRow, 'id' | 'type' | 'status' | 'progress' | 'reveals_answers' | 'unapproved'>,
): Promise<void> {
  const subject = {
    analysis_id: row.id,
    analysis_type: row.type,
    status: row.status,
    progress: row.progress / 1000,
  };
  await emit(tx, {
    kind,
    at,
    subjects: [subject],
    reveals_answers: row.reveals_answers === 1,
    audience: row.unapproved === 1 ? 'editors' : 'all',
  });
}
