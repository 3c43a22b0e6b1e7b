/**
 * Runs of analyses. The schemas are functions of the analysis definitions, which contribute those
 * of each type.
 */
import Type, { type TObject, type TSchema } from 'typebox';
import { Nullable, Offset, Pagination, Timestamp, Uuid } from './common.ts';
import { QuestionFilter } from './question.ts';

/** The part of a definition that describes its runs. */
interface AnalysisDefinition {
  type: string;
  title: string;
  description: string;
  readsResponses?: boolean;
  parameters: TObject;
  result: { summary: TObject; item: TObject };
  plots?: object;
}

const STATUS = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

const AnalysisType = (definitions: readonly AnalysisDefinition[], description: string) =>
  Type.Enum(
    definitions.map(({ type }) => type),
    { description },
  );

export const AnalysisRequest = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      analysis_type: AnalysisType(definitions, 'The type of analysis; see /analysis/types.'),
      question_ids: Type.Optional(
        Type.Array(Uuid(), {
          minItems: 1,
          maxItems: 100_000,
          description: 'The questions to analyse, without duplicates.',
        }),
      ),
      filter: Type.Optional({
        ...QuestionFilter,
        description:
          'Instead of question_ids: the filters of GET /questions. With neither, the whole bank is analysed.',
      }),
      parameters: Type.Optional(
        Type.Object(
          {},
          {
            description: 'The parameters of the type, see /analysis/types; each has a default.',
          },
        ),
      ),
    },
    {
      $id: 'AnalysisRequest',
      additionalProperties: false,
      examples: [{ analysis_type: 'readability', filter: { category: 'Astronomy' } }],
    },
  );

export interface AnalysisRequest {
  analysis_type: string;
  question_ids?: string[];
  filter?: QuestionFilter;
  parameters?: object;
}

const toPascalCase = (type: string) =>
  type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const withId = (schema: TSchema, $id: string): TSchema => ({ ...schema, $id });

const buildParametersSchema = ({ type, parameters }: AnalysisDefinition) =>
  withId(parameters, `${toPascalCase(type)}Parameters`);
const buildSummarySchema = ({ type, result }: AnalysisDefinition) =>
  withId(result.summary, `${toPascalCase(type)}Summary`);
const ResponsesRead = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'The number of responses.' }),
    cases: Type.Integer({
      minimum: 0,
      description: 'The number of cases, which are respondents or sessions.',
    }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  {
    additionalProperties: false,
    description: 'The analysed responses: their numbers, and a hash of the scored responses.',
  },
);

export const buildResultSchema = (definition: AnalysisDefinition) =>
  Type.Object(
    {
      analysis_type: Type.Literal(definition.type),
      version: Type.Integer({
        minimum: 1,
        description: 'The version of the algorithm, which changes when the same input gives another result.',
      }),
      parameters: buildParametersSchema(definition),
      questions: Type.Object(
        {
          count: Type.Integer({ minimum: 0 }),
          sha256: Type.String({
            pattern: '^[0-9a-f]{64}$',
            examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
          }),
        },
        {
          additionalProperties: false,
          description: 'The analysed questions: their number, and a hash of the content that was read.',
        },
      ),
      ...(definition.readsResponses && { responses: ResponsesRead }),
      warnings: Type.Array(Type.String(), { description: 'Limitations of the data that affect the result.' }),
      summary: buildSummarySchema(definition),
      items: Type.Array(withId(definition.result.item, `${toPascalCase(definition.type)}Item`), {
        description: 'A page of rows, each about a question.',
      }),
      pagination: Pagination,
    },
    {
      $id: `${toPascalCase(definition.type)}Result`,
      description: `**${definition.title}.** ${definition.description}`,
      additionalProperties: false,
    },
  );

const record = (definitions: readonly AnalysisDefinition[]) => ({
  id: Uuid(),
  analysis_type: AnalysisType(definitions, 'The type of analysis.'),
  status: Type.Enum([...STATUS], {
    description: '`queued` → `running` → `succeeded`, `failed` or `cancelled`.',
  }),
  question_count: Type.Integer({ minimum: 0, description: 'The number of questions.' }),
  parameters: Type.Union(definitions.map(buildParametersSchema), {
    description: 'All parameters, including defaults.',
  }),
  filter: Nullable(QuestionFilter, {
    description:
      'The filter that selected the questions; null if they were listed by id, {} for the whole bank.',
  }),
  progress: Type.Number({ minimum: 0, maximum: 1, description: 'The share of the work that is done.' }),
  attempts: Type.Integer({
    minimum: 0,
    description: 'The number of times the run was started; more than one if a process was interrupted.',
  }),
  summary: Nullable(Type.Union(definitions.map(buildSummarySchema)), {
    description: 'The summary of the result, if there is one.',
  }),
  error: Nullable(
    Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: false }),
    { description: 'Why the run failed; null if it did not.' },
  ),
  created_at: Timestamp(),
  started_at: Nullable(Timestamp()),
  finished_at: Nullable(Timestamp()),
});

/** A queued run. */
function buildExample([first]: readonly AnalysisDefinition[]) {
  const properties = Object.entries(first!.parameters.properties as Record<string, { default?: unknown }>);
  return {
    id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
    analysis_type: first!.type,
    status: 'queued',
    question_count: 120,
    parameters: Object.fromEntries(properties.map(([name, schema]) => [name, schema.default])),
    filter: { category: 'Astronomy' },
    progress: 0,
    attempts: 0,
    summary: null,
    error: null,
    created_at: '2026-03-01T09:30:00.000Z',
    started_at: null,
    finished_at: null,
  };
}

export const Analysis = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      ...record(definitions),
      result: Nullable(Type.Union(definitions.map(buildResultSchema)), {
        description:
          'The result; null until the run has succeeded. Without `answers:read` it does not disclose correct answers.',
      }),
    },
    {
      $id: 'Analysis',
      description: 'A run of an analysis.',
      additionalProperties: false,
      examples: [{ ...buildExample(definitions), result: null }],
    },
  );

export const AnalysisList = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      data: Type.Array(
        Type.Object(record(definitions), {
          $id: 'AnalysisSummary',
          description: 'A run without its result.',
          additionalProperties: false,
          examples: [buildExample(definitions)],
        }),
      ),
      pagination: Pagination,
    },
    { $id: 'AnalysisList', description: 'Newest first.', additionalProperties: false },
  );

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

const JsonSchema = Type.Object(
  {},
  { additionalProperties: true, description: 'A JSON Schema.', examples: [{ type: 'object' }] },
);

export const AnalysisTypes = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          analysis_type: Type.String(),
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
          figures: Type.Array(Type.String(), {
            description: 'Further figures, for the parameter `figure` of /analysis/{id}/plot.svg.',
          }),
          question_figure: Type.Boolean({
            description: 'Whether /analysis/{id}/plot.svg can plot a single `question_id`.',
          }),
          example: Type.Object(
            {
              parameters: Type.Object({}),
              questions: Type.Array(Type.Object({})),
              responses: Type.Optional(
                Type.Array(Type.Object({}), {
                  description:
                    'The responses of each respondent, in the order of the questions: an answer, whether it was correct, or null if omitted.',
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
