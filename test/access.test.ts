/** Authentication and authorization of every route. */
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { it } from 'node:test';
import Type from 'typebox';
import { generateToken } from '../src/access/token-text.ts';
import { analyses } from '../src/analyses/index.ts';
import { isOffered } from '../src/api/docs/openapi.ts';
import { buildApp } from '../src/app.ts';
import { containsAnswers } from '../src/schemas/answers.ts';
import { Question, QuestionList } from '../src/schemas/question.ts';
import { QuestionsValid } from '../src/schemas/question-creation.ts';
import { ROLES, SCOPES, type Scope } from '../src/schemas/scopes.ts';
import { type Answer, onEveryEngine, type Service, sample } from './support/engines.ts';

const ANSWER_FIELDS = ['correct_answer', 'incorrect_answers', 'explanation'];

const PUBLIC = [
  'GET /docs',
  'GET /health',
  'GET /openapi.json',
  'GET /ready',
  'GET /session',
  'POST /auth/revoke',
  'POST /auth/token',
  'POST /session',
];

/** Headers that differ between any two responses. */
function withoutIds({ status, headers, text }: Answer) {
  const { date, 'x-request-id': _, ...kept } = headers;
  return { status, headers: kept, text: text.replace(/"request_id":"[^"]+"/, '') };
}

onEveryEngine('access', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  /** Every route, with ids in place of parameters. */
  const routes = () =>
    service()
      .app.routes.filter(isOffered)
      .map(({ method, url, config }) => ({
        method: String(method),
        path: url.replace(':id', '01930b1e-7c5a-7b3e-9f4e-0a8c4d1e2f30'),
        name: `${method} ${url}`,
        scopes: config?.scopes,
      }));
  const guarded = () => routes().filter(({ scopes }) => scopes !== undefined);

  it('allows requests without a token to the public routes alone', () => {
    assert.deepEqual(
      routes()
        .filter(({ scopes }) => scopes === undefined)
        .map(({ name }) => name)
        .sort(),
      PUBLIC,
    );
  });

  it('401: rejects a missing, malformed or unknown token on every route', async () => {
    const { key } = service().admin;
    const revoked = await service().keyFor('questions:read');
    await call('POST', '/auth/revoke', { token: null, body: { token: revoked } });
    const bad = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer null',
      `Bearer ${key} ${key}`,
      `Bearer${key}`,
      `Token ${key}`,
      key,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      `Bearer ${generateToken('key')}`,
      `Bearer ${generateToken('refresh')}`,
      `Bearer ${revoked}`,
      `Bearer ${'x'.repeat(5000)}`,
      `Basic ${Buffer.from(`admin:${service().admin.secret}`).toString('base64')}`,
    ];
    for (const { method, path, name } of guarded()) {
      for (const authorization of name === 'POST /auth/introspect' ? bad.slice(2, -1) : bad) {
        if (name === 'POST /auth/introspect' && !/^Bearer /.test(authorization!)) continue;
        for (const prefix of ['', '/v1']) {
          const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
          const answer = await call(method, prefix + path, { token: null, headers });
          assert.equal(answer.status, 401, `${name} with ${authorization}`);
          assert.match(answer.headers['www-authenticate']!, /^Bearer realm="quaestor"/);
        }
      }
    }
  });

  it('answers a mistyped, an unknown and a revoked token with the same problem', async () => {
    const { key } = service().admin;
    const revoked = await service().keyFor('questions:read');
    await call('POST', '/auth/revoke', { token: null, body: { token: revoked } });
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const answers = [];
    for (const token of [mistyped, generateToken('key'), generateToken('access'), revoked]) {
      answers.push(withoutIds(await call('GET', '/questions', { token })));
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  });

  it('403: names the missing scope', async () => {
    for (const { method, path, name, scopes } of guarded()) {
      for (const lacking of scopes!) {
        const others = (Object.keys(SCOPES) as Scope[]).filter((scope) => scope !== lacking);
        const token = await service().keyFor(...others);
        const answer = await call(method, path, { token });
        assert.equal(answer.status, 403, name);
        assert.equal(answer.body.code, 'insufficient_scope');
        assert.ok(answer.body.detail.includes(lacking), name);
        assert.match(answer.headers['www-authenticate']!, new RegExp(`scope="${lacking}"`), name);
      }
    }
  });

  it('rejects every change by a reader', async () => {
    const token = await service().keyFor(...ROLES.reader);
    for (const { method, path, name, scopes } of guarded()) {
      if (method === 'GET' || scopes!.length === 0) continue;
      assert.equal((await call(method, path, { token, body: sample() })).status, 403, name);
    }
  });

  it('reads the token from the Authorization header alone', async () => {
    const { key } = service().admin;
    for (const query of [`access_token=${key}`, `token=${key}`, `api_key=${key}`]) {
      assert.equal((await call('GET', `/questions?${query}`, { token: null })).status, 401);
    }
    const headers = { cookie: `token=${key}`, 'x-api-key': key, 'proxy-authorization': `Bearer ${key}` };
    assert.equal((await call('GET', '/questions', { token: null, headers })).status, 401);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = `access_token=${key}`;
    const posted = await call('POST', '/questions', { token: null, headers: form, body });
    assert.equal(posted.status, 401);
  });

  it('requires a token however the path is written', async () => {
    const paths = [
      '/questions/',
      '//questions',
      '/./questions',
      '/questions;x',
      '/QUESTIONS',
      '/%71uestions',
    ];
    paths.push(
      '/v1/../questions',
      '/docs/../questions',
      '/questions%2f',
      '/questions%00',
      '/v1/v1/questions',
    );
    paths.push('/questions/../questions', '/health/../auth/clients', '/auth%2fclients', '\\questions');
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
        const { statusCode: status } = await service().app.inject({ method: method as 'GET', url: path });
        assert.ok([400, 401, 404, 405, 413, 415].includes(status), `${method} ${path}: ${status}`);
      }
    }
    for (const name of ['x-http-method-override', 'x-method-override', 'x-original-url', 'x-rewrite-url']) {
      const headers = { [name]: name.endsWith('url') ? '/health' : 'GET' };
      assert.equal((await call('GET', '/questions', { token: null, headers })).status, 401);
      const token = await service().keyFor('questions:read');
      assert.equal((await call('POST', '/questions', { token, headers, body: sample() })).status, 403);
    }
  });

  it('requires the scopes of GET for HEAD', async () => {
    assert.equal((await call('HEAD', '/auth/clients', { token: null })).status, 401);
    const token = await service().keyFor('questions:read');
    assert.equal((await call('HEAD', '/auth/clients', { token })).status, 403);
    assert.equal((await call('HEAD', '/questions', { token })).status, 200);
  });

  it('revokes a token on an open connection', async () => {
    await service().app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service().app.server.address() as { port: number };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const key = await service().keyFor('questions:read');
    const sockets = new Set<unknown>();
    const ask = () =>
      new Promise<number>((done, failed) => {
        const headers = { authorization: `Bearer ${key}` };
        get({ port, host: '127.0.0.1', path: '/questions', agent, headers }, (response) => {
          sockets.add(response.socket);
          response.resume().on('end', () => done(response.statusCode!));
        }).on('error', failed);
      });
    assert.equal(await ask(), 200);
    await call('POST', '/auth/revoke', { token: null, body: { token: key } });
    assert.equal(await ask(), 401);
    assert.equal(sockets.size, 1);
    agent.destroy();
  });

  it('rejects a route without scopes, and one whose response contains answers that it does not protect', async () => {
    const app = await buildApp({ engine: service().engine });
    const add = (config: object, response = {}) =>
      app.get('/new', { config, schema: { response } } as object, () => ({}));
    assert.throws(() => add({}), /must declare either scopes or public/);
    assert.throws(() => add({ public: true, scopes: [] }), /must declare either/);
    for (const config of [{ public: true }, { scopes: [] }, { scopes: ['questions:read'] }])
      for (const schema of [Question, QuestionList, QuestionsValid, Type.Union([Question, Type.Null()])])
        assert.throws(() => add(config, { 200: schema }), /responds with answers/);
    add({ scopes: ['answers:read'] }, { 200: Question });
    await app.close();
  });

  it('marks every schema with an answer in it', () => {
    let found = 0;
    const check = (schema: unknown, at: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties } = schema as { properties?: Record<string, unknown> };
      if (ANSWER_FIELDS.some((name) => properties && Object.hasOwn(properties, name))) {
        assert.ok(containsAnswers(schema), `${at}: spread CONTAINS_ANSWERS into its options`);
        found++;
      }
      for (const [key, inner] of Object.entries(schema)) check(inner, `${at}/${key}`);
    };
    for (const { method, url, schema } of service().app.routes) check(schema, `${method} ${url}`);
    for (const { type, result } of analyses) check(result, type);
    assert.ok(found >= 5, `${found} schemas`);
  });

  it('sends security headers, also with errors', async () => {
    for (const [path, status] of [
      ['/questions', 200],
      ['/questions/none', 404],
      ['/nowhere', 404],
      ['/docs', 200],
      ['/%zz', 400],
    ] as const) {
      const answer = await call('GET', path);
      assert.equal(answer.status, status);
      const { headers } = answer;
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers['x-frame-options'], 'DENY', path);
      assert.equal(headers['referrer-policy'], 'no-referrer', path);
      assert.match(headers['content-security-policy']!, /default-src 'none'.*frame-ancestors 'none'/, path);
      assert.equal(headers.vary, 'Authorization, Cookie, Accept-Encoding', path);
      if (path !== '/docs') assert.equal(headers['cache-control'], 'no-store', path);
    }
  });
});
