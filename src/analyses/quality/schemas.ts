/** Parameters and result of the quality analysis. */
import type { Static } from 'typebox';
import { CONTAINS_ANSWERS } from '../../schemas/answers.ts';
import { Nullable } from '../../schemas/common.ts';
import { CorrectAnswerOutput } from '../../schemas/question-kinds.ts';
import { Type } from '../../schemas/type.ts';
import { Item } from '../define.ts';
import { Count, closed } from '../shared/schema-parts.ts';
import { RULES } from './rules/index.ts';
import { SEVERITIES } from './rules/rule.ts';

/** Number of categories in the summary; the others are summed. */
export const MAX_CATEGORIES = 20;

const RULE_NAMES = RULES.map(({ name }) => name);

const RuleName = Type.Enum(RULE_NAMES, { description: 'Name of the rule.' });
const Severity = Type.Enum([...SEVERITIES], {
  description: '`major`: fix before use. `minor`: should be fixed. `info`: acceptable if intended.',
});

export const Parameters = Type.Object(
  {
    rules: Type.Array(Type.Enum(RULE_NAMES), {
      minItems: 1,
      uniqueItems: true,
      default: RULE_NAMES,
      description:
        'Rules to apply. All by default: each has a precision and a recall of at least 85 % on labelled questions that are part of the tests.',
    }),
    min_severity: Type.Enum([...SEVERITIES], {
      default: 'info',
      description:
        'Rules of lower severity are not applied. `info` by default: all rules together flag 10 % of a public bank of 5,250 trivia questions.',
    }),
    min_length_ratio: Type.Number({
      minimum: 1.1,
      maximum: 10,
      default: 2,
      description:
        'Minimum ratio of the length of an option to that of the next longest for it to be conspicuous. Guideline 24 of Haladyna, Downing & Rodriguez (2002) gives no number; with 2, and a difference of 15 characters, 0.1 % of 4,467 public trivia questions have such an option. Names, titles and quotations are not judged.',
    }),
    min_length_difference: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 15,
      description:
        'Minimum difference in characters, in addition to the ratio, so that names of one and of two words do not count. Chosen by reviewing the findings on the same questions.',
    }),
    min_clue_word_length: Type.Integer({
      minimum: 3,
      maximum: 20,
      default: 4,
      description:
        'Shorter words of the correct answer are not clues if they appear in the question. With 4, function words and most units are excluded. Chosen by reviewing the findings on the same questions.',
    }),
  },
  closed,
);
export type Parameters = Static<typeof Parameters>;

const RuleCounts = Type.Array(
  Type.Object({ rule: RuleName, questions: Count('Questions with a finding of the rule.') }, closed),
  { description: 'Rules with at least one finding.' },
);

const KeyLongest = Type.Object(
  {
    questions: Count('Multiple-choice questions that have a single longest option.'),
    observed: Count('Of them, questions whose longest option is the key.'),
    expected: Type.Number({
      description: 'Expected number by chance: the sum of 1 / number of options.',
    }),
    observed_share: Type.Number(),
    expected_share: Type.Number(),
    z: Type.Number({ description: 'Difference in standard deviations.' }),
    p_value: Type.Number({ description: 'Two-sided, by the normal approximation.' }),
    message: Type.String({ description: 'Interpretation.' }),
  },
  closed,
);

export const Summary = Type.Object(
  {
    questions: Count('Number of questions.'),
    questions_with_findings: Count('Questions with at least one finding.'),
    clean_share: Nullable(Type.Number(), {
      description: 'Share of questions without findings; null if there are no questions.',
    }),
    by_severity: Type.Object(
      {
        major: Count('Questions with a major finding.'),
        minor: Count('Questions with a minor finding and no major one.'),
        info: Count('Questions with findings of severity `info` only.'),
      },
      { ...closed, description: 'Questions by their most severe finding.' },
    ),
    not_english: Count(
      'Questions that do not seem to be English. Only rules that do not depend on the language were applied.',
    ),
    rules: Type.Array(
      Type.Object(
        {
          rule: RuleName,
          severity: Severity,
          needs_answer: Type.Boolean({ description: 'Whether the rule depends on the correct answer.' }),
          questions: Count('Questions with a finding of the rule.'),
          findings: Count('Fields with a finding of the rule.'),
          share: Nullable(Type.Number(), {
            description: 'Share of all questions; null if there are none.',
          }),
          source: Type.String({ description: 'The guideline that the rule implements.' }),
        },
        closed,
      ),
      { description: 'The rules with at least one finding.' },
    ),
    categories: Type.Array(
      Type.Object(
        {
          category: Type.String(),
          questions: Count('Questions in the category.'),
          questions_with_findings: Count('Of them, questions with at least one finding.'),
          rules: RuleCounts,
        },
        closed,
      ),
      { description: `The ${MAX_CATEGORIES} largest categories.` },
    ),
    other_categories: Nullable(
      Type.Object(
        {
          categories: Count('Number of categories.'),
          questions: Count('Questions in them.'),
          questions_with_findings: Count('Of them, questions with at least one finding.'),
          rules: RuleCounts,
        },
        closed,
      ),
      { description: 'All other categories together; null if there are none.' },
    ),
    key_longest: Nullable(KeyLongest, {
      description: 'Test of whether the key is the longest option more often than by chance.',
    }),
    key_longest_reason: Nullable(Type.String(), {
      description: 'Why `key_longest` is null, if it is.',
    }),
  },
  closed,
);
export type Summary = Static<typeof Summary>;

const Change = Type.Object(
  {
    before: Type.String({ description: 'The text of the field as it is.' }),
    after: Type.String({ description: 'The text of the field with all occurrences corrected.' }),
    revision: Nullable(Type.Integer({ minimum: 1 }), {
      description:
        'The revision of the question that the change applies to; null for callers that may not see answers. Compare it before the update, since the body replaces the whole field.',
    }),
    body: Type.Object(
      {
        question_text: Type.Optional(Type.String()),
        correct_answer: Type.Optional(CorrectAnswerOutput),
        incorrect_answers: Type.Optional(Type.Array(Type.String())),
        choices: Type.Optional(
          Type.Array(Type.String(), { description: 'For choices that are shown as given.' }),
        ),
      },
      {
        ...closed,
        ...CONTAINS_ANSWERS,
        description: 'The body of `PATCH /questions/{id}`: an RFC 7396 merge patch of one field.',
      },
    ),
  },
  closed,
);
export type Change = Static<typeof Change>;

const Finding = Type.Object(
  {
    rule: RuleName,
    severity: Severity,
    field: Type.String({
      description:
        '`question_text`, `choices/` with the index of the choice, or `correct_answer` if there are no choices.',
    }),
    start: Count(
      'Start of the first occurrence in the field, in UTF-16 code units. Of a text with markup, in the text without it.',
    ),
    end: Count('End of the first occurrence, exclusive.'),
    occurrences: Type.Integer({ minimum: 1, description: 'Number of occurrences in the field.' }),
    excerpt: Type.String({ description: 'The first occurrence with some context.' }),
    why: Type.String({ description: 'Why it matters.' }),
    how: Type.String({ description: 'How to fix it.' }),
    change: Nullable(Change, {
      description:
        'The correction, ready to be applied with `PATCH /questions/{id}`, if there is one safe remedy. Null for a text with markup, and for options if the caller may not see answers, since it would reveal the key.',
    }),
  },
  closed,
);

export const Row = Item(RULE_NAMES, {
  position: Count('Position among the questions analysed, from 0.'),
  category: Type.String(),
  question_text: Type.String(),
  severity: Type.Enum([...SEVERITIES], { description: 'Severity of the most severe finding.' }),
  findings: Type.Array(Finding),
});
export type Row = Static<typeof Row>;
