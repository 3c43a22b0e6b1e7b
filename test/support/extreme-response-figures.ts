/** Extreme figures of the analyses of responses: empty, huge, or not finite. */
import type { Figure } from '../../src/charts/figure.ts';
import {
  BROKEN,
  CHINESE,
  EMOJI,
  LONG,
  MANY_COMBINING_MARKS,
  many,
  NAMES,
  RIGHT_TO_LEFT,
  WIDE,
} from './chart-names.ts';
import {
  ability,
  curve,
  discrimination,
  facility,
  interval,
  logistic,
  MODEL,
  normal,
  probability,
  QUALITY,
  questionText,
  RANGES,
  TARGET,
  uniform,
} from './response-figures.ts';

const EXTREME_VALUES = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1e300,
  -1e300,
  0,
  0.5,
  1,
];
const infiniteScale = { title: LONG, from: 0, to: Number.POSITIVE_INFINITY };

export const EXTREME_RESPONSE_FIGURES: Record<string, Figure> = {
  'no points': { ...QUALITY, chart: 'scatter', x: facility, y: discrimination, series: [], guides: [] },
  'points on an infinite scale': {
    ...QUALITY,
    chart: 'scatter',
    x: infiniteScale,
    y: facility,
    series: [{ label: 'a', points: [{ x: 1, y: 1, label: 'b' }] }],
    guides: [],
  },
  'points with extreme data': {
    chart: 'scatter',
    title: LONG,
    description: BROKEN,
    x: { title: RIGHT_TO_LEFT, from: 1, to: 0 },
    y: { title: LONG, from: 3, to: 3 },
    series: NAMES.map((label, i) => ({
      label,
      points: [
        ...EXTREME_VALUES.map((x) => ({ x, y: x, label })),
        ...NAMES.map((name, j) => ({ x: (i + j) / 22, y: 2.5 + j / 11, label: name })),
      ],
    })),
    guides: NAMES.flatMap((label, i) => [
      { on: 'x', at: i / 60, label },
      { on: 'y', at: 3 + i / 100, label },
      { on: 'y', at: EXTREME_VALUES[i % 8]!, label },
    ]),
  },
  'coincident points': {
    ...QUALITY,
    chart: 'scatter',
    x: facility,
    y: facility,
    series: [{ label: 'All alike', points: many(300, () => ({ x: 1, y: 1, label: questionText(0) })) }],
    guides: many(8, () => ({ on: 'y', at: 1, label: 'the same' })),
  },
  'too many points': {
    ...QUALITY,
    chart: 'scatter',
    x: facility,
    y: facility,
    series: [
      {
        label: 'Some',
        points: many(3_000, (i) => ({ x: uniform(i), y: uniform(i + 0.5), label: '&'.repeat(500) })),
      },
      {
        label: 'Others',
        points: many(9_000, (i) => ({ x: uniform(i), y: uniform(i + 0.3), label: LONG })),
      },
    ],
    guides: [],
  },
  'no curves': {
    ...MODEL,
    chart: 'curves',
    x: ability,
    y: probability,
    lines: [],
    observed: [],
    observed_label: '',
  },
  'curves with extreme data': {
    chart: 'curves',
    title: WIDE,
    description: EMOJI,
    x: { title: LONG, from: 0, to: 10 },
    y: { title: CHINESE, from: -1e6, to: 1e6 },
    second: { title: RIGHT_TO_LEFT, from: 1e-9, to: -1e-9 },
    lines: NAMES.map((label, i) => ({
      label,
      points: EXTREME_VALUES.flatMap((y, j): [number, number][] => [
        [j, y],
        [EXTREME_VALUES[(i + j) % 8]!, i],
      ]),
      strong: i % 3 === 0,
      second: i % 2 === 0,
    })),
    observed: EXTREME_VALUES.flatMap((y, i) =>
      EXTREME_VALUES.map((end) => ({ x: i, y, low: end, high: i % 2 ? null : 5, n: y })),
    ),
    observed_label: LONG,
  },
  'too many curves': {
    ...MODEL,
    chart: 'curves',
    x: ability,
    y: { title: 'y', from: 0, to: 0.5 },
    lines: many(60, (i) => ({ label: `Line ${i}`, points: curve(logistic(1, normal(i)), 1_500) })),
    observed: many(1_000, (i) => ({ x: normal(i), y: uniform(i), low: 0, high: 1, n: i })),
    observed_label: 'Observed',
  },
  'an empty Wright map': {
    ...TARGET,
    chart: 'wright-map',
    scale: ability,
    people: { label: 'People', from: 0, step: 1, counts: [0, 0] },
    questions: { label: 'Questions', places: [] },
  },
  'a Wright map with extreme data': {
    chart: 'wright-map',
    title: RIGHT_TO_LEFT,
    description: LONG,
    scale: { title: LONG, from: -1, to: 1 },
    people: {
      label: LONG,
      from: -5,
      step: 0.3,
      counts: [...EXTREME_VALUES, 3.5, 1, -1, 12, 1e9, 2, 1, 1, 9, 9],
    },
    questions: {
      label: CHINESE,
      places: NAMES.flatMap((label, i) => [
        { at: i / 11, label },
        { at: EXTREME_VALUES[i % 8]!, label },
      ]),
    },
  },
  'a Wright map of too many questions': {
    ...TARGET,
    chart: 'wright-map',
    scale: ability,
    people: { label: 'People', from: -4, step: 0.004, counts: many(2_000, (i) => i) },
    questions: { label: 'Questions', places: many(50_000, (i) => ({ at: normal(i), label: LONG })) },
  },
  'no intervals': {
    ...RANGES,
    chart: 'intervals',
    axis: facility,
    bands: [],
    series: [],
    groups: [{ label: 'A', rows: [], omitted: 0 }],
  },
  'intervals with extreme data': {
    chart: 'intervals',
    title: EMOJI,
    description: MANY_COMBINING_MARKS,
    axis: { title: LONG, from: 2, to: -1 },
    bands: NAMES.map((label, i) => ({ from: EXTREME_VALUES[i % 8]!, to: i % 2 ? null : i / 5, label })),
    series: NAMES,
    groups: NAMES.map((label, i) => ({
      label,
      expected: { from: EXTREME_VALUES[i % 8]!, to: null },
      rows: EXTREME_VALUES.map((value, j) => ({
        label: NAMES[j]!,
        value,
        low: EXTREME_VALUES[(i + j) % 8]!,
        high: EXTREME_VALUES[j % 5]!,
        series: value,
      })),
      omitted: EXTREME_VALUES[i % 8]!,
    })),
  },
  'too many intervals': {
    ...RANGES,
    chart: 'intervals',
    axis: facility,
    bands: many(50, (i) => ({ from: i / 50, to: (i + 1) / 50, label: `Band ${i}` })),
    series: ['a'],
    groups: many(100, (i) => ({
      label: `Group ${i}`,
      rows: many(50, (j) => interval(j, j / 50, 0.4, 0)),
      omitted: 3,
    })),
  },
};
