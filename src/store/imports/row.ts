/**
 * An import: a file of questions or responses, and what became of its items. It is a bulk change (changes/row.ts)
 * of the kind `import` with the same id, which is executed and cancelled like the others. An import of
 * questions is undone like them, too.
 */

import type { ChangeRow } from '../changes/row.ts';
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
import type { Visibility } from '../view.ts';

export type ImportKind = 'questions' | 'responses';

export const IMPORTS = defineTable(
  'imports',
  {
    id: uuid,
    /** What the file has. */
    kind: text<ImportKind>(),
    format: text(),
    file_name: nullable(text()),
    bytes: bigint,
    /** JSON: `ImportOptions` or `ResponseImportOptions`, by kind. */
    options: text(),
    /** JSON: an `ImportReport`. */
    report: text(),
    /** What rejected items need before them in a file of their own, such as the header of a table. */
    reject_head: nullable(bytea),
  },
  'id',
);
export type ImportRow = RowOf<typeof IMPORTS>;
export const IMPORT_COLUMNS = columnList(IMPORTS);

/** The file, in chunks of at most `CHUNK_BYTES`, until the import has ended. */
export const IMPORT_CHUNKS = defineTable(
  'import_chunks',
  { import_id: uuid, n: integer, stored_at: bigint, data: bytea },
  'import_id',
  'n',
);
export const CHUNK_BYTES = 256 * 1024;

/** The bytes of rejected items, by the number of the item in the file. */
export const IMPORT_REJECTS = defineTable(
  'import_rejects',
  { import_id: uuid, n: bigint, data: bytea },
  'import_id',
  'n',
);

export interface ImportOptions {
  dry_run: boolean;
  mode: 'skip_bad' | 'all_or_nothing';
  on_match: 'skip' | 'update' | 'error';
  create_categories: boolean;
  /** The category of new questions without one. */
  category?: string;
  /** The difficulty of new questions without one. */
  difficulty?: number;
  /** Names of categories by names in the file. */
  category_map?: Record<string, string>;
  encoding?: string;
  media?: 'reject' | 'drop';
  html_to?: 'text' | 'markdown';
  lenient?: boolean;
  /** How many questions the client may still create; absent without a limit. */
  max_questions?: number;
}

export interface ResponseImportOptions {
  dry_run: boolean;
  mode: 'skip_bad' | 'all_or_nothing';
  /** Of responses without one. */
  session?: string;
  group?: string;
  values?: 'scores' | 'answers';
  layout?: string;
  delimiter?: string;
  encoding?: string;
  /** Ids or `external_id`s of questions: in the order of the file, or by name or number. */
  questions?: string[] | Record<string, string>;
  columns?: Record<string, string>;
  missing?: Record<string, 'omitted' | 'not_reached'>;
  /** What the client may see: responses to other questions are not recorded. */
  visibility: Visibility;
}

/** The options of an import of any kind. */
export type AnyImportOptions = ImportOptions | ResponseImportOptions;

export interface ItemPosition {
  line: number;
  column?: number;
  path?: string;
}

/** What became of items: they were rejected or skipped, or something of them was lost or noticed. */
export type ReasonOutcome = 'rejected' | 'skipped' | 'noticed';

export interface Reason {
  outcome: ReasonOutcome;
  code: string;
  /** What the first one says. */
  detail: string;
  count: number;
  examples: (ItemPosition & { question_id?: string })[];
}

/** How a file of responses names a question: by any of these. */
export interface FileQuestion {
  /** In the order of the file, from 0. */
  index: number;
  name?: string;
  /** The id in the program that wrote the file. */
  id?: string;
  text?: string;
}

/** How a question of a file of responses was found in the bank. */
export interface QuestionMatch {
  name: string;
  question_id: string | null;
  matched_by: 'parameter' | 'id' | 'external_id' | 'text' | null;
}

export interface ImportReport {
  bytes_read: number;
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  skipped: number;
  rejected: number;
  new_categories: string[];
  reasons: Reason[];
  /** The change that undoes what an import of all or nothing had stored before it failed. */
  undo_id: string | null;
  /** The questions of a file of responses, by their keys (response-questions.ts). */
  matches?: Record<string, QuestionMatch>;
}

export const EMPTY_REPORT: ImportReport = {
  ...{ bytes_read: 0, read: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0 },
  ...{ new_categories: [], reasons: [], undo_id: null },
};

/** Positions that are listed for each reason. */
const MAX_EXAMPLES = 20;

export function addReason(
  report: ImportReport,
  { outcome, code, detail }: Pick<Reason, 'outcome' | 'code' | 'detail'>,
  example: Reason['examples'][number],
): void {
  let reason = report.reasons.find((each) => each.outcome === outcome && each.code === code);
  if (!reason) {
    reason = { outcome, code, detail, count: 0, examples: [] };
    report.reasons.push(reason);
  }
  reason.count++;
  if (reason.examples.length < MAX_EXAMPLES) reason.examples.push(example);
}

const OUTCOMES: ReasonOutcome[] = ['rejected', 'skipped', 'noticed'];
const compareReasons = (a: Reason, b: Reason) =>
  OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome) ||
  b.count - a.count ||
  (a.code < b.code ? -1 : 1);

const toTime = (at: number | null) => (at === null ? null : formatTime(at));

/** An import of questions as the API shows it. */
export function presentImport(row: ImportRow, change: ChangeRow) {
  const { max_questions: _, ...options }: ImportOptions = JSON.parse(row.options);
  const { bytes_read: __, reasons, matches: ___, ...counts }: ImportReport = JSON.parse(row.report);
  const { id, ...common } = presentCommon(row, change);
  return { id, kind: row.kind, ...common, options, ...counts, reasons: reasons.toSorted(compareReasons) };
}
export type PresentedImport = ReturnType<typeof presentImport>;

/** An import of responses as the API shows it. */
export function presentResponseImport(row: ImportRow, change: ChangeRow) {
  const { visibility: _, ...options }: ResponseImportOptions = JSON.parse(row.options);
  const report: ImportReport = JSON.parse(row.report);
  const { read, created, updated, unchanged, skipped, rejected, reasons, matches = {} } = report;
  return {
    ...presentCommon(row, change),
    options,
    ...{ read, created, updated, unchanged, skipped, rejected },
    matches: Object.values(matches).slice(0, MAX_MATCHES),
    reasons: reasons.toSorted(compareReasons),
  };
}
export type PresentedResponseImport = ReturnType<typeof presentResponseImport>;

const MAX_MATCHES = 500;

function presentCommon({ id, format, file_name, bytes, options, report }: ImportRow, change: ChangeRow) {
  const { bytes_read }: ImportReport = JSON.parse(report);
  return {
    id,
    status: change.status,
    format,
    file_name,
    bytes,
    by: { client: change.client_id, key: change.key_id },
    progress: computeProgress(change, bytes_read / Math.max(1, bytes), JSON.parse(options)),
    error: change.error === null ? null : JSON.parse(change.error),
    created_at: formatTime(change.created_at),
    started_at: toTime(change.started_at),
    finished_at: toTime(change.finished_at),
  };
}

/** The share of the file that was read. An import of all or nothing reads it twice. */
function computeProgress(
  { status, phase }: ChangeRow,
  share: number,
  { mode, dry_run }: AnyImportOptions,
): number {
  if (status === 'succeeded') return 1;
  const passes = mode === 'all_or_nothing' && !dry_run ? 2 : 1;
  const before = passes === 2 && phase === 'questions' ? 1 : 0;
  return Math.min(0.99, Math.floor((100 * (before + share)) / passes) / 100);
}
