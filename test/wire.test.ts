/** Below HTTP: what broken, slow and dishonest clients put on the wire. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { sample } from './support/engines.ts';
import { removeFolder, type Started, startService, tempFolder } from './support/process.ts';

/** Everything the server says on one connection, until it closes it or the time is over. */
function talk(port: number, pieces: (string | Buffer)[], { most = 3_000, pause = 0 } = {}) {
  return new Promise<{ text: string; closed: boolean; ms: number }>((done) => {
    const started = Date.now();
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      done({ text, closed, ms: Date.now() - started });
    };
    const timer = setTimeout(() => finish(false), most);
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('close', () => finish(true));
    socket.on('error', () => {});
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        if (pause > 0) await new Promise((next) => setTimeout(next, pause));
      }
    });
  });
}

const problemIn = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));

describe('on the wire', () => {
  const folder = tempFolder();
  let service: Started;
  /** The headers of somebody who may do everything. */
  let known: string;
  before(async () => {
    service = await startService({ QUAESTOR_DATA_DIR: folder, QUAESTOR_LOG_LEVEL: 'error' });
    known = `Host: x\r\nAuthorization: Bearer ${service.token}\r\n`;
  });
  after(async () => {
    await service.end('SIGTERM');
    removeFolder(folder);
  });

  it('answers what is no request with one problem document and closes', async () => {
    const post = `POST /questions HTTP/1.1\r\n${known}Content-Type: application/json\r\n`;
    const cases: [name: string, bytes: string, status: number][] = [
      ['nonsense', 'HELLO\r\n\r\n', 400],
      ['TLS', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 400],
      ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
      ['length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
      ['space before the colon', 'GET /questions HTTP/1.1\r\nHost : x\r\n\r\n', 400],
      ['a bare line feed', 'GET /questions HTTP/1.1\nHost: x\n\n', 400],
      ['no host', 'GET /questions HTTP/1.1\r\n\r\n', 400],
      ['two hosts', 'GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
      ['two tokens', `GET /questions HTTP/1.1\r\n${known}authorization: Bearer x\r\n\r\n`, 400],
      ['NUL in a header', 'GET /questions HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400],
      ['18 kB of headers', `GET /questions HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(18_000)}\r\n\r\n`, 431],
      ['18 kB of URL', `GET /questions?q=${'a'.repeat(18_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
      ['a broken chunk', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ];
    for (const [name, bytes, status] of cases) {
      const { text, closed } = await talk(service.port, [bytes]);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `), `${name}: ${text.slice(0, 200)}`);
      assert.equal(text.match(/HTTP\/1\.1 \d/g)?.length, 1, name);
      assert.ok(closed, name);
      assert.match(text, /content-type: application\/problem\+json/i, name);
      assert.equal(problemIn(text).status, status, name);
    }
    assert.equal((await service.fetch(`/health`)).status, 200);
  });

  it('lives on after headers with the names of prototypes', async () => {
    const { text } = await talk(service.port, [
      'GET /health HTTP/1.1\r\nHost: x\r\n__proto__: a\r\nconstructor: b\r\nConnection: close\r\n\r\n',
    ]);
    assert.match(text, /^HTTP\/1\.1 (200|400) /);
    assert.equal((await service.fetch(`/health`)).status, 200);
  });

  it('does not do after a 408 what it refused to wait for', async () => {
    const body = JSON.stringify(sample({ external_id: 'too late' }));
    const head = `POST /questions HTTP/1.1\r\n${known}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const { text } = await talk(service.port, [head + body.slice(0, 20), body.slice(20)], {
      most: 20_000,
      pause: 15_000,
    });
    assert.match(text, /^HTTP\/1\.1 408 /);
    const found = (await (await service.fetch(`/questions?external_id=too+late`)).json()) as {
      data: unknown[];
    };
    assert.deepEqual(found.data, []);
  });

  it('401: does not do what came in after the token had ended, or the role', async () => {
    const json = { 'content-type': 'application/json' };
    const post = async (path: string, body: object) =>
      (await (
        await service.fetch(path, { method: 'POST', headers: json, body: JSON.stringify(body) })
      ).json()) as Record<string, string>;
    const held = async (path: string, body: string, token: string, meanwhile: () => Promise<unknown>) => {
      const head =
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const answer = talk(service.port, [head + body.slice(0, 1), body.slice(1)], {
        pause: 1_500,
        most: 10_000,
      });
      await new Promise((done) => setTimeout(done, 500));
      await meanwhile();
      return Number(/^HTTP\/1\.1 (\d+)/.exec((await answer).text)?.[1]);
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

  it('417: expects nothing but to go on', async () => {
    const { text } = await talk(service.port, [
      'GET /health HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n',
    ]);
    assert.match(text, /^HTTP\/1\.1 417 /);
    assert.equal(
      problemIn(text.replace(/\r\n\r\n[0-9a-f]+\r\n/i, '\r\n\r\n').replace(/\r\n0\r\n\r\n$/, '')).code,
      'expectation_failed',
    );
  });

  it('takes a URL in full, as proxies send it', async () => {
    const { text } = await talk(service.port, [
      'GET http://x.example/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ]);
    assert.match(text, /^HTTP\/1\.1 200 /);
  });

  it('refuses a query string with bytes that are not ASCII, and keeps its links in one piece', async () => {
    const ask = (query: string) =>
      talk(service.port, [
        Buffer.from(`GET /questions?${query} HTTP/1.1\r\n${known}Connection: close\r\n\r\n`, 'utf8'),
      ]);
    assert.match((await ask('q=é')).text, /^HTTP\/1\.1 400 /);
    const { text } = await ask('tag=a>;rel="x"?b');
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.ok(text.includes('</questions?tag=a%3E;rel=%22x%22?b&limit=20&offset=0>; rel="first"'), text);
  });

  it('answers whoever has closed their side after the request', async () => {
    const answer = await new Promise<string>((done) => {
      let text = '';
      const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => done(text));
      socket.end(`GET /questions HTTP/1.1\r\n${known}Connection: close\r\n\r\n`);
    });
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  it('413 reaches a client that goes on sending', async () => {
    const body = Buffer.alloc(11 * 1024 * 1024, 32);
    for (let i = 0; i < 5; i++) {
      const headers = { 'content-type': 'application/json' };
      const response = await service.fetch(`/questions`, { method: 'POST', headers, body });
      assert.equal(response.status, 413);
    }
  });

  it('cuts off whoever asks for much and reads nothing', async () => {
    const many = Array.from({ length: 1000 }, () => sample({ explanation: 'long '.repeat(1000) }));
    const headers = { 'content-type': 'application/json' };
    await service.fetch(`/questions`, { method: 'POST', headers, body: JSON.stringify(many) });
    const page = (await (await service.fetch(`/questions?limit=1000`)).arrayBuffer()).byteLength;
    const received = await new Promise<number>((done) => {
      let bytes = 0;
      const socket = connect(service.port, '127.0.0.1');
      socket.write(`GET /questions?limit=1000 HTTP/1.1\r\n${known}\r\n`.repeat(8));
      socket.on('error', () => {});
      socket.on('close', () => done(bytes));
      // Looks at nothing for longer than anyone may.
      setTimeout(() => {
        socket.on('data', (chunk) => {
          bytes += chunk.length;
        });
      }, 18_000);
    });
    assert.ok(received < 8 * page, `${received} bytes of ${8 * page}`);
  });

  it('refuses a body that is too large without waiting for all of it', async () => {
    const head = `PUT /questions/x HTTP/1.1\r\n${known}Content-Type: application/json\r\nContent-Length: ${2 ** 31}\r\n\r\n`;
    const { text } = await talk(service.port, [head]);
    assert.match(text, /^HTTP\/1\.1 413 /);
    assert.equal(problemIn(text).code, 'body_too_large');
  });

  it('cuts off whoever sends headers or a body too slowly, and serves others meanwhile', async () => {
    const slowly = (text: string) =>
      talk(service.port, [...text].map(String), { most: 20_000, pause: 1_000 });
    const head = `POST /questions HTTP/1.1\r\n${known}Content-Type: application/json\r\nContent-Length: 900\r\n\r\n`;
    const headers = Array.from({ length: 50 }, () =>
      slowly('GET /questions HTTP/1.1\r\nHost: x\r\n'.padEnd(60, 'X')),
    );
    const bodies = Array.from({ length: 50 }, () =>
      talk(service.port, [head, ...' '.repeat(30)], { most: 20_000, pause: 1_000 }),
    );
    for (let i = 0; i < 5; i++) {
      const response = await service.fetch(`/questions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sample()),
      });
      assert.equal(response.status, 201);
    }
    for (const { closed, ms, text } of await Promise.all([...headers, ...bodies])) {
      assert.ok(closed && ms < 15_000, `open after ${ms} ms`);
      assert.match(text, /^HTTP\/1\.1 408 /);
      assert.equal(problemIn(text).code, 'request_timeout');
    }
  });
});
