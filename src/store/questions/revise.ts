/**
 * Writes revisions of questions: updates, deletes and restores any number of them by the same few
 * statements. Each write keeps the rows, their history and their index entries consistent. `changeMany`
 * is for changes of the content: while review is on, those of approved questions wait for approval.
 */
import type { Tx } from '../db.ts';
import { columnNames } from '../table.ts';
import type { CategoryRow } from './category-row.ts';
import { emitChanges } from './change-events.ts';
import { computeChecksums, isSound } from './checksums.ts';
import { computeContentHash } from './content-hash.ts';
import { addDeleted, removeDeleted } from './deleted.ts';
import { prepareWords } from './facets.ts';
import type { QuestionFields } from './fields.ts';
import { addToIndex, moveInIndex, removeDamagedFromIndex, removeFromIndex } from './index-entries.ts';
import { removeMerged } from './merged.ts';
import { type ChangeOrigin, toOriginColumns } from './origin.ts';
import { holdRevision, waitsForApproval } from './pending.ts';
import { clearPending } from './pending-row.ts';
import {
  type Action,
  type LockedQuestion,
  parseFields,
  QUESTIONS,
  type QuestionRow,
  REVISIONS,
  renderColumns,
  type StoredQuestion,
} from './row.ts';

/** The action and the origin of a revision. */
export interface RevisionCause extends ChangeOrigin {
  action: Action;
  /** Why the status is changed. */
  reason?: string | undefined;
}

/** The next revision of a question. */
export interface NextRevision {
  row: LockedQuestion;
  category: CategoryRow;
  fields: QuestionFields;
  /** The fields of the row, if the caller has read them and found the row sound. */
  before?: QuestionFields | undefined;
  /** Its number, if it is not the next one. */
  revision?: number;
}

/** The columns that a revision can change. */
const REVISED_COLUMNS = (columnNames(QUESTIONS) as (keyof QuestionRow)[]).filter(
  (name) => !['created_slot', 'id', 'created_at', 'created_by'].includes(name),
);

/**
 * An update inserts the row again: one statement for any number of rows, on both engines. It sets
 * the columns that differ in one of the rows: SQLite rewrites the indexes of every column it sets.
 */
function replaceRow(rows: readonly QuestionRow[], list: readonly NextRevision[]): string {
  const changed = REVISED_COLUMNS.filter((name) => rows.some((row, i) => row[name] !== list[i]!.row[name]));
  return `ON CONFLICT (created_slot) DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

/** Writes the next revision of each question and moves the current ones into their history. */
export async function reviseMany(
  tx: Tx,
  list: readonly NextRevision[],
  { action, reason, ...origin }: RevisionCause,
): Promise<StoredQuestion[]> {
  if (list.length === 0) return [];
  const { first, at } = await tx.allocateSlots(list.length);
  const befores = list.map(({ row, before }) => before ?? (isSound(row) ? parseFields(row) : undefined));
  const rows = list.map(({ row, category, fields, revision = row.revision + 1 }, i): QuestionRow => {
    const version = { revision, updated_at: at };
    const keepsText = befores[i]?.question_text === fields.question_text;
    const contentHash = keepsText ? (row.content_hash ?? undefined) : undefined;
    return {
      ...row,
      ...version,
      updated_slot: first + i,
      action,
      ...renderContent(row, category, fields, version, contentHash),
      ...toOriginColumns(origin),
      status: fields.status,
      reason: reason ?? null,
    };
  });
  await insertRevisions(
    tx,
    list.map(({ row }, i) => (befores[i] ? row : withoutContent(row))),
  );
  await tx.insert(QUESTIONS, rows, replaceRow(rows, list));
  for (const [i, row] of rows.entries()) {
    const [before, { fields }] = [befores[i], list[i]!];
    // The words are indexed at two slots.
    prepareWords(fields);
    if (before) moveInIndex(tx, { row: list[i]!.row, fields: before }, { row, fields });
    else {
      await removeDamagedFromIndex(tx, list[i]!.row);
      addToIndex(tx, row, fields);
    }
  }
  // An event without a change that every caller may see would reveal that the answer has changed.
  const isHidden = (i: number) =>
    rows[i]!.public_json === list[i]!.row.public_json && rows[i]!.category_id === list[i]!.row.category_id;
  await emitChanges(
    tx,
    at,
    rows.map(({ id, status }, i) => ({
      ...{ id, from: list[i]!.row.status, to: status, reveals_answers: isHidden(i) },
    })),
  );
  return rows.map((row, i) => toStored(row, list[i]!.category));
}

export async function deleteMany(
  tx: Tx,
  rows: readonly LockedQuestion[],
  origin: ChangeOrigin,
): Promise<void> {
  if (rows.length === 0) return;
  const { first, at } = await tx.allocateSlots(rows.length);
  await supersedeMany(tx, rows);
  await insertRevisions(
    tx,
    rows.map((row) => ({
      ...withoutContent(row),
      revision: row.revision + 1,
      action: 'deleted',
      updated_at: at,
      ...toOriginColumns(origin),
      reason: null,
    })),
  );
  await clearPending(
    tx,
    rows.map(({ id }) => id),
  );
  await tx.run(
    `DELETE FROM questions WHERE created_slot IN ${tx.dialect.values('$1', 'bigint')}`,
    JSON.stringify(rows.map(({ created_slot }) => created_slot)),
  );
  await addDeleted(
    tx,
    rows.map((row, i) => ({
      mark: { deleted_slot: first + i, id: row.id, deleted_at: at, created_by: row.created_by },
      content: isSound(row) ? row : undefined,
    })),
  );
  await emitChanges(
    tx,
    at,
    rows.map(({ id, status }) => ({ id, from: status, to: undefined })),
  );
}

/** A deleted question, and what it is restored to. `revision` is that of the deletion. */
export interface Restored {
  deleted: Pick<QuestionRow, 'created_slot' | 'id' | 'revision' | 'created_at'>;
  category: CategoryRow;
  fields: QuestionFields;
}

/** Restores deleted questions at their slots, as their next revisions. */
export async function restoreMany(
  tx: Tx,
  list: readonly Restored[],
  origin: ChangeOrigin,
): Promise<StoredQuestion[]> {
  if (list.length === 0) return [];
  const listed = await removeDeleted(
    tx,
    list.map(({ deleted }) => deleted.id),
  );
  const { first, at } = await tx.allocateSlots(list.length);
  const rows = list.map(({ deleted, category, fields }, i): QuestionRow => {
    const version = { revision: deleted.revision + 1, updated_at: at };
    return {
      ...deleted,
      ...version,
      updated_slot: first + i,
      action: 'restored',
      created_by: listed.get(deleted.id)?.created_by ?? null,
      ...renderContent(deleted, category, fields, version),
      ...toOriginColumns(origin),
      status: fields.status,
      reason: null,
    };
  });
  await tx.insert(QUESTIONS, rows);
  await removeMerged(
    tx,
    rows.map(({ id }) => id),
  );
  for (const [i, row] of rows.entries()) {
    prepareWords(list[i]!.fields);
    addToIndex(tx, row, list[i]!.fields);
  }
  await emitChanges(
    tx,
    at,
    rows.map(({ id, status }) => ({ id, from: undefined, to: status })),
  );
  return rows.map((row, i) => toStored(row, list[i]!.category));
}

/** The columns that depend on the content of a question. */
export function renderContent(
  { id, created_at }: Pick<QuestionRow, 'id' | 'created_at'>,
  category: CategoryRow,
  fields: QuestionFields,
  version: Pick<QuestionRow, 'revision' | 'updated_at'>,
  contentHash = computeContentHash(fields.question_text),
) {
  const parts = renderColumns(id, fields, { ...version, created_at });
  return {
    category_id: category.id,
    external_id: fields.external_id,
    ...parts,
    ...computeChecksums({ id, category_id: category.id, ...parts }),
    content_bytes: Buffer.byteLength(parts.public_json) + Buffer.byteLength(parts.answer_json),
    content_hash: contentHash,
  };
}

export const toStored = (row: QuestionRow, category: CategoryRow): StoredQuestion => ({
  id: row.id,
  revision: row.revision,
  status: row.status,
  category: category.name_json,
  category_version: category.name_version,
  public_json: row.public_json,
  answer_json: row.answer_json,
});

/**
 * Moves questions into their history and out of the index. The content of a damaged question is not
 * kept: its revision has none.
 */
async function supersedeMany(tx: Tx, rows: readonly LockedQuestion[]): Promise<void> {
  const superseded: SupersededRow[] = [];
  for (const row of rows) {
    const sound = isSound(row);
    superseded.push(sound ? row : withoutContent(row));
    if (sound) removeFromIndex(tx, row);
    else await removeDamagedFromIndex(tx, row);
  }
  await insertRevisions(tx, superseded);
}

const withoutContent = (row: LockedQuestion): SupersededRow => ({
  ...row,
  public_json: null,
  answer_json: null,
  checksum: null,
});

type SupersededRow = Omit<QuestionRow, 'public_json' | 'answer_json'> & {
  category: string;
  public_json: string | null;
  answer_json: string | null;
};

async function insertRevisions(tx: Tx, rows: readonly SupersededRow[]): Promise<void> {
  await tx.insert(
    REVISIONS,
    rows.map(({ id, updated_at, public_checksum, created_by, content_bytes, content_hash, ...row }) => ({
      ...row,
      question_id: id,
      at: updated_at,
    })),
  );
}

export interface ChangeCause extends RevisionCause {
  /** The fields replace those of a change that waits; otherwise they are merged with it. */
  complete?: boolean;
  /** The change waits for approval even while review is off. */
  proposes?: boolean;
}

/**
 * Changes the content of questions, which keep their status or make a transition that the caller has
 * checked. Those whose change waits are returned with `pending`.
 */
export async function changeMany(
  tx: Tx,
  list: readonly NextRevision[],
  { complete = false, proposes = false, ...cause }: ChangeCause,
): Promise<StoredQuestion[]> {
  const { action: _, reason: __, ...origin } = cause;
  const held = new Map<NextRevision, StoredQuestion>();
  for (const next of list) {
    const { row, category, fields } = next;
    if ((proposes && row.status === 'approved') || (await waitsForApproval(tx, row, fields)))
      held.set(next, await holdRevision(tx, { row, category, fields, complete, origin }));
  }
  const revised = await reviseMany(
    tx,
    list.filter((next) => !held.has(next)),
    cause,
  );
  const rest = revised.values();
  return list.map((next) => held.get(next) ?? rest.next().value!);
}
