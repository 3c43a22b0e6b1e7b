/** Compression of responses: when, for whom, and with which headers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { isOffered } from '../src/api/docs/openapi.ts';
import { acceptsGzip } from '../src/http/compression.ts';
import { containsAnswers } from '../src/schemas/answers.ts';
import { ROLES } from '../src/schemas/scopes.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

describe('Accept-Encoding', () => {
  const cases: [header: string | undefined, accepted: boolean][] = [
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['br, gzip;q=0.5', true],
    ['br', false],
    ['*', true],
    ['*;q=0', false],
    ['*;q=0, gzip', true],
    ['gzip;q=0', false],
    ['gzip;q=0, *', false],
    ['gzip;q=0.001', true],
    ['identity;q=0', false],
    ['identity;q=0, gzip;q=0.1', true],
    ['identity, gzip;q=0.5', false],
    ['identity;q=0.5, gzip', true],
    ['gzip , identity', true],
    ['gzip;q=2', false],
    ['gzip;q=x', false],
    ['gzip ; q=0.8', true],
    [';;,', false],
  ];
  for (const [header, accepted] of cases)
    it(`${header}: ${accepted ? 'gzip' : 'not compressed'}`, () =>
      assert.equal(acceptsGzip(header), accepted));
});

onEveryEngine('compression', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  /** A response with its bytes. */
  async function send(
    method: string,
    url: string,
    {
      token = service().admin.key,
      encoding = 'gzip',
      ...more
    }: {
      token?: string | null;
      encoding?: string | null;
      headers?: Record<string, string>;
      payload?: object;
    } = {},
  ) {
    const { statusCode, headers, rawPayload } = await service().app.inject({
      method: method as 'GET',
      url,
      ...(more.payload && { payload: more.payload }),
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(encoding && { 'accept-encoding': encoding }),
        ...more.headers,
      },
    });
    const isGzip = headers['content-encoding'] === 'gzip';
    const text = (isGzip && rawPayload.length > 0 ? gunzipSync(rawPayload) : rawPayload).toString();
    return { status: statusCode, headers, isGzip, text, bytes: rawPayload.length };
  }
  const fill = (n: number, changes: object = {}) =>
    call('POST', '/questions', { body: Array.from({ length: n }, () => sample(changes)) });

  it('compresses public documents', async () => {
    for (const url of ['/openapi.json', '/docs']) {
      const plain = await send('GET', url, { token: null, encoding: null });
      const { isGzip, text, bytes, headers } = await send('GET', url, { token: null });
      assert.deepEqual([isGzip, text, plain.isGzip], [true, plain.text, false]);
      assert.ok(bytes < plain.bytes / 4, `${bytes} of ${plain.bytes} bytes`);
      assert.equal(headers['content-length'], String(bytes));
      assert.match(String(headers.vary), /\bAccept-Encoding\b/);
      assert.match(String(plain.headers.vary), /\bAccept-Encoding\b/);
    }
  });

  it('compresses lists without answers, and never those with answers', async () => {
    await fill(20, { incorrect_answers: ['Mars', 'Venus'], explanation: 'It is.' });
    for (const role of ['reader', 'player', 'quiz'] as const) {
      const token = await service().keyFor(...ROLES[role]);
      const plain = await send('GET', '/questions?limit=20', { token, encoding: null });
      const { isGzip, text } = await send('GET', '/questions?limit=20', { token });
      assert.deepEqual([isGzip, text], [true, plain.text], role);
    }
    for (const url of ['/questions?limit=20', '/questions?q=planet'])
      assert.equal((await send('GET', url)).isGzip, false, url);
  });

  it('compresses no route by default that could show answers or credentials', () => {
    const wrong = service()
      .app.routes.filter(isOffered)
      .filter(({ config, schema }) => config?.compression === 'always' && containsAnswers(schema?.response));
    assert.deepEqual(wrong, []);
    const compressed = service()
      .app.routes.filter(isOffered)
      .filter(({ config }) => config?.compression !== 'never');
    assert.deepEqual(new Set(compressed.map(({ method }) => method)), new Set(['GET']));
    for (const { config, url } of compressed) {
      assert.ok(!config?.scopes?.includes('answers:read'), url);
      assert.notEqual(url, '/events');
    }
  });

  it('leaves short responses, problems and writes as they are', async () => {
    const token = await service().keyFor('questions:read', 'questions:write');
    assert.equal((await send('GET', '/difficulties', { token })).isGzip, false);
    const body = Array.from({ length: 50 }, () => sample({ difficulty: 9 }));
    const problem = await send('POST', '/questions', { token, payload: body });
    assert.deepEqual([problem.status, problem.isGzip], [422, false]);
    const created = await send('POST', '/questions', { token, payload: body.map(() => sample()) });
    assert.deepEqual([created.status, created.isGzip], [201, false]);
    const unknown = await send('GET', `/questions?${'x'.repeat(2000)}`, { token });
    assert.deepEqual([unknown.status, unknown.isGzip], [400, false]);
  });

  it('gives the compressed response an ETag of its own, which conditions accept', async () => {
    const token = await service().keyFor('questions:read', 'questions:write');
    const long = (await call('POST', '/questions', { body: sample({ question_text: 'x'.repeat(3000) }) }))
      .body;
    const url = `/questions/${long.id}`;
    const plain = await send('GET', url, { token, encoding: null });
    const zipped = await send('GET', url, { token });
    const [etag, zippedEtag] = [plain, zipped].map(({ headers }) => String(headers.etag));
    assert.deepEqual([zipped.isGzip, zipped.text], [true, plain.text]);
    assert.equal(zippedEtag, etag!.replace(/"$/, '+gzip"'));
    for (const known of [etag!, zippedEtag!, `W/${zippedEtag}`]) {
      const unchanged = await send('GET', url, { token, headers: { 'if-none-match': known } });
      assert.deepEqual([unchanged.status, unchanged.bytes, unchanged.isGzip], [304, 0, false]);
      assert.equal(unchanged.headers.etag, known.includes('gzip') ? zippedEtag : etag);
    }
    const stale = { 'if-match': '"AAAAAAAAAAAAAAAAAAAAAA+gzip"' };
    assert.equal((await send('DELETE', url, { token, headers: stale })).status, 412);
    assert.equal((await send('DELETE', url, { token, headers: { 'if-match': zippedEtag! } })).status, 204);
  });

  it('responds to HEAD as to GET', async () => {
    const token = await service().keyFor('questions:read');
    for (const url of ['/questions?limit=20', '/openapi.json', '/difficulties']) {
      const get = await send('GET', url, { token });
      const head = await send('HEAD', url, { token });
      assert.equal(head.bytes, 0);
      for (const name of ['content-encoding', 'content-length', 'etag', 'vary', 'content-type'])
        assert.equal(head.headers[name], get.headers[name], `${name} of ${url}`);
    }
  });

  it('compresses large pages while they are sent', async () => {
    const token = await service().keyFor('questions:read');
    await fill(150, { question_text: `${'Which planet has rings? '.repeat(400)}`, tags: ['large'] });
    const url = '/questions?tag=large&limit=150';
    const plain = await send('GET', url, { token, encoding: null });
    assert.ok(plain.bytes > 1024 * 1024);
    const { isGzip, text, bytes, headers } = await send('GET', url, { token });
    assert.deepEqual([isGzip, text === plain.text], [true, true]);
    assert.equal(headers['content-length'], undefined);
    assert.ok(bytes < plain.bytes / 10);
    const head = await send('HEAD', url, { token });
    assert.deepEqual([head.isGzip, head.headers['content-length'], head.bytes], [true, undefined, 0]);
  });

  it('compresses figures for callers without answers', async () => {
    const run = { analysis_type: 'readability' };
    const { id } = (await call('POST', '/analysis/run', { body: run, headers: { prefer: 'wait=30' } })).body;
    const token = await service().keyFor('analysis:read');
    const plain = await send('GET', `/analysis/${id}/plot.svg`, { token, encoding: null });
    const figure = await send('GET', `/analysis/${id}/plot.svg`, { token });
    assert.deepEqual([figure.isGzip, figure.text], [true, plain.text]);
    assert.equal(figure.headers['content-type'], plain.headers['content-type']);
    assert.equal((await send('GET', `/analysis/${id}/plot.svg`)).isGzip, false);
  });
});
