/** The result of the check for duplicates of new questions. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from './answers.ts';
import { Nullable, Uuid } from './common.ts';
import { Type } from './type.ts';

const DuplicateMatch = Type.Object(
  {
    id: Nullable(Uuid(), { description: 'The id of the other question; null if it is not stored.' }),
    index: Nullable(Type.Integer({ minimum: 0 }), {
      description:
        'The index of the other question in the request, for one that comes earlier in it; null for a question of the bank.',
    }),
    class: Type.Enum(['conflict', 'duplicate', 'likely', 'variant', 'same_wording', 'alike'], {
      description:
        'As in the analysis `duplicates`. `conflict`: the same question with another answer. `duplicate`: the same question with the same ' +
        'answer. `likely`: probably the same question in other words, with the same answer. `variant`: similar wording, but another question. Without `answers:read`, by the wording alone: `same_wording`, or `alike` ' +
        'for similar wording.',
    }),
    similarity: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The Jaccard similarity of the character 5-grams of both texts, without case, accents and punctuation.',
    }),
    question_text: Type.Optional(Type.String({ description: 'Absent without `questions:read`.' })),
    correct_answer: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        ...CONTAINS_ANSWERS,
        description: 'Absent without `questions:read` and `answers:read`.',
      }),
    ),
  },
  { $id: 'DuplicateMatch', additionalProperties: false },
);
export type DuplicateMatch = Static<typeof DuplicateMatch>;

export const DuplicateCheck = Type.Object(
  {
    complete: Type.Boolean({
      description: 'False if the question was not checked, because the time for the request was over.',
    }),
    matches: Type.Array(DuplicateMatch, {
      maxItems: 10,
      description:
        'Conflicts first, then duplicates, likely duplicates and variants; each by decreasing similarity. Empty if there are none.',
    }),
  },
  {
    $id: 'DuplicateCheck',
    description: 'Questions that are nearly identical to a new one: in the bank, and earlier in the request.',
    additionalProperties: false,
  },
);
export type DuplicateCheck = Static<typeof DuplicateCheck>;
