import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, sample } from './support/engines.ts';

onEveryEngine('Idempotency-Key', (service) => {
  const call: ReturnType<typeof service>['call'] = (...args) => service().call(...args);
  const post = (url: string, key: string, body: unknown) =>
    call('POST', url, { body, headers: { 'idempotency-key': key } });
  const total = async () => (await call('GET', '/questions?limit=1')).body.pagination.total;

  it('executes a write once and repeats its response', async () => {
    const first = await post('/questions', 'k1', sample());
    const again = await post('/questions', 'k1', sample());
    assert.equal(first.status, 201);
    assert.equal(again.status, 201);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.location, first.headers.location);
    assert.equal(again.headers.etag, first.headers.etag);
    assert.equal(await total(), 1);
    await call('PUT', first.headers.location!, { body: { difficulty: 0 } });
    assert.deepEqual((await post('/questions', 'k1', sample())).body, first.body);
  });

  it('422: rejects the same key with another body or query', async () => {
    assert.equal((await post('/questions', 'k1', sample({ difficulty: 2 }))).status, 422);
    assert.equal((await post('/questions?validate_only=false', 'k1', sample())).status, 422);
    assert.equal((await post('/questions', 'k1', [sample()])).status, 422);
  });

  it('repeats the first response after updates, deletion and renaming of the category', async () => {
    await call('POST', '/categories', { body: { name: 'Chess' } });
    const [chess] = (await call('GET', '/categories')).body.data.filter(
      ({ name }: { name: string }) => name === 'Chess',
    );
    const body = [
      sample({ category: 'Chess', tags: ['é “ü” 🪐'], incorrect_answers: ['Mars', 'Venus'] }),
      sample({ category: 'chess', explanation: 'second' }),
      sample(),
    ];
    const first = await post('/questions', 'replayed', body);
    const [updated, deleted] = first.body.data;
    await call('PUT', `/questions/${updated.id}`, { body: { question_text: 'Changed?' } });
    await call('DELETE', `/questions/${deleted.id}`);
    await call('PUT', `/categories/${chess.id}`, { body: { name: 'Board games' } });
    const again = await post('/questions', 'replayed', body);
    assert.equal(again.status, 201);
    assert.equal(again.text, first.text);
    const one = await post('/questions', 'replayed-one', sample({ category: 'Board games' }));
    await call('DELETE', one.headers.location!);
    await call('PUT', `/categories/${chess.id}`, { body: { name: 'Chess' } });
    const repeated = await post('/questions', 'replayed-one', sample({ category: 'Board games' }));
    assert.deepEqual(
      [repeated.text, repeated.headers.etag, repeated.headers.location],
      [one.text, one.headers.etag, one.headers.location],
    );
  });

  it('is scoped to its route', async () => {
    assert.equal((await post('/categories', 'k1', { name: 'Sports' })).status, 201);
    assert.equal((await post('/categories', 'k1', { name: 'Sports' })).status, 201);
  });

  it('covers arrays and restores', async () => {
    const before = await total();
    const made = await post('/questions', 'array', [sample(), sample()]);
    assert.deepEqual((await post('/questions', 'array', [sample(), sample()])).body, made.body);
    assert.equal(await total(), before + 2);
    const path = `/questions/${made.body.data[0].id}`;
    await call('PUT', path, { body: { difficulty: 2 } });
    const restored = await post(`${path}/restore`, 'r', { revision: 1 });
    assert.deepEqual((await post(`${path}/restore`, 'r', { revision: 1 })).body, restored.body);
    assert.equal((await call('GET', path)).body.revision, 3);
  });

  it('does not store rejected requests', async () => {
    assert.equal((await post('/questions', 'refused', sample({ external_id: 'x' }))).status, 201);
    assert.equal((await post('/questions', 'refused-too', sample({ external_id: 'x' }))).status, 409);
    await call(
      'DELETE',
      (await call('GET', '/questions?external_id=x')).body.data.map(
        ({ id }: { id: string }) => `/questions/${id}`,
      )[0],
    );
    assert.equal((await post('/questions', 'refused-too', sample({ external_id: 'x' }))).status, 201);
  });

  it('executes one of many concurrent requests; the others get 409 or its response', async () => {
    const before = await total();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('/questions', 'parallel', sample())),
    );
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id));
    assert.equal(ids.size, 1);
    assert.ok(answers.every(({ status }) => status === 201 || status === 409));
    assert.ok(
      answers.filter(({ status }) => status === 409).every(({ headers }) => headers['retry-after'] === '1'),
    );
    assert.equal(await total(), before + 1);
  });

  it('is not used up by validate_only', async () => {
    assert.equal((await post('/questions?validate_only=true', 'checked', sample())).status, 200);
    assert.equal((await post('/questions', 'checked', sample())).status, 201);
  });
});
