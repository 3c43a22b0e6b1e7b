/** Findings of single questions, dismissals, and what needs attention. */
import type { Static } from 'typebox';
import { type AnalysisDefinition, AnalysisType, toSchemaName } from './analysis.ts';
import { Limit, Nullable, Offset, OneOf, Pagination, Text, Timestamp, Uuid } from './common.ts';
import { Type } from './type.ts';

const SEVERITIES = ['info', 'minor', 'major'] as const;
const Severity = Type.Enum([...SEVERITIES], {
  description: '`major`: mend it before use. `minor`: should be mended. `info`: acceptable if intended.',
});
const FindingName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The name of the finding; `findings` of /analysis/types has those of each type.',
  examples: ['spacing'],
});

const dismissal = {
  revision: Type.Integer({ minimum: 1, description: 'The revision of the question that it holds for.' }),
  reason: Type.String({ examples: ['The spelling is that of the title.'] }),
  dismissed_by: Type.String({ description: 'The id of the client.' }),
  dismissed_key: Nullable(Type.String(), { description: 'The id of the key; null for a session.' }),
  dismissed_at: Timestamp(),
};

export const QuestionFindings = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      data: Type.Array(
        OneOf(
          'analysis_type',
          definitions.map((definition) =>
            Type.Object(
              {
                analysis_type: Type.Literal(definition.type),
                analysis_id: Uuid({ description: 'The latest run of the type that covered the question.' }),
                finished_at: Timestamp(),
                age_seconds: Type.Integer({ minimum: 0, description: 'The time since the run finished.' }),
                stale: Nullable(Type.Boolean(), {
                  description:
                    'Whether the question has a newer revision than the run examined. Null without `answers:read`.',
                }),
                findings: Type.Array(
                  Type.Object(
                    {
                      name: FindingName,
                      severity: Severity,
                      dismissed: Nullable(Type.Object(dismissal, { additionalProperties: false }), {
                        description:
                          'The dismissal that holds for this revision of the question. Null if there is none, and without `answers:read`.',
                      }),
                    },
                    { additionalProperties: false },
                  ),
                  { description: 'What the run found; empty if it found nothing.' },
                ),
                items: Type.Array(
                  { ...definition.result.item, $id: toSchemaName(definition.type, 'Item') },
                  {
                    description:
                      'The rows of the result about the question. Most questions have at most one.',
                  },
                ),
              },
              { $id: toSchemaName(definition.type, 'Findings'), additionalProperties: false },
            ),
          ),
          { $id: 'TypeFindings', description: 'What the latest run of a type found in a question.' },
        ),
        { description: 'By type. A type that never examined the question is missing.' },
      ),
    },
    { $id: 'QuestionFindings', additionalProperties: false },
  );

export const QuestionFindingsQuery = Type.Object(
  {
    dismissed: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether dismissed findings are included in `findings`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type QuestionFindingsQuery = Static<typeof QuestionFindingsQuery>;

export const DismissalInput = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      analysis_type: AnalysisType(definitions, 'The type that reports the finding.'),
      name: FindingName,
      reason: Text(2_000, { description: 'Why the finding is acceptable.' }),
      revision: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 2_147_483_647,
          description:
            'The revision of the question that was judged. Refused with 409 if it is no longer the current one; by default the current one.',
        }),
      ),
    },
    {
      $id: 'DismissalInput',
      additionalProperties: false,
      examples: [
        {
          analysis_type: 'quality',
          name: 'spacing',
          reason: 'The spelling is that of the title.',
        },
      ],
    },
  );
export interface DismissalInput {
  analysis_type: string;
  name: string;
  reason: string;
  revision?: number;
}

export const DismissalTarget = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      analysis_type: {
        ...AnalysisType(definitions, 'The type that reports the finding.'),
        examples: ['quality'],
      },
      name: FindingName,
    },
    { additionalProperties: false },
  );
export interface DismissalTarget {
  analysis_type: string;
  name: string;
}

export const Dismissal = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      question_id: Uuid(),
      analysis_type: AnalysisType(definitions, 'The type that reports the finding.'),
      name: FindingName,
      ...dismissal,
      active: Type.Boolean({
        description: 'Whether it holds: the question still has this revision.',
      }),
    },
    { $id: 'Dismissal', additionalProperties: false },
  );

export const DismissalList = (definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    { data: Type.Array(Dismissal(definitions)), pagination: Pagination },
    { $id: 'DismissalList', description: 'Newest first.', additionalProperties: false },
  );

export const DismissalQuery = Type.Object(
  {
    question_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Only dismissals for this question.' }),
    ),
    active: Type.Optional(
      Type.Boolean({ description: 'Only dismissals that hold, or only those that do not.' }),
    ),
    limit: Type.Optional(Limit),
    offset: Type.Optional(Offset),
  },
  { additionalProperties: false },
);
export type DismissalQuery = Static<typeof DismissalQuery>;
