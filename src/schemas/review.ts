/** Transitions of the status, reviews and comments. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { Limit, Nullable, Offset, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { StatusSchema } from './status.ts';
import { Type } from './type.ts';

const strict = { additionalProperties: false };
const EXAMPLE_ID = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f31';
const EXAMPLE_QUESTION = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30';
const EXAMPLE_CLIENT = '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f32';

export const StatusChange = Type.Object(
  {
    status: StatusSchema({ description: 'The new status.' }),
    reason: Type.Optional(
      Text(1_000, { description: 'Why. Required for a change to an earlier status; kept in the history.' }),
    ),
  },
  { $id: 'StatusChange', ...strict, examples: [{ status: 'retired', reason: 'Outdated since 2026.' }] },
);
export type StatusChange = Static<typeof StatusChange>;

const Revision = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The revision that was read: that of the question, or the number of its pending change.',
});
const DECISIONS = ['approve', 'request_changes'] as const;
export type Decision = (typeof DECISIONS)[number];

export const ReviewInput = Type.Object(
  {
    revision: Revision,
    decision: Type.Enum([...DECISIONS]),
    comment: Type.Optional(Text(10_000, { description: 'Required for `request_changes`.' })),
  },
  { $id: 'ReviewInput', ...strict, examples: [{ revision: 2, decision: 'approve' }] },
);
export type ReviewInput = Static<typeof ReviewInput>;

const review = {
  id: Uuid(),
  question_id: Uuid(),
  revision: Revision,
  reviewer: Type.String({ description: 'The client that reviewed.' }),
  decision: Type.Enum([...DECISIONS]),
  comment: Nullable(Type.String()),
  created_at: Timestamp(),
};
const exampleReview = {
  id: EXAMPLE_ID,
  question_id: EXAMPLE_QUESTION,
  revision: 2,
  reviewer: EXAMPLE_CLIENT,
  decision: 'approve',
  comment: null,
  created_at: '2026-03-01T09:30:00.000Z',
};

export const Review = Type.Object(review, {
  $id: 'Review',
  ...CONTAINS_ANSWERS,
  description: 'A review. Its comment may disclose the correct answer.',
  ...strict,
  examples: [exampleReview],
});
export type Review = Static<typeof Review>;

export const ReviewResult = Type.Object(
  {
    ...review,
    status: StatusSchema({ description: 'The status of the question after the review.' }),
    current_revision: Type.Integer({
      minimum: 1,
      description: 'The revision of the question after the review.',
    }),
    approvals: Type.Integer({ minimum: 0, description: 'The approvals of the reviewed revision.' }),
    required_reviews: Type.Integer({ minimum: 1, description: 'The approvals that it requires.' }),
  },
  {
    $id: 'ReviewResult',
    ...CONTAINS_ANSWERS,
    ...strict,
    examples: [
      { ...exampleReview, status: 'approved', current_revision: 2, approvals: 1, required_reviews: 1 },
    ],
  },
);
export type ReviewResult = Static<typeof ReviewResult>;

export const ReviewList = Type.Object(
  { data: Type.Array(Review), pagination: Pagination },
  { $id: 'ReviewList', description: 'Newest first.', ...strict },
);

export const PageQuery = Type.Object(
  {
    limit: Type.Optional(Limit),
    offset: Type.Optional({ ...Offset, description: 'The number of items to skip.' }),
  },
  strict,
);
export type PageQuery = Static<typeof PageQuery>;

const CommentText = Text(10_000, { description: 'The comment.' });

export const CommentInput = Type.Object(
  { text: CommentText },
  { $id: 'CommentInput', ...strict, examples: [{ text: 'Is Pluto meant to count?' }] },
);
export type CommentInput = Static<typeof CommentInput>;

export const CommentChange = Type.Object(
  {
    text: Type.Optional(CommentText),
    resolved: Type.Optional(Type.Boolean({ description: 'Whether the comment is settled.' })),
  },
  {
    $id: 'CommentChange',
    description: 'The text can be changed by its author; `resolved` by every reader.',
    ...strict,
    examples: [{ resolved: true }],
  },
);
export type CommentChange = Static<typeof CommentChange>;

export const Comment = Type.Object(
  {
    id: Uuid(),
    question_id: Uuid(),
    revision: Type.Integer({ minimum: 1, description: 'The revision of the question at that time.' }),
    author: Type.String({ description: 'The client that commented.' }),
    text: Type.String(),
    resolved: Type.Boolean(),
    resolved_by: Nullable(Type.String()),
    resolved_at: Nullable(Timestamp()),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  {
    $id: 'Comment',
    ...CONTAINS_ANSWERS,
    description: 'A comment on a question. It may disclose the correct answer.',
    ...strict,
    examples: [
      {
        id: EXAMPLE_ID,
        question_id: EXAMPLE_QUESTION,
        revision: 1,
        author: EXAMPLE_CLIENT,
        text: 'Is Pluto meant to count?',
        resolved: false,
        resolved_by: null,
        resolved_at: null,
        created_at: '2026-03-01T09:30:00.000Z',
        updated_at: '2026-03-01T09:30:00.000Z',
      },
    ],
  },
);
export type Comment = Static<typeof Comment>;

export const CommentList = Type.Object(
  { data: Type.Array(Comment), pagination: Pagination },
  { $id: 'CommentList', description: 'Oldest first.', ...strict },
);

export const CommentQuery = Type.Object(
  {
    resolved: Type.Optional(Type.Boolean({ description: 'Only comments that are resolved, or not.' })),
    ...PageQuery.properties,
  },
  strict,
);
export type CommentQuery = Static<typeof CommentQuery>;
