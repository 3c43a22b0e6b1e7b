import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, sample } from './support/engines.ts';

onEveryEngine('categories', (service) => {
  const call: ReturnType<typeof service>['call'] = (...args) => service().call(...args);
  const list = async () => (await call('GET', '/categories')).body.data;

  it('are six at first, and there are three difficulties', async () => {
    assert.deepEqual(
      (await list()).map(({ name, fixed, question_count }: Record<string, unknown>) => [
        name,
        fixed,
        question_count,
      ]),
      ['Astronomy', 'Geography', 'Literature', 'Mathematics', 'Science', 'General Knowledge'].map((name) => [
        name,
        true,
        0,
      ]),
    );
    assert.deepEqual((await call('GET', '/difficulties')).body.data, [
      { level: 0, name: 'Basic' },
      { level: 1, name: 'Intermediate' },
      { level: 2, name: 'Advanced' },
    ]);
  });

  it('count their questions by difficulty', async () => {
    const difficulties = [0, 0, 1, 2, 2, 2];
    const { body } = await call('POST', '/questions', {
      body: difficulties.map((difficulty) => sample({ category: 'Literature', difficulty })),
    });
    await call('PUT', `/questions/${body.data[0].id}`, { body: { category: 'Science' } });
    await call('DELETE', `/questions/${body.data[5].id}`);
    const counts = Object.fromEntries(
      (await list()).map((each: Record<string, unknown>) => [
        each.name,
        [each.question_count, each.counts_by_difficulty],
      ]),
    );
    assert.deepEqual(counts.Literature, [4, { 0: 1, 1: 1, 2: 2 }]);
    assert.deepEqual(counts.Science, [1, { 0: 1, 1: 0, 2: 0 }]);
  });

  it('can be added, renamed with their questions, and removed when empty', async () => {
    const made = await call('POST', '/categories', {
      body: { name: ' History ', description: 'What happened.' },
    });
    assert.equal(made.status, 201);
    assert.equal(made.body.name, 'History');
    assert.equal(made.headers.location, `/categories/${made.body.id}`);
    const question = await call('POST', '/questions', {
      body: sample({ category: 'HISTORY', difficulty: 2 }),
    });
    assert.equal(question.body.category, 'History');
    assert.equal((await call('POST', '/categories', { body: { name: 'hISTORY' } })).status, 409);

    const path = made.headers.location!;
    const fetched = await call('GET', path);
    assert.deepEqual(fetched.body, made.body);
    assert.equal(
      (await call('GET', path, { headers: { 'if-none-match': fetched.headers.etag! } })).status,
      304,
    );
    assert.equal(
      (await call('PUT', path, { body: { name: 'x' }, headers: { 'if-match': '"0"' } })).status,
      412,
    );
    const renamed = await call('PUT', path, { body: { name: 'World "History"' } });
    assert.equal(renamed.status, 200);
    assert.equal(renamed.body.description, 'What happened.');

    const moved = await call('GET', question.headers.location!);
    assert.equal(moved.body.category, 'World "History"');
    assert.notEqual(moved.headers.etag, question.headers.etag);
    assert.equal(moved.body.revision, 1);
    const stale = await call('PUT', question.headers.location!, {
      body: { difficulty: 0 },
      headers: { 'if-match': question.headers.etag! },
    });
    assert.equal(stale.status, 412);
    const url = `/questions?category=${encodeURIComponent('world "history"')}&difficulty=2`;
    assert.equal((await call('GET', url)).body.data[0].id, question.body.id);
    assert.equal((await call('GET', '/questions?category=History')).status, 400);
    assert.equal((await call('POST', '/questions', { body: sample({ category: 'History' }) })).status, 422);

    assert.equal((await call('DELETE', path)).status, 409);
    await call('DELETE', question.headers.location!);
    assert.equal((await call('DELETE', path)).status, 204);
    assert.equal((await call('GET', path)).status, 404);
    assert.equal((await list()).length, 6);

    const lost = await call('POST', `${question.headers.location}/restore`, { body: { revision: 1 } });
    assert.equal(lost.status, 409);
    assert.equal(lost.body.code, 'category_deleted');
    const history = await call('GET', `${question.headers.location}/revisions`);
    assert.equal(history.body.data[1].question.category, 'World "History"');
    await call('POST', '/categories', { body: { name: 'world "history"' } });
    const found = await call('POST', `${question.headers.location}/restore`, { body: { revision: 1 } });
    assert.equal(found.status, 200);
    assert.equal(found.body.category, 'world "history"');
  });

  it('409: the first six cannot be renamed or deleted, but can be described', async () => {
    const [astronomy] = await list();
    const path = `/categories/${astronomy.id}`;
    assert.equal((await call('PUT', path, { body: { name: 'Stars' } })).status, 409);
    assert.equal((await call('DELETE', path)).status, 409);
    const question = await call('POST', '/questions', { body: sample() });
    const described = await call('PUT', path, { body: { description: null } });
    const again = await call('GET', question.headers.location!);
    assert.equal(again.headers.etag, question.headers.etag, 'a description is no part of a question');
    assert.equal(described.body.description, null);
    assert.equal(described.body.name, 'Astronomy');
  });

  it('404 and 422: rejects unknown categories and invalid fields', async () => {
    for (const id of ['x', '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30']) {
      assert.equal((await call('GET', `/categories/${id}`)).status, 404);
      assert.equal((await call('PUT', `/categories/${id}`, { body: { name: 'y' } })).status, 404);
      assert.equal((await call('DELETE', `/categories/${id}`)).status, 404);
    }
    for (const body of [
      {},
      { name: '' },
      { name: 5 },
      { name: 'x', fixed: true },
      { name: 'a\u0000b' },
      { name: 'x'.repeat(201) },
    ]) {
      const { status } = await call('POST', '/categories', { body });
      assert.ok(status === 422 || status === 400, JSON.stringify(body));
    }
  });
});
