/** The facets of questions: counts of values under a filter. */
import type { Static, TSchema } from 'typebox';
import { filterParameters, MISSING_FIELDS, type QuestionFilter } from './question-filter.ts';
import { KINDS } from './question-kinds.ts';
import { deleted } from './question-query.ts';
import { STATUSES } from './status.ts';
import { Type } from './type.ts';

export const DEFAULT_FACET_VALUES = 50;
const MAX_FACET_VALUES = 1000;

export const FacetQuery = Type.Object(
  {
    ...filterParameters,
    deleted,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_FACET_VALUES,
        default: DEFAULT_FACET_VALUES,
        description:
          'The maximum number of topics, tags, sources and findings: those with the largest counts.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type FacetQuery = QuestionFilter & { deleted?: boolean; limit?: number };

const Count = Type.Integer({ minimum: 0 });
const values = (value: TSchema, description: string) =>
  Type.Array(Type.Object({ value, count: Count }, { additionalProperties: false }), { description });

export const QuestionFacets = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'The questions that match all filters.' }),
    facets: Type.Object(
      {
        category: values(Type.String(), 'All categories.'),
        difficulty: values(Type.Integer(), 'All difficulties.'),
        kind: values(Type.Enum([...KINDS]), 'All kinds.'),
        status: values(Type.Enum([...STATUSES]), 'All statuses.'),
        topic_focus: values(Type.String(), 'The most frequent topics.'),
        tag: values(Type.String(), 'The most frequent tags.'),
        source: values(Type.String(), 'The most frequent sources.'),
        missing: Type.Array(
          Type.Object(
            { value: Type.Enum([...MISSING_FIELDS]), count: Count, present: Count },
            { additionalProperties: false },
          ),
          {
            description:
              'The questions without a field (`count`) and with it (`present`). `explanation` is shown only with `answers:read`.',
          },
        ),
        finding: Type.Optional(
          values(
            Type.String(),
            'The most frequent findings of the latest runs, such as `quality:spacing`, with `analysis:read` and `answers:read`. Not of ' +
              'deleted questions.',
          ),
        ),
      },
      { additionalProperties: false },
    ),
  },
  {
    $id: 'QuestionFacets',
    description:
      'Exact counts. Those of each facet are of the questions that match the other filters: how many there would be with this value instead.',
    additionalProperties: false,
    examples: [
      {
        total: 2,
        facets: {
          category: [{ value: 'Astronomy', count: 2 }],
          difficulty: [
            { value: 0, count: 0 },
            { value: 1, count: 2 },
            { value: 2, count: 0 },
          ],
          kind: [
            { value: 'multiple_choice', count: 2 },
            { value: 'short_answer', count: 0 },
          ],
          status: [
            { value: 'draft', count: 0 },
            { value: 'in_review', count: 0 },
            { value: 'approved', count: 2 },
            { value: 'retired', count: 0 },
          ],
          topic_focus: [{ value: 'Planets', count: 1 }],
          tag: [{ value: 'solar system', count: 2 }],
          source: [],
          missing: [{ value: 'topic_focus', count: 1, present: 1 }],
        },
      },
    ],
  },
);
export type QuestionFacets = Static<typeof QuestionFacets>;
