/** Connections with malformed, slow and malicious clients. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { DEFAULT_HTTP_TIMINGS } from '../src/http/timings.ts';
import { type Listening, listen, NO_LIMITS, openService, type Service, sample } from './support/engines.ts';
import { exchange } from './support/exchange.ts';
import { until } from './support/until.ts';

const formatHeaders = ({ token }: Listening) => `Host: x\r\nAuthorization: Bearer ${token}\r\n`;

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

const parseProblem = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));

describe('on the wire', () => {
  let opened: Service;
  let service: Listening;
  /** The headers of an authorized request. */
  let authorizedHeaders: string;
  before(async () => {
    opened = await openService('sqlite');
    service = await listen(opened);
    authorizedHeaders = formatHeaders(service);
  });
  after(() => opened.close());

  it('answers malformed requests with one problem document and closes', async () => {
    const post = `POST /questions HTTP/1.1\r\n${authorizedHeaders}Content-Type: application/json\r\n`;
    const cases: [name: string, bytes: string, status: number][] = [
      ['nonsense', 'HELLO\r\n\r\n', 400],
      ['TLS', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 400],
      ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
      ['length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
      ['space before the colon', 'GET /questions HTTP/1.1\r\nHost : x\r\n\r\n', 400],
      ['a bare line feed', 'GET /questions HTTP/1.1\nHost: x\n\n', 400],
      ['no host', 'GET /questions HTTP/1.1\r\n\r\n', 400],
      ['two hosts', 'GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
      ['two tokens', `GET /questions HTTP/1.1\r\n${authorizedHeaders}authorization: Bearer x\r\n\r\n`, 400],
      ['NUL in a header', 'GET /questions HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400],
      ['18 kB of headers', `GET /questions HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(18_000)}\r\n\r\n`, 431],
      ['18 kB of URL', `GET /questions?q=${'a'.repeat(18_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
      ['an unknown method', 'BREW /questions HTTP/1.1\r\nHost: x\r\n\r\n', 501],
      ['a method in lower case', 'get /health HTTP/1.1\r\nHost: x\r\n\r\n', 501],
      ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      ['a compressed body', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 501],
      ['a body without an end', `${post}Transfer-Encoding: gzip\r\n\r\n{}`, 400],
      ['CONNECT', 'CONNECT x.example:443 HTTP/1.1\r\nHost: x.example\r\n\r\n', 405],
      ['a broken chunk', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ];
    for (const [name, bytes, status] of cases) {
      const { text, closed } = await exchange(service.port, [bytes]);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), `${name}: ${text.slice(0, 200)}`);
      assert.equal(text.match(/HTTP\/1\.1 \d/g)?.length, 1, name);
      assert.ok(closed, name);
      assert.match(text, /content-type: application\/problem\+json/i, name);
      assert.equal(parseProblem(text).status, status, name);
    }
    assert.equal((await service.fetch(`/health`)).status, 200);
  });

  it('survives headers with the names of prototype properties', async () => {
    const { text } = await exchange(service.port, [
      'GET /health HTTP/1.1\r\nHost: x\r\n__proto__: a\r\nconstructor: b\r\nConnection: close\r\n\r\n',
    ]);
    assert.match(text, /^HTTP\/1\.1 (200|400) /);
    assert.equal((await service.fetch(`/health`)).status, 200);
  });

  it('401: rejects a body that arrives after its token was revoked or its role changed', async () => {
    const json = { 'content-type': 'application/json' };
    const post = async (path: string, body: object) =>
      (await (
        await service.fetch(path, { method: 'POST', headers: json, body: JSON.stringify(body) })
      ).json()) as Record<string, string>;
    const held = async (path: string, body: string, token: string, meanwhile: () => Promise<unknown>) => {
      const head =
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n` +
        // 100 Continue shows that the request was admitted.
        'Expect: 100-continue\r\n' +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const { text } = await exchange(service.port, [
        head,
        async (received) => {
          await until('100 Continue', () => received() === CONTINUE);
          await meanwhile();
          return body;
        },
      ]);
      return Number(/^HTTP\/1\.1 (\d+)/.exec(text.slice(CONTINUE.length))?.[1]);
    };
    const bodies: [path: string, body: object][] = [
      ['/auth/tokens', { name: 'late' }],
      ['/auth/clients', { name: 'late', role: 'admin' }],
      ['/questions', sample({ external_id: 'late' })],
    ];
    for (const [path, body] of bodies) {
      const { token, id } = await post('/auth/tokens', { name: 'ends soon' });
      const end = () => service.fetch(`/auth/tokens/${id}`, { method: 'DELETE' });
      assert.equal(await held(path, JSON.stringify(body), token!, end), 401, path);
    }
    const client = await post('/auth/clients', { name: 'demoted', role: 'admin' });
    const { token } = await post('/auth/tokens', { name: 'k', client_id: client.id! });
    const demote = () =>
      service.fetch(`/auth/clients/${client.id}`, {
        method: 'PUT',
        headers: json,
        body: '{"role":"reader"}',
      });
    const [path, body] = bodies[1]!;
    assert.equal(await held(path, JSON.stringify(body), token!, demote), 403);
  });

  it('417: rejects unknown expectations', async () => {
    const { text } = await exchange(service.port, [
      'GET /health HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n',
    ]);
    assert.match(text, /^HTTP\/1\.1 417 /);
    assert.equal(
      parseProblem(text.replace(/\r\n\r\n[0-9a-f]+\r\n/i, '\r\n\r\n').replace(/\r\n0\r\n\r\n$/, '')).code,
      'expectation_failed',
    );
  });

  it('405: lists the methods of the service to CONNECT', async () => {
    const { text } = await exchange(service.port, [
      'CONNECT x.example:443 HTTP/1.1\r\nHost: x.example\r\n\r\n',
    ]);
    assert.match(text, /\r\nallow: GET, HEAD, POST, PUT, PATCH, DELETE\r\n/i);
  });

  it('ignores offers of another protocol', async () => {
    for (const protocol of ['h2c', 'websocket', 'TLS/1.0']) {
      const request =
        `POST /questions HTTP/1.1\r\n${authorizedHeaders}Connection: Upgrade, HTTP2-Settings\r\n` +
        `Upgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n' +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
      const { text } = await exchange(service.port, [request], { until: /\}$/ });
      assert.match(text, /^HTTP\/1\.1 422 /, protocol);
      assert.equal(parseProblem(text).code, 'invalid_body', protocol);
    }
  });

  it('serves pipelined requests one after the other, and refuses too many of them', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\n${authorizedHeaders}\r\n`;
    const list = get('/questions?limit=1');
    const { text } = await exchange(service.port, [
      `${list.repeat(70)}${get('/categories').replace('Host', 'Connection: close\r\nHost')}`,
    ]);
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    assert.equal(statuses.length, 71);
    // In order: one at once, 64 that wait, and the rest.
    assert.deepEqual(statuses, [...Array(65).fill('200'), ...Array(6).fill('503')]);
  });

  it('accepts an absolute URL, as proxies send it', async () => {
    const { text } = await exchange(service.port, [
      'GET http://x.example/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ]);
    assert.match(text, /^HTTP\/1\.1 200 /);
  });

  it('rejects a query string with non-ASCII bytes, and escapes links', async () => {
    const ask = (query: string) =>
      exchange(service.port, [
        Buffer.from(
          `GET /questions?${query} HTTP/1.1\r\n${authorizedHeaders}Connection: close\r\n\r\n`,
          'utf8',
        ),
      ]);
    assert.match((await ask('q=é')).text, /^HTTP\/1\.1 400 /);
    const { text } = await ask('tag=a>;rel="x"?b');
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.ok(text.includes('</questions?tag=a%3E;rel=%22x%22?b&limit=20&offset=0>; rel="first"'), text);
  });

  it('answers a client that has closed its side of the connection', async () => {
    const answer = await new Promise<string>((done) => {
      let text = '';
      const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => done(text));
      socket.end(`GET /questions HTTP/1.1\r\n${authorizedHeaders}Connection: close\r\n\r\n`);
    });
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  it('413: reaches a client that is still sending', async () => {
    const body = Buffer.alloc(11 * 1024 * 1024, 32);
    for (let i = 0; i < 5; i++) {
      const headers = { 'content-type': 'application/json' };
      const response = await service.fetch(`/questions`, { method: 'POST', headers, body });
      assert.equal(response.status, 413);
    }
  });

  it('413: rejects a body that is too large before all of it arrives', async () => {
    const head = `PUT /questions/x HTTP/1.1\r\n${authorizedHeaders}Content-Type: application/json\r\nContent-Length: ${2 ** 31}\r\n\r\n`;
    const { text } = await exchange(service.port, [head], { until: /\r\n\r\n.*\}$/s });
    assert.match(text, /^HTTP\/1\.1 413 /);
    assert.equal(parseProblem(text).code, 'body_too_large');
  });
});

describe('time limits on the wire', () => {
  const timings = {
    headersTimeoutMs: 800,
    requestTimeoutMs: 1_000,
    connectionCheckMs: 100,
    readTimeoutMs: 400,
  };
  let opened: Service;
  let service: Listening;
  let authorizedHeaders: string;
  before(async () => {
    opened = await openService('sqlite', { timings });
    service = await listen(opened);
    authorizedHeaders = formatHeaders(service);
  });
  after(() => opened.close());

  it('are 10 s for headers and 12 s for a whole request by default', () => {
    assert.equal(DEFAULT_HTTP_TIMINGS.headersTimeoutMs, 10_000);
    assert.equal(DEFAULT_HTTP_TIMINGS.requestTimeoutMs, 12_000);
    assert.equal(DEFAULT_HTTP_TIMINGS.connectionCheckMs, 1_000);
  });

  it('408: discards a request that arrives too late', async () => {
    const body = JSON.stringify(sample({ external_id: 'too late' }));
    const head = `POST /questions HTTP/1.1\r\n${authorizedHeaders}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const { text } = await exchange(service.port, [head + body.slice(0, 20), body.slice(20)], {
      pauseMs: 2_500,
    });
    assert.match(text, /^HTTP\/1\.1 408 /);
    const found = (await (await service.fetch(`/questions?external_id=too+late`)).json()) as {
      data: unknown[];
    };
    assert.deepEqual(found.data, []);
  });

  it('disconnects a client that requests much and reads nothing', async () => {
    const many = Array.from({ length: 1000 }, () => sample({ explanation: 'long '.repeat(1000) }));
    await opened.call('POST', '/questions', { body: many });
    const page = (await (await service.fetch(`/questions?limit=1000`)).arrayBuffer()).byteLength;
    const received = await new Promise<number>((done) => {
      let bytes = 0;
      const socket = connect(service.port, '127.0.0.1');
      socket.write(`GET /questions?limit=1000 HTTP/1.1\r\n${authorizedHeaders}\r\n`.repeat(8));
      socket.on('error', () => {});
      socket.on('close', () => done(bytes));
      // Reads nothing until well after the time limit.
      setTimeout(() => {
        socket.on('data', (chunk) => {
          bytes += chunk.length;
        });
      }, 3_000);
    });
    assert.ok(received < 8 * page, `${received} bytes of ${8 * page}`);
  });

  it('408: disconnects clients that send headers or a body too slowly, and serves others meanwhile', async () => {
    const slowly = (text: string) => exchange(service.port, [...text].map(String), { pauseMs: 100 });
    const head = `POST /questions HTTP/1.1\r\n${authorizedHeaders}Content-Type: application/json\r\nContent-Length: 900\r\n\r\n`;
    const headers = Array.from({ length: 50 }, () =>
      slowly('GET /questions HTTP/1.1\r\nHost: x\r\n'.padEnd(60, 'X')),
    );
    const bodies = Array.from({ length: 50 }, () =>
      exchange(service.port, [head, ...' '.repeat(30)], { pauseMs: 100 }),
    );
    for (let i = 0; i < 5; i++) {
      const response = await service.fetch(`/questions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sample()),
      });
      assert.equal(response.status, 201);
    }
    for (const { closed, text } of await Promise.all([...headers, ...bodies])) {
      assert.ok(closed, 'still open');
      assert.match(text, /^HTTP\/1\.1 408 /);
      assert.equal(parseProblem(text).code, 'request_timeout');
    }
  });
});

describe('Expect: 100-continue', () => {
  let opened: Service;
  let service: Listening;
  before(async () => {
    opened = await openService('sqlite');
    service = await listen(opened);
  });
  after(() => opened.close());

  const BODY = JSON.stringify(sample());
  const formatHead = ({
    path = '/questions',
    token = service.token,
    type = 'application/json',
    length = BODY.length,
  }) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\n` +
    `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

  it('asks for the body after admission, and keeps the connection', async () => {
    const first = await exchange(service.port, [formatHead({})], { until: /\r\n\r\n/ });
    assert.equal(first.text, CONTINUE);
    const next = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const { text } = await exchange(service.port, [formatHead({}), BODY, next]);
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 100', 'HTTP/1.1 201', 'HTTP/1.1 200']);
  });

  it('refuses a request without asking for its body, and closes', async () => {
    const reader = await opened.keyFor('questions:read');
    const cases: [head: Parameters<typeof formatHead>[0], status: number][] = [
      [{ token: 'unknown' }, 401],
      [{ token: reader }, 403],
      [{ path: '/nothing' }, 404],
      [{ path: '/health' }, 405],
      [{ length: 2 ** 31 }, 413],
      [{ type: 'text/plain' }, 415],
    ];
    for (const [head, status] of cases) {
      const { text, closed } = await exchange(service.port, [formatHead(head)]);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(parseProblem(text).status, status);
      assert.ok(closed);
    }
  });

  it('429: comes before the body', async (t) => {
    const limited = await openService('sqlite', { limits: { ...NO_LIMITS, write: 1 } });
    t.after(() => limited.close());
    const { port, token } = await listen(limited);
    const texts: string[] = [];
    // A new minute may begin between two of the three.
    for (let i = 0; i < 3; i++)
      texts.push((await exchange(port, [formatHead({ token })], { until: /\r\n\r\n$|\}$/ })).text);
    assert.equal(texts[0], CONTINUE);
    assert.ok(texts.some((text) => text.startsWith('HTTP/1.1 429 ')));
  });
});
