/** The figure of the result: the confusion matrix of the categories. */
import type { Outcome } from '../define.ts';
import type { Summary } from './schemas.ts';

export function plotConfusion({ summary }: Outcome<Summary, unknown>) {
  const { labels, counts } = summary.category?.confusion ?? { labels: [], counts: [] };
  const isEmpty = labels.length === 0;
  return {
    chart: 'heat-map' as const,
    title: 'Confusion of categories',
    description:
      'The number of questions by given and predicted category. On the diagonal both are the same. ' +
      `${summary.category?.suspects ?? 0} questions are suspects.`,
    row_title: 'Given category',
    rows: isEmpty ? ['(none)'] : labels,
    column_title: 'Predicted category',
    columns: isEmpty ? ['(none)'] : labels,
    cells: isEmpty ? [[null]] : counts,
    unit: 'questions',
    confusion: true,
  };
}
