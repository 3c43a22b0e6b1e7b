/** The typed client: its types are those of the OpenAPI document, and what it does by itself. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { buildOpenApi } from '../src/api/docs/openapi.ts';
import { isProblem, Problem, Quaestor, Unreachable } from '../src/client/index.ts';
import { PROBLEMS } from '../src/schemas/problems.ts';
import { listen, openService, type Service, sample } from './support/engines.ts';
import { removeFolder, tempFolder } from './support/folders.ts';
import { renderOperations, renderSchemas } from './support/typed-client.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));

let service: Service;
let url = '';
before(async () => {
  service = await openService('sqlite');
  ({ url } = await listen(service));
  const body = Array.from({ length: 5 }, (_, n) =>
    sample({ question_text: `Which planet is number ${n}?`, incorrect_answers: ['Mars'] }),
  );
  await service.call('POST', '/questions', { body });
});
after(() => service.close());

const open = (options: object = {}) => new Quaestor({ url, token: service.admin.key, ...options });

/** Responds with these in turn, then with the last one. */
function replay(...responses: (Response | Error)[]) {
  const requests: { url: string; headers: Record<string, string> }[] = [];
  const send = async (address: unknown, init: RequestInit = {}) => {
    requests.push({ url: String(address), headers: init.headers as Record<string, string> });
    const next = responses.length > 1 ? responses.shift()! : responses[0]!;
    if (next instanceof Error) throw next;
    return next.clone();
  };
  return { requests, fetch: send as typeof fetch };
}
const problem = (status: number, code: string, retryAfter?: string) =>
  Response.json({ code, detail: code }, { status, headers: retryAfter ? { 'retry-after': retryAfter } : {} });

describe('the types of the client', () => {
  it('are those of the OpenAPI document: else run npm run client:types', () => {
    const document = buildOpenApi(service.app.routes);
    const generated = {
      'api-schemas.ts': renderSchemas(document),
      'api-operations.ts': renderOperations(document, Object.keys(PROBLEMS).sort()),
    };
    for (const [name, text] of Object.entries(generated)) {
      const path = join(root, 'src/client', name);
      if (process.env.QUAESTOR_TEST_WRITE_CLIENT) writeFileSync(path, text);
      assert.equal(readFileSync(path, 'utf8'), text, name);
    }
  });

  it('refuse wrong requests', () => {
    // Compiled, not run.
    const check = async (bank: Quaestor) => {
      // @ts-expect-error: there is no such operation
      await bank.call('GET /nothing');
      // @ts-expect-error: the path is missing
      await bank.call('GET /draws/{id}');
      // @ts-expect-error: the body is missing
      await bank.call('POST /draws');
      // @ts-expect-error: the count is a number
      await bank.call('POST /draws', { body: { count: '5' } });
      // @ts-expect-error: there is no such parameter
      await bank.call('GET /questions', { query: { nope: 1 } });
      // @ts-expect-error: it has no pages
      bank.pages('GET /draws/{id}', { path: { id: '' } });
      const { seed } = await bank.call('POST /draws', { body: { count: 5 } });
      const text: string = seed;
      // @ts-expect-error: it is a text
      const count: number = seed;
      return [text, count];
    };
    assert.equal(typeof check, 'function');
  });
});

describe('the client', () => {
  it('lists all items of pages, by cursor and by offset', async () => {
    const ids = async (query: object) => {
      const found: string[] = [];
      for await (const { id } of open().pages('GET /questions', { query })) found.push(id);
      return found;
    };
    const all = await ids({});
    assert.equal(all.length, 5);
    assert.deepEqual(await ids({ limit: 2 }), all);
    assert.deepEqual((await ids({ limit: 2, sort: 'random' })).sort(), all.toSorted());
    for (let n = 0; n < 3; n++) await open().call('POST /draws', { body: { count: 1 } });
    const draws = await Array.fromAsync(open().pages('GET /draws', { query: { limit: 2 } }));
    assert.equal(draws.length, 3);
  });

  it('throws typed problems', async () => {
    const error = await open()
      .call('POST /draws', { body: { count: 400 } })
      .catch((error) => error);
    assert.equal(isProblem(error, 'draw_conflict'), false);
    assert.ok(isProblem(error, 'short_supply'));
    assert.deepEqual(error.document.shortages, [{ quota: 0, asked: 400, available: 5, short: 395 }]);
    assert.ok(!isProblem(new Error()));
  });

  it('sends If-Match, and returns the ETag', async () => {
    const bank = open();
    const [first] = (await bank.call('GET /questions')).data;
    const path = { id: first!.id };
    const { etag } = await bank.send('GET /questions/{id}', { path });
    await bank.call('PATCH /questions/{id}', { path, body: { difficulty: 2 }, ifMatch: etag });
    await assert.rejects(
      bank.call('PATCH /questions/{id}', { path, body: { difficulty: 0 }, ifMatch: etag }),
      (error) => isProblem(error, 'precondition_failed'),
    );
    assert.match(await bank.call('GET /metrics'), /^# HELP/);
  });

  it('repeats requests with the same Idempotency-Key', async () => {
    const ok = Response.json({ id: '1' }, { status: 201 });
    const lost = new TypeError('fetch failed');
    const { requests, fetch } = replay(
      lost,
      problem(503, 'overloaded', '0'),
      problem(429, 'too_many_requests', '0'),
      ok,
    );
    await open({ fetch }).call('POST /categories', { body: { name: 'x' } });
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys.length, 4);
    assert.equal(new Set(keys).size, 1);
    assert.match(keys[0]!, /^[0-9a-f]{32}$/);
  });

  it('does not repeat what cannot succeed, or may have taken effect', async () => {
    const attempts = async (responses: (Response | Error)[], options: object = {}, more: object = {}) => {
      const { requests, fetch } = replay(...responses);
      const bank = open({ fetch, ...more });
      await assert.rejects(bank.call('PATCH /categories/{id}', { path: { id: '1' }, body: {}, ...options }));
      return requests.length;
    };
    assert.equal(await attempts([problem(422, 'invalid_body')]), 1);
    assert.equal(await attempts([problem(409, 'category_exists')]), 1);
    assert.equal(await attempts([problem(429, 'too_many_requests', '61')]), 1);
    assert.equal(await attempts([new TypeError('lost')], { ifMatch: '"1"' }), 1);
    assert.equal(await attempts([problem(503, 'overloaded', '0')], {}, { maxRetries: 2 }), 3);
    await assert.rejects(
      open({ maxRetries: 0, fetch: replay(new TypeError('lost')).fetch }).call('GET /questions'),
      Unreachable,
    );
  });

  it('signs in once, and renews tokens that expire or are revoked', async () => {
    const credentials = { clientId: 'admin', clientSecret: service.admin.secret };
    const sent: string[] = [];
    let used = '';
    const counting: typeof fetch = (address, init) => {
      sent.push(new URL(String(address)).pathname);
      const { authorization } = init!.headers as Record<string, string>;
      used = authorization?.slice('Bearer '.length) ?? used;
      return fetch(address, init);
    };
    const bank = new Quaestor({ url, credentials, fetch: counting });
    await Promise.all(Array.from({ length: 5 }, () => bank.call('GET /categories')));
    assert.equal(sent.filter((path) => path === '/auth/token').length, 1);
    await service.call('POST', '/auth/revoke', { token: null, body: { token: used } });
    assert.equal((await bank.call('GET /auth/me')).client.id, 'admin');
    assert.equal(sent.filter((path) => path === '/auth/token').length, 2);
  });

  it('uses a refresh token once', async () => {
    const tokens = (n: number) =>
      Response.json({ access_token: `a${n}`, refresh_token: `r${n}`, expires_in: n === 1 ? 0 : 900 });
    const list = Response.json({ data: [] });
    const { requests, fetch } = replay(tokens(1), list, tokens(2), list);
    const bank = new Quaestor({ url, credentials: { clientId: 'x', clientSecret: 'y' }, fetch });
    await bank.call('GET /categories');
    await Promise.all([bank.call('GET /categories'), bank.call('GET /categories')]);
    assert.deepEqual(
      requests.map(({ headers, url: address }) => headers.authorization ?? new URL(address).pathname),
      ['/auth/token', 'Bearer a1', '/auth/token', 'Bearer a2', 'Bearer a2'],
    );
  });

  it('resumes events after the last one', async () => {
    const bank = open();
    const stop = new AbortController();
    const seen: string[] = [];
    let last = '';
    for await (const { id, event, data } of bank.events({ signal: stop.signal })) {
      seen.push(event);
      last = id;
      if (event === 'stream.opened')
        await bank.call('POST /questions', { body: sample({ question_text: 'New?' }) });
      if (data.question_id) break;
    }
    assert.deepEqual(seen, ['stream.opened', 'question.created']);
    await bank.call('POST /questions', { body: sample({ question_text: 'Newer?' }) });
    for await (const { event } of bank.events({ lastEventId: last, signal: stop.signal })) {
      seen.push(event);
      if (event.startsWith('question')) stop.abort();
    }
    assert.deepEqual(seen.slice(2), ['stream.opened', 'question.created']);
    await assert.rejects(
      open({ token: 'wrong' }).events().next(),
      (error) => error instanceof Problem && error.status === 401,
    );
  });

  it('reconnects when a stream ends', async () => {
    const stream = (n: number) =>
      new Response(`retry: 1\nid: e${n}\nevent: question.created\ndata: {"at":"x"}\n\n: heartbeat\n\n`);
    const { requests, fetch } = replay(stream(1), new TypeError('lost'), stream(2), stream(3));
    const seen: string[] = [];
    for await (const { id } of open({ fetch }).events()) if (seen.push(id) === 3) break;
    assert.deepEqual(seen, ['e1', 'e2', 'e3']);
    assert.deepEqual(
      requests.map(({ headers }) => headers['last-event-id']),
      [undefined, 'e1', 'e1', 'e2'],
    );
  });
});

describe('docs/client.md', () => {
  const folder = tempFolder();
  after(() => removeFolder(folder));

  it('has examples that compile and run with the built package', async () => {
    const installed = join(folder, 'node_modules/quaestor');
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, 'package.json'), readFileSync(join(root, 'package.json')));
    const run = promisify(execFile);
    const built = join(installed, 'dist/client');
    await run(process.execPath, [TSC, '-p', join(root, 'src/client'), '--outDir', built]);
    const text = readFileSync(join(root, 'docs/client.md'), 'utf8');
    const files = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code], i) => {
      const path = join(folder, `example-${i}.ts`);
      writeFileSync(path, code!);
      return path;
    });
    assert.ok(files.length >= 5);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const strict = '--strict --noEmit --ignoreConfig --target esnext --module nodenext --skipLibCheck false';
    await run(process.execPath, [TSC, ...strict.split(' '), ...types, ...files]).catch(({ stdout }) =>
      assert.fail(stdout),
    );
    Object.assign(process.env, { QUAESTOR_URL: url, QUAESTOR_KEY: service.admin.key });
    const { log } = console;
    const printed: unknown[][] = [];
    console.log = (...values) => void printed.push(values);
    try {
      for (const file of files) await import(pathToFileURL(file).href);
    } finally {
      console.log = log;
    }
    assert.ok(printed.some(([value]) => value === true));
    assert.ok(printed.some(([value]) => value === 'stream.opened'));
  });
});
