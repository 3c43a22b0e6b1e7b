/** Bars of questions by rule, most severe first, coloured by severity. */
import type { StackedBars, Tone } from '../../charts/figure.ts';
import { SEVERITIES, type Severity } from './rules/rule.ts';
import type { Summary } from './schemas.ts';

const TONES: Record<Severity, Tone> = { major: 'serious', minor: 'moderate', info: 'neutral' };

const formatRule = (name: string) => name.replaceAll('_', ' ');

export function plotFindings({ rules }: Summary): StackedBars {
  const severities = SEVERITIES.toReversed();
  const found = rules
    .filter(({ questions }) => questions > 0)
    .sort(
      (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.questions - a.questions,
    );
  const top = found.toSorted((a, b) => b.questions - a.questions)[0];
  const mostFrequent = top
    ? `Most frequent: ${formatRule(top.rule)}, in ${top.questions}.`
    : 'There are no findings.';
  return {
    chart: 'stacked-bars',
    title: 'Item-writing flaws',
    description: `Questions with a finding, by rule and severity. ${mostFrequent}`,
    axis: 'questions',
    series: severities,
    tones: severities.map((severity) => TONES[severity]),
    bars: found.map(({ rule, severity, questions }) => ({
      label: formatRule(rule),
      name: rule,
      values: severities.map((name) => (name === severity ? questions : 0)),
    })),
  };
}
