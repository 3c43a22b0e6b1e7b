/**
 * Reviews of one revision: of a question in review, or of a change that waits. The last approval that
 * is required makes the transition, in the transaction that records it. The question is locked, so
 * that of many approvals at once exactly one does.
 */
import type { ReviewInput, ReviewResult } from '../../schemas/review.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { uuidv7 } from '../ids.ts';
import { joinTexts, limitBytes, toSized } from '../page-bytes.ts';
import { requireCategoryOf } from '../questions/categories.ts';
import { requireFreeExternalIds } from '../questions/checks.ts';
import { requireSound } from '../questions/checksums.ts';
import { toMissing } from '../questions/merged.ts';
import type { ChangedBy } from '../questions/origin.ts';
import { findPending, type PendingRevision, parsePending } from '../questions/pending.ts';
import { clearPending } from '../questions/pending-row.ts';
import { type NextRevision, type RevisionCause, reviseMany } from '../questions/revise.ts';
import {
  type LockedQuestion,
  lockQuestion,
  parseFields,
  parseId,
  type QuestionRow,
  requireKnownQuestion,
} from '../questions/row.ts';
import { requiredReviewsIn } from '../review-policy.ts';
import { reviewErrors } from './errors.ts';
import { REVIEWS, type ReviewRow, toReview } from './row.ts';

export interface NewReview extends ReviewInput {
  id: string;
  by: ChangedBy;
  /** Whether the reviewer may approve their own changes. */
  mayApproveOwn: boolean;
}

export const reviewQuestion = defineCommand(
  'reviewQuestion',
  async (
    tx: Tx,
    { id, revision, decision, comment, by, mayApproveOwn }: NewReview,
  ): Promise<ReviewResult> => {
    const row = await lockQuestion(tx, parseId(id));
    if (!row) throw await toMissing(tx, id);
    requireSound(row, id);
    const pending = await findPending(tx, row.id);
    const reviewed = pending?.revision ?? row.revision;
    if (revision !== reviewed) throw reviewErrors.staleReview(revision, reviewed);
    if (pending && pending.base_revision !== row.revision)
      throw reviewErrors.staleReview(revision, row.revision);
    const isWaiting = pending ? pending.state === 'waiting' : row.status === 'in_review';
    if (!isWaiting)
      throw reviewErrors.notInReview(id, pending ? 'waits for further changes' : `is ${row.status}`);
    const authors: string[] = pending ? JSON.parse(pending.authors) : await listAuthors(tx, row);
    if (authors.includes(by.client) && !mayApproveOwn) throw reviewErrors.ownChange();
    const at = Date.now();
    const review: ReviewRow = {
      ...{ id: uuidv7(at), question_id: row.id, revision, reviewer: by.client, decision },
      ...{ comment: comment ?? null, created_at: at },
    };
    await tx.run(
      'DELETE FROM reviews WHERE question_id = $1 AND revision = $2 AND reviewer = $3',
      ...[row.id, revision, by.client],
    );
    await tx.insert(REVIEWS, [review]);
    const required_reviews = Math.max(1, await requiredReviewsIn(tx));
    const approvals = await countApprovals(tx, row.id, revision);
    const isApproved = approvals >= required_reviews;
    const after =
      decision === 'request_changes'
        ? await requestChanges(tx, row, pending, { by, reason: comment! })
        : isApproved
          ? await approve(tx, row, pending, by)
          : row;
    return {
      ...toReview(review),
      ...{ status: after.status, current_revision: after.revision, approvals, required_reviews },
    };
  },
);

/**
 * The clients that changed the question since its last approved revision. Changes of the status alone
 * do not count: a reviewer who sent the question back may approve it later.
 */
async function listAuthors(tx: Tx, row: LockedQuestion): Promise<string[]> {
  const rows = await tx.all<{ changed_by: string }>(
    `SELECT DISTINCT changed_by FROM
       (SELECT revision, action, changed_by FROM revisions WHERE question_id = $1
        UNION ALL SELECT revision, action, changed_by FROM questions WHERE id = $1) h
     WHERE action <> 'status_changed' AND changed_by IS NOT NULL AND revision > coalesce(
       (SELECT max(revision) FROM revisions WHERE question_id = $1 AND status = 'approved'), 0)`,
    row.id,
  );
  return rows.map(({ changed_by }) => changed_by);
}

async function countApprovals(tx: Tx, questionId: string, revision: number): Promise<number> {
  const row = await tx.get<{ n: number }>(
    `SELECT count(*) AS n FROM reviews WHERE question_id = $1 AND revision = $2 AND decision = 'approve'`,
    questionId,
    revision,
  );
  return row!.n;
}

async function reviseOne(tx: Tx, next: NextRevision, cause: RevisionCause) {
  const [revised] = await reviseMany(tx, [next], cause);
  return revised!;
}

async function approve(tx: Tx, row: LockedQuestion, pending: PendingRevision | undefined, by: ChangedBy) {
  if (!pending) {
    const fields = { ...parseFields(row), status: 'approved' as const };
    const category = await requireCategoryOf(tx, row);
    return reviseOne(tx, { row, category, fields }, { action: 'status_changed', by });
  }
  const fields = parsePending(pending);
  const { changed_by, changed_key, change_id } = pending;
  if (fields.external_id)
    await requireFreeExternalIds(
      tx,
      [{ external_id: fields.external_id, pointer: '/revision' }],
      pending.question_id,
    );
  const category = await requireCategoryOf(tx, pending);
  await clearPending(tx, [row.id]);
  // The author of the change made the revision; the reviews record who approved it.
  const author = changed_by === null ? undefined : { client: changed_by, key: changed_key };
  const cause = { action: 'updated' as const, by: author, change_id: change_id ?? undefined };
  return reviseOne(tx, { row, category, fields, revision: pending.revision }, cause);
}

async function requestChanges(
  tx: Tx,
  row: LockedQuestion,
  pending: PendingRevision | undefined,
  { by, reason }: { by: ChangedBy; reason: string },
): Promise<Pick<QuestionRow, 'status' | 'revision'>> {
  if (pending) {
    await tx.run(
      `UPDATE pending_revisions SET state = 'changes_requested' WHERE question_id = $1`,
      pending.question_id,
    );
    return row;
  }
  const fields = { ...parseFields(row), status: 'draft' as const };
  const category = await requireCategoryOf(tx, row);
  return reviseOne(tx, { row, category, fields }, { action: 'status_changed', reason, by });
}

/** Lists the reviews of a question, newest first. */
export function listReviews(
  db: Db,
  { id, limit, offset, maxBytes }: { id: string; limit: number; offset: number; maxBytes: number },
) {
  return db.snapshot(async (tx) => {
    await requireKnownQuestion(tx, id);
    const question = parseId(id);
    const counted = await tx.get<{ n: number }>(
      'SELECT count(*) AS n FROM reviews WHERE question_id = $1',
      question,
    );
    const rows = await tx.all<ReviewRow>(
      'SELECT * FROM reviews WHERE question_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3',
      ...[question, limit, offset],
    );
    const items = limitBytes(
      rows.map((row) => toSized(JSON.stringify(toReview(row)))),
      maxBytes,
    );
    return { items: joinTexts(items), n: items.length, total: counted!.n, offset, last: undefined };
  });
}
