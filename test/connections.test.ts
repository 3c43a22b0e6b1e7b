/** Connections ahead of the HTTP parser: limits, load shedding, and draining. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { errors } from '../src/errors.ts';
import { Connections, DEFAULT_CONNECTION_LIMITS } from '../src/http/connections.ts';
import { parseRequestHead, type RequestHead } from '../src/http/request-head.ts';
import { DEFAULT_HTTP_TIMINGS } from '../src/http/timings.ts';
import { until } from './support/until.ts';

const parse = (text: string) => parseRequestHead(Buffer.from(text, 'latin1'));

describe('the head of a request', () => {
  it('shows method, path, token and length', () => {
    assert.deepEqual(parse('GET /questions?q=a HTTP/1.1\r\nHost: x\r\n\r\n'), {
      method: 'GET',
      path: '/questions',
      hasCredentials: false,
      bytes: 40,
    });
    const post = parse('POST / HTTP/1.1\r\nauthorization: Bearer x\r\ncontent-LENGTH: 5\r\n\r\nhello');
    assert.equal(
      post?.bytes,
      'POST / HTTP/1.1\r\nauthorization: Bearer x\r\ncontent-LENGTH: 5\r\n\r\nhello'.length,
    );
    assert.equal(post?.hasCredentials, true);
  });

  it('leaves to the parser what is incomplete or unusual', () => {
    for (const text of [
      'GET / HTTP/1.1\r\nHost: x\r\n',
      'CONNECT a:1 HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.0\r\n\r\n',
      '\r\n\r\n',
    ])
      assert.equal(parse(text), undefined, text);
  });

  it('does not trust a length that a proxy may read differently', () => {
    for (const header of [
      'Transfer-Encoding: chunked',
      'Content-Length: 5\r\nContent-Length: 6',
      'Content-Length: +5',
      'Content-Length: 5, 5',
      'Expect: 100-continue',
      'Connection: close',
      'Upgrade: h2c',
    ])
      assert.equal(parse(`POST / HTTP/1.1\r\n${header}\r\n\r\n`)?.bytes, undefined, header);
  });
});

interface Options {
  limits?: { total: number; perAddress: number };
  findRefusal?: (head: RequestHead) => ReturnType<typeof errors.overloaded> | undefined;
}

interface Fixture {
  connections: Connections;
  server: Server;
  open(): Promise<Client>;
}

async function listen(t: TestContext, { limits, findRefusal }: Options = {}): Promise<Fixture> {
  const server = createServer(async (request, response) => {
    // Rejects when the client disconnects.
    const chunks = await Array.fromAsync(request).catch(() => []);
    response.end(`served ${request.url} ${Buffer.concat(chunks as Buffer[])}`);
  });
  const connections = new Connections({
    log: { warn: () => {} },
    limits: limits ?? DEFAULT_CONNECTION_LIMITS,
    isLimited: () => true,
    isScreened: () => findRefusal !== undefined,
    findRefusal: (head) => findRefusal?.(head),
  });
  connections.watch(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { connections, server, open: () => Client.open(port) };
}

/** A raw connection. */
class Client {
  readonly socket: Socket;
  received = '';
  closed = false;

  private constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (chunk) => (this.received += chunk));
    this.socket.on('close', () => (this.closed = true));
    this.socket.on('error', () => {});
  }

  static async open(port: number): Promise<Client> {
    const client = new Client(port);
    await once(client.socket, 'connect');
    return client;
  }

  send(text: string): void {
    this.socket.write(text);
  }

  count(text: string): number {
    return this.received.split(text).length - 1;
  }

  untilReceived = (text: string, times = 1) => until(text, () => this.count(text) >= times);
}

const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('screened connections', () => {
  it('refuses requests by their head, skips their bodies, and serves the first that is admitted', async (t) => {
    let overloaded = true;
    const { open, connections } = await listen(t, {
      findRefusal: () => (overloaded ? errors.overloaded() : undefined),
    });
    const client = await open();
    client.send(post('/a', 'GET /smuggled HTTP/1.1\r\n\r\n'));
    await client.untilReceived('"code":"overloaded"');
    // A body in parts, and two requests at once.
    client.send('POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    await client.untilReceived('"code":"overloaded"', 2);
    client.send(`67890${post('/c', 'xyz')}${post('/d', '')}`);
    await client.untilReceived('"code":"overloaded"', 4);
    assert.equal(client.count('HTTP/1.1 503'), 4);
    assert.equal(client.count('retry-after: 1'), 4);
    assert.equal(connections.counts.refusedRequests, 4);
    overloaded = false;
    client.send(post('/e', 'body'));
    await client.untilReceived('served /e body');
    // The parser is bypassed again after the response.
    await until('the screening', () => connections.counts.screened === 1);
    overloaded = true;
    client.send(post('/f', 'body'));
    await client.untilReceived('"code":"overloaded"', 5);
    overloaded = false;
    client.send(post('/g', 'body'));
    await client.untilReceived('served /g body');
    assert.equal(client.closed, false);
  });

  it('sends no body in response to HEAD', async (t) => {
    const { open } = await listen(t, { findRefusal: () => errors.overloaded() });
    const client = await open();
    client.send('HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n');
    await client.untilReceived('\r\n\r\n');
    assert.ok(client.received.endsWith('\r\n\r\n'));
    assert.match(client.received, /content-length: [1-9]/);
  });

  it('closes a connection whose requests it cannot tell apart, after the response', async (t) => {
    const { open } = await listen(t, { findRefusal: () => errors.overloaded() });
    const client = await open();
    client.send('POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    await until('the end', () => client.closed);
    assert.equal(client.count('HTTP/1.1 503'), 1);
    assert.match(client.received, /connection: close/);
  });

  it('leaves an incomplete head to the HTTP server', async (t) => {
    const { open, connections } = await listen(t, { findRefusal: () => errors.overloaded() });
    const client = await open();
    await until('the screening', () => connections.counts.screened === 1);
    client.send('GET /a HTTP/1.1\r\n');
    await until('the HTTP server', () => connections.counts.screened === 0);
    client.send('Host: x\r\n\r\n');
    await client.untilReceived('served /a');
  });

  it('does not read from a connection for a while after a refusal by the rate limit', async (t) => {
    const { open } = await listen(t, { findRefusal: () => errors.tooManyRequests('read', 600, 9) });
    const client = await open();
    client.send(post('/a', ''));
    await client.untilReceived('"status":429');
    client.send(post('/b', ''));
    await client.untilReceived('"status":429', 2);
  });
});

describe('connection limits', () => {
  it('refuses connections beyond the limit, except for /health', async (t) => {
    const { open, connections } = await listen(t, { limits: { total: 100, perAddress: 2 } });
    const clients = [await open(), await open()];
    const third = await open();
    third.send(post('/a', 'x'));
    await until('the refusal', () => third.closed);
    assert.match(third.received, /"code":"too_many_connections"/);
    assert.equal(connections.counts.refusedConnections, 1);
    const probe = await open();
    probe.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    await probe.untilReceived('served /health');
    for (const client of [...clients, probe]) client.socket.destroy();
    await until('the end', () => connections.counts.open === 0);
    const next = await open();
    next.send(post('/b', 'x'));
    await next.untilReceived('served /b');
  });

  it('closes connections far beyond the limit at once', async (t) => {
    const { open, connections } = await listen(t, { limits: { total: 1, perAddress: 100 } });
    const clients = await Promise.all(Array.from({ length: 510 }, open));
    await until('the end', () => clients.filter(({ closed }) => closed).length >= 9);
    assert.equal(connections.counts.open, 501);
    for (const { socket } of clients) socket.destroy();
  });
});

describe('a stop', () => {
  const timings = { ...DEFAULT_HTTP_TIMINGS, idleGraceMs: 300, maxDrainMs: 60_000 };

  it('holds connections until they are released', async (t) => {
    const { open, connections } = await listen(t);
    connections.hold();
    const client = await open();
    client.send(post('/a', 'x'));
    await until('the connection', () => client.socket.bytesWritten > 0);
    assert.equal(client.received, '');
    connections.release();
    await client.untilReceived('served /a x');
  });

  it('serves requests on open connections, and closes idle ones after the grace period', async (t) => {
    const { open, connections, server } = await listen(t, { findRefusal: () => errors.overloaded() });
    const [screened, idle] = [await open(), await open()];
    screened.send(post('/a', ''));
    await screened.untilReceived('"code":"overloaded"');
    let drained = false;
    const draining = connections.drain(timings).then(() => (drained = true));
    await until('the end of listening', () => !server.listening);
    screened.send(post('/b', 'x'));
    await screened.untilReceived('served /b x');
    assert.equal(drained, false);
    await draining;
    await until('the end', () => screened.closed && idle.closed);
  });

  it('serves connections that are established but not accepted yet', async (t) => {
    const { open, connections } = await listen(t);
    const clients = await Promise.all(Array.from({ length: 50 }, () => open()));
    for (const client of clients) client.send(post('/a', 'x'));
    const draining = connections.drain(timings);
    await Promise.all(clients.map((client) => client.untilReceived('served /a x')));
    await draining;
  });

  it('closes connections whose requests do not end in time', async (t) => {
    const { open, connections } = await listen(t);
    const client = await open();
    client.send('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    await until('the connection', () => connections.counts.open === 1);
    const { aborted } = await connections.drain({ ...timings, maxDrainMs: 500 });
    assert.equal(aborted, 1);
    await until('the end', () => client.closed);
  });
});
