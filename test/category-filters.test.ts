/** A filter by a category that does not exist is refused, with the nearest name. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNearestName } from '../src/bits/nearest-name.ts';
import { Runner } from '../src/jobs/runner.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const ASYNC = { prefer: 'respond-async' };

describe('nearest name', () => {
  const names = [
    'Astronomy',
    'Geography',
    'Science & Nature',
    'Video Games',
    'Études',
    'Große Städte',
    '数学',
  ];
  const cases: [string, string | undefined][] = [
    ['Geografy', 'Geography'],
    ['geogrpahy', 'Geography'],
    ['GEOGRAPHIE', 'Geography'],
    [' Astronomy ', 'Astronomy'],
    ['Astronmy', 'Astronomy'],
    ['etudes', 'Études'],
    ['E\u0301tude', 'Études'],
    ['grosse stadte', 'Große Städte'],
    ['Games', 'Video Games'],
    ['video-games', 'Video Games'],
    ['Science', 'Science & Nature'],
    ['Science and Nature', 'Science & Nature'],
    ['Astronomy: Planets', 'Astronomy'],
    ['Cooking', undefined],
    ['Nope', undefined],
    ['', undefined],
    ['!?', undefined],
    ['x'.repeat(200), undefined],
  ];
  for (const [wanted, nearest] of cases) {
    it(`of “${wanted.slice(0, 20)}” is ${nearest ?? 'none'}`, () => {
      assert.equal(findNearestName(wanted, names), nearest);
    });
  }

  it('is the first of equally near names, and the nearer one of two', () => {
    assert.equal(findNearestName('Bat', ['Cat', 'Rat']), 'Cat');
    assert.equal(findNearestName('History of Art', ['History', 'History of Arts']), 'History of Arts');
  });
});

function cases(service: () => Service): void {
  const call: Service['call'] = (...args) => service().call(...args);
  const list = (query: string) => call('GET', `/questions?${query}`);
  const run = (filter: object, headers: Record<string, string> = ASYNC) =>
    call('POST', '/analysis/run', { body: { analysis_type: 'coverage', filter }, headers });
  const createCategory = async (name: string): Promise<string> =>
    (await call('POST', '/categories', { body: { name } })).headers.location!;
  const nearest = (pointer: string, name: string) => ({
    pointer,
    code: 'unknown_category',
    detail: `must be one of the bank's categories; the nearest name is ${name}`,
    suggestion: name,
  });

  for (const query of [
    'category=Astronmy',
    'category=Astronmy&difficulty=1',
    'category=Astronmy&tag=none',
    'category=Astronmy&external_id=none',
    'category=Astronmy&q=planet',
    'category=Astronmy&q=nothing*&sort=relevance',
    'category=Astronmy&updated_since=2020-01-01T00:00:00Z',
    'category=Astronmy&sort=-updated_at&offset=5',
  ]) {
    it(`400: a list by ${query}`, async () => {
      // The second response may come from the cache.
      for (let i = 0; i < 2; i++) {
        const { status, body } = await list(query);
        assert.deepEqual([status, body.code], [400, 'invalid_query']);
        assert.deepEqual(body.errors, [nearest('?category', 'Astronomy')]);
      }
    });
  }

  it('400: one of several categories, or an excluded one', async () => {
    for (const query of ['', '&q=planet', '&deleted=true']) {
      const several = await list(`category=Science&category=Astronmy&not_category=Geografy${query}`);
      assert.equal(several.status, 400);
      assert.deepEqual(several.body.errors, [
        nearest('?category', 'Astronomy'),
        nearest('?not_category', 'Geography'),
      ]);
    }
  });

  it('422: one of several categories of a run, or an excluded one', async () => {
    const { status, body } = await run({ category: ['Science', 'Astronmy'], not_category: 'Geografy' });
    assert.equal(status, 422);
    assert.deepEqual(body.errors, [
      nearest('/filter/category/1', 'Astronomy'),
      nearest('/filter/not_category', 'Geography'),
    ]);
    const invalid = await run({ difficulty: [0, 3], kind: 'essay' });
    assert.deepEqual(
      invalid.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
      [
        ['/filter/difficulty/1', 'out_of_range'],
        ['/filter/kind', 'unknown_value'],
      ],
    );
    const accepted = await run({ category: ['science', 'Astronomy'], difficulty: 1, missing: ['tags'] });
    assert.equal(accepted.status, 202);
  });

  it('lists the categories where none is near', async () => {
    for (const query of ['category=Nope', 'category=']) {
      const { status, body } = await list(query);
      assert.equal(status, 400, query);
      assert.match(body.errors[0].detail, /^must be one of the bank's categories: .*Geography/);
      assert.equal(body.errors[0].suggestion, undefined);
    }
  });

  it('200: an existing category without questions, in any case', async () => {
    await createCategory('Empty Shelves');
    const { status, body } = await list('category=empty%20SHELVES');
    assert.deepEqual([status, body.pagination.total], [200, 0]);
    assert.equal((await run({ category: 'EMPTY shelves' })).status, 202);
  });

  it('400: a page by cursor after its category was renamed, deleted or created again', async () => {
    const location = await createCategory('Harbours');
    const created = await call('POST', '/questions', {
      body: Array.from({ length: 3 }, () => sample({ category: 'Harbours' })),
    });
    const first = await list('category=Harbours&limit=1');
    const next = `category=Harbours&limit=1&cursor=${first.body.pagination.next_cursor}`;
    assert.equal((await list(next)).body.data.length, 1);
    await call('PUT', location, { body: { name: 'Old Harbours' } });
    assert.deepEqual((await list(next)).body.errors, [nearest('?category', 'Old Harbours')]);
    assert.equal((await list('category=old%20harbours')).body.pagination.total, 3);
    await call('PUT', location, { body: { name: 'Harbours' } });
    assert.equal((await list(next)).body.data.length, 1);
    for (const { id } of created.body.data) await call('DELETE', `/questions/${id}`);
    await call('DELETE', location);
    assert.equal((await list(next)).status, 400);
    await createCategory('Harbours');
    assert.equal((await list(next)).body.pagination.total, 0);
  });

  it('422: a run by an unknown category, which queues nothing', async () => {
    const total = async () => (await call('GET', '/analysis')).body.pagination.total;
    const before = await total();
    for (const filter of [
      { category: 'Geografy' },
      { category: 'Geografy', difficulty: 1 },
      { category: 'Geografy', q: 'seine' },
    ]) {
      const { status, body } = await run(filter);
      assert.deepEqual([status, body.code], [422, 'invalid_body']);
      assert.deepEqual(body.errors, [nearest('/filter/category', 'Geography')]);
    }
    assert.equal(await total(), before);
  });

  it('a repeated request for a run is the same run after its category was renamed', async () => {
    const location = await createCategory('Lanterns');
    const headers = { ...ASYNC, 'idempotency-key': 'lanterns' };
    const first = await run({ category: 'Lanterns' }, headers);
    assert.equal(first.status, 202);
    await call('PUT', location, { body: { name: 'Lamps' } });
    const again = await run({ category: 'Lanterns' }, headers);
    assert.deepEqual([again.status, again.body.id], [202, first.body.id]);
    await call('DELETE', `/analysis/${first.body.id}`);
  });

  it('a run fails if its category was renamed or deleted while it was queued', async (t) => {
    const renamed = await createCategory('Bridges');
    const deleted = await createCategory('Ferries');
    await call('POST', '/questions', { body: sample({ category: 'Bridges', question_text: 'How long?' }) });
    const filters = [{ category: 'bridges' }, { category: 'Bridges', q: 'long' }, { category: 'Ferries' }];
    const ids: string[] = [];
    for (const filter of filters) ids.push((await run(filter)).body.id);
    const other = (await run({ category: 'Astronomy' })).body.id;
    await call('PUT', renamed, { body: { name: 'Tunnels' } });
    await call('DELETE', deleted);
    const runner = new Runner({ engine: service().engine, workers: 1, log: SILENT });
    t.after(() => runner.stop());
    await runner.start();
    const findEnd = (id: string) =>
      until(
        'its end',
        async () => {
          const { body } = await call('GET', `/analysis/${id}`);
          return ['succeeded', 'failed'].includes(body.status) && body;
        },
        30_000,
      );
    for (const id of ids) {
      const { status, attempts, error, result } = await findEnd(id);
      assert.deepEqual([status, attempts, error.code, result], ['failed', 1, 'unknown_category', null]);
      assert.match(error.detail, /renamed or deleted after the run was queued/);
    }
    assert.equal((await findEnd(other)).status, 'succeeded');
  });
}

onEveryEngine('filters by category', cases, { workers: 0 });
