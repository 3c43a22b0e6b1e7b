/** Changes of approved questions that wait for approval. */

import { CONTAINS_ANSWERS } from './answers.ts';
import { Pagination } from './common.ts';
import { PendingState, Question } from './question.ts';
import { Type } from './type.ts';

export const PendingQuestion = Type.Object(
  {
    ...Question.properties,
    revision: Type.Integer({
      minimum: 1,
      description: 'The number of the change, which a review names. Every further change has a new one.',
    }),
    pending: PendingState,
  },
  {
    $id: 'PendingQuestion',
    ...CONTAINS_ANSWERS,
    description: 'A question as it will be once its change is approved.',
    additionalProperties: false,
    examples: [
      {
        ...(Question as unknown as { examples: [object] }).examples[0],
        revision: 2,
        pending: { base_revision: 1, state: 'waiting', authors: ['01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f32'] },
      },
    ],
  },
);

export const PendingList = Type.Object(
  { data: Type.Array(PendingQuestion), pagination: Pagination },
  { $id: 'PendingList', description: 'Those that wait longest first.', additionalProperties: false },
);
