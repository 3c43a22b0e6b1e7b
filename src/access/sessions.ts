/**
 * Issues client secrets, access and refresh tokens, and keys. Each is shown once; only hashes are
 * stored.
 */
import { randomBytes } from 'node:crypto';
import type { TokenResponse } from '../schemas/auth.ts';
import { ROLES, type Role } from '../schemas/scopes.ts';
import type { DrawBinding } from '../store/access/draw-tokens.ts';
import { issueTokens, type NewToken, type Refreshed, refreshTokens } from '../store/access/tokens.ts';
import type { Engine } from '../store/db.ts';
import { uuidv7 } from '../store/ids.ts';
import { OAuthError } from './oauth.ts';
import { hashSecret } from './secrets.ts';
import { deriveToken, generateToken, hashToken, isToken } from './token-text.ts';

/** In milliseconds. */
export interface Lifetimes {
  access: number;
  /** Of an unused refresh token. */
  idle: number;
  /** Of a token family, however often it is refreshed. */
  refresh: number;
  /** The maximum for keys. */
  key: number;
}

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

export const DEFAULT_LIFETIMES: Lifetimes = {
  access: 15 * MINUTE_MS,
  idle: 14 * DAY_MS,
  refresh: 90 * DAY_MS,
  key: 365 * DAY_MS,
};

export async function generateSecret(
  text: string = generateToken('secret'),
): Promise<{ text: string; hash: string }> {
  return { text, hash: await hashSecret(text) };
}

export interface KeyRequest {
  client_id: string;
  /**
   * The token family it is created with: if that turns out to be stolen, the key is revoked as
   * well.
   */
  family?: string | null;
  name: string;
  at: number;
  /** In milliseconds. */
  lifetime: number;
}

/** What a token for draws may do, as far as its client's role has these scopes. */
const DRAW_TOKEN_SCOPES = 'questions:read answers:check responses:write';

export interface DrawTokenRequest extends DrawBinding {
  client_id: string;
  family: string | null;
  at: number;
  /** In milliseconds. */
  lifetime: number;
}

export function generateDrawToken({ respondent, draws, at, lifetime, ...owner }: DrawTokenRequest): {
  text: string;
  row: NewToken;
} {
  const text = generateToken('draw');
  const expires_at = at + lifetime;
  const row: NewToken = {
    ...owner,
    ...{ hash: hashToken(text), kind: 'draw', id: uuidv7(at), name: null, scope: DRAW_TOKEN_SCOPES },
    ...{ created_at: at, expires_at, ends_at: expires_at, respondent, draws: JSON.stringify(draws) },
  };
  return { text, row };
}

/** Generates a key and its row, which lacks only the scopes. */
export function generateKey({ client_id, family = null, name, at, lifetime }: KeyRequest): {
  text: string;
  row: Omit<NewToken, 'scope'>;
} {
  const text = generateToken('key');
  const expires_at = at + lifetime;
  const row = {
    hash: hashToken(text),
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

/**
 * Returns the requested scopes if the role has them all; without a request, all scopes of the role.
 */
export function resolveScope(requested: string | undefined, role: Role): string {
  const allowed: readonly string[] = ROLES[role];
  const scopes = requested === undefined ? allowed : [...new Set(requested.split(' ').filter(Boolean))];
  const denied = scopes.find((scope) => !allowed.includes(scope));
  if (denied !== undefined) {
    throw new OAuthError(
      'invalid_scope',
      `The role ${role} does not have the scope ${denied}. Its scopes are: ${allowed.join(' ')}.`,
    );
  }
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'scope is empty.');
  return scopes.join(' ');
}

/**
 * Starts a token family for a client that has proved its secret. `secret` is the hash it was
 * verified against: if the secret has changed meanwhile, no tokens are issued.
 */
export async function signIn(
  engine: Engine,
  lifetimes: Lifetimes,
  client: { id: string; secret: string; scope: string },
): Promise<TokenResponse> {
  const now = Date.now();
  const access = generateToken('access');
  const refresh = generateToken('refresh');
  const shared = {
    client_id: client.id,
    family: uuidv7(now),
    name: null,
    scope: client.scope,
    created_at: now,
    ends_at: now + lifetimes.refresh,
  };
  const expiry = (lifetime: number) => Math.min(now + lifetime, shared.ends_at);
  const tokens: NewToken[] = [
    {
      ...shared,
      hash: hashToken(access),
      kind: 'access',
      id: uuidv7(now),
      expires_at: expiry(lifetimes.access),
    },
    {
      ...shared,
      hash: hashToken(refresh),
      kind: 'refresh',
      id: uuidv7(now),
      expires_at: expiry(lifetimes.idle),
    },
  ];
  if (!(await engine.write(issueTokens, { tokens, secret: client.secret })))
    throw new OAuthError('invalid_client');
  return buildTokenResponse(access, refresh, client.scope, tokens[0]!.expires_at - now);
}

/**
 * Rotates a refresh token. Reuse of an old one revokes its whole family (RFC 9700, section 4.14).
 */
export async function refresh(
  engine: Engine,
  lifetimes: Lifetimes,
  { token, client, scope }: { token: string; client: string | undefined; scope: string | undefined },
): Promise<TokenResponse> {
  if (!isToken(token)) throw new OAuthError('invalid_grant');
  const now = Date.now();
  const deriveTokens = (salt: string) => ({
    access: deriveToken('access', token, salt),
    refresh: deriveToken('refresh', token, salt),
  });
  const salt = randomBytes(16).toString('base64url');
  const derived = deriveTokens(salt);
  const done = await engine.write(refreshTokens, {
    hash: hashToken(token),
    client,
    scope: scope && [...new Set(scope.split(' ').filter(Boolean))].join(' '),
    now,
    access: lifetimes.access,
    idle: lifetimes.idle,
    salt,
    next: {
      access: { hash: hashToken(derived.access), id: uuidv7(now) },
      refresh: { hash: hashToken(derived.refresh), id: uuidv7(now) },
    },
  });
  if (done.outcome !== 'refreshed') throw toOAuthError(done);
  // A repeated request gets the tokens of the first one, derived again from its salt.
  const issued = done.salt === salt ? derived : deriveTokens(done.salt);
  return buildTokenResponse(issued.access, issued.refresh, done.scope, done.expires_at - now);
}

function toOAuthError(done: Exclude<Refreshed, { outcome: 'refreshed' }>): OAuthError {
  if (done.outcome === 'wrong scope') return new OAuthError('invalid_scope');
  if (done.outcome === 'unknown') return new OAuthError('invalid_grant');
  const detail = 'The refresh token was used before and may be stolen. All tokens of its family are revoked.';
  return new OAuthError('invalid_grant', detail, done.client_id);
}

const buildTokenResponse = (
  access: string,
  refresh: string,
  scope: string,
  lifetime: number,
): TokenResponse => ({
  access_token: access,
  token_type: 'Bearer',
  expires_in: Math.floor(lifetime / 1000),
  refresh_token: refresh,
  scope,
});
