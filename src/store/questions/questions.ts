/**
 * Creates, updates, deletes and restores questions. Each write keeps the row, its history and its
 * index entries consistent.
 */
import { errors } from '../../errors.ts';
import { toNameKey } from '../../schemas/names.ts';
import type { QuestionChange, QuestionInput } from '../../schemas/question.ts';
import { findQuestionFaults } from '../../schemas/question-rules.ts';
import { type Db, defineCommand, type Tx, type Utf8 } from '../db.ts';
import { emit } from '../events.ts';
import { uuidv7 } from '../ids.ts';
import { sets } from '../index/postings.ts';
import { requireMatch } from '../preconditions.ts';
import type { View } from '../view.ts';
import { type CategoryRow, categoriesIn, unknownCategory } from './categories.ts';
import { type Creation, checkCreation, requireFreeExternalIds } from './checks.ts';
import { BODY_CHECK, computeChecksums, isSound, requireSound, verifyBodies } from './checksums.ts';
import { creationReplay } from './creation-replay.ts';
import { addDeleted, removeDeleted } from './deleted.ts';
import { listFacets, prepareWords } from './facets.ts';
import { type QuestionFields, toFields } from './fields.ts';
import { addToIndex, putTerms, removeDamagedFromIndex, removeFromIndex } from './index-entries.ts';
import { type ChangeOrigin, toOriginColumns } from './origin.ts';
import {
  type Action,
  type CategoryOfRow,
  computeEtag,
  etagWithAnswers,
  etagWithoutAnswers,
  lockQuestion,
  parseFields,
  parseId,
  QUESTION_JSON,
  QUESTIONS,
  type QuestionRow,
  REVISIONS,
  renderColumns,
  type StoredQuestion,
} from './row.ts';

export async function getQuestion(
  db: Db,
  { id, view }: { id: string; view: View },
): Promise<{ etag: string; body: Utf8 }> {
  const row = await db.get<{ revision: number; category_version: number; body: Utf8; body_check: string }>(
    `SELECT q.revision, c.name_version AS category_version, ${db.dialect.utf8(QUESTION_JSON[view])} AS body,
            ${BODY_CHECK[view]} AS body_check
     FROM questions q JOIN categories c ON c.id = q.category_id WHERE q.id = $1`,
    parseId(id),
  );
  if (!row) throw errors.noSuchQuestion(id);
  const body = verifyBodies(row.body, row.body_check);
  return { etag: view === 'with_answers' ? etagWithAnswers(row) : etagWithoutAnswers(body), body };
}

const preparedFields = new WeakMap<QuestionInput, QuestionFields>();

function* prepareCreation({ inputs }: Creation): Iterable<void> {
  for (const input of inputs) {
    const fields = toFields(input);
    prepareWords(fields);
    preparedFields.set(input, fields);
    yield;
  }
}

export const createQuestions = defineCommand(
  'createQuestions',
  async (tx: Tx, creation: Creation): Promise<StoredQuestion[]> => {
    const { inputs } = creation;
    const categories = await checkCreation(tx, await categoriesIn(tx), creation);
    const { first, at } = await tx.allocateSlots(inputs.length);
    const rows: QuestionRow[] = [];
    const created = inputs.map((input, i): StoredQuestion => {
      const category = categories[i]!;
      const fields = preparedFields.get(input) ?? toFields(input);
      const id = uuidv7(at, i);
      const slot = first + i;
      const parts = renderColumns(id, fields, { revision: 1, created_at: at, updated_at: at });
      const row: QuestionRow = {
        created_slot: slot,
        updated_slot: slot,
        id,
        category_id: category.id,
        external_id: fields.external_id,
        revision: 1,
        action: 'created',
        created_at: at,
        updated_at: at,
        ...parts,
        ...computeChecksums({ id, category_id: category.id, ...parts }),
        created_by: creation.by?.client ?? null,
        content_bytes: countContentBytes(parts),
        ...toOriginColumns(creation),
      };
      rows.push(row);
      const facets = listFacets(category.id, fields);
      putTerms(tx, row, facets, fields);
      for (const name of facets) tx.index.add(sets.created(name), slot);
      return stored(row, category);
    });
    await tx.insert(QUESTIONS, rows);
    await emit(tx, { kind: 'question.created', at, subjects: created.map(({ id }) => id) });
    return created;
  },
  { prepare: prepareCreation, replay: creationReplay },
);

const countContentBytes = ({ public_json, answer_json }: { public_json: string; answer_json: string }) =>
  Buffer.byteLength(public_json) + Buffer.byteLength(answer_json);

const stored = (row: QuestionRow, category: CategoryRow): StoredQuestion => ({
  id: row.id,
  revision: row.revision,
  category: category.name_json,
  category_version: category.name_version,
  public_json: row.public_json,
  answer_json: row.answer_json,
});

export interface Update extends ChangeOrigin {
  id: string;
  view: View;
  change: QuestionChange;
  /** The ETags of the If-Match header; undefined without one. */
  ifMatch: string[] | undefined;
}

export const updateQuestion = defineCommand(
  'updateQuestion',
  async (tx: Tx, { id, change, view, ifMatch, ...origin }: Update): Promise<StoredQuestion> => {
    const row = await lockQuestion(tx, parseId(id));
    if (!row) throw errors.noSuchQuestion(id);
    requireSound(row, id);
    requireMatch(computeEtag(row, view), ifMatch);
    const categories = await categoriesIn(tx);
    const category = change.category
      ? categories.get(toNameKey(change.category))
      : [...categories.values()].find(({ id }) => id === row.category_id);
    const { category: name = '', ...given } = change;
    const before = parseFields(row);
    const fields = toFields({ ...before, ...given, category: name });
    const faults = findQuestionFaults(fields, '');
    if (!category) throw errors.invalidBody([unknownCategory('/category', categories), ...faults]);
    if (faults.length > 0) throw errors.invalidBody(faults);
    if (category.id === row.category_id && JSON.stringify(fields) === JSON.stringify(before)) {
      return stored(row, category);
    }
    if (fields.external_id)
      await requireFreeExternalIds(
        tx,
        [{ external_id: fields.external_id, pointer: '/external_id' }],
        row.id,
      );
    return revise(tx, row, category, fields, { action: 'updated', ...origin });
  },
);

/** The action and the origin of a revision. */
export interface RevisionCause extends ChangeOrigin {
  action: Action;
}

/** Writes the next revision of a question and moves the current one into its history. */
export async function revise(
  tx: Tx,
  row: QuestionRow & CategoryOfRow,
  category: CategoryRow,
  fields: QuestionFields,
  { action, ...origin }: RevisionCause,
): Promise<StoredQuestion> {
  const { first: updated_slot, at } = await tx.allocateSlots(1);
  await supersede(tx, row);
  const revision = row.revision + 1;
  const parts = renderColumns(row.id, fields, { revision, created_at: row.created_at, updated_at: at });
  const next: QuestionRow = {
    ...row,
    updated_slot,
    category_id: category.id,
    external_id: fields.external_id,
    revision,
    action,
    updated_at: at,
    ...parts,
    ...computeChecksums({ id: row.id, category_id: category.id, ...parts }),
    content_bytes: countContentBytes(parts),
    ...toOriginColumns(origin),
  };
  await tx.run(
    `UPDATE questions SET updated_slot = $2, category_id = $3, external_id = $4, revision = $5, action = $6,
            updated_at = $7, public_json = $8, answer_json = $9, checksum = $10, public_checksum = $11,
            content_bytes = $12, changed_by = $13, changed_key = $14, change_id = $15 WHERE created_slot = $1`,
    next.created_slot,
    next.updated_slot,
    next.category_id,
    next.external_id,
    next.revision,
    next.action,
    next.updated_at,
    next.public_json,
    next.answer_json,
    next.checksum,
    next.public_checksum,
    next.content_bytes,
    next.changed_by,
    next.changed_key,
    next.change_id,
  );
  addToIndex(tx, next, fields);
  // An event without a change that every caller may see would reveal that the answer has changed.
  const reveals_answers = next.public_json === row.public_json && next.category_id === row.category_id;
  await emit(tx, { kind: 'question.updated', at, subjects: [row.id], reveals_answers });
  return stored(next, category);
}

export interface Deletion extends ChangeOrigin {
  id: string;
  /** The caller's view, which determines the ETag they have. */
  view: View;
  ifMatch: string[] | undefined;
}

export const deleteQuestion = defineCommand(
  'deleteQuestion',
  async (tx: Tx, { id, view, ifMatch, ...origin }: Deletion): Promise<null> => {
    const row = await lockQuestion(tx, parseId(id));
    if (!row) throw errors.noSuchQuestion(id);
    requireMatch(computeEtag(row, view), ifMatch);
    const { first: deleted_slot, at } = await tx.allocateSlots(1);
    await supersede(tx, row);
    await insertRevision(tx, {
      ...withoutContent(row),
      revision: row.revision + 1,
      action: 'deleted',
      updated_at: at,
      ...toOriginColumns(origin),
    });
    await tx.run('DELETE FROM questions WHERE created_slot = $1', row.created_slot);
    const mark = { deleted_slot, id: row.id, deleted_at: at, created_by: row.created_by };
    await addDeleted(tx, mark, isSound(row) ? row : undefined);
    await emit(tx, { kind: 'question.deleted', at, subjects: [row.id] });
    return null;
  },
);

/** Restores a deleted question at its slot, as its next revision. */
export async function restoreDeleted(
  tx: Tx,
  deleted: Pick<QuestionRow, 'created_slot' | 'id' | 'revision' | 'created_at'>,
  category: CategoryRow,
  fields: QuestionFields,
  origin: ChangeOrigin,
): Promise<StoredQuestion> {
  const listed = await removeDeleted(tx, deleted.id);
  const { first: updated_slot, at } = await tx.allocateSlots(1);
  const revision = deleted.revision + 1;
  const parts = renderColumns(deleted.id, fields, {
    revision,
    created_at: deleted.created_at,
    updated_at: at,
  });
  const row: QuestionRow = {
    created_slot: deleted.created_slot,
    updated_slot,
    id: deleted.id,
    category_id: category.id,
    external_id: fields.external_id,
    revision,
    action: 'restored',
    created_at: deleted.created_at,
    updated_at: at,
    ...parts,
    ...computeChecksums({ id: deleted.id, category_id: category.id, ...parts }),
    created_by: listed?.created_by ?? null,
    content_bytes: countContentBytes(parts),
    ...toOriginColumns(origin),
  };
  await tx.insert(QUESTIONS, [row]);
  addToIndex(tx, row, fields);
  await emit(tx, { kind: 'question.created', at, subjects: [row.id] });
  return stored(row, category);
}

/**
 * Moves a question into its history and out of the index. The content of a damaged question is not
 * kept: its revision has none.
 */
async function supersede(tx: Tx, row: QuestionRow & CategoryOfRow): Promise<void> {
  const sound = isSound(row);
  await insertRevision(tx, sound ? row : withoutContent(row));
  if (sound) removeFromIndex(tx, row);
  else await removeDamagedFromIndex(tx, row);
}

const withoutContent = (row: QuestionRow & CategoryOfRow): SupersededRow => ({
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

async function insertRevision(
  tx: Tx,
  { id, updated_at, public_checksum, created_by, content_bytes, ...row }: SupersededRow,
): Promise<void> {
  await tx.insert(REVISIONS, [{ ...row, question_id: id, at: updated_at }]);
}
