import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, sample } from './support/engines.ts';
import { until } from './support/until.ts';

onEveryEngine('merges', (service) => {
  const call: ReturnType<typeof service>['call'] = (...args) => service().call(...args);
  const create = async (changes: object): Promise<{ id: string }> =>
    (await call('POST', '/questions', { body: sample(changes) })).body;
  const get = async (id: string) => (await call('GET', `/questions/${id}`)).body;
  const follow = async (path: string, body?: object) => {
    const started = await call('POST', path, body ? { body } : {});
    assert.equal(started.status, 202, started.text);
    return until('the end of the change', async () => {
      const { body } = await call('GET', `/changes/${started.body.id}`);
      return ['queued', 'running'].includes(body.status) ? undefined : body;
    });
  };
  const merge = (id: string, ...ids: string[]) => follow(`/questions/${id}/merge`, { question_ids: ids });
  const respond = (list: [question: string, respondent: string, answer: string, at?: string][]) =>
    call('POST', '/responses', {
      body: list.map(([question_id, respondent, answer, answered_at]) => ({
        ...{ question_id, respondent, answer },
        ...(answered_at && { answered_at }),
      })),
    });
  const responses = async (id: string) =>
    Object.fromEntries(
      (await call('GET', `/responses?question_id=${id}&limit=1000`)).body.data.map(
        (row: { respondent: string; answer: string | null; correct: boolean }) => [
          row.respondent,
          [row.answer, row.correct],
        ],
      ),
    );

  it('merges fields and responses, answers 410, and undoes and redoes it', async () => {
    const survivor = await create({
      tags: ['a', 'B'],
      incorrect_answers: ['Mars'],
      correct_answer: 'Jupiter',
    });
    const first = await create({
      tags: ['b', 'c'],
      incorrect_answers: ['Venus'],
      correct_answer: 'Planet Jupiter',
      explanation: 'Fast.',
      topic_focus: 'Planets',
    });
    const second = await create({ incorrect_answers: ['Mars'], explanation: 'Later.', source: 'Book' });
    await respond([
      [survivor.id, 'ann', 'Mars'],
      [first.id, 'ann', 'Planet Jupiter'],
      [first.id, 'bob', 'Planet Jupiter', '2026-01-01T00:00:00Z'],
      [second.id, 'bob', 'Mars', '2026-01-02T00:00:00Z'],
      [first.id, 'cy', 'Planet Jupiter'],
      [second.id, 'dee', 'Jupiter'],
      [first.id, 'eve', 'Venus'],
    ]);
    const before = await Promise.all([survivor.id, first.id, second.id].map(responses));
    const merged = await merge(survivor.id, first.id, second.id);
    assert.equal(merged.status, 'succeeded');
    assert.deepEqual([merged.changed, merged.responses_moved], [3, 6]);
    const joined = await get(survivor.id);
    assert.deepEqual(joined.tags, ['a', 'B', 'c']);
    assert.deepEqual([joined.explanation, joined.topic_focus, joined.source], ['Fast.', 'Planets', 'Book']);
    const after = await responses(survivor.id);
    assert.deepEqual(after, {
      ann: ['Mars', false],
      bob: ['Mars', false],
      // The survivor's key does not have this text: the score is kept.
      cy: [null, true],
      dee: ['Jupiter', true],
      eve: ['Venus', false],
    });
    assert.deepEqual(await responses(first.id), {});
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { difficulty: 2 }],
      ['DELETE', '', undefined],
      ['POST', '/check', { answer: 'x' }],
      ['POST', '/merge', { question_ids: [survivor.id] }],
    ] as const) {
      const answer = await call(method, `/v1/questions/${first.id}${path}`, body ? { body } : {});
      assert.deepEqual([answer.status, answer.body.code], [410, 'merged'], `${method} ${path}`);
      assert.equal(answer.headers.location, `/v1/questions/${survivor.id}`);
    }

    await respond([[survivor.id, 'cy', 'Mars']]);
    const undone = await follow(`/changes/${merged.id}/undo`);
    assert.deepEqual([undone.status, undone.changed, undone.refused], ['succeeded', 3, 0]);
    assert.deepEqual((await get(survivor.id)).tags, ['a', 'B']);
    assert.equal((await get(first.id)).explanation, 'Fast.');
    assert.deepEqual(await Promise.all([survivor.id, first.id, second.id].map(responses)), [
      // An answer that was given since stays.
      { ...before[0], cy: ['Mars', false] },
      before[1],
      before[2],
    ]);

    const redone = await follow(`/changes/${undone.id}/undo`);
    assert.deepEqual([redone.status, redone.changed], ['succeeded', 3]);
    assert.equal((await call('GET', `/questions/${first.id}`)).status, 410);
    assert.deepEqual(await responses(survivor.id), { ...after, cy: ['Mars', false] });
  });

  it('follows chains, and forgets a merge when the question is restored', async () => {
    const [a, b, c] = await Promise.all(['A?', 'B?', 'C?'].map((question_text) => create({ question_text })));
    await merge(b!.id, a!.id);
    await merge(c!.id, b!.id);
    assert.equal((await call('GET', `/questions/${a!.id}`)).headers.location, `/questions/${c!.id}`);
    assert.equal((await call('POST', `/questions/${a!.id}/restore`, { body: { revision: 1 } })).status, 200);
    await call('DELETE', `/questions/${a!.id}`);
    assert.equal((await call('GET', `/questions/${a!.id}`)).status, 404);
  });

  it('deletes moved responses with their respondent', async () => {
    const [a, b] = await Promise.all(['D?', 'E?'].map((question_text) => create({ question_text })));
    await respond([[b!.id, 'gone', 'Jupiter']]);
    const merged = await merge(a!.id, b!.id);
    assert.equal((await call('DELETE', '/responses?respondent=gone')).status, 200);
    const undone = await follow(`/changes/${merged.id}/undo`);
    assert.deepEqual([undone.status, undone.responses_moved], ['succeeded', 0]);
    assert.deepEqual(await responses(b!.id), {});
  });

  it('hides a merge from readers unless both questions are approved', async () => {
    const token = await service().keyFor('questions:read', 'answers:check');
    const readStatus = async (id: string) => {
      const read = await call('GET', `/questions/${id}`, { token });
      const check = await call('POST', `/questions/${id}/check`, { token, body: { answer: 'x' } });
      assert.equal(check.status, read.status);
      return read.status;
    };
    const survivor = await create({});
    const draft = await create({ status: 'draft' });
    const approved = await create({});
    await merge(survivor.id, draft.id, approved.id);
    assert.deepEqual(
      [await readStatus(draft.id), await readStatus(approved.id)],
      [404, 410],
      'a draft that was merged',
    );
    const retired = await call('POST', `/questions/${survivor.id}/status`, {
      body: { status: 'retired', reason: 'Outdated.' },
    });
    assert.equal(retired.status, 200, retired.text);
    assert.equal(await readStatus(approved.id), 404, 'the survivor is hidden');
    const seen = await call('GET', `/questions/${approved.id}`);
    assert.deepEqual([seen.status, seen.headers.location], [410, `/questions/${survivor.id}`]);
  });

  it('refuses what cannot be merged', async () => {
    const survivor = await create({ incorrect_answers: ['Mars'] });
    const short = await create({});
    const refused = await call('POST', `/questions/${survivor.id}/merge`, {
      body: { question_ids: [short.id] },
    });
    assert.deepEqual([refused.status, refused.body.code], [409, 'different_kind']);
    const faulty = await call('POST', `/questions/${survivor.id}/merge`, {
      body: { question_ids: [survivor.id, '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30'] },
    });
    assert.deepEqual(
      faulty.body.errors.map(({ code }: { code: string }) => code),
      ['conflict', 'unknown_question'],
    );
    const stale = await call('POST', `/questions/${survivor.id}/merge`, {
      body: { question_ids: [short.id] },
      headers: { 'if-match': '"9.9"' },
    });
    assert.equal(stale.status, 412);
  });

  it('merges categories, deletes them, and undoes and redoes it', async () => {
    const category = async (name: string) => (await call('POST', '/categories', { body: { name } })).body;
    const [history, past] = [await category('History'), await category('The past')];
    const questions = [];
    for (let i = 0; i < 300; i++) questions.push(sample({ category: i % 2 ? 'History' : 'The past' }));
    const { data } = (await call('POST', '/questions', { body: questions })).body;
    const merged = await follow(`/categories/${history.id}/merge`, { category_ids: [past.id] });
    assert.deepEqual([merged.status, merged.question_count, merged.changed], ['succeeded', 150, 150]);
    assert.equal((await call('GET', `/categories/${past.id}`)).status, 404);
    assert.equal((await get(data[0].id)).category, 'History');
    const undone = await follow(`/changes/${merged.id}/undo`);
    assert.deepEqual([undone.status, undone.changed], ['succeeded', 150]);
    assert.equal((await get(data[0].id)).category, 'The past');
    assert.equal((await call('GET', `/categories/${past.id}`)).body.name, 'The past');
    const redone = await follow(`/changes/${undone.id}/undo`);
    assert.deepEqual([redone.status, redone.changed], ['succeeded', 150]);
    assert.equal((await call('GET', `/categories/${past.id}`)).status, 404);

    const fixed = (await call('GET', '/categories')).body.data[0];
    const refused = await call('POST', `/categories/${history.id}/merge`, {
      body: { category_ids: [fixed.id] },
    });
    assert.deepEqual([refused.status, refused.body.code], [409, 'category_fixed']);
    const self = await call('POST', `/categories/${history.id}/merge`, {
      body: { category_ids: [history.id] },
    });
    assert.equal(self.status, 422);
    const token = await service().keyFor('questions:write', 'answers:read');
    const body = { category_ids: [history.id] };
    assert.equal((await call('POST', `/categories/${fixed.id}/merge`, { body, token })).status, 403);
    assert.equal((await call('POST', `/changes/${redone.id}/undo`, { token })).status, 403);
  });
});
