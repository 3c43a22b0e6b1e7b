/** The filters of questions, of lists (query parameters) and of analyses and changes (JSON). */
import type { Static, TSchema } from 'typebox';
import { LEVELS } from './difficulties.ts';
import { KINDS } from './question-kinds.ts';
import { STATUSES } from './status.ts';
import { Type } from './type.ts';

const MAX_VALUES = 20;

/** Fields that a question can be without. */
export const MISSING_FIELDS = ['explanation', 'topic_focus', 'tags', 'options', 'source'] as const;
export type MissingField = (typeof MISSING_FIELDS)[number];

const category = Type.String({ maxLength: 200 });
const difficulty = Type.Integer(LEVELS);
const topic = Type.String({ maxLength: 200 });
const tag = Type.String({ maxLength: 100 });
const source = Type.String({ maxLength: 500 });
const kind = Type.Enum([...KINDS]);
const status = Type.Enum([...STATUSES]);

/** Filters with several values: the schema of a value, and the description. */
const MANY = {
  category: [
    category,
    'Questions in one of these categories, compared case-insensitively. An unknown category is refused, with the nearest name.',
  ],
  not_category: [category, 'Questions in none of these categories.'],
  difficulty: [difficulty, 'Questions of one of these difficulties: 0 Basic, 1 Intermediate, 2 Advanced.'],
  not_difficulty: [difficulty, 'Questions of none of these difficulties.'],
  topic_focus: [topic, 'Questions with one of these topics, compared case-insensitively.'],
  not_topic_focus: [topic, 'Questions with none of these topics. Questions without a topic match.'],
  tag: [tag, 'Questions with all of these tags, compared case-insensitively.'],
  not_tag: [tag, 'Questions with none of these tags.'],
  kind: [kind, 'Questions of one of these kinds.'],
  not_kind: [kind, 'Questions of none of these kinds.'],
  source: [source, 'Questions from one of these sources, compared case-insensitively.'],
  not_source: [source, 'Questions from none of these sources. Questions without a source match.'],
  status: [
    status,
    'Questions with one of these statuses. Lists have all that the caller sees by default, analyses approved ones.',
  ],
  not_status: [status, 'Questions with none of these statuses.'],
  missing: [
    Type.Enum([...MISSING_FIELDS]),
    'Questions without at least one of these fields. `options` are the incorrect answers. `explanation` requires `answers:read`.',
  ],
  finding: [
    Type.String({ maxLength: 200, pattern: '^[a-z_]+:', examples: ['quality:spacing'] }),
    'Questions in which the latest run of an analysis found one of these: the type and the name, such as `quality:spacing`. Dismissed ' +
      'findings do not count. Requires `analysis:read` and `answers:read`.',
  ],
} as const satisfies Record<string, readonly [TSchema, string]>;

/** One value or several. */
type Values<T> = T | T[];

export type QuestionFilter = {
  [K in keyof typeof MANY]?: Values<Static<(typeof MANY)[K][0]>>;
} & { [K in keyof typeof single]?: string };

export const toList = <T>(values: Values<T> | undefined): T[] =>
  values === undefined ? [] : Array.isArray(values) ? values : [values];

/** Whether a filter names a status other than approved. */
export const namesUnapproved = ({ status }: QuestionFilter): boolean =>
  toList(status).some((each) => each !== 'approved');

const mapMany = (toSchema: (item: TSchema, description: string) => TSchema) =>
  Object.fromEntries(
    Object.entries(MANY).map(([name, [item, description]]) => [
      name,
      Type.Optional(toSchema(item, description)),
    ]),
  );

const single = {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Full-text search in the question, topic and tags and, with `answers:read`, in answers and explanation. Every ' +
        'word must occur; case, accents and a plural s are ignored. `*` at the end of a word of two or more characters ' +
        'matches any ending. At most 16 different words, 4 of them with `*`; in scripts without spaces each character ' +
        'is a word.',
    }),
  ),
  external_id: Type.Optional(
    Type.String({ maxLength: 200, description: 'The question with this `external_id`.' }),
  ),
  updated_since: Type.Optional(
    Type.String({
      maxLength: 40,
      examples: ['2026-03-01T09:30:00.000Z', '2026-03-01'],
      description:
        'Questions created or updated at or after this time, RFC 3339, or a date alone for its beginning in UTC; requires `answers:read`. ' +
        'To poll for changes, start half a minute before the last one you saw and skip known ones: on PostgreSQL, a slow write can become ' +
        'visible after a later one.',
    }),
  ),
};

/** The filters as JSON. */
export const QuestionFilter = Type.Object(
  {
    ...mapMany((item, description) =>
      Type.Union([item, Type.Array(item, { maxItems: MAX_VALUES })], {
        description: `${description} A value or an array.`,
      }),
    ),
    ...single,
  },
  { $id: 'QuestionFilter', description: 'The filters of GET /questions.', additionalProperties: false },
);

/** The filters as query parameters. Numbers and names of a fixed list may be separated by commas. */
export const filterParameters = {
  ...mapMany((item, description) =>
    Type.Array(item, { maxItems: MAX_VALUES, description: `${description} Repeatable.` }),
  ),
  ...single,
};
