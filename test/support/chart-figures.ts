/** Figures to render: typical ones, as analyses return them, and extreme ones. */
import type { Figure } from '../../src/charts/figure.ts';
import { BROKEN, CHINESE, EMOJI, LEVELS, LONG, many, NAMES, RIGHT_TO_LEFT, WIDE } from './chart-names.ts';
import { EXTREME_RESPONSE_FIGURES } from './extreme-response-figures.ts';
import { TYPICAL_RESPONSE_FIGURES } from './response-figures.ts';

const SUBJECTS = [
  'Geography',
  'History',
  'Science & Technology',
  'Music',
  'Films',
  'Sport',
  'Religion & Faith',
  'Literature',
];
const described = { title: 'Questions by category', description: 'How many questions there are of each.' };
const named = { row_title: 'Category', column_title: 'Difficulty', unit: 'questions' };
const same = (text: string) => ({ text, differs: false });
const other = (text: string) => ({ text, differs: true });

export const TYPICAL: Record<string, Figure> = {
  'a heat map': {
    ...described,
    ...named,
    chart: 'heat-map',
    rows: SUBJECTS,
    columns: LEVELS,
    cells: SUBJECTS.map((_, i) => [i * 371, 12 + i, i % 3 === 0 ? null : 0]),
  },
  'a heat map of one row': {
    ...described,
    ...named,
    chart: 'heat-map',
    rows: ['Geography'],
    columns: LEVELS,
    cells: [[3, 1, 0]],
  },
  'a confusion matrix': {
    ...described,
    chart: 'heat-map',
    confusion: true,
    unit: 'questions',
    row_title: 'Category as filed',
    column_title: 'Category by its text',
    rows: many(24, (i) => SUBJECTS[i % 8]!),
    columns: many(24, (i) => SUBJECTS[i % 8]!),
    cells: many(24, (i) => many(24, (j) => (i === j ? 1500 + 40 * i : (i * j * 7) % 40))),
  },
  'stacked bars': {
    ...described,
    chart: 'stacked-bars',
    axis: 'questions',
    series: ['major', 'minor', 'info'],
    bars: SUBJECTS.map((label, i) => ({ label, values: [i * 40, 120 - i * 10, i % 2] })),
  },
  'a single bar': {
    ...described,
    chart: 'stacked-bars',
    axis: 'questions',
    series: ['questions'],
    bars: [{ label: 'All', values: [1] }],
  },
  distributions: {
    ...described,
    chart: 'distributions',
    axis: 'Reading ease',
    from: -20,
    step: 5,
    groups: SUBJECTS.map((label, i) => ({
      label,
      counts: many(28, (bin) => Math.round(900 * Math.exp(-((bin - 12 - i) ** 2) / 20))),
      mark: 42.25 + 5 * i,
    })),
  },
  'text groups': {
    ...described,
    chart: 'text-groups',
    overview: [
      { title: 'Groups by class', rows: SUBJECTS.slice(0, 4).map((label, i) => ({ label, value: 40 * i })) },
      { title: 'Groups by size', rows: [{ label: '2 questions', value: 17_340 }] },
    ],
    omitted: 12,
    groups: [
      {
        label: 'Two questions that say the same',
        texts: [
          { pieces: [same('Which planet is called the '), other('Red'), same(' Planet?')], note: 'Science' },
          {
            pieces: [
              same('Which planet is called '),
              other('by many who look up to it at night with their naked eyes'),
              same(' the '),
              other('“red”'),
              same(' planet?'),
            ],
            note: '',
          },
        ],
      },
    ],
  },
  ...TYPICAL_RESPONSE_FIGURES,
};

export const EXTREME: Record<string, Figure> = {
  'an empty heat map': { ...described, ...named, chart: 'heat-map', rows: [], columns: LEVELS, cells: [] },
  'a heat map of zero': {
    ...described,
    ...named,
    chart: 'heat-map',
    rows: ['A'],
    columns: ['B'],
    cells: [[0]],
  },
  'a heat map with extreme data': {
    chart: 'heat-map',
    title: LONG + LONG,
    description: LONG,
    row_title: LONG,
    column_title: RIGHT_TO_LEFT,
    unit: LONG,
    rows: NAMES,
    columns: NAMES,
    cells: [
      [1e300, -5, Number.NaN, Number.POSITIVE_INFINITY, 0.000001, 123456789, 2.5, 1, 2, 3, 4],
      [null],
      [],
    ],
  },
  'a heat map that is too large': {
    ...described,
    ...named,
    chart: 'heat-map',
    rows: many(300, (i) => `Row ${i}`),
    columns: many(300, (i) => `Column ${i}`),
    cells: many(300, (i) => many(300, (j) => i * j)),
  },
  'no bars': { ...described, chart: 'stacked-bars', axis: '', series: [], bars: [] },
  'bars with extreme data': {
    chart: 'stacked-bars',
    title: RIGHT_TO_LEFT,
    description: BROKEN,
    axis: LONG,
    series: NAMES,
    bars: NAMES.map((label, i) => ({
      label,
      values: [10 ** i, -1, Number.NaN, Number.POSITIVE_INFINITY, 0, 1e9, 1, 1, 1, 1, 2],
    })),
  },
  'a bar of length zero': {
    ...described,
    chart: 'stacked-bars',
    axis: 'x',
    series: ['a'],
    bars: [{ label: 'A', values: [0] }],
  },
  'too many bars': {
    ...described,
    chart: 'stacked-bars',
    axis: 'questions',
    series: ['a', 'b'],
    bars: many(500, (i) => ({ label: `Bar ${i}`, values: [i, 500 - i] })),
  },
  'no distributions': { ...described, chart: 'distributions', axis: 'x', from: 0, step: 1, groups: [] },
  'distributions with extreme data': {
    chart: 'distributions',
    title: EMOJI,
    description: CHINESE,
    axis: LONG,
    from: -1e6,
    step: 12_345.678,
    groups: NAMES.map((label, i) => ({
      label,
      counts: i === 0 ? many(1_000, (bin) => bin) : many(i, () => (i % 2 === 0 ? 0 : 1e9)),
      mark: [1e12, null, Number.NaN, 0][i % 4]!,
    })),
  },
  'too many distributions': {
    ...described,
    chart: 'distributions',
    axis: 'x',
    from: 0,
    step: 0.001,
    groups: many(100, (i) => ({ label: `Group ${i}`, counts: [i, 1], mark: 0.001 })),
  },
  'no texts': { ...described, chart: 'text-groups', omitted: 0, groups: [] },
  'texts with extreme data': {
    chart: 'text-groups',
    title: WIDE,
    description: EMOJI,
    omitted: 0,
    groups: NAMES.map((label) => ({
      label,
      texts: NAMES.map((text) => ({ pieces: [same(text), other(text), same(` ${text}\n`)], note: text })),
    })),
  },
  'too many texts': {
    ...described,
    chart: 'text-groups',
    omitted: 1_000_000,
    groups: many(100, (i) => ({
      label: `Group ${i}`,
      texts: many(30, () => ({ pieces: [], note: 'A note to no text' })),
    })),
  },
  ...EXTREME_RESPONSE_FIGURES,
};
