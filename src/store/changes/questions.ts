/** Updates, deletes, corrects or moves a chunk of the questions of a change. */
import type { Status } from '../../schemas/status.ts';
import { readResultRows } from '../analyses/result-rows.ts';
import type { Tx } from '../db.ts';
import { type BitmapBlock, fromBitmapBlocks } from '../index/bitmaps.ts';
import { SlotSet, toBlock } from '../index/slots.ts';
import { categoriesIn, removeCategory } from '../questions/categories.ts';
import type { CategoryRow } from '../questions/category-row.ts';
import type { ChangeOrigin } from '../questions/origin.ts';
import { changeMany, deleteMany, type NextRevision } from '../questions/revise.ts';
import { type LockedQuestion, lockQuestions } from '../questions/row.ts';
import { findMissingScope, isBack } from '../questions/transition-rules.ts';
import { requiredReviewsIn } from '../review-policy.ts';
import { CHUNK_BYTES, CHUNK_QUESTIONS, type Chunk, emptyChunk } from './chunk.ts';
import { evaluate } from './evaluate.ts';
import { listRemedies, type Remedy, type ResultRow } from './remedies.ts';
import type { ChangeRow, Effect, Step } from './row.ts';

type Evaluable = Exclude<Step, { type: 'revert' }>;

/** The categories by id. */
export async function categoriesById(tx: Tx): Promise<Map<number, CategoryRow>> {
  return new Map([...(await categoriesIn(tx)).values()].map((category) => [category.id, category]));
}

/** Evaluates and writes the next questions of a change, from a slot on. */
export async function changeNextSlots(
  tx: Tx,
  change: { id: string; from: number },
  step: Evaluable,
  origin: ChangeOrigin,
): Promise<Chunk> {
  const slots = await readSlots(tx, change);
  const { ids, next } = await limitChunk(tx, slots);
  const rows = await lockQuestions(tx, ids);
  return writeQuestions(tx, rows, step, origin, { next });
}

/** Blocks of slots that are read at once. */
const BATCH_BLOCKS = 16;

async function readSlots(tx: Tx, { id, from }: { id: string; from: number }): Promise<number[]> {
  const slots: number[] = [];
  for (let block = toBlock(from); ; ) {
    const rows = await tx.all<BitmapBlock>(
      `SELECT block, members FROM change_questions WHERE change_id = $1 AND block >= $2
       ORDER BY block LIMIT ${BATCH_BLOCKS}`,
      id,
      block,
    );
    const found = fromBitmapBlocks(rows).from(from);
    slots.push(...found.slice(0, CHUNK_QUESTIONS - slots.length));
    if (slots.length === CHUNK_QUESTIONS || rows.length < BATCH_BLOCKS) return slots;
    block = rows.at(-1)!.block + 1;
  }
}

/** The ids of the questions at these slots that fit into a chunk, and the slot after them. */
async function limitChunk(
  tx: Tx,
  slots: readonly number[],
): Promise<{ ids: string[]; next: number | undefined }> {
  if (slots.length === 0) return { ids: [], next: undefined };
  const rows = await tx.all<{ id: string; slot: number; bytes: number }>(
    `SELECT id, created_slot AS slot, octet_length(public_json) + octet_length(answer_json) AS bytes
     FROM questions WHERE created_slot IN ${tx.dialect.values('$1', 'bigint')} ORDER BY created_slot`,
    JSON.stringify(slots),
  );
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += row.bytes;
    return i > 0 && bytes > CHUNK_BYTES;
  });
  const ids = rows.map(({ id }) => id);
  if (end >= 0) return { ids: ids.slice(0, end), next: rows[end]!.slot };
  return { ids, next: slots.length < CHUNK_QUESTIONS ? undefined : slots.at(-1)! + 1 };
}

/** Applies the remedies of the next rows of a result to the questions of the change. */
export async function remedyNextRows(
  tx: Tx,
  change: { id: string; from: number },
  step: Extract<Step, { type: 'apply_remedy' }>,
  origin: ChangeOrigin,
): Promise<Chunk> {
  const page = await readResultRows<ResultRow>(tx, step.analysis_id, {
    view: 'with_answers',
    from: change.from,
    limit: CHUNK_QUESTIONS,
  });
  if (!page) return emptyChunk();
  const remedies = new Map<string, Remedy[]>();
  for (const row of page.rows) {
    const found = listRemedies(row, step.rules);
    if (found.length > 0) remedies.set(row.question_id, found);
  }
  const rows = await lockQuestions(tx, [...remedies.keys()]);
  const members = await readMembers(
    tx,
    change.id,
    rows.map(({ created_slot }) => created_slot),
  );
  const selected = rows.filter(({ created_slot }) => members.has(created_slot));
  return writeQuestions(tx, selected, step, origin, { next: page.next, remedies });
}

/** The slots among these that belong to the change. */
async function readMembers(tx: Tx, id: string, slots: number[]): Promise<Set<number>> {
  const rows = await tx.all<BitmapBlock>(
    `SELECT block, members FROM change_questions
     WHERE change_id = $1 AND block IN ${tx.dialect.values('$2', 'bigint')} ORDER BY block`,
    id,
    JSON.stringify([...new Set(slots.map(toBlock))]),
  );
  const found = SlotSet.intersection([fromBitmapBlocks(rows), SlotSet.of(slots)]);
  return new Set(found.slice(0, found.total));
}

const WRITER = { writes: true, reviews: false, administers: false };

/** Evaluates a step for each question and writes the outcomes. */
async function writeQuestions(
  tx: Tx,
  rows: readonly LockedQuestion[],
  step: Evaluable,
  origin: ChangeOrigin,
  { next, remedies }: { next: number | undefined; remedies?: Map<string, Remedy[]> },
): Promise<Chunk> {
  const chunk = emptyChunk(next);
  const categories = await categoriesById(tx);
  const revisions: NextRevision[] = [];
  const deleted: LockedQuestion[] = [];
  const reviewIsOn = (await requiredReviewsIn(tx)) > 0;
  // Many questions at once have no reason, which a transition back requires.
  const mayMove = (from: Status, to: Status) =>
    !isBack(from, to) && findMissingScope(from, to, WRITER, reviewIsOn) === undefined;
  for (const row of rows) {
    const evaluated = evaluate(row, step, { categories, remedies: remedies?.get(row.id) ?? [] });
    if (evaluated.outcome === 'unchanged') chunk.unchanged++;
    else if (evaluated.outcome === 'refused') chunk.refused.push({ code: evaluated.code, id: row.id });
    else if (evaluated.outcome === 'deleted') deleted.push(row);
    else if (evaluated.fields.status !== row.status && !mayMove(row.status, evaluated.fields.status))
      chunk.refused.push({ code: 'transition_refused', id: row.id });
    else {
      const { before, category, fields } = evaluated;
      revisions.push({ row, category, fields, before });
      if (evaluated.note) chunk.notes.push({ code: evaluated.note, id: row.id });
    }
  }
  const changed = await changeMany(tx, revisions, { action: 'updated', ...origin });
  await deleteMany(tx, deleted, origin);
  for (const { id, revision, pending } of changed) {
    if (!pending) chunk.made.push({ id, revision });
    else {
      chunk.unchanged++;
      chunk.notes.push({ code: 'waits_for_approval', id });
    }
  }
  for (const { id, revision } of deleted) chunk.made.push({ id, revision: revision + 1 });
  return chunk;
}

/** Moves questions of the next merged category, and deletes it once it has none. */
export async function mergeNextCategory(
  tx: Tx,
  row: ChangeRow,
  { target, categories }: Extract<Effect, { type: 'categories' }>,
): Promise<Chunk> {
  const position = row.next_position;
  const category = categories[position];
  if (!category) return emptyChunk();
  const found = await tx.all<{ slot: number }>(
    `SELECT created_slot AS slot FROM questions WHERE category_id = $1 ORDER BY created_slot LIMIT ${CHUNK_QUESTIONS}`,
    category.id,
  );
  if (found.length === 0) {
    await removeCategory(tx, category.id);
    return emptyChunk(position + 1);
  }
  const { ids } = await limitChunk(
    tx,
    found.map(({ slot }) => slot),
  );
  const step = { type: 'update', change: {}, category_id: target } as const;
  const origin = { by: { client: row.client_id, key: row.key_id }, change_id: row.id };
  const chunk = await writeQuestions(tx, await lockQuestions(tx, ids), step, origin, { next: position });
  // Questions that cannot be moved keep the category.
  return chunk.made.length > 0 ? chunk : { ...chunk, next: position + 1 };
}

/** Deletes those of the categories that have no questions. */
export async function removeEmptyCategories(tx: Tx, categories: readonly CategoryRow[]): Promise<Chunk> {
  for (const { id } of categories) {
    const used = await tx.get('SELECT 1 AS used FROM questions WHERE category_id = $1 LIMIT 1', id);
    if (!used) await removeCategory(tx, id);
  }
  return emptyChunk();
}
