/**
 * Crawls every operation of the OpenAPI document in search of leaked answers. Every correct answer,
 * distractor and explanation of the bank contains a unique word, which must not occur in the
 * responses to a caller without the scope `answers:read`.
 */
import assert from 'node:assert/strict';
import { analyses } from '../../src/analyses/index.ts';
import { buildOpenApi } from '../../src/api/docs/openapi.ts';
import type { Operation, Parameter } from '../../src/api/docs/openapi-types.ts';
import { ROLES, SCOPES, type Scope } from '../../src/schemas/scopes.ts';
import { type Answer, type CallOptions, type Service, sample } from './engines.ts';
import { createRandom } from './random.ts';
import { until } from './until.ts';

const random = createRandom(1);
const WORD_CHARS = 12;
/** The unique words of all answers and explanations. */
export const hiddenWords = new Set<string>();
/** Creates a unique word, without `s`, which the stemmer of the search would strip. */
export function newHiddenWord(): string {
  const word = Array.from({ length: WORD_CHARS }, () => random.pick([...'bcdfghjklmnpqrtvwxz'])).join('');
  hiddenWords.add(word);
  return word;
}
/** Finds hidden words in a text, also inside longer runs of letters. */
export function findHiddenWords(text: string): string[] {
  const found = new Set<string>();
  for (const [letters] of text.toLowerCase().matchAll(/[b-df-hj-np-rtv-xz]{12,}/g))
    for (let i = 0; i + WORD_CHARS <= letters.length; i++) {
      const word = letters.slice(i, i + WORD_CHARS);
      if (hiddenWords.has(word)) found.add(word);
    }
  return [...found];
}

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];
export const ALL_SCOPES_BUT_ANSWERS = ALL_SCOPES.filter((scope) => scope !== 'answers:read');
export const LIMITED_SCOPES: Record<string, Scope[] | null> = {
  'no token': null,
  'reading and writing': ['questions:read', 'questions:write'],
  ...listRolesWithoutAnswers(),
  // Last: it starts runs whose filters have the hidden words that it searches for.
  'every other scope': ALL_SCOPES_BUT_ANSWERS,
};

/** Roles that are part of another one of these show nothing more. */
function listRolesWithoutAnswers(): Record<string, Scope[]> {
  const roles = Object.entries<readonly Scope[]>(ROLES).filter(
    ([, scopes]) => !scopes.includes('answers:read'),
  );
  const isPart = (scopes: readonly Scope[]) =>
    roles.some(
      ([, others]) => others.length > scopes.length && scopes.every((each) => others.includes(each)),
    );
  const largest = roles.filter(([, scopes]) => !isPart(scopes));
  return Object.fromEntries(largest.map(([role, scopes]) => [`the role ${role}`, [...scopes]]));
}
export const HIDDEN_FIELDS = [
  ...['correct_answer', 'incorrect_answers', 'explanation', 'revision', 'updated_at', 'status'],
  ...['numeric', 'accepted_answers', 'answer_matching'],
];

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
export type Json = any;

let seedCount = 0;
const WAIT_FOR_RESULT = { prefer: 'wait=30' };

/** Creates questions in every state: unchanged, updated, deleted and restored. */
export async function seed({ call }: Service) {
  // Includes the words of earlier revisions and of deleted questions.
  const words: string[] = [];
  const hide = (text: string) => `${text} ${words[words.push(newHiddenWord()) - 1]}`;
  const incorrect = (options: number) => ({
    incorrect_answers: Array.from({ length: options }, () => hide('wrong')),
  });
  const answers = (options: number) => ({
    ...{ correct_answer: hide('right'), ...incorrect(options), explanation: hide('because') },
  });
  const addWith = async (hidden: object, changes: object = {}) => {
    const question_text = `Which lantern is number ${words.length}?`;
    const publicFields = { question_text, topic_focus: 'Lamps', tags: ['harbour'], ...changes };
    const created = await call('POST', '/questions', { body: sample({ ...hidden, ...publicFields }) });
    return created.headers.location!;
  };
  const add = (options: number, changes: object = {}) => addWith(answers(options), changes);
  const change = (path: string, options: number) => call('PUT', path, { body: answers(options) });
  const external_id = `lantern-${seedCount++}`;
  const plain = await add(0, { external_id });
  await change(plain, 0);
  const options = await add(3);
  const updated = await add(3, { external_id: `${external_id}-updated` });
  for (const n of [2, 0, 2]) await change(updated, n);
  const deleted = await add(3);
  await change(deleted, 2);
  const restored = await add(2, { difficulty: 2 });
  for (const path of [deleted, restored]) await call('DELETE', path);
  await call('POST', `${restored}/restore`, { body: { revision: 1 } });
  const several = await addWith({
    ...incorrect(3),
    correct_answer: [hide('right'), hide('right')],
    explanation: hide('because'),
  });
  const accepting = await addWith({
    ...{ ...answers(0), accepted_answers: [hide('right'), hide('right')] },
    answer_matching: { ignore_punctuation: true },
  });
  // Of a number, the unit is the word that is searched for.
  const unit = words[words.push(newHiddenWord()) - 1]!;
  const numeric = await addWith({
    ...{ correct_answer: '7', numeric: { tolerance: 0.5, unit }, explanation: hide('because') },
  });
  const current = [plain, options, updated, restored, several, accepting, numeric];
  await recordResponses(call, current);
  const spare = [
    await call('POST', '/categories', { body: { name: `Spare ${seedCount}` } }),
    await call('POST', '/auth/clients', { body: { name: 'Spare', role: 'reader' } }),
    await call('POST', '/auth/tokens', { body: { name: 'Spare' } }),
  ];
  for (const respondent of ['ada', 'ben', 'cyd'])
    await call('POST', `${options}/reports`, {
      body: { reason: 'wrong_answer', comment: hide('rather'), respondent, answer: words[0] },
    });
  spare.push({ ...spare[0]!, body: (await call('GET', '/reports')).body.data[0] });
  const drawn = await call('POST', '/draws', { body: { count: 3, filter: { tag: 'harbour' } } });
  spare.push(drawn);
  // Two changes that wait: one of number 2, as the example of a review, and one of another number.
  const proposed = await add(2);
  await call('POST', `${proposed}/pending`, { body: answers(2) });
  await call('POST', `${plain}/pending`, { body: answers(0) });
  spare.push(await call('POST', `${options}/comments`, { body: { text: hide('perhaps') } }));
  for (const { type } of analyses)
    spare.push(
      await call('POST', '/analysis/run', { body: { analysis_type: type }, headers: WAIT_FOR_RESULT }),
    );
  // Bulk changes hold answers in their requests. The merged question has answers of its own.
  const id = options.split('/').at(-1)!;
  const twin = (await add(3)).split('/').at(-1)!;
  await call('POST', '/responses', { body: { question_id: twin, respondent: 'eve', answer: words[0] } });
  const dismissal = { analysis_type: 'quality', name: 'spacing', reason: 'Spelt like this.' };
  await call('POST', `${options}/findings/dismissals`, { body: dismissal });
  const changes = [
    await call('POST', '/questions/bulk', {
      body: { question_ids: [id], change: { explanation: hide('because') } },
    }),
    await call('POST', `/questions/${id}/merge`, { body: { question_ids: [twin] } }),
  ];
  for (const { body } of changes)
    await until('the end of the change', async () => {
      const { status } = (await call('GET', `/changes/${body.id}`)).body;
      return status === 'succeeded';
    });
  spare.push(...changes);
  // One item is imported, the other one is rejected.
  const file = `question,answer,category,difficulty\nImported lantern?,${hide('right')},Science,1\n,${hide('right')},,\n`;
  const imported = await call('POST', '/imports?format=csv', { body: file });
  await until('the end of the import', async () => {
    const { status } = (await call('GET', `/imports/${imported.body.id}`)).body;
    return status === 'succeeded';
  });
  spare.push(imported);
  const recorded = await call('POST', '/responses/import', {
    body: `student,question,answer\neve,${twin},${words[0]}\nmallory,${id},${words[1]}\nmallory,nowhere,${words[0]}\n`,
  });
  await until('the end of the import of responses', async () => {
    const { status } = (await call('GET', `/responses/imports/${recorded.body.id}`)).body;
    return status === 'succeeded';
  });
  spare.push(recorded);
  const otherCategory = await call('POST', '/categories', { body: { name: `Other ${seedCount}` } });
  /** Bodies that refer to other items, by path. */
  const merges = {
    [`/draws/${drawn.body.id}/responses`]: {
      respondent: 'eve',
      responses: [{ question_id: drawn.body.questions[0].id, answer: 'a guess' }],
    },
    [`/draws/${drawn.body.id}/tokens`]: { respondent: 'eve' },
    [`/questions/${id}/merge`]: { question_ids: [(await add(3)).split('/').at(-1)!] },
    [`/categories/${spare[0]!.body.id}/merge`]: { category_ids: [otherCategory.body.id] },
  };
  const { body: bound } = await call('POST', `/draws/${drawn.body.id}/tokens`, {
    body: { respondent: 'fay' },
  });
  const ids = [...current, deleted, proposed].map((path) => path.split('/').at(-1)!);
  // Path parameters: existing ids, and one that does not exist.
  const pathIds = [...ids, ...spare.map(({ body }) => body.id), words[0]!];
  return {
    plain,
    options,
    several,
    accepting,
    numeric,
    current,
    external_id,
    words,
    ids: pathIds,
    merges,
    drawToken: bound.token as string,
  };
}
/**
 * Responses of four respondents in two groups, in which every option of every question is chosen,
 * and three give a wrong answer that is near the correct one to questions without options.
 */
async function recordResponses(call: Service['call'], paths: string[]): Promise<void> {
  const questions: Json[] = await Promise.all(paths.map(async (path) => (await call('GET', path)).body));
  const body = ['ada', 'ben', 'cyd', 'dot'].flatMap((respondent, person) =>
    questions.map(({ id, correct_answer, incorrect_answers }) => ({
      question_id: id,
      respondent,
      group: person % 2 === 0 ? 'north' : 'south',
      answer: pickAnswer(correct_answer, incorrect_answers, person),
    })),
  );
  assert.equal((await call('POST', '/responses', { body })).status, 201);
}

function pickAnswer(correct: string | string[], incorrect: string[], person: number): string | string[] {
  if (person === 0) return correct;
  if (Array.isArray(correct)) return [correct[0]!, incorrect[person - 1]!];
  return incorrect.length > 0 ? (incorrect[person - 1] ?? correct) : `The ${correct}`;
}

export type Bank = Awaited<ReturnType<typeof seed>>;

interface Visit extends CallOptions {
  method: string;
  url: string;
  operation: string;
}
/** The path of a resource that exists also for deleted items, by collection. */
const LASTING: Record<string, string> = { '/questions/{id}': '/questions/{id}/revisions' };
const missingPaths = new WeakMap<Bank, Set<string>>();

/** The paths of ids in collections that they do not belong to, such as that of a question in /analysis. */
async function findMissing({ call }: Service, bank: Bank, templates: string[]): Promise<Set<string>> {
  const missing = new Set<string>();
  for (const template of templates.filter((each) => each.endsWith('/{id}')))
    for (const id of bank.ids) {
      const { status } = await call('GET', (LASTING[template] ?? template).replace('{id}', id));
      if (status === 404) missing.add(template.replace('{id}', id));
    }
  return missing;
}

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Every operation with all declared parameters and bodies, and with invalid ones; deletions come
 * last. An id of another collection is sent once.
 */
async function listVisits(service: Service, bank: Bank): Promise<Visit[][]> {
  const { app, admin, call } = service;
  const { paths, components } = buildOpenApi(app.routes);
  const readable = Object.keys(paths).filter((template) => 'get' in paths[template]!);
  const missing = missingPaths.get(bank) ?? (await findMissing(service, bank, readable));
  missingPaths.set(bank, missing);
  const { correct_answer, incorrect_answers, updated_at } = (await call('GET', bank.options)).body;
  const questions = await Promise.all(bank.current.map((path) => call('GET', path)));
  const lists = ['', '&sort=-updated_at', '&q=lantern'].map((more) =>
    call('GET', `/questions?limit=1${more}`),
  );
  const cursors = (await Promise.all(lists)).map(({ body }) => body.pagination.next_cursor);
  const etags = ['nonsense', questions.map(({ headers }) => headers.etag).join(', '), '*'];
  const HEADERS: Record<string, string[]> = {
    'If-Match': etags,
    'If-None-Match': etags,
    'Idempotency-Key': ['crawled', 'no key'],
    Prefer: ['wait=30', 'nonsense'],
    'Last-Event-ID': ['', 'nonsense', bank.words[0]!],
  };
  const bodies = (example: unknown) => [
    JSON.parse(JSON.stringify(example).replace(/\$QUAESTOR_\w*SECRET/, admin.secret)),
    ...['', '{"answer', 'null', '[]', '{}'],
    { [bank.words[0]!]: bank.words[1] },
    ...[1, 2, 99].map((revision) => ({ revision })),
    ...analyses.map(({ type }) => ({ analysis_type: type })),
    ...[correct_answer, bank.words[0]].map((q) => ({ analysis_type: 'readability', filter: { q } })),
    ...[correct_answer, incorrect_answers[0], 7, [correct_answer], incorrect_answers].map((answer) => ({
      answer,
    })),
    ...[correct_answer, incorrect_answers[0]].map((answer) => ({
      question_id: bank.options.split('/').at(-1),
      respondent: 'crawler',
      answer,
    })),
    { incorrect_answers: [correct_answer] },
    { correct_answer: incorrect_answers[0], explanation: null },
    { correct_answer, incorrect_answers: [correct_answer, 7], difficulty: 9 },
    sample({ correct_answer, incorrect_answers, category: 'Nowhere' }),
    sample({ correct_answer: [correct_answer, ...incorrect_answers], numeric: {}, choose: 2 }),
    [sample({ correct_answer, incorrect_answers }), sample()],
    [sample({ correct_answer, external_id: bank.external_id })],
  ];
  const publicWords = ['lantern', 'lant*', 'harbour', 'Lamps', 'Astronomy', 'admin', bank.external_id];
  const texts = [...publicWords, ...bank.words.slice(0, 3), ...cursors];
  const values = ({ name, schema }: Parameter): unknown[] => {
    if (name === 'q') return [...texts, ...bank.words.flatMap((word) => [word, `${word.slice(0, 8)}*`])];
    if (name === 'updated_since') return ['2020-01-01T00:00:00Z', updated_at, bank.words[0]];
    return schema.enum ?? schema.items?.enum ?? { boolean: ['true'], integer: [0, 1] }[schema.type!] ?? texts;
  };
  const queries = (declared: Parameter[]) => {
    const single = declared.flatMap((parameter) =>
      values(parameter).map((value) => ({ [parameter.name]: String(value) })),
    );
    const sorts = declared.find(({ name }) => name === 'sort')?.schema.enum ?? [];
    const searches = ['lantern', `lantern ${bank.words[0]}`, bank.words[1]!];
    const sorted = sorts.flatMap((sort) => searches.map((q) => ({ q, sort: String(sort) })));
    const required = Object.fromEntries(
      declared
        .filter((parameter) => parameter.required)
        .map((parameter) => [parameter.name, String(parameter.schema.examples?.[0])]),
    );
    const all = [{}, ...single, ...sorted].map((query) => new URLSearchParams({ ...required, ...query }));
    return all.map((query) => (query.size > 0 ? `?${query}` : ''));
  };
  const visits = (template: string, verb: string, { parameters, requestBody }: Operation): Visit[] => {
    const method = verb.toUpperCase();
    const declared = parameters.map((each) =>
      '$ref' in each ? components.parameters[each.$ref.split('/').at(-1)!]! : each,
    );
    const headers = declared.flatMap(({ name }) => (HEADERS[name] ?? []).map((value) => ({ [name]: value })));
    const queryStrings = queries(declared.filter((parameter) => parameter.in === 'query'));
    const content = requestBody?.content['application/json'] ?? requestBody?.content['*/*'];
    // Each import is a job: all bodies are sent with one query, and all queries with one body.
    const isFile = requestBody?.content['*/*'] !== undefined;
    const given = content ? bodies(content.example) : [undefined];
    return (template.includes('{') ? bank.ids : ['']).flatMap((id, i) => {
      const path = template.replace(/\{\w+\}/, id);
      const visit = (url: string, more: CallOptions = {}) => ({
        ...{ method, url, operation: `${method} ${template}`, body: given[0] },
        ...more,
      });
      if (i > 0 && missing.has(template.split('}')[0]!.replace(/\{\w+/, id))) return [visit(path)];
      // Only the question whose answers the bodies contain is sent all of them.
      const sent = id === '' || bank.options.endsWith(id) ? given : given.slice(0, 1);
      return [
        ...(method === 'GET' || i < 2 ? headers : []).map((each) => visit(path, { headers: each })),
        ...queryStrings.flatMap((query, n) =>
          (n === 0 || !isFile ? sent : sent.slice(0, 1)).map((body) => visit(path + query, { body })),
        ),
        ...(method === 'GET' ? [{ ...visit(path), method: 'HEAD' }] : []),
        ...(i === 0 ? [visit(`/v1${path}`), visit(path, { token: null })] : []),
        ...(path in bank.merges ? [visit(path, { body: bank.merges[path] })] : []),
      ];
    });
  };
  const refused = Object.entries(paths).flatMap(([template, offered]) =>
    [...VERBS, 'options']
      .filter((verb) => !(verb in offered))
      .map((verb) => ({
        method: verb.toUpperCase(),
        url: template.replace(/\{\w+\}/, bank.ids[0]!),
        operation: '',
      })),
  );
  // What belongs to a question is deleted before the question.
  const templates = Object.entries(paths).sort(([a], [b]) => b.split('/').length - a.split('/').length);
  const byVerb = VERBS.flatMap((verb) =>
    (verb === 'delete' ? templates : Object.entries(paths)).map(([template, { [verb]: each }]) =>
      each ? visits(template, verb, each) : [],
    ),
  );
  return [refused, ...byVerb];
}

/** Finds all questions in a body, except the examples in the OpenAPI document. */
export function findQuestions(body: Json): Json[] {
  if (typeof body !== 'object' || body === null || 'openapi' in body) return [];
  const inner = Object.values(body).flatMap(findQuestions);
  return 'id' in body && 'question_text' in body ? [body, ...inner] : inner;
}

/** Finds the leaks of a response, by kind. Words of the request itself are not leaks. */
export function findLeaks(
  { method, url, body, headers }: Omit<Visit, 'operation'>,
  answer: Answer,
): string[] {
  const request = `${method} ${url} ${JSON.stringify([body, headers])}`;
  const json = structuredClone(answer.body);
  // The choices of a question are public.
  for (const question of findQuestions(json)) delete question.choices;
  const text = `${json === undefined ? answer.text : JSON.stringify(json)} ${JSON.stringify(answer.headers)}`;
  const fields = HIDDEN_FIELDS.filter((name) => findQuestions(json).some((question) => name in question));
  const etag = answer.headers.etag ?? '';
  // What is excluded is not searched for.
  const searched = (url.split('?')[1] ?? '').split('&').filter((pair) => !pair.startsWith('not_'));
  const matches = json?.facets ? json.total : json?.data?.length;
  const found = findHiddenWords(searched.join('&')).length > 0 && matches > 0;
  return [
    ...findHiddenWords(text).flatMap((word) => (request.includes(word) ? [] : [`word: ${word}`])),
    ...fields.map((name) => `field: ${name}`),
    ...(found ? ['search: a question was found by a hidden word'] : []),
    ...(/^"\d+\.\d+"$/.test(etag) ? [`etag: ${etag}`] : []),
  ].map((leak) => `${leak} (${answer.status} to ${request})`);
}

export async function crawl(service: Service, bank: Bank, token: string | null) {
  const visited = new Set<string>();
  const answered = new Set<string>();
  const leaks: string[] = [];
  for (const visits of await listVisits(service, bank)) {
    for (let i = 0; i < visits.length; i += 16) {
      const some = visits.slice(i, i + 16).map(async (visit) => {
        const answer = await service.call(visit.method, visit.url, { token, ...visit });
        assert.ok(answer.status < 500, `${answer.status} to ${visit.method} ${visit.url}`);
        if (visit.operation) visited.add(visit.operation);
        if (answer.status < 300) answered.add(visit.operation);
        leaks.push(...findLeaks(visit, answer));
      });
      await Promise.all(some);
    }
  }
  return { visited: [...visited].sort(), answered: [...answered].sort(), leaks };
}

/**
 * Reads everything a token can see, byte for byte, without the fields that change in every
 * response.
 */
export async function readEverything({ call }: Service, token: string, bank: Bank): Promise<object[]> {
  const seen: object[] = [];
  const read = async (method: string, url: string) => {
    const answer = await call(method, url, { token });
    const { date, 'x-request-id': id, ...headers } = answer.headers;
    seen.push({ request: `${method} ${url}`, status: answer.status, headers, text: answer.text });
    return answer;
  };
  const filters = [
    ...['', 'sort=-created_at', 'category=astronomy', 'difficulty=2', 'topic_focus=lamps', 'tag=harbour'],
    ...[
      `external_id=${bank.external_id}`,
      'q=lantern',
      'q=lant*&sort=-created_at',
      'q=lantern&sort=relevance',
    ],
    ...bank.words.map((word) => `q=${word}`),
  ];
  for (const filter of filters) {
    let url: string | undefined = `/questions?limit=7&${filter}`;
    await read('HEAD', url);
    while (url) {
      const next: string | null = (await read('GET', url)).body.pagination.next_cursor;
      url = next ? `/questions?limit=7&${filter}&cursor=${next}` : undefined;
    }
  }
  for (const url of [...bank.current, '/categories', '/difficulties', '/auth/me', '/auth/tokens']) {
    for (const method of ['GET', 'HEAD']) await read(method, url);
  }
  for (const count of [1, 3]) {
    const body = { count, filter: { tag: 'harbour' }, seed: 'seen' };
    const { status, body: drawn } = await call('POST', '/draws', { token, body });
    seen.push({ request: `a draw of ${count}`, status, questions: drawn.questions, quotas: drawn.quotas });
  }
  // The share of correct responses is public and changes with the key.
  for (const { type } of analyses.filter(({ readsResponses }) => !readsResponses)) {
    const { body } = await call('POST', '/analysis/run', {
      token,
      body: { analysis_type: type },
      headers: WAIT_FOR_RESULT,
    });
    const { id, created_at, started_at, finished_at, ...record } = body;
    const plot = await call('GET', `/analysis/${id}/plot.svg`, { token });
    const figure = await call('GET', `/analysis/${id}/plot.json`, { token });
    seen.push({ request: type, record, plot: plot.text, figure: figure.text });
  }
  for (const path of bank.current) {
    const { status, body } = await call('GET', `${path}/findings`, { token });
    const findings = (body.data ?? []).map(
      ({ analysis_id, finished_at, age_seconds, ...shown }: Json) => shown,
    );
    const isRead = ({ analysis_type }: Json) =>
      analyses.some(({ type, readsResponses }) => type === analysis_type && !readsResponses);
    seen.push({ request: `${path}/findings`, status, findings: findings.filter(isRead) });
  }
  return seen;
}
