/** Requests about responses, analyses and events. */
import { analyses } from '../../../src/analyses/index.ts';
import type { Random } from '../../support/random.ts';
import { ASKED, LEFT, query, question } from './bank.ts';
import type { Makers, Request } from './side.ts';

const asked = (random: Random) => `{question:${random.below(ASKED)}}`;
const respondent = (random: Random) =>
  random.maybe(0.1) ? random.pick(['R-1', 'ünï', '😀'.repeat(100), '%', "'"]) : `r-${random.below(30)}`;
const SESSIONS = ['first', 'First', 'second', 'naïve', '😀', null];
const GROUPS = ['north', 'south', 'east', null];
const MOMENTS = [
  '2001-03-01T09:30:00.000Z',
  '2001-03-01T10:30:00.5+02:00',
  '1969-12-31T23:59:59Z',
  'yesterday',
  null,
];
const ANSWERS = [
  'Jupiter',
  'Jupiter',
  'jupiter ',
  'Mars',
  'Venus',
  '42',
  'ＪＵＰＩＴＥＲ',
  'a\nb\t',
  '',
  null,
  'x'.repeat(2001),
];

function response(random: Random): Record<string, unknown> {
  const wrong = random.maybe(0.04);
  const outcome = random.pick<Record<string, unknown>>([
    { answer: random.pick(wrong ? ANSWERS : ANSWERS.slice(0, -1)) },
    { answer: random.pick(ANSWERS.slice(0, 4)) },
    { correct: random.maybe(0.6) },
    { missing: random.pick(['omitted', 'not_reached']) },
  ]);
  return {
    question_id: wrong ? random.pick(['none', question(random), '{category:0}']) : asked(random),
    respondent: random.maybe(0.02) ? '' : respondent(random),
    ...outcome,
    ...(random.maybe(0.6) && { session: random.pick(SESSIONS) }),
    ...(random.maybe(0.6) && { group: random.pick(GROUPS) }),
    ...(random.maybe(0.3) && { answered_at: random.pick(wrong ? MOMENTS : MOMENTS.slice(0, 5)) }),
    ...(wrong && random.maybe(0.3) && { correct: 1, extra: true }),
  };
}

const responses = (random: Random, ...more: Parameters<typeof query>[1][]): string =>
  `/responses${query(
    random,
    ['question_id', 0.3, [asked(random), 'none']],
    ['respondent', 0.3, [respondent(random), 'nobody']],
    ['session', 0.3, ['first', 'naïve', 'none']],
    ['group', 0.3, ['north', 'none']],
    ...more,
  )}`;

const listResponses = (random: Random): Request => ({
  method: 'GET',
  url: responses(
    random,
    ['limit', 0.5, [1, 3, 10, 1000, 0]],
    ['offset', 0.3, [0, 1, 7, 500]],
    ['cursor', 0.05, ['nonsense', '{cursor}']],
  ),
});

function walkResponses(random: Random): Request[] {
  const url = responses(random, ['limit', 1, [1, 2, 7]]);
  const next = { method: 'GET', url: `${url}&cursor={cursor}` };
  return [
    { method: 'GET', url },
    next,
    { method: 'POST', url: '/responses', body: response(random) },
    next,
    next,
  ];
}

const type = (random: Random) => random.pick(analyses).type as string;
const run = (body: object, prefer = 'wait=30'): Request => ({
  method: 'POST',
  url: '/analysis/run',
  body,
  headers: { prefer },
});

/** Parameters of all analyses of responses. */
const ANSWERED = [
  { cases: 'session' },
  { session: 'first' },
  { omitted: 'missing', not_reached: 'wrong' },
  { session: 'no such session' },
];
const SETTINGS: Record<string, object[]> = {
  coverage: [{ min_per_cell: 2 }],
  duplicates: [{ min_similarity: 0.6 }, { variants: false }],
  readability: [{ max_grade: 5, min_words: 3 }],
  quality: [{ min_severity: 'major' }, { min_length_ratio: 1.5, min_severity: 'minor' }],
  labels: [{ folds: 3 }, { folds: 2, fields: ['category'] }],
  item_statistics: [{ min_cases: 5, min_per_outcome: 2 }, ...ANSWERED],
  reliability: [{ min_cases: 5 }, ...ANSWERED],
  irt: [{ model: '1pl' }, { model: '3pl', max_iterations: 50 }, ...ANSWERED],
  difficulty_audit: [{ min_responses: 3, significance: 0.2 }, ...ANSWERED],
  dif: [{ min_cases: 5 }, { purify: false, reference: 'north', focal: 'south' }, ...ANSWERED],
};
const NONSENSE = [{ folds: 'two' }, { min_similarity: 7 }, { nothing: 1 }, [], null, 'x'];

const named = (from: number, length: number) => ({
  question_ids: Array.from({ length }, (_, i) => `{question:${from + i}}`),
});

/** The questions of a run; few, so that it does not take long. */
const chosen = (random: Random): object =>
  random.pick<() => object>([
    () => named(0, ASKED),
    () => named(random.below(100), 4),
    () => ({ filter: { category: 'Geography' } }),
    () => ({ filter: { q: 'seine', difficulty: 1 } }),
    () => ({ filter: { tag: ['ç'] } }),
    () => ({ filter: { updated_since: '{time:-20}' } }),
    () => (random.maybe(0.3) ? {} : { filter: { category: 'general knowledge' } }),
  ])();

/** Depends on the order of options: the index of an option, the rounding of figures. */
const CAREFUL: Record<string, () => object> = {
  quality: () => named(0, ASKED + LEFT.length),
  item_statistics: () => named(0, ASKED),
  labels: () => named(ASKED, LEFT.length),
};

function wanted(random: Random): object {
  const analysis_type = type(random);
  const parameters = random.pick([{}, ...SETTINGS[analysis_type]!]);
  return { analysis_type, ...(CAREFUL[analysis_type]?.() ?? chosen(random)), parameters };
}

const accepted = (random: Random): Request => ({
  ...run(wanted(random)),
  as: random.pick(['admin', 'admin', 'admin', 'runner']),
});

const refused = (random: Random): Request =>
  run(
    random.pick<object>([
      { analysis_type: type(random), parameters: random.pick(NONSENSE) },
      { analysis_type: random.pick(['nope', '', 7, null]) },
      { analysis_type: type(random), question_ids: ['{question:1}', '{question:1}', 'none', '{category:1}'] },
      { analysis_type: type(random), question_ids: [] },
      { analysis_type: type(random), question_ids: ['{question:1}'], filter: {} },
      { analysis_type: type(random), filter: { q: '!', sort: 'id' } },
      {},
    ]),
    random.pick(['wait=30', 'wait=x', 'respond-async']),
  );

const later = (random: Random): Request[] => [
  { ...run(wanted(random), 'respond-async'), racy: true },
  { method: 'GET', url: '/analysis/{analysis:-1}', patient: true },
];

/** A question that people have answered is deleted, and comes back. */
function gone(random: Random): Request[] {
  const id = asked(random);
  return [
    { method: 'DELETE', url: `/questions/${id}` },
    run({ analysis_type: 'reliability', ...named(0, ASKED) }),
    { method: 'GET', url: `/responses?question_id=${id}` },
    run({ analysis_type: 'reliability' }),
    { method: 'POST', url: '/responses', body: { question_id: id, respondent: 'late', answer: 'Jupiter' } },
    { method: 'POST', url: `/questions/${id}/restore`, body: { revision: 1 } },
    { method: 'GET', url: `/responses?question_id=${id}` },
  ];
}

/** It may have ended before it is cancelled: then it is removed at once. */
const cancelled = (random: Random): Request[] => [
  { ...run(wanted(random), 'respond-async'), racy: true },
  { method: 'DELETE', url: '/analysis/{analysis:-1}' },
  { method: 'GET', url: '/analysis/{analysis:-1}', patient: true, racy: true },
  { method: 'DELETE', url: '/analysis/{analysis:-1}', racy: true },
  { method: 'GET', url: '/analysis/{analysis:-1}' },
];

const analysis = (random: Random) => `/analysis/{analysis:${random.below(100)}}`;
const reader = (random: Random) => random.pick(['admin', 'admin', 'reader', 'recorder']);
const page = (random: Random) =>
  query(random, ['limit', 0.5, [1, 3, 1000, 0]], ['offset', 0.4, [0, 1, 4, 999]]);

const listAnalyses = (random: Random): Request => ({
  method: 'GET',
  as: reader(random),
  url: `/analysis${query(
    random,
    ['analysis_type', 0.3, [type(random), 'nope']],
    ['status', 0.3, ['succeeded', 'failed', 'cancelled', 'done']],
    ['question_id', 0.3, [asked(random), question(random), 'none']],
    ['limit', 0.5, [1, 3, 50, 0]],
    ['offset', 0.3, [0, 1, 20]],
  )}`,
});

const plot = (random: Random): Request => ({
  method: 'GET',
  as: reader(random),
  url: `${analysis(random)}/plot.svg${query(
    random,
    ['figure', 0.2, ['wright_map', 'nope']],
    ['question_id', 0.4, [asked(random), asked(random), question(random), 'none']],
  )}`,
});

const events = (random: Random): Request => ({
  method: 'GET',
  url: '/events',
  as: random.pick(['admin', 'admin', 'admin', 'reader', 'player', 'recorder', 'writer', 'nobody']),
  headers: random.pick<Record<string, string>>([
    {},
    { 'last-event-id': 'nonsense' },
    { 'last-event-id': `{event:${-1 - random.below(60)}}` },
    { 'last-event-id': '{event:-1}' },
    { 'last-event-id': '{event:-30}' },
  ]),
});

export const FINDINGS: Makers = [
  [
    4,
    (random) => ({
      method: 'POST',
      url: '/responses',
      as: random.pick(['admin', 'recorder']),
      body: response(random),
    }),
  ],
  [
    3,
    (random) => ({
      method: 'POST',
      url: '/responses',
      body: Array.from({ length: random.below(12) }, () => response(random)),
    }),
  ],
  [5, listResponses],
  [0.8, walkResponses],
  [
    0.6,
    (random) => ({
      method: 'DELETE',
      url: `/responses?respondent=${random.pick([respondent(random), 'again', 'late', 'nobody', ''])}`,
    }),
  ],
  [2.5, accepted],
  [0.1, gone],
  [2, refused],
  [0.15, later],
  [0.15, cancelled],
  [3, listAnalyses],
  [4, (random) => ({ method: 'GET', url: `${analysis(random)}${page(random)}`, as: reader(random) })],
  [4, plot],
  [2, (random) => ({ method: 'GET', url: `${analysis(random)}/respondents${page(random)}` })],
  [0.4, (random) => ({ method: 'GET', url: '/analysis/types', as: reader(random) })],
  [0.6, (random) => ({ method: 'DELETE', url: analysis(random) })],
  [1, events],
];
