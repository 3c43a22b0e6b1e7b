/** Random requests to every route by every kind of caller, valid and invalid. */
import { METHODS } from 'node:http';
import { sample } from '../../support/engines.ts';
import type { Random } from '../../support/random.ts';
import { ACCESS } from './access.ts';
import { ANALYSES } from './analyses.ts';
import { ANSWERED_QUESTIONS, BANK, UNCHANGED_QUESTIONS } from './bank.ts';
import { CHANGES } from './changes.ts';
import { DRAWS } from './draws.ts';
import { IMPORTS } from './imports.ts';
import { REVIEW } from './review.ts';
import { CALLERS, type Request, type WeightedGenerators } from './side.ts';

const PATHS = [
  '/ /nope /questions /questions/{question:1} /questions/{question:1}/nope /categories /responses /analysis',
  '/analysis/run /analysis/types /analysis/nope/plot.svg /auth /auth/token /auth/me /difficulties /health /docs',
  '/events /v1 /v2/questions //questions /questions/ /%zz /questions/%00',
].flatMap((line) => line.split(' '));
const HTTP_METHODS = METHODS.filter((method) => method !== 'CONNECT');

const get = (url: string) => (): Request => ({ method: 'GET', url });
const OTHER: WeightedGenerators = [
  [0.5, get('/health')],
  [0.5, get('/ready')],
  [0.5, get('/metrics')],
  [0.2, get('/docs')],
  [0.3, get('/openapi.json')],
  [
    3,
    (random) => ({ method: random.pick([...HTTP_METHODS, 'GET', 'GET', 'PATCH']), url: random.pick(PATHS) }),
  ],
  [0.1, () => ({ method: 'GET', url: `/questions?q=${'x'.repeat(9000)}` })],
  [0.4, () => ({ method: 'POST', url: '/questions', body: sample({ explanation: 'x'.repeat(2 ** 20) }) })],
];

const ALL: WeightedGenerators = [
  ...BANK,
  ...CHANGES,
  ...IMPORTS,
  ...REVIEW,
  ...DRAWS,
  ...ANALYSES,
  ...ACCESS,
  ...OTHER,
];
/** Each generator occurs in proportion to its weight, in units of 1/20. */
const GENERATORS = ALL.flatMap(([weight, make]) =>
  Array.from({ length: Math.round(weight * 20) }, () => make),
);

const QUERIES = [
  'limit=1e1 limit=5&limit=6 limit=%205 limit=0x10 limit= limit offset=-1 offset=9007199254740993 LIMIT=1',
  'nope=1 q=%00 q=%ff q=% q=é && sort= cursor=x&offset=1 tag=a&tag=a',
].flatMap((line) => line.split(' '));
const BODIES = [
  ...['', ' ', '{', 'null', '7', '"text"', '[[]]', '{"a":1}x', '{"__proto__":{}}', '{"difficulty":1e999}'],
  ...['{"question_text":"\\ud800"}', '{"name":"a\\u0000b"}', '{"name":"a","name":"b"}'],
  `${'['.repeat(40)}${']'.repeat(40)}`,
  Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
];
const HEADERS: Record<string, string>[] = [
  ...[{ 'content-type': 'text/plain' }, { 'content-type': 'application/xml' }, { 'content-type': '' }],
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-encoding': 'gzip' },
  { authorization: 'Basic {basic:admin}' },
  { authorization: 'Bearer' },
  { 'idempotency-key': 'not a key' },
];

const withQuery = (url: string, more: string) => `${url}${url.includes('?') ? '&' : '?'}${more}`;

/** Returns the request, sometimes with another caller or with invalid parts. */
function mutate(random: Random, request: Request): Request {
  const { method, body } = request;
  const mutated = { ...request, headers: { ...request.headers } };
  if (random.maybe(0.1)) mutated.as = random.pick(CALLERS);
  if (random.maybe(0.05)) mutated.url = `/v1${mutated.url}`;
  if (random.maybe(0.02)) mutated.url = withQuery(mutated.url, random.pick(QUERIES));
  // The ETag of a run counts its changes, whose number depends on its speed.
  const etag = request.url.startsWith('/analysis/') ? '"x"' : '{etag}';
  if (random.maybe(0.1)) mutated.headers['if-match'] = random.pick([etag, '*', '"x"', 'bad']);
  if (random.maybe(0.2)) mutated.headers['if-none-match'] = random.pick([etag, '*']);
  if (random.maybe(0.02)) Object.assign(mutated.headers, random.pick(HEADERS));
  if (method === 'GET' && random.maybe(0.04)) mutated.method = 'HEAD';
  if (method === 'POST' && random.maybe(0.05)) mutated.headers['idempotency-key'] = `k${random.below(30)}`;
  if (body !== undefined && random.maybe(0.04)) mutated.body = random.pick(BODIES);
  return mutated;
}

/** A single request, possibly mutated, or a sequence, which is sent unchanged. */
export function nextRequests(random: Random): Request[] {
  const generated = random.pick(GENERATORS)(random);
  return Array.isArray(generated) ? generated : [mutate(random, generated)];
}

const toOutcome = (correct: boolean, n: number) =>
  n % 4 === 3 ? { correct } : { answer: correct ? 'Jupiter' : ['Mars', 'Venus'][n % 2] };

/** Responses of two groups of different ability to the first questions. */
const RESPONSES = Array.from({ length: 24 }, (_, person) =>
  Array.from({ length: ANSWERED_QUESTIONS }, (_, i) => ({
    question_id: `{question:${i}}`,
    respondent: `r-${person}`,
    group: person % 2 === 0 ? 'north' : 'south',
    session: person % 3 === 0 ? 'first' : null,
    ...toOutcome((person * 5 + i * 3) % 13 < person / 2 + 1, person + i),
  })),
).flat();

/** Creates at least one of everything that the random requests refer to. */
export const SETUP: Request[] = [
  { method: 'GET', url: '/events' },
  { method: 'GET', url: '/categories' },
  {
    method: 'POST',
    url: '/questions',
    body: Array.from({ length: ANSWERED_QUESTIONS }, (_, i) => {
      const question_text = `Which planet is number ${i} from the Sun, and how long is its day?`;
      const incorrect_answers = ['Mars'].slice(0, i % 3);
      return sample({ question_text, difficulty: i % 3, incorrect_answers });
    }),
  },
  { method: 'POST', url: '/categories', body: { name: 'Cooking' } },
  { method: 'POST', url: '/questions', body: UNCHANGED_QUESTIONS },
  // An index beyond the last question is that of the last, which may be changed.
  { method: 'POST', url: '/questions', body: sample({ question_text: 'Which question comes first?' }) },
  { method: 'POST', url: '/responses', body: RESPONSES },
  { method: 'PUT', url: '/auth/clients/admin', body: { role: 'reader' } },
  { method: 'DELETE', url: '/auth/clients/admin' },
  { method: 'POST', url: '/auth/clients', body: { name: 'A reader', role: 'reader' } },
  { method: 'POST', url: '/auth/tokens', body: { name: 'A key' } },
  { method: 'GET', url: '/auth/clients' },
];
