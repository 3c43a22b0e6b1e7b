/** Requests about questions and categories. */
import { findAnalysis } from '../../../src/analyses/index.ts';
import { sample } from '../../support/engines.ts';
import type { Random } from '../../support/random.ts';
import type { Request, WeightedGenerators } from './side.ts';

const CATEGORIES = [
  'Astronomy',
  'geography',
  'SCIENCE',
  'General Knowledge',
  'Nope',
  'Geografie',
  'History',
  'ünïcode',
  '',
];
/** Texts that databases may treat differently. */
const TEXTS = [
  'Which planet?',
  'Straße, ﬁ and İstanbul',
  '😀 \u{10FFFF} \uFFFE',
  'x'.repeat(3000),
  `${'wörter '.repeat(700)}`,
  '%_\\"$1\'; --',
  'e\u0301 \u00a0wide\u3000\u2028 end',
  '1e3 0.10 ½ ٣',
  'Où est la Seine ?',
  '東京',
  ' padded ',
  'x'.repeat(300),
  "it's",
  'naïve café',
  '',
  'a\tb',
  'null',
];
const TAGS = ['a', 'B', 'ç', 'C\u0327', 'two words', '😀', '%', 'İ', 'a'];
const DISTRACTORS = ['Mars', 'Venus', 'Jupiter', 'mars', '42'];
const WORDS = [
  ...'planet PLANETS cafe 東 plan* x ! jupiter strasse straße istanbul fi 😀 wort* worter :* ½'.split(' '),
  ...["it's a", "' OR 1=1 --", 'x'.repeat(200)],
];
const TIMESTAMPS = [
  '2020-01-01T00:00:00Z',
  '2100-01-01T00:00:00.000Z',
  'now',
  '{time:3}',
  '{time:80}',
  '{time:-1}',
];

/** The first questions have responses; those that follow are never changed. */
export const ANSWERED_QUESTIONS = 12;
export const UNCHANGED_QUESTIONS: object[] = findAnalysis('labels')!.example.questions;

export function pickQuestion(random: Random): string {
  const index = random.below(200);
  return `{question:${index < ANSWERED_QUESTIONS ? index : index + UNCHANGED_QUESTIONS.length}}`;
}
export const pickCategory = (random: Random) => `{category:${random.below(20)}}`;

function randomFields(random: Random): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const set = (name: string, probability: number, value: () => unknown) => {
    if (random.maybe(probability)) fields[name] = value();
  };
  set('question_text', 0.5, () => random.pick(TEXTS));
  set('category', 0.5, () => random.pick(CATEGORIES));
  set('difficulty', 0.5, () => random.pick([0, 1, 2, 3, '1', null]));
  set('topic_focus', 0.3, () => random.pick([...TEXTS, null]));
  set('tags', 0.4, () => (random.maybe(0.1) ? null : TAGS.filter(() => random.maybe(0.3))));
  set('incorrect_answers', 0.3, () => DISTRACTORS.filter(() => random.maybe(0.4)));
  set('external_id', 0.2, () =>
    random.pick([`e${random.below(40)}`, `E${random.below(40)}`, '😀'.repeat(100), null]),
  );
  set('explanation', 0.2, () => random.pick([...TEXTS, null]));
  set('source', 0.1, () => random.pick([...TEXTS, null]));
  set('extra', 0.03, () => 1);
  set('correct_answer', 0.2, () =>
    random.pick<unknown>([['Io', 'Europa'], ['Io'], '1,5', '3/2 km', 'Jupiter']),
  );
  set('numeric', 0.1, () =>
    random.pick<unknown>([{}, { tolerance: 0.1 }, { unit: 'km' }, { tolerance: -1 }, null]),
  );
  set('accepted_answers', 0.1, () => random.pick([['Zeus'], ['Zeus', 'Jove'], [], ['Jupiter']]));
  set('answer_matching', 0.1, () => ({ ignore_articles: random.maybe(0.5), ignore_case: random.maybe(0.5) }));
  set('text_format', 0.1, () => random.pick(['plain', 'markdown', 'html', null]));
  set('choices_order', 0.1, () => random.pick(['sorted', 'shuffled', 'as_given', null]));
  set('choices', 0.05, () => ['Mars', 'Jupiter']);
  set('choose', 0.1, () => random.pick([2, 3, null]));
  set('kind', 0.05, () => random.pick(['multiple_choice', 'numeric', 'essay']));
  return fields;
}

const randomQuestion = (random: Random) => sample(random.maybe(0.6) ? {} : randomFields(random));

/**
 * Builds a query string: each parameter is present with its probability, with one of its values.
 */
export function randomQuery(
  random: Random,
  ...choices: [name: string, probability: number, values: unknown[]][]
) {
  const chosen = choices.filter(([, probability]) => random.maybe(probability));
  const pairs = chosen.map(([name, , values]) => {
    const value = String(random.pick(values));
    return `${name}=${value.startsWith('{') ? value : encodeURIComponent(value)}`;
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

const FILTERS: [name: string, probability: number, values: unknown[]][] = [
  ['category', 0.3, CATEGORIES],
  ['category', 0.1, CATEGORIES],
  ['not_category', 0.1, CATEGORIES],
  ['difficulty', 0.3, [0, 1, 2, 3, '0,1']],
  ['not_difficulty', 0.05, [0, 1]],
  ['topic_focus', 0.1, TEXTS],
  ['not_topic_focus', 0.05, TEXTS],
  ['tag', 0.2, TAGS],
  ['tag', 0.1, TAGS],
  ['not_tag', 0.1, TAGS],
  ['kind', 0.05, ['multiple_choice', 'short_answer', 'essay']],
  ['source', 0.05, TEXTS],
  ['not_source', 0.05, TEXTS],
  ['missing', 0.1, ['explanation', 'tags,source', 'options', 'topic_focus', 'answers']],
  ['finding', 0.05, ['quality:spacing', 'quality:doubled_word', 'nonsense']],
  ['q', 0.3, WORDS],
  ['external_id', 0.1, ['e1', 'E1', 'e2', '😀'.repeat(100), 'nope']],
  ['updated_since', 0.1, TIMESTAMPS],
];

const countFacets = (random: Random): Request => ({
  method: 'GET',
  url: `/questions/facets${randomQuery(
    random,
    ...FILTERS,
    ['deleted', 0.1, [true, false]],
    ['limit', 0.5, [1, 3, 1000, 0, 1001]],
  )}`,
});

const exportQuestions = (random: Random): Request => ({
  method: 'GET',
  url: `/questions/export${randomQuery(
    random,
    ...FILTERS,
    ['format', 0.8, ['jsonl', 'json', 'csv', 'gift', 'aiken', 'moodle-xml', 'opentdb', 'docx']],
    ['sort', 0.5, ['created_at', '-created_at', 'updated_at', '-updated_at', 'relevance']],
    ['dry_run', 0.2, [true, false]],
  )}`,
  as: random.pick(['admin', 'admin', 'author', 'reader', 'writer']),
});

/** Deleted questions, and deletions since a time. */
const listDeleted = (random: Random): Request => ({
  method: 'GET',
  url: random.pick([
    `/questions${randomQuery(random, ...FILTERS, ['deleted', 1, [true]], ['limit', 0.5, [1, 1000]])}`,
    `/questions${randomQuery(
      random,
      ['updated_since', 0.9, TIMESTAMPS],
      ['include_deleted', 1, [true]],
      ['sort', 0.9, ['updated_at', '-updated_at']],
      ['q', 0.2, WORDS],
    )}`,
  ]),
});

const listQuestions = (random: Random): Request => ({
  method: 'GET',
  url: `/questions${randomQuery(
    random,
    ...FILTERS,
    ['sort', 0.5, ['created_at', '-created_at', 'updated_at', '-updated_at', 'relevance', 'id']],
    ['limit', 0.5, [1, 3, 10, 100, 1000, 0, 1001]],
    ['offset', 0.3, [0, 1, 5, 50, 100000]],
    ['cursor', 0.03, ['{cursor}', 'nonsense']],
  )}`,
});

/** All of a list, for the order depends on the bank. */
const listRandom = (random: Random): Request => ({
  method: 'GET',
  url: `/questions${randomQuery(
    random,
    ...FILTERS,
    ['sort', 1, ['random']],
    ['seed', 1, ['s', '😀', '', 'x'.repeat(65)]],
    ['limit', 1, [1000]],
    ['offset', 0.1, [0, 1]],
  )}`,
});

/** Pages through a list, with a write in between. */
function pageThroughQuestions(random: Random): Request[] {
  const filter = randomQuery(
    random,
    ['sort', 0.7, ['created_at', '-created_at', 'updated_at', '-updated_at']],
    ['q', 0.3, ['planet', 'jupiter']],
    ['difficulty', 0.2, [1]],
    ['limit', 1, [1, 2, 5]],
  );
  const page: Request = { method: 'GET', url: `/questions${filter}` };
  const next: Request = { method: 'GET', url: `/questions${filter}&cursor={cursor}` };
  return [page, next, random.maybe(0.5) ? createQuestion(random) : updateQuestion(random), next, next];
}

const randomCheck = (random: Random) =>
  randomQuery(
    random,
    ['check_duplicates', 0.3, ['true']],
    ['mode', 0.3, ['skip_bad', 'skip_bad', 'all_or_none', 'some']],
    ['on_match', 0.3, ['update', 'update', 'refuse']],
  );
const createQuestion = (random: Random): Request => ({
  method: 'POST',
  url: `/questions${randomCheck(random)}`,
  body: randomQuestion(random),
});
const createQuestions = (random: Random): Request => ({
  method: 'POST',
  url: `/questions${randomCheck(random)}`,
  body: Array.from({ length: random.below(5) }, () => randomQuestion(random)),
});
const validateQuestions = (random: Random): Request => ({
  ...(random.maybe(0.3) ? createQuestions(random) : createQuestion(random)),
  url: `/questions${randomQuery(
    random,
    ['validate_only', 1, ['true', 'true', 'false', '1']],
    ['mode', 0.3, ['skip_bad']],
    ['on_match', 0.3, ['update']],
  )}`,
});
/** A question without responses that may be changed. */
export const pickUnansweredQuestion = (random: Random) =>
  `{question:${ANSWERED_QUESTIONS + UNCHANGED_QUESTIONS.length + random.below(180)}}`;

/**
 * Answered questions have at most one distractor: the order of several, which depends on the
 * question's id, would show in the results.
 */
const updateQuestion = (random: Random): Request =>
  random.maybe(0.15)
    ? {
        method: random.pick(['PUT', 'PATCH']),
        url: `/questions/{question:${random.below(ANSWERED_QUESTIONS)}}`,
        body: random.pick<object>([
          { correct_answer: random.pick(['Mars', 'Jupiter']) },
          { incorrect_answers: random.pick([[], ['Mars'], ['Venus'], null]) },
          { question_text: random.pick(TEXTS), category: random.pick(CATEGORIES) },
          { difficulty: random.below(3) },
        ]),
      }
    : {
        method: random.pick(['PUT', 'PATCH']),
        url: `/questions/${pickUnansweredQuestion(random)}`,
        body: {
          ...randomFields(random),
          ...(random.maybe(0.1) && { revision: random.pick([1, 2, 3]) }),
        },
      };
const restoreRevision = (random: Random): Request => ({
  method: 'POST',
  url: `/questions/${pickQuestion(random)}/restore`,
  body: { revision: random.pick([0, 1, 1, 1, 2, 3, 99]) },
});
const checkAnswer = (random: Random): Request => ({
  method: 'POST',
  url: `/questions/${pickQuestion(random)}/check`,
  as: random.pick(['admin', 'player']),
  body: {
    answer: random.pick<unknown>([
      ...['Jupiter', ' JUPITER', 'Mars', 'mars', '42.0', '', 7, '1.5', 'the Zeus'],
      ...[['Europa', 'io'], ['Jupiter'], []],
    ]),
  },
});
const readQuestion = (random: Random): Request => ({
  method: 'GET',
  url: `/questions/${pickQuestion(random)}`,
  as: random.pick(['admin', 'admin', 'reader', 'player']),
});

/** Conditional reads and writes with current and stale ETags. */
function conditionalRequests(random: Random): Request[] {
  const url = random.pick([`/questions/${pickQuestion(random)}`, `/categories/${pickCategory(random)}`]);
  const body = url.startsWith('/questions')
    ? { difficulty: random.below(3) }
    : { description: `d${random.below(3)}` };
  const as = random.pick(['admin', 'reader']);
  return [
    { method: 'GET', url, as },
    {
      method: 'GET',
      url,
      as,
      headers: { 'if-none-match': random.pick(['{etag}', 'W/{etag}', '"x", {etag}']) },
    },
    { method: 'PUT', url, body, headers: { 'if-match': '{etag}' } },
    { method: 'PATCH', url, body, headers: { 'if-match': '"stale"' } },
  ];
}

/**
 * The same Idempotency-Key again with the same request, by another client, and with another body.
 */
function repeatWithKey(random: Random): Request[] {
  const request = random.pick([
    createQuestion(random),
    createQuestions(random),
    restoreRevision(random),
    createCategory(random),
    {
      method: 'POST',
      url: '/responses',
      body: {
        ...{ question_id: pickQuestion(random), respondent: 'again' },
        answer: random.pick(['Mars', ['Mars', 'Io']]),
      },
    },
  ]);
  const keyed = { ...request, headers: { 'idempotency-key': `scene-${random.below(1e9)}` } };
  return [keyed, keyed, { ...keyed, as: 'author' }, { ...keyed, body: random.pick([{}, sample(), []]) }];
}

const createCategory = (random: Random): Request => ({
  method: 'POST',
  url: '/categories',
  body: {
    name: random.pick(['History', 'history', 'Art', '', 'Ünïcode', `Number ${random.below(15)}`]),
    ...(random.maybe(0.3) && { description: random.pick([...TEXTS, null]) }),
  },
});
const updateCategory = (random: Random): Request => ({
  method: random.pick(['PUT', 'PATCH']),
  url: `/categories/${pickCategory(random)}`,
  body: random.pick([
    { name: random.pick(['Art', 'Music', 'art', `Number ${random.below(15)}`]) },
    { description: null },
    {},
  ]),
});

export const BANK: WeightedGenerators = [
  [14, listQuestions],
  [1, listRandom],
  [4, countFacets],
  [2, exportQuestions],
  [2, listDeleted],
  [1.5, pageThroughQuestions],
  [7, createQuestion],
  [3, createQuestions],
  [3, validateQuestions],
  [8, updateQuestion],
  [2, (random) => ({ method: 'DELETE', url: `/questions/${pickUnansweredQuestion(random)}` })],
  [2.5, restoreRevision],
  [3, checkAnswer],
  [5, readQuestion],
  [1.2, conditionalRequests],
  [1.2, repeatWithKey],
  [
    3,
    (random) => ({
      method: 'GET',
      url: `/questions/${pickQuestion(random)}/revisions${randomQuery(
        random,
        ['limit', 0.4, [1, 2, 0]],
        ['offset', 0.3, [0, 1, 9]],
      )}`,
    }),
  ],
  [1.5, () => ({ method: 'GET', url: '/categories' })],
  [1.5, createCategory],
  [1, (random) => ({ method: 'GET', url: `/categories/${pickCategory(random)}` })],
  [1.5, updateCategory],
  [1, (random) => ({ method: 'DELETE', url: `/categories/${pickCategory(random)}` })],
  [0.5, () => ({ method: 'GET', url: '/difficulties' })],
];
