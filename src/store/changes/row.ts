/**
 * A bulk change: a set of questions that was resolved when it was requested, and what is done to
 * each. It is executed in chunks, each one transaction that also stores how far the change has come
 * (advance.ts), so that a process that ends in the middle leaves nothing half done.
 */
import type { BulkFields } from '../../schemas/change.ts';
import type { CategoryRow } from '../questions/category-row.ts';
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

export type ChangeStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
export type ChangeKind =
  | 'update'
  | 'delete'
  | 'apply_remedy'
  | 'merge_questions'
  | 'merge_categories'
  | 'import'
  | 'undo';

/** What is done to each question of a change. */
export type Step =
  | { type: 'update'; change: BulkFields; category_id: number | null }
  | { type: 'delete' }
  | { type: 'apply_remedy'; analysis_id: string; rules: string[] | null }
  /** Reverts the revisions that another change made. */
  | { type: 'revert'; of: string };

export interface QuestionRef {
  id: string;
  slot: number;
}

/** What is done after the questions, or undone. */
export type Effect =
  /** Deletes categories once they are empty. */
  | { type: 'categories'; target: number; categories: CategoryRow[]; joined: boolean }
  /** Deletes categories that an import created, as far as they are empty; if `joined`, nothing. */
  | { type: 'new_categories'; categories: CategoryRow[]; joined: boolean }
  /** Moves responses to the survivor; if not `joined`, back to where they were before change `of`. */
  | { type: 'responses'; survivor: QuestionRef; merged: QuestionRef[]; joined: boolean; of: string };

export interface Plan {
  /** Null if the questions were changed when the change was requested. */
  step: Step | null;
  effect: Effect | null;
}

/** `questions`, then `effect` if the plan has one. Of an import: `check`, `questions` or both. */
export type Phase = 'check' | 'questions' | 'effect';

export const CHANGES = defineTable(
  'changes',
  {
    id: uuid,
    client_id: text(),
    /** The id of the key; null for a session. */
    key_id: nullable(text()),
    kind: text<ChangeKind>(),
    /** JSON: the request, as the API shows it. */
    request: text(),
    /** JSON: a `Plan`. */
    plan: text(),
    status: text<ChangeStatus>(),
    phase: text<Phase>(),
    /** Where the next chunk begins: a slot, a row of a result, or a block, by step and effect. */
    next_position: bigint,
    question_count: bigint,
    processed: bigint,
    changed: bigint,
    unchanged: bigint,
    refused: bigint,
    /** Responses that have been moved. */
    responses: bigint,
    /** JSON: `Reasons`. */
    reasons: text(),
    /** The number of rows in `change_results`. */
    result_blocks: integer,
    /** The process that executes the change, and until when by the database's clock. */
    lease: nullable(text()),
    lease_until: nullable(bigint),
    /** JSON. */
    error: nullable(text()),
    created_at: bigint,
    /** When a process last took the change. Changes take turns by it. */
    claimed_at: nullable(bigint),
    started_at: nullable(bigint),
    finished_at: nullable(bigint),
  },
  'id',
);

export type ChangeRow = RowOf<typeof CHANGES>;

export const CHANGE_COLUMNS = columnList(CHANGES);

/** The slots of the questions of a change. */
export const CHANGE_QUESTIONS = defineTable(
  'change_questions',
  { change_id: uuid, block: bigint, members: bytea },
  'change_id',
  'block',
);

/** The revisions that a change made, in blocks of one chunk: what an undo reverts. */
export const CHANGE_RESULTS = defineTable(
  'change_results',
  { change_id: uuid, block: integer, revisions: bytea },
  'change_id',
  'block',
);

/** Why questions were refused, by code. */
export type Reasons = Record<string, { count: number; ids: string[] }>;

/** Ids that are listed for each reason. */
const MAX_LISTED_IDS = 100;

export function addReason(reasons: Reasons, code: string, id: string): void {
  reasons[code] ??= { count: 0, ids: [] };
  const reason = reasons[code];
  reason.count++;
  if (reason.ids.length < MAX_LISTED_IDS) reason.ids.push(id);
}

export const presentReasons = (reasons: Reasons) =>
  Object.entries(reasons).map(([code, { count, ids }]) => ({ code, count, question_ids: ids }));

const toTime = (at: number | null) => (at === null ? null : formatTime(at));

/** A change as the API shows it. */
export const presentChange = (row: ChangeRow) => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  by: { client: row.client_id, key: row.key_id },
  request: JSON.parse(row.request),
  question_count: row.question_count,
  processed: row.processed,
  progress: computeProgress(row),
  changed: row.changed,
  unchanged: row.unchanged,
  refused: row.refused,
  responses_moved: row.responses,
  reasons: presentReasons(JSON.parse(row.reasons)),
  error: row.error === null ? null : JSON.parse(row.error),
  created_at: formatTime(row.created_at),
  started_at: toTime(row.started_at),
  finished_at: toTime(row.finished_at),
});

/** Complete only when the change has succeeded: after the questions it may move responses. */
export function computeProgress({
  status,
  processed,
  question_count,
}: Pick<ChangeRow, 'status' | 'processed' | 'question_count'>): number {
  if (status === 'succeeded') return 1;
  return question_count === 0 ? 0 : Math.min(0.99, Math.floor((100 * processed) / question_count) / 100);
}
