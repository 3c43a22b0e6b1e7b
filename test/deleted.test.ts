/** Deleted questions are listed, searched and restored; a list of changes shows deletions. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

onEveryEngine('deleted questions', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const create = async (changes: object = {}) =>
    (await call('POST', '/questions', { body: sample(changes) })).body;
  const list = async (query: string) => (await call('GET', `/questions?${query}`)).body;
  const listIds = async (query: string): Promise<string[]> =>
    (await list(query)).data.map(({ id }: { id: string }) => id);

  it('403: are for callers that can restore them', async () => {
    for (const [scopes, status] of [
      [['questions:read', 'questions:write', 'answers:read'], 200],
      [['questions:read', 'questions:write'], 403],
      [['questions:read', 'answers:read'], 403],
      [['questions:read'], 403],
    ] as const) {
      const token = await service().keyFor(...scopes);
      const answer = await call('GET', '/questions?deleted=true', { token });
      assert.equal(answer.status, status, scopes.join(' '));
      assert.equal((await call('GET', '/questions?deleted=false', { token })).status, 200);
    }
  });

  it('are found by their last content and restored by their revision', async () => {
    const question = await create({ question_text: 'Which quokka?', external_id: 'quokka', tags: ['fauna'] });
    const path = `/questions/${question.id}`;
    const last = (await call('PUT', path, { body: { question_text: 'Which wombat?' } })).body;
    await call('DELETE', path);
    for (const query of ['q=wombat', 'external_id=quokka', 'tag=FAUNA', 'category=astronomy&q=jupiter'])
      assert.deepEqual(await listIds(`deleted=true&${query}`), [question.id], query);
    for (const query of ['q=quokka', 'external_id=none', 'not_tag=fauna&q=wombat'])
      assert.deepEqual(await listIds(`deleted=true&${query}`), [], query);
    const [found] = (await list('deleted=true&q=wombat')).data;
    const [deletion] = (await call('GET', `${path}/revisions?limit=1`)).body.data;
    assert.deepEqual(found, { ...last, deleted_at: deletion.at });
    const restored = await call('POST', `${path}/restore`, { body: { revision: found.revision } });
    assert.equal(restored.status, 200);
    assert.deepEqual(await listIds('deleted=true&q=wombat'), []);
    assert.deepEqual(await listIds('q=wombat'), [question.id]);
    await call('DELETE', path);
    assert.deepEqual(await listIds('deleted=true&external_id=quokka'), [question.id]);
  });

  it('are listed after their category was deleted', async () => {
    const category = await call('POST', '/categories', { body: { name: 'Ephemera' } });
    const { id } = await create({ category: 'Ephemera', question_text: 'Which mayfly?' });
    await call('DELETE', `/questions/${id}`);
    assert.deepEqual(await listIds('deleted=true&category=ephemera'), [id]);
    await call('DELETE', category.headers.location!);
    const [found] = (await list('deleted=true&q=mayfly')).data;
    assert.equal(found.category, 'Ephemera');
    assert.equal((await call('GET', '/questions?deleted=true&category=ephemera')).status, 400);
  });

  it('are between the updates of a list of changes, at their time', async () => {
    const [first, second, third] = [await create(), await create(), await create()];
    await call('DELETE', `/questions/${second.id}`);
    await call('PUT', `/questions/${first.id}`, { body: { difficulty: 2 } });
    const changes = `updated_since=${first.created_at}&include_deleted=true`;
    const { data, pagination } = await list(`${changes}&sort=updated_at`);
    const ids = data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids.slice(-3), [third.id, second.id, first.id]);
    assert.deepEqual(Object.keys(data.at(-2)), ['id', 'deleted_at']);
    assert.equal(pagination.total, data.length);
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(`${changes}&sort=-updated_at&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.pagination.next_cursor;
      if (cursor === null) break;
    }
    assert.deepEqual(seen, ids.toReversed());
    // The parameter is part of the list that a cursor belongs to.
    const { next_cursor } = (await list(`${changes}&sort=updated_at&limit=1`)).pagination;
    const other = `/questions?updated_since=${first.created_at}&sort=updated_at&cursor=${next_cursor}`;
    assert.equal((await call('GET', other)).status, 400);
  });

  it('a date alone is the beginning of the day in UTC', async () => {
    const { id, created_at } = await create();
    const day = (offset: number) => new Date(Date.parse(created_at) + offset).toISOString().slice(0, 10);
    const dayMs = 24 * 60 * 60 * 1000;
    assert.ok((await listIds(`updated_since=${day(0)}&limit=1000`)).includes(id));
    assert.deepEqual(await listIds(`updated_since=${day(dayMs)}`), []);
  });
});
