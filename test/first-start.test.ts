/** The first start, the program `quaestor`, and what is left of a secret on disk and in the log. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { sample } from './support/engines.ts';
import { freshDatabase } from './support/postgres.ts';
import {
  failedStart,
  removeFolder,
  SECRET,
  type Started,
  startService,
  tempFolder,
} from './support/process.ts';

const run = promisify(execFile);
const hasCurl = ['sh', 'curl'].every((tool) => !spawnSync(tool, ['--version']).error);
const program = resolve(import.meta.dirname, '../quaestor.mjs');

const signIn = (url: string, secret: string, id = 'admin') =>
  fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
  });

describe('the first start', () => {
  const folder = tempFolder();
  after(() => removeFolder(folder));

  it('prints a secret, a key and a command that works, once', async () => {
    const service = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_ADMIN_SECRET: '' });
    const [secret] = /qss_\w{36}/.exec(service.output())!;
    const [key] = /qsk_\w{36}/.exec(service.output())!;
    const [command] = /curl .*/.exec(service.output())!;
    if (hasCurl) assert.deepEqual(JSON.parse((await run('sh', ['-c', command])).stdout).data, []);
    assert.equal((await signIn(service.url, secret)).status, 200);
    // Nobody else on the machine reads the answers, whoever made the folder.
    for (const file of ['quaestor.db', 'quaestor.db-wal', 'quaestor.pid'])
      assert.equal(statSync(join(folder, file)).mode & 0o077, 0, file);
    const me = await fetch(`${service.url}/auth/me`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(((await me.json()) as { client: { id: string } }).client.id, 'admin');
    await service.end('SIGTERM');
    const again = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_ADMIN_SECRET: '' });
    assert.doesNotMatch(again.output(), /qs[sk]_/);
    assert.equal((await signIn(again.url, secret)).status, 200);
    await again.end('SIGTERM');
  });

  it('keeps to itself a secret that was given, in the environment or in a file', async () => {
    const file = join(folder, 'secret');
    writeFileSync(file, '  given in a file, with spaces \n');
    for (const [env, secret] of [
      [{ QUAESTOR_ADMIN_SECRET: 'given in the environment' }, 'given in the environment'],
      [{ QUAESTOR_ADMIN_SECRET: '', QUAESTOR_ADMIN_SECRET_FILE: file }, '  given in a file, with spaces '],
    ] as const) {
      const other = tempFolder();
      const service = await startService({ QUAESTOR_DATA_DIR: other, ...(env as Record<string, string>) });
      assert.ok(!service.output().includes(secret.trim()));
      assert.doesNotMatch(service.output(), /qs[sk]_/);
      assert.equal((await signIn(service.url, secret)).status, 200);
      await service.end('SIGTERM');
      const later = await startService({ QUAESTOR_DATA_DIR: other, QUAESTOR_ADMIN_SECRET: 'another secret' });
      assert.match(later.output(), /QUAESTOR_ADMIN_SECRET is not the secret of the client admin/);
      assert.equal((await signIn(later.url, 'another secret')).status, 401);
      await later.end('SIGTERM');
      removeFolder(other);
    }
  });

  it('makes no secret that nobody would see', async () => {
    const other = tempFolder();
    const holder = await startService({ QUAESTOR_DATA_DIR: folder });
    const env = { QUAESTOR_DATA_DIR: other, QUAESTOR_ADMIN_SECRET: '' };
    assert.equal((await failedStart({ ...env, PORT: String(holder.port) })).code, 1);
    await holder.end('SIGTERM');
    const service = await startService(env);
    assert.match(service.output(), /qss_/);
    await service.end('SIGTERM');
    removeFolder(other);
  });

  it('is the first for one of several that start together', async () => {
    const { url, drop } = await freshDatabase();
    const env = { QUAESTOR_DATABASE_URL: url, QUAESTOR_ADMIN_SECRET: '' };
    const services = await Promise.all(Array.from({ length: 3 }, () => startService(env)));
    const secrets = services.flatMap(({ output }) => /qss_\w{36}/.exec(output()) ?? []);
    assert.equal(secrets.length, 1);
    for (const service of services) assert.equal((await signIn(service.url, secrets[0]!)).status, 200);
    await Promise.all(services.map((service) => service.end('SIGTERM')));
    await drop();
  });
});

describe('the program quaestor', () => {
  const folder = tempFolder();
  let service: Started;
  const env = { ...process.env, QUAESTOR_DATA_DIR: folder };
  const quaestor = (...args: string[]) => run(process.execPath, [program, ...args], { env });
  const status = async (token: string, path = '/questions') =>
    (await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })).status;
  before(async () => {
    service = await startService({ QUAESTOR_DATA_DIR: folder });
  });
  after(async () => {
    await service.end('SIGTERM');
    removeFolder(folder);
  });

  it('gives a new secret to whoever lost it, while the service runs', async () => {
    const { stdout } = await quaestor('client', 'secret', 'admin');
    assert.match(stdout, /^qss_\w{36}\n$/);
    assert.equal(await status(service.token), 401);
    assert.equal((await signIn(service.url, SECRET)).status, 401);
    assert.equal((await signIn(service.url, stdout.trim())).status, 200);
  });

  it('adds, changes and removes clients', async () => {
    const { stdout, stderr } = await quaestor('client', 'add', 'A teacher', '--role', 'author', '--json');
    const { id, secret } = JSON.parse(stdout);
    assert.match(stderr, /shown this once/);
    assert.equal((await signIn(service.url, secret, id)).status, 200);
    assert.match((await quaestor('client', 'list')).stdout, new RegExp(`${id}  author  A teacher`));
    assert.match((await quaestor('client', 'role', id, 'reader')).stdout, /reader/);
    await quaestor('client', 'remove', id);
    assert.equal((await signIn(service.url, secret, id)).status, 401);
  });

  it('makes and ends keys', async () => {
    const key = (await quaestor('token', 'add', 'quiz', '--scope', 'questions:read')).stdout.trim();
    assert.equal(await status(key), 200);
    assert.equal(await status(key, '/auth/clients'), 403);
    const [{ id }] = JSON.parse((await quaestor('token', 'list', '--json')).stdout);
    assert.match((await quaestor('token', 'list', '--client', 'admin')).stdout, /quiz/);
    await quaestor('token', 'revoke', id);
    assert.equal(await status(key), 401);
  });

  it('leaves questions to the service: both write, and neither disturbs the other', async () => {
    const key = (await quaestor('token', 'add', 'writer')).stdout.trim();
    const post = () =>
      fetch(`${service.url}/questions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(sample()),
      });
    const adding = Array.from({ length: 3 }, (_, i) => quaestor('token', 'add', `n${i}`));
    const statuses: number[] = [];
    for (let i = 0; i < 100; i++) statuses.push((await post()).status);
    await Promise.all(adding);
    assert.deepEqual(new Set(statuses), new Set([201]));
    const headers = { authorization: `Bearer ${key}` };
    const page = (await (await fetch(`${service.url}/questions?limit=1000`, { headers })).json()) as {
      data: { id: string }[];
      pagination: { total: number };
    };
    assert.equal(page.pagination.total, 100);
    assert.equal(new Set(page.data.map(({ id }) => id)).size, 100);
  });

  it('says what it did not understand', async () => {
    const fails = async (args: string[], code: number, said: RegExp) => {
      const error = await quaestor(...args).then(
        () => assert.fail(`${args} went well`),
        (reason: { code: number; stderr: string }) => reason,
      );
      assert.equal(error.code, code, args.join(' '));
      assert.match(error.stderr, said);
      assert.ok(!error.stderr.includes('    at '), error.stderr);
    };
    await fails(['client', 'fly'], 2, /There is no command client fly/);
    await fails(['client', 'add', 'x'], 2, /The role must be one of reader/);
    await fails(['client', 'add', 'x', '--role', 'root'], 2, /The role must be one of reader/);
    await fails(['constructor', 'name'], 2, /There is no command constructor name/);
    await fails(['client', 'add', ' ', '--role', 'reader'], 2, /The name must not be empty/);
    await fails(['token', 'add', 'x', '--scope', ''], 2, /--scope must have at least 1 item/);
    await fails(['client', 'add'], 2, /quaestor client add NAME --role ROLE/);
    await fails(['--nonsense'], 2, /nonsense/);
    await fails(['client', 'secret', 'nobody'], 1, /There is no client nobody/);
    await fails(['client', 'remove', 'admin'], 1, /only admin/);
    await fails(['token', 'add', 'x', '--days', '400'], 2, /--days must be at most 365/);
    await fails(['token', 'add', 'x', '--scope', 'root'], 2, /--scope must be one of questions:read/);
    await fails(['token', 'add', 'x', '--client', 'nobody'], 1, /is the id of no client/);
    await fails(['client', 'list', '--data-dir', '/none/such'], 1, /There is no bank in \/none\/such/);
    assert.match((await quaestor('--help')).stdout, /quaestor token revoke ID/);
  });

  it('works on PostgreSQL, too', async () => {
    const { url, drop } = await freshDatabase();
    const empty = await run(process.execPath, [program, 'client', 'list'], {
      env: { ...process.env, QUAESTOR_DATABASE_URL: url },
    }).catch((error: { stderr: string }) => error);
    assert.match(empty.stderr, /There is no bank in this database/);
    const shared = await startService({ QUAESTOR_DATABASE_URL: url });
    const { stdout } = await run(process.execPath, [program, 'token', 'add', 'k'], {
      env: { ...process.env, QUAESTOR_DATABASE_URL: url },
    });
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    assert.equal((await fetch(`${shared.url}/auth/me`, { headers })).status, 200);
    await shared.end('SIGTERM');
    await drop();
  });
});

describe('secrets', () => {
  for (const engine of ['sqlite', 'postgres']) {
    it(`are neither in the database nor in the log (${engine})`, async () => {
      const folder = tempFolder();
      const database = engine === 'postgres' ? await freshDatabase() : undefined;
      const service = await startService({
        QUAESTOR_DATA_DIR: folder,
        QUAESTOR_LOG_LEVEL: 'trace',
        ...(database && { QUAESTOR_DATABASE_URL: database.url }),
      });
      const secrets = [SECRET, service.token];
      const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
        const response = await service.fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        });
        return (await response.json()) as Record<string, string>;
      };
      const once = { 'idempotency-key': 'k' };
      const client = await post('/auth/clients', { name: 'x', role: 'reader' }, once);
      secrets.push(client.secret!);
      secrets.push((await post(`/auth/clients/${client.id}/secret`, {}, once)).secret!);
      secrets.push((await post('/auth/tokens', { name: 'x' }, once)).token!);
      const first = (await (await signIn(service.url, SECRET)).json()) as Record<string, string>;
      secrets.push(first.access_token!, first.refresh_token!);
      const grant = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
      for (let i = 0; i < 2; i++) {
        const next = await post('/auth/token', grant);
        secrets.push(next.access_token!, next.refresh_token!);
      }
      // Where none belongs.
      await service.fetch(`/questions/${service.token}?token=${service.token}`);
      await signIn(service.url, 'admin', service.token);
      await post('/auth/token', { grant_type: first.refresh_token });
      await post('/auth/introspect', { token: first.access_token });
      const text = database
        ? await everythingIn(database.url)
        : readdirSync(folder)
            .map((file) => readFileSync(join(folder, file), 'latin1'))
            .join('\n');
      await service.end('SIGTERM');
      assert.ok(text.includes('$argon2id$v=19$m=19456,t=2,p=1$'));
      for (const [i, secret] of secrets.entries()) {
        assert.ok(secret, `secret ${i} is missing`);
        assert.ok(secret.length >= SECRET.length);
        assert.ok(!text.includes(secret), 'the database holds a secret');
        assert.ok(!service.output().includes(secret), 'the log holds a secret');
      }
      await database?.drop();
      removeFolder(folder);
    });
  }
});

async function everythingIn(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  let text = '';
  for (const { tablename } of rows) {
    const all = await client.query(`SELECT t::text AS row FROM ${tablename} t`);
    text += all.rows.map(({ row }) => row).join('\n');
  }
  await client.end();
  return text;
}
