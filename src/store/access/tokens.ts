/**
 * Tokens, by their hashes. Revoking a token deletes its row, so that every node refuses it from the
 * next request on.
 *
 * Refresh tokens rotate (RFC 9700): each is used once and replaced by a successor of the same
 * family. The used one is kept, to detect its reuse. Within ten seconds, and while the successor is
 * unused, the same successors are returned again, for a client that lost the response; later reuse
 * revokes the family and the keys created with it.
 *
 * Lock order: every transaction that adds tokens to a client or revokes several locks the client's
 * row first. Otherwise a transaction on PostgreSQL would not see, and not revoke, a token that
 * another one is adding.
 */
import { errors } from '../../errors.ts';
import type { Key } from '../../schemas/client.ts';
import { ROLES, type Role, type Scope } from '../../schemas/scopes.ts';
import { CLEANUP_BATCH_SIZE, type Db, defineCommand, type Tx } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { bigint, defineTable, nullable, type RowOf, text, uuid } from '../table.ts';
import { formatTime } from '../time.ts';
import { type Actor, lockClients } from './client-row.ts';

export const TOKENS = defineTable(
  'tokens',
  {
    hash: text(),
    kind: text<'access' | 'refresh' | 'key' | 'session' | 'link' | 'draw'>(),
    id: uuid,
    client_id: text(),
    /**
     * The sign-in that it comes from. A key has the family of the token that created it; null for
     * one made by a key.
     */
    family: nullable(uuid),
    /** The name of a key. */
    name: nullable(text()),
    /** Scopes, separated by spaces. */
    scope: text(),
    created_at: bigint,
    expires_at: bigint,
    /** When the family ends, however often it is refreshed. */
    ends_at: bigint,
    /**
     * Set on a refresh token that has been used, with the salt and the hashes of its successors.
     */
    used_at: nullable(bigint),
    salt: nullable(text()),
    next_access: nullable(text()),
    next_refresh: nullable(text()),
    /** What a token for draws is limited to; see draw-tokens.ts. The draws are a JSON array of ids. */
    respondent: nullable(text()),
    draws: nullable(text()),
  },
  'hash',
);

export type TokenRow = RowOf<typeof TOKENS>;
export type NewToken = Omit<
  TokenRow,
  'used_at' | 'salt' | 'next_access' | 'next_refresh' | 'respondent' | 'draws'
> &
  Partial<Pick<TokenRow, 'respondent' | 'draws'>>;

export interface Bearer extends TokenRow {
  role: Role;
}

/** Finds a token that is valid now, with its client's role. */
export async function findToken(db: Db, hash: string, now: number): Promise<Bearer | undefined> {
  const row = await db.get<Bearer>(
    'SELECT t.*, c.role FROM tokens t JOIN clients c ON c.id = t.client_id WHERE t.hash = $1',
    hash,
  );
  return row && row.expires_at > now && row.used_at === null ? row : undefined;
}

const scopeSets = new Map<string, ReadonlySet<Scope>>();
const MAX_CACHED_SCOPE_SETS = 1000;

/** The scopes of a token: those it was granted and its client's role still has. */
export function effectiveScopes({ scope, role }: Pick<Bearer, 'scope' | 'role'>): ReadonlySet<Scope> {
  if (scopeSets.size > MAX_CACHED_SCOPE_SETS) scopeSets.clear();
  return scopeSets.getOrInsertComputed(`${role} ${scope}`, () => {
    const given = new Set(scope.split(' '));
    return new Set(ROLES[role].filter((scope) => given.has(scope)));
  });
}

export async function insertToken(tx: Tx, token: NewToken): Promise<void> {
  await tx.insert(TOKENS, [token]);
}

/**
 * Inserts the tokens of a sign-in; false if the client or its secret has changed since the secret
 * was verified.
 */
export const issueTokens = defineCommand(
  'issueTokens',
  async (tx: Tx, { tokens, secret }: { tokens: NewToken[]; secret: string }): Promise<boolean> => {
    const client = await tx.get(
      `SELECT id FROM clients WHERE id = $1 AND secret = $2 ${tx.dialect.forUpdate}`,
      tokens[0]!.client_id,
      secret,
    );
    if (!client) return false;
    for (const token of tokens) await insertToken(tx, token);
    return true;
  },
);

/** Locks the token's client, then reads the token; undefined if there is no such token. */
export async function lockToken(tx: Tx, hash: string): Promise<Bearer | undefined> {
  const owner = await tx.get<{ client_id: string }>('SELECT client_id FROM tokens WHERE hash = $1', hash);
  if (!owner) return undefined;
  const client = await tx.get<{ role: Role }>(
    `SELECT role FROM clients WHERE id = $1 ${tx.dialect.forUpdate}`,
    owner.client_id,
  );
  // Read under the lock: the transaction that held it may have revoked the token.
  const row = await tx.get<TokenRow>('SELECT * FROM tokens WHERE hash = $1', hash);
  return client && row && { ...row, role: client.role };
}

/** How long a client that lost the response may repeat its refresh. */
const REFRESH_RETRY_MS = 10_000;

export interface Refresh {
  hash: string;
  /** The client that must own the token, if the request authenticates one. */
  client: string | undefined;
  /** The requested scopes, if fewer than the family's. */
  scope: string | undefined;
  now: number;
  /** Lifetimes of the successors in milliseconds. */
  access: number;
  idle: number;
  /** The successors' hashes and ids, derived with this salt. */
  salt: string;
  next: Record<'access' | 'refresh', { hash: string; id: string }>;
}

export type Refreshed =
  | { outcome: 'refreshed'; salt: string; scope: string; expires_at: number }
  | { outcome: 'unknown' }
  | { outcome: 'wrong scope' }
  | { outcome: 'reused'; client_id: string };

export const refreshTokens = defineCommand(
  'refreshTokens',
  async (tx: Tx, args: Refresh): Promise<Refreshed> => {
    const { now } = args;
    const row = await lockToken(tx, args.hash);
    if (row?.kind !== 'refresh') return { outcome: 'unknown' };
    if (args.client !== undefined && args.client !== row.client_id) return { outcome: 'unknown' };
    if (row.used_at !== null) return repeatRefresh(tx, row, now);
    if (row.expires_at <= now) return { outcome: 'unknown' };
    const given = effectiveScopes(row) as ReadonlySet<string>;
    if (args.scope?.split(' ').some((scope) => !given.has(scope))) return { outcome: 'wrong scope' };
    const { client_id, family, ends_at, role } = row;
    const shared = { client_id, family, name: null, created_at: now, ends_at };
    const scope = args.scope ?? row.scope;
    const expires_at = Math.min(now + args.access, ends_at);
    await insertToken(tx, { ...args.next.access, ...shared, kind: 'access', scope, expires_at });
    await insertToken(tx, {
      ...args.next.refresh,
      ...shared,
      kind: 'refresh',
      scope: row.scope,
      expires_at: Math.min(now + args.idle, ends_at),
    });
    // Kept until the family ends, to detect reuse.
    await tx.run(
      'UPDATE tokens SET used_at = $2, expires_at = ends_at, salt = $3, next_access = $4, next_refresh = $5 WHERE hash = $1',
      row.hash,
      now,
      args.salt,
      args.next.access.hash,
      args.next.refresh.hash,
    );
    return { outcome: 'refreshed', salt: args.salt, scope: effective(scope, role), expires_at };
  },
);

/** The scopes that remain under the client's current role. */
const effective = (scope: string, role: Role) => [...effectiveScopes({ scope, role })].join(' ');

async function repeatRefresh(tx: Tx, row: Bearer, now: number): Promise<Refreshed> {
  if (await revokeIfReused(tx, row, now)) return { outcome: 'reused', client_id: row.client_id };
  const access = await tx.get<TokenRow>('SELECT * FROM tokens WHERE hash = $1', row.next_access);
  if (!access) return { outcome: 'unknown' };
  const { scope, expires_at } = access;
  return { outcome: 'refreshed', salt: row.salt!, scope: effective(scope, row.role), expires_at };
}

/**
 * Revokes the family and its keys when a used token is presented again, except for a repeated
 * refresh.
 */
async function revokeIfReused(tx: Tx, row: TokenRow, now: number): Promise<boolean> {
  const successor = await tx.get<TokenRow>('SELECT * FROM tokens WHERE hash = $1', row.next_refresh);
  if (now - row.used_at! <= REFRESH_RETRY_MS && successor?.used_at === null) return false;
  await tx.run('DELETE FROM tokens WHERE family = $1', row.family);
  return true;
}

export type Revoked =
  | { outcome: 'unknown' | 'not yours' }
  | { outcome: 'reused'; client_id: string }
  | { outcome: 'revoked'; client_id: string; kind: string };

/**
 * Revokes a token; a refresh token with its family, except for keys. Used refresh tokens are kept:
 * revoking must not delete the evidence of a reuse.
 */
export const revokeToken = defineCommand(
  'revokeToken',
  async (
    tx: Tx,
    { hash, client, now }: { hash: string; client: string | undefined; now: number },
  ): Promise<Revoked> => {
    const row = await lockToken(tx, hash);
    if (!row) return { outcome: 'unknown' };
    if (client !== undefined && client !== row.client_id) return { outcome: 'not yours' };
    const { client_id, kind } = row;
    if (row.used_at !== null && (await revokeIfReused(tx, row, now))) return { outcome: 'reused', client_id };
    if (kind === 'refresh') {
      await tx.run("DELETE FROM tokens WHERE family = $1 AND kind <> 'key' AND used_at IS NULL", row.family);
    } else {
      await tx.run('DELETE FROM tokens WHERE hash = $1', hash);
    }
    return { outcome: 'revoked', client_id, kind };
  },
);

const toKey = (row: NewToken): Key => ({
  id: row.id,
  name: row.name!,
  client_id: row.client_id,
  scopes: row.scope.split(' ') as Scope[],
  created_at: formatTime(row.created_at),
  expires_at: formatTime(row.expires_at),
});

export interface NewKey {
  token: Omit<NewToken, 'scope'>;
  /** All scopes of the client's role if undefined. */
  scopes: string[] | undefined;
  by: Actor | undefined;
}

export const createKey = defineCommand(
  'createKey',
  async (tx: Tx, { token, scopes, by }: NewKey): Promise<Key> => {
    const rows = await lockClients(tx, { ids: [token.client_id], by });
    const client = rows.find(({ id }) => id === token.client_id);
    if (!client) {
      const detail = 'is the id of no client';
      throw errors.invalidBody([{ pointer: '/client_id', code: 'unknown_client', detail }]);
    }
    const given: readonly string[] = ROLES[client.role];
    const faults = (scopes ?? []).flatMap((scope, i) =>
      given.includes(scope)
        ? []
        : [
            {
              pointer: `/scopes/${i}`,
              code: 'not_granted',
              detail: `is not granted to the role ${client.role}`,
            },
          ],
    );
    if (faults.length > 0) throw errors.invalidBody(faults);
    if (scopes?.length === 0) {
      const detail = 'must name a scope: your token has none to grant';
      throw errors.invalidBody([{ pointer: '/scopes', code: 'none_granted', detail }]);
    }
    const row = { ...token, scope: (scopes ?? given).join(' ') };
    await insertToken(tx, row);
    return toKey(row);
  },
);

/** Selects the keys of one client, a single key, or all. */
export interface KeyFilter {
  client?: string | undefined;
  id?: string | undefined;
}

function keysWhere({ client, id }: KeyFilter): { where: string; params: string[] } {
  const params: string[] = [];
  const is = (column: string, value: string | undefined) =>
    value === undefined ? '' : ` AND ${column} = $${params.push(value)}`;
  return { where: `kind = 'key'${is('client_id', client)}${is('id', id)}`, params };
}

/** Lists keys as JSON texts, in order of creation. */
export function listKeys(
  db: Db,
  { now, limit, offset, ...filter }: KeyFilter & { now: number; limit: number; offset: number },
) {
  const { where, params } = keysWhere(filter);
  const valid = `${where} AND expires_at > $${params.length + 1}`;
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ total: number }>(
      `SELECT count(*) AS total FROM tokens WHERE ${valid}`,
      ...params,
      now,
    );
    const rows = await tx.all<TokenRow>(
      `SELECT * FROM tokens WHERE ${valid} ORDER BY created_at, id LIMIT $${params.length + 2} OFFSET $${params.length + 3}`,
      ...params,
      now,
      limit,
      offset,
    );
    const items = rows.map((row) => JSON.stringify(toKey(row))).join(',');
    return { total: counted!.total, n: rows.length, items };
  });
}

/** Deletes a key that the caller may manage. */
export const deleteKey = defineCommand(
  'deleteKey',
  async (
    tx: Tx,
    { id, reach, by }: { id: string; reach: KeyFilter; by: Actor | undefined },
  ): Promise<null> => {
    await lockClients(tx, { ids: [], by });
    const key = canonicalId(id);
    const { where, params } = keysWhere({ ...reach, id: key });
    const mayReach = key !== undefined && (reach.id === undefined || reach.id === key);
    if (!mayReach || (await tx.run(`DELETE FROM tokens WHERE ${where}`, ...params)) === 0)
      throw errors.noSuchKey(id);
    return null;
  },
);

export const deleteExpiredTokens = defineCommand(
  'deleteExpiredTokens',
  async (tx: Tx, now: number): Promise<number> => {
    return tx.run(
      `DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at <= $1 LIMIT ${CLEANUP_BATCH_SIZE})`,
      now,
    );
  },
);
