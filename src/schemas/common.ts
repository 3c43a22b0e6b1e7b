import Type, { type Static, type TSchema, type TSchemaOptions } from 'typebox';

/** Newline and tab are text; every other control character is refused. */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]*$';

export const Text = (maxLength: number, options: TSchemaOptions = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: NO_CONTROL_CHARACTERS, ...options });

export const Nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

export const Uuid = (options: TSchemaOptions = {}) => Type.String({ format: 'uuid', ...options });

export const Timestamp = (options: TSchemaOptions = {}) =>
  Type.String({ format: 'date-time', examples: ['2026-03-01T09:30:00.000Z'], ...options });

const Fault = Type.Object(
  {
    pointer: Type.String({
      description: 'Where: a JSON Pointer into the body, or `?name` for a query parameter.',
    }),
    code: Type.String({ description: 'What is wrong, in a stable snake_case word.' }),
    detail: Type.String({ description: 'What is wrong, in a sentence.' }),
  },
  { additionalProperties: false },
);

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'A URI reference for the kind of problem.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What happened and what to do about it.' }),
    instance: Type.String({ description: 'The path that was asked for.' }),
    code: Type.String({ description: 'The kind of problem, in a stable snake_case word.' }),
    request_id: Type.String(),
    errors: Type.Optional(Type.Array(Fault)),
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
    offset: Type.Integer({ description: 'How many matching items come before this page.' }),
    total: Type.Integer({ description: 'How many items match in all. Exact.' }),
    has_more: Type.Boolean(),
    next_cursor: Nullable(Type.String(), {
      description:
        'Pass it as `cursor` for the next page. Null on the last one, and where a list pages by offset only.',
    }),
  },
  {
    $id: 'Pagination',
    additionalProperties: false,
    examples: [{ limit: 20, offset: 0, total: 1, has_more: false, next_cursor: null }],
  },
);
export type Pagination = Static<typeof Pagination>;

/** Paging by number, as every list offers it. Query integers are plain decimals in range, or 400. */
export const Limit = Type.Integer({
  minimum: 1,
  maximum: 1000,
  default: 20,
  description: 'Items on a page.',
});
export const Offset = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  default: 0,
  description: 'Items to skip. Any offset costs about the same.',
});

/** One of them or an array of them; told apart by the body being an array. */
export const OneOrMany = <T extends TSchema>(one: T, maxItems: number, options: TSchemaOptions = {}) =>
  Type.Union([one, Type.Array(one, { minItems: 1, maxItems })], options);
