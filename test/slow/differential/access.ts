/** Requests about tokens, keys and clients. */
import { ROLES, SCOPES } from '../../../src/schemas/scopes.ts';
import type { Random } from '../../support/random.ts';
import { randomQuery } from './bank.ts';
import type { Request, WeightedGenerators } from './side.ts';

const FORM = 'application/x-www-form-urlencoded';
const scopes = Object.keys(SCOPES);
const roles = Object.keys(ROLES);
const pickClient = (random: Random) => `{client:${random.below(60)}}`;
const pickSession = (random: Random) =>
  random.pick<Record<string, string>>([
    { client_id: 'admin', client_secret: '{secret:admin}' },
    { client_id: 'admin', client_secret: 'wrong' },
    { link: 'qsl_nonsense' },
    { client_id: 'admin' },
  ]);
const pickToken = (random: Random) =>
  random.pick([
    `{access:${-1 - random.below(5)}}`,
    `{token:${-1 - random.below(5)}}`,
    '{refresh:-1}',
    'qsa_nonsense',
  ]);

/** A request to an OAuth route, as a form or as JSON. */
function oauthRequest(random: Random, path: string, fields: Record<string, string>, basic?: string): Request {
  const json = random.maybe(0.4);
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return {
    method: 'POST',
    url: `/auth/${path}`,
    as: 'anonymous',
    body: json ? fields : pairs.join('&'),
    headers: { ...(!json && { 'content-type': FORM }), ...(basic && { authorization: `Basic ${basic}` }) },
  };
}

const signIn = (random: Random, id = pickClient(random)): Request => {
  const basic = random.maybe(0.5);
  const credentials = { client_id: id, client_secret: id.replace('client', 'secret') };
  return oauthRequest(
    random,
    'token',
    { grant_type: 'client_credentials', ...(!basic && credentials) },
    basic ? id.replace('client', 'basic') : undefined,
  );
};

const wrongSignIn = (random: Random): Request =>
  oauthRequest(
    random,
    'token',
    random.pick<Record<string, string>>([
      { grant_type: 'client_credentials', client_id: pickClient(random), client_secret: 'wrong' },
      { grant_type: 'client_credentials', client_id: 'unknown', client_secret: '{secret:admin}' },
      {
        grant_type: 'client_credentials',
        client_id: 'admin',
        client_secret: '{secret:admin}',
        scope: 'nope',
      },
      { grant_type: 'client_credentials', client_id: 'admin' },
      { grant_type: 'client_credentials' },
      { grant_type: 'password' },
      { grant_type: 'refresh_token' },
      { grant_type: 'refresh_token', refresh_token: 'qsr_nonsense' },
      { grant_type: 'refresh_token', refresh_token: '{access:-1}' },
      { client_id: 'admin' },
      {},
    ]),
    random.pick([undefined, undefined, '{basic:0}', '!', 'bm9uZQ==']),
  );

const refreshToken = (random: Random, index: number, scope?: string): Request =>
  oauthRequest(random, 'token', {
    grant_type: 'refresh_token',
    refresh_token: `{refresh:${index}}`,
    ...(scope && { scope }),
  });

/**
 * The lifetime of a token family. Used refresh tokens are sent again at once, or after their
 * successor was used, so that the outcome does not depend on the clock.
 */
function tokenFamily(random: Random): Request[] {
  const login = signIn(random, random.maybe(0.5) ? '{client:admin}' : pickClient(random));
  const me: Request = { method: 'GET', url: '/auth/me', as: '{access:-1}' };
  return random.pick<() => Request[]>([
    () => [login, me, refreshToken(random, -1), me, refreshToken(random, -2), me],
    () => [
      login,
      refreshToken(random, -1),
      refreshToken(random, -1),
      refreshToken(random, -3),
      me,
      refreshToken(random, -1),
    ],
    () => [login, refreshToken(random, -1, 'questions:read'), me, refreshToken(random, -1, 'nope')],
    () => [login, oauthRequest(random, 'revoke', { token: '{refresh:-1}' }), me, refreshToken(random, -1)],
    () => [login, oauthRequest(random, 'revoke', { token: '{access:-1}', client_id: 'unknown' }), me],
    () => [
      login,
      { ...createKey(random), as: '{access:-1}' },
      { method: 'GET', url: '/auth/tokens', as: '{access:-1}' },
      me,
    ],
    () => [
      login,
      { method: 'GET', url: '/questions?limit=2', as: '{access:-1}' },
      oauthRequest(random, 'revoke', { token: '{access:-1}' }),
      me,
    ],
  ])();
}

const introspect = (random: Random): Request => {
  const request = oauthRequest(random, 'introspect', { token: pickToken(random) });
  return random.maybe(0.7)
    ? { ...request, as: random.pick(['admin', 'reader', 'manager', '{token:-1}']) }
    : oauthRequest(
        random,
        'introspect',
        { token: pickToken(random) },
        random.pick(['{basic:admin}', '{basic:1}', undefined]),
      );
};

const createClient = (random: Random): Request => ({
  method: 'POST',
  url: '/auth/clients',
  as: random.pick(['admin', 'manager']),
  body: {
    name: random.pick(['A quiz', 'naïve', '', 'x'.repeat(201), 'The other one', 'One more']),
    role: random.maybe(0.1) ? 'nope' : random.pick(roles),
  },
});

const updateClient = (random: Random): Request => ({
  method: random.pick(['PUT', 'PATCH']),
  url: `/auth/clients/${pickClient(random)}`,
  body: random.pick<object>([
    { role: random.pick(roles) },
    { name: random.pick(['Renamed', '']) },
    {},
    { role: 'nope', x: 1 },
  ]),
});

const createKey = (random: Random): Request => ({
  method: 'POST',
  url: '/auth/tokens',
  body: {
    name: random.pick(['Nightly', 'Ünïcode', 'x']),
    ...(random.maybe(0.6) && { scopes: scopes.filter(() => random.maybe(0.3)) }),
    ...(random.maybe(0.3) && { expires_in_days: random.pick([1, 30, 365, 0, 366]) }),
    ...(random.maybe(0.4) && { client_id: random.pick([pickClient(random), 'unknown', 'admin']) }),
  },
});

/** Repeats a creation with the same Idempotency-Key: the secret is returned once. */
function repeatSecretWithKey(random: Random): Request[] {
  const path = random.pick(['/auth/clients', '/auth/tokens', `/auth/clients/${pickClient(random)}/secret`]);
  const body = { '/auth/clients': { name: 'Once', role: 'player' }, '/auth/tokens': { name: 'Once' } }[path];
  const headers = { 'idempotency-key': `shown-${random.below(1e9)}` };
  const request: Request = { method: 'POST', url: path, body, headers };
  return [request, request];
}

/** Creates, updates and deletes a client, and uses its tokens after each step. */
const clientLifecycle = (random: Random): Request[] => [
  { method: 'POST', url: '/auth/clients', body: { name: 'Short-lived', role: random.pick(roles) } },
  signIn(random, '{client:-1}'),
  { ...createKey(random), as: '{access:-1}' },
  { method: 'POST', url: '/auth/clients/{client:-1}/secret' },
  { method: 'GET', url: '/auth/me', as: '{access:-1}' },
  signIn(random, '{client:-1}'),
  { method: 'PUT', url: '/auth/clients/{client:-1}', body: { role: random.pick(roles) } },
  { method: 'GET', url: '/auth/me', as: '{access:-1}' },
  {
    method: 'DELETE',
    url: '/auth/clients/{client:-1}',
    headers: { 'if-match': random.pick(['{etag}', '"0"', '*']) },
  },
  { method: 'GET', url: '/auth/me', as: '{access:-1}' },
  signIn(random, '{client:-1}'),
];

const randomPage = (random: Random) =>
  randomQuery(random, ['limit', 0.5, [1, 5, 0]], ['offset', 0.3, [0, 2, 90]]);

export const ACCESS: WeightedGenerators = [
  [
    1.5,
    (random) => ({
      method: 'GET',
      url: '/auth/me',
      as: random.pick(['admin', 'player', '{access:-1}', '{token:-1}']),
    }),
  ],
  [0.6, signIn],
  [0.3, () => ({ method: 'GET', url: '/session' })],
  [0.2, () => ({ method: 'DELETE', url: '/session' })],
  [0.3, (random) => ({ method: 'POST', url: '/session', body: pickSession(random) })],
  [
    0.3,
    (random) => ({ method: 'POST', url: `/auth/clients/${random.pick(['admin', pickClient(random)])}/link` }),
  ],
  [0.8, wrongSignIn],
  [0.7, tokenFamily],
  [1, (random) => oauthRequest(random, 'revoke', random.maybe(0.8) ? { token: pickToken(random) } : {})],
  [2, introspect],
  [1, (random) => ({ method: 'GET', url: `/auth/clients${randomPage(random)}` })],
  [0.7, createClient],
  [
    0.8,
    (random) => ({
      method: 'GET',
      url: `/auth/clients/${random.pick([pickClient(random), 'admin', '%00'])}`,
    }),
  ],
  [0.8, updateClient],
  [0.3, (random) => ({ method: 'DELETE', url: `/auth/clients/${pickClient(random)}` })],
  [0.3, (random) => ({ method: 'POST', url: `/auth/clients/${pickClient(random)}/secret` })],
  [0.3, repeatSecretWithKey],
  [0.1, clientLifecycle],
  [
    1.5,
    (random) => ({
      method: 'GET',
      url: `/auth/tokens${randomPage(random) || randomQuery(random, ['client_id', 0.5, [pickClient(random), 'admin', 'unknown']])}`,
      as: random.pick(['admin', 'manager', 'reader', '{token:-1}', '{access:-1}']),
    }),
  ],
  [1.5, createKey],
  [0.8, (random) => ({ method: 'DELETE', url: `/auth/tokens/{key:${-1 - random.below(15)}}` })],
];
