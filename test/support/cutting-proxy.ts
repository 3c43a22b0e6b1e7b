/**
 * A TCP proxy between a service and PostgreSQL that simulates network failures: it disconnects
 * before a commit or before its acknowledgement, drops all data on connections that stay open, and
 * moves to another server, as an address does in a failover.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * Disconnects at the commit of the next transaction that sends this text, before or after it is
 * applied.
 */
interface Cut {
  text: string;
  when: 'before' | 'after';
}

interface Pair {
  service: Socket;
  server: Socket;
  /** Whether the text of the cut has been sent, and then the commit. */
  state: 'waiting' | 'seen' | 'committing';
}

const BEGIN = 'BEGIN';
const COMMIT = 'COMMIT';

function getSocketPath(url: string): string {
  const { searchParams, port } = new URL(url);
  return join(searchParams.get('host')!, `.s.PGSQL.${port || 5432}`);
}

export class CuttingProxy {
  readonly #pairs = new Set<Pair>();
  #path: string;
  readonly #listener = createServer((service) => this.#connect(service));
  readonly #database: string;
  #cut: Cut | undefined;
  #dropping = false;

  /** The server of the database must listen on a Unix socket. */
  constructor(url: string) {
    this.#path = getSocketPath(url);
    this.#database = new URL(url).pathname;
  }

  /** Returns the URL of the database through the proxy. */
  async listen(): Promise<string> {
    this.#listener.listen(0, '127.0.0.1');
    await once(this.#listener, 'listening');
    const { port } = this.#listener.address() as AddressInfo;
    return `postgres://quaestor@127.0.0.1:${port}${this.#database}`;
  }

  /** Connects to another server from now on. Old connections stay with the one before. */
  moveTo(url: string): void {
    this.#path = getSocketPath(url);
  }

  disconnectAll(): void {
    for (const pair of this.#pairs) this.#end(pair);
  }

  /** Cuts a connection off at the commit of the next transaction that sends this text. */
  cutAtCommit(when: Cut['when'], text: string): void {
    for (const pair of this.#pairs) pair.state = 'waiting';
    this.#cut = { text, when };
  }

  get isCutPending(): boolean {
    return this.#cut !== undefined;
  }

  /** Drops all data from now on, on old and new connections, without closing them. */
  startDropping(): void {
    this.#dropping = true;
    for (const { service, server } of this.#pairs) {
      service.removeAllListeners('data').resume();
      server.removeAllListeners('data').resume();
    }
  }

  /** Forwards data on new connections again; old ones keep dropping it. */
  stopDropping(): void {
    this.#dropping = false;
  }

  async close(): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.disconnectAll();
    await closed;
  }

  #connect(service: Socket): void {
    const server = connect(this.#path);
    const pair: Pair = { service, server, state: 'waiting' };
    this.#pairs.add(pair);
    for (const socket of [service, server])
      socket.on('error', () => this.#end(pair)).once('close', () => this.#end(pair));
    if (this.#dropping) {
      service.resume();
      return;
    }
    service.on('data', (bytes: Buffer) => this.#forwardRequest(pair, bytes));
    server.on('data', (bytes: Buffer) => this.#forwardResponse(pair, bytes));
  }

  #forwardRequest(pair: Pair, bytes: Buffer): void {
    // Text sent outside of a transaction does not mark the next transaction.
    if (bytes.includes(BEGIN)) pair.state = 'waiting';
    if (this.#cut && pair.state === 'waiting' && bytes.includes(this.#cut.text)) pair.state = 'seen';
    if (this.#cut && pair.state === 'seen' && bytes.includes(COMMIT)) {
      pair.state = 'committing';
      if (this.#cut.when === 'before') this.#finish(pair);
    }
    if (!pair.server.destroyed) pair.server.write(bytes);
  }

  #forwardResponse(pair: Pair, bytes: Buffer): void {
    if (pair.state === 'committing' && bytes.includes(COMMIT)) this.#finish(pair);
    else pair.service.write(bytes);
  }

  #finish(pair: Pair): void {
    this.#end(pair);
    this.#cut = undefined;
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.service.destroy();
    pair.server.destroy();
  }
}
