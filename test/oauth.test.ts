/** OAuth token flows, with a client library and with plain requests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as oauth from 'openid-client';
import { hashSecret } from '../src/access/secrets.ts';
import { DEFAULT_LIFETIMES } from '../src/access/sessions.ts';
import { deriveToken, generateToken, isToken } from '../src/access/token-text.ts';
import { changeSecret } from '../src/store/access/clients.ts';
import { deleteExpiredTokens } from '../src/store/access/tokens.ts';
import { type CallOptions, onEveryEngine, type Service } from './support/engines.ts';

/** The options of a request with a form body, as in RFC 6749. */
const form = (fields: Record<string, string>): CallOptions => ({
  token: null,
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

onEveryEngine('OAuth', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const ask = (fields: Record<string, string>) => call('POST', '/auth/token', form(fields));
  const signIn = async (fields: Record<string, string> = {}) => {
    const credentials = { client_id: 'admin', client_secret: service().admin.secret };
    const answer = await ask({ grant_type: 'client_credentials', ...credentials, ...fields });
    assert.equal(answer.status, 200, answer.text);
    return answer.body as { access_token: string; refresh_token: string; expires_in: number; scope: string };
  };
  const refresh = (refresh_token: string, more: Record<string, string> = {}) =>
    ask({ grant_type: 'refresh_token', refresh_token, ...more });
  const works = async (token: string) => (await call('GET', '/auth/me', { token })).status === 200;

  it('works with an OAuth client library, with either client authentication', async () => {
    await service().app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service().app.server.address() as { port: number };
    const at = `http://127.0.0.1:${port}`;
    const server = {
      issuer: at,
      token_endpoint: `${at}/auth/token`,
      revocation_endpoint: `${at}/auth/revoke`,
      introspection_endpoint: `${at}/auth/introspect`,
    };
    const { secret } = service().admin;
    for (const method of [oauth.ClientSecretBasic(secret), oauth.ClientSecretPost(secret)]) {
      const config = new oauth.Configuration(server, 'admin', undefined, method);
      oauth.allowInsecureRequests(config);
      const first = await oauth.clientCredentialsGrant(config, { scope: 'questions:read questions:write' });
      assert.equal(first.expires_in, 900);
      assert.equal(first.scope, 'questions:read questions:write');
      const questions = await oauth.fetchProtectedResource(
        config,
        first.access_token,
        new URL(`${at}/questions`),
        'GET',
      );
      assert.equal(questions.status, 200);
      const second = await oauth.refreshTokenGrant(config, first.refresh_token!);
      assert.notEqual(second.access_token, first.access_token);
      const introspected = await oauth.tokenIntrospection(config, second.access_token);
      assert.equal(introspected.active, true);
      assert.equal(introspected.client_id, 'admin');
      await oauth.tokenRevocation(config, second.refresh_token!);
      assert.equal((await oauth.tokenIntrospection(config, second.access_token)).active, false);
      await assert.rejects(oauth.refreshTokenGrant(config, second.refresh_token!), {
        error: 'invalid_grant',
      });
      await assert.rejects(oauth.clientCredentialsGrant(config, { scope: 'everything' }), {
        error: 'invalid_scope',
      });
      const wrong = new oauth.Configuration(server, 'admin', 'wrong');
      oauth.allowInsecureRequests(wrong);
      await assert.rejects(oauth.clientCredentialsGrant(wrong), { status: 401 });
    }
  });

  it('accepts a form or JSON, and forbids caching', async () => {
    const { secret } = service().admin;
    const body = { grant_type: 'client_credentials', client_id: 'admin', client_secret: secret };
    const answer = await call('POST', '/auth/token', { token: null, body });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers.pragma, 'no-cache');
    assert.match(answer.body.access_token, /^qsa_[0-9A-Za-z]{36}$/);
    assert.match(answer.body.refresh_token, /^qsr_[0-9A-Za-z]{36}$/);
    assert.deepEqual(
      { ...answer.body, access_token: '', refresh_token: '' },
      {
        access_token: '',
        refresh_token: '',
        token_type: 'Bearer',
        expires_in: 900,
        scope: answer.body.scope,
      },
    );
  });

  it('reports errors as in RFC 6749', async () => {
    const { secret } = service().admin;
    const client = { client_id: 'admin', client_secret: secret };
    const grant = { grant_type: 'client_credentials' };
    const raw = (body: string, type = 'application/x-www-form-urlencoded', headers = {}): CallOptions => ({
      token: null,
      body,
      headers: { 'content-type': type, ...headers },
    });
    const cases: [title: string, CallOptions, status: number, error: string][] = [
      ['no grant type', form(client), 400, 'invalid_request'],
      ['another grant type', form({ ...client, grant_type: 'password' }), 400, 'unsupported_grant_type'],
      ['no client', form(grant), 401, 'invalid_client'],
      ['no secret', form({ ...grant, client_id: 'admin' }), 401, 'invalid_client'],
      ['an empty secret', form({ ...grant, client_id: 'admin', client_secret: '' }), 401, 'invalid_client'],
      ['a wrong secret', form({ ...grant, ...client, client_secret: 'x' }), 401, 'invalid_client'],
      ['an unknown client', form({ ...grant, ...client, client_id: 'unknown' }), 401, 'invalid_client'],
      ['an unknown scope', form({ ...grant, ...client, scope: 'root' }), 400, 'invalid_scope'],
      ['a scope of nothing', form({ ...grant, ...client, scope: ' ' }), 400, 'invalid_scope'],
      ['a parameter twice', raw('grant_type=client_credentials&grant_type=x'), 400, 'invalid_request'],
      [
        'two ways at once',
        raw(`client_secret=${secret}`, undefined, basic('admin', secret)),
        400,
        'invalid_request',
      ],
      [
        'two clients',
        raw('client_id=other&grant_type=client_credentials', undefined, basic('admin', secret)),
        400,
        'invalid_request',
      ],
      [
        'broken Basic',
        raw('grant_type=client_credentials', undefined, { authorization: 'Basic !' }),
        401,
        'invalid_client',
      ],
      [
        'Bearer',
        raw('grant_type=client_credentials', undefined, { authorization: 'Bearer x' }),
        401,
        'invalid_client',
      ],
      ['no form', raw('%'), 400, 'invalid_request'],
      ['NUL', raw('grant_type=client_credentials&client_id=a%00b&client_secret=x'), 400, 'invalid_request'],
      [
        'half a character',
        raw('{"grant_type":"client_credentials","client_id":"\\ud800"}', 'application/json'),
        400,
        'invalid_request',
      ],
      [
        'NUL in Basic',
        raw('grant_type=client_credentials', undefined, basic('a\0', 'x')),
        400,
        'invalid_request',
      ],
      ['a form that is not UTF-8', raw('grant_type=%ff'), 400, 'invalid_request'],
      ['broken JSON', raw('{', 'application/json'), 400, 'invalid_request'],
      ['JSON with a number', raw('{"grant_type":1}', 'application/json'), 400, 'invalid_request'],
      ['a JSON array', raw('[]', 'application/json'), 400, 'invalid_request'],
      ['no body', { token: null }, 400, 'invalid_request'],
      ['no refresh token', form({ grant_type: 'refresh_token' }), 400, 'invalid_request'],
      [
        'nonsense to refresh',
        form({ grant_type: 'refresh_token', refresh_token: 'x' }),
        400,
        'invalid_grant',
      ],
      [
        'an unknown one',
        form({ grant_type: 'refresh_token', refresh_token: generateToken('refresh') }),
        400,
        'invalid_grant',
      ],
    ];
    for (const [title, options, status, error] of cases) {
      const answer = await call('POST', '/auth/token', options);
      assert.equal(answer.status, status, `${title}: ${answer.text}`);
      assert.equal(answer.body.error, error, title);
      assert.ok(answer.body.error_description.length > 10, title);
      if (status === 401) assert.match(answer.headers['www-authenticate']!, /^Basic /, title);
    }
    const huge = form({ ...grant, client_id: 'admin', client_secret: 'x'.repeat(1024 * 1024) });
    assert.equal((await call('POST', '/auth/token', huge)).status, 413);
    assert.equal((await call('POST', '/auth/token', raw('x', 'text/plain'))).status, 415);
  });

  it('answers an unknown client and a wrong secret alike', async () => {
    const answers = [];
    for (const client_id of ['admin', 'unknown']) {
      const { status, text, headers } = await ask({
        grant_type: 'client_credentials',
        client_id,
        client_secret: 'guess',
      });
      const { date, 'x-request-id': _, ...rest } = headers;
      answers.push({ status, text, rest });
    }
    assert.deepEqual(answers[0], answers[1]);
  });

  it('compares secrets byte by byte, without normalization', async () => {
    const secrets = ['  spaces around  ', 'p+l%u&s=', 'päßwörd 🗝️ ümläut', 'x'.repeat(100)];
    const { body: client } = await call('POST', '/auth/clients', { body: { name: 'x', role: 'reader' } });
    const grant = { grant_type: 'client_credentials' };
    for (const secret of secrets) {
      const change = {
        id: client.id,
        secret: await hashSecret(secret),
        by: undefined,
        at: Date.now(),
        nonce: '',
      };
      await service().engine.write(changeSecret, change);
      const statuses: number[] = [];
      for (const candidate of [secret, `${secret}!`, secret.slice(0, -1)]) {
        statuses.push((await ask({ ...grant, client_id: client.id, client_secret: candidate })).status);
      }
      // curl sends the secret unencoded, OAuth libraries send it percent-encoded.
      for (const sent of [secret, encodeURIComponent(secret)]) {
        const { headers, ...options } = form(grant);
        const named = { ...options, headers: { ...headers, ...basic(client.id, sent) } };
        statuses.push((await call('POST', '/auth/token', named)).status);
      }
      assert.deepEqual(statuses, [200, 401, 401, 200, 200], secret);
    }
  });

  it('grants at most the requested scopes', async () => {
    const { access_token, scope, refresh_token } = await signIn({ scope: 'questions:read' });
    assert.equal(scope, 'questions:read');
    assert.equal((await call('GET', '/questions', { token: access_token })).status, 200);
    assert.equal((await call('GET', '/auth/clients', { token: access_token })).status, 403);
    assert.equal(
      (await refresh(refresh_token, { scope: 'questions:read admin' })).body.error,
      'invalid_scope',
    );
    const both = await signIn({ scope: 'questions:read answers:read' });
    const less = await refresh(both.refresh_token, { scope: 'questions:read' });
    assert.equal(less.body.scope, 'questions:read');
    // The family keeps the granted scopes.
    assert.equal((await refresh(less.body.refresh_token)).body.scope, 'questions:read answers:read');
  });

  it('rotates refresh tokens; reuse revokes the family', async () => {
    const first = await signIn();
    const second = (await refresh(first.refresh_token)).body;
    const third = (await refresh(second.refresh_token)).body;
    assert.ok((await works(first.access_token)) && (await works(third.access_token)));
    const reused = await refresh(first.refresh_token);
    assert.equal(reused.status, 400);
    assert.equal(reused.body.error, 'invalid_grant');
    for (const { access_token } of [first, second, third]) assert.equal(await works(access_token), false);
    assert.equal((await refresh(third.refresh_token)).body.error, 'invalid_grant');
  });

  it('repeats a lost response within ten seconds, not later', async (context) => {
    const first = await signIn();
    const second = (await refresh(first.refresh_token)).body;
    const again = (await refresh(first.refresh_token)).body;
    assert.equal(again.access_token, second.access_token);
    assert.equal(again.refresh_token, second.refresh_token);
    const now = Date.now();
    context.mock.method(Date, 'now', () => now + 11_000);
    assert.equal((await refresh(first.refresh_token)).body.error, 'invalid_grant');
    assert.equal(await works(second.access_token), false);
  });

  it('detects the reuse of a stolen token, however late', async (context) => {
    const first = await signIn();
    const start = Date.now();
    let later = 0;
    context.mock.method(Date, 'now', () => start + later);
    // The thief keeps the family alive, while the owner is absent for longer than the idle lifetime
    // of a token.
    let stolen = (await refresh(first.refresh_token)).body;
    for (const day of [10, 20]) {
      later = day * 24 * 60 * 60 * 1000;
      stolen = (await refresh(stolen.refresh_token)).body;
    }
    await service().engine.write(deleteExpiredTokens, Date.now());
    assert.ok(await works(stolen.access_token));
    assert.equal((await refresh(first.refresh_token)).body.error, 'invalid_grant');
    assert.equal(await works(stolen.access_token), false);
    assert.equal((await refresh(stolen.refresh_token)).body.error, 'invalid_grant');
  });

  it('revokes a key with the stolen session that created it, not with a revoked one', async () => {
    const keyBy = async (token: string) =>
      (await call('POST', '/auth/tokens', { token, body: { name: 'k' } })).body.token as string;
    const one = await signIn({ scope: 'questions:read' });
    const kept = await keyBy(one.access_token);
    await call('POST', '/auth/revoke', form({ token: one.refresh_token }));
    assert.equal(await works(one.access_token), false);
    assert.ok(await works(kept));
    const two = await signIn({ scope: 'questions:read' });
    const lost = await keyBy(two.access_token);
    const next = (await refresh(two.refresh_token)).body;
    await refresh(next.refresh_token);
    await refresh(two.refresh_token);
    assert.equal(await works(lost), false);
  });

  it('detects reuse after the thief has revoked the token', async () => {
    const first = await signIn({ scope: 'questions:read' });
    const stolen = (await refresh(first.refresh_token)).body;
    const { body: key } = await call('POST', '/auth/tokens', {
      token: stolen.access_token,
      body: { name: 'k' },
    });
    await call('POST', '/auth/revoke', form({ token: stolen.refresh_token }));
    assert.ok(await works(key.token));
    assert.match((await refresh(first.refresh_token)).body.error_description, /used before/);
    assert.equal(await works(key.token), false);
    // Revoking a used token counts as reuse as well.
    const second = await signIn({ scope: 'questions:read' });
    const next = (await refresh(second.refresh_token)).body;
    await refresh(next.refresh_token);
    const { body: other } = await call('POST', '/auth/tokens', {
      token: next.access_token,
      body: { name: 'k' },
    });
    assert.equal((await call('POST', '/auth/revoke', form({ token: second.refresh_token }))).status, 200);
    assert.equal(await works(other.token), false);
  });

  it('revokes a family completely under concurrent refreshes', async () => {
    for (let round = 0; round < 15; round++) {
      const { refresh_token } = await signIn();
      const pause = () => new Promise((done) => setTimeout(done, round % 4));
      const [, refreshed] = await Promise.all([
        call('POST', '/auth/revoke', form({ token: refresh_token })),
        pause().then(() => refresh(refresh_token)),
      ]);
      if (refreshed.status === 200) assert.equal(await works(refreshed.body.access_token), false);
      const first = await signIn();
      const second = (await refresh(first.refresh_token)).body;
      const third = (await refresh(second.refresh_token)).body;
      const [reused, thief] = await Promise.all([
        refresh(first.refresh_token),
        pause().then(() => refresh(third.refresh_token)),
      ]);
      assert.equal(reused.body.error, 'invalid_grant');
      if (thief.status === 200) assert.equal(await works(thief.body.access_token), false);
    }
  });

  it('reports the remaining scopes after a demotion', async () => {
    const { body: client } = await call('POST', '/auth/clients', { body: { name: 'x', role: 'author' } });
    const { refresh_token } = await signIn({ client_id: client.id, client_secret: client.secret });
    await call('PUT', `/auth/clients/${client.id}`, { body: { role: 'reader' } });
    assert.equal((await refresh(refresh_token, { scope: 'answers:read' })).body.error, 'invalid_scope');
    assert.equal((await refresh(refresh_token)).body.scope, 'questions:read analysis:read');
  });

  it('keeps one live family after 20 concurrent refreshes', async () => {
    const { refresh_token } = await signIn();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1);
    assert.equal(new Set(answers.map(({ body }) => body.access_token)).size, 1);
    assert.ok(await works(answers[0]!.body.access_token));
    assert.equal((await refresh(answers[0]!.body.refresh_token)).status, 200);
  });

  it('expires tokens', async (context) => {
    const { access_token, refresh_token } = await signIn();
    const start = Date.now();
    let later = 0;
    context.mock.method(Date, 'now', () => start + later);
    const at = (ms: number) => {
      later = ms;
    };
    at(DEFAULT_LIFETIMES.access - 1000);
    assert.ok(await works(access_token));
    at(DEFAULT_LIFETIMES.access + 1);
    assert.equal(await works(access_token), false);
    // A family that is refreshed every ten days ends after 90 days.
    let token = refresh_token;
    for (let day = 10; day <= 80; day += 10) {
      at(day * 24 * 60 * 60 * 1000);
      token = (await refresh(token)).body.refresh_token;
    }
    at(DEFAULT_LIFETIMES.refresh - 5000);
    const last = (await refresh(token)).body;
    assert.ok(last.expires_in <= 5);
    at(DEFAULT_LIFETIMES.refresh + 1);
    assert.equal((await refresh(last.refresh_token)).body.error, 'invalid_grant');
    at(0);
    const idle = await signIn();
    at(DEFAULT_LIFETIMES.idle + 1000);
    assert.equal((await refresh(idle.refresh_token)).body.error, 'invalid_grant');
  });

  it('revokes from the next request on: RFC 7009', async () => {
    const revoke = (token: string, more = {}) => call('POST', '/auth/revoke', form({ token, ...more }));
    const one = await signIn();
    assert.equal((await revoke(one.access_token)).status, 200);
    assert.equal(await works(one.access_token), false);
    assert.equal((await refresh(one.refresh_token)).status, 200);
    const two = await signIn();
    assert.equal((await revoke(two.refresh_token, { token_type_hint: 'access_token' })).status, 200);
    assert.equal(await works(two.access_token), false);
    const key = await service().keyFor('questions:read');
    assert.equal((await revoke(key)).status, 200);
    assert.equal((await call('GET', '/questions', { token: key })).status, 401);
    for (const unknown of ['x', generateToken('access'), two.access_token]) {
      const answer = await revoke(unknown);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, {});
    }
    assert.equal((await call('POST', '/auth/revoke', form({}))).body.error, 'invalid_request');
    const three = await signIn();
    const wrong = { client_id: 'admin', client_secret: 'wrong' };
    const { body: other } = await call('POST', '/auth/clients', { body: { name: 'o', role: 'reader' } });
    const theirs = { client_id: other.id, client_secret: other.secret };
    assert.equal((await revoke(three.access_token, theirs)).body.error, 'invalid_grant');
    assert.equal((await revoke(three.access_token, wrong)).status, 401);
    assert.ok(await works(three.access_token));
  });

  it('introspects tokens for their owners: RFC 7662', async () => {
    const { access_token } = await signIn({ scope: 'questions:read' });
    const introspect = (token: string, by: string | null) =>
      call('POST', '/auth/introspect', { ...form({ token }), token: by });
    const { body } = await introspect(access_token, access_token);
    assert.equal(body.active, true);
    assert.equal(body.scope, 'questions:read');
    assert.equal(body.exp - body.iat, 900);
    const { body: other } = await call('POST', '/auth/clients', { body: { name: 'B', role: 'reader' } });
    const credentials = { client_id: other.id, client_secret: other.secret };
    const { body: theirs } = await ask({ grant_type: 'client_credentials', ...credentials });
    assert.deepEqual((await introspect(access_token, theirs.access_token)).body, { active: false });
    assert.equal((await introspect(theirs.access_token, service().admin.key)).body.client_id, other.id);
    assert.deepEqual((await introspect('nonsense', access_token)).body, { active: false });
    assert.equal((await introspect(access_token, null)).status, 401);
    assert.equal((await introspect(access_token, generateToken('access'))).status, 401);
  });
});

onEveryEngine(
  'configured token lifetimes',
  (service) => {
    it('apply to new tokens and keys', async () => {
      const { secret } = service().admin;
      const fields = { grant_type: 'client_credentials', client_id: 'admin', client_secret: secret };
      const { body } = await service().call('POST', '/auth/token', form(fields));
      assert.equal(body.expires_in, 60);
      const { body: key } = await service().call('POST', '/auth/tokens', {
        body: { name: 'k', expires_in_days: 300 },
      });
      const days = (Date.parse(key.expires_at) - Date.parse(key.created_at)) / 86_400_000;
      assert.equal(days, 10);
    });
  },
  { lifetimes: { ...DEFAULT_LIFETIMES, access: 60_000, key: 10 * 86_400_000 } },
);

it('generates tokens with a prefix for secret scanners and a checksum', () => {
  const seen = new Set<string>();
  for (let i = 0; i < 1000; i++) {
    const token = generateToken('key');
    assert.match(token, /^qsk_[0-9A-Za-z]{36}$/);
    assert.ok(isToken(token) && !seen.has(token));
    seen.add(token);
    const at = 4 + (i % 36);
    const other = token[at] === 'a' ? 'b' : 'a';
    assert.equal(isToken(token.slice(0, at) + other + token.slice(at + 1)), false);
  }
  const from = generateToken('refresh');
  assert.equal(deriveToken('access', from, 's'), deriveToken('access', from, 's'));
  assert.notEqual(deriveToken('access', from, 's'), deriveToken('access', from, 't'));
  assert.ok(isToken(deriveToken('refresh', from, 's')));
});
