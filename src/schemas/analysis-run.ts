/**
 * Runs of analyses and their results. A run is described by status, since only a run that succeeded
 * has a result, and by type, which determines its parameters and its result. Both are literals of
 * each schema, so that a generated client narrows the run by either.
 */
import type { TProperties, TSchema } from 'typebox';
import { type AnalysisDefinition, AnalysisType, STATUS, toSchemaName } from './analysis.ts';
import { Nullable, OneOf, Pagination, Timestamp, Uuid } from './common.ts';
import { QuestionFilter } from './question-filter.ts';
import { Type } from './type.ts';

const withId = (schema: TSchema, $id: string): TSchema => ({ ...schema, $id });

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
      summary: withId(definition.result.summary, toSchemaName(definition.type, 'Summary')),
      items: Type.Array(withId(definition.result.item, toSchemaName(definition.type, 'Item')), {
        description: 'A page of rows, each about a question.',
      }),
      pagination: Pagination,
    },
    {
      $id: toSchemaName(definition.type, 'Result'),
      description: `**${definition.title}.** ${definition.description}`,
      additionalProperties: false,
    },
  );

const RunError = Type.Object(
  { code: Type.String(), detail: Type.String() },
  { $id: 'AnalysisError', description: 'Why a run failed.', additionalProperties: false },
);

/** The fields of a run in a list. */
const listed = {
  id: Uuid(),
  question_count: Type.Integer({ minimum: 0, description: 'The number of questions.' }),
  filter: Nullable(QuestionFilter, {
    description:
      'The filter that selected the questions; null if they were listed by id, {} for the whole bank.',
  }),
  progress: Type.Number({ minimum: 0, maximum: 1, description: 'The share of the work that is done.' }),
  attempts: Type.Integer({
    minimum: 0,
    description: 'The number of times the run was started; more than one if a process was interrupted.',
  }),
  created_at: Timestamp(),
};

const STATUS_DESCRIPTION = '`queued` → `running` → `succeeded`, `failed` or `cancelled`.';

/** The fields that depend on the status. `result` is the schema of the result of the type. */
const VARIANTS: { name: string; description: string; fields(result: TSchema): TProperties }[] = [
  {
    name: 'Succeeded',
    description: 'A run that succeeded, with its result.',
    fields: (result) => ({
      status: Type.Literal('succeeded', { description: STATUS_DESCRIPTION }),
      error: Type.Null(),
      started_at: Timestamp(),
      finished_at: Timestamp(),
      result,
    }),
  },
  {
    name: 'Failed',
    description: 'A run that failed, with the reason.',
    fields: () => ({
      status: Type.Literal('failed', { description: STATUS_DESCRIPTION }),
      error: RunError,
      started_at: Nullable(Timestamp()),
      finished_at: Timestamp(),
      result: Type.Null(),
    }),
  },
  {
    name: 'Unfinished',
    description: 'A run that is queued or running, or was cancelled.',
    fields: () => ({
      status: Type.Enum(['queued', 'running', 'cancelled'], { description: STATUS_DESCRIPTION }),
      error: Type.Null(),
      started_at: Nullable(Timestamp()),
      finished_at: Nullable(Timestamp()),
      result: Type.Null(),
    }),
  },
];

/** A queued run. */
const EXAMPLE = {
  id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
  status: 'queued',
  question_count: 120,
  filter: { category: 'Astronomy' },
  progress: 0,
  attempts: 0,
  error: null,
  created_at: '2026-03-01T09:30:00.000Z',
  started_at: null,
  finished_at: null,
};

function buildExample([first]: readonly AnalysisDefinition[]) {
  const properties = Object.entries(first!.parameters.properties as Record<string, { default?: unknown }>);
  const parameters = Object.fromEntries(properties.map(([name, schema]) => [name, schema.default]));
  return { ...EXAMPLE, analysis_type: first!.type, parameters, result: null };
}

export const Analysis = (definitions: readonly AnalysisDefinition[]): TSchema => ({
  $id: 'Analysis',
  description:
    'A run of an analysis. `status` determines whether it has a result, `analysis_type` the form of its parameters and its result. ' +
    'Without `answers:read` the result does not disclose correct answers.',
  oneOf: VARIANTS.map(({ name, description, fields }) =>
    OneOf(
      'analysis_type',
      definitions.map((definition) =>
        Type.Object(
          {
            analysis_type: Type.Literal(definition.type, { description: 'The type of analysis.' }),
            ...listed,
            parameters: {
              ...withId(definition.parameters, toSchemaName(definition.type, 'Parameters')),
              description: 'All parameters of the run, including defaults.',
            },
            ...fields(buildResultSchema(definition)),
          },
          {
            $id: `${name}${toSchemaName(definition.type, 'Analysis')}`,
            description,
            additionalProperties: false,
          },
        ),
      ),
      { $id: `${name}Analysis`, description },
    ),
  ),
  examples: [buildExample(definitions)],
});

export const AnalysisList = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      data: Type.Array(
        Type.Object(
          {
            ...listed,
            analysis_type: AnalysisType(definitions, 'The type of analysis.'),
            status: Type.Enum([...STATUS], { description: STATUS_DESCRIPTION }),
            error: Nullable(RunError, { description: 'Why the run failed; null if it did not.' }),
            started_at: Nullable(Timestamp()),
            finished_at: Nullable(Timestamp()),
          },
          {
            $id: 'AnalysisSummary',
            description: 'A run without its parameters and its result.',
            additionalProperties: false,
            examples: [{ ...EXAMPLE, analysis_type: definitions[0]!.type }],
          },
        ),
      ),
      pagination: Pagination,
    },
    { $id: 'AnalysisList', description: 'Newest first.', additionalProperties: false },
  );
