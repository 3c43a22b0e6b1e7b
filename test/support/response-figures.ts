/** Typical figures of the analyses of responses, and the pieces that the extreme ones share. */
import type { Figure } from '../../src/charts/figure.ts';
import { LEVELS, many } from './chart-names.ts';

export const QUALITY = {
  title: 'Facility and discrimination of the items',
  description: 'Facility and discrimination.',
};
export const MODEL = {
  title: 'Which planet is called the Red Planet?',
  description: 'Probability of a correct answer by ability.',
};
export const TARGET = {
  title: 'Are the questions as hard as the people are able?',
  description: 'Abilities and difficulties on one scale.',
};
export const RANGES = {
  title: 'Estimates with confidence intervals',
  description: 'Estimates with their confidence intervals.',
};
/** A pseudo-random number from 0 to 1 that depends only on i. */
export const uniform = (i: number) => {
  const value = Math.sin(i * 12.9898 + 1) * 43_758.5453;
  return value - Math.floor(value);
};
/** Approximately normal about 0: the sum of three uniform numbers. */
export const normal = (i: number) => 2 * (uniform(3 * i) + uniform(3 * i + 1) + uniform(3 * i + 2) - 1.5);
export const logistic = (slope: number, at: number) => (theta: number) =>
  1 / (1 + Math.exp(-slope * (theta - at)));
export const curve = (height: (x: number) => number, count = 81, from = -4, to = 4) =>
  many(count, (i): [number, number] => {
    const x = from + ((to - from) * i) / (count - 1);
    return [x, height(x)];
  });
const QUESTION_TEXTS = [
  'Which planet is called the Red Planet?',
  'Who painted the ceiling of the Sistine Chapel?',
  'What is the capital of Australia?',
  'In which year did the Berlin Wall fall?',
  'Which gas do plants take from the air?',
  'How many strings has a violin?',
  'Which is the longest river of Asia?',
];
export const questionText = (i: number) => QUESTION_TEXTS[i % QUESTION_TEXTS.length]!;
export const facility = { title: 'Facility (share correct)', from: 0, to: 1 };
export const discrimination = { title: 'Discrimination (corrected point-biserial)', from: -0.4, to: 0.8 };
export const ability = { title: 'Ability θ', from: -4, to: 4 };
export const probability = { title: 'Probability of a correct answer', from: 0, to: 1 };
const makePoints = (from: number, to: number, count: number) =>
  many(count, (i) => ({
    x: Math.min(1, Math.max(0, 0.6 + normal(from + i) / 4)),
    y: to + normal(from + 7_000 + i) / 9,
    label: questionText(from + i),
  }));
export const interval = (i: number, middle: number, half: number, series: number) => ({
  label: questionText(i),
  value: middle,
  low: middle - half,
  high: middle + half,
  series,
});

const wrightMap = (
  title: string,
  people: { step: number; counts: number[] },
  places: { at: number; label: string }[],
): Figure => ({
  ...TARGET,
  chart: 'wright-map',
  scale: { title, from: -4, to: 4 },
  people: { label: 'People', from: -4, ...people },
  questions: { label: 'Questions', places },
});

export const TYPICAL_RESPONSE_FIGURES: Record<string, Figure> = {
  'a scatter': {
    ...QUALITY,
    chart: 'scatter',
    x: facility,
    y: discrimination,
    series: [
      { label: 'Check the key', points: makePoints(0, -0.12, 7) },
      { label: 'Revise', points: makePoints(100, 0.15, 24) },
      { label: 'Too little data', points: makePoints(200, 0.3, 12) },
      { label: 'Keep', points: makePoints(300, 0.42, 160) },
    ],
    guides: [
      { on: 'x', at: 0.2, label: 'hard below 0.2' },
      { on: 'x', at: 0.9, label: 'easy above 0.9' },
      { on: 'y', at: 0.2, label: 'weak below 0.2' },
      { on: 'y', at: 0, label: 'negative' },
    ],
  },
  'a crowded scatter': {
    ...QUALITY,
    chart: 'scatter',
    x: facility,
    y: discrimination,
    series: [
      { label: 'Check the key', points: makePoints(0, -0.12, 60) },
      { label: 'Revise', points: makePoints(400, 0.15, 440) },
      { label: 'Keep', points: makePoints(3_000, 0.42, 1_500) },
    ],
    guides: [{ on: 'y', at: 0.2, label: 'weak below 0.2' }],
  },
  'a scatter of one point': {
    ...QUALITY,
    chart: 'scatter',
    x: facility,
    y: discrimination,
    series: [{ label: 'Keep', points: [{ x: 0.5, y: 0.3, label: questionText(0) }] }],
    guides: [],
  },
  'an item characteristic curve': {
    ...MODEL,
    chart: 'curves',
    x: ability,
    y: probability,
    lines: [{ label: 'Model', points: curve(logistic(1.4, 0.3)), strong: true }],
    observed: many(10, (i) => {
      const x = -2.6 + 0.55 * i;
      const y = Math.min(1, Math.max(0, logistic(1.4, 0.3)(x) + normal(i) / 25));
      const half = 0.3 / Math.sqrt(1 + 8 * Math.exp(-(x ** 2)));
      return {
        x,
        y,
        low: Math.max(0, y - half),
        high: Math.min(1, y + half),
        n: Math.round(40 + 300 * Math.exp(-(x ** 2))),
      };
    }),
    observed_label: 'Observed, with 95 % intervals (larger: more cases)',
  },
  'trace lines of options': {
    ...MODEL,
    chart: 'curves',
    x: { title: 'Group by total score', from: 1, to: 5 },
    y: { title: 'Share of the group that chose it', from: 0, to: 1 },
    lines: [
      { label: 'Mars (the key)', points: many(5, (i) => [i + 1, 0.25 + 0.15 * i]), strong: true },
      { label: 'Venus', points: many(5, (i) => [i + 1, 0.4 - 0.085 * i]) },
      { label: 'Jupiter', points: many(5, (i) => [i + 1, 0.2 - 0.035 * i]) },
      { label: 'Saturn, the one with the rings', points: many(5, (i) => [i + 1, 0.15 - 0.03 * i]) },
    ],
    observed: [],
    observed_label: '',
  },
  'curves on two scales': {
    ...MODEL,
    chart: 'curves',
    x: ability,
    y: { title: 'Information', from: 0, to: 12 },
    second: { title: 'Standard error of measurement', from: 0, to: 1.5 },
    lines: [
      { label: 'Test information', points: curve((x) => 0.3 + 10 * Math.exp(-(x ** 2) / 3)), strong: true },
      {
        label: 'Standard error',
        points: curve((x) => 1 / Math.sqrt(0.3 + 10 * Math.exp(-(x ** 2) / 3))),
        second: true,
      },
    ],
    observed: [],
    observed_label: '',
  },
  'many curves': {
    ...MODEL,
    chart: 'curves',
    x: ability,
    y: probability,
    lines: many(14, (i) => ({
      label: questionText(i),
      points: curve(logistic(0.5 + uniform(i) * 2, normal(i) * 1.5)),
    })),
    observed: [],
    observed_label: '',
  },
  'a Wright map': wrightMap(
    'Ability of people, difficulty of questions (logits)',
    { step: 0.25, counts: many(32, (i) => Math.round(140 * Math.exp(-((i - 17) ** 2) / 30))) },
    many(30, (i) => ({ at: normal(i) * 1.4 - 0.4, label: questionText(i) })),
  ),
  'a Wright map with short labels': wrightMap(
    'Logits',
    { step: 0.5, counts: many(16, (i) => Math.round(90 * Math.exp(-((i - 9) ** 2) / 9))) },
    many(90, (i) => ({ at: normal(i) * 1.4, label: String(i + 1) })),
  ),
  'a Wright map with dots': wrightMap(
    'Logits',
    { step: 0.25, counts: many(32, (i) => Math.round(1_400 * Math.exp(-((i - 17) ** 2) / 30))) },
    many(500, (i) => ({ at: normal(i) * 1.3, label: questionText(i) })),
  ),
  'a Wright map of one question': {
    ...TARGET,
    chart: 'wright-map',
    scale: { title: 'Logits', from: -4, to: 4 },
    people: { label: 'People', from: 0, step: 0.5, counts: [1] },
    questions: { label: 'Questions', places: [{ at: 0.2, label: questionText(0) }] },
  },
  'intervals in bands': {
    ...RANGES,
    chart: 'intervals',
    axis: { title: 'Difference in difficulty (Δ, Mantel-Haenszel)', from: -4, to: 4 },
    bands: [
      { from: null, to: -1.5, label: 'C: large' },
      { from: -1.5, to: -1, label: 'B' },
      { from: -1, to: 1, label: 'A: negligible' },
      { from: 1, to: 1.5, label: 'B' },
      { from: 1.5, to: null, label: 'C: large' },
    ],
    series: ['C', 'B', 'A'],
    groups: [
      {
        label: '',
        rows: many(22, (i) =>
          interval(i, (i % 2 ? 1 : -1) * (3.7 - 0.17 * i), 0.6 + uniform(i) / 2, i < 9 ? 0 : i < 13 ? 1 : 2),
        ),
        omitted: 8,
      },
    ],
  },
  'intervals in groups': {
    ...RANGES,
    chart: 'intervals',
    axis: facility,
    bands: [],
    series: ['As labelled', 'Misrated', 'Too little data'],
    groups: LEVELS.map((label, level) => ({
      label,
      expected: [
        { from: 0.7, to: null },
        { from: 0.4, to: 0.7 },
        { from: null, to: 0.4 },
      ][level]!,
      rows: many(9, (i) =>
        interval(i + level, 0.8 - 0.28 * level + normal(i) / 7, 0.05, i < 2 ? 1 : i === 8 ? 2 : 0),
      ),
      omitted: level * 120,
    })),
  },
  'a single interval': {
    ...RANGES,
    chart: 'intervals',
    axis: facility,
    bands: [{ from: 0.3, to: 0.7, label: 'medium' }],
    series: ['Question'],
    groups: [{ label: 'All', rows: [interval(0, 0.5, 0.1, 0)], omitted: 0 }],
  },
};
