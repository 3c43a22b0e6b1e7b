/**
 * Requests to run, list and plot analyses. The schemas are functions of the analysis definitions,
 * which contribute those of each type. The runs themselves are in analysis-run.ts.
 */
import type { Static, TObject, TSchema } from 'typebox';
import { Offset, OneOf, Uuid } from './common.ts';
import { QuestionFilter } from './question-filter.ts';
import { Type } from './type.ts';

/** The part of a definition that describes its runs. */
export interface AnalysisDefinition {
  type: string;
  title: string;
  description: string;
  readsResponses?: boolean;
  parameters: TObject;
  result: { summary: TObject; item: TObject };
  plots?: object;
}

export const STATUS = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

export const AnalysisType = (definitions: readonly AnalysisDefinition[], description: string) =>
  Type.Enum(
    definitions.map(({ type }) => type),
    { description },
  );

/** `item_statistics` with the suffix `Result` becomes `ItemStatisticsResult`. */
export const toSchemaName = (type: string, suffix: string) =>
  type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()) + suffix;

/** The parameters in a request: each has a default, so none is required. */
export const buildParametersInput = ({ parameters }: AnalysisDefinition): TSchema => ({
  ...parameters,
  required: [],
  description: 'The parameters of the analysis; each has a default.',
});

const selection = {
  question_ids: Type.Optional(
    Type.Array(Uuid(), {
      minItems: 1,
      maxItems: 100_000,
      description: 'The questions to analyse, without duplicates.',
    }),
  ),
  filter: Type.Optional(QuestionFilter),
};

/**
 * A branch for each type. A request is validated by the branch of its `analysis_type`, so its faults
 * are those of the fields (http/validation.ts).
 */
export const AnalysisRequest = (definitions: readonly AnalysisDefinition[]) =>
  OneOf(
    'analysis_type',
    definitions.map((definition) =>
      Type.Object(
        {
          analysis_type: Type.Literal(definition.type, { description: 'The type of analysis.' }),
          ...selection,
          parameters: Type.Optional(buildParametersInput(definition)),
        },
        {
          $id: toSchemaName(definition.type, 'Request'),
          description: `Runs \`${definition.type}\`.`,
          additionalProperties: false,
        },
      ),
    ),
    {
      $id: 'AnalysisRequest',
      description:
        'The type of analysis with its parameters, and the questions: listed in `question_ids`, or selected by `filter` with the filters of ' +
        'GET /questions. With neither, the whole bank is analysed.',
      examples: [{ analysis_type: 'readability', filter: { category: 'Astronomy' } }],
    },
  );

export interface AnalysisRequest {
  analysis_type: string;
  question_ids?: string[];
  filter?: QuestionFilter;
  parameters?: object;
}

export const AnalysisListQuery = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      analysis_type: Type.Optional(AnalysisType(definitions, 'Only runs of this type.')),
      status: Type.Optional(Type.Enum([...STATUS], { description: 'Only runs with this status.' })),
      question_id: Type.Optional(
        Type.String({
          maxLength: 100,
          description:
            'Only runs that included this question. For runs with a filter, this is known once they have succeeded.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          default: 20,
          description: 'The maximum number of items on the page.',
        }),
      ),
      offset: Type.Optional(Offset),
    },
    { additionalProperties: false },
  );

export interface AnalysisListQuery {
  analysis_type?: string;
  status?: (typeof STATUS)[number];
  question_id?: string;
  limit?: number;
  offset?: number;
}

/** Also the default. */
export const MAX_ITEMS_PER_PAGE = 1000;

export const AnalysisItemsQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ITEMS_PER_PAGE,
        default: MAX_ITEMS_PER_PAGE,
        description:
          'The maximum number of rows on the page. A page has fewer if they would exceed 8 MB (a setting of the server), but at least one.',
      }),
    ),
    offset: Type.Optional(Offset),
  },
  { additionalProperties: false },
);

const RowValues = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 50,
      description: `${description} Repeatable: one must match.`,
    }),
  );

export const AnalysisRowsQuery = Type.Object(
  {
    flag: RowValues('Only rows with this flag.'),
    rule: RowValues('Only rows with a finding of this rule, of results of `quality`.'),
    severity: RowValues('Only rows whose most severe finding has this severity: `major`, `minor` or `info`.'),
    verdict: RowValues(
      'Only rows with this verdict, of results of `item_statistics`, or this class, of `duplicates` and `dif`.',
    ),
    category: RowValues('Only rows about questions that were in this category, compared case-insensitively.'),
    sort: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'Sorts the rows by `created_at`, the order in which the questions were created, or by a value of the rows, which depends on the type ' +
          '(`sort_keys` of /analysis/types). A leading `-` reverses the order. Rows without the value come last. By default, the most urgent rows come first.',
        examples: ['-created_at'],
      }),
    ),
    ...AnalysisItemsQuery.properties,
  },
  { additionalProperties: false },
);
export type AnalysisRowsQuery = Static<typeof AnalysisRowsQuery>;

export const AnalysisPlotQuery = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      figure: Type.Optional(
        Type.Enum([...new Set(definitions.flatMap(({ plots = {} }) => Object.keys(plots)))], {
          description:
            'The figure to plot instead of the main one; /analysis/types lists those of each type.',
        }),
      ),
      question_id: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'Plots a single question, if the type supports it.',
        }),
      ),
    },
    { additionalProperties: false },
  );

export interface AnalysisPlotQuery {
  figure?: string;
  question_id?: string;
}

/** Answers are further fields: a schema that names them is one of responses with answers. */
const ExampleQuestion = Type.Object(
  {
    question_text: Type.String(),
    category: Type.String(),
    difficulty: Type.Integer(),
    topic_focus: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: true, description: 'A body of POST /questions.' },
);

const ExampleSitting = Type.Object(
  {
    respondent: Type.String(),
    group: Type.Optional(Type.String()),
    answers: Type.Array(Type.Union([Type.String(), Type.Boolean(), Type.Null()]), {
      description: 'In the order of the questions: an answer, whether it was correct, or null if omitted.',
    }),
  },
  { additionalProperties: false },
);

const JsonSchema = Type.Object(
  {},
  { additionalProperties: true, description: 'A JSON Schema.', examples: [{ type: 'object' }] },
);

export const AnalysisTypes = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      data: Type.Array(
        Type.Object(
          {
            analysis_type: AnalysisType(definitions, 'The value of `analysis_type` in a request.'),
            version: Type.Integer({ minimum: 1 }),
            title: Type.String(),
            description: Type.String({ description: 'Markdown.' }),
            reads_answers: Type.Boolean({
              description:
                'Whether it reads answers. Callers without `answers:read` then see a reduced result.',
            }),
            reads_responses: Type.Boolean({
              description: 'Whether it analyses recorded responses.',
            }),
            parameters: JsonSchema,
            result: JsonSchema,
            findings: Type.Record(Type.String(), Type.Enum(['info', 'minor', 'major']), {
              description: 'The names of the findings that rows report, with their severity.',
            }),
            sort_keys: Type.Array(Type.String(), {
              description: 'Values of rows, for the parameter `sort` of /analysis/{id}.',
            }),
            figures: Type.Array(Type.String(), {
              description: 'Further figures, for the parameter `figure` of /analysis/{id}/plot.svg.',
            }),
            question_figure: Type.Boolean({
              description: 'Whether /analysis/{id}/plot.svg can plot a single `question_id`.',
            }),
            example: Type.Object(
              {
                parameters: Type.Object({}, { additionalProperties: true }),
                questions: Type.Array(ExampleQuestion),
                responses: Type.Optional(
                  Type.Array(ExampleSitting, {
                    description: 'The responses of each respondent.',
                  }),
                ),
              },
              {
                additionalProperties: false,
                description: 'Example input.',
              },
            ),
          },
          { $id: 'AnalysisType', additionalProperties: false },
        ),
      ),
    },
    { $id: 'AnalysisTypes', additionalProperties: false },
  );
