/** Runs of analyses. What is particular to a type comes from its definition: these are functions of what there is. */
import Type, { type TObject, type TSchema } from 'typebox';
import { Nullable, Offset, Pagination, Timestamp, Uuid } from './common.ts';
import { QuestionFilter } from './question.ts';

/** As much of a definition as is needed to describe its runs. */
interface Kind {
  type: string;
  title: string;
  description: string;
  readsResponses?: boolean;
  parameters: TObject;
  result: { summary: TObject; item: TObject };
  plots?: object;
}

const STATUS = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

const AnalysisType = (kinds: readonly Kind[], description: string) =>
  Type.Enum(
    kinds.map(({ type }) => type),
    { description },
  );

export const AnalysisRequest = (kinds: readonly Kind[]) =>
  Type.Object(
    {
      analysis_type: AnalysisType(kinds, 'Which analysis; /analysis/types describes them.'),
      question_ids: Type.Optional(
        Type.Array(Uuid(), {
          minItems: 1,
          maxItems: 100_000,
          description: 'The questions to run on, each once.',
        }),
      ),
      filter: Type.Optional({
        ...QuestionFilter,
        description:
          'In place of question_ids: the criteria of GET /questions. With neither, it runs on the whole bank.',
      }),
      parameters: Type.Optional(
        Type.Object(
          {},
          {
            description: 'Settings of the type, see /analysis/types; each has a default and may be left out.',
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

const pascal = (type: string) => type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const named = (schema: TSchema, $id: string): TSchema => ({ ...schema, $id });

const parametersOf = ({ type, parameters }: Kind) => named(parameters, `${pascal(type)}Parameters`);
const summaryOf = ({ type, result }: Kind) => named(result.summary, `${pascal(type)}Summary`);
const ResponsesRead = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'Responses to the questions.' }),
    cases: Type.Integer({ minimum: 0, description: 'Respondents or sessions that gave any.' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  {
    additionalProperties: false,
    description: 'What it ran on: how many responses of how many cases, and a hash of how they were scored.',
  },
);

const resultOf = (kind: Kind) =>
  Type.Object(
    {
      analysis_type: Type.Literal(kind.type),
      version: Type.Integer({
        minimum: 1,
        description: 'Of the algorithm: counted up when the same input gives another result.',
      }),
      parameters: parametersOf(kind),
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
          description: 'What it ran on: how many questions, and a hash of all that was read of them.',
        },
      ),
      ...(kind.readsResponses && { responses: ResponsesRead }),
      warnings: Type.Array(Type.String(), { description: 'What to know before trusting the result.' }),
      summary: summaryOf(kind),
      items: Type.Array(named(kind.result.item, `${pascal(kind.type)}Item`), {
        description: 'Rows about single questions; a page of them.',
      }),
      pagination: Pagination,
    },
    {
      $id: `${pascal(kind.type)}Result`,
      description: `**${kind.title}.** ${kind.description}`,
      additionalProperties: false,
    },
  );

const record = (kinds: readonly Kind[]) => ({
  id: Uuid(),
  analysis_type: AnalysisType(kinds, 'Which analysis.'),
  status: Type.Enum([...STATUS], {
    description: '`queued` → `running` → `succeeded`, `failed` or `cancelled`.',
  }),
  question_count: Type.Integer({ minimum: 0, description: 'On how many questions.' }),
  parameters: Type.Union(kinds.map(parametersOf), {
    description: 'All settings, those by default included.',
  }),
  filter: Nullable(QuestionFilter, {
    description:
      'By which criteria the questions were chosen; null where they were named, {} for the whole bank.',
  }),
  progress: Type.Number({ minimum: 0, maximum: 1, description: 'How much of the work is done.' }),
  attempts: Type.Integer({
    minimum: 0,
    description: 'How often it was begun: more than once if a process ended meanwhile.',
  }),
  summary: Nullable(Type.Union(kinds.map(summaryOf)), {
    description: 'The gist of the result, once there is one.',
  }),
  error: Nullable(
    Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: false }),
    { description: 'Why it failed, if it did.' },
  ),
  created_at: Timestamp(),
  started_at: Nullable(Timestamp()),
  finished_at: Nullable(Timestamp()),
});

/** A run that waits: what there will be of its result is described by each type. */
function example([first]: readonly Kind[]) {
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

export const Analysis = (kinds: readonly Kind[]) =>
  Type.Object(
    {
      ...record(kinds),
      result: Nullable(Type.Union(kinds.map(resultOf)), {
        description:
          'What was found. Without `answers:read` it does not tell which answer is right: of responses, only how many were.',
      }),
    },
    {
      $id: 'Analysis',
      description: 'A run of an analysis.',
      additionalProperties: false,
      examples: [{ ...example(kinds), result: null }],
    },
  );

export const AnalysisList = (kinds: readonly Kind[]) =>
  Type.Object(
    {
      data: Type.Array(
        Type.Object(record(kinds), {
          $id: 'AnalysisSummary',
          description: 'A run without its result.',
          additionalProperties: false,
          examples: [example(kinds)],
        }),
      ),
      pagination: Pagination,
    },
    { $id: 'AnalysisList', description: 'Newest first.', additionalProperties: false },
  );

export const AnalysisListQuery = (kinds: readonly Kind[]) =>
  Type.Object(
    {
      analysis_type: Type.Optional(AnalysisType(kinds, 'Runs of this type.')),
      status: Type.Optional(Type.Enum([...STATUS], { description: 'Runs in this state.' })),
      question_id: Type.Optional(
        Type.String({
          maxLength: 100,
          description:
            'Runs that included this question. Where criteria chose the questions, it is known once the run has succeeded.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: 'Items on a page.' }),
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

/** Rows of a result on a page, if nobody says how many: most results fit. */
export const MOST_ITEMS = 1000;

export const AnalysisItemsQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_ITEMS,
        default: MOST_ITEMS,
        description: 'Rows of `result.items` on a page.',
      }),
    ),
    offset: Type.Optional(Offset),
  },
  { additionalProperties: false },
);

export const AnalysisPlotQuery = (kinds: readonly Kind[]) =>
  Type.Object(
    {
      figure: Type.Optional(
        Type.Enum([...new Set(kinds.flatMap(({ plots = {} }) => Object.keys(plots)))], {
          description:
            'Another picture of the result than the main one; /analysis/types names those of each type.',
        }),
      ),
      question_id: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'The picture of one question, where its type makes one.',
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
              'Whether it looks at answers. Then callers without `answers:read` see the part of its result that does not.',
          }),
          reads_responses: Type.Boolean({
            description: 'Whether it is about what people answered: record responses first.',
          }),
          parameters: JsonSchema,
          result: JsonSchema,
          figures: Type.Array(Type.String(), {
            description: 'Pictures beside the main one, for `figure` at /analysis/{id}/plot.svg.',
          }),
          question_figure: Type.Boolean({
            description:
              'Whether there is a picture of each question, for `question_id` at /analysis/{id}/plot.svg.',
          }),
          example: Type.Object(
            {
              parameters: Type.Object({}),
              questions: Type.Array(Type.Object({})),
              responses: Type.Optional(
                Type.Array(Type.Object({}), {
                  description:
                    'What each respondent answered, in the order of the questions: an answer, whether it was right, or null for one left out.',
                }),
              ),
            },
            {
              additionalProperties: false,
              description: 'Questions on which the type has something to say, with parameters to try.',
            },
          ),
        },
        { $id: 'AnalysisKind', additionalProperties: false },
      ),
    ),
  },
  { $id: 'AnalysisTypes', additionalProperties: false },
);

export { resultOf as resultSchema };
