/** The errors of reviews and comments. */
import { ApiError } from '../../errors.ts';

export const reviewErrors = {
  ownChange: () =>
    new ApiError(
      403,
      'own_change',
      'Your client has contributed to this revision. Another one has to review it.',
    ),
  notYourComment: () => new ApiError(403, 'not_your_comment', 'Another client wrote this comment.'),
  noSuchComment: (id: string) => new ApiError(404, 'no_such_comment', `There is no comment ${id}.`),
  notInReview: (id: string, state: string) =>
    new ApiError(409, 'not_in_review', `Question ${id} ${state}. It waits for no review.`),
  pendingChange: (id: string) =>
    new ApiError(409, 'pending_change', `A change of question ${id} waits. Approve or withdraw it first.`),
  staleReview: (revision: number, current: number) =>
    new ApiError(
      412,
      'stale_review',
      `Revision ${revision} is not the newest, which is ${current}. Read that first.`,
    ),
};
