/** Reads, creates, updates and deletes questions. revise.ts writes their revisions. */
import { errors } from '../../errors.ts';
import type { QuestionChange } from '../../schemas/question.ts';
import { defineCommand, type Tx } from '../db.ts';
import { requireMatch } from '../preconditions.ts';
import { requiredReviewsIn } from '../review-policy.ts';
import type { View } from '../view.ts';
import { categoriesIn } from './categories.ts';
import { applyChange } from './change.ts';
import { requireFreeExternalIds } from './checks.ts';
import { requireSound } from './checksums.ts';
import {
  type Creation,
  chooseStatuses,
  type PlannedCreate,
  type PlannedUpdate,
  planCreation,
} from './creation.ts';
import { type CreationResult, creationReplay } from './creation-replay.ts';
import { insertQuestions } from './insert.ts';
import { toMissing } from './merged.ts';
import type { ChangeOrigin } from './origin.ts';
import { etagOfPending, readEditable, toStoredPending } from './pending.ts';
import { prepareFields } from './prepared-fields.ts';
import { changeMany, deleteMany, toStored } from './revise.ts';
import { computeEtag, lockQuestion, lockQuestions, parseId, type StoredQuestion } from './row.ts';

function* prepareCreation({ inputs }: Creation): Iterable<void> {
  for (const input of inputs) {
    prepareFields(input);
    yield;
  }
}

export const createQuestions = defineCommand(
  'createQuestions',
  async (tx: Tx, creation: Creation): Promise<CreationResult> => {
    const { planned, refused } = await planCreation(
      tx,
      creation,
      () => categoriesIn(tx),
      (ids) => lockQuestions(tx, ids),
    );
    const updates = planned.filter((each): each is PlannedUpdate => each.outcome === 'updated');
    const revised = await changeMany(tx, updates, { ...pickOrigin(creation), action: 'updated' });
    const creates = planned.filter((each): each is PlannedCreate => each.outcome === 'created');
    const statuses = chooseStatuses(
      creates.map(({ input }) => input),
      creation.mayApprove,
      await requiredReviewsIn(tx),
    );
    const created = await insertQuestions(tx, creates, statuses, pickOrigin(creation));
    const results = { updated: revised.values(), created: created.values() };
    const stored = planned.map((each) =>
      each.outcome === 'unchanged' ? toStored(each.row, each.category) : results[each.outcome].next().value!,
    );
    return { stored, outcomes: planned.map(({ outcome }) => outcome), refused };
  },
  { prepare: prepareCreation, replay: creationReplay },
);

const pickOrigin = ({ by, change_id }: ChangeOrigin): ChangeOrigin => ({ by, change_id });

export interface Update extends ChangeOrigin {
  id: string;
  view: View;
  change: QuestionChange;
  /** The ETags of the If-Match header; undefined without one. */
  ifMatch: string[] | undefined;
  /** The change of an approved question waits for approval even while review is off. */
  proposes?: boolean;
}

export const updateQuestion = defineCommand(
  'updateQuestion',
  async (
    tx: Tx,
    { id, change, view, ifMatch, proposes = false, ...origin }: Update,
  ): Promise<StoredQuestion> => {
    const row = await lockQuestion(tx, parseId(id));
    if (!row) throw await toMissing(tx, id);
    requireSound(row, id);
    const { base, pending } = await readEditable(tx, row, proposes);
    requireMatch(pending ? etagOfPending(base) : computeEtag(row, view), ifMatch);
    const { category, fields, faults, unchanged } = applyChange(base, change, await categoriesIn(tx));
    if (!category || faults.length > 0) throw errors.invalidBody(faults);
    if (unchanged) return pending ? toStoredPending(pending, category) : toStored(row, category);
    if (fields.external_id)
      await requireFreeExternalIds(
        tx,
        [{ external_id: fields.external_id, pointer: '/external_id' }],
        row.id,
      );
    const cause = { action: 'updated', complete: true, proposes, ...origin } as const;
    const [changed] = await changeMany(tx, [{ row, category, fields }], cause);
    return changed!;
  },
);

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
    if (!row) throw await toMissing(tx, id);
    requireMatch(computeEtag(row, view), ifMatch);
    await deleteMany(tx, [row], origin);
    return null;
  },
);
