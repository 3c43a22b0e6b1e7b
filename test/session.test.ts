/** Sessions of the console: sign-in, same-origin rule, links, end. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { extendSession } from '../src/store/access/browser-sessions.ts';
import { onEveryEngine, type Service } from './support/engines.ts';

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const HOST = 'localhost:3000';

onEveryEngine('console sessions', (service) => {
  const call = (
    method: string,
    path: string,
    { headers = {}, ...options }: Parameters<Service['call']>[2] = {},
  ) => service().call(method, path, { token: null, headers: { host: HOST, ...headers }, ...options });
  const asAdmin: Service['call'] = (...args) => service().call(...args);

  async function createClient(role: string): Promise<{ id: string; secret: string }> {
    const { body, status } = await asAdmin('POST', '/auth/clients', { body: { name: role, role } });
    assert.equal(status, 201);
    return body;
  }

  async function signIn(body: object, headers: Record<string, string> = SAME_ORIGIN) {
    const answer = await call('POST', '/session', { body, headers });
    const cookie = String(answer.headers['set-cookie'] ?? '').split(';')[0]!;
    return { ...answer, cookie };
  }

  async function signInAs(role: string) {
    const { id, secret } = await createClient(role);
    const answer = await signIn({ client_id: id, client_secret: secret });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return { id, secret, cookie: answer.cookie, session: answer.body };
  }

  it('signs in with a secret: the cookie carries the role of the client', async () => {
    const { id, secret } = await createClient('reader');
    const { status, body, headers } = await signIn({ client_id: id, client_secret: secret });
    assert.equal(status, 201);
    assert.deepEqual(body.client, { id, name: 'reader', role: 'reader' });
    assert.match(
      String(headers['set-cookie']),
      /^quaestor-3000=qsc_\w{36}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const cookie = String(headers['set-cookie']).split(';')[0]!;
    const list = await call('GET', '/questions', { headers: { cookie } });
    assert.equal(list.status, 200);
    const write = await call('POST', '/questions', { body: {}, headers: { cookie, ...SAME_ORIGIN } });
    assert.equal(write.body.code, 'insufficient_scope');
    const current = await call('GET', '/session', { headers: { cookie } });
    assert.deepEqual(current.body, body);
  });

  it('answers an unknown client and a wrong secret alike', async () => {
    const { id } = await createClient('reader');
    const wrong = await signIn({ client_id: id, client_secret: 'wrong' });
    const unknown = await signIn({ client_id: 'unknown', client_secret: 'wrong' });
    assert.equal(wrong.status, 401);
    assert.equal(wrong.body.code, 'invalid_credentials');
    assert.equal(wrong.headers['set-cookie'], undefined);
    assert.deepEqual({ ...unknown.body, request_id: '' }, { ...wrong.body, request_id: '' });
  });

  it('refuses a request that is ambiguous', async () => {
    for (const body of [{}, { client_id: 'admin' }, { link: 'x', client_id: 'admin' }]) {
      const { status, body: problem } = await signIn(body);
      assert.equal(status, 422, JSON.stringify(body));
      assert.equal(problem.errors[0].code, 'invalid_combination');
    }
  });

  /** Headers of a request by a page of another origin, or by none. */
  const FOREIGN: [string, Record<string, string>, { reads: boolean; writes: boolean }][] = [
    ['the page itself', SAME_ORIGIN, { reads: true, writes: true }],
    ['another port of the host', { 'sec-fetch-site': 'same-site' }, { reads: false, writes: false }],
    ['another site', { 'sec-fetch-site': 'cross-site' }, { reads: false, writes: false }],
    ['a typed address', { 'sec-fetch-site': 'none' }, { reads: true, writes: false }],
    [
      'a foreign Origin beside same-origin',
      { ...SAME_ORIGIN, origin: 'https://evil.example' },
      { reads: true, writes: true },
    ],
    ['an equal Origin alone', { origin: `http://${HOST}` }, { reads: true, writes: true }],
    ['another Origin alone', { origin: 'http://localhost:3001' }, { reads: false, writes: false }],
    ['the Origin null', { origin: 'null' }, { reads: false, writes: false }],
    ['no header at all', {}, { reads: true, writes: false }],
  ];
  it('accepts the cookie from the same origin only', async () => {
    const { cookie } = await signInAs('admin');
    for (const [name, headers, { reads, writes }] of FOREIGN) {
      const read = await call('GET', '/questions', { headers: { cookie, ...headers } });
      assert.equal(read.status, reads ? 200 : 401, `read by ${name}`);
      const body = { name: `Category of ${name}` };
      const write = await call('POST', '/categories', { body, headers: { cookie, ...headers } });
      assert.equal(write.status, writes ? 201 : 401, `write by ${name}`);
    }
  });

  it('does not sign in for a page of another origin', async () => {
    const { id, secret } = await createClient('reader');
    const credentials = { client_id: id, client_secret: secret };
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://evil.example' },
    ];
    for (const headers of foreign) {
      const { status, body } = await signIn(credentials, headers);
      assert.equal(status, 403);
      assert.equal(body.code, 'cross_origin');
    }
  });

  it('ends a session at once', async () => {
    const { cookie } = await signInAs('reader');
    const ended = await call('DELETE', '/session', { headers: { cookie, ...SAME_ORIGIN } });
    assert.equal(ended.status, 204);
    assert.match(String(ended.headers['set-cookie']), /^quaestor-3000=; Max-Age=0;/);
    assert.equal((await call('GET', '/session', { headers: { cookie } })).body.client, null);
  });

  it('ends sessions when the secret is rotated or the client deleted', async () => {
    const rotated = await signInAs('reader');
    await asAdmin('POST', `/auth/clients/${rotated.id}/secret`);
    assert.equal((await call('GET', '/questions', { headers: { cookie: rotated.cookie } })).status, 401);
    const deleted = await signInAs('reader');
    await asAdmin('DELETE', `/auth/clients/${deleted.id}`);
    assert.equal((await call('GET', '/questions', { headers: { cookie: deleted.cookie } })).status, 401);
  });

  it('follows a change of the role', async () => {
    const { id, cookie } = await signInAs('author');
    await asAdmin('PUT', `/auth/clients/${id}`, { body: { role: 'reader' } });
    const { body } = await call('GET', '/session', { headers: { cookie } });
    assert.deepEqual(body.scopes, ['questions:read', 'analysis:read']);
  });

  it('does not take a session in a header, nor another token in the cookie', async () => {
    const { cookie } = await signInAs('reader');
    const [name, text] = cookie.split('=') as [string, string];
    const header = await call('GET', '/questions', { headers: { authorization: `Bearer ${text}` } });
    assert.equal(header.status, 401);
    const token = service().admin.key;
    const asCookie = await call('GET', '/questions', { headers: { cookie: `${name}=${token}` } });
    assert.equal(asCookie.status, 401);
    const otherPort = await call('GET', '/questions', { headers: { cookie, host: 'localhost:3001' } });
    assert.equal(otherPort.status, 401);
  });

  it('signs in once by a link', async () => {
    const { id } = await createClient('teacher');
    const first = await asAdmin('POST', `/auth/clients/${id}/link`);
    assert.equal(first.status, 201);
    const second = await asAdmin('POST', `/auth/clients/${id}/link`);
    assert.equal((await signIn({ link: first.body.link })).body.code, 'invalid_link', 'it was replaced');
    const bearer = await call('GET', '/questions', {
      headers: { authorization: `Bearer ${second.body.link}` },
    });
    assert.equal(bearer.status, 401, 'a link is no token');
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn({ link: second.body.link })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(401)]);
    const winner = answers.find(({ status }) => status === 201)!;
    assert.equal(winner.body.client.id, id);
    assert.equal((await call('GET', '/session', { headers: { cookie: winner.cookie } })).status, 200);
    assert.equal((await signIn({ link: 'qsl_nonsense' })).status, 401);
  });

  it('repeats the creation of a link under its key without showing it again', async () => {
    const { id } = await createClient('reader');
    const headers = { 'idempotency-key': 'invite' };
    const first = await asAdmin('POST', `/auth/clients/${id}/link`, { headers });
    const repeated = await asAdmin('POST', `/auth/clients/${id}/link`, { headers });
    assert.deepEqual(repeated.body, { ...first.body, link: null });
    assert.equal((await signIn({ link: first.body.link })).status, 201);
  });

  it('moves the idle timeout, never beyond the end of the session', async () => {
    const { cookie, session } = await signInAs('reader');
    const { engine } = service();
    const [row] = await engine.db.all<{ hash: string; expires_at: number; ends_at: number }>(
      "SELECT hash, expires_at, ends_at FROM tokens WHERE kind = 'session' ORDER BY id DESC LIMIT 1",
    );
    const later = row!.expires_at + 1_000;
    await engine.write(extendSession, { hash: row!.hash, expires_at: later });
    await engine.write(extendSession, { hash: row!.hash, expires_at: row!.expires_at });
    const { body } = await call('GET', '/session', { headers: { cookie } });
    assert.equal(Date.parse(body.expires_at), later, 'an earlier time does not shorten it');
    assert.ok(row!.ends_at - Date.parse(session.expires_at) > 13 * 24 * 3_600_000);
  });
});
