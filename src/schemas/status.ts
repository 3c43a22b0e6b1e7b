/** The status of a question in its review. */
import { Type } from './type.ts';

/** In the order of a question's life. A change to an earlier one requires a reason. */
export const STATUSES = ['draft', 'in_review', 'approved', 'retired'] as const;
export type Status = (typeof STATUSES)[number];

export const StatusSchema = (options = {}) =>
  Type.Enum([...STATUSES], {
    description: 'Callers without `questions:write` and `questions:review` see approved questions only.',
    ...options,
  });
