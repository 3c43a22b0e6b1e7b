/** Making what is shown once: clients' secrets, tokens and keys. What is stored of them is made here, too. */
import { randomBytes } from 'node:crypto';
import type { TokenAnswer } from '../schemas/auth.ts';
import { ROLES, type Role } from '../schemas/scopes.ts';
import { issueTokens, type NewToken, type Refreshed, refreshTokens } from '../store/access/tokens.ts';
import type { Engine } from '../store/db.ts';
import { uuidv7 } from '../store/ids.ts';
import { OAuthError } from './oauth.ts';
import { hashSecret } from './secrets.ts';
import { derivedToken, hashOf, isToken, newToken } from './token-text.ts';

/** How long things are good for, in milliseconds. */
export interface Lifetimes {
  access: number;
  /** A refresh token that is not used. */
  idle: number;
  /** A family of them, however often it is refreshed. */
  refresh: number;
  /** The longest a key may be asked for. */
  key: number;
}

const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

export const DEFAULT_LIFETIMES: Lifetimes = {
  access: 15 * MINUTE,
  idle: 14 * DAY,
  refresh: 90 * DAY,
  key: 365 * DAY,
};

/** A client's new secret, and what is stored of it. */
export async function newSecret(text: string = newToken('secret')): Promise<{ text: string; hash: string }> {
  return { text, hash: await hashSecret(text) };
}

export interface KeyWish {
  client_id: string;
  /** The sign-in it is made with, if any: should that turn out to be stolen, the key ends as well. */
  family?: string | null;
  name: string;
  at: number;
  lifetime: number;
}

/** A key, and its row without the scopes. */
export function newKey({ client_id, family = null, name, at, lifetime }: KeyWish): {
  text: string;
  row: Omit<NewToken, 'scope'>;
} {
  const text = newToken('key');
  const expires_at = at + lifetime;
  const row = {
    hash: hashOf(text),
    kind: 'key' as const,
    id: uuidv7(at),
    client_id,
    family,
    name,
    created_at: at,
    expires_at,
    ends_at: expires_at,
  };
  return { text, row };
}

/** What is asked for, as far as the role gives it; all that it gives, if nothing is. */
export function grantedScope(wanted: string | undefined, role: Role): string {
  const given: readonly string[] = ROLES[role];
  const scopes = wanted === undefined ? given : [...new Set(wanted.split(' ').filter(Boolean))];
  const wrong = scopes.find((scope) => !given.includes(scope));
  if (wrong !== undefined) {
    throw new OAuthError(
      'invalid_scope',
      `${wrong} is not among the scopes of the role ${role}: ${given.join(' ')}.`,
    );
  }
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'scope names none.');
  return scopes.join(' ');
}

/** The first tokens of a client that has shown its secret; `secret` is the hash it was compared with. */
export async function signIn(
  engine: Engine,
  lifetimes: Lifetimes,
  client: { id: string; secret: string; scope: string },
): Promise<TokenAnswer> {
  const now = Date.now();
  const access = newToken('access');
  const refresh = newToken('refresh');
  const shared = {
    client_id: client.id,
    family: uuidv7(now),
    name: null,
    scope: client.scope,
    created_at: now,
    ends_at: now + lifetimes.refresh,
  };
  const ends = (lifetime: number) => Math.min(now + lifetime, shared.ends_at);
  const tokens: NewToken[] = [
    { ...shared, hash: hashOf(access), kind: 'access', id: uuidv7(now), expires_at: ends(lifetimes.access) },
    { ...shared, hash: hashOf(refresh), kind: 'refresh', id: uuidv7(now), expires_at: ends(lifetimes.idle) },
  ];
  if (!(await engine.write(issueTokens, { tokens, secret: client.secret })))
    throw new OAuthError('invalid_client');
  return answer(access, refresh, client.scope, tokens[0]!.expires_at - now);
}

/** The next tokens in place of a refresh token; a token that was stolen and used twice ends them all. */
export async function refresh(
  engine: Engine,
  lifetimes: Lifetimes,
  { token, client, scope }: { token: string; client: string | undefined; scope: string | undefined },
): Promise<TokenAnswer> {
  if (!isToken(token)) throw new OAuthError('invalid_grant');
  const now = Date.now();
  const next = (salt: string) => ({
    access: derivedToken('access', token, salt),
    refresh: derivedToken('refresh', token, salt),
  });
  const salt = randomBytes(16).toString('base64url');
  const made = next(salt);
  const done = await engine.write(refreshTokens, {
    hash: hashOf(token),
    client,
    scope: scope && [...new Set(scope.split(' ').filter(Boolean))].join(' '),
    now,
    access: lifetimes.access,
    idle: lifetimes.idle,
    salt,
    next: {
      access: { hash: hashOf(made.access), id: uuidv7(now) },
      refresh: { hash: hashOf(made.refresh), id: uuidv7(now) },
    },
  });
  if (done.outcome !== 'refreshed') throw refusal(done);
  const given = done.salt === salt ? made : next(done.salt);
  return answer(given.access, given.refresh, done.scope, done.expires_at - now);
}

function refusal(done: Exclude<Refreshed, { outcome: 'refreshed' }>): OAuthError {
  if (done.outcome === 'wrong scope') return new OAuthError('invalid_scope');
  if (done.outcome === 'unknown') return new OAuthError('invalid_grant');
  const detail =
    'The refresh token was used before: it may have been stolen, so all that came of it has ended.';
  return new OAuthError('invalid_grant', detail, done.client_id);
}

const answer = (access: string, refresh: string, scope: string, lifetime: number): TokenAnswer => ({
  access_token: access,
  token_type: 'Bearer',
  expires_in: Math.floor(lifetime / 1000),
  refresh_token: refresh,
  scope,
});
