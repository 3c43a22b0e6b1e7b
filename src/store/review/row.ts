/** The rows of reviews and comments, and their JSON. */
import type { Comment, Decision, Review } from '../../schemas/review.ts';
import { bigint, defineTable, integer, nullable, type RowOf, text, uuid } from '../table.ts';
import { formatTime } from '../time.ts';

export const REVIEWS = defineTable(
  'reviews',
  {
    id: uuid,
    question_id: uuid,
    /** The revision, or the number of the pending change. A reviewer has one review of each. */
    revision: integer,
    reviewer: text(),
    decision: text<Decision>(),
    comment: nullable(text()),
    created_at: bigint,
  },
  'id',
);
export type ReviewRow = RowOf<typeof REVIEWS>;

export const toReview = (row: ReviewRow): Review => ({ ...row, created_at: formatTime(row.created_at) });

export const COMMENTS = defineTable(
  'comments',
  {
    id: uuid,
    question_id: uuid,
    revision: integer,
    author: text(),
    text: text(),
    resolved_by: nullable(text()),
    resolved_at: nullable(bigint),
    created_at: bigint,
    updated_at: bigint,
  },
  'id',
);
export type CommentRow = RowOf<typeof COMMENTS>;

export const toComment = ({ resolved_at, ...row }: CommentRow): Comment => ({
  ...row,
  resolved: resolved_at !== null,
  resolved_at: resolved_at === null ? null : formatTime(resolved_at),
  created_at: formatTime(row.created_at),
  updated_at: formatTime(row.updated_at),
});
