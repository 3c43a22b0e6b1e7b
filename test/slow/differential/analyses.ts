/** Requests about responses, analyses and events. */
import { analyses } from '../../../src/analyses/index.ts';
import type { Random } from '../../support/random.ts';
import { ANSWERED_QUESTIONS, pickQuestion, randomQuery, UNCHANGED_QUESTIONS } from './bank.ts';
import type { Request, WeightedGenerators } from './side.ts';

const pickAnsweredQuestion = (random: Random) => `{question:${random.below(ANSWERED_QUESTIONS)}}`;
const pickRespondent = (random: Random) =>
  random.maybe(0.1) ? random.pick(['R-1', 'ünï', '😀'.repeat(100), '%', "'"]) : `r-${random.below(30)}`;
const SESSIONS = ['first', 'First', 'second', 'naïve', '😀', null];
const GROUPS = ['north', 'south', 'east', null];
const TIMESTAMPS = [
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
  ['Mars', 'Jupiter'],
  'ＪＵＰＩＴＥＲ',
  'a\nb\t',
  '',
  null,
  'x'.repeat(2001),
];

function randomResponse(random: Random): Record<string, unknown> {
  const wrong = random.maybe(0.04);
  const outcome = random.pick<Record<string, unknown>>([
    { answer: random.pick(wrong ? ANSWERS : ANSWERS.slice(0, -1)) },
    { answer: random.pick(ANSWERS.slice(0, 4)) },
    { correct: random.maybe(0.6) },
    { missing: random.pick(['omitted', 'not_reached']) },
  ]);
  return {
    question_id: wrong
      ? random.pick(['none', pickQuestion(random), '{category:0}'])
      : pickAnsweredQuestion(random),
    respondent: random.maybe(0.02) ? '' : pickRespondent(random),
    ...outcome,
    ...(random.maybe(0.6) && { session: random.pick(SESSIONS) }),
    ...(random.maybe(0.6) && { group: random.pick(GROUPS) }),
    ...(random.maybe(0.3) && { answered_at: random.pick(wrong ? TIMESTAMPS : TIMESTAMPS.slice(0, 5)) }),
    ...(wrong && random.maybe(0.3) && { correct: 1, extra: true }),
  };
}

const responsesUrl = (random: Random, ...more: Parameters<typeof randomQuery>[1][]): string =>
  `/responses${randomQuery(
    random,
    ['question_id', 0.3, [pickAnsweredQuestion(random), 'none']],
    ['respondent', 0.3, [pickRespondent(random), 'unknown']],
    ['session', 0.3, ['first', 'naïve', 'none']],
    ['group', 0.3, ['north', 'none']],
    ...more,
  )}`;

const listResponses = (random: Random): Request => ({
  method: 'GET',
  url: responsesUrl(
    random,
    ['limit', 0.5, [1, 3, 10, 1000, 0]],
    ['offset', 0.3, [0, 1, 7, 500]],
    ['cursor', 0.05, ['nonsense', '{cursor}']],
  ),
});

function pageThroughResponses(random: Random): Request[] {
  const url = responsesUrl(random, ['limit', 1, [1, 2, 7]]);
  const next = { method: 'GET', url: `${url}&cursor={cursor}` };
  return [
    { method: 'GET', url },
    next,
    { method: 'POST', url: '/responses', body: randomResponse(random) },
    next,
    next,
  ];
}

const pickType = (random: Random) => random.pick(analyses).type as string;
const runAnalysis = (body: object, prefer = 'wait=30'): Request => ({
  method: 'POST',
  url: '/analysis/run',
  body,
  headers: { prefer },
});

/** Parameters of all analyses of responses. */
const RESPONSE_PARAMETERS = [
  { cases: 'session' },
  { session: 'first' },
  { omitted: 'missing', not_reached: 'wrong' },
  { session: 'no such session' },
];
const PARAMETERS: Record<string, object[]> = {
  coverage: [{ min_per_cell: 2 }],
  duplicates: [{ min_similarity: 0.6 }, { min_word_similarity: 0.5 }, { variants: false }],
  readability: [{ max_grade: 5, min_words: 3 }],
  quality: [{ min_severity: 'major' }, { min_length_ratio: 1.5, min_severity: 'minor' }],
  labels: [{ folds: 3 }, { folds: 2, fields: ['category'] }],
  item_statistics: [{ min_cases: 5, min_per_outcome: 2 }, ...RESPONSE_PARAMETERS],
  reliability: [{ min_cases: 5 }, ...RESPONSE_PARAMETERS],
  irt: [{ model: '1pl' }, { model: '3pl', max_iterations: 50 }, ...RESPONSE_PARAMETERS],
  difficulty_audit: [{ min_responses: 3, significance: 0.2 }, ...RESPONSE_PARAMETERS],
  dif: [{ min_cases: 5 }, { purify: false, reference: 'north', focal: 'south' }, ...RESPONSE_PARAMETERS],
};
const INVALID_PARAMETERS = [{ folds: 'two' }, { min_similarity: 7 }, { nothing: 1 }, [], null, 'x'];

const questionRange = (from: number, length: number) => ({
  question_ids: Array.from({ length }, (_, i) => `{question:${from + i}}`),
});

/** The questions of a run: few, so that the run is short. */
const pickQuestions = (random: Random): object =>
  random.pick<() => object>([
    () => questionRange(0, ANSWERED_QUESTIONS),
    () => questionRange(random.below(100), 4),
    () => ({ filter: { category: 'Geography' } }),
    () => ({ filter: { q: 'seine', difficulty: 1 } }),
    () => ({ filter: { tag: ['ç'] } }),
    () => ({ filter: { updated_since: '{time:-20}' } }),
    () => (random.maybe(0.3) ? {} : { filter: { category: 'general knowledge' } }),
  ])();

/**
 * Analyses whose results depend on the order of options, and thus on the ids of the questions. They
 * run only on questions with at most one distractor, or on unchanged ones.
 */
const FIXED_QUESTIONS: Record<string, () => object> = {
  quality: () => questionRange(0, ANSWERED_QUESTIONS + UNCHANGED_QUESTIONS.length),
  item_statistics: () => questionRange(0, ANSWERED_QUESTIONS),
  labels: () => questionRange(ANSWERED_QUESTIONS, UNCHANGED_QUESTIONS.length),
};

function randomRun(random: Random): object {
  const analysis_type = pickType(random);
  const parameters = random.pick([{}, ...PARAMETERS[analysis_type]!]);
  return { analysis_type, ...(FIXED_QUESTIONS[analysis_type]?.() ?? pickQuestions(random)), parameters };
}

const validRun = (random: Random): Request => ({
  ...runAnalysis(randomRun(random)),
  as: random.pick(['admin', 'admin', 'admin', 'runner']),
});

const invalidRun = (random: Random): Request =>
  runAnalysis(
    random.pick<object>([
      { analysis_type: pickType(random), parameters: random.pick(INVALID_PARAMETERS) },
      { analysis_type: random.pick(['nope', '', 7, null]) },
      {
        analysis_type: pickType(random),
        question_ids: ['{question:1}', '{question:1}', 'none', '{category:1}'],
      },
      { analysis_type: pickType(random), question_ids: [] },
      { analysis_type: pickType(random), question_ids: ['{question:1}'], filter: {} },
      { analysis_type: pickType(random), filter: { q: '!', sort: 'id' } },
      { analysis_type: pickType(random), filter: { category: random.pick(['Astronmy', 'Nope', '']) } },
      {},
    ]),
    random.pick(['wait=30', 'wait=x', 'respond-async']),
  );

const queuedRun = (random: Random): Request[] => [
  { ...runAnalysis(randomRun(random), 'respond-async'), timingDependent: true },
  { method: 'GET', url: '/analysis/{analysis:-1}', untilEnded: true },
];

/** Deletes and restores a question with responses. */
function deleteAnsweredQuestion(random: Random): Request[] {
  const id = pickAnsweredQuestion(random);
  return [
    { method: 'DELETE', url: `/questions/${id}` },
    runAnalysis({ analysis_type: 'reliability', ...questionRange(0, ANSWERED_QUESTIONS) }),
    { method: 'GET', url: `/responses?question_id=${id}` },
    runAnalysis({ analysis_type: 'reliability' }),
    { method: 'POST', url: '/responses', body: { question_id: id, respondent: 'late', answer: 'Jupiter' } },
    { method: 'POST', url: `/questions/${id}/restore`, body: { revision: 1 } },
    { method: 'GET', url: `/responses?question_id=${id}` },
  ];
}

/** The run may have ended before it is cancelled: then it is deleted at once. */
const cancelRun = (random: Random): Request[] => [
  { ...runAnalysis(randomRun(random), 'respond-async'), timingDependent: true },
  { method: 'DELETE', url: '/analysis/{analysis:-1}' },
  { method: 'GET', url: '/analysis/{analysis:-1}', untilEnded: true, timingDependent: true },
  { method: 'DELETE', url: '/analysis/{analysis:-1}', timingDependent: true },
  { method: 'GET', url: '/analysis/{analysis:-1}' },
];

const pickAnalysis = (random: Random) => `/analysis/{analysis:${random.below(100)}}`;
const pickReader = (random: Random) => random.pick(['admin', 'admin', 'reader', 'recorder']);
const randomPage = (random: Random) =>
  randomQuery(random, ['limit', 0.5, [1, 3, 1000, 0]], ['offset', 0.4, [0, 1, 4, 999]]);

const listAnalyses = (random: Random): Request => ({
  method: 'GET',
  as: pickReader(random),
  url: `/analysis${randomQuery(
    random,
    ['analysis_type', 0.3, [pickType(random), 'nope']],
    ['status', 0.3, ['succeeded', 'failed', 'cancelled', 'done']],
    ['question_id', 0.3, [pickAnsweredQuestion(random), pickQuestion(random), 'none']],
    ['limit', 0.5, [1, 3, 50, 0]],
    ['offset', 0.3, [0, 1, 20]],
  )}`,
});

const readPlot = (random: Random): Request => ({
  method: 'GET',
  as: pickReader(random),
  url: `${pickAnalysis(random)}/plot.${random.pick(['svg', 'json'])}${randomQuery(
    random,
    ['figure', 0.2, ['wright_map', 'nope']],
    [
      'question_id',
      0.4,
      [pickAnsweredQuestion(random), pickAnsweredQuestion(random), pickQuestion(random), 'none'],
    ],
  )}`,
});

const readRows = (random: Random): Request => ({
  method: 'GET',
  as: pickReader(random),
  url: `${pickAnalysis(random)}${randomQuery(
    random,
    ['flag', 0.3, ['spacing', 'doubled_word', 'too_easy', 'no_topic', 'nope']],
    ['severity', 0.3, ['info', 'minor', 'major', 'nope']],
    ['verdict', 0.2, ['keep', 'check_key', 'duplicate', 'A']],
    ['category', 0.3, ['Astronomy', 'geography', 'Nope']],
    ['sort', 0.4, ['created_at', '-created_at', 'words', '-facility', 'similarity', 'nope']],
    ['limit', 0.5, [1, 3, 1000]],
    ['offset', 0.3, [0, 1, 4]],
  )}`,
});

const FINDINGS = [
  ...['quality spacing', 'quality doubled_word', 'readability unreliable_short_text'],
  ...['duplicates duplicate', 'item_statistics too_little_data', 'quality nope'],
];

function dismissFinding(random: Random): Request[] {
  const question = `/questions/${random.pick([pickAnsweredQuestion(random), pickQuestion(random)])}`;
  const [analysis_type, name] = random.pick(FINDINGS).split(' ');
  const path = `${question}/findings/dismissals`;
  return [
    {
      method: 'POST',
      url: path,
      as: random.pick(['admin', 'admin', 'author', 'writer']),
      body: { analysis_type, name, reason: 'Intended.', ...(random.below(4) === 0 && { revision: 1 }) },
    },
    { method: 'GET', url: `${question}/findings?dismissed=true` },
    { method: 'GET', url: `/dismissals${randomPage(random)}` },
    ...(random.below(2) === 0
      ? [{ method: 'DELETE', url: `${path}?analysis_type=${analysis_type}&name=${name}` }]
      : []),
  ];
}

const readFindings = (random: Random): Request => ({
  method: 'GET',
  as: pickReader(random),
  url: `/questions/${random.pick([pickAnsweredQuestion(random), pickQuestion(random)])}/findings`,
});

const readAttention = (random: Random): Request => ({
  method: 'GET',
  as: random.pick(['admin', 'admin', 'admin', 'reader']),
  url: `/attention${randomQuery(
    random,
    ['reason', 0.3, ['wrong_key', 'conflict', 'empty_cell', 'nope']],
    ['limit', 0.5, [1, 3, 1000]],
    ['offset', 0.4, [0, 2, 10]],
  )}`,
});

const readEvents = (random: Random): Request => ({
  method: 'GET',
  url: '/events',
  as: random.pick(['admin', 'admin', 'admin', 'reader', 'player', 'recorder', 'writer', 'anonymous']),
  headers: random.pick<Record<string, string>>([
    {},
    { 'last-event-id': 'nonsense' },
    { 'last-event-id': `{event:${-1 - random.below(60)}}` },
    { 'last-event-id': '{event:-1}' },
    { 'last-event-id': '{event:-30}' },
  ]),
});

export const ANALYSES: WeightedGenerators = [
  [
    4,
    (random) => ({
      method: 'POST',
      url: '/responses',
      as: random.pick(['admin', 'recorder']),
      body: randomResponse(random),
    }),
  ],
  [
    3,
    (random) => ({
      method: 'POST',
      url: '/responses',
      body: Array.from({ length: random.below(12) }, () => randomResponse(random)),
    }),
  ],
  [5, listResponses],
  [0.8, pageThroughResponses],
  [
    0.6,
    (random) => ({
      method: 'DELETE',
      url: `/responses?respondent=${random.pick([pickRespondent(random), 'again', 'late', 'unknown', ''])}`,
    }),
  ],
  [2.5, validRun],
  [0.1, deleteAnsweredQuestion],
  [2, invalidRun],
  [0.15, queuedRun],
  [0.15, cancelRun],
  [3, listAnalyses],
  [
    4,
    (random) => ({
      method: 'GET',
      url: `${pickAnalysis(random)}${randomPage(random)}`,
      as: pickReader(random),
    }),
  ],
  [4, readPlot],
  [3, readRows],
  [3, readFindings],
  [1, dismissFinding],
  [2, readAttention],
  [2, (random) => ({ method: 'GET', url: `${pickAnalysis(random)}/respondents${randomPage(random)}` })],
  [0.4, (random) => ({ method: 'GET', url: '/analysis/types', as: pickReader(random) })],
  [0.6, (random) => ({ method: 'DELETE', url: pickAnalysis(random) })],
  [1, readEvents],
];
