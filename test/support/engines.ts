/** Runs the same tests on SQLite and on PostgreSQL, against the app that production builds. */
import { after, before, describe } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { prepareAccess } from '../../src/access/first-start.ts';
import type { RateLimits } from '../../src/access/rate-limiter.ts';
import { DAY_MS, DEFAULT_LIFETIMES, generateKey } from '../../src/access/sessions.ts';
import { type App, buildApp, type Deps } from '../../src/app.ts';
import { openEngine } from '../../src/engines/index.ts';
import type { Scope } from '../../src/schemas/scopes.ts';
import { createKey } from '../../src/store/access/tokens.ts';
import type { Command, Engine, Tx } from '../../src/store/db.ts';
import { assertConforms } from './conformance.ts';
import { removeFolder, tempFolder } from './folders.ts';
import { freshDatabase } from './postgres.ts';

export type EngineName = 'sqlite' | 'postgres';
export const ENGINES: EngineName[] = ['sqlite', 'postgres'];

export interface CallOptions {
  /** Replaces the admin's key; null sends no token. */
  token?: string | null;
  /** Sent as JSON; a string or Buffer is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Service {
  name: EngineName;
  app: App;
  engine: Engine;
  /** The client `admin`: its secret, and a key that may do everything. */
  admin: { secret: string; key: string };
  /** Creates a key with exactly these scopes. */
  keyFor(...scopes: Scope[]): Promise<string>;
  /** Sends a request, and checks the response against the OpenAPI document. */
  call(method: string, url: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, asserted by the test
  body: any;
  text: string;
}

/** Most tests send more requests than the default limits allow. */
export const NO_LIMITS: RateLimits = { read: 0, write: 0, analysis: 0, token: 0, check: 0, opentdb: 0 };

export async function openService(name: EngineName, options: Partial<Deps> = {}): Promise<Service> {
  const folder = tempFolder();
  const database = name === 'postgres' ? await freshDatabase() : undefined;
  const engine = await openEngine({ dataDir: folder, databaseUrl: database?.url });
  const close = async () => {
    await engine.close();
    await database?.drop();
    removeFolder(folder);
  };
  const app = await buildApp({ engine, limits: NO_LIMITS, ...options }).catch(async (error) => {
    await close();
    throw error;
  });
  const admin = await prepareAccess(engine, DEFAULT_LIFETIMES, undefined);
  if (!('key' in admin)) throw new Error('the new bank already has clients');
  return {
    name,
    app,
    engine,
    admin,
    keyFor: async (...scopes) => {
      const { text, row } = generateKey({
        client_id: 'admin',
        name: 'test',
        at: Date.now(),
        lifetime: DAY_MS,
      });
      await engine.write(createKey, { token: row, scopes, by: undefined });
      return text;
    },
    call: async (method, url, options = {}) => {
      const answer = await inject(app, method, url, { token: admin.key, ...options });
      assertConforms(app, method, url, answer);
      return answer;
    },
    close: async () => {
      await app.close();
      await close();
    },
  };
}

/** A service that listens on a port, for tests of connections. */
export interface Listening {
  url: string;
  port: number;
  token: string;
  /** Sends the admin's key unless the request has an Authorization header. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export async function listen({ app, admin }: Service): Promise<Listening> {
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${admin.key}` };
  return {
    url,
    port: Number(new URL(url).port),
    token: admin.key,
    fetch: (path, init = {}) => fetch(url + path, { ...init, headers: { ...headers, ...init.headers } }),
  };
}

/** Many times longer than any response takes: a request without one fails its test instead of hanging it. */
const MAX_RESPONSE_MS = 120_000;

async function withDeadline<T>(label: string, respond: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`no response to ${label} within ${MAX_RESPONSE_MS} ms`));
  const timer = setTimeout(fail, MAX_RESPONSE_MS);
  return Promise.race([respond(), promise]).finally(() => clearTimeout(timer));
}

async function inject(
  app: App,
  method: string,
  url: string,
  { body, headers = {}, token }: CallOptions,
): Promise<Answer> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body);
  const follow = method === 'GET' && /^(?:\/v1)?\/events(?:\?|$)/.test(url);
  const response = await withDeadline(`${method} ${url}`, () =>
    app.inject({
      payloadAsStream: follow,
      method: method as 'GET',
      url,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { payload: raw ? (body as string) : JSON.stringify(body) }),
    }),
  );
  const json = /[/+]json\b/.test(String(response.headers['content-type']));
  const text = follow ? await readUntilIdle(response) : response.body;
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string | undefined>,
    body: json && text !== '' ? JSON.parse(text) : undefined,
    text,
  };
}

const IDLE_MS = 100;

/** Reads an endless stream until it is idle. */
async function readUntilIdle({ stream: open, raw }: LightMyRequestResponse): Promise<string> {
  const stream = open();
  let text = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  let timer = setTimeout(resolve, IDLE_MS);
  stream.on('data', (chunk) => {
    text += chunk;
    clearTimeout(timer);
    timer = setTimeout(resolve, IDLE_MS);
  });
  stream.once('end', resolve);
  await promise;
  clearTimeout(timer);
  raw.res.destroy();
  return text;
}
/** Runs the cases once on each engine; `service()` is the running one. */
export function onEveryEngine(
  title: string,
  cases: (service: () => Service, name: EngineName) => void,
  options: Partial<Deps> = {},
): void {
  for (const name of ENGINES) {
    describe(`${title} (${name})`, () => {
      let service: Service;
      before(async () => {
        service = await openService(name, options);
      });
      after(() => service.close());
      cases(() => service, name);
    });
  }
}

/** A valid question with these changes. */
export const sample = (changes: object = {}) => ({
  question_text: 'Which planet has the shortest day?',
  correct_answer: 'Jupiter',
  category: 'Astronomy',
  difficulty: 1,
  ...changes,
});

/**
 * A command of a test. Only for PostgreSQL, which runs commands in this process without looking up
 * their names.
 */
export const testCommand = <A, R>(run: (tx: Tx, args: A) => Promise<R>): Command<A, R> =>
  Object.assign(run, { commandName: 'createQuestions' as const });
