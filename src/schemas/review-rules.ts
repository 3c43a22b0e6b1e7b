/** Rules between the fields of a review. */
import type { Fault } from '../errors.ts';
import type { ReviewInput } from './review.ts';

/** A request for changes says which. */
export const findReviewFaults = ({ decision, comment }: ReviewInput): Fault[] =>
  decision === 'request_changes' && comment === undefined
    ? [{ pointer: '/comment', code: 'missing', detail: 'is required for request_changes' }]
    : [];
