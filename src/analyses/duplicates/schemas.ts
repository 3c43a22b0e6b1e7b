/** The parameters and the result of the analysis. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from '../../schemas/answers.ts';
import { Nullable, Uuid } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';
import { MIN_WORD_SIMILARITY } from './rewording-judge.ts';

export const Parameters = Type.Object(
  {
    min_similarity: Type.Number({
      minimum: 0.5,
      maximum: 1,
      default: 0.8,
      description:
        'The similarity from which questions are reported as variants by their wording alone. Duplicates and conflicts are found below it, too. The default is the usual threshold for near-duplicate texts: in 5,250 public trivia questions it gives 18 groups of variants and 39 of duplicates and likely duplicates; 0.6 gives 67 groups of variants and no more of the others.',
    }),
    min_word_similarity: Type.Number({
      minimum: 0.5,
      maximum: 1,
      default: MIN_WORD_SIMILARITY,
      description:
        'The similarity of the content words from which questions with the same answer are reported as likely duplicates: the TF-IDF cosine, where forms of one word, synonyms and notations of a number are equal. Higher values report fewer and surer pairs.',
    }),
    variants: Type.Boolean({
      default: true,
      description:
        'Whether variants are reported. They are by default: they come last, and public trivia questions have fewer variants than duplicates.',
    }),
  },
  { additionalProperties: false },
);
export type Parameters = Static<typeof Parameters>;

const Class = Nullable(Type.Enum(['conflict', 'duplicate', 'likely', 'variant']), {
  description:
    'The class of the group, by the member that requires most attention: a conflict, then a likely duplicate, then a duplicate. `flags` describe the row. `conflict`: the same question with different answers. `duplicate`: the same question with the same answer. `likely`: probably the same question in other words, with the same answer. `variant`: similar wording, but another question. Null where answers are not shown.',
});
const Similarity = Type.Number({
  minimum: 0,
  maximum: 1,
  description:
    'The Jaccard similarity of the character 5-grams of two texts, without case, accents and punctuation. Of a row: to the first question of its group.',
});
const ClassCount = Type.Object(
  { groups: Type.Integer({ minimum: 0 }), questions: Type.Integer({ minimum: 0 }) },
  { additionalProperties: false },
);

export const Summary = Type.Object(
  {
    questions: Type.Integer({ description: 'The number of questions compared.' }),
    groups: Type.Integer({ description: 'The number of groups found.' }),
    grouped_questions: Type.Integer({ description: 'The number of questions in at least one group.' }),
    classes: Nullable(
      Type.Object(
        { conflict: ClassCount, duplicate: ClassCount, likely: ClassCount, variant: ClassCount },
        { additionalProperties: false },
      ),
      {
        description:
          'The number of groups of each class and of the questions in them. Null where answers are not shown.',
      },
    ),
    sizes: Type.Array(
      Type.Object(
        { questions: Type.Integer({ minimum: 2 }), groups: Type.Integer({ minimum: 1 }) },
        { additionalProperties: false },
      ),
      { description: 'The number of groups by their number of questions, the smallest first.' },
    ),
    categories: Type.Array(
      Type.Object(
        { category: Type.String(), questions: Type.Integer({ minimum: 1 }) },
        { additionalProperties: false },
      ),
      {
        description:
          'The categories with most questions in groups, at most 10, with the number of those questions.',
      },
    ),
    redundant_questions: Nullable(Type.Integer(), {
      description:
        'The number of questions that repeat an older one with the same answer and could be deleted. Null where answers are not shown.',
    }),
    most_similar: Type.Array(
      Type.Object(
        {
          group: Type.Integer(),
          class: Class,
          similarity: Similarity,
          first: Type.String(),
          other: Type.String(),
        },
        { additionalProperties: false },
      ),
      { description: 'The first two questions of the first groups. Long texts are truncated.' },
    ),
    compared_pairs: Type.Integer({ description: 'The number of pairs compared exactly.' }),
    skipped_pairs: Type.Integer({
      description: 'The number of candidate pairs that were not compared, because a text has too many.',
    }),
    bounded_searches: Type.Integer({
      description:
        'The number of texts that are similar to so many others that they were compared with only a part of them, the oldest first.',
    }),
    bounded_comparisons: Type.Integer({
      description:
        'The number of questions whose wording so many others have that they were compared with only a part of them.',
    }),
  },
  { additionalProperties: false },
);
export type Summary = Static<typeof Summary>;

export const Row = Item(
  ['first', 'duplicate', 'likely', 'conflict', 'variant', 'same_wording', 'alike', 'other_options'],
  {
    group: Type.Integer({
      minimum: 1,
      description:
        'The number of the group. Conflicts come first, then duplicates, likely duplicates and variants.',
    }),
    class: Class,
    similarity: Similarity,
    first_question_id: Uuid({ description: 'The oldest question of the group.' }),
    question_text: Type.String(),
    correct_answer: Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], {
      ...CONTAINS_ANSWERS,
      description: 'An array if several answers are correct. Null where answers are not shown.',
    }),
  },
);
export type Row = Static<typeof Row>;
