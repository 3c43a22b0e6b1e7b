/** The queries of lists of questions and of their facets. */
import type { Static } from 'typebox';
import { Limit, NO_CONTROL_CHARACTERS, Offset } from './common.ts';
import { filterParameters, type QuestionFilter } from './question-filter.ts';
import { Type } from './type.ts';

const SORTS = [
  'created_at',
  '-created_at',
  'updated_at',
  '-updated_at',
  'deleted_at',
  '-deleted_at',
  'relevance',
  'random',
] as const;

export const deleted = Type.Optional(
  Type.Boolean({
    description:
      'With `true`, deleted questions as they were last, with `deleted_at`; other filters apply to that content, and `updated_since` to the ' +
      'time of the deletion. Requires `questions:write` and `answers:read`. Restore one with POST /questions/{id}/restore and its `revision`.',
  }),
);

const paging = {
  include_deleted: Type.Optional(
    Type.Boolean({
      description:
        'With `true`, the list has a `{ id, deleted_at }` for each question deleted since `updated_since` that matched the other filters when ' +
        'it was deleted. Requires `updated_since` and a sort by `updated_at`: a client that keeps a copy of the bank pages through one list ' +
        'of changes, deletions at their time.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum([...SORTS], {
      default: 'created_at',
      description:
        '`relevance` requires `q` and ranks the first 1,000 matches; the others follow by creation. `updated_at` requires ' +
        '`answers:read`. `deleted_at` is for deleted questions, whose default is `-deleted_at`. `random` is an order that `seed` determines; ' +
        'follow `next_cursor` for its pages.',
    }),
  ),
  seed: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: NO_CONTROL_CHARACTERS,
      examples: ['2026-03-01'],
      description:
        'With `sort=random`: determines the order. The same seed gives the same order of the same bank. Default: drawn, and returned as ' +
        '`seed`, which the next pages require.',
    }),
  ),
  limit: Type.Optional(Limit),
  offset: Type.Optional(Offset),
  cursor: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'The `next_cursor` of the previous page, with the same filters and sort; replaces `offset`.',
    }),
  ),
};

export const QuestionQuery = Type.Object(
  { ...filterParameters, deleted, ...paging },
  { additionalProperties: false },
);
type Paging = { [K in keyof typeof paging]?: Static<(typeof paging)[K]> };
export type QuestionQuery = QuestionFilter & { deleted?: boolean } & Paging;
