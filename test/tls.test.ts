/**
 * TLS connections to PostgreSQL: the parameters of the URL have the meaning they have in `psql`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TLSSocket } from 'node:tls';
import { openEngine } from '../src/engines/index.ts';
import { StartError } from '../src/engines/start-error.ts';
import { freshDatabase, type TestDatabase } from './support/postgres.ts';

/** Certificates for `localhost`, issued by a CA of the tests. */
const file = (name: string) => join(import.meta.dirname, 'support/tls', name);
const ca = file('ca.crt');

/** A proxy in front of a database that requires TLS, or does not support it. */
function startProxy(url: string, supportsTls: boolean) {
  const { searchParams, hostname, port } = new URL(url);
  const socketFolder = searchParams.get('host');
  const server = createServer(async (client) => {
    client.on('error', () => {});
    const [request] = (await once(client, 'data')) as [Buffer];
    // The first message must be an SSLRequest.
    if (request.length !== 8 || request.readInt32BE(4) !== 80877103) return client.destroy();
    client.write(supportsTls ? 'S' : 'N');
    if (!supportsTls) return;
    const plain = new TLSSocket(client, {
      isServer: true,
      key: readFileSync(file('server.key')),
      cert: readFileSync(file('server.crt')),
    });
    const backend: Socket = socketFolder
      ? connect(join(socketFolder, `.s.PGSQL.${port || 5432}`))
      : connect(Number(port || 5432), hostname);
    plain.on('error', () => backend.destroy()).pipe(backend);
    backend.on('error', () => plain.destroy()).pipe(plain);
  });
  return server.listen(0, '127.0.0.1');
}

describe('a PostgreSQL URL', () => {
  let database: TestDatabase;
  let servers: ReturnType<typeof startProxy>[];
  before(async () => {
    database = await freshDatabase();
    servers = [startProxy(database.url, true), startProxy(database.url, false)];
    await Promise.all(servers.map((server) => server.listening || once(server, 'listening')));
  });
  after(async () => {
    for (const server of servers) server.close();
    await database.drop();
  });

  const formatUrl = (host: string, parameters: string, server = 0) => {
    const { port } = servers[server]!.address() as AddressInfo;
    const { pathname, username, password } = new URL(database.url);
    const user = password ? `${username}:${password}` : username;
    return `postgres://${user}@${host}:${port}${pathname}?${parameters}`;
  };
  const open = (databaseUrl: string) => openEngine({ dataDir: '/nowhere', databaseUrl });

  for (const [host, parameters] of [
    ['localhost', 'sslmode=require'],
    ['127.0.0.1', 'sslmode=require'],
    ['127.0.0.1', `sslmode=require&sslrootcert=${ca}`],
    ['127.0.0.1', `sslmode=verify-ca&sslrootcert=${ca}`],
    ['localhost', `sslmode=verify-full&sslrootcert=${ca}`],
  ] as const) {
    it(`accepts: ${host} ${parameters.replace(ca, 'CA')}`, async () => {
      const engine = await open(formatUrl(host, parameters));
      try {
        await engine.ready();
      } finally {
        await engine.close();
      }
    });
  }

  for (const [title, host, parameters, message, server] of [
    ['an unknown CA', 'localhost', 'sslmode=verify-full', /certificate/, 0],
    ['another host name', '127.0.0.1', `sslmode=verify-full&sslrootcert=${ca}`, /127\.0\.0\.1|altnames/, 0],
    [
      'a certificate of another CA',
      'localhost',
      `sslmode=require&sslrootcert=${file('server.crt')}`,
      /certificate/,
      0,
    ],
    ['a server without TLS', 'localhost', 'sslmode=require', /does not support SSL/, 1],
    ['optional encryption', 'localhost', 'sslmode=prefer', /sslmode=prefer; it must be one of/, 0],
    ['a missing CA file', 'localhost', 'sslmode=verify-ca&sslrootcert=/no/ca', /\/no\/ca.*ENOENT/, 0],
    ['verify-ca without a CA', 'localhost', 'sslmode=verify-ca', /sslrootcert/, 0],
  ] as const) {
    it(`is rejected with an explanation: ${title}`, async () => {
      await assert.rejects(open(formatUrl(host, parameters, server)), (error) => {
        assert.ok(error instanceof StartError, String(error));
        assert.match(error.message, message);
        return true;
      });
    });
  }
});
