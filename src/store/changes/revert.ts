/**
 * Reverts the revisions that a change made, by new revisions. A question that has changed since is
 * left as it is.
 */
import type { Tx } from '../db.ts';
import { categoriesIn, findCategoryOf } from '../questions/categories.ts';
import { isSound } from '../questions/checksums.ts';
import type { QuestionFields } from '../questions/fields.ts';
import type { ChangeOrigin } from '../questions/origin.ts';
import { type QuestionRevision, unpackRevisions } from '../questions/packed-revisions.ts';
import {
  changeMany,
  deleteMany,
  type NextRevision,
  type Restored,
  restoreMany,
} from '../questions/revise.ts';
import { type LockedQuestion, lockQuestions, parseFields, type RevisionRow } from '../questions/row.ts';
import { type Chunk, emptyChunk } from './chunk.ts';

/** Reverts one block of the revisions of a change. */
export async function revertNextBlock(
  tx: Tx,
  { of, block }: { of: string; block: number },
  origin: ChangeOrigin,
): Promise<Chunk> {
  const stored = await tx.get<{ revisions: Uint8Array }>(
    'SELECT revisions FROM change_results WHERE change_id = $1 AND block = $2',
    of,
    block,
  );
  if (!stored) return emptyChunk();
  const made = unpackRevisions(stored.revisions);
  const current = new Map<string, LockedQuestion>();
  for (const row of await lockQuestions(
    tx,
    made.map(({ id }) => id),
  ))
    current.set(row.id, row);
  const history = await readHistory(tx, made);
  return write(tx, await planReversal(tx, made, current, history), origin, block + 1);
}

const toKey = (id: string, revision: number) => `${id} ${revision}`;

/** The revisions before, at and after those that were made. */
async function readHistory(tx: Tx, made: readonly QuestionRevision[]): Promise<Map<string, RevisionRow>> {
  const wanted = made.flatMap(({ id, revision }) =>
    [revision - 1, revision, revision + 1].map((wanted) => [id, wanted]),
  );
  const rows = await tx.all<RevisionRow>(
    `SELECT r.* FROM ${tx.dialect.rows('$1', { id: 'uuid', revision: 'bigint' })} w
     JOIN revisions r ON r.question_id = w.id AND r.revision = w.revision`,
    JSON.stringify(wanted),
  );
  return new Map(rows.map((row) => [toKey(row.question_id, row.revision), row]));
}

interface Reversal {
  revised: NextRevision[];
  restored: Restored[];
  deleted: LockedQuestion[];
  refused: Chunk['refused'];
}

async function planReversal(
  tx: Tx,
  made: readonly QuestionRevision[],
  current: Map<string, LockedQuestion>,
  history: Map<string, RevisionRow>,
): Promise<Reversal> {
  const categories = await categoriesIn(tx);
  const plan: Reversal = { revised: [], restored: [], deleted: [], refused: [] };
  const candidates: { id: string; fields: QuestionFields; apply(): void }[] = [];
  for (const { id, revision } of made) {
    const refuse = (code: string) => plan.refused.push({ code, id });
    const row = current.get(id);
    const before = history.get(toKey(id, revision - 1));
    const isLatest = row ? row.revision === revision : !history.has(toKey(id, revision + 1));
    if (!isLatest || (!before && revision > 1)) refuse('changed_since');
    // Created, or restored, by the change.
    else if (!before || before.action === 'deleted') {
      if (row) plan.deleted.push(row);
    } else {
      const fields = readFields(before);
      const category = findCategoryOf(before, categories);
      if (!fields) refuse('damaged_data');
      else if (!category) refuse('category_deleted');
      else
        candidates.push({
          id,
          fields,
          apply: () => {
            if (row) plan.revised.push({ row, category, fields });
            else {
              const { created_slot, created_at } = before;
              const deleted = { id, created_slot, created_at, revision };
              plan.restored.push({ deleted, category, fields });
            }
          },
        });
    }
  }
  const taken = await findExternalIds(tx, candidates);
  for (const { id, fields, apply } of candidates) {
    const owner = fields.external_id === null ? undefined : taken.get(fields.external_id);
    if (owner !== undefined && owner !== id) plan.refused.push({ code: 'external_id_taken', id });
    else {
      if (fields.external_id !== null) taken.set(fields.external_id, id);
      apply();
    }
  }
  return plan;
}

function readFields(row: RevisionRow): QuestionFields | undefined {
  const { question_id: id, category_id, public_json, answer_json, checksum, status } = row;
  if (public_json === null || answer_json === null) return undefined;
  const content = { id, category_id, public_json, answer_json, checksum };
  return isSound(content) ? parseFields({ ...content, status }) : undefined;
}

/** The questions that have the external_ids of others now, by external_id. */
async function findExternalIds(
  tx: Tx,
  candidates: { fields: QuestionFields }[],
): Promise<Map<string, string>> {
  const wanted = candidates.flatMap(({ fields }) => fields.external_id ?? []);
  if (wanted.length === 0) return new Map();
  const rows = await tx.all<{ id: string; external_id: string }>(
    `SELECT id, external_id FROM questions WHERE external_id IN ${tx.dialect.values('$1', 'text')}`,
    JSON.stringify(wanted),
  );
  return new Map(rows.map(({ id, external_id }) => [external_id, id]));
}

async function write(tx: Tx, plan: Reversal, origin: ChangeOrigin, next: number): Promise<Chunk> {
  await deleteMany(tx, plan.deleted, origin);
  const cause = { action: 'restored', complete: true, ...origin } as const;
  const changed = await changeMany(tx, plan.revised, cause);
  const held = new Set(changed.filter(({ pending }) => pending).map(({ id }) => id));
  await restoreMany(tx, plan.restored, origin);
  const made = [
    ...[...plan.deleted, ...plan.revised.map(({ row }) => row).filter(({ id }) => !held.has(id))],
    ...plan.restored.map(({ deleted }) => deleted),
  ].map(({ id, revision }) => ({ id, revision: revision + 1 }));
  const notes = [...held].map((id) => ({ code: 'waits_for_approval', id }));
  return { ...emptyChunk(next), made, refused: plan.refused, notes, unchanged: held.size };
}
