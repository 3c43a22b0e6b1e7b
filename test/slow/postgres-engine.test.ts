/** The PostgreSQL engine: retries at the start, notifications, connection limits, timeouts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { openEngine } from '../../src/engines/index.ts';
import { StartError } from '../../src/engines/start-error.ts';
import { ApiError } from '../../src/errors.ts';
import type { Engine } from '../../src/store/db.ts';
import { createQuestions } from '../../src/store/questions/questions.ts';
import { sample } from '../support/engines.ts';
import { freshDatabase, type OwnPostgres, startOwnPostgres, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

describe('the PostgreSQL engine', () => {
  let server: OwnPostgres;
  let database: TestDatabase;
  before(async () => {
    server = await startOwnPostgres();
    database = await freshDatabase(server);
  });
  after(() => server.stop());

  const open = (postgres: object = {}) =>
    openEngine({ dataDir: '/nowhere', databaseUrl: database.url, postgres });

  async function withEngine(postgres: object, work: (engine: Engine) => Promise<void>): Promise<void> {
    const engine = await open(postgres);
    try {
      await work(engine);
    } finally {
      await engine.close();
    }
  }

  it('retries at the start until the server is available, for a limited time', async () => {
    await server.halt('fast');
    const lines: string[] = [];
    const wait = (ms: number) => ({ wait: { ms, report: (line: string) => lines.push(line) } });
    await assert.rejects(open(wait(1_200)), StartError);
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /^PostgreSQL is unavailable \(.+\)\. Retrying for 1\.2 s\.$/);
    const opening = open(wait(60_000));
    await until('a report', () => lines.length === 2);
    await server.start();
    await (await opening).close();
  });

  it('does not retry when the database does not exist', async () => {
    const databaseUrl = database.url.replace(/\/q_[0-9a-f]+/, '/not_there');
    const wait = { ms: 60_000, report: () => assert.fail('it waits') };
    await assert.rejects(openEngine({ dataDir: '/nowhere', databaseUrl, postgres: { wait } }), /not_there/);
  });

  it('is notified of the committed writes of another process', () =>
    withEngine({}, (here) =>
      withEngine({}, async (there) => {
        let notified = 0;
        there.notifications.subscribe('events', () => notified++);
        const creation = { inputs: [sample()], many: false };
        // The other process may not listen yet at the first write.
        await until('news', async () => {
          await here.write(createQuestions, creation);
          return notified > 0;
        });
      }),
    ));

  it('uses at most the configured connections, and one to monitor the server', () =>
    withEngine({ connections: 3 }, async (engine) => {
      let busy = true;
      const work = Promise.all(
        Array.from({ length: 30 }, (_, i) => engine.db.get('SELECT pg_sleep($1), 1 AS one', 0.1 + i / 1000)),
      ).finally(() => (busy = false));
      const most: Record<string, number> = {};
      while (busy) {
        const { rows } = await database.query(
          `SELECT application_name AS name, CAST(count(*) AS integer) AS n FROM pg_stat_activity
           WHERE datname = current_database() AND application_name LIKE 'quaestor%' GROUP BY 1`,
        );
        for (const { name, n } of rows) most[name] = Math.max(n, most[name] ?? 0);
      }
      await work;
      assert.deepEqual(most, { quaestor: 3, 'quaestor monitor': 1 });
    }));

  it('serves readers while all writers wait for a lock', () =>
    withEngine({ connections: 4 }, async (engine) => {
      const holder = new pg.Client({ connectionString: database.url });
      await holder.connect();
      await holder.query('BEGIN; LOCK TABLE questions IN SHARE MODE');
      const writes = Array.from({ length: 6 }, () =>
        engine.write(createQuestions, { inputs: [sample()], many: false }),
      );
      let settled = 0;
      for (const write of writes) write.catch(() => {}).finally(() => settled++);
      for (let i = 0; i < 5; i++) await engine.ready();
      assert.equal(settled, 0, 'a reader waited for writers');
      await holder.query('COMMIT');
      assert.equal((await Promise.all(writes)).length, 6);
      await holder.end();
    }));

  it('is ready while all its connections are in use', () =>
    withEngine({ connections: 1 }, async (engine) => {
      await engine.ready();
      const holder = new pg.Client({ connectionString: database.url });
      await holder.connect();
      await holder.query('SELECT pg_advisory_lock(1)');
      const busy = engine.db.get('SELECT pg_advisory_xact_lock(1), 1 AS one');
      await until('the wait', async () => {
        const { rows } = await database.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
        );
        return rows.length > 0;
      });
      for (let i = 0; i < 5; i++) await engine.ready();
      await holder.end();
      await busy;
    }));

  it('works with fewer connections than configured', async (t) => {
    const scarce = await freshDatabase(server);
    await database.query('CREATE ROLE scarce LOGIN CONNECTION LIMIT 3');
    await database.query(`ALTER DATABASE ${new URL(scarce.url).pathname.slice(1)} OWNER TO scarce`);
    const databaseUrl = scarce.url.replace('quaestor@', 'scarce@');
    const engine = await openEngine({ dataDir: '/nowhere', databaseUrl });
    t.after(() => engine.close());
    const reads = Array.from({ length: 40 }, (_, i) => engine.db.get('SELECT pg_sleep($1)', 0.02 + i / 1e6));
    assert.equal((await Promise.all(reads)).length, 40);
  });

  it('503: disconnects from a read-only server', () =>
    withEngine({}, async (engine) => {
      const write = () => engine.write(createQuestions, { inputs: [sample()], many: false });
      await write();
      const name = new URL(database.url).pathname.slice(1);
      await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quaestor'`,
      );
      const refused = (error: unknown) => error instanceof ApiError && error.status === 503;
      await until('a refusal', () => write().then(() => false, refused));
      await database.query(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET ALL; COMMIT`);
      for (let i = 0; i < 3; i++) await write().catch(() => {});
      await Promise.all([write(), write(), write()]);
    }));

  it('survives a schema change under its prepared statements', () =>
    withEngine({ connections: 4 }, async (engine) => {
      const read = (i: number) =>
        engine.db.get(
          'SELECT description, pg_sleep(0.05) FROM categories WHERE fixed >= $1 ORDER BY id LIMIT 1',
          -i,
        );
      const all = () => Promise.all(Array.from({ length: 4 }, (_, i) => read(i)));
      await all();
      await database.query('ALTER TABLE categories ALTER COLUMN description TYPE varchar(2000)');
      assert.equal((await all()).length, 4);
    }));

  it('503: cancels a statement that exceeds its timeout', () =>
    withEngine({}, async (engine) => {
      await assert.rejects(
        async () => engine.db.get('SELECT pg_sleep(30)'),
        (error) => error instanceof ApiError && error.status === 503 && error.code === 'too_slow',
      );
      await engine.ready();
    }));
});
