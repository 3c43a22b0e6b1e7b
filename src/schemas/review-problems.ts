/** The problems of reviews and comments. */
import type { ProblemKind } from './problem-kind.ts';

export const REVIEW_PROBLEMS: Record<string, ProblemKind> = {
  own_change: {
    status: 403,
    meaning: 'Your client has contributed to the revision, and may not review it without `admin`.',
    on: ['POST /questions/:id/reviews'],
  },
  not_your_comment: {
    status: 403,
    meaning: 'The comment is by another client.',
    on: ['/comments/:id'],
  },
  no_pending_change: {
    status: 404,
    meaning: 'No change of the question waits for approval.',
    on: ['/questions/:id/pending'],
  },
  no_such_comment: {
    status: 404,
    meaning: 'There is no comment with this id.',
    on: ['/comments/:id'],
  },
  not_in_review: {
    status: 409,
    meaning: 'The question is not in review, and no change of it waits for reviews.',
    on: ['POST /questions/:id/reviews'],
  },
  pending_change: {
    status: 409,
    meaning: 'A change of the question waits for approval. Approve or withdraw it first.',
    on: ['POST /questions/:id/status'],
  },
  stale_review: {
    status: 412,
    meaning: 'The question or its pending change is another revision by now. Read it, and review that one.',
    on: ['POST /questions/:id/reviews'],
  },
};
