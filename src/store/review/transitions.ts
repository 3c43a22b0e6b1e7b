/** Makes transitions between statuses. */
import { errors } from '../../errors.ts';
import type { StatusChange } from '../../schemas/review.ts';
import type { Status } from '../../schemas/status.ts';
import { defineCommand, type Tx } from '../db.ts';
import { requireMatch } from '../preconditions.ts';
import { requireCategoryOf } from '../questions/categories.ts';
import { requireSound } from '../questions/checksums.ts';
import { toMissing } from '../questions/merged.ts';
import type { ChangeOrigin } from '../questions/origin.ts';
import { findPending } from '../questions/pending.ts';
import { reviseMany } from '../questions/revise.ts';
import { computeEtag, lockQuestion, parseFields, parseId, type StoredQuestion } from '../questions/row.ts';
import { findMissingScope, isBack, type Powers } from '../questions/transition-rules.ts';
import { requiredReviewsIn } from '../review-policy.ts';
import { reviewErrors } from './errors.ts';

function requireTransition(from: Status, to: Status, powers: Powers, reviewIsOn: boolean): void {
  const missing = findMissingScope(from, to, powers, reviewIsOn);
  const by = missing === 'admin' ? ', other than by reviews,' : '';
  if (missing) throw errors.insufficientScope([missing], `The transition from ${from} to ${to}${by}`);
}

export interface Transition extends StatusChange, ChangeOrigin {
  id: string;
  ifMatch: string[] | undefined;
  powers: Powers;
}

export const changeStatus = defineCommand(
  'changeStatus',
  async (tx: Tx, { id, status, reason, ifMatch, powers, ...origin }: Transition): Promise<StoredQuestion> => {
    const row = await lockQuestion(tx, parseId(id));
    if (!row) throw await toMissing(tx, id);
    requireSound(row, id);
    requireMatch(computeEtag(row, 'with_answers'), ifMatch);
    if (row.status === status)
      throw errors.alreadyCurrent(`The status of question ${id} is ${status} already.`);
    requireTransition(row.status, status, powers, (await requiredReviewsIn(tx)) > 0);
    if (reason === undefined && isBack(row.status, status))
      throw errors.invalidBody([
        {
          pointer: '/reason',
          code: 'missing',
          detail: `is required for the transition from ${row.status} back to ${status}`,
        },
      ]);
    if (await findPending(tx, row.id)) throw reviewErrors.pendingChange(id);
    const fields = { ...parseFields(row), status };
    const category = await requireCategoryOf(tx, row);
    const cause = { action: 'status_changed', reason, ...origin } as const;
    const [changed] = await reviseMany(tx, [{ row, category, fields }], cause);
    return changed!;
  },
);
