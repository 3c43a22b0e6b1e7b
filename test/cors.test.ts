/** Cross-origin requests: the origins that the operator names, and no others. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openService, type Service } from './support/engines.ts';

const QUIZ = 'https://quiz.example';
const LOCAL = 'http://localhost:8080';

/** None of these is a named origin. */
const HOSTILE = [
  'null',
  '*',
  'https://quiz.example.attacker.example',
  'https://attacker-quiz.example',
  'https://sub.quiz.example',
  'https://quiz.example:8443',
  'https://quiz.example:443',
  'http://quiz.example',
  'HTTPS://QUIZ.EXAMPLE',
  'https://Quiz.example',
  'https://quiz.example/',
  'https://quiz.example, https://attacker.example',
  'https://user@quiz.example',
  'http://localhost',
  'http://localhost:80801',
  'file://',
  '',
];

describe('cross-origin requests', () => {
  let service: Service;
  before(async () => {
    service = await openService('sqlite', { origins: [QUIZ, LOCAL], opentdb: { tag: 'public' } });
  });
  after(() => service.close());

  const send = (method: string, url: string, headers: Record<string, string>) =>
    service.app.inject({ method: method as 'GET', url, headers });
  const withToken = (origin: string) => ({ origin, authorization: `Bearer ${service.admin.key}` });
  const preflight = (origin: string, url = '/draws') =>
    send('OPTIONS', url, {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type, idempotency-key',
    });

  it('are answered for named origins, without credentials', async () => {
    for (const origin of [QUIZ, LOCAL]) {
      const { statusCode, headers } = await send('GET', '/questions', withToken(origin));
      assert.equal(statusCode, 200);
      assert.equal(headers['access-control-allow-origin'], origin);
      assert.equal(headers['access-control-allow-credentials'], undefined);
      assert.match(String(headers.vary), /\bOrigin\b/);
      for (const name of ['ETag', 'Link', 'Retry-After', 'RateLimit', 'X-Request-Id'])
        assert.ok(String(headers['access-control-expose-headers']).split(', ').includes(name), name);
    }
  });

  it('show errors to named origins', async () => {
    for (const [method, url, status] of [
      ['GET', '/questions', 401],
      ['GET', '/none', 404],
      ['DELETE', '/questions', 405],
    ] as const) {
      const { statusCode, headers } = await send(method, url, { origin: QUIZ });
      assert.equal(statusCode, status);
      assert.equal(headers['access-control-allow-origin'], QUIZ);
      assert.equal(String(headers.vary).match(/Origin/g)?.length, 1);
    }
  });

  it('are announced by preflights', async () => {
    for (const url of ['/draws', '/questions/1/check', '/v1/draws?x=y']) {
      const { statusCode, headers, body } = await preflight(QUIZ, url);
      assert.deepEqual([statusCode, body], [204, '']);
      assert.equal(headers['access-control-allow-origin'], QUIZ);
      assert.match(String(headers['access-control-allow-methods']), /\bPOST\b.*\bDELETE\b/);
      const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ');
      for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-match'])
        assert.ok(allowed.includes(name), name);
      assert.ok(!allowed.includes('cookie'));
      assert.equal(headers['access-control-max-age'], '7200');
      assert.equal(headers['access-control-allow-credentials'], undefined);
    }
    // Without the header of a preflight, OPTIONS is a method like others.
    assert.equal((await send('OPTIONS', '/draws', { origin: QUIZ })).statusCode, 405);
  });

  for (const origin of HOSTILE)
    it(`are not answered for ${JSON.stringify(origin)}`, async () => {
      for (const response of [await send('GET', '/questions', withToken(origin)), await preflight(origin)]) {
        assert.equal(response.headers['access-control-allow-origin'], undefined);
        assert.equal(response.headers['access-control-allow-methods'], undefined);
        assert.match(String(response.headers.vary), /\bOrigin\b/);
      }
      assert.equal((await preflight(origin)).statusCode, 405);
    });

  it('never reach the pages of the console', async () => {
    const { headers } = await send('GET', '/', { origin: QUIZ });
    assert.equal(headers['access-control-allow-origin'], undefined);
  });

  it('are answered for every origin by the API of the Open Trivia DB', async () => {
    for (const origin of [QUIZ, 'null']) {
      const { headers } = await send('GET', '/api.php?amount=1', { origin });
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal((await preflight(origin, '/api.php')).statusCode, 204);
    }
  });
});

describe('without named origins', () => {
  it('no cross-origin request is answered', async () => {
    const service = await openService('sqlite');
    try {
      const headers = { origin: QUIZ, 'access-control-request-method': 'GET' };
      const got = await service.app.inject({ url: '/health', headers });
      assert.equal(got.headers['access-control-allow-origin'], undefined);
      assert.doesNotMatch(String(got.headers.vary), /Origin/);
      const asked = await service.app.inject({ method: 'OPTIONS', url: '/questions', headers });
      assert.equal(asked.statusCode, 405);
    } finally {
      await service.close();
    }
  });
});
