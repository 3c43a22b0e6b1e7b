/** Requests drawn from the OpenAPI document, valid and spoiled; a request depends on its random alone. */
import type { OpenApi, Operation, Parameter, Schema } from '../../src/api/docs/openapi-types.ts';
import type { Random } from '../../test/support/random.ts';
import { drawHostile, HOSTILE_TEXTS, SchemaValues, spoilBody } from './corpus.ts';

export interface FuzzRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: string | Buffer | undefined;
  caller: string;
}

/** What requests refer to: callers and real ids of the bank. */
export interface FuzzBank {
  /** The Authorization header of each caller; undefined sends none. */
  callers: Map<string, string | undefined>;
  /** Callers without `answers:read`, or with fewer scopes. */
  limited: string[];
  ids: Record<string, string[]>;
  /** Words that occur only in answers; they are searched for and checked, and never stored. */
  hiddenWords: string[];
}

/** Rare: each starts a worker process, or occupies a connection until it is closed. */
const COSTLY = ['POST /analysis/run', 'GET /events', 'GET /metrics', 'GET /openapi.json', 'GET /docs'];
const COSTLY_SHARE = 0.01;

const HOSTILE_PATHS = [
  '%2e%2e',
  '%2f',
  '..',
  '%00',
  '%ff',
  '%',
  '%zz',
  '',
  '%E2%80%AE',
  'x'.repeat(300),
  ';x',
  '%0d%0a',
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json;charset=utf-16',
  'application/json;charset=latin1',
  'application/problem+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/json, text/plain',
  'application/json;',
  '\tapplication/json',
  'json',
  '',
];
const HOSTILE_HEADERS: [string, string][] = [
  ['if-match', 'nonsense'],
  ['if-match', '*'],
  ['if-match', '"1.1", W/"2"'],
  ['if-match', '""'],
  ['if-none-match', '*'],
  ['if-none-match', '"\u00e9"'],
  ['if-modified-since', 'never'],
  ['idempotency-key', ''],
  ['idempotency-key', 'no key'],
  ['idempotency-key', 'k'.repeat(256)],
  ['prefer', 'wait=-1'],
  ['prefer', 'respond-async, wait=1e9'],
  ['last-event-id', 'nonsense'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'identity'],
  ['accept', 'text/html;q=0.1'],
  ['accept-encoding', 'br, gzip;q=0'],
  ['authorization', 'Bearer'],
  ['authorization', 'Basic !!!'],
  ['authorization', 'Bearer a b'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', "1.2.3.4, '; --"],
  ['x-request-id', 'x'.repeat(500)],
  ['__proto__', 'polluted'],
  ['constructor', 'polluted'],
  ['range', 'bytes=0-1'],
  ['expect', 'nonsense'],
  ['connection', 'close'],
  ['host', 'evil.example'],
  ['cookie', 'a=b'.repeat(500)],
  ['x-large', 'x'.repeat(20_000)],
];

export class RequestGenerator {
  readonly #values: SchemaValues;
  readonly #operations: { method: string; template: string; operation: Operation; parameters: Parameter[] }[];
  readonly #bank: FuzzBank;

  constructor(document: OpenApi, bank: FuzzBank) {
    this.#bank = bank;
    const all = Object.values(bank.ids).flat();
    this.#values = new SchemaValues(document, (random) =>
      random.pick([
        random.pick(all),
        random.pick(bank.ids.questions!),
        '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30',
      ]),
    );
    this.#operations = Object.entries(document.paths).flatMap(([template, byVerb]) =>
      Object.entries(byVerb).map(([verb, operation]) => ({
        method: verb.toUpperCase(),
        template,
        operation,
        parameters: operation.parameters.map((each) =>
          '$ref' in each ? document.components.parameters[each.$ref.split('/').at(-1)!]! : each,
        ),
      })),
    );
  }

  generate(random: Random): FuzzRequest {
    const isCostly = random.maybe(COSTLY_SHARE);
    const { method, template, operation, parameters } = random.pick(
      this.#operations.filter((each) => COSTLY.includes(`${each.method} ${each.template}`) === isCostly),
    );
    const caller = random.maybe(0.4) ? 'admin' : random.pick([...this.#bank.callers.keys()]);
    const path = template.replace(/\{(\w+)\}/g, () => this.#drawPathId(template, random));
    const request: FuzzRequest = {
      method,
      url: `${random.maybe(0.03) ? '/v1' : ''}${path}${this.#drawQuery(parameters, random)}`,
      headers: this.#drawHeaders(parameters, random),
      body: undefined,
      caller,
    };
    // Without it, the answer waits for the result.
    if (template === '/analysis/run') request.headers.push(['prefer', 'respond-async']);
    this.#addBody(request, operation, random);
    return random.maybe(0.25) ? spoilRequest(request, random) : request;
  }

  #drawPathId(template: string, random: Random): string {
    if (random.maybe(0.12))
      return random.pick([...HOSTILE_PATHS, encodeURIComponent(pickWellFormed(random))]);
    const { ids } = this.#bank;
    const kind = template.split('/')[template.startsWith('/auth/') ? 2 : 1]!;
    const known = ids[kind] ?? ids.questions!;
    return random.maybe(0.1) ? random.pick(Object.values(ids).flat()) : random.pick(known);
  }

  #drawQuery(parameters: Parameter[], random: Random): string {
    const pairs: string[] = [];
    for (const { name, in: place, schema } of parameters) {
      if (place !== 'query' || !random.maybe(0.25)) continue;
      const resolved = this.#values.resolve(schema);
      const value = random.maybe(0.2)
        ? drawHostile(resolved, random)
        : this.#drawParameter(name, resolved, random);
      for (const each of Array.isArray(value) ? value.slice(0, 3) : [value])
        pairs.push(`${name}=${encodeText(each)}`);
      if (random.maybe(0.05)) pairs.push(pairs.at(-1)!);
    }
    if (random.maybe(0.04))
      pairs.push(
        random.pick(['nope=1', 'limit=1e2', 'limit=0x10', 'limit[]=1', 'q=%ff', 'q=%', '=', '&&', 'LIMIT=1']),
      );
    return pairs.length > 0 ? `?${pairs.join('&')}` : '';
  }

  #drawParameter(name: string, schema: Schema, random: Random): unknown {
    if (name === 'q' && random.maybe(0.7))
      return random.pick(['lantern', 'lant*', 'harbour word', random.pick(this.#bank.hiddenWords)]);
    if (schema.type === 'array') return [this.#values.draw(schema.items ?? {}, random, 1)];
    return this.#values.draw(schema, random, 1);
  }

  #drawHeaders(parameters: Parameter[], random: Random): [string, string][] {
    const headers: [string, string][] = [];
    for (const { name, in: place } of parameters) {
      if (place !== 'header' || !random.maybe(0.15)) continue;
      if (name === 'Idempotency-Key') headers.push([name, `k${random.below(2000)}`]);
      else headers.push([name, random.pick(['*', '"1.1"', '"1"', 'wait=1', 'respond-async'])]);
    }
    if (random.maybe(0.08)) headers.push(random.pick(HOSTILE_HEADERS));
    return headers;
  }

  #addBody(request: FuzzRequest, { requestBody }: Operation, random: Random): void {
    if (!requestBody) {
      if (random.maybe(0.03)) request.body = '{"a":1}';
      return;
    }
    const types = Object.keys(requestBody.content);
    const type = random.pick(types);
    const schema = this.#values.resolve(requestBody.content[type]!.schema);
    request.headers.push(['content-type', random.maybe(0.06) ? random.pick(CONTENT_TYPES) : type]);
    const body = this.#values.draw(schema, random);
    if (request.url.includes('/check') && random.maybe(0.3) && body)
      body.answer = random.pick(this.#bank.hiddenWords);
    if (type.includes('form'))
      request.body = Object.entries(body)
        .map(([name, value]) => `${name}=${encodeText(value)}`)
        .join('&');
    else if (random.maybe(0.45)) request.body = spoilBody(body, schema, random);
    else request.body = JSON.stringify(body);
  }
}

const encodeText = (value: unknown) =>
  encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed());

const pickWellFormed = (random: Random) => random.pick(HOSTILE_TEXTS).slice(0, 200).toWellFormed();

function spoilRequest(request: FuzzRequest, random: Random): FuzzRequest {
  const path = request.url.split('?')[0]!;
  switch (random.below(6)) {
    case 0:
      return { ...request, method: random.pick(METHODS) };
    case 1:
      return {
        ...request,
        url: random.pick([
          `${path}/`,
          `/${path}`,
          `${path}/..`,
          `${path}%2f`,
          path.toUpperCase(),
          `${path};x`,
        ]),
      };
    case 2:
      return {
        ...request,
        url: `${request.url}${request.url.includes('?') ? '&' : '?'}q=${'x'.repeat(9000)}`,
      };
    case 3:
      return {
        ...request,
        headers: [...request.headers, random.pick(HOSTILE_HEADERS), random.pick(HOSTILE_HEADERS)],
      };
    case 4:
      return { ...request, caller: 'malformed' };
    default:
      return { ...request, body: request.body === undefined ? 'x' : request.body.slice(0, 20) };
  }
}

/** The bytes of a request. */
export function formatRequest(
  { method, url, headers, body, caller }: FuzzRequest,
  { callers }: FuzzBank,
): Buffer {
  const authorization = callers.get(caller);
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body as string);
  const all: [string, string][] = [
    ...(headers.some(([name]) => name === 'host') ? [] : [['host', 'localhost'] as [string, string]]),
    ...(authorization !== undefined && !headers.some(([name]) => name === 'authorization')
      ? [['authorization', authorization] as [string, string]]
      : []),
    ...headers,
    ...(body === undefined ? [] : [['content-length', String(bytes.length)] as [string, string]]),
  ];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines}\r\n`, 'latin1'), bytes]);
}

/** Text that is not a well-formed HTTP request. */
export const MALFORMED: string[] = [
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
  'GET /questions HTTP/9.9\r\nhost: a\r\n\r\n',
  'GET /questions\r\n\r\n',
  'get / http/1.1\r\nhost: a\r\n\r\n',
  '\u0000\u0001\u0002\r\n\r\n',
  'GET / HTTP/1.1\r\nhost : a\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a\r\n folded: b\r\n\r\n',
  'GET / HTTP/1.1\nhost: a\n\n',
  'GET /\u00ff HTTP/1.1\r\nhost: a\r\n\r\n',
  'GET http://evil.example/questions HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
  'POST /questions HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /questions HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
  'POST /questions HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n',
  'POST /questions HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999999999999\r\n\r\n',
  'POST /questions HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'POST /questions HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n',
  `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
  `GET /${'z'.repeat(70_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
  'GET / HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
];
