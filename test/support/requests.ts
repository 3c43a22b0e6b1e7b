/**
 * Sends each request on a new connection, so that a load balancer distributes them, or on those of
 * an agent.
 */
import http from 'node:http';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
export type Json = any;

/** A service and the token to use. */
export interface Target {
  port: number;
  token: string;
}

export interface SendOptions {
  body?: unknown;
  headers?: Record<string, string>;
  agent?: http.Agent;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Json;
  ms: number;
}

/** Many times longer than the service may take for any request. */
const REQUEST_TIMEOUT_MS = 90_000;

/** Rejects if no response comes. */
export function send(
  { port, token }: Target,
  method: string,
  path: string,
  { body, headers, agent }: SendOptions = {},
): Promise<Answer> {
  const began = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = http.request({
    ...{ port, host: '127.0.0.1', method, path, agent: agent ?? false, timeout: REQUEST_TIMEOUT_MS },
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  request.once('error', reject);
  request.once('timeout', () => request.destroy(new Error(`${method} ${path} was not answered`)));
  request.once('response', async (response) => {
    try {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      const json = text !== '' && /[/+]json\b/.test(String(response.headers['content-type']));
      resolve({
        status: response.statusCode!,
        headers: response.headers,
        body: json ? JSON.parse(text) : text,
        ms: performance.now() - began,
      });
    } catch (error) {
      reject(error);
    }
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** Reads all pages of a list. Fails if the number of items differs from `total`. */
export async function listAll(target: Target, path: string): Promise<Json[]> {
  const all: Json[] = [];
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=1000`;
  for (let next: string | undefined = first; next; ) {
    const { status, headers, body }: Answer = await send(target, 'GET', next);
    if (status !== 200) throw new Error(`${status} to ${next}`);
    all.push(...body.data);
    next = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1];
    if (!next && body.pagination.total !== all.length)
      throw new Error(`${path} has ${all.length} items, but its total is ${body.pagination.total}`);
  }
  return all;
}

/** A well-formed 503: the database is unavailable or too slow. */
export const isUnavailable = ({ status, headers, body }: Answer) =>
  status === 503 &&
  ['unavailable', 'too_slow'].includes(body.code) &&
  Number(headers['retry-after']) > 0 &&
  String(headers['content-type']).startsWith('application/problem+json');

export const formatAnswer = ({ status, body, ms }: Answer) =>
  `${status} ${body?.code ?? ''} after ${Math.round(ms)} ms`;
