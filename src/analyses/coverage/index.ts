/** Coverage: the balance of categories, difficulties and topics, and the fit to a blueprint. */
import { defineAnalysis } from '../define.ts';
import { validateBlueprint } from './blueprint.ts';
import { example } from './example.ts';
import { plotHeatMap } from './figures.ts';
import { Parameters, Row, Summary } from './schemas.ts';

export const coverage = defineAnalysis({
  type: 'coverage',
  version: 3,
  title: 'Coverage and balance',
  description: `Counts the questions by category, difficulty and topic. Reports how even the distribution is, where there are gaps,
whether difficulty depends on the category, and, given a blueprint, what is missing or surplus. Categories of the bank
without questions are included unless the questions were listed by id; a difficulty that no question has is reported.

Rows are about questions in a category that has too few of their difficulty (\`sparse_cell\`), in a line of the
blueprint that has too many (\`surplus_cell\`), that match no line of a blueprint whose shares sum to 1
(\`outside_blueprint\`), or that have no topic although most of their category do (\`no_topic\`).`,
  readsAnswers: false,
  parameters: Parameters,
  check: ({ blueprint }) => validateBlueprint(blueprint),
  result: { summary: Summary, item: Row },
  findings: { sparse_cell: 'info', surplus_cell: 'info', outside_blueprint: 'info', no_topic: 'info' },
  sortKeys: { cell_questions: ({ cell_questions }) => cell_questions },
  example,
  async run(input, parameters) {
    const { computeCoverage } = await import('./coverage.ts');
    return computeCoverage(input, parameters);
  },
  plot: ({ summary }) => plotHeatMap(summary),
});
