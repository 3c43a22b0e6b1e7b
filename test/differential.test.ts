/** The same seeded requests to both engines: every status, header and body must be alike, ids and times aside. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, openService, type Service, sample } from './engines.ts';
import { type Chance, chance } from './random.ts';

const REQUESTS = 1500;
const CATEGORIES = ['Astronomy', 'geography', 'SCIENCE', 'Nope', 'History', ''];
const TEXTS = [
  'Which planet?',
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
const TAGS = ['a', 'B', 'ç', 'two words', 'a'];

interface Request {
  method: string;
  url: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Ids are told apart by when they first appeared; `{n}` in a request stands for the n-th. */
class Side {
  readonly service: Service;
  readonly ids: string[] = [];
  etag = '"none"';
  cursor = '';

  constructor(service: Service) {
    this.service = service;
  }

  async send({ method, url, body, headers = {} }: Request): Promise<Answer> {
    const fill = (text: string) =>
      text
        .replace(/\{(\d+)\}/, (_, n) => this.ids[Number(n) % Math.max(1, this.ids.length)] ?? 'none')
        .replace('{cursor}', this.cursor);
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('{etag}', this.etag)]),
    );
    const answer = await this.service.call(method, fill(url), { body, headers: filled });
    this.etag = answer.headers.etag ?? this.etag;
    this.cursor = answer.body?.pagination?.next_cursor ?? this.cursor;
    return answer;
  }

  /** The answer with ids numbered and times hidden. */
  plain({ status, headers, text }: Answer): object {
    const number = (id: string) => {
      if (!this.ids.includes(id)) this.ids.push(id);
      return `id-${this.ids.indexOf(id)}`;
    };
    const hide = (value: string) =>
      value
        .replace(/"(request_id|next_cursor)":"[^"]+"/g, '"$1":"…"')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, number)
        // The shuffled order depends on the id.
        .replace(/"choices":\[[^\]]*\]/g, '"choices":[]');
    const { 'x-request-id': _, date, 'content-length': length, ...kept } = headers;
    const shown = Object.entries(kept).map(([name, value]) => `${name}: ${hide(String(value))}`);
    return { status, headers: shown, text: hide(text), hasLength: length !== undefined };
  }
}

function randomFields(random: Chance): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const set = (name: string, probability: number, value: () => unknown) => {
    if (random.maybe(probability)) fields[name] = value();
  };
  set('question_text', 0.5, () => random.pick(TEXTS));
  set('category', 0.5, () => random.pick(CATEGORIES));
  set('difficulty', 0.5, () => random.pick([0, 1, 2, 3, '1', null]));
  set('topic_focus', 0.3, () => random.pick([...TEXTS, null]));
  set('tags', 0.4, () => (random.maybe(0.1) ? null : TAGS.filter(() => random.maybe(0.3))));
  set('incorrect_answers', 0.3, () => ['Mars', 'Venus', 'Jupiter'].filter(() => random.maybe(0.5)));
  set('external_id', 0.2, () => `e${random.below(40)}`);
  set('explanation', 0.2, () => random.pick([...TEXTS, null]));
  set('extra', 0.03, () => 1);
  return fields;
}

function randomList(random: Chance): string {
  const parts: string[] = [];
  const add = (name: string, probability: number, values: readonly (string | number)[]) => {
    if (random.maybe(probability)) parts.push(`${name}=${encodeURIComponent(random.pick(values))}`);
  };
  add('category', 0.3, CATEGORIES);
  add('difficulty', 0.3, [0, 1, 2, 3]);
  add('topic_focus', 0.1, TEXTS);
  add('tag', 0.2, TAGS);
  add('tag', 0.1, TAGS);
  add('q', 0.3, ['planet', 'PLANETS', 'cafe', '東', 'plan*', 'x', '!', 'jupiter', "it's a"]);
  add('external_id', 0.1, ['e1', 'e2', 'nope']);
  add('updated_since', 0.1, ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00.000Z', 'now']);
  add('sort', 0.5, ['created_at', '-created_at', 'updated_at', '-updated_at', 'relevance', 'id']);
  add('limit', 0.5, [1, 3, 10, 1000, 0, 1001]);
  add('offset', 0.3, [0, 1, 5, 50, 100000]);
  return parts.join('&');
}

function randomRequest(random: Chance): Request {
  const id = `{${random.below(60)}}`;
  const headers: Record<string, string> = {};
  if (random.maybe(0.1)) headers['if-match'] = random.pick(['{etag}', '*', '"x"', 'bad']);
  if (random.maybe(0.3)) headers['if-none-match'] = random.pick(['{etag}', '*']);
  if (random.maybe(0.1)) headers['idempotency-key'] = `k${random.below(30)}`;
  const made = () => sample(random.maybe(0.6) ? {} : randomFields(random));
  switch (random.below(12)) {
    case 0:
    case 1:
      return { method: 'POST', url: '/questions', body: made(), headers };
    case 2:
      return {
        method: 'POST',
        url: '/questions',
        body: Array.from({ length: random.below(5) }, made),
        headers,
      };
    case 3:
      return { method: 'POST', url: '/questions?validate_only=true', body: made(), headers };
    case 4:
    case 5:
      return { method: 'PUT', url: `/questions/${id}`, body: randomFields(random), headers };
    case 6:
      return random.maybe(0.5)
        ? { method: 'DELETE', url: `/questions/${id}`, headers }
        : { method: 'POST', url: `/questions/${id}/restore`, body: { revision: random.below(5) }, headers };
    case 7:
      return {
        method: 'GET',
        url: `/questions/${id}${random.pick(['', '', '/revisions', '/revisions?limit=2'])}`,
        headers,
      };
    case 8:
      return random.pick<Request>([
        { method: 'GET', url: '/categories' },
        {
          method: 'POST',
          url: '/categories',
          body: { name: random.pick(['History', 'history', 'Art', '']) },
          headers,
        },
        { method: 'PUT', url: `/categories/${id}`, body: { name: random.pick(['Art', 'Music']) }, headers },
        { method: 'DELETE', url: `/categories/${id}`, headers },
        {
          method: random.pick(['PATCH', 'HEAD', 'OPTIONS']),
          url: random.pick(['/questions', '/nope', '/difficulties']),
        },
      ]);
    case 9:
      return { method: 'GET', url: `/questions?cursor={cursor}` };
    default:
      return { method: 'GET', url: `/questions?${randomList(random)}`, headers };
  }
}

describe('both engines', () => {
  let left: Side;
  let right: Side;
  before(async () => {
    left = new Side(await openService('sqlite'));
    right = new Side(await openService('postgres'));
  });
  after(async () => {
    await left.service.close();
    await right.service.close();
  });

  it(`answer ${REQUESTS} random requests alike`, async () => {
    const random = chance(42);
    const statuses = new Map<number, number>();
    for (let i = 0; i < REQUESTS; i++) {
      const request = randomRequest(random);
      const answers = [await left.send(request), await right.send(request)] as const;
      const shown = `request ${i}: ${JSON.stringify(request)}`;
      assert.deepEqual(right.plain(answers[1]), left.plain(answers[0]), shown);
      assert.ok(answers[0].status < 500, shown);
      statuses.set(answers[0].status, (statuses.get(answers[0].status) ?? 0) + 1);
    }
    for (const status of [200, 201, 204, 304, 400, 404, 405, 409, 412, 422]) {
      assert.ok(statuses.has(status), `no ${status} among ${[...statuses].join(' ')}`);
    }
  });
});
