/** Clients that run histories one after the other, with a category of their own. */
import type { Random } from '../../test/support/random.ts';
import type { Json } from '../../test/support/requests.ts';
import { type RawAnswer, RawConnection } from '../support/raw-connection.ts';
import type { Access } from './register.ts';

/** A service, with a token that may do everything and one that does not see answers. */
export interface Node {
  port: number;
  tokens: Record<'admin' | 'reader', string>;
}

export interface Answer extends RawAnswer {
  body: Json;
  start: number;
  end: number;
}

export interface CallOptions {
  as?: 'admin' | 'reader';
  body?: unknown;
  headers?: Record<string, string>;
}

/** One of the concurrent clients of a history. Each request goes to any of the nodes. */
export class Client {
  readonly random: Random;
  readonly #nodes: { node: Node; connection: RawConnection }[];

  constructor(nodes: Node[], random: Random) {
    this.random = random;
    this.#nodes = nodes.map((node) => ({ node, connection: new RawConnection(node.port) }));
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { node, connection } = this.random.pick(this.#nodes);
    const { as = 'admin', body, headers = {} } = options;
    const json = body === undefined ? '' : JSON.stringify(body);
    const sent = {
      host: '127.0.0.1',
      authorization: `Bearer ${node.tokens[as]}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'content-length': String(Buffer.byteLength(json)) }),
      ...headers,
    };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    const start = performance.now();
    const answer = await connection.exchange(
      `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`,
      method,
    );
    const isJson = answer.text !== '' && answer.headers['content-type']?.includes('json');
    return { ...answer, body: isJson ? JSON.parse(answer.text) : undefined, start, end: performance.now() };
  }

  close(): void {
    for (const { connection } of this.#nodes) connection.close();
  }
}

/** The category of a session, whose names are its versions. */
class SessionCategory {
  readonly id: string;
  /** The name of each version, from 1. */
  readonly #names: string[] = [''];
  accesses: Access[] = [];

  constructor(id: string, name: string) {
    this.id = id;
    this.#names.push(name);
  }

  get last(): number {
    return this.#names.length - 1;
  }

  get name(): string {
    return this.#names[this.last]!;
  }

  /** Forgets the accesses of the history before. */
  begin(): void {
    const label = 'the start of the history';
    this.accesses = [{ start: -1, end: -1, writes: false, version: this.last, label }];
  }

  renamed({ start, end, body, headers }: Answer): void {
    const version = Number(JSON.parse(headers.etag!));
    this.#names[version] = body.name;
    this.accesses.push({ start, end, writes: true, version, label: `the renaming to ${body.name}` });
  }

  /** Names are looked up after the history, when all renamings have been answered. */
  resolve(seen: { name: string; start: number; end: number }[]): string[] {
    const unknown: string[] = [];
    for (const { name, start, end } of seen) {
      const version = this.#names.indexOf(name);
      if (version > 0)
        this.accesses.push({ start, end, writes: false, version, label: `a question in category ${name}` });
      else unknown.push(`a question is in category ${name}, which never had that name`);
    }
    return unknown;
  }

  versionOf(name: string): number {
    return this.#names.indexOf(name);
  }
}

export interface Session {
  clients: Client[];
  category: SessionCategory;
}

export async function openSession(
  nodes: Node[],
  name: string,
  clients: number,
  createRandom: (client: number) => Random,
): Promise<Session> {
  const all = Array.from({ length: clients }, (_, i) => new Client(nodes, createRandom(i)));
  const { body, status } = await all[0]!.call('POST', '/categories', { body: { name } });
  if (status !== 201) throw new Error(`${status} to the creation of a category: ${body?.detail}`);
  return { clients: all, category: new SessionCategory(body.id, name) };
}
