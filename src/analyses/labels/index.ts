/** Which questions look misfiled: under a category, or at a difficulty, that their text does not speak for. */
import Type, { type Static } from 'typebox';
import { defineAnalysis, type Input, type Outcome, type QuestionWithoutAnswers } from '../define.ts';
import { assessLabels, METHODS } from './assessment.ts';
import { readDataset } from './dataset.ts';
import {
  type FieldResults,
  formatWarnings,
  listRows,
  rankSuspects,
  summarizeField,
  toFieldResult,
} from './report.ts';
import { FIELDS, Row, Summary } from './schemas.ts';

const Parameters = Type.Object(
  {
    fields: Type.Array(Type.Enum([...FIELDS]), {
      minItems: 1,
      uniqueItems: true,
      default: ['category', 'difficulty'],
      description:
        'What is to be checked. By default both; the difficulty is only judged where it can be told from the text.',
    }),
    method: Type.Enum([...METHODS], {
      default: 'mixture',
      description:
        'How suspects are picked. `mixture` estimates how many labels are wrong and names those that are wrong with ' +
        'at least the `certainty`; the others are those of confident learning (Northcutt et al. 2021), by the names ' +
        'they have in cleanlab. On 5,250 trivia questions with 5 % of the categories exchanged, 65 % of the suspects of the ' +
        'default were such (it found 70 % of them), and 15 to 31 % of those of the others (71 to 99 %).',
    }),
    certainty: Type.Number({
      minimum: 0.05,
      maximum: 0.99,
      default: 0.25,
      description:
        'How probable it must be that a label is wrong, for the method `mixture`. The default ' +
        'balanced precision and recall best, over trivia questions with 0.5, 2, 5 and 10 % planted errors. With 5 %, 0.5 ' +
        'raised the share of rightly named ones from 65 to 83 %, and named half as many.',
    }),
    folds: Type.Integer({
      minimum: 2,
      maximum: 10,
      default: 5,
      description:
        'Into how many parts the questions are dealt; each is judged by what was learned from the others. A label with fewer ' +
        'different questions is left out. 5 is the usual number; 10 take twice the time and ' +
        'ranked planted errors only slightly better (average precision 0.65 instead of 0.63).',
    }),
  },
  { additionalProperties: false },
);

async function run(
  input: Input<QuestionWithoutAnswers>,
  parameters: Static<typeof Parameters>,
): Promise<Outcome<Summary, Row>> {
  const steps = parameters.fields.length + 1;
  const bank = await readDataset(input, input.ticker.part(0, 1 / steps));
  const verdicts: FieldResults = {};
  for (const [i, field] of FIELDS.filter((field) => parameters.fields.includes(field)).entries()) {
    const labels = field === 'category' ? bank.categories : bank.difficulties;
    const options = { ...parameters, isReportable: field === 'category' ? () => true : farApart };
    const judgement = await assessLabels(bank, labels, options, (share) =>
      input.progress((1 + i + share) / steps),
    );
    verdicts[field] = toFieldResult(field, judgement);
  }
  const doubts = rankSuspects(verdicts);
  await input.progress(1);
  return {
    summary: {
      questions: bank.count,
      suspects: doubts.size,
      category: verdicts.category ? summarizeField(verdicts.category) : null,
      difficulty: verdicts.difficulty ? summarizeField(verdicts.difficulty) : null,
    },
    items: listRows(bank, verdicts, doubts),
    warnings: formatWarnings(bank, parameters.folds, verdicts),
  };
}

/** Neighbouring levels of difficulty are a matter of opinion. */
const farApart = (given: string, suggested: string) => Math.abs(Number(given) - Number(suggested)) >= 2;

const ask = (category: string, difficulty: number, question_text: string, correct_answer: string) => ({
  question_text,
  correct_answer,
  category,
  difficulty,
});

export const labels = defineAnalysis({
  type: 'labels',
  version: 1,
  title: 'Misfiled questions',
  description: [
    'Finds questions whose category or difficulty does not go with their text, such as a question about hormones in ',
    'Geography. A classifier learns from the words of all other questions and their options what each category looks ',
    'like; a question is a suspect if the category it is filed under is hard to believe. Each suspect comes with the ',
    'category it looks like and the words that say so; the most certain come first.\n\n',
    'Questions with the same text never speak for each other. Topics and tags are not looked at, for they tend to repeat ',
    'the category. Categories that overlap make for false suspects, catch-all categories for few: look at the picture ',
    'to see which are taken for each other. Difficulty is rarely to be told from the words: where it is not, that is said ',
    'and nobody is suspected, and where it is, only questions are named that look two steps away.\n\n',
    'Of 5,250 trivia questions in 24 categories, 5 % of them filed elsewhere at random, it found 70 %; of the suspects ',
    '65 %, and of the first hundred 87 %, were such.',
  ].join(''),
  readsAnswers: false,
  parameters: Parameters,
  result: { summary: Summary, item: Row },
  example: {
    parameters: { folds: 3 },
    questions: [
      ask('Geography', 0, 'What is the name of the river in this country?', 'The Loire'),
      ask('Geography', 2, 'In which year was the river in this country first mentioned?', '871'),
      ask('Geography', 0, 'What is the name of the mountain in this country?', 'Triglav'),
      ask('Geography', 2, 'In which year was the mountain in this country first mentioned?', '956'),
      ask('Geography', 0, 'In which year was the mountain by this river first mentioned?', '1012'),
      ask('Cooking', 0, 'What is the name of the sauce with butter and flour?', 'Béchamel'),
      ask('Cooking', 2, 'In which year was the sauce with butter and flour first mentioned?', '1651'),
      ask('Cooking', 0, 'What is the name of the soup with butter and flour?', 'Velouté'),
      ask('Cooking', 2, 'In which year was the soup with cream and butter first mentioned?', '1739'),
      ask('Cooking', 2, 'In which year was the sauce with cream and flour first mentioned?', '1604'),
      ask('Cooking', 2, 'In which year was the soup with cream and flour first mentioned?', '1604'),
      ask('Geography', 0, 'What is the name of the soup with cream and butter?', 'Bisque'),
    ],
  },
  run,
  plot: ({ summary }) => {
    const { labels, counts } = summary.category?.confusion ?? { labels: [], counts: [] };
    const empty = labels.length === 0;
    return {
      chart: 'heat-map',
      title: 'Categories taken for each other',
      description:
        'How many questions of each category look most like which category. On the diagonal are those that look like ' +
        `the category they are filed under. ${summary.category?.suspects ?? 0} questions are suspects.`,
      row_title: 'Filed under',
      rows: empty ? ['(none)'] : labels,
      column_title: 'Looks like',
      columns: empty ? ['(none)'] : labels,
      cells: empty ? [[null]] : counts,
      unit: 'questions',
      confusion: true,
    };
  },
});
