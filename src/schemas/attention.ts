/** The ranked list of what needs attention. */
import type { Static } from 'typebox';
import { type AnalysisDefinition, AnalysisType } from './analysis.ts';
import { Limit, Nullable, Offset, Pagination, Uuid } from './common.ts';
import { Type } from './type.ts';

export const AttentionQuery = (reasons: readonly string[]) =>
  Type.Object(
    {
      reason: Type.Optional(
        Type.Array(Type.Enum([...reasons]), {
          maxItems: 20,
          description: 'Only what has this reason. Repeatable: one must match.',
        }),
      ),
      limit: Type.Optional(Limit),
      offset: Type.Optional(Offset),
    },
    { additionalProperties: false },
  );
export type AttentionQuery = Static<ReturnType<typeof AttentionQuery>>;

export const AttentionList = (reasons: readonly string[], definitions: readonly AnalysisDefinition[]) =>
  Type.Object(
    {
      data: Type.Array(
        Type.Object(
          {
            question_id: Nullable(Uuid(), { description: 'Null for an empty cell.' }),
            question_text: Nullable(Type.String()),
            category: Type.String(),
            difficulty: Type.Integer({ minimum: 0, maximum: 2 }),
            reasons: Type.Array(
              Type.Object(
                {
                  reason: Type.Enum([...reasons]),
                  message: Type.String({ description: 'The reason, in a sentence.' }),
                  findings: Type.Array(
                    Type.Object(
                      {
                        analysis_type: AnalysisType(definitions, 'The type that reports the finding.'),
                        name: Type.String(),
                        severity: Type.Enum(['info', 'minor', 'major']),
                      },
                      { additionalProperties: false },
                    ),
                    { description: 'The findings behind the reason; empty for reports and empty cells.' },
                  ),
                  reports: Type.Optional(
                    Type.Integer({ minimum: 1, description: 'The number of open reports, for `reported`.' }),
                  ),
                  next_step: Type.Object(
                    {
                      description: Type.String({ description: 'What to do.' }),
                      method: Type.String({ examples: ['PUT'] }),
                      href: Type.String({ description: 'The path of the operation that does it.' }),
                    },
                    { additionalProperties: false },
                  ),
                },
                { additionalProperties: false },
              ),
              { description: 'The heaviest first.' },
            ),
          },
          { $id: 'AttentionItem', additionalProperties: false },
        ),
        { description: 'The most urgent first.' },
      ),
      counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description: 'The number of questions or cells by reason. A question counts for each of its reasons.',
      }),
      pagination: Pagination,
    },
    { $id: 'AttentionList', additionalProperties: false },
  );
