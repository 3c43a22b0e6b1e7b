/** The pages of the console: routes, headers, and what a browser loads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Bundle, buildConsole } from '../console/build.ts';
import { EMPTY_DRAFT, mergeDrafts, toChange } from '../console/state/draft.ts';
import { openService, type Service } from './support/engines.ts';

/** Compressed. */
const MAX_BYTES = { firstScripts: 40_000, style: 12_000, chunk: 12_000 };

describe('the pages of the console', () => {
  let service: Service;
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.app.inject({ method: 'GET', url: path, headers });
  before(async () => {
    service = await openService('sqlite');
  });
  after(() => service.close());

  it('are built once for several services of a process', async () => {
    const other = await openService('sqlite');
    const pages = await Promise.all([get('/'), other.app.inject({ method: 'GET', url: '/' })]);
    await other.close();
    assert.deepEqual(
      pages.map(({ statusCode }) => statusCode),
      [200, 200],
    );
    assert.equal(buildConsole(), buildConsole());
  });

  it('are the same document at every address, without a session', async () => {
    const start = await get('/');
    assert.equal(start.statusCode, 200);
    assert.match(String(start.headers['content-type']), /^text\/html/);
    for (const path of ['/?x=1', '/console/questions?q=a&category=b', '/console/questions/some-id'])
      assert.equal((await get(path)).body, start.body, path);
    const again = await get('/', { 'if-none-match': String(start.headers.etag) });
    assert.equal(again.statusCode, 304);
    assert.equal((await service.app.inject({ method: 'HEAD', url: '/' })).headers.etag, start.headers.etag);
  });

  it('allow no script, style or request of another origin, and no markup from scripts', async () => {
    const { headers, body } = await get('/console/questions');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cache-control'], 'no-cache');
    assert.doesNotMatch(body, /<style|<script>|\sstyle=|\son\w+=|https?:/);
  });

  it('load assets whose names change with their content', async () => {
    const { body } = await get('/');
    const paths = [...body.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    assert.equal(paths.length, 2);
    for (const path of paths) {
      const plain = await get(path);
      assert.equal(plain.statusCode, 200, path);
      assert.match(String(plain.headers['content-type']), /^text\/(?:css|javascript)/);
      assert.match(String(plain.headers['cache-control']), /immutable/);
      assert.equal(plain.headers.vary, 'Accept-Encoding');
      const small = await get(path, { 'accept-encoding': 'br, gzip' });
      assert.equal(small.headers['content-encoding'], 'gzip');
      assert.equal(gunzipSync(small.rawPayload).toString(), plain.body);
      const refused = await get(path, { 'accept-encoding': 'gzip;q=0' });
      assert.equal(refused.headers['content-encoding'], undefined);
    }
    const missing = await get('/console/assets/none.js');
    assert.equal(missing.statusCode, 404);
    assert.equal(missing.json().code, 'no_such_route');
  });

  it('are public routes, and no operations of the API', async () => {
    const pages = service.app.routes.filter(({ config }) => config?.unlisted);
    assert.deepEqual(
      pages.map(({ url }) => url),
      ['/', '/console/:page', '/console/:page/:id', '/console/assets/:name'],
    );
    for (const { config } of pages) assert.equal(config?.public, true);
    const { paths } = (await get('/openapi.json')).json();
    assert.deepEqual(
      Object.keys(paths).filter((path) => path === '/' || path.startsWith('/console')),
      [],
    );
    assert.equal((await service.app.inject({ method: 'POST', url: '/' })).statusCode, 405);
  });
});

describe('two versions of a question', () => {
  const base = { ...EMPTY_DRAFT, question_text: 'Which?', tags: 'a', difficulty: '1' };

  it('are merged where one side has changed a field', () => {
    const theirs = { ...base, tags: 'a\nb', source: 'book' };
    const mine = { ...base, question_text: 'Which one?', source: 'book' };
    const merged = { ...theirs, question_text: 'Which one?' };
    assert.deepEqual(mergeDrafts(base, theirs, mine), { merged, conflicts: [] });
  });

  it('conflict where both have changed a field differently, which keeps the value of the draft', () => {
    const theirs = { ...base, tags: 'b', difficulty: '2' };
    const mine = { ...base, tags: 'c', difficulty: '2', explanation: 'so' };
    assert.deepEqual(mergeDrafts(base, theirs, mine), { merged: mine, conflicts: ['tags'] });
  });

  it('differ by the fields that are sent', () => {
    const changed = { ...base, tags: ' b \n\nc', explanation: '' };
    assert.deepEqual(toChange(changed, { ...base, explanation: 'so' }), {
      tags: ['b', 'c'],
      explanation: null,
    });
  });
});

describe('the bundle of the console', () => {
  let bundle: Bundle;
  before(async () => {
    bundle = await buildConsole();
  });

  /** The entry and all chunks that it imports before it runs. */
  function listFirstScripts(): string[] {
    const outputs = Object.entries(bundle.metafile.outputs);
    const found = new Set<string>();
    const add = (path: string) => {
      if (found.has(path)) return;
      found.add(path);
      for (const { path: next, kind } of bundle.metafile.outputs[path]!.imports)
        if (kind === 'import-statement') add(next);
    };
    add(outputs.find(([path]) => path.endsWith(bundle.script))![0]);
    return [...found].map((path) => path.slice(path.lastIndexOf('/') + 1));
  }
  const measure = (name: string) => bundle.assets.get(name)!.gzip.length;

  it('is small', () => {
    const first = listFirstScripts();
    const firstBytes = first.reduce((sum, name) => sum + measure(name), 0);
    assert.ok(firstBytes <= MAX_BYTES.firstScripts, `the first scripts have ${firstBytes} bytes`);
    assert.ok(measure(bundle.style) <= MAX_BYTES.style, `the style sheet has ${measure(bundle.style)} bytes`);
    for (const name of bundle.assets.keys())
      if (!first.includes(name))
        assert.ok(measure(name) <= MAX_BYTES.chunk, `${name} has ${measure(name)} bytes`);
  });

  it('has the console, its two packages and the client, and nothing else of the service', () => {
    const foreign = Object.keys(bundle.metafile.inputs).filter(
      (path) =>
        !/^(?:main|app)\.tsx$|^(?:pages|parts|state|style)\/|^\.\.\/src\/client\//.test(path) &&
        !/^\.\.\/node_modules\/(?:preact|@preact\/signals(?:-core)?)\//.test(path),
    );
    assert.deepEqual(foreign, []);
  });

  it('loads each page when it is opened', () => {
    const pages = Object.keys(bundle.metafile.inputs).filter((path) => /^pages\/.*\.tsx$/.test(path));
    const first = listFirstScripts();
    const inFirst = Object.entries(bundle.metafile.outputs)
      .filter(([path]) => first.some((name) => path.endsWith(name)))
      .flatMap(([, { inputs }]) => Object.keys(inputs))
      .filter((path) => pages.includes(path));
    assert.deepEqual(inFirst, ['pages/sign-in.tsx']);
  });
});
