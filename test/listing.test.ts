import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { createRandom, type Random } from './support/random.ts';

const CATEGORIES = ['Astronomy', 'Geography', 'Literature', 'Mathematics', 'Science', 'General Knowledge'];
const TOPICS = ['Planets', 'Rivers', 'Élan', null];
const TAGS = ['easy', 'Final Round', 'ünïcode', 'x', 'y'];
const SOURCES = ['Quiz Night', 'Almanac, 2nd ed.', null];
const WORDS = ['planet', 'river', 'königin', 'novel', 'prime', 'atom', 'moon'];

interface Listed {
  id: string;
  category: string;
  difficulty: number;
  topic_focus: string | null;
  tags: string[];
  source: string | null;
  explanation: string | null;
  incorrect_answers: string[];
  question_text: string;
  created_at: string;
  updated_at: string;
  deleted_at?: string;
}

type Query = Record<string, string | string[]>;

const same = (a: string | null, b: unknown) => a?.toLowerCase() === String(b).toLowerCase();

/** Whether a value is one of the wanted ones, if there are any, and none of the others. */
const agrees = (value: string | null, wanted: string | string[] = [], others: string | string[] = []) =>
  ([wanted].flat().length === 0 || [wanted].flat().some((each) => same(value, each))) &&
  ![others].flat().some((each) => same(value, each));

const kindOf = ({ incorrect_answers }: Listed) =>
  incorrect_answers.length > 0 ? 'multiple_choice' : 'short_answer';

const isMissing = (question: Listed, field: string): boolean => {
  const value = question[(field === 'options' ? 'incorrect_answers' : field) as keyof Listed];
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
};

/** A model of the lists: all questions in arrays, in the order of creation and of update. */
class Model {
  created: Listed[] = [];
  /** Deleted questions are at the time of their deletion, with `deleted_at`. */
  changes: Listed[] = [];

  put(question: Listed) {
    const at = this.created.findIndex(({ id }) => id === question.id);
    if (at < 0) this.created.push(question);
    else this.created[at] = question;
    this.#change(question);
  }

  remove(deleted: Listed) {
    this.created = this.created.filter(({ id }) => id !== deleted.id);
    this.#change(deleted);
  }

  restore(question: Listed, index: number) {
    this.created.splice(index, 0, question);
    this.#change(question);
  }

  #change(question: Listed) {
    this.changes = [...this.changes.filter(({ id }) => id !== question.id), question];
  }

  /** The questions that a query chooses from, in its order. */
  #source({ sort, deleted, include_deleted }: Query): Listed[] {
    if (deleted) return this.changes.filter(({ deleted_at }) => deleted_at);
    if (include_deleted) return this.changes;
    if (!String(sort).endsWith('updated_at')) return [...this.created];
    return this.changes.filter(({ deleted_at }) => !deleted_at);
  }

  list(query: Query): Listed[] {
    const order = String(query.sort ?? (query.deleted ? '-deleted_at' : 'created_at'));
    const found = this.#source(query).filter(
      (question) =>
        agrees(question.category, query.category, query.not_category) &&
        agrees(String(question.difficulty), query.difficulty, query.not_difficulty) &&
        agrees(question.topic_focus, query.topic_focus, query.not_topic_focus) &&
        agrees(question.source, query.source, query.not_source) &&
        agrees(kindOf(question), query.kind, query.not_kind) &&
        [query.tag ?? []].flat().every((tag) => question.tags.some((each) => same(each, tag))) &&
        ![query.not_tag ?? []].flat().some((tag) => question.tags.some((each) => same(each, tag))) &&
        (query.missing === undefined ||
          [query.missing]
            .flat()
            .flatMap((text) => text.split(','))
            .some((field) => isMissing(question, field.trim()))) &&
        (query.q === undefined ||
          `${question.question_text} ${question.topic_focus}`.toLowerCase().includes(String(query.q))) &&
        (query.updated_since === undefined ||
          (question.deleted_at ?? question.updated_at) >= String(query.updated_since)),
    );
    return order.startsWith('-') ? found.reverse() : found;
  }
}

const randomQuestion = (random: Random) =>
  sample({
    question_text: `${random.pick(WORDS)} and ${random.pick(WORDS)} ${random.below(1e6)}`,
    category: random.pick(CATEGORIES),
    difficulty: random.below(3),
    topic_focus: random.pick(TOPICS),
    tags: TAGS.filter(() => random.maybe(0.3)),
    source: random.pick(SOURCES),
    explanation: random.pick(['Because.', null]),
    incorrect_answers: random.pick([[], ['Mars', 'Venus']]),
  });

function randomQuery(random: Random, moments: string[]): Query {
  const query: Query = {};
  const some = (values: string[]) =>
    Array.from({ length: 1 + random.below(3) }, () => random.pick(values)).map((value) =>
      value[random.maybe(0.5) ? 'toUpperCase' : 'toLowerCase'](),
    );
  const exact = (values: string[]) => Array.from({ length: 1 + random.below(2) }, () => random.pick(values));
  if (random.maybe(0.4)) query.category = some(CATEGORIES);
  if (random.maybe(0.1)) query.not_category = some(CATEGORIES);
  if (random.maybe(0.3)) query.difficulty = exact(['0', '1', '2']);
  if (random.maybe(0.1)) query.not_difficulty = exact(['0', '1', '2']);
  if (random.maybe(0.2)) query.topic_focus = some(['Planets', 'rivers', 'élan', 'none such']);
  if (random.maybe(0.1)) query.not_topic_focus = some(['Planets', 'rivers', 'élan', 'none such']);
  if (random.maybe(0.1)) query.not_tag = some(TAGS);
  if (random.maybe(0.1)) query.source = some(['Quiz Night', 'Almanac, 2nd ed.', 'none such']);
  if (random.maybe(0.1)) query.not_source = some(['Quiz Night', 'none such']);
  if (random.maybe(0.1)) query.kind = exact(['short_answer', 'multiple_choice']);
  if (random.maybe(0.1)) query.not_kind = 'short_answer';
  if (random.maybe(0.2))
    query.missing = random.pick(['explanation', 'tags,source', 'options', 'topic_focus, explanation']);
  if (random.maybe(0.3)) query.tag = TAGS.filter(() => random.maybe(0.3)).map((tag) => tag.toUpperCase());
  if (random.maybe(0.3)) query.q = random.pick(WORDS);
  if (random.maybe(0.3)) query.updated_since = random.pick(moments);
  if (random.maybe(0.25)) {
    query.deleted = 'true';
    if (random.maybe(0.7)) query.sort = random.pick(['deleted_at', '-deleted_at']);
  } else if (random.maybe(0.7)) {
    query.sort = random.pick(['created_at', '-created_at', 'updated_at', '-updated_at']);
    if (query.updated_since && query.sort.endsWith('updated_at') && random.maybe(0.7))
      query.include_deleted = 'true';
  }
  return query;
}

const toQuery = (query: Record<string, unknown>) =>
  Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((each) => `${name}=${encodeURIComponent(String(each))}`))
    .join('&');

async function randomWrites(service: Service, model: Model, random: Random, n: number): Promise<void> {
  for (let i = 0; i < n; i++) {
    const known = model.created.length > 0 ? random.pick(model.created) : undefined;
    const kind = random.below(10);
    if (!known || kind < 4) {
      const body = Array.from({ length: random.maybe(0.3) ? 1 + random.below(40) : 1 }, () =>
        randomQuestion(random),
      );
      const { body: made } = await service.call('POST', '/questions', { body });
      for (const question of made.data) model.put(question);
    } else if (kind < 8) {
      const { correct_answer, ...change } = randomQuestion(random);
      model.put((await service.call('PUT', `/questions/${known.id}`, { body: change })).body);
    } else {
      const path = `/questions/${known.id}`;
      const index = model.created.findIndex(({ id }) => id === known.id);
      await service.call('DELETE', path);
      const [deletion] = (await service.call('GET', `${path}/revisions?limit=1`)).body.data;
      model.remove({ ...known, deleted_at: deletion.at });
      if (kind < 9) continue;
      const { body } = await service.call('POST', `${path}/restore`, { body: { revision: 1 } });
      model.restore(body, index);
    }
  }
}

onEveryEngine('lists', (service) => {
  it('agree with a model under random writes: pages, totals, orders, cursors', async () => {
    const random = createRandom(20260301);
    const model = new Model();
    const moments: string[] = [];
    for (let round = 0; round < 25; round++) {
      moments.push(new Date().toISOString());
      await randomWrites(service(), model, random, 12);
      for (let i = 0; i < 12; i++) {
        const query = randomQuery(random, moments);
        const listed = model.list(query);
        const expected = listed.map(({ id }) => id);
        const limit = 1 + random.below(30);
        const offset = random.below(expected.length + 3);
        const url = `/questions?${toQuery({ ...query, limit, offset })}`;
        const { status, body } = await service().call('GET', url);
        assert.equal(status, 200, url);
        assert.deepEqual(
          body.data.map(({ id }: Listed) => id),
          expected.slice(offset, offset + limit),
          url,
        );
        assert.deepEqual(
          body.data.map(({ deleted_at }: Listed) => deleted_at),
          listed.slice(offset, offset + limit).map(({ deleted_at }) => deleted_at),
          url,
        );
        if (query.deleted) assert.deepEqual(body.data, listed.slice(offset, offset + limit), url);
        const { total, has_more, next_cursor } = body.pagination;
        assert.equal(total, expected.length, url);
        assert.equal(has_more, offset + limit < expected.length, url);
        if (next_cursor === null) continue;
        const next = await service().call(
          'GET',
          `/questions?${toQuery({ ...query, limit, cursor: next_cursor })}`,
        );
        assert.deepEqual(
          next.body.data.map(({ id }: Listed) => id),
          expected.slice(offset + limit, offset + 2 * limit),
          `${url} and on`,
        );
        assert.equal(next.body.pagination.offset, offset + limit);
      }
    }
  });

  it('show each question as GET /questions/{id} does', async () => {
    const { body } = await service().call('GET', '/questions?limit=1000&sort=-updated_at');
    for (const question of body.data.slice(0, 20)) {
      assert.deepEqual((await service().call('GET', `/questions/${question.id}`)).body, question);
    }
    const times = body.data.map(({ updated_at }: Listed) => updated_at);
    assert.deepEqual(times, [...times].sort().reverse());
  });

  it('lose and repeat no question of a cursor while others write', async () => {
    const before = (await service().call('GET', '/questions?limit=1000')).body.data.map(
      ({ id }: Listed) => id,
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await service().call('GET', `/questions?limit=50${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...body.data.map(({ id }: Listed) => id));
      cursor = body.pagination.next_cursor;
      await service().call('POST', '/questions', { body: sample() });
      if (seen.length < 200)
        await service().call('PUT', `/questions/${seen[0]}`, { body: { explanation: `${seen.length}` } });
    } while (cursor && seen.length < before.length);
    assert.deepEqual(seen.slice(0, before.length), before);
  });

  it('link to the other pages', async () => {
    await service().call('POST', '/questions', {
      body: Array.from({ length: 7 }, () => sample({ tags: ['linked'] })),
    });
    const { headers } = await service().call(
      'GET',
      '/questions?tag=linked&limit=2&offset=2&sort=-created_at',
    );
    const link = (offset: number) => `</questions?tag=linked&sort=-created_at&limit=2&offset=${offset}>`;
    assert.equal(
      headers.link,
      `${link(0)}; rel="first", ${link(0)}; rel="prev", ${link(4)}; rel="next", ${link(6)}; rel="last"`,
    );
  });

  it('are empty for an unknown topic and for a page after the last', async () => {
    const none = await service().call('GET', '/questions?topic_focus=Nope');
    assert.deepEqual(none.body, {
      data: [],
      pagination: { limit: 20, offset: 0, total: 0, has_more: false, next_cursor: null },
    });
    const far = await service().call('GET', '/questions?offset=9007199254740991');
    assert.equal(far.status, 200);
    assert.deepEqual(far.body.data, []);
    assert.equal(far.body.pagination.has_more, false);
  });

  it('reject a cursor of another list, a damaged one, and one with an offset', async () => {
    const { next_cursor } = (await service().call('GET', '/questions?limit=1')).body.pagination;
    for (const query of [
      `cursor=${next_cursor}&sort=-created_at`,
      `cursor=${next_cursor}&category=Science`,
      `cursor=${next_cursor}&offset=0`,
      `cursor=${next_cursor.slice(1)}`,
      'cursor=',
      'cursor=%F0%9F%92%A9',
    ]) {
      assert.equal((await service().call('GET', `/questions?${query}`)).status, 400, query);
    }
    assert.equal((await service().call('GET', `/questions?cursor=${next_cursor}&limit=3`)).status, 200);
  });
});

onEveryEngine('search', (service) => {
  const find = async (q: string, more = '') => {
    const { status, body } = await service().call('GET', `/questions?q=${encodeURIComponent(q)}${more}`);
    assert.equal(status, 200, q);
    return body.data.map(({ external_id }: { external_id: string }) => external_id);
  };

  it('finds words in questions, topics, tags and answers, whatever their case, accents and number', async () => {
    const questions = [
      { external_id: 'planets', question_text: 'How many planets orbit the Sun?', correct_answer: 'Eight' },
      {
        external_id: 'planet',
        question_text: 'Which planet is red?',
        correct_answer: 'Mars',
        tags: ['solar system'],
      },
      {
        external_id: 'cities',
        question_text: 'Zürich or Łódź: which of the cities is larger?',
        topic_focus: 'Europe',
      },
      { external_id: 'glass', question_text: 'What is glass made of?', explanation: 'Sand, mostly.' },
      { external_id: 'tokyo', question_text: '東京はどこですか', incorrect_answers: ['Osaka'] },
      { external_id: 'emoji', question_text: '🎉 H2O?' },
    ];
    await service().call('POST', '/questions', { body: questions.map((each) => sample(each)) });
    for (const [q, expected] of [
      ['planet', ['planets', 'planet']],
      ['PLANETS', ['planets', 'planet']],
      ['planet red', ['planet']],
      ['planet glass', []],
      ['zurich', ['cities']],
      ['ZÜRICH lodz', []],
      ['Łódź', ['cities']],
      ['city', ['cities']],
      ['europe', ['cities']],
      ['solar systems', ['planet']],
      ['mars', ['planet']],
      ['sand', ['glass']],
      ['osaka', ['tokyo']],
      ['glas', []],
      ['gla*', ['glass']],
      ['plan* re*', ['planet']],
      ['planets*', ['planets', 'planet']],
      ['glas*', ['glass']],
      ['東京', ['tokyo']],
      ['京', ['tokyo']],
      ['h2o', ['emoji']],
      ['"planet"', ['planets', 'planet']],
      ["planet' OR 1=1 --", []],
      ['planet AND red', []],
      ['planet* NOT', []],
      ['fc5', []],
      ['wplanet', []],
      ['red:planet (sun)', []],
    ] as const) {
      assert.deepEqual(await find(q), expected, q);
    }
  });

  it('finds a question after its changes, in either order', async () => {
    await service().call('POST', '/questions', {
      body: ['a', 'b', 'c'].map((external_id) =>
        sample({ external_id, question_text: `tracked ${external_id}` }),
      ),
    });
    const [a] = (await service().call('GET', '/questions?external_id=a')).body.data;
    await service().call('PUT', `/questions/${a.id}`, { body: { question_text: 'tracked anew' } });
    await service().call('PUT', `/questions/${a.id}`, { body: { question_text: 'tracked again' } });
    assert.deepEqual(await find('tracked'), ['a', 'b', 'c']);
    assert.deepEqual(await find('tracked', '&sort=updated_at'), ['b', 'c', 'a']);
    assert.deepEqual(await find('tracked', '&sort=-updated_at&limit=1'), ['a']);
    assert.deepEqual(await find('tracked again'), ['a']);
    assert.deepEqual(await find('anew'), []);
    assert.deepEqual(await find('tracked', '&external_id=b'), ['b']);
    assert.deepEqual(await find('tracked', '&external_id=none'), []);
    assert.deepEqual(await find('tracked', '&category=Astronomy&difficulty=1'), ['a', 'b', 'c']);
    assert.deepEqual(await find('tracked', '&category=Science'), []);
    assert.deepEqual(await find('tracked', '&topic_focus=Nope'), []);
  });

  it('ranks by relevance on demand', async () => {
    await service().call('POST', '/questions', {
      body: [
        {
          external_id: 'mentioned',
          question_text: 'Among many other things that are not related, is a quasar bright?',
        },
        { external_id: 'about', question_text: 'What is a quasar?' },
        { external_id: 'topic', question_text: 'What shines?', topic_focus: 'Quasar' },
      ].map((each) => sample(each)),
    });
    assert.deepEqual(await find('quasar', '&sort=relevance'), ['topic', 'about', 'mentioned']);
    const first = await service().call('GET', '/questions?q=quasar&sort=relevance&limit=2');
    const { next_cursor } = first.body.pagination;
    assert.deepEqual(await find('quasar', `&sort=relevance&limit=2&cursor=${next_cursor}`), ['mentioned']);
    assert.equal((await service().call('GET', '/questions?sort=relevance')).status, 400);
  });

  it('pages through more matches than relevance ranks, without repetition', async () => {
    const body = Array.from({ length: 1000 }, (_, i) => sample({ question_text: `myriad ${i}` }));
    await service().call('POST', '/questions', { body });
    await service().call('POST', '/questions', { body: body.slice(0, 30) });
    const seen = new Set<string>();
    for (let offset = 0; offset < 1030; offset += 300) {
      const url = `/questions?q=myriad&sort=relevance&limit=300&offset=${offset}`;
      const page = (await service().call('GET', url)).body;
      assert.equal(page.pagination.total, 1030);
      for (const { id } of page.data) seen.add(id);
    }
    assert.equal(seen.size, 1030);
  });

  it('400: rejects a search without words', async () => {
    for (const q of ['', '%20', '???', '*', '%F0%9F%8E%89']) {
      assert.equal((await service().call('GET', `/questions?q=${q}`)).status, 400, q);
    }
  });
});
