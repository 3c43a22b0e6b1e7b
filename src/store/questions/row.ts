/**
 * The row of a question. Its JSON is rendered once, when it is stored: a list mostly sends text.
 * The category's name is put in when a question is read, so that renaming a category rewrites no
 * question.
 */
import { hash } from 'node:crypto';
import { errors } from '../../errors.ts';
import type { Status } from '../../schemas/status.ts';
import type { Db, Tx, Utf8 } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { bigint, columnNames, defineTable, integer, nullable, type RowOf, text, uuid } from '../table.ts';
import { formatTime } from '../time.ts';
import type { View } from '../view.ts';
import { arrangeChoices } from './choices.ts';
import { type QuestionFields, toFields } from './fields.ts';
import { kindOf } from './kind.ts';

export type Action = 'created' | 'updated' | 'deleted' | 'restored' | 'status_changed';

export const QUESTIONS = defineTable(
  'questions',
  {
    created_slot: bigint,
    updated_slot: bigint,
    id: uuid,
    category_id: bigint,
    external_id: nullable(text()),
    revision: integer,
    action: text<Action>(),
    created_at: bigint,
    updated_at: bigint,
    /**
     * JSON members that every caller may see. `bodyOf` puts the id and the category before them.
     */
    public_json: text(),
    /** JSON members that reveal the answer, or that it has changed. */
    answer_json: text(),
    /** See checksums.ts. Null until `fillChecksums` has run. */
    checksum: nullable(integer),
    public_checksum: nullable(integer),
    /** The client that created the question; null where it is not known. */
    created_by: nullable(text()),
    /** The size of both JSON columns, for quotas. */
    content_bytes: nullable(integer),
    /** See origin.ts. Null where it is not known. */
    changed_by: nullable(text()),
    changed_key: nullable(text()),
    change_id: nullable(text()),
    status: text<Status>(),
    /** Why the status was changed. */
    reason: nullable(text()),
    /** See content-hash.ts. Null until `fillContentHashes` has run. */
    content_hash: nullable(bigint),
  },
  'created_slot',
);

export type QuestionRow = RowOf<typeof QUESTIONS>;

const COLUMN_NAMES = columnNames(QUESTIONS) as (keyof QuestionRow)[];

export const SLOT_COLUMN = { created: 'created_slot', updated: 'updated_slot' } as const;

/**
 * Superseded revisions. A deletion is a revision without JSON, and so is a revision that was damaged
 * when it was superseded.
 */
export const REVISIONS = defineTable(
  'revisions',
  {
    question_id: uuid,
    revision: integer,
    action: text<Action>(),
    at: bigint,
    created_slot: bigint,
    created_at: bigint,
    category_id: bigint,
    /** The category's name as JSON text, for a category that is deleted later. */
    category: text(),
    public_json: nullable(text()),
    answer_json: nullable(text()),
    /** That of the question when it had this revision. */
    checksum: nullable(integer),
    /** See origin.ts. Null where it is not known. */
    changed_by: nullable(text()),
    changed_key: nullable(text()),
    change_id: nullable(text()),
    status: text<Status>(),
    /** Why the status was changed. */
    reason: nullable(text()),
  },
  'question_id',
  'revision',
);

export type RevisionRow = RowOf<typeof REVISIONS>;

interface CategoryOfRow {
  /** The category's name as JSON text. */
  category: string;
  category_version: number;
}

/**
 * A stored question before it is rendered for a view. Plain data: it may come from another thread.
 */
export interface StoredQuestion extends CategoryOfRow {
  id: string;
  revision: number;
  status: Status;
  /** The revision waits for approval; see pending.ts. */
  pending?: { base_revision: number; state: string; authors: string[] };
  public_json: string;
  answer_json: string;
}

/** Renders what precedes a question's stored members. */
export const renderHead = (
  { id, category, status }: Pick<StoredQuestion, 'id' | 'category' | 'status'>,
  view: View,
) => `{"id":"${id}","category":${category},${view === 'with_answers' ? `"status":"${status}",` : ''}`;

/** Renders a question for a view. */
export const renderQuestion = (row: StoredQuestion, view: View) =>
  `${renderHead(row, view)}${row.public_json}${view === 'with_answers' ? `,${row.answer_json}` : ''}${
    row.pending ? `,"pending":${JSON.stringify(row.pending)}` : ''
  }}`;

/** `bodyOf` in SQL, of a question `q` and its category `c`. */
export const QUESTION_JSON: Record<View, string> = {
  with_answers: `'{"id":"' || q.id || '","category":' || c.name_json || ',"status":"' || q.status || '",' || q.public_json || ',' || q.answer_json || '}'`,
  without_answers: `'{"id":"' || q.id || '","category":' || c.name_json || ',' || q.public_json || '}'`,
};

/**
 * A strong ETag: changes with the body, also when the category is renamed, and with nothing else.
 */
export const computeEtag = (row: StoredQuestion, view: View) =>
  view === 'with_answers' ? etagWithAnswers(row) : etagOfBody(renderQuestion(row, 'without_answers'));

export const etagWithAnswers = (row: Pick<StoredQuestion, 'revision' | 'category_version' | 'pending'>) =>
  formatEtag(row.revision, row.category_version, row.pending !== undefined);

export const formatEtag = (revision: number, categoryVersion: number, isPending: boolean) =>
  `"${revision}.${categoryVersion}${isPending ? '.pending' : ''}"`;

/** A hash of the body. For a question without answers, the revision would reveal their change. */
export const etagOfBody = (body: Utf8) => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

interface Version {
  revision: number;
  created_at: number;
  updated_at: number;
}

/**
 * Splits a question into its two JSON columns. The only place that decides what reveals the answer.
 */
export function renderColumns(
  id: string,
  fields: QuestionFields,
  version: Version,
): { public_json: string; answer_json: string } {
  // The status is a column, by which callers see a question or not.
  const { correct_answer, incorrect_answers, explanation, status, ...others } = fields;
  const { numeric, accepted_answers, answer_matching, choices, ...visible } = others;
  const publicMembers = {
    // First: an index finds the rows that do not begin with it (fill-kinds.ts).
    kind: kindOf(fields),
    ...visible,
    ...(incorrect_answers.length > 0 && { choices: arrangeChoices(id, fields) }),
    created_at: formatTime(version.created_at),
  };
  const { revision } = version;
  const answerMembers = {
    correct_answer,
    incorrect_answers,
    explanation,
    // Left out of the JSON where they are undefined.
    numeric,
    accepted_answers,
    answer_matching,
    revision,
    updated_at: formatTime(version.updated_at),
  };
  return { public_json: toMembers(publicMembers), answer_json: toMembers(answerMembers) };
}

/** An object's JSON without its braces. */
const toMembers = (value: object) => JSON.stringify(value).slice(1, -1);

export function parseFields(
  row: Pick<QuestionRow, 'public_json' | 'answer_json' | 'status'>,
): QuestionFields {
  return toFields({ ...JSON.parse(`{${row.public_json},${row.answer_json}}`), status: row.status });
}

/** Parses the id of a question. An id that is not a UUID cannot be found. */
export function parseId(id: string): string {
  const canonical = canonicalId(id);
  if (!canonical) throw errors.noSuchQuestion(id);
  return canonical;
}

export type LockedQuestion = QuestionRow & CategoryOfRow;

/** Locks a question's row. */
export async function lockQuestion(tx: Tx, id: string): Promise<LockedQuestion | undefined> {
  return (await lockQuestions(tx, [id]))[0];
}

/** Requires that there is or was a question with this id. */
export async function requireKnownQuestion(db: Db, id: string): Promise<void> {
  const known = await db.get(
    `SELECT 1 AS known FROM questions WHERE id = $1
     UNION ALL SELECT 1 FROM revisions WHERE question_id = $1 LIMIT 1`,
    parseId(id),
  );
  if (!known) throw errors.noSuchQuestion(id);
}

/**
 * Locks the rows of questions, in the order of their ids, and returns them in the order of their
 * creation. Categories are read by a second statement:
 * PostgreSQL would join a row that it had to wait for with the category from before the wait, and
 * find no match.
 */
export async function lockQuestions(tx: Tx, ids: readonly string[]): Promise<LockedQuestion[]> {
  if (ids.length === 0) return [];
  // Events are read in the order of transaction numbers, which is not the order in which transactions
  // that wait for a row of PostgreSQL receive it. With the lock taken first, both orders are the same.
  await tx.lock(...ids.toSorted().map((id) => `question ${id}`));
  const rows = await tx.all<QuestionRow>(
    `SELECT * FROM questions WHERE id IN ${tx.dialect.values('$1', 'uuid')} ORDER BY id ${tx.dialect.forUpdate}`,
    JSON.stringify(ids),
  );
  const categories = await tx.all<CategoryOfRow & { id: number }>(
    `SELECT id, name_json AS category, name_version AS category_version FROM categories
     WHERE id IN ${tx.dialect.values('$1', 'bigint')}`,
    JSON.stringify([...new Set(rows.map(({ category_id }) => category_id))]),
  );
  const byId = new Map(categories.map(({ id, ...category }) => [id, category]));
  return rows
    .map((row) => ({ ...copyRow(row), ...byId.get(row.category_id)! }))
    .sort((a, b) => a.created_slot - b.created_slot);
}

/** Copies a row of a statement, whose properties V8 looks up by hash, to an object with a shape. */
function copyRow(row: QuestionRow): QuestionRow {
  const copy: Partial<Record<keyof QuestionRow, unknown>> = {};
  for (const name of COLUMN_NAMES) copy[name] = row[name];
  return copy as QuestionRow;
}
