/** Damaged data is never sent: reads respond with `damaged_data`, and a damaged question can be repaired. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openReader } from '../src/engines/index.ts';
import type { Db } from '../src/store/db.ts';
import { verifyIndex } from '../src/store/verify/bank-index.ts';
import { Verifier } from '../src/verification/verifier.ts';
import { changeDirectly, withoutFolding } from './support/damage.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';
import { until } from './support/until.ts';

const create = async (service: Service, changes: object = {}) =>
  (await service.call('POST', '/questions', { body: sample(changes) })).body as { id: string };

const damage = (service: Service, id: string) =>
  changeDirectly(
    service.engine,
    `UPDATE questions SET public_json = replace(public_json, 'shortest', 'shorter"') WHERE id = '${id}'`,
  );

/** PostgreSQL folds changes of the index a little later, and would repair damage to it. */
const untilFolded = async ({ engine }: Service, db: Db) =>
  engine.shared && until('the index', async () => !(await db.get('SELECT 1 FROM postings_log LIMIT 1')));

const assertDamaged = (answer: { status: number; body: { code: string; detail: string } }, id: string) => {
  assert.deepEqual([answer.status, answer.body.code], [500, 'damaged_data']);
  assert.match(answer.body.detail, new RegExp(id));
};

onEveryEngine('damaged data', (service) => {
  it('is reported by every read of the question, and the question can be deleted', async () => {
    const { id } = await create(service(), { tags: ['to-delete'], external_id: 'damaged-1' });
    await damage(service(), id);
    const reader = await service().keyFor('questions:read');
    for (const token of [service().admin.key, reader])
      for (const path of [
        `/questions/${id}`,
        '/questions?tag=to-delete',
        '/questions?q=planet',
        '/questions?q=planet&sort=created_at',
      ])
        assertDamaged(await service().call('GET', path, { token }), id);
    assertDamaged(await service().call('POST', `/questions/${id}/check`, { body: { answer: 'x' } }), id);
    assertDamaged(await service().call('GET', `/questions/${id}/revisions`), id);
    assertDamaged(await service().call('PUT', `/questions/${id}`, { body: { difficulty: 2 } }), id);

    assert.equal((await service().call('DELETE', `/questions/${id}`)).status, 204);
    for (const path of ['/questions?tag=to-delete', '/questions?q=planet', '/questions?category=Astronomy']) {
      const { status, body } = await service().call('GET', path);
      assert.deepEqual([status, body.pagination.total], [200, 0], path);
    }
    const { body } = await service().call('GET', `/questions/${id}/revisions`);
    assert.deepEqual(
      body.data.map((row: { action: string; question: unknown }) => [row.action, row.question]),
      [
        ['deleted', null],
        ['created', null],
      ],
    );
  });

  it('can be replaced by an earlier revision', async () => {
    const { id } = await create(service(), { tags: ['first'] });
    await service().call('PUT', `/questions/${id}`, { body: { tags: ['second'], difficulty: 2 } });
    await damage(service(), id);
    assertDamaged(await service().call('GET', `/questions/${id}`), id);
    const restored = await service().call('POST', `/questions/${id}/restore`, { body: { revision: 1 } });
    assert.equal(restored.status, 200);
    assert.deepEqual(restored.body.tags, ['first']);
    assert.deepEqual((await service().call('GET', `/questions/${id}`)).body, restored.body);
    const totalOf = async (tag: string) =>
      (await service().call('GET', `/questions?tag=${tag}&sort=-updated_at`)).body.pagination.total;
    assert.deepEqual([await totalOf('first'), await totalOf('second')], [1, 0]);
    await service().call('DELETE', `/questions/${id}`);
  });

  it('leaves no index entry, whether its earlier changes are folded or not', async () => {
    const readDb = await openReader(service().engine.reader);
    const change = async (folded: boolean) => {
      const { id } = await create(service(), { tags: ['folded'] });
      if (folded) await untilFolded(service(), readDb.db);
      await withoutFolding(service().engine, async () => {
        await service().call('PUT', `/questions/${id}`, { body: { tags: ['later'], difficulty: 2 } });
        await damage(service(), id);
        await service().call('POST', `/questions/${id}/restore`, { body: { revision: 1 } });
        await damage(service(), id);
        assert.equal((await service().call('DELETE', `/questions/${id}`)).status, 204);
      });
      await untilFolded(service(), readDb.db);
      assert.deepEqual(await readDb.db.snapshot((tx) => verifyIndex(tx, () => {})), []);
    };
    await change(false);
    await change(true);
    await readDb.close();
  });

  it('is noticed in other columns, in the index and in categories', async () => {
    const { id } = await create(service(), { tags: ['columns'], category: 'Science' });
    const expectDamage = async (sql: string, undo: string, path: string) => {
      await changeDirectly(service().engine, sql);
      const { status, body } = await service().call('GET', path);
      assert.deepEqual([status, body.code], [500, 'damaged_data'], sql);
      await changeDirectly(service().engine, undo);
      assert.equal((await service().call('GET', path)).status, 200, undo);
    };
    const setCategory = (n: number) => `UPDATE questions SET category_id = ${n} WHERE id = '${id}'`;
    await expectDamage(setCategory(1), setCategory(5), `/questions/${id}`);
    const addToChecksum = (n: number) => `UPDATE questions SET checksum = checksum + ${n} WHERE id = '${id}'`;
    await expectDamage(addToChecksum(1), addToChecksum(-1), `/questions/${id}`);
    const addToName = (text: string) => `UPDATE categories SET name_json = '${text}' WHERE name = 'Science'`;
    await expectDamage(addToName('"Sciencf"'), addToName('"Science"'), '/categories');
  });

  it('is noticed in revisions', async () => {
    const { id } = await create(service());
    await service().call('PUT', `/questions/${id}`, { body: { difficulty: 2 } });
    await changeDirectly(
      service().engine,
      `UPDATE revisions SET answer_json = replace(answer_json, 'Jupiter', 'Saturn') WHERE question_id = '${id}'`,
    );
    assertDamaged(await service().call('GET', `/questions/${id}/revisions`), id);
    assertDamaged(await service().call('POST', `/questions/${id}/restore`, { body: { revision: 1 } }), id);
  });

  it('is found by the verification', async () => {
    const { id } = await create(service(), { tags: ['verified'] });
    const found: string[] = [];
    const verifier = new Verifier(service().engine.reader, {
      info: () => {},
      warn: () => {},
      error: (fields) => found.push(JSON.stringify(fields)),
    });
    const readDb = await openReader(service().engine.reader);
    const verifyIndexNow = () => readDb.db.snapshot((tx) => verifyIndex(tx, () => {}));
    const known = found.length;
    await untilFolded(service(), readDb.db);
    assert.deepEqual(await verifyIndexNow(), []);
    const addToCount = (n: number) => `UPDATE postings SET n = n + ${n} WHERE facet = 'all'`;
    await changeDirectly(service().engine, `UPDATE questions SET external_id = 'other' WHERE id = '${id}'`);
    await changeDirectly(service().engine, addToCount(1));
    await verifier.run();
    assert.ok(found.slice(known).some((line) => line.includes(`question ${id}: external_id`)));
    assert.ok(found.some((line) => line.includes('index entry all')));
    assert.ok(verifier.stats.damaged >= 2 && verifier.stats.rows > 0 && verifier.stats.endedAt > 0);
    await changeDirectly(service().engine, addToCount(-1));
    await changeDirectly(service().engine, "DELETE FROM postings WHERE facet = 'all/left' OR facet = 'd1'");
    assert.ok((await verifyIndexNow()).some((line) => line.startsWith('index entry d1: ')));
    await readDb.close();
  });
});
