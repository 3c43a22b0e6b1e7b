/** Counts by facet agree with a model, under random filters and writes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { createRandom, type Random } from './support/random.ts';

const CATEGORIES = ['Astronomy', 'Geography', 'Science'];
const TAGS = ['easy', 'Final Round', 'ünïcode', 'x', 'y', 'z'];
const WORDS = ['planet', 'river', 'novel'];

interface Question {
  id: string;
  category: string;
  difficulty: number;
  topic_focus: string | null;
  tags: string[];
  source: string | null;
  explanation: string | null;
  incorrect_answers: string[];
  question_text: string;
}

type Query = Record<string, string[]>;

const pickSome = <T>(random: Random, values: T[]) => values.filter(() => random.maybe(0.4));

const randomQuestion = (random: Random) =>
  sample({
    question_text: `${random.pick(WORDS)} ${random.below(1e6)}`,
    category: random.pick(CATEGORIES),
    difficulty: random.below(3),
    topic_focus: random.pick(['Planets', 'Rivers', null]),
    tags: pickSome(random, TAGS),
    source: random.pick(['Almanac', null]),
    explanation: random.pick(['Because.', null]),
    incorrect_answers: random.pick([[], ['Mars']]),
  });

function randomQuery(random: Random): Query {
  const query: Query = {};
  const add = (name: string, share: number, values: string[]) => {
    const chosen = pickSome(random, values);
    if (random.maybe(share) && chosen.length > 0) query[name] = chosen;
  };
  add('category', 0.4, CATEGORIES);
  add('not_category', 0.1, CATEGORIES);
  add('difficulty', 0.3, ['0', '1', '2']);
  add('topic_focus', 0.2, ['PLANETS', 'rivers']);
  add('tag', 0.3, ['EASY', 'x']);
  add('not_tag', 0.2, ['y', 'z']);
  add('kind', 0.2, ['short_answer']);
  add('not_source', 0.2, ['almanac']);
  add('missing', 0.2, ['explanation', 'tags', 'options']);
  if (random.maybe(0.3)) query.q = [random.pick(WORDS)];
  return query;
}

const toQuery = (query: Query) =>
  Object.entries(query)
    .flatMap(([name, values]) => values.map((value) => `${name}=${encodeURIComponent(value)}`))
    .join('&');

/** The values of each facet of a question. */
const VALUES: Record<string, (question: Question) => (string | number)[]> = {
  category: ({ category }) => [category],
  difficulty: ({ difficulty }) => [difficulty],
  kind: ({ incorrect_answers }) => [incorrect_answers.length > 0 ? 'multiple_choice' : 'short_answer'],
  topic_focus: ({ topic_focus }) => (topic_focus === null ? [] : [topic_focus]),
  tag: ({ tags }) => tags,
  source: ({ source }) => (source === null ? [] : [source]),
  status: () => ['approved'],
  // No run has ended.
  finding: () => [],
  missing: (question) => [
    ...(['explanation', 'topic_focus', 'source'] as const).filter((field) => question[field] === null),
    ...(question.tags.length === 0 ? ['tags'] : []),
    ...(question.incorrect_answers.length === 0 ? ['options'] : []),
  ],
};

function matches(question: Question, query: Query, ignored: string): boolean {
  return Object.entries(query).every(([name, wanted]) => {
    const facet = name.replace(/^not_/, '');
    if (facet === ignored) return true;
    if (facet === 'q')
      return `${question.question_text} ${question.topic_focus}`.toLowerCase().includes(wanted[0]!);
    const values = VALUES[facet]!(question).map((value) => String(value).toLowerCase());
    const has = (value: string) => values.includes(value.toLowerCase());
    if (name.startsWith('not_')) return !wanted.some(has);
    return facet === 'tag' ? wanted.every(has) : wanted.some(has);
  });
}

/** The counts of a facet, those of zero left out. */
function countValues(questions: Question[], query: Query, facet: string): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const question of questions)
    if (matches(question, query, facet))
      for (const value of VALUES[facet]!(question)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

type Counts = { value: unknown; count: number }[];

onEveryEngine('facets', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const count = async (query: string, token?: string) =>
    (await call('GET', `/questions/facets?${query}`, token === undefined ? {} : { token })).body;

  it('agree with a model under random writes and filters, of deleted questions too', async () => {
    const random = createRandom(20260302);
    let present: Question[] = [];
    const deleted: Question[] = [];
    for (let round = 0; round < 12; round++) {
      // Few questions are read, of many the sets of the index are counted.
      const length = round === 6 ? 1000 : 1 + random.below(20);
      const inputs = Array.from({ length }, () => randomQuestion(random));
      present.push(...(await call('POST', '/questions', { body: inputs })).body.data);
      const changed = random.pick(present);
      const { correct_answer, ...change } = randomQuestion(random);
      const updated = (await call('PUT', `/questions/${changed.id}`, { body: change })).body;
      present = present.map((each) => (each.id === changed.id ? updated : each));
      const gone = random.pick(present);
      await call('DELETE', `/questions/${gone.id}`);
      present = present.filter(({ id }) => id !== gone.id);
      deleted.push(gone);
      for (let i = 0; i < 6; i++) {
        const query = randomQuery(random);
        const ofDeleted = random.maybe(0.25);
        const questions = ofDeleted ? deleted : present;
        const url = `${toQuery(query)}${ofDeleted ? '&deleted=true' : ''}`;
        const { total, facets } = await count(url);
        assert.equal(total, questions.filter((each) => matches(each, query, '')).length, url);
        for (const [facet, counts] of Object.entries(facets) as [string, Counts][]) {
          const found = new Map(
            counts.filter(({ count }) => count > 0).map((each) => [each.value, each.count]),
          );
          assert.deepEqual(found, countValues(questions, query, facet), `${facet} of ${url}`);
        }
        for (const { count, present: others } of facets.missing)
          assert.equal(count + others, questions.filter((each) => matches(each, query, 'missing')).length);
      }
    }
  });

  it('have the most frequent of many tags, with exact counts', async () => {
    const questions = Array.from({ length: 900 }, (_, i) =>
      sample({
        // The tag n is on 900 / n questions; half of them are in Science.
        tags: Array.from({ length: 40 }, (_, n) => n + 1)
          .filter((n) => i % n === 0)
          .concat(1000 + i)
          .map((n) => `many ${n}`),
        category: i % 2 === 0 ? 'Geography' : 'Science',
        topic_focus: 'Many tags',
      }),
    );
    await call('POST', '/questions', { body: questions });
    const expectFirst = async (copies: number) => {
      const { tag } = (await count('topic_focus=many%20tags&limit=5')).facets;
      assert.deepEqual(
        tag,
        [1, 2, 3, 4, 5].map((n) => ({ value: `many ${n}`, count: copies * Math.ceil(900 / n) })),
      );
    };
    await expectFirst(1);
    await call('POST', '/questions', { body: questions });
    await expectFirst(2);
    const odd = (await count('topic_focus=many%20tags&limit=4&category=science')).facets.tag;
    assert.deepEqual(
      odd,
      [1, 3, 5, 7].map((n) => ({
        value: `many ${n}`,
        count: 2 * questions.filter((_, i) => i % 2 === 1 && i % n === 0).length,
      })),
    );
    const all = (await count('topic_focus=many%20tags&limit=1000')).facets.tag;
    assert.equal(all.length, 940);
    assert.equal((await count('limit=1')).facets.source.length, 1);
  });

  it('show a name as it is written in a question', async () => {
    const { id } = (await call('POST', '/questions', { body: sample({ tags: ['camelcase'] }) })).body;
    await call('PUT', `/questions/${id}`, { body: { tags: ['CamelCase'] } });
    const { tag } = (await count('tag=CAMELCASE&limit=1000')).facets;
    assert.deepEqual(
      tag.filter(({ value }: { value: string }) => value.toLowerCase() === 'camelcase'),
      [{ value: 'CamelCase', count: 1 }],
    );
  });

  it('show callers without answers nothing of explanations', async () => {
    const token = await service().keyFor('questions:read');
    const { facets } = await count('', token);
    assert.deepEqual(
      facets.missing.map(({ value }: { value: string }) => value),
      ['topic_focus', 'tags', 'options', 'source'],
    );
    for (const query of ['missing=explanation', 'deleted=true', 'updated_since=2026-01-01'])
      assert.equal((await call('GET', `/questions/facets?${query}`, { token })).status, 403, query);
  });

  it('400: an unknown category or parameter, and a limit out of range', async () => {
    for (const query of [
      'category=Astronmy',
      'not_category=Nope',
      'sort=created_at',
      'limit=0',
      'limit=1001',
      'q=%20',
    ])
      assert.equal((await call('GET', `/questions/facets?${query}`)).status, 400, query);
  });
});
