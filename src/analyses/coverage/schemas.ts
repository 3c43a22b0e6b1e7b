/** Parameters and result of the coverage analysis. */
import type { Static } from 'typebox';
import { Nullable, Text } from '../../schemas/common.ts';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';
import { Count, closed, Statistic } from '../shared/schema-parts.ts';
import { LEVELS } from './tally.ts';

/** Lengths of the lists in the summary. */
export const MAX_CATEGORIES = 50;
export const MAX_TOPICS = 10;
export const MAX_GAPS = 50;

const ByDifficulty = Type.Array(Type.Integer(), {
  minItems: LEVELS.length,
  maxItems: LEVELS.length,
  description: `Number of questions at each difficulty: ${LEVELS.join(', ')}.`,
});

const chiSquared = {
  chi_squared: Statistic("Pearson's χ²."),
  degrees_of_freedom: Nullable(Type.Integer()),
  p_value: Statistic(
    'In a large bank even small differences are significant: judge the effect size instead.',
  ),
  doubtful: Type.Boolean({
    description:
      "Whether the p-value is unreliable because of small expected counts (Cochran's rule: more than a fifth below 5, or any below 1).",
  }),
  reason: Nullable(Type.String(), { description: 'Why the statistics are null, if they are.' }),
};

const Evenness = Type.Object(
  {
    classes: Count('Number of classes.'),
    entropy: Statistic('Shannon entropy in nats.'),
    evenness: Statistic(
      'Pielou evenness: entropy divided by its maximum, ln(classes). 1 if all classes have the same number of questions, 0 if all questions are in one class. Null with fewer than two classes.',
    ),
    ...chiSquared,
  },
  closed,
);

const BlueprintLine = Type.Object(
  {
    category: Text(200, { description: 'Name of a category. Case is ignored.' }),
    difficulty: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2, description: 'Only questions of this difficulty.' }),
    ),
    topic_focus: Type.Optional(Text(200, { description: 'Only questions on this topic. Case is ignored.' })),
    share: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Required share of all questions.' }),
    ),
    count: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Required number of questions.' }),
    ),
  },
  closed,
);

export const Parameters = Type.Object(
  {
    blueprint: Type.Array(BlueprintLine, {
      maxItems: 500,
      default: [],
      description:
        'The table of specifications: how many questions of each kind the bank should have. Each line has either a `share` or a `count`. A question counts for the most specific line that it matches, so a line for a whole category is about what more specific lines leave of it. Shares that sum to more than 1 are rescaled to 1. Empty by default, since it depends on the purpose of the bank.',
    }),
    min_per_cell: Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 5,
      description:
        'Minimum number of questions for each combination of a category and a difficulty. The default is the smallest expected count for which χ² tests are reliable (Cochran, 1954). If you draw quizzes, set it to the number of questions you draw.',
    }),
  },
  closed,
);

export const Summary = Type.Object(
  {
    questions: Count('Number of questions.'),
    categories: Count('Number of categories with at least one question.'),
    empty_categories: Type.Object(
      {
        count: Count('Number of categories.'),
        names: Type.Array(Type.String(), { description: `At most ${MAX_CATEGORIES} of them.` }),
      },
      {
        ...closed,
        description:
          'Categories of the bank without any question of the selection. None if the questions were listed by id; with a filter by category, that category only.',
      },
    ),
    topics: Count('Number of distinct topics, counted within each category.'),
    without_topic: Count('Questions without a topic.'),
    by_difficulty: ByDifficulty,
    empty_difficulties: Type.Array(Type.Integer({ minimum: 0, maximum: 2 }), {
      description:
        'Difficulties of no question in any category. Those that the filter excludes are not among them.',
    }),
    evenness: Type.Object(
      {
        categories: Evenness,
        difficulties: Evenness,
        cells: Evenness,
      },
      {
        ...closed,
        description:
          'Evenness of the distribution over categories, over difficulties, and over their combinations, with those that have no question. χ² tests against equal counts.',
      },
    ),
    association: Type.Object(
      {
        cramers_v: Statistic("Cramér's V, from 0 (every category has the same mix of difficulties) to 1."),
        cramers_v_corrected: Statistic(
          'Bias-corrected (Bergsma, 2013); prefer this one. Null if there are too few questions.',
        ),
        ...chiSquared,
      },
      { ...closed, description: 'Association of category and difficulty.' },
    ),
    top_categories: Type.Array(
      Type.Object(
        {
          category: Type.String(),
          questions: Count('Questions in the category.'),
          share: Type.Number({ description: 'Share of all questions.' }),
          by_difficulty: ByDifficulty,
          topics: Count('Number of distinct topics.'),
          without_topic: Count('Questions without a topic.'),
          top_topics: Type.Array(
            Type.Object(
              {
                topic_focus: Type.String(),
                questions: Count('Questions on the topic.'),
                by_difficulty: ByDifficulty,
              },
              closed,
            ),
            { description: `The ${MAX_TOPICS} largest topics, largest first.` },
          ),
        },
        closed,
      ),
      {
        description: `The ${MAX_CATEGORIES} largest categories, largest first; those without questions last.`,
      },
    ),
    other_categories: Type.Object(
      {
        categories: Count('Number of categories.'),
        questions: Count('Questions in them.'),
        by_difficulty: ByDifficulty,
      },
      { ...closed, description: 'All categories that are not in `top_categories`.' },
    ),
    gaps: Type.Object(
      {
        empty: Count('Combinations of a category and a difficulty without any question.'),
        sparse: Count('Combinations with at least one question, but fewer than `min_per_cell`.'),
        cells: Type.Array(
          Type.Object(
            {
              category: Type.String(),
              difficulty: Type.Integer(),
              questions: Count('Questions in the cell.'),
            },
            closed,
          ),
          {
            description: `At most ${MAX_GAPS} of them, the emptiest first, then by the size of the category.`,
          },
        ),
      },
      { ...closed, description: 'Combinations of a category and a difficulty with too few questions.' },
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
                  'Required number of questions. Shares are rounded so that their sum is preserved.',
                ),
                observed: Count('Questions in the bank.'),
                missing: Count('Questions still to be written.'),
                surplus: Count('Questions more than required.'),
              },
              closed,
            ),
          ),
          missing: Count('Sum of `missing` over the lines.'),
          surplus: Count('Sum of `surplus` over the lines.'),
          outside: Count('Questions that match no line.'),
          dissimilarity: Statistic(
            'Index of dissimilarity (Duncan & Duncan, 1955), from 0 to 1: the share of questions that would have to be of another kind for the bank to have the proportions of the blueprint. If all lines are shares, it includes the questions that match no line.',
          ),
          ...chiSquared,
        },
        closed,
      ),
      {
        description:
          'Comparison with the blueprint; null without one. χ² tests the proportions of the lines. If all lines are shares that sum to less than 1, the questions that match no line are one more class.',
      },
    ),
  },
  closed,
);

export const Row = Item(['sparse_cell', 'surplus_cell', 'outside_blueprint', 'no_topic'], {
  category: Type.String(),
  difficulty: Type.Integer(),
  cell_questions: Count('Questions in the same category at the same difficulty.'),
  surplus: Nullable(Type.Integer(), {
    description: 'Surplus of the line of the blueprint that it matches; null if it matches none.',
  }),
});

export type BlueprintLine = Static<typeof BlueprintLine>;
export type Parameters = Static<typeof Parameters>;
export type Summary = Static<typeof Summary>;
export type Row = Static<typeof Row>;
export type BlueprintResult = NonNullable<Summary['blueprint']>;
