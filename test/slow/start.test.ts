import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type ServiceProcess, spawnService, startAndFail, startService } from '../support/process.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
after(() => removeFolder(folder));

const post = (service: ServiceProcess, body: unknown) =>
  service.fetch('/questions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the process', () => {
  it('stops on SIGTERM while it waits for its database', async () => {
    const child = spawnService({ QUAESTOR_DATABASE_URL: 'postgres://unknown@127.0.0.1:1/none' });
    await until('a report', () => /PostgreSQL is unavailable/.test(child.output()));
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });

  it('prints the addresses of the API, the documentation and the data, and stops on SIGTERM', async () => {
    const service = await startService({ QUAESTOR_DATA_DIR: folder });
    assert.match(service.output(), /API +http:\/\/127\.0\.0\.1:\d+\/questions/);
    assert.match(service.output(), /Documentation +http:\/\/127\.0\.0\.1:\d+\/docs/);
    assert.ok(service.output().includes(join(folder, 'quaestor.db')));
    assert.equal((await service.fetch(`/health`)).status, 200);
    assert.equal((await service.fetch(`/ready`)).status, 200);
    assert.equal((await post(service, sample())).status, 201);
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
    const again = await startService({ QUAESTOR_DATA_DIR: folder });
    assert.equal(((await (await again.fetch(`/questions`)).json()) as { data: unknown[] }).data.length, 1);
    assert.deepEqual(await again.end('SIGINT'), { code: 0, signal: null });
  });

  it('finishes accepted requests before it stops', async () => {
    const service = await startService({ QUAESTOR_DATA_DIR: folder });
    const batch = Array.from({ length: 1000 }, () => sample());
    const answer = post(service, batch);
    await new Promise((done) => setTimeout(done, 15));
    const ended = service.end('SIGTERM');
    const status = await answer.then(
      (response) => response.status,
      () => 0,
    );
    assert.deepEqual(await ended, { code: 0, signal: null });
    const again = await startService({ QUAESTOR_DATA_DIR: folder });
    const { pagination } = (await (await again.fetch(`/questions?limit=1`)).json()) as {
      pagination: { total: number };
    };
    assert.equal(pagination.total, status === 201 ? 1001 : 1);
    await again.end('SIGTERM');
  });

  it('logs each request with its id, without queries and bodies', async () => {
    const service = await startService({ QUAESTOR_DATA_DIR: folder });
    const response = await post(service, sample({ correct_answer: 'marker-answer' }));
    await service.fetch(`/questions?q=marker-query`);
    await post(service, 'marker-broken');
    await service.end('SIGTERM');
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const logged = lines
      .map((line) => JSON.parse(line))
      .find(({ request_id }) => request_id === response.headers.get('x-request-id'));
    assert.equal(logged.status, 201);
    assert.equal(logged.path, '/questions');
    assert.ok(!service.output().includes('marker'));
  });

  it('refuses a data folder that another process uses', async () => {
    const service = await startService({ QUAESTOR_DATA_DIR: folder });
    const { code, output } = await startAndFail({ QUAESTOR_DATA_DIR: folder });
    assert.equal(code, 1);
    assert.match(
      output,
      /^Quaestor cannot start: The data folder .+ is in use by another Quaestor \(process \d+\)/,
    );
    assert.ok(output.includes(String(service.child.pid)));
    await service.end('SIGKILL');
    const next = await startService({ QUAESTOR_DATA_DIR: folder });
    await next.end('SIGTERM');
  });

  it('explains that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => other.once('listening', done));
    const { port } = other.address() as { port: number };
    const { code, output } = await startAndFail({ QUAESTOR_DATA_DIR: folder, PORT: String(port) });
    other.close();
    assert.equal(code, 1);
    assert.match(output, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
  });

  it('prints what is wrong with a setting, without a stack, and ends with 1', async () => {
    for (const [env, message] of [
      [{ PORT: 'x' }, /^Quaestor cannot start: The setting PORT must be an integer \(it is "x"\)/],
      [{ QUAESTOR_ADMIN_SECRET: 'hunter2' }, /QUAESTOR_ADMIN_SECRET must have at least 8 characters\.$/m],
      [{ QUAESTOR_DATA_DIR: '/dev/null/x' }, /data folder \/dev\/null\/x cannot be created/],
      [{ HOST: '203.0.113.1' }, /HOST is 203\.0\.113\.1, which is not an address of this machine/],
    ] as const) {
      const { code, output } = await startAndFail({
        QUAESTOR_DATA_DIR: folder,
        ...(env as Record<string, string>),
      });
      assert.equal(code, 1);
      assert.match(output, message);
      assert.ok(!output.includes('    at ') && !output.includes('hunter2'), output);
    }
  });

  it('reads a secret setting from a file', async () => {
    const database = await freshDatabase();
    const file = join(folder, 'url');
    writeFileSync(file, `${database.url}\n`);
    const service = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_DATABASE_URL_FILE: file });
    assert.equal((await post(service, sample())).status, 201);
    await service.end('SIGTERM');
    await database.drop();
  });

  it('refuses a database of a newer version', async () => {
    const newer = tempFolder();
    const database = new DatabaseSync(join(newer, 'quaestor.db'));
    database.exec('PRAGMA user_version = 999');
    database.close();
    const embedded = await startAndFail({ QUAESTOR_DATA_DIR: newer });
    assert.match(embedded.output, /is version 999; this release supports up to \d+/);
    removeFolder(newer);
    const { url, query, drop } = await freshDatabase();
    await query('CREATE TABLE schema_version AS SELECT 999 AS version');
    const shared = await startAndFail({ QUAESTOR_DATABASE_URL: url });
    assert.match(shared.output, /is version 999; this release supports up to \d+/);
    await drop();
  });

  it('refuses a PostgreSQL older than the minimum', async () => {
    const { url, query, drop } = await freshDatabase();
    // The schema comes before pg_catalog, so its function replaces the built-in one.
    await query(`CREATE SCHEMA older;
      CREATE FUNCTION older.current_setting(name text) RETURNS text LANGUAGE sql AS
      $$ SELECT CASE name WHEN 'server_version_num' THEN '140012' ELSE pg_catalog.current_setting(name) END $$`);
    await query(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = older, pg_catalog, public`,
    );
    const { code, output } = await startAndFail({ QUAESTOR_DATABASE_URL: url });
    assert.equal(code, 1);
    assert.match(
      output,
      /^Quaestor cannot start: PostgreSQL 15 or newer is required; the server is version 14\.$/m,
    );
    await drop();
  });

  it('starts several times at once on an empty PostgreSQL database', async () => {
    const { url, drop } = await freshDatabase();
    const services = await Promise.all(
      Array.from({ length: 4 }, () => startService({ QUAESTOR_DATABASE_URL: url })),
    );
    const statuses = await Promise.all(
      services.map((service) => post(service, sample()).then(({ status }) => status)),
    );
    assert.deepEqual(statuses, [201, 201, 201, 201]);
    for (const service of services) {
      const { pagination } = (await (await service.fetch(`/questions`)).json()) as {
        pagination: { total: number };
      };
      assert.equal(pagination.total, 4);
    }
    await Promise.all(services.map((service) => service.end('SIGTERM')));
    await drop();
  });
});
