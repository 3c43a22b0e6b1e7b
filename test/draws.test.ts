/** Draws: random questions by quotas, stored as they were handed out. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROLES } from '../src/schemas/scopes.ts';
import { deleteOldDraws } from '../src/store/draws/row.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

type Shown = { id: string; choices: string[]; difficulty: number; tags: string[] };

onEveryEngine('draws', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const create = async (...questions: object[]): Promise<Shown[]> =>
    (await call('POST', '/questions', { body: questions.map((each) => sample(each)) })).body.data;
  const draw = (body: object, token?: string) =>
    call('POST', '/draws', { body, ...(token !== undefined && { token }) });
  const idsOf = ({ body }: { body: { questions: { id: string }[] } }) => body.questions.map(({ id }) => id);
  const many = (n: number, changes: object) =>
    Array.from({ length: n }, (_, i) => ({ question_text: `Question ${i}?`, ...changes }));

  it('draws distinct questions of a filter, the same for a seed', async () => {
    const created = (await create(...many(40, { tags: ['first'] }))).map(({ id }) => id);
    const filter = { tag: 'first' };
    const first = await draw({ count: 10, filter, seed: 's' });
    assert.equal(first.status, 201);
    assert.equal(first.headers.location, `/draws/${first.body.id}`);
    assert.deepEqual(first.body.quotas, [{ asked: 10, drawn: 10 }]);
    const drawn = idsOf(first);
    assert.equal(new Set(drawn).size, 10);
    assert.ok(drawn.every((id) => created.includes(id)));
    assert.deepEqual(idsOf(await draw({ count: 10, filter, seed: 's' })), drawn);
    assert.notDeepEqual(idsOf(await draw({ count: 10, filter, seed: 't' })), drawn);
    const { body } = await draw({ count: 10, filter });
    assert.deepEqual(idsOf(await draw({ count: 10, filter, seed: body.seed })), idsOf({ body }));
    const all = await draw({ count: 40, filter });
    assert.deepEqual(idsOf(all).toSorted(), created.toSorted());
  });

  it('repeats what was handed out byte for byte, whatever happens to the questions', async () => {
    const category = (await call('POST', '/categories', { body: { name: 'Passing' } })).body;
    await create(...many(3, { category: 'Passing', incorrect_answers: ['Mars', 'Venus', 'Saturn'] }));
    const player = await service().keyFor(...ROLES.player);
    const drawn = await draw({ count: 3, filter: { category: 'Passing' } });
    const path = `/draws/${drawn.body.id}`;
    const read = async (token?: string) => (await call('GET', path, token ? { token } : {})).text;
    const shown = await read(player);
    assert.equal(await read(), drawn.text);
    const [one, two] = idsOf(drawn);
    await call('PUT', `/questions/${one}`, { body: { question_text: 'Another?', correct_answer: 'Io' } });
    await call('DELETE', `/questions/${two}`);
    await call('PUT', `/categories/${category.id}`, { body: { name: 'Renamed' } });
    assert.equal(await read(), drawn.text);
    assert.equal(await read(player), shown);
    assert.ok(!shown.includes('correct_answer') && !shown.includes('"revision"'));
    const { headers } = await call('GET', path);
    const again = await call('GET', path, { headers: { 'if-none-match': headers.etag! } });
    assert.equal(again.status, 304);
  });

  it('meets overlapping quotas if they can be met, and counts a question once', async () => {
    await create(
      ...many(2, { tags: ['flow', 'both'], difficulty: 0 }),
      ...many(2, { tags: ['flow'], difficulty: 0 }),
    );
    const quotas = [
      { filter: { difficulty: 0 }, count: 2 },
      { filter: { tag: 'both' }, count: 2 },
    ];
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const { status, body } = await draw({ quotas, filter: { tag: 'flow' }, seed });
      assert.equal(status, 201);
      assert.equal(new Set(body.questions.map(({ id }: Shown) => id)).size, 4);
      assert.ok(body.questions.slice(2).every(({ tags }: Shown) => tags.includes('both')));
    }
  });

  it('refuses a draw with too few questions, or draws fewer', async () => {
    await create(...many(3, { tags: ['scarce'] }), ...many(1, { tags: ['scarce', 'rare'] }));
    const quotas = [
      { filter: { tag: 'scarce' }, count: 3 },
      { filter: { tag: 'rare' }, count: 2 },
    ];
    const refused = await draw({ quotas });
    assert.deepEqual([refused.status, refused.body.code], [409, 'short_supply']);
    assert.deepEqual(refused.body.shortages, [{ quota: 1, asked: 2, available: 1, short: 1 }]);
    const fewer = await draw({ quotas, when_short: 'fewer' });
    assert.deepEqual(fewer.body.quotas, [
      { asked: 3, drawn: 3 },
      { asked: 2, drawn: 1 },
    ]);
    const none = await draw({ count: 2, filter: { tag: 'absent' }, when_short: 'fewer' });
    assert.deepEqual([none.status, none.body.questions], [201, []]);
  });

  it('leaves out questions by id, by draw, and those that a respondent answered or was handed', async () => {
    const created = (await create(...many(6, { tags: ['seen'] }))).map(({ id }) => id);
    const filter = { tag: 'seen' };
    const [first, second] = created as [string, string];
    await call('POST', '/responses', { body: { question_id: first, respondent: 'ada', answer: 'Mars' } });
    const handed = await draw({ count: 2, filter, respondent: 'ada', exclude: { respondent: 'ada' } });
    assert.ok(!idsOf(handed).includes(first));
    const rest = await draw({ count: 3, filter, exclude: { respondent: 'ada' } });
    assert.deepEqual([first, ...idsOf(handed), ...idsOf(rest)].toSorted(), created.toSorted());
    const short = await draw({ count: 4, filter, exclude: { respondent: 'ada' } });
    assert.deepEqual(short.body.shortages, [{ quota: 0, asked: 4, available: 3, short: 1 }]);
    const others = await draw({ count: 3, filter, exclude: { draws: [rest.body.id] } });
    assert.deepEqual(idsOf(others).toSorted(), [first, ...idsOf(handed)].toSorted());
    const byId = await draw({ count: 4, filter, exclude: { question_ids: [first, second] } });
    assert.deepEqual(idsOf(byId).toSorted(), created.slice(2).toSorted());
    await call('DELETE', '/responses?respondent=ada');
    assert.equal((await call('GET', `/draws/${handed.body.id}`)).status, 404);
    assert.equal((await draw({ count: 6, filter, exclude: { respondent: 'ada' } })).status, 201);
  });

  it('hands no question twice to a respondent who draws several times at once', async () => {
    await create(...many(30, { tags: ['parallel'] }));
    const body = { count: 3, filter: { tag: 'parallel' }, respondent: 'ben', exclude: { respondent: 'ben' } };
    const drawn: string[] = [];
    for (let left = 10; left > 0; ) {
      const answers = await Promise.all(Array.from({ length: left }, () => draw(body)));
      for (const answer of answers) {
        assert.ok([201, 409].includes(answer.status), answer.text);
        if (answer.status === 409) assert.equal(answer.body.code, 'draw_conflict');
        else drawn.push(...idsOf(answer));
      }
      left -= answers.filter(({ status }) => status === 201).length;
    }
    assert.equal(new Set(drawn).size, 30);
    assert.equal((await draw(body)).body.code, 'short_supply');
  });

  it('draws at most one question of a group of duplicates', async () => {
    const texts = [
      'What is the capital of France?',
      'What is the capital of France ?',
      'WHAT is the capital of France?',
    ];
    const twins = texts.map((question_text) => ({ question_text, correct_answer: 'Paris', tags: ['twins'] }));
    await create(...twins, { question_text: 'How deep is the Pacific?', tags: ['twins'] });
    const filter = { tag: 'twins' };
    const run = await call('POST', '/analysis/run', {
      body: { analysis_type: 'duplicates', filter },
      headers: { prefer: 'wait=30' },
    });
    assert.equal(run.body.result?.summary.groups, 1, run.text);
    const apart_by = run.body.id;
    for (const seed of ['a', 'b', 'c'])
      assert.equal((await draw({ count: 2, filter, apart_by, seed })).status, 201);
    const short = await draw({ count: 3, filter, apart_by });
    assert.deepEqual(short.body.shortages, [{ quota: 0, asked: 3, available: 2, short: 1 }]);
    const quality = await call('POST', '/analysis/run', {
      body: { analysis_type: 'quality', filter },
      headers: { prefer: 'wait=30' },
    });
    const wrong = await draw({ count: 1, apart_by: quality.body.id });
    assert.deepEqual([wrong.status, wrong.body.errors[0].code], [422, 'not_duplicates']);
    const token = await service().keyFor(...ROLES.player);
    assert.equal((await draw({ count: 1, apart_by }, token)).status, 403);
    const unknown = await draw({ count: 1, apart_by: '00000000-0000-4000-8000-000000000000' });
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'no_such_analysis']);
  });

  it('prefers the least answered questions', async () => {
    const created = await create(...many(8, { tags: ['fresh'] }));
    const answered = created.slice(0, 6);
    const body = answered.map(({ id }) => ({ question_id: id, respondent: 'cyd', answer: 'Mars' }));
    await call('POST', '/responses', { body });
    const expected = created.slice(6).map(({ id }) => id);
    const drawn = await draw({ count: 2, filter: { tag: 'fresh' }, prefer: 'least_answered' });
    assert.deepEqual(idsOf(drawn).toSorted(), expected.toSorted());
  });

  it('shuffles options by the seed, but not where their order is fixed', async () => {
    const options = ['Mars', 'Venus', 'Saturn', 'Uranus', 'All of the above'];
    const choices = ['Venus', 'Jupiter', 'Mars'];
    const [shuffled] = await create({ incorrect_answers: options, tags: ['options'] });
    const [given, sorted] = await create(
      { incorrect_answers: ['Mars', 'Venus'], choices_order: 'as_given', choices, tags: ['options'] },
      { correct_answer: '3', incorrect_answers: ['10', '2'], choices_order: 'sorted', tags: ['options'] },
    );
    const orders = new Set<string>();
    for (const seed of ['a', 'b', 'c', 'd']) {
      const { body } = await draw({ count: 3, filter: { tag: 'options' }, seed });
      const of = ({ id }: Shown) => body.questions.find((each: Shown) => each.id === id).choices;
      assert.equal(of(shuffled!).at(-1), 'All of the above');
      assert.deepEqual(of(shuffled!).toSorted(), [...options, 'Jupiter'].toSorted());
      assert.deepEqual(of(given!), choices);
      assert.deepEqual(of(sorted!), ['2', '3', '10']);
      orders.add(JSON.stringify(of(shuffled!)));
    }
    assert.ok(orders.size > 1);
    const token = await service().keyFor(...ROLES.player);
    const shown = async () =>
      (await draw({ count: 1, filter: { tag: 'options', q: 'shortest' }, seed: 'a' }, token)).body.questions;
    const before = await shown();
    const swapped = { correct_answer: 'Mars', incorrect_answers: ['Jupiter', ...options.slice(1)] };
    await call('PUT', `/questions/${shuffled!.id}`, { body: swapped });
    assert.deepEqual(await shown(), before);
  });

  it('is for the client that drew, and for callers that read responses', async () => {
    await create(...many(2, { tags: ['own'] }));
    const { body } = await draw({ count: 1, filter: { tag: 'own' } });
    const { body: client } = await call('POST', '/auth/clients', {
      body: { name: 'Other', role: 'teacher' },
    });
    const form = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    const tokenFor = async (scope: string) =>
      (await call('POST', '/auth/token', { token: null, body: { ...form, scope } })).body.access_token;
    const reader = await tokenFor('questions:read answers:check');
    const teacher = await tokenFor('questions:read answers:read responses:write');
    const path = `/draws/${body.id}`;
    assert.equal((await call('GET', path, { token: reader })).status, 404);
    assert.equal((await call('GET', path, { token: teacher })).status, 200);
    const listed = async (token: string, query = '') => (await call('GET', `/draws${query}`, { token })).body;
    assert.deepEqual((await listed(reader)).data, []);
    const { questions, ...summary } = body;
    assert.deepEqual((await listed(teacher, '?limit=1')).data, [summary]);
    assert.equal((await listed(teacher, '?respondent=ben')).pagination.total, 10);
    const exclude = { draws: [body.id] };
    const refused = await draw({ count: 1, exclude }, reader);
    assert.deepEqual([refused.status, refused.body.errors[0].code], [422, 'unknown_draw']);
    for (const more of [{ respondent: 'x' }, { exclude: { respondent: 'x' } }])
      assert.equal((await draw({ count: 1, ...more }, reader)).status, 403);
  });

  it('records and scores the responses to a draw, each question once', async () => {
    await create(...many(4, { tags: ['scored'], incorrect_answers: ['Mars', 'Venus'] }));
    const token = await service().keyFor(...ROLES.quiz);
    const drawn = await draw({ count: 4, filter: { tag: 'scored' }, respondent: 'dot' }, token);
    const [one, two, three, four] = idsOf(drawn) as [string, string, string, string];
    const path = `/draws/${drawn.body.id}/responses`;
    const record = (body: object, key = token) => call('POST', path, { body, token: key });
    await call('DELETE', `/questions/${four}`);
    const responses = [
      { question_id: one, answer: 'jupiter' },
      { question_id: two.toUpperCase(), answer: ['Mars'] },
      { question_id: four, answer: 'Jupiter' },
    ];
    const { status, body } = await record({ responses, group: 'north' });
    assert.equal(status, 201);
    const results = [
      { question_id: one, recorded: true, correct: true },
      { question_id: two, recorded: true, correct: false },
      { question_id: four, recorded: false, correct: null },
    ];
    const id = drawn.body.id;
    assert.deepEqual(body, { draw_id: id, respondent: 'dot', asked: 4, recorded: 2, correct: 1, results });
    const again = await record({ responses: [{ question_id: two, answer: 'Jupiter' }] });
    assert.deepEqual([again.status, again.body.code], [409, 'already_answered']);
    assert.equal(again.body.errors[0].pointer, '/responses/0/question_id');
    const rest = await record({ responses: [{ question_id: three, missing: 'not_reached' }] });
    assert.deepEqual(rest.body.results, [{ question_id: three, recorded: true, correct: null }]);
    const { data } = (await call('GET', `/responses?session=${id}`)).body;
    assert.deepEqual(
      data.map((each: { respondent: string; group: string }) => [each.respondent, each.group]),
      Array(3).fill(['dot', 'north']),
    );
    const cases: [body: object, pointer: string, code: string][] = [
      [{ responses: [{ question_id: id, answer: 'x' }] }, '/responses/0/question_id', 'unknown_question'],
      [{ responses: [{ question_id: three }] }, '/responses/0/answer', 'required'],
      [{ respondent: 'eve', responses: [{ question_id: three, answer: 'x' }] }, '/respondent', 'conflict'],
      [
        { responses: Array(2).fill({ question_id: three, answer: 'x' }) },
        '/responses/1/question_id',
        'duplicate',
      ],
    ];
    for (const [each, pointer, code] of cases) {
      const { status, body } = await record(each);
      assert.deepEqual([status, body.errors[0].pointer, body.errors[0].code], [422, pointer, code]);
    }
    assert.equal((await record({ responses }, await service().keyFor(...ROLES.player))).status, 403);
  });

  it('records a draw that several respondents answer, once for each also at the same time', async () => {
    const [question] = await create({ tags: ['shared'] });
    const { body } = await draw({ count: 1, filter: { tag: 'shared' } });
    const responses = [{ question_id: question!.id, answer: 'Jupiter' }];
    const record = (more: object) =>
      call('POST', `/draws/${body.id}/responses`, { body: { responses, ...more } });
    assert.equal((await record({})).body.errors[0].code, 'required');
    const answers = await Promise.all(
      ['ada', 'ada', 'ada', 'eve'].map((respondent) => record({ respondent })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 409, 409]);
  });

  it('draws approved questions only', async () => {
    await create({ tags: ['reviewed'] }, { tags: ['reviewed'], status: 'draft' });
    const { body } = await draw({ count: 2, filter: { tag: 'reviewed' }, when_short: 'fewer' });
    assert.deepEqual(body.quotas, [{ asked: 2, drawn: 1 }]);
  });

  it('returns the same draw for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'draw-1' };
    const first = await call('POST', '/draws', { body: { count: 1 }, headers });
    const again = await call('POST', '/draws', { body: { count: 1 }, headers });
    assert.equal(again.text, first.text);
    const other = await call('POST', '/draws', { body: { count: 2 }, headers });
    assert.equal(other.status, 422);
  });

  it('names the faults of a request', async () => {
    const cases: [body: object, pointer: string, code: string][] = [
      [{}, '/count', 'required'],
      [{ count: 1, quotas: [{ count: 1 }] }, '/quotas', 'conflict'],
      [{ quotas: Array(3).fill({ count: 200 }) }, '/quotas', 'too_many'],
      [{ count: 1, filter: { category: 'Nowhere' } }, '/filter/category', 'unknown_category'],
      [
        { quotas: [{ count: 1, filter: { not_category: ['Nowhere'] } }] },
        '/quotas/0/filter/not_category/0',
        'unknown_category',
      ],
      [{ count: 0 }, '/count', 'out_of_range'],
      [{ count: 1, seed: '' }, '/seed', 'too_short'],
      [{ count: 1, exclude: { draws: ['x'] } }, '/exclude/draws/0', 'invalid_format'],
      [{ count: 1, prefer: 'easy' }, '/prefer', 'unknown_value'],
    ];
    for (const [body, pointer, code] of cases) {
      const answer = await draw(body);
      const [fault] = answer.body.errors ?? [];
      assert.deepEqual(
        [answer.status, fault?.pointer, fault?.code],
        [422, pointer, code],
        JSON.stringify(body),
      );
    }
    assert.equal((await call('GET', '/draws/nope')).status, 404);
  });

  it('is deleted after a year', async () => {
    const { body } = await draw({ count: 1 });
    const days = (n: number) => Date.now() + n * 86_400_000;
    await service().engine.write(deleteOldDraws, days(364));
    assert.equal((await call('GET', `/draws/${body.id}`)).status, 200);
    await service().engine.write(deleteOldDraws, days(366));
    assert.equal((await call('GET', `/draws/${body.id}`)).status, 404);
  });
});
