/** The way to PostgreSQL, encrypted: what an address may say of it, as `psql` understands it. */
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

/** Certificates of an authority that is known here alone, for `localhost`. */
const file = (name: string) => join(import.meta.dirname, 'support/tls', name);
const ca = file('ca.crt');

/** Stands before a database and answers whether it speaks TLS, as a server that insists on it does. */
function front(url: string, speaksTls: boolean) {
  const { searchParams, hostname, port } = new URL(url);
  const socketFolder = searchParams.get('host');
  const server = createServer(async (client) => {
    client.on('error', () => {});
    const [asked] = (await once(client, 'data')) as [Buffer];
    // An SSLRequest, and nothing else.
    if (asked.length !== 8 || asked.readInt32BE(4) !== 80877103) return client.destroy();
    client.write(speaksTls ? 'S' : 'N');
    if (!speaksTls) return;
    const plain = new TLSSocket(client, {
      isServer: true,
      key: readFileSync(file('server.key')),
      cert: readFileSync(file('server.crt')),
    });
    const behind: Socket = socketFolder
      ? connect(join(socketFolder, `.s.PGSQL.${port || 5432}`))
      : connect(Number(port || 5432), hostname);
    plain.on('error', () => behind.destroy()).pipe(behind);
    behind.on('error', () => plain.destroy()).pipe(plain);
  });
  return server.listen(0, '127.0.0.1');
}

describe('an address of PostgreSQL', () => {
  let database: TestDatabase;
  let servers: ReturnType<typeof front>[];
  before(async () => {
    database = await freshDatabase();
    servers = [front(database.url, true), front(database.url, false)];
    await Promise.all(servers.map((server) => server.listening || once(server, 'listening')));
  });
  after(async () => {
    for (const server of servers) server.close();
    await database.drop();
  });

  const address = (host: string, parameters: string, server = 0) => {
    const { port } = servers[server]!.address() as AddressInfo;
    const { pathname, username, password } = new URL(database.url);
    const who = password ? `${username}:${password}` : username;
    return `postgres://${who}@${host}:${port}${pathname}?${parameters}`;
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
      const engine = await open(address(host, parameters));
      try {
        await engine.ready();
      } finally {
        await engine.close();
      }
    });
  }

  for (const [title, host, parameters, said, server] of [
    ['nobody known vouches for it', 'localhost', 'sslmode=verify-full', /certificate/, 0],
    ['another name', '127.0.0.1', `sslmode=verify-full&sslrootcert=${ca}`, /127\.0\.0\.1|altnames/, 0],
    ['another authority', 'localhost', `sslmode=require&sslrootcert=${file('server.crt')}`, /certificate/, 0],
    ['a server without TLS', 'localhost', 'sslmode=require', /does not support SSL/, 1],
    [
      'encryption if it happens to be there',
      'localhost',
      'sslmode=prefer',
      /sslmode=prefer; it must be one of/,
      0,
    ],
    ['a file that is not there', 'localhost', 'sslmode=verify-ca&sslrootcert=/no/ca', /\/no\/ca.*ENOENT/, 0],
    ['an authority nobody named', 'localhost', 'sslmode=verify-ca', /sslrootcert/, 0],
  ] as const) {
    it(`is rejected with an explanation: ${title}`, async () => {
      await assert.rejects(open(address(host, parameters, server)), (error) => {
        assert.ok(error instanceof StartError, String(error));
        assert.match(error.message, said);
        return true;
      });
    });
  }
});
