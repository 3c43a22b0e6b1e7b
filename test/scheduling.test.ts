/**
 * Which writes and searches run, and in which order, while the database is busy. The tests control
 * that with a lock on the database: a first write waits for it, the others wait behind the first.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { FairPool } from '../src/engines/fair-pool.ts';
import { openEngine } from '../src/engines/index.ts';
import { PooledDb } from '../src/engines/postgres/pool.ts';
import { Connection } from '../src/engines/sqlite/connection.ts';
import { ApiError } from '../src/errors.ts';
import type { Engine, WriteOptions } from '../src/store/db.ts';
import { createQuestions } from '../src/store/questions/questions.ts';
import { ENGINES, onEveryEngine, sample } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { freshDatabase, type TestDatabase } from './support/postgres.ts';

const isTooSlow = (error: unknown) =>
  error instanceof ApiError && error.status === 503 && error.code === 'too_slow';
const LARGE = { bytes: 1_000_000 };

for (const name of ENGINES) {
  describe(`waiting writes (${name})`, () => {
    const folder = tempFolder();
    let database: TestDatabase | undefined;
    let engine: Engine;
    before(async () => {
      database = name === 'postgres' ? await freshDatabase() : undefined;
      // With 3 connections, one write runs at a time.
      engine = await openEngine({
        dataDir: folder,
        databaseUrl: database?.url,
        postgres: { connections: 3 },
      });
    });
    after(async () => {
      await engine.close();
      await database?.drop();
      removeFolder(folder);
    });

    /** Locks the bank against writes; returns the function that unlocks it. */
    async function lock(): Promise<() => Promise<void>> {
      if (database) {
        const holder = new pg.Client({ connectionString: database.url });
        await holder.connect();
        await holder.query('BEGIN; LOCK TABLE questions IN SHARE MODE');
        return () => holder.end();
      }
      const holder = new DatabaseSync(engine.location);
      holder.exec('BEGIN IMMEDIATE');
      return async () => holder.close();
    }

    const create = (external_id: string, options?: WriteOptions) =>
      engine.write(createQuestions, { inputs: [sample({ external_id })], many: false }, options);

    const isStored = async (external_id: string) =>
      (await engine.db.get('SELECT id FROM questions WHERE external_id = $1', external_id)) !== undefined;

    it('never executes a write whose deadline passes, or that is cancelled, while it waits', async () => {
      const unlock = await lock();
      const first = create('occupies the writer');
      await sleep(50);
      let cancelled = false;
      const late = create('late', { caller: 'a', deadlineAt: performance.now() + 20 });
      const lateLarge = create('late batch', { caller: 'a', deadlineAt: performance.now() + 20, ...LARGE });
      const closed = create('closed', { caller: 'b', isCancelled: () => cancelled });
      const wanted = create('wanted', { caller: 'a', deadlineAt: performance.now() + 3_600_000 });
      const refusals = Promise.all(
        [late, lateLarge, closed].map((write) => assert.rejects(write, isTooSlow)),
      );
      await sleep(50);
      cancelled = true;
      await unlock();
      await Promise.all([first, wanted, refusals]);
      assert.deepEqual(await Promise.all(['late', 'late batch', 'closed', 'wanted'].map(isStored)), [
        ...[false, false, false, true],
      ]);
    });

    it("serves other clients' short writes between the large ones of a client", async () => {
      const unlock = await lock();
      const done: string[] = [];
      const track = (id: string, options: WriteOptions) => create(id, options).then(() => done.push(id));
      const first = track('first', { caller: 'a' });
      await sleep(50);
      const writes = [
        first,
        ...[1, 2, 3, 4].map((i) => track(`batch ${i}`, { caller: 'a', ...LARGE })),
        track('short 1', { caller: 'b' }),
        track('short 2', { caller: 'c' }),
      ];
      await unlock();
      await Promise.all(writes);
      assert.equal(done[0], 'first');
      const place = (id: string) => done.indexOf(id);
      assert.ok(Math.max(place('short 1'), place('short 2')) < place('batch 3'), done.join(', '));
      assert.ok(place('batch 3') < place('batch 4'), done.join(', '));
    });

    it('executes all writes that wait before it closes', async () => {
      const data = tempFolder();
      const own = await openEngine({ dataDir: data, databaseUrl: database?.url });
      const inputs = [sample()];
      const writes = Array.from({ length: 20 }, (_, i) =>
        own.write(createQuestions, { inputs, many: false }, i % 5 === 0 ? LARGE : {}),
      );
      const closed = name === 'sqlite' ? own.close() : Promise.all(writes).then(() => own.close());
      assert.equal((await Promise.all(writes)).length, 20);
      await closed;
      removeFolder(data);
    });
  });
}

describe('FairPool', () => {
  it('serves callers in turn, and refuses a call when too many wait', async () => {
    const pool = new FairPool(['only']);
    const gate = Promise.withResolvers<void>();
    const served: string[] = [];
    const run = (caller: string) =>
      pool.run({ caller }, async () => {
        served.push(caller);
        await gate.promise;
      });
    const calls = [run('a'), ...Array.from({ length: 199 }, () => run('a')), run('b')];
    await assert.rejects(run('b'), (error) => error instanceof ApiError && error.code === 'overloaded');
    assert.equal(pool.inFlight, 201);
    gate.resolve();
    await Promise.all(calls);
    assert.ok(served.indexOf('b') <= 2, `b was served after ${served.indexOf('b')} calls`);
    assert.equal(pool.inFlight, 0);
  });

  it('lends at most half of the resources to one caller', async () => {
    const pool = new FairPool([1, 2, 3, 4]);
    const gate = Promise.withResolvers<void>();
    const running: string[] = [];
    const run = (caller: string) =>
      pool.run({ caller }, async () => {
        running.push(caller);
        await gate.promise;
      });
    const calls = Array.from({ length: 5 }, () => run('a'));
    assert.deepEqual(running, ['a', 'a']);
    calls.push(run('b'));
    assert.deepEqual(running, ['a', 'a', 'b']);
    gate.resolve();
    await Promise.all(calls);
    assert.deepEqual(running, ['a', 'a', 'b', 'a', 'a', 'a']);
  });
});

onEveryEngine('a search at its deadline', (service, name) => {
  it('is ended, and the connection serves the next one', async () => {
    const { engine } = service();
    const inputs = Array.from({ length: 100 }, () => sample());
    await engine.write(createQuestions, { inputs, many: true });
    if (engine.db instanceof PooledDb) {
      const slow = engine.db.limitedTo(20).snapshot(async (tx) => tx.get('SELECT pg_sleep(60)'));
      await assert.rejects(slow, isTooSlow);
      assert.ok(await engine.db.limitedTo(60_000).snapshot(async (tx) => tx.get('SELECT 1 AS one')));
      return;
    }
    assert.equal(name, 'sqlite');
    const connection = new Connection(engine.location, { readOnly: true });
    const count = () =>
      connection.get<{ n: number }>(
        `SELECT count(*) AS n FROM search WHERE search MATCH '"wplanet"' AND ${connection.dialect.withinDeadline}`,
      )!.n;
    connection.limitTime(-1);
    assert.throws(count, isTooSlow);
    connection.limitTime(3_600_000);
    assert.equal(count(), 100);
    connection.close();
  });

  it('400: limits the words and prefixes of a search', async () => {
    const { call } = service();
    const search = async (q: string) => {
      const { status, body } = await call('GET', `/questions?q=${encodeURIComponent(q)}`);
      return status === 200
        ? status
        : `${status} ${body.code} ${body.errors[0].pointer} ${body.errors[0].code}`;
    };
    const words = (n: number, suffix = '') =>
      Array.from({ length: n }, (_, i) => `w${i}x${suffix}`).join(' ');
    assert.equal(await search(words(16)), 200);
    assert.equal(await search(`${words(16)} ${words(16)} W0X`), 200);
    assert.equal(await search(words(17)), '400 invalid_query ?q too_many_terms');
    assert.equal(await search(words(4, '*')), 200);
    assert.equal(await search(words(5, '*')), '400 invalid_query ?q too_many_terms');
    assert.equal(await search('planet p*'), '400 invalid_query ?q prefix_too_short');
    assert.equal(await search('pl*'), 200);
    // Scripts without spaces are indexed by character: the prefix is the character itself.
    assert.equal(await search('行*'), 200);
    const { status, body } = await call('POST', '/analysis/run', {
      body: { analysis_type: 'coverage', filter: { q: words(17) } },
    });
    assert.equal(
      `${status} ${body.errors[0].pointer} ${body.errors[0].code}`,
      '422 /filter/q too_many_terms',
    );
  });
});
