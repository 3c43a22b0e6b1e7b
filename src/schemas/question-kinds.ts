/** The kinds of questions, and the fields that only some kinds have. */
import type { Static, TNull, TOptional, TSchema, TUnion } from 'typebox';
import { Nullable, Text } from './common.ts';
import { Type } from './type.ts';

export const KINDS = ['multiple_choice', 'multiple_response', 'short_answer', 'numeric'] as const;
export type Kind = (typeof KINDS)[number];

/** One correct answer, or several that must all be chosen. */
export type CorrectAnswer = string | string[];

const MIN_CORRECT = 2;
const MAX_CORRECT = 10;
export const MAX_INCORRECT = 20;
/** The options of a question, and so the most that an answer can choose. */
const MAX_OPTIONS = MAX_CORRECT + MAX_INCORRECT;
export const MAX_ANSWER_CHARS = 2_000;

/** The fields that decide the kind of a question. */
interface KindFields {
  correct_answer: CorrectAnswer;
  incorrect_answers?: readonly string[] | null | undefined;
  numeric?: object | null | undefined;
}

export function kindOf({ correct_answer, incorrect_answers, numeric }: KindFields): Kind {
  if (numeric) return 'numeric';
  if (Array.isArray(correct_answer)) return 'multiple_response';
  return (incorrect_answers ?? []).length > 0 ? 'multiple_choice' : 'short_answer';
}

/** The correct answers of a question of any kind. */
export const listCorrect = (correct: CorrectAnswer): string[] =>
  Array.isArray(correct) ? correct : [correct];

export const Kind = Type.Enum([...KINDS], {
  description:
    'Follows from the other fields. `multiple_choice`: one correct answer and options. `multiple_response`: several correct answers. ' +
    '`short_answer`: no options. `numeric`: a number. Read-only: accepted in a request if it is the one that the fields have.',
});

const Answer = Text(MAX_ANSWER_CHARS);

export const CorrectAnswerInput = Type.Union(
  [Answer, Type.Array(Answer, { minItems: MIN_CORRECT, maxItems: MAX_CORRECT })],
  {
    description:
      'The correct answer; or an array of those that must all be chosen, and no others, for a question with several (`multiple_response`).',
  },
);
export const CorrectAnswerOutput = Type.Union([Type.String(), Type.Array(Type.String())], {
  description: 'An array for `multiple_response`.',
});

/** The options that a respondent chose. */
export const ChosenOptions = (minItems: 0 | 1) => Type.Array(Answer, { minItems, maxItems: MAX_OPTIONS });

const Tolerance = (description: string) => Type.Number({ minimum: 0, maximum: 1e100, description });

export const Numeric = Type.Object(
  {
    tolerance: Type.Optional(Tolerance('The largest difference from `correct_answer` that is still right.')),
    relative_tolerance: Type.Optional(
      Tolerance('The same as a share of `correct_answer`: 0.05 accepts 5 % more or less.'),
    ),
    unit: Type.Optional(
      Text(50, {
        description:
          'The unit of the answer. Answers without a unit are accepted, those with another one are wrong.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Makes the question numeric: `correct_answer` is a number, and there are no incorrect answers. Has at most one tolerance; without one, ' +
      'the value must be equal.',
    examples: [{ tolerance: 0.05, unit: 'm/s' }],
  },
);
export type Numeric = Static<typeof Numeric>;

const Ignored = (what: string, value: boolean) =>
  Type.Optional(Type.Boolean({ description: `Whether ${what}. Default: ${value}.` }));

export const AnswerMatching = Type.Object(
  {
    ignore_case: Ignored('upper and lower case are equal', true),
    ignore_diacritics: Ignored('letters with and without diacritics are equal', false),
    ignore_punctuation: Ignored('punctuation is ignored', false),
    ignore_articles: Ignored('an article at the beginning is ignored, such as “a”, “an” and “the”', false),
  },
  {
    additionalProperties: false,
    description:
      'How the answers to a question without options are compared. Members that have their default are left out.',
  },
);
export type AnswerMatching = Static<typeof AnswerMatching>;

const MAX_ACCEPTED = 20;
const AcceptedAnswers = Type.Array(Answer, {
  maxItems: MAX_ACCEPTED,
  description:
    'Further correct answers to a question without options: distinct, and different from `correct_answer`.',
});

const TEXT_FORMATS = ['plain', 'markdown'] as const;
const TextFormat = Type.Enum([...TEXT_FORMATS], {
  default: 'plain',
  description:
    'The format of the question, its options and its explanation. `markdown`: CommonMark with fenced code and `$…$` mathematics. Stored as it is, ' +
    'never rendered; analyses read the text without markup. Absent from a question in plain text.',
});

const CHOICES_ORDERS = ['shuffled', 'sorted', 'as_given'] as const;
const ChoicesOrder = Type.Enum([...CHOICES_ORDERS], {
  default: 'shuffled',
  description:
    'The order of `choices`. `sorted`: by value if all are numbers, else by text. `as_given`: that of `choices` in the request. Options such as ' +
    '“all of the above” come last, except `as_given`. Absent from a question with shuffled choices.',
});

const Choose = Type.Integer({
  minimum: MIN_CORRECT,
  maximum: MAX_CORRECT,
  description:
    'For `multiple_response`: shows how many options are right to every caller. Must be the number of correct answers. Absent: the number is not shown.',
});

/** Optional input fields; null clears a value. */
export const kindInputs = {
  kind: Type.Optional(Kind),
  numeric: Type.Optional(Nullable(Numeric)),
  accepted_answers: Type.Optional(Nullable(AcceptedAnswers)),
  answer_matching: Type.Optional(Nullable(AnswerMatching)),
  text_format: Type.Optional(Nullable(TextFormat)),
  choices_order: Type.Optional(Nullable(ChoicesOrder)),
  choices: Type.Optional(
    Nullable(Type.Array(Answer, { maxItems: MAX_OPTIONS }), {
      description:
        'All options in the order to show; required with the `choices_order` `as_given`. With another order read-only: accepted if it has the ' +
        'same options, without effect.',
    }),
  ),
  choose: Type.Optional(Nullable(Choose)),
};

const optionalOrNull = <T extends Record<string, TSchema>>(properties: T) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(Nullable(schema))]),
  ) as { [K in keyof T]: TOptional<TUnion<[T[K], TNull]>> };

const CHANGED_MEMBERS = 'As in `QuestionInput`. Members that are left out keep their value; null clears one.';

/** In a change, the members of objects are merged too. */
export const kindChanges = {
  numeric: Type.Optional(
    Nullable(
      Type.Object(optionalOrNull(Numeric.properties), {
        additionalProperties: false,
        description: CHANGED_MEMBERS,
        examples: [{ tolerance: null, relative_tolerance: 0.05 }],
      }),
    ),
  ),
  answer_matching: Type.Optional(
    Nullable(
      Type.Object(optionalOrNull(AnswerMatching.properties), {
        additionalProperties: false,
        description: CHANGED_MEMBERS,
      }),
    ),
  ),
};

export const publicKindFields = {
  text_format: Type.Optional(TextFormat),
  choices_order: Type.Optional(ChoicesOrder),
  choose: Type.Optional(Choose),
};

/** Only for callers with `answers:read`. */
export const answerKindFields = {
  numeric: Type.Optional(Numeric),
  accepted_answers: Type.Optional(AcceptedAnswers),
  answer_matching: Type.Optional(AnswerMatching),
};
