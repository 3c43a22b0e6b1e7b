/** Quality: flaws in the writing of questions that can be seen before anybody has answered them. */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../schemas/common.ts';
import { defineAnalysis, type Input, Item, type QuestionWithAnswers } from '../define.ts';
import { EXAMPLE } from './example.ts';
import { ANSWER_FIELD, type Finding, inspect } from './inspect.ts';
import { LongestOption } from './longest-option.ts';
import { type CategorySize, type Frame, type Row, report } from './report.ts';
import { SEVERITIES } from './rule.ts';
import { RULES } from './rules.ts';

/** How many categories have a row of their own in the summary, and a colour of their own in the picture. */
const CATEGORIES_LISTED = 20;
const CATEGORIES_DRAWN = 6;
/** Questions between two looks at whether the run is still wanted: a few hundredths of a second. */
const AT_ONCE = 200;

const NAMES = RULES.map(({ name }) => name);
const byName = new Map(RULES.map((rule) => [rule.name, rule]));

const closed = { additionalProperties: false };
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const RuleName = Type.Enum(NAMES, { description: 'What was looked for.' });
const SeverityName = Type.Enum([...SEVERITIES], {
  description: '`major`: mend it before use. `minor`: better mended. `info`: fine if meant.',
});

const parameters = Type.Object(
  {
    rules: Type.Array(Type.Enum(NAMES), {
      minItems: 1,
      uniqueItems: true,
      default: NAMES,
      description:
        'The rules to apply. All by default: of about 500 findings on public trivia questions that were read one by one, more than 19 in 20 were right.',
    }),
    min_severity: Type.Enum([...SEVERITIES], {
      default: 'info',
      description:
        'Rules below this severity are left out. `info` by default: on a public bank of 5,250 trivia questions all rules together mark 1 question in 10.',
    }),
    length_ratio: Type.Number({
      minimum: 1.1,
      maximum: 10,
      default: 2,
      description:
        'An option stands out by length if it is so many times as long as the next. Guideline 24 of Haladyna, Downing & Rodriguez (2002) gives no number; with 2, and 15 characters, 1 in 100 of 4,467 public trivia questions has such an option.',
    }),
    length_difference: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 15,
      description:
        'How many characters longer than the next it must be as well, so that names of one and of two words do not count. Chosen by reading what was marked on the same questions.',
    }),
    clue_word_length: Type.Integer({
      minimum: 3,
      maximum: 20,
      default: 4,
      description:
        'Shorter words of the right answer are not taken for clues when they stand in the question. With 4, little words and most units fall out; chosen by reading what was marked on the same questions.',
    }),
  },
  closed,
);

const RuleCounts = Type.Array(
  Type.Object({ rule: RuleName, questions: Count('Questions with such a finding.') }, closed),
  { description: 'Rules with at least one finding.' },
);

const summary = Type.Object(
  {
    questions: Count('Questions looked at.'),
    questions_with_findings: Count('Questions with at least one finding.'),
    clean_share: Nullable(Type.Number(), {
      description: 'Share of questions without any finding; null if there are no questions.',
    }),
    worst: Type.Object(
      {
        major: Count('With a major finding.'),
        minor: Count('With a minor one at worst.'),
        info: Count('With notes only.'),
      },
      { ...closed, description: 'Questions by their worst finding.' },
    ),
    not_english: Count(
      'Questions that do not seem to be English: only rules that do not depend on the language were applied.',
    ),
    rules: Type.Array(
      Type.Object(
        {
          rule: RuleName,
          severity: SeverityName,
          needs_answer: Type.Boolean({ description: 'Whether the rule has to know the right answer.' }),
          questions: Count('Questions with such a finding.'),
          findings: Count('Fields with such a finding.'),
          share: Nullable(Type.Number(), { description: 'Of all questions; null if there are none.' }),
          source: Type.String({ description: 'Where the rule comes from.' }),
        },
        closed,
      ),
      { description: 'The rules that were applied.' },
    ),
    categories: Type.Array(
      Type.Object(
        {
          category: Type.String(),
          questions: Count('Questions in the category.'),
          questions_with_findings: Count('Of them, with at least one finding.'),
          rules: RuleCounts,
        },
        closed,
      ),
      { description: `The ${CATEGORIES_LISTED} largest categories.` },
    ),
    other_categories: Nullable(
      Type.Object(
        {
          categories: Count('How many there are.'),
          questions: Count('Questions in them.'),
          questions_with_findings: Count('Of them, with at least one finding.'),
          rules: RuleCounts,
        },
        closed,
      ),
      { description: 'All other categories together; null if there are none.' },
    ),
    key_longest: Nullable(
      Type.Object(
        {
          questions: Count('Questions to choose from that have one longest option.'),
          observed: Count('Of them, where the longest option is the right one.'),
          expected: Type.Number({
            description: 'How many there would be by chance: the sum of 1 / number of options.',
          }),
          observed_share: Type.Number(),
          expected_share: Type.Number(),
          z: Type.Number({ description: 'Difference in standard deviations.' }),
          p_value: Type.Number({ description: 'Two-sided, by the normal approximation.' }),
          message: Type.String({ description: 'What that means, in a sentence or two.' }),
        },
        closed,
      ),
      {
        description:
          'How often the right answer is the longest option, over all questions but true/false ones.',
      },
    ),
    key_longest_reason: Nullable(Type.String(), { description: 'Why `key_longest` is null, where it is.' }),
  },
  closed,
);

const item = Item(NAMES, {
  place: Count('Its place among the questions looked at, from 0.'),
  category: Type.String(),
  question_text: Type.String(),
  severity: Type.Enum([...SEVERITIES], { description: 'The worst of the findings.' }),
  findings: Type.Array(
    Type.Object(
      {
        rule: RuleName,
        severity: SeverityName,
        field: Type.String({
          description:
            'Where: `question_text`, `choices/` and the place among the choices from 0, or `correct_answer` where there are no choices.',
        }),
        start: Count('Where it begins in the field, in UTF-16 code units.'),
        end: Count('Where it ends.'),
        times: Type.Integer({
          minimum: 1,
          description: 'How often it is in the field; the place is that of the first.',
        }),
        excerpt: Type.String({ description: 'The passage, with a little of what stands around it.' }),
        why: Type.String({ description: 'Why it matters.' }),
        how: Type.String({ description: 'How to mend it.' }),
      },
      closed,
    ),
  ),
});

type Parameters = Static<typeof parameters>;
type Outcome = { summary: Static<typeof summary>; items: Iterable<Static<typeof item>>; warnings: string[] };

async function run(
  input: Input<QuestionWithAnswers>,
  { rules: names, min_severity, ...limits }: Parameters,
): Promise<Outcome> {
  const least = SEVERITIES.indexOf(min_severity);
  const rules = RULES.filter(
    ({ name, severity }) => names.includes(name) && SEVERITIES.indexOf(severity) >= least,
  );
  const sizes = new Map<string, number>();
  const longest = new LongestOption();
  const rows: Row[] = [];
  let questions = 0;
  let not_english = 0;
  for await (const batch of input.questions) {
    for (const question of batch) {
      const { id: question_id, question_text, category, choices, correct_answer } = question;
      const { reading, findings } = inspect(question, rules, limits);
      if (findings.length > 0)
        rows.push({ question_id, place: questions, category, question_text, findings });
      if (!reading.english) not_english++;
      if (reading.kind === 'choice') longest.add(choices, correct_answer);
      sizes.set(category, (sizes.get(category) ?? 0) + 1);
      if (++questions % AT_ONCE === 0) await input.progress(questions / (input.count + 1));
    }
  }
  const key_longest = longest.figures;
  return report(rows, rules, {
    questions,
    not_english,
    ...largestOf(sizes),
    key_longest,
    key_longest_reason: key_longest
      ? null
      : 'No question to choose from has one option that is longer than all others.',
  });
}

/** Sorting is stable: of categories that are equally large, the one that was met first comes first. */
function largestOf(sizes: ReadonlyMap<string, number>): Pick<Frame, 'categories' | 'others'> {
  const all: CategorySize[] = [...sizes].map(([category, questions]) => ({ category, questions }));
  all.sort((a, b) => b.questions - a.questions);
  const rest = all.slice(CATEGORIES_LISTED);
  const questions = rest.reduce((sum, each) => sum + each.questions, 0);
  return {
    categories: all.slice(0, CATEGORIES_LISTED),
    others: rest.length > 0 ? { categories: rest.length, questions } : null,
  };
}

/** What was found knowing the answer, or in it, is taken out, and everything counted again. */
function withoutAnswers({ summary, items }: Outcome): Outcome {
  const rows: Row[] = [];
  for (const { question_id, place, category, question_text, findings } of items) {
    const shown = findings
      .map(findingOf)
      .filter(({ rule, field }) => rule.looks_at !== 'answer' && field !== ANSWER_FIELD);
    if (shown.length > 0) rows.push({ question_id, place, category, question_text, findings: shown });
  }
  // What was taken out has had a say in the order.
  rows.sort((a, b) => a.place - b.place);
  const { questions, not_english, categories, other_categories: others } = summary;
  const outcome = report(
    rows,
    summary.rules.filter(({ needs_answer }) => !needs_answer).map(({ rule }) => byName.get(rule)!),
    {
      questions,
      not_english,
      categories,
      others: others && { categories: others.categories, questions: others.questions },
      key_longest: null,
      key_longest_reason: 'It would tell about the answers.',
    },
  );
  outcome.warnings.push('Findings that depend on the right answer are left out.');
  return outcome;
}

type Shown = Static<typeof item>['findings'][number];

const findingOf = ({ rule, field, start, end, times, excerpt }: Shown): Finding => ({
  rule: byName.get(rule)!,
  field,
  start,
  end,
  times,
  excerpt,
});

/** The rules with most findings first; questions by rule, and by category within it. */
function plot({ summary: { rules, categories, other_categories } }: Outcome) {
  const drawn = categories.slice(0, CATEGORIES_DRAWN);
  const others = other_categories !== null || categories.length > drawn.length;
  const tables = drawn.map(
    (category) => new Map(category.rules.map(({ rule, questions }) => [rule, questions])),
  );
  const found = rules.filter(({ questions }) => questions > 0).sort((a, b) => b.questions - a.questions);
  return {
    chart: 'stacked-bars' as const,
    title: 'Flaws in the writing of questions',
    description: `Questions with a finding, by rule and category. ${describe(found)}`,
    axis: 'questions',
    series: [...drawn.map(({ category }) => category), ...(others ? ['other categories'] : [])],
    bars: found.map(({ rule, questions }) => {
      const values = tables.map((table) => table.get(rule) ?? 0);
      const rest = questions - values.reduce((sum, value) => sum + value, 0);
      return { label: rule.replaceAll('_', ' '), values: others ? [...values, rest] : values };
    }),
  };
}

function describe(found: readonly { rule: string; questions: number }[]): string {
  const [first] = found;
  return first
    ? `Most frequent: ${first.rule.replaceAll('_', ' ')}, in ${first.questions}.`
    : 'Nothing was found.';
}

export const quality = defineAnalysis({
  type: 'quality',
  version: 1,
  title: 'Quality of writing',
  description: `Looks for flaws in the writing of questions that can be seen before anybody has answered them, after the 31 guidelines of
Haladyna, Downing & Rodriguez (2002, Applied Measurement in Education 15(3), 309–334): negative questions, answers that the question or
their length gives away, options that overlap, repeat or refer to each other, wording that goes stale, and what went wrong in typing or
importing. Each finding says where it is, why it matters and how to mend it; and for the bank as a whole, whether the right answer is the
longest option more often than chance would have it.

Rules about wording are applied to questions in English only. The order of options is not judged: they are shuffled anyway. Where two
readings are possible, nothing is reported: a question without findings is not thereby a good one.`,
  readsAnswers: true,
  parameters,
  result: { summary, item },
  example: {
    parameters: {},
    questions: EXAMPLE,
  },
  run: async (input, parameters) => {
    const with_answers = await run(input, parameters);
    return { with_answers, without_answers: withoutAnswers(with_answers) };
  },
  plot,
});
