/** What goes into the analysis of coverage, and what comes out of it. */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { Item } from '../define.ts';
import { SHOWN } from './balance.ts';
import { BlueprintLine } from './blueprint.ts';
import { LEVELS } from './tally.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Figure = (description: string) => Nullable(Type.Number(), { description });
const ByDifficulty = Type.Array(Type.Integer(), {
  minItems: LEVELS.length,
  maxItems: LEVELS.length,
  description: `How many at each difficulty: ${LEVELS.join(', ')}.`,
});
const strict = { additionalProperties: false };

const chiSquared = {
  chi_squared: Figure("Pearson's χ²."),
  degrees_of_freedom: Nullable(Type.Integer()),
  p_value: Figure(
    'How likely a χ² as large would be by chance. In a large bank every difference is significant: look at how large it is instead.',
  ),
  doubtful: Type.Boolean({
    description:
      "Whether the p-value is not to be trusted, because too many expected counts are too small (Cochran's rule: more than a fifth below 5, or any below 1).",
  }),
  reason: Nullable(Type.String(), { description: 'Why there are no figures, where there are none.' }),
};

const Spread = Type.Object(
  {
    classes: Count('Among how many classes the questions are spread.'),
    entropy: Figure("Shannon's entropy in nats."),
    evenness: Figure(
      'Entropy over its maximum, ln(classes) (Pielou): 1 where all classes have the same number of questions, 0 where all questions are in one. Null with fewer than two classes.',
    ),
    ...chiSquared,
  },
  strict,
);

export const parameters = Type.Object(
  {
    blueprint: Type.Array(BlueprintLine, {
      maxItems: 500,
      default: [],
      description:
        'How many questions of which kind are wanted; each line has a `share` or a `count`. A question counts for the most particular line that fits it, so a line for a whole category means what other lines leave of it. Shares that sum to more than 1 are scaled down to 1. The default is none: nobody but you knows what your bank is for, and evenness is told in any case.',
    }),
    min_per_cell: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 5,
      description:
        'A category has too few questions of a difficulty if it has fewer than this. The default is the smallest count that statistics on tables are content with (Cochran, 1954); if you draw quizzes, set it to how many questions you draw.',
    }),
  },
  strict,
);

export const summary = Type.Object(
  {
    questions: Count('How many questions were looked at.'),
    categories: Count('How many categories they are in.'),
    topics: Count('How many different topics they have, counted in each category.'),
    without_topic: Count('How many name no topic.'),
    by_difficulty: ByDifficulty,
    evenness: Type.Object(
      {
        categories: Spread,
        difficulties: Spread,
        cells: Spread,
      },
      {
        ...strict,
        description:
          'How evenly the questions are spread over the categories that have any, over the three difficulties, and over every combination of these two. χ² compares with the same number in each.',
      },
    ),
    association: Type.Object(
      {
        cramers_v: Figure("Cramér's V: 0 where every category has the same mix of difficulties, up to 1."),
        cramers_v_corrected: Figure(
          'The same without its bias upwards (Bergsma, 2013). Use this one. Null where there are too few questions for it.',
        ),
        ...chiSquared,
      },
      { ...strict, description: 'How far the mix of difficulties depends on the category.' },
    ),
    largest: Type.Array(
      Type.Object(
        {
          category: Type.String(),
          questions: Count('How many questions it has.'),
          share: Type.Number({ description: 'Its share of all questions.' }),
          by_difficulty: ByDifficulty,
          topics: Count('How many different topics its questions have.'),
          without_topic: Count('How many of its questions name no topic.'),
          largest_topics: Type.Array(
            Type.Object(
              { topic_focus: Type.String(), questions: Count('How many.'), by_difficulty: ByDifficulty },
              strict,
            ),
            { description: `Its ${SHOWN.topics} largest topics, the largest first.` },
          ),
        },
        strict,
      ),
      { description: `The ${SHOWN.categories} largest categories, the largest first.` },
    ),
    others: Type.Object(
      {
        categories: Count('How many categories.'),
        questions: Count('How many questions.'),
        by_difficulty: ByDifficulty,
      },
      { ...strict, description: 'What is not among the largest categories.' },
    ),
    gaps: Type.Object(
      {
        empty: Count('How many combinations of a category and a difficulty have no question at all.'),
        sparse: Count('How many have some, but fewer than `min_per_cell`.'),
        cells: Type.Array(
          Type.Object(
            { category: Type.String(), difficulty: Type.Integer(), questions: Count('How many.') },
            strict,
          ),
          {
            description: `The first ${SHOWN.gaps} of them: the emptiest first, of equal ones that of the larger category.`,
          },
        ),
      },
      { ...strict, description: 'Where a category has too few questions of a difficulty.' },
    ),
    blueprint: Nullable(
      Type.Object(
        {
          lines: Type.Array(
            Type.Object(
              {
                category: Type.String(),
                difficulty: Nullable(Type.Integer()),
                topic_focus: Nullable(Type.String()),
                wanted: Count(
                  'How many questions should be there; shares are rounded so that their sum stays right.',
                ),
                observed: Count('How many are there.'),
                missing: Count('How many more are needed.'),
                surplus: Count('How many more there are than needed.'),
              },
              strict,
            ),
          ),
          missing: Count('How many questions are missing in all lines together.'),
          surplus: Count('How many are surplus in all lines together.'),
          outside: Count('How many fit no line.'),
          dissimilarity: Figure(
            'The share of the questions that would have to be of another kind for the bank to have the proportions of the blueprint, from 0 to 1 (Duncan and Duncan, 1955). If all lines are shares, it counts what fits none of them, too.',
          ),
          ...chiSquared,
        },
        strict,
      ),
      {
        description:
          'The bank beside the blueprint; null without one. χ² compares proportions among the lines, and with what fits none of them if all lines are shares and leave room for it.',
      },
    ),
  },
  strict,
);

export const item = Item(['sparse_cell', 'surplus_cell', 'outside_blueprint', 'no_topic'], {
  category: Type.String(),
  difficulty: Type.Integer(),
  cell_questions: Count('How many questions its category has of its difficulty.'),
  surplus: Nullable(Type.Integer(), {
    description:
      'How many questions too many its line of the blueprint has; null where there is no such line.',
  }),
});
export type Summary = Static<typeof summary>;
export type Row = Static<typeof item>;
