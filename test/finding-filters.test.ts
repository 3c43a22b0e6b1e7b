/** Lists, searches, runs and facets by what the latest runs found. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

const DOUBLED = 'finding=quality:doubled_word';

onEveryEngine('filters by findings', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const create = async (question_text: string, changes: object = {}): Promise<string> =>
    (await call('POST', '/questions', { body: sample({ question_text, ...changes }) })).body.id;
  const listIds = async (query: string): Promise<string[]> => {
    const { status, body } = await call('GET', `/questions?${query}`);
    assert.equal(status, 200, query);
    assert.equal(body.pagination.total, body.data.length);
    return body.data.map(({ id }: { id: string }) => id);
  };
  const run = async (filter: object) => {
    const { body } = await call('POST', '/analysis/run', {
      body: { analysis_type: 'quality', filter },
      headers: { prefer: 'wait=30' },
    });
    assert.equal(body.status, 'succeeded');
    return body;
  };
  const countFindings = async (query: string): Promise<Map<string, number>> => {
    const { finding } = (await call('GET', `/questions/facets?${query}`)).body.facets;
    return new Map(finding.map(({ value, count }: { value: string; count: number }) => [value, count]));
  };

  it('follow the latest runs, changes and deletions, in every order and with a search', async () => {
    const first = await create('Which planet has the the shortest day?');
    await create('Which planet has the longest day?');
    const third = await create('Which moon is the the largest?', { difficulty: 2 });
    assert.deepEqual(await listIds(DOUBLED), []);
    await run({});
    assert.deepEqual(await listIds(DOUBLED), [first, third]);
    assert.deepEqual(await listIds(`${DOUBLED}&q=planet`), [first]);
    assert.deepEqual(await listIds(`${DOUBLED}&difficulty=2`), [third]);
    assert.deepEqual(await listIds(`${DOUBLED}&finding=quality:none&q=moon&kind=short_answer`), [third]);
    assert.deepEqual(await listIds('finding=none:none'), []);
    assert.equal((await countFindings('')).get('quality:doubled_word'), 2);
    assert.equal((await countFindings(`difficulty=2&finding=none:none`)).get('quality:doubled_word'), 1);
    // An update moves the question in the order of updates; the finding is of the latest run.
    await call('PUT', `/questions/${first}`, { body: { explanation: 'It turns fast.' } });
    assert.deepEqual(await listIds(`${DOUBLED}&sort=updated_at`), [third, first]);
    assert.deepEqual(await listIds(`${DOUBLED}&sort=-updated_at&q=the`), [first, third]);
    await call('PUT', `/questions/${first}`, { body: { question_text: 'Which planet turns fastest?' } });
    const mended = await run({ finding: ['quality:doubled_word'] });
    assert.equal(mended.question_count, 2);
    assert.deepEqual(await listIds(DOUBLED), [third]);
    assert.equal((await countFindings('')).get('quality:doubled_word'), 1);
    await call('DELETE', `/questions/${third}`);
    assert.deepEqual(await listIds(DOUBLED), []);
    assert.equal((await countFindings('')).get('quality:doubled_word'), undefined);
  });

  it('403: are for callers that may read results and answers', async () => {
    for (const scopes of [['analysis:read'], ['answers:read'], []] as const) {
      const token = await service().keyFor('questions:read', ...scopes);
      for (const path of ['/questions', '/questions/facets'])
        assert.equal((await call('GET', `${path}?${DOUBLED}`, { token })).status, 403);
      const { facets } = (await call('GET', '/questions/facets', { token })).body;
      assert.equal(facets.finding, undefined);
    }
    const token = await service().keyFor('questions:read', 'analysis:run');
    const body = { analysis_type: 'quality', filter: { finding: 'quality:spacing' } };
    assert.equal((await call('POST', '/analysis/run', { token, body })).status, 403);
  });

  it('400: not a finding, and deleted questions', async () => {
    for (const query of ['finding=spacing', 'finding=', `${DOUBLED}&deleted=true`])
      for (const path of ['/questions', '/questions/facets'])
        assert.equal((await call('GET', `${path}?${query}`)).status, 400, query);
  });
});
