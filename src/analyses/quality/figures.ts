/** Stacked bars of questions by rule and category. */
import type { StackedBars } from '../../charts/figure.ts';
import type { Summary } from './schemas.ts';

/** Further categories are summed in one series. */
const MAX_CATEGORY_SERIES = 6;

const formatRule = (name: string) => name.replaceAll('_', ' ');

export function plotFindings({ rules, categories, other_categories }: Summary): StackedBars {
  const shown = categories.slice(0, MAX_CATEGORY_SERIES);
  const hasOthers = other_categories !== null || categories.length > shown.length;
  const countsByRule = shown.map(
    (category) => new Map(category.rules.map(({ rule, questions }) => [rule, questions])),
  );
  const found = rules.filter(({ questions }) => questions > 0).sort((a, b) => b.questions - a.questions);
  const [top] = found;
  const mostFrequent = top
    ? `Most frequent: ${formatRule(top.rule)}, in ${top.questions}.`
    : 'There are no findings.';
  return {
    chart: 'stacked-bars',
    title: 'Item-writing flaws',
    description: `Questions with a finding, by rule and category. ${mostFrequent}`,
    axis: 'questions',
    series: [...shown.map(({ category }) => category), ...(hasOthers ? ['other categories'] : [])],
    bars: found.map(({ rule, questions }) => {
      const values = countsByRule.map((counts) => counts.get(rule) ?? 0);
      const others = questions - values.reduce((sum, value) => sum + value, 0);
      return { label: formatRule(rule), values: hasOthers ? [...values, others] : values };
    }),
  };
}
