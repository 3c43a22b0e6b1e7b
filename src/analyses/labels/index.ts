/** Finds label errors: questions with a category or difficulty that their text does not support. */
import { defineAnalysis } from '../define.ts';
import { example } from './example.ts';
import { plotConfusion } from './figures.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const labels = defineAnalysis({
  type: 'labels',
  version: 3,
  title: 'Label errors',
  description: [
    'Finds questions whose category or difficulty does not fit their text, such as a question about hormones in ',
    'Geography. A logistic regression on the words of question and options is trained by cross-validation, so that each ',
    'question is judged by a model that has not seen it. A question is a suspect if its label is improbable, another ',
    'label is supported by at least two words of its subject, and the two labels do not overlap. Each suspect comes with ',
    'the suggested label and these words; the most certain come first (`min_certainty`).\n\n',
    'Questions with the same text are never used to judge each other. Topics and tags are not used, because they tend to ',
    'repeat the category. Catch-all and overlapping categories are reported, but never suggested; the figure shows which ',
    'categories are confused. Difficulty can rarely be predicted from the words. Where it cannot, a warning says so ',
    'and no question is reported; where it can, only questions are reported that look at least two levels away.\n\n',
    'Of 100 suspects in trivia questions with overlapping and catch-all categories and 3 % planted errors, 81 were plainly ',
    'misfiled, 15 debatable and 4 wrong.',
  ].join(''),
  readsAnswers: false,
  parameters: Parameters,
  result: { summary: Summary, item: Row },
  findings: { category_suspect: 'minor', difficulty_suspect: 'minor' },
  sortKeys: {
    certainty: ({ category, difficulty }) => Math.max(category?.certainty ?? 0, difficulty?.certainty ?? 0),
  },
  example,
  async run(input, parameters) {
    const { detectWrongLabels } = await import('./detection.ts');
    return detectWrongLabels(input, parameters);
  },
  plot: plotConfusion,
});
