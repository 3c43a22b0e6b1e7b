/** Merges questions into one, and categories into one. */
import { errors, type Fault } from '../../errors.ts';
import { toNameKey } from '../../schemas/names.ts';
import { MAX_TAGS } from '../../schemas/question.ts';
import { defineCommand, type Tx } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { requireMatch } from '../preconditions.ts';
import { lockForMerge } from '../questions/categories.ts';
import { requireSound } from '../questions/checksums.ts';
import type { QuestionFields } from '../questions/fields.ts';
import { kindOf } from '../questions/kind.ts';
import { addMerged, toMissing } from '../questions/merged.ts';
import type { ChangedBy } from '../questions/origin.ts';
import { packRevisions, type QuestionRevision } from '../questions/packed-revisions.ts';
import { changeMany, deleteMany } from '../questions/revise.ts';
import { computeEtag, type LockedQuestion, lockQuestions, parseFields, parseId } from '../questions/row.ts';
import { insertChange, type PresentedChange } from './changes.ts';
import { categoriesById } from './questions.ts';
import { CHANGE_RESULTS, presentChange } from './row.ts';

export interface QuestionMerge {
  id: string;
  question_ids: string[];
  ifMatch: string[] | undefined;
  by: ChangedBy;
}

/**
 * Merges questions into the survivor. The questions change at once; their responses are moved in
 * chunks after it (merge-responses.ts).
 */
export const mergeQuestions = defineCommand(
  'mergeQuestions',
  async (tx: Tx, { id, question_ids, ifMatch, by }: QuestionMerge): Promise<PresentedChange> => {
    const ids = question_ids.map((given) => canonicalId(given) ?? given);
    const locked = new Map<string, LockedQuestion>();
    for (const row of await lockQuestions(tx, [...new Set([parseId(id), ...ids])])) locked.set(row.id, row);
    const survivor = locked.get(parseId(id));
    if (!survivor) throw await toMissing(tx, id);
    requireMatch(computeEtag(survivor, 'with_answers'), ifMatch);
    const merged = await findMerged(survivor, ids, locked);
    const fields = mergeFields(parseFields(survivor), merged.map(parseFields));
    const question_count = merged.length + 1;
    const toRef = ({ id, created_slot: slot }: LockedQuestion) => ({ id, slot });
    const change = await insertChange(
      tx,
      {
        by,
        kind: 'merge_questions',
        request: { survivor_id: survivor.id, merged_ids: merged.map(({ id }) => id) },
        plan: {
          step: null,
          effect: {
            type: 'responses',
            survivor: toRef(survivor),
            merged: merged.map(toRef),
            joined: true,
            of: '',
          },
        },
        phase: 'effect',
        question_count,
      },
      await countMerged(tx, survivor, merged, fields),
    );
    const origin = { by, change_id: change.id };
    const category = (await categoriesById(tx)).get(survivor.category_id)!;
    const made: QuestionRevision[] = merged.map(({ id, revision }) => ({ id, revision: revision + 1 }));
    if (isChanged(survivor, fields)) {
      const next = { row: survivor, category, fields };
      const [changed] = await changeMany(tx, [next], { action: 'updated', ...origin });
      if (!changed!.pending) made.push({ id: survivor.id, revision: changed!.revision });
    }
    await deleteMany(tx, merged, origin);
    await addMerged(
      tx,
      merged.map(({ id }) => id),
      survivor.id,
    );
    await tx.insert(CHANGE_RESULTS, [{ change_id: change.id, block: 0, revisions: packRevisions(made) }]);
    return presentChange(change);
  },
);

const isChanged = (row: LockedQuestion, fields: QuestionFields) =>
  JSON.stringify(parseFields(row)) !== JSON.stringify(fields);

/** The counts of the change, which is complete if the merged questions have no responses. */
async function countMerged(
  tx: Tx,
  survivor: LockedQuestion,
  merged: LockedQuestion[],
  fields: QuestionFields,
) {
  const answered = await tx.get(
    `SELECT 1 AS found FROM answered_questions WHERE slot IN ${tx.dialect.values('$1', 'bigint')} LIMIT 1`,
    JSON.stringify(merged.map(({ created_slot }) => created_slot)),
  );
  const at = Date.now();
  const revised = isChanged(survivor, fields) ? 1 : 0;
  return {
    processed: merged.length + 1,
    changed: merged.length + revised,
    unchanged: 1 - revised,
    result_blocks: 1,
    started_at: at,
    ...(!answered && { status: 'succeeded' as const, finished_at: at }),
  };
}

/** The questions to merge, in the order given. Refuses those that cannot be merged. */
async function findMerged(
  survivor: LockedQuestion,
  ids: string[],
  locked: Map<string, LockedQuestion>,
): Promise<LockedQuestion[]> {
  const faults: Fault[] = [];
  const fault = (i: number, code: string, detail: string) =>
    faults.push({ pointer: `/question_ids/${i}`, code, detail });
  for (const [i, id] of ids.entries()) {
    if (id === survivor.id) fault(i, 'conflict', 'is the question to merge into');
    else if (ids.indexOf(id) < i) fault(i, 'duplicate', `is a duplicate of /question_ids/${ids.indexOf(id)}`);
    else if (!locked.has(id)) fault(i, 'unknown_question', `is ${id}, but there is no such question`);
  }
  if (faults.length > 0) throw errors.invalidBody(faults);
  const merged = ids.map((id) => locked.get(id)!);
  for (const row of [survivor, ...merged]) requireSound(row, row.id);
  const kind = kindOf(parseFields(survivor));
  for (const row of merged) {
    const other = kindOf(parseFields(row));
    if (other !== kind) throw errors.differentKind(row.id, other, kind);
  }
  return merged;
}

/** The survivor with the tags of all, and what it lacks from the first that has it. */
function mergeFields(survivor: QuestionFields, others: QuestionFields[]): QuestionFields {
  const tags = new Map<string, string>();
  for (const tag of [survivor, ...others].flatMap((fields) => fields.tags))
    if (!tags.has(toNameKey(tag))) tags.set(toNameKey(tag), tag);
  if (tags.size > MAX_TAGS)
    throw errors.invalidBody([
      {
        pointer: '/question_ids',
        code: 'too_many',
        detail: `must have at most ${MAX_TAGS} tags together; they have ${tags.size}`,
      },
    ]);
  const pick = (name: 'explanation' | 'topic_focus' | 'source') =>
    survivor[name] ?? others.find((fields) => fields[name] !== null)?.[name] ?? null;
  return {
    ...survivor,
    tags: [...tags.values()],
    explanation: pick('explanation'),
    topic_focus: pick('topic_focus'),
    source: pick('source'),
  };
}

export interface CategoryMerge {
  id: string;
  category_ids: string[];
  by: ChangedBy;
}

/** Merges categories into one: their questions move in chunks, then they are deleted (effects.ts). */
export const mergeCategories = defineCommand(
  'mergeCategories',
  async (tx: Tx, { id, category_ids, by }: CategoryMerge): Promise<PresentedChange> => {
    const { target, merged } = await lockForMerge(tx, id, category_ids);
    const counted = await tx.get<{ n: number }>(
      `SELECT count(*) AS n FROM questions WHERE category_id IN ${tx.dialect.values('$1', 'bigint')}`,
      JSON.stringify(merged.map((category) => category.id)),
    );
    return presentChange(
      await insertChange(tx, {
        by,
        kind: 'merge_categories',
        request: { category_id: target.uid, merged_category_ids: merged.map(({ uid }) => uid) },
        plan: {
          step: null,
          effect: { type: 'categories', target: target.id, categories: merged, joined: true },
        },
        phase: 'effect',
        question_count: counted!.n,
      }),
    );
  },
);
