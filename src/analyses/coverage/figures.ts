/** The heat map of questions by category and difficulty. */
import type { HeatMap } from '../../charts/figure.ts';
import type { Summary } from './schemas.ts';
import { LEVELS, sum } from './tally.ts';

/** Further categories are summed in one row. */
const MAX_CATEGORY_ROWS = 24;

export function plotHeatMap(summary: Summary): HeatMap {
  const { categories, empty_categories, top_categories, by_difficulty } = summary;
  const shown = top_categories.slice(0, MAX_CATEGORY_ROWS);
  const remainder = by_difficulty.map(
    (count, level) => count - sum(shown.map((row) => row.by_difficulty[level]!)),
  );
  const others = categories + empty_categories.count - shown.length;
  return {
    chart: 'heat-map',
    title: 'Questions by category and difficulty',
    description: describe(summary),
    row_title: 'Category',
    rows: [...shown.map(({ category }) => category), ...(others > 0 ? [`${others} others`] : [])],
    column_title: 'Difficulty',
    columns: [...LEVELS],
    cells: [...shown.map((row) => row.by_difficulty), ...(others > 0 ? [remainder] : [])],
    unit: 'questions',
  };
}

function describe({
  questions,
  categories,
  empty_categories,
  top_categories: [top],
  by_difficulty,
}: Summary): string {
  const byLevel = by_difficulty.map((count, level) => `${count} ${LEVELS[level]}`).join(', ');
  const empty = empty_categories.count > 0 ? `, and ${empty_categories.count} without questions` : '';
  const most = top && top.questions > 0 ? ` ${top.category} has the most: ${top.questions}.` : '';
  return `Questions: ${questions} (${byLevel}). Categories: ${categories}${empty}.${most}`;
}
