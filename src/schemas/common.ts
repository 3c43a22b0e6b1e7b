import type { Static, TObject, TSchema, TSchemaOptions } from 'typebox';
import { Type } from './type.ts';

/** Rejects control characters other than newline and tab. */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]*$';

export const Text = (maxLength: number, options: TSchemaOptions = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: NO_CONTROL_CHARACTERS, ...options });

export const Nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

export const Uuid = (options: TSchemaOptions = {}) => Type.String({ format: 'uuid', ...options });

export const Timestamp = (options: TSchemaOptions = {}) =>
  Type.String({ format: 'date-time', examples: ['2026-03-01T09:30:00.000Z'], ...options });

export const Fault = Type.Object(
  {
    pointer: Type.String({
      description: 'A JSON Pointer into the body, or `?name` for a query parameter.',
    }),
    code: Type.String({ description: 'A stable identifier of the fault.' }),
    detail: Type.String({ description: 'A description of the fault, without its subject.' }),
    suggestion: Type.Optional(
      Type.String({
        description: 'The name that was probably meant, such as that of a category or a field.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'A URI reference that identifies the kind of problem.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What is wrong and what to do.' }),
    instance: Type.String({ description: 'The path of the request.' }),
    code: Type.String({ description: 'A stable identifier of the kind of problem.' }),
    request_id: Type.String(),
    errors: Type.Optional(Type.Array(Fault)),
    shortages: Type.Optional(
      Type.Array(
        Type.Object(
          {
            quota: Type.Integer({ minimum: 0, description: 'The index of the quota; 0 for `count`.' }),
            asked: Type.Integer(),
            available: Type.Integer({ description: 'The questions that the quota alone could take.' }),
            short: Type.Integer({ description: 'The questions that are missing in the largest draw.' }),
          },
          { additionalProperties: false },
        ),
        { description: 'With `short_supply`: the quotas of a draw that cannot be met.' },
      ),
    ),
  },
  {
    $id: 'Problem',
    description: 'A problem document (RFC 9457).',
    additionalProperties: false,
    examples: [
      {
        type: '/docs#problem-invalid_body',
        title: 'Unprocessable Entity',
        status: 422,
        detail: 'The body has one fault; see errors.',
        instance: '/questions',
        code: 'invalid_body',
        request_id: '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
        errors: [{ pointer: '/difficulty', code: 'wrong_type', detail: 'must be an integer' }],
      },
    ],
  },
);
export type Problem = Static<typeof Problem>;

export const Pagination = Type.Object(
  {
    limit: Type.Integer(),
    offset: Type.Integer({ description: 'The number of matching items before this page.' }),
    total: Type.Integer({ description: 'The exact number of matching items.' }),
    has_more: Type.Boolean({
      description:
        'Whether items follow. The next page starts at `offset` plus the number of items on this one.',
    }),
    next_cursor: Nullable(Type.String(), {
      description: 'The `cursor` of the next page. Null on the last page, and for lists without cursors.',
    }),
  },
  {
    $id: 'Pagination',
    additionalProperties: false,
    examples: [{ limit: 20, offset: 0, total: 1, has_more: false, next_cursor: null }],
  },
);
export type Pagination = Static<typeof Pagination>;

/** The paging parameters of every list. */
export const Limit = Type.Integer({
  minimum: 1,
  maximum: 1000,
  default: 20,
  description:
    'The maximum number of items on the page. A page has fewer if they would exceed 8 MB (a setting of the server), but at least one.',
});
export const Offset = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  default: 0,
  description: 'The number of items to skip. Any offset costs about the same.',
});

/** A single item or an array of items. */
export const OneOrMany = <T extends TSchema>(one: T, maxItems: number, options: TSchemaOptions = {}) =>
  Type.Union([one, Type.Array(one, { minItems: 1, maxItems })], options);

/**
 * One of several objects, distinguished by a property that is a literal in each. Branches have an
 * `$id`, by which the OpenAPI document refers to them.
 */
export const OneOf = (
  propertyName: string,
  branches: readonly TObject[],
  options: TSchemaOptions,
): TSchema => ({
  oneOf: branches,
  discriminator: {
    propertyName,
    mapping: Object.fromEntries(
      branches.map((branch) => [
        (branch.properties[propertyName] as { const?: string }).const,
        `#/components/schemas/${(branch as { $id?: string }).$id}`,
      ]),
    ),
  },
  ...options,
});
