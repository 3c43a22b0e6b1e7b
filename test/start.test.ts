import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { sample } from './support/engines.ts';
import { freshDatabase } from './support/postgres.ts';
import {
  failedStart,
  removeFolder,
  type Started,
  spawnService,
  startService,
  tempFolder,
} from './support/process.ts';
import { until } from './support/workers.ts';

const folder = tempFolder();
after(() => removeFolder(folder));

const post = (service: Started, body: unknown) =>
  service.fetch('/questions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the process', () => {
  it('stops on SIGTERM while it waits for its database', async () => {
    const child = spawnService({ QUAESTOR_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    await until('the message', () => /PostgreSQL is unavailable/.test(child.output()));
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
    const { code, output } = await failedStart({ QUAESTOR_DATA_DIR: folder });
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
    const { code, output } = await failedStart({ QUAESTOR_DATA_DIR: folder, PORT: String(port) });
    other.close();
    assert.equal(code, 1);
    assert.match(output, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
  });

  it('names an invalid setting', async () => {
    for (const [env, message] of [
      [{ PORT: 'x' }, /The setting PORT must be an integer \(it is "x"\)/],
      [{ PORT: '70000' }, /PORT must be at most 65535/],
      [{ QUAESTOR_LOG_LEVEL: 'loud' }, /QUAESTOR_LOG_LEVEL must be one of fatal/],
      [
        { QUAESTOR_DATABASE_URL: 'mysql://secret@x' },
        /QUAESTOR_DATABASE_URL must begin with postgres:\/\/\.$/m,
      ],
      [{ QUAESTOR_DATABSE_URL: 'x' }, /There is no setting QUAESTOR_DATABSE_URL/],
      [{ QUAESTOR_DATABASE_URL_FILE: '/none/such' }, /file of QUAESTOR_DATABASE_URL_FILE cannot be read/],
      [{ QUAESTOR_DATA_DIR: '/dev/null/x' }, /data folder \/dev\/null\/x cannot be created/],
      [{ QUAESTOR_DATA_DIR: '/proc' }, /data folder \/proc cannot be written to/],
      [{ HOST: '203.0.113.1' }, /HOST is 203\.0\.113\.1, which is not an address of this machine/],
      [{ QUAESTOR_DATABASE_URL: 'postgres://127.0.0.1:1/x' }, /PostgreSQL cannot be used: /],
      [{ QUAESTOR_ADMIN_SECRET: 'hunter2' }, /QUAESTOR_ADMIN_SECRET must have at least 8 characters\.$/m],
      [{ QUAESTOR_LIMIT_READ: '-1' }, /QUAESTOR_LIMIT_READ must be an integer/],
      [{ QUAESTOR_ACCESS_LIFETIME: '15' }, /QUAESTOR_ACCESS_LIFETIME must be a number and s, m, h or d/],
      [{ QUAESTOR_KEY_LIFETIME: '366d' }, /QUAESTOR_KEY_LIFETIME must be at most 365d/],
      [{ QUAESTOR_REFRESH_LIFETIME: '9999d' }, /QUAESTOR_REFRESH_LIFETIME must be at most 3650d/],
      [{ QUAESTOR_REFRESH_IDLE: '91d' }, /must not exceed QUAESTOR_REFRESH_LIFETIME/],
      [
        { QUAESTOR_ADMIN_SECRET_FILE: '/x' },
        /Both QUAESTOR_ADMIN_SECRET and QUAESTOR_ADMIN_SECRET_FILE are set/,
      ],
      [{ QUAESTOR_DATA_DIR: '/proc/x' }, /data folder \/proc\/x cannot be created/],
      [
        { QUAESTOR_TRUSTED_PROXIES: '10.0.0.0/8, x' },
        /QUAESTOR_TRUSTED_PROXIES is wrong: "x" is neither an IP address/,
      ],
    ] as const) {
      const { code, output } = await failedStart({
        QUAESTOR_DATA_DIR: folder,
        ...(env as Record<string, string>),
      });
      assert.equal(code, 1);
      assert.match(output, message);
      assert.ok(!output.includes('    at ') && !/secret@|hunter2/.test(output), output);
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
    const embedded = await failedStart({ QUAESTOR_DATA_DIR: newer });
    assert.match(embedded.output, /is version 999; this release supports up to \d+/);
    removeFolder(newer);
    const { url, drop } = await freshDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('CREATE TABLE schema_version AS SELECT 999 AS version');
    await client.end();
    const shared = await failedStart({ QUAESTOR_DATABASE_URL: url });
    assert.match(shared.output, /is version 999; this release supports up to \d+/);
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
