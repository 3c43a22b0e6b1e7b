/**
 * The first start of a bank, the command line `quaestor`, and the absence of secrets from disk and
 * log.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ENGINES, type EngineName, sample } from '../support/engines.ts';
import { removeFolder, tempFolder } from '../support/folders.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import {
  ADMIN_SECRET,
  type ServiceProcess,
  spawnService,
  startAndFail,
  startService,
} from '../support/process.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const hasCurl = ['sh', 'curl'].every((tool) => !spawnSync(tool, ['--version']).error);
const program = resolve(import.meta.dirname, '../../quaestor.mjs');

const signIn = (url: string, secret: string, id = 'admin') =>
  fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
  });

/** The bank of one test: a data folder or a database. */
async function createBank(
  engine: EngineName,
): Promise<{ env: Record<string, string>; drop(): Promise<void> }> {
  const folder = tempFolder();
  const database = engine === 'postgres' ? await freshDatabase() : undefined;
  return {
    env: {
      QUAESTOR_DATA_DIR: folder,
      QUAESTOR_ADMIN_SECRET: '',
      ...(database && { QUAESTOR_DATABASE_URL: database.url }),
    },
    drop: async () => {
      await database?.drop();
      removeFolder(folder);
    },
  };
}

const findSecret = (output: string) => /qss_\w{36}/.exec(output)?.[0];

describe('the first start', () => {
  const folder = tempFolder();
  after(() => removeFolder(folder));

  it('prints a secret, a key and a command that works, once', async () => {
    const service = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_ADMIN_SECRET: '' });
    const secret = findSecret(service.output())!;
    const [key] = /qsk_\w{36}/.exec(service.output())!;
    const [command] = /curl .*/.exec(service.output())!;
    if (hasCurl) assert.deepEqual(JSON.parse((await run('sh', ['-c', command])).stdout).data, []);
    assert.equal((await signIn(service.url, secret)).status, 200);
    // Other users of the machine cannot read the answers, whatever the mode of the folder.
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

  it('does not print a secret that is given in the environment or in a file', async () => {
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

  it('creates no credentials if the port is in use', async () => {
    const bank = await createBank('sqlite');
    const holder = await startService({ QUAESTOR_DATA_DIR: folder });
    const failed = await startAndFail({ ...bank.env, PORT: String(holder.port) });
    assert.equal(failed.code, 1);
    assert.doesNotMatch(failed.output, /qs[sk]_/);
    await holder.end('SIGTERM');
    const service = await startService(bank.env);
    assert.match(service.output(), /qss_/);
    await service.end('SIGTERM');
    await bank.drop();
  });

  it('prints the credentials once if several processes start together', async () => {
    const { url, drop } = await freshDatabase();
    const env = { QUAESTOR_DATABASE_URL: url, QUAESTOR_ADMIN_SECRET: '' };
    const services = await Promise.all(Array.from({ length: 3 }, () => startService(env)));
    const secrets = services.flatMap(({ output }) => findSecret(output()) ?? []);
    assert.equal(secrets.length, 1);
    for (const service of services) assert.equal((await signIn(service.url, secrets[0]!)).status, 200);
    await Promise.all(services.map((service) => service.end('SIGTERM')));
    await drop();
  });
});

/** Starts in one test of a race; half of them on each engine. */
const STARTS = 6;

for (const engine of ENGINES) {
  describe(`the first start (${engine})`, () => {
    it('accepts connections only when the client admin can sign in', async () => {
      for (let i = 0; i < STARTS / ENGINES.length; i++) {
        const bank = await createBank(engine);
        const port = await findFreePort();
        const url = `http://127.0.0.1:${port}`;
        const child = spawnService({ ...bank.env, PORT: String(port), QUAESTOR_ADMIN_SECRET: ADMIN_SECRET });
        const ended = once(child, 'exit');
        const statuses = { ready: [] as number[], token: [] as number[] };
        await until('the service to be ready', async () => {
          const ready = await readStatus(fetch(`${url}/ready`));
          const token = await readStatus(signIn(url, ADMIN_SECRET));
          if (ready) statuses.ready.push(ready);
          if (token) statuses.token.push(token);
          return token === 200 || child.exitCode !== null;
        });
        child.kill('SIGTERM');
        await ended;
        assert.deepEqual(new Set([...statuses.ready, ...statuses.token]), new Set([200]));
        await bank.drop();
      }
    });

    it('leaves a valid secret if it is killed at any moment', async () => {
      const bank = await createBank(engine);
      const secrets: string[] = [];
      // From the first statement of the program until the first credentials are shown.
      for (let delay = 50; secrets.length === 0; delay += KILL_STEP_MS) {
        const { output } = await killedStart(bank.env, (child) =>
          setTimeout(() => child.kill('SIGKILL'), delay),
        );
        const secret = findSecret(output);
        if (secret) secrets.push(secret);
      }
      await assertSecretIsValid(bank.env, secrets);
      await bank.drop();
    });

    it('leaves a valid secret if it is killed while it shows the secret', async () => {
      for (let i = 0; i < KILLS; i++) {
        const bank = await createBank(engine);
        const { output } = await killedStart(bank.env, (child) =>
          child.stderr!.on('data', (chunk) => /qss_/.test(String(chunk)) && child.kill('SIGKILL')),
        );
        await assertSecretIsValid(bank.env, [findSecret(output)!]);
        await bank.drop();
      }
    });

    it('creates no credentials if they cannot be shown', async () => {
      const bank = await createBank(engine);
      const child = spawnService(bank.env);
      child.stderr!.destroy();
      const [code] = await once(child, 'exit');
      assert.notEqual(code, 0);
      await assertSecretIsValid(bank.env, []);
      await bank.drop();
    });
  });
}

const KILL_STEP_MS = 150;
const KILLS = 2;

async function killedStart(
  env: Record<string, string>,
  kill: (child: ReturnType<typeof spawnService>) => unknown,
): Promise<{ output: string }> {
  const child = spawnService(env);
  kill(child);
  await once(child, 'close');
  return { output: child.output() };
}

/** The secret that was shown last, by earlier starts or by this one, is the one that is valid. */
async function assertSecretIsValid(env: Record<string, string>, shown: string[]): Promise<void> {
  const service = await startService(env);
  const secret = findSecret(service.output()) ?? shown.at(-1);
  assert.ok(secret, 'no secret was shown');
  assert.equal((await signIn(service.url, secret)).status, 200);
  await service.end('SIGTERM');
}

/** The status of a response; undefined if the connection is refused or reset. */
const readStatus = (answer: Promise<Response>) =>
  answer.then(
    ({ status }) => status,
    () => undefined,
  );

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

describe('the command line', () => {
  const folder = tempFolder();
  let service: ServiceProcess;
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

  it('replaces a lost secret while the service runs', async () => {
    const { stdout } = await quaestor('client', 'secret', 'admin');
    assert.match(stdout, /^qss_\w{36}\n$/);
    assert.equal(await status(service.token), 401);
    assert.equal((await signIn(service.url, ADMIN_SECRET)).status, 401);
    assert.equal((await signIn(service.url, stdout.trim())).status, 200);
  });

  it('adds, changes and removes clients', async () => {
    const { stdout, stderr } = await quaestor('client', 'add', 'A teacher', '--role', 'author', '--json');
    const { id, secret } = JSON.parse(stdout);
    assert.match(stderr, /shown only once/);
    assert.equal((await signIn(service.url, secret, id)).status, 200);
    assert.match((await quaestor('client', 'list')).stdout, new RegExp(`${id}  author  A teacher`));
    assert.match((await quaestor('client', 'role', id, 'reader')).stdout, /reader/);
    await quaestor('client', 'remove', id);
    assert.equal((await signIn(service.url, secret, id)).status, 401);
  });

  it('creates and revokes keys', async () => {
    const key = (await quaestor('token', 'add', 'quiz', '--scope', 'questions:read')).stdout.trim();
    assert.equal(await status(key), 200);
    assert.equal(await status(key, '/auth/clients'), 403);
    const [{ id }] = JSON.parse((await quaestor('token', 'list', '--json')).stdout);
    assert.match((await quaestor('token', 'list', '--client', 'admin')).stdout, /quiz/);
    await quaestor('token', 'revoke', id);
    assert.equal(await status(key), 401);
  });

  it('gives a key all scopes that are listed', async () => {
    const scopes = ['--scope', 'questions:read', '--scope', 'answers:read,answers:check analysis:read'];
    const { stdout } = await quaestor('token', 'add', 'several', ...scopes, '--scope', 'admin', '--json');
    assert.deepEqual(JSON.parse(stdout).scopes.toSorted(), [
      ...['admin', 'analysis:read', 'answers:check', 'answers:read', 'questions:read'],
    ]);
  });

  it('writes while the service writes questions', async () => {
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

  it('explains invalid arguments', async () => {
    const fails = async (args: string[], code: number, message: RegExp) => {
      const error = await quaestor(...args).then(
        () => assert.fail(`${args} succeeded`),
        (reason: { code: number; stderr: string }) => reason,
      );
      assert.equal(error.code, code, args.join(' '));
      assert.match(error.stderr, message);
      assert.ok(!error.stderr.includes('    at '), error.stderr);
    };
    await fails(['client', 'fly'], 2, /There is no command client fly/);
    await fails(['client', 'add', 'x'], 2, /The role must be one of reader/);
    await fails(['client', 'add', 'x', '--role', 'root'], 2, /--role must be one of reader/);
    await fails(['constructor', 'name'], 2, /There is no command constructor/);
    await fails(['client', 'add', ' ', '--role', 'reader'], 2, /The name must not be empty/);
    await fails(['token', 'add', 'x', '--scope', ''], 2, /--scope must have at least 1 item/);
    await fails(['client', 'add'], 2, /quaestor client add NAME --role ROLE/);
    await fails(['--nonsense'], 2, /nonsense/);
    await fails(['client', 'secret', 'unknown'], 1, /There is no client unknown/);
    await fails(['client', 'remove', 'admin'], 1, /only client with the role admin/);
    await fails(['token', 'add', 'x', '--days', '400'], 2, /--days must be at most 365/);
    await fails(['token', 'add', 'x', '--scope', 'root'], 2, /--scope must be one of questions:read/);
    const second = ['--scope', 'questions:read', '--scope', 'root'];
    await fails(['token', 'add', 'x', ...second], 2, /--scope must be one of questions:read/);
    await fails(['token', 'add', 'x', '--client', 'unknown'], 1, /is the id of no client/);
    await fails(['client', 'list', '--data-dir', '/none/such'], 1, /There is no bank in \/none\/such/);
    assert.match((await quaestor('help', 'token')).stdout, /quaestor token revoke ID/);
  });

  it('works on PostgreSQL', async () => {
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
  for (const engine of ENGINES) {
    it(`are neither in the database nor in the log (${engine})`, async () => {
      const folder = tempFolder();
      const database = engine === 'postgres' ? await freshDatabase() : undefined;
      const service = await startService({
        QUAESTOR_DATA_DIR: folder,
        QUAESTOR_LOG_LEVEL: 'trace',
        ...(database && { QUAESTOR_DATABASE_URL: database.url }),
      });
      const secrets = [ADMIN_SECRET, service.token];
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
      const first = (await (await signIn(service.url, ADMIN_SECRET)).json()) as Record<string, string>;
      secrets.push(first.access_token!, first.refresh_token!);
      const grant = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
      for (let i = 0; i < 2; i++) {
        const next = await post('/auth/token', grant);
        secrets.push(next.access_token!, next.refresh_token!);
      }
      // Tokens in unexpected positions of a request.
      await service.fetch(`/questions/${service.token}?token=${service.token}`);
      await signIn(service.url, 'admin', service.token);
      await post('/auth/token', { grant_type: first.refresh_token });
      await post('/auth/introspect', { token: first.access_token });
      const text = database
        ? await dumpDatabase(database)
        : readdirSync(folder)
            .map((file) => readFileSync(join(folder, file), 'latin1'))
            .join('\n');
      await service.end('SIGTERM');
      assert.ok(text.includes('$argon2id$v=19$m=19456,t=2,p=1$'));
      for (const [i, secret] of secrets.entries()) {
        assert.ok(secret, `secret ${i} is missing`);
        assert.ok(secret.length >= ADMIN_SECRET.length);
        assert.ok(!text.includes(secret), 'the database holds a secret');
        assert.ok(!service.output().includes(secret), 'the log holds a secret');
      }
      await database?.drop();
      removeFolder(folder);
    });
  }
});

async function dumpDatabase({ query }: TestDatabase): Promise<string> {
  const { rows } = await query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  let text = '';
  for (const { tablename } of rows) {
    const all = await query(`SELECT t::text AS row FROM ${tablename} t`);
    text += all.rows.map(({ row }) => row).join('\n');
  }
  return text;
}
