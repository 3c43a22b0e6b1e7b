/** Histograms of the grades by difficulty. */
import type { Distributions } from '../../charts/figure.ts';
import { describeGrades } from './messages.ts';
import type { Summary } from './schemas.ts';

export const plotGrades = ({ levels, bin_from, bin_step }: Summary): Distributions => ({
  chart: 'distributions',
  title: 'Reading grade by difficulty',
  description: describeGrades(levels),
  axis: 'School grade of the text',
  from: bin_from,
  step: bin_step,
  groups: levels.map(({ name, grades, bins }) => ({ label: name, counts: bins, mark: grades.median })),
});
