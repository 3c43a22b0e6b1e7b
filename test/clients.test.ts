/** Clients and keys: creation, changes and revocation; secrets are shown once. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { generateKey } from '../src/access/sessions.ts';
import { ROLES, type Role } from '../src/schemas/scopes.ts';
import { changeSecret, createClient, deleteClient } from '../src/store/access/clients.ts';
import { createKey } from '../src/store/access/tokens.ts';
import { uuidv7 } from '../src/store/ids.ts';
import { onEveryEngine, type Service } from './support/engines.ts';

onEveryEngine('clients and keys', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);
  const add = async (role: Role = 'author', name = 'Somebody') => {
    const answer = await call('POST', '/auth/clients', { body: { name, role } });
    assert.equal(answer.status, 201, answer.text);
    return answer.body as { id: string; secret: string; role: Role };
  };
  const signIn = ({ id, secret }: { id: string; secret: string }, scope?: string) =>
    call('POST', '/auth/token', {
      token: null,
      body: {
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
        ...(scope && { scope }),
      },
    });
  const createToken = async (client: { id: string; secret: string }, scope?: string) =>
    (await signIn(client, scope)).body.access_token as string;
  const status = async (token: string, path = '/auth/me') => (await call('GET', path, { token })).status;

  it('gives each role its scopes', async () => {
    for (const role of Object.keys(ROLES) as Role[]) {
      const client = await add(role);
      const { body } = await call('GET', '/auth/me', { token: await createToken(client) });
      assert.deepEqual(body.scopes, ROLES[role]);
      assert.deepEqual(body.client, { id: client.id, name: 'Somebody', role });
      assert.equal(body.token.kind, 'access');
    }
  });

  it('shows a secret once', async () => {
    const { secret, ...client } = await add();
    assert.match(secret, /^qss_[0-9A-Za-z]{36}$/);
    assert.deepEqual((await call('GET', `/auth/clients/${client.id}`)).body, client);
    assert.ok(!(await call('GET', '/auth/clients?limit=1000')).text.includes(secret));
    const key = await call('POST', '/auth/tokens', { body: { name: 'once' } });
    assert.match(key.body.token, /^qsk_/);
    assert.ok(!(await call('GET', '/auth/tokens?limit=1000')).text.includes(key.body.token));
  });

  it('creates one client per Idempotency-Key, and does not store the secret for repetitions', async () => {
    for (const [url, body, secret] of [
      ['/auth/clients', { name: 'Twice', role: 'reader' }, 'secret'],
      ['/auth/tokens', { name: 'Twice' }, 'token'],
    ] as const) {
      const options = { body, headers: { 'idempotency-key': 'twice' } };
      const first = await call('POST', url, options);
      const again = await call('POST', url, options);
      assert.equal(first.status, 201);
      assert.equal(again.status, 201);
      assert.deepEqual(again.body, { ...first.body, [secret]: null });
    }
    const { id } = await add();
    const options = { headers: { 'idempotency-key': 'rotate' } };
    const first = await call('POST', `/auth/clients/${id}/secret`, options);
    const again = await call('POST', `/auth/clients/${id}/secret`, options);
    assert.deepEqual(again.body, { ...first.body, secret: null });
    assert.equal((await signIn({ id, secret: first.body.secret })).status, 200);
  });

  it('applies a changed role to existing tokens from the next request', async () => {
    const client = await add('author');
    const token = await createToken(client);
    const path = `/auth/clients/${client.id}`;
    assert.equal(await status(token, '/questions?sort=updated_at'), 200);
    const changed = await call('PUT', path, { body: { role: 'reader', name: 'Renamed' } });
    assert.equal(changed.status, 200);
    assert.equal(changed.body.name, 'Renamed');
    assert.equal(await status(token, '/questions?sort=updated_at'), 403);
    assert.equal(await status(token, '/questions'), 200);
    await call('PUT', path, { body: { role: 'author' } });
    assert.equal(await status(token, '/questions?sort=updated_at'), 200);
    // A token never gains scopes, whatever the role of its client.
    const narrow = await createToken(client, 'questions:read');
    await call('PUT', path, { body: { role: 'admin' } });
    assert.equal(await status(narrow, '/auth/clients'), 403);
  });

  it('304 and 412: evaluates the ETag of a client', async () => {
    const { id } = await add();
    const path = `/auth/clients/${id}`;
    const { headers } = await call('GET', path);
    const known = { 'if-none-match': headers.etag! };
    assert.equal((await call('GET', path, { headers: known })).status, 304);
    const seen = { 'if-match': headers.etag! };
    assert.equal((await call('PUT', path, { headers: seen, body: { name: 'B' } })).status, 200);
    assert.equal((await call('PUT', path, { headers: seen, body: { name: 'C' } })).status, 412);
    assert.equal((await call('DELETE', path, { headers: seen })).status, 412);
  });

  it('replaces a secret: the old one and its tokens are revoked, keys stay', async () => {
    const client = await add();
    const token = await createToken(client);
    const { body: key } = await call('POST', '/auth/tokens', { token, body: { name: 'k' } });
    const { body } = await call('POST', `/auth/clients/${client.id}/secret`);
    assert.notEqual(body.secret, client.secret);
    assert.equal(await status(token), 401);
    assert.equal((await signIn(client)).status, 401);
    assert.equal((await signIn({ id: client.id, secret: body.secret })).status, 200);
    assert.equal(await status(key.token), 200);
  });

  it('deletes a client with its tokens', async () => {
    const client = await add();
    const { access_token, refresh_token } = (await signIn(client)).body;
    const { body: key } = await call('POST', '/auth/tokens', { token: access_token, body: { name: 'k' } });
    assert.equal((await call('DELETE', `/auth/clients/${client.id}`)).status, 204);
    assert.equal(await status(access_token), 401);
    assert.equal(await status(key.token), 401);
    const refreshed = await call('POST', '/auth/token', {
      token: null,
      body: { grant_type: 'refresh_token', refresh_token },
    });
    assert.equal(refreshed.body.error, 'invalid_grant');
    assert.equal((await signIn(client)).status, 401);
    for (const method of ['GET', 'DELETE'])
      assert.equal((await call(method, `/auth/clients/${client.id}`)).status, 404);
    assert.equal((await call('POST', `/auth/clients/${client.id}/secret`)).status, 404);
    for (const id of ['%00', '%20', 'x'.repeat(300), '%F0%9F%90%98'])
      assert.equal((await call('GET', `/auth/clients/${id}`)).status, 404, id);
  });

  it('409: keeps the last admin', async () => {
    const { body } = await call('GET', '/auth/clients?limit=1000');
    for (const { id, role } of body.data) {
      if (role === 'admin' && id !== 'admin') await call('DELETE', `/auth/clients/${id}`);
    }
    assert.equal((await call('DELETE', '/auth/clients/admin')).body.code, 'last_admin');
    assert.equal((await call('PUT', '/auth/clients/admin', { body: { role: 'reader' } })).status, 409);
    assert.equal((await call('PUT', '/auth/clients/admin', { body: { name: 'Boss' } })).status, 200);
    const second = await add('admin');
    const token = await createToken(second);
    const [one, two] = await Promise.all([
      call('PUT', '/auth/clients/admin', { body: { role: 'reader' } }),
      call('PUT', `/auth/clients/${second.id}`, { token, body: { role: 'reader' } }),
    ]);
    assert.deepEqual([one.status, two.status].sort(), [200, 409]);
    const left = one.status === 200 ? token : undefined;
    await call('PUT', '/auth/clients/admin', { ...(left && { token: left }), body: { role: 'admin' } });
  });

  it('401: checks the caller again in the transaction of the change', async () => {
    const { engine } = service();
    const at = Date.now();
    const by = { client: 'admin', token: uuidv7(at), manages: true, now: at };
    const { row: token } = generateKey({ client_id: 'admin', name: 'k', at, lifetime: 1000 });
    const client = { id: uuidv7(at), name: 'x', role: 'admin' as const, secret: '', at };
    const ended = { status: 401, code: 'unauthorized' };
    await assert.rejects(engine.write(createKey, { token, scopes: undefined, by }), ended);
    await assert.rejects(engine.write(createClient, { ...client, by }), ended);
    await assert.rejects(engine.write(deleteClient, { id: 'admin', by, ifMatch: undefined }), ended);
    await assert.rejects(engine.write(changeSecret, { id: 'admin', secret: '', by, at, nonce: '' }), ended);
    assert.equal((await call('GET', '/auth/me')).status, 200);
  });

  it('lets a key read and revoke itself alone', async () => {
    const [weak, other] = [
      await service().keyFor('questions:read'),
      await service().keyFor('questions:read'),
    ];
    const { body } = await call('GET', '/auth/tokens', { token: weak });
    assert.equal(body.pagination.total, 1);
    const all = (await call('GET', '/auth/tokens?client_id=admin&limit=1000')).body.data;
    for (const { id } of all.filter(({ id }: { id: string }) => id !== body.data[0].id))
      assert.equal((await call('DELETE', `/auth/tokens/${id}`, { token: weak })).status, 404);
    assert.equal((await call('DELETE', `/auth/tokens/${body.data[0].id}`, { token: weak })).status, 204);
    assert.equal(await status(weak), 401);
    assert.equal(await status(other), 200);
  });

  it('422: rejects unknown fields', async () => {
    for (const body of [
      {},
      { name: 'x' },
      { name: '', role: 'reader' },
      { name: 'x', role: 'root' },
      { name: 'x', role: 'reader', id: 'own' },
      { name: 'x', role: 'reader', secret: 'own' },
      { name: 'x', role: 'reader', scopes: ['admin'] },
      { name: 'x', role: 'reader', is_admin: true },
    ]) {
      assert.equal((await call('POST', '/auth/clients', { body })).status, 422, JSON.stringify(body));
    }
    for (const body of [
      {},
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['root'] },
      { name: 'x', expires_in_days: 366 },
      { name: 'x', expires_in_days: 0 },
      { name: 'x', expires_in_days: '1' },
      { name: 'x', client_id: 'unknown' },
      { name: 'x', token: 'own' },
    ]) {
      assert.equal((await call('POST', '/auth/tokens', { body })).status, 422, JSON.stringify(body));
    }
  });

  it('creates keys with at most the scopes of their creator', async () => {
    const client = await add('author');
    const narrow = await createToken(client, 'questions:read answers:read');
    const make = (token: string, body: object) =>
      call('POST', '/auth/tokens', { token, body: { name: 'k', ...body } });
    const full = await make(narrow, {});
    assert.deepEqual(full.body.scopes, ['questions:read', 'answers:read']);
    const refused = await make(narrow, { scopes: ['questions:write'] });
    assert.equal(refused.status, 403);
    assert.match(refused.body.detail, /questions:write/);
    assert.equal((await make(narrow, { client_id: 'admin' })).status, 403);
    const keyed = await make(full.body.token, {});
    assert.equal(keyed.body.code, 'key_cannot_create_keys');
    // With clients:manage, keys are created for other clients, within their roles.
    const { key } = service().admin;
    const given = await make(key, { client_id: client.id });
    assert.deepEqual(given.body.scopes, ROLES.author);
    assert.equal((await make(key, { client_id: client.id, scopes: ['admin'] })).status, 422);
    const days = (Date.parse(given.body.expires_at) - Date.parse(given.body.created_at)) / 86_400_000;
    assert.equal(days, 90);
  });

  it('lists and revokes own keys; those of others with clients:manage', async () => {
    const [one, two] = [await add('reader'), await add('reader')];
    const [a, b] = [await createToken(one), await createToken(two)];
    const { body: key } = await call('POST', '/auth/tokens', { token: a, body: { name: 'own' } });
    const list = async (token: string, query = '') =>
      (await call('GET', `/auth/tokens${query}`, { token })).body;
    assert.deepEqual(
      (await list(a)).data.map(({ name }: { name: string }) => name),
      ['own'],
    );
    assert.deepEqual((await list(b)).data, []);
    assert.equal((await call('GET', `/auth/tokens?client_id=${one.id}`, { token: b })).status, 403);
    assert.equal((await list(service().admin.key, `?client_id=${one.id}`)).pagination.total, 1);
    assert.ok((await list(service().admin.key)).pagination.total > 1);
    assert.equal((await call('DELETE', `/auth/tokens/${key.id}`, { token: b })).status, 404);
    assert.equal(await status(key.token), 200);
    assert.equal((await call('DELETE', `/auth/tokens/${key.id}`, { token: a })).status, 204);
    assert.equal(await status(key.token), 401);
    assert.equal((await call('DELETE', `/auth/tokens/${key.id}`, { token: a })).status, 404);
    assert.equal((await call('DELETE', '/auth/tokens/none', { token: a })).status, 404);
  });
});
