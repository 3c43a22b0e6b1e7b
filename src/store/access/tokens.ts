/**
 * Tokens, by their hashes. Revoking one removes its row, so that it is unknown from the next request on, on every node.
 *
 * A refresh token is used once: its successor takes its place, in the same family. The used one is remembered, since
 * whoever brings it again is either the client, whose answer got lost, or a thief. Within ten seconds, and while the
 * successor is unused, the same answer is given again; after that the whole family ends, and keys that were made with it.
 *
 * Whatever adds tokens to a client or ends several holds the client's row: without it, one transaction of PostgreSQL would
 * not see, and not end, what another is just adding.
 */
import { errors } from '../../errors.ts';
import type { Key } from '../../schemas/client.ts';
import { ROLES, type Role, type Scope } from '../../schemas/scopes.ts';
import { CLEANUP_BATCH_SIZE, type Db, type Tx } from '../db.ts';
import { canonicalId } from '../ids.ts';
import { time } from '../questions/row.ts';
import { type Actor, lockClients } from './client-row.ts';

export interface NewToken {
  hash: string;
  kind: 'access' | 'refresh' | 'key';
  id: string;
  client_id: string;
  /** What came from one sign-in. A key has that of the token it was made with, if that was no key. */
  family: string | null;
  /** A key's name. */
  name: string | null;
  /** Separated by spaces. */
  scope: string;
  created_at: number;
  expires_at: number;
  /** When its family ends, however often it is refreshed. */
  ends_at: number;
}

export interface TokenRow extends NewToken {
  used_at: number | null;
  /** What its successors were derived with, and their hashes. */
  salt: string | null;
  next_access: string | null;
  next_refresh: string | null;
}

export interface Bearer extends TokenRow {
  role: Role;
}

/** A token that is good at this moment, with its client's role. */
export async function findToken(db: Db, hash: string, now: number): Promise<Bearer | undefined> {
  const row = await db.get<Bearer>(
    'SELECT t.*, c.role FROM tokens t JOIN clients c ON c.id = t.client_id WHERE t.hash = $1',
    hash,
  );
  return row && row.expires_at > now && row.used_at === null ? row : undefined;
}

const scopeSets = new Map<string, ReadonlySet<Scope>>();
const MOST_SETS = 1000;

/** What a token may do: what it was given, as far as its client's role gives it today. */
export function scopesOf({ scope, role }: Pick<Bearer, 'scope' | 'role'>): ReadonlySet<Scope> {
  if (scopeSets.size > MOST_SETS) scopeSets.clear();
  return scopeSets.getOrInsertComputed(`${role} ${scope}`, () => {
    const given = new Set(scope.split(' '));
    return new Set(ROLES[role].filter((each) => given.has(each)));
  });
}

export async function insertToken(tx: Tx, token: NewToken): Promise<void> {
  await tx.run(
    `INSERT INTO tokens (hash, kind, id, client_id, family, name, scope, created_at, expires_at, ends_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    token.hash,
    token.kind,
    token.id,
    token.client_id,
    token.family,
    token.name,
    token.scope,
    token.created_at,
    token.expires_at,
    token.ends_at,
  );
}

/** Refused if the client has gone, or has another secret than the one that was just checked. */
export async function issueTokens(
  tx: Tx,
  { tokens, secret }: { tokens: NewToken[]; secret: string },
): Promise<boolean> {
  const client = await tx.get(
    `SELECT id FROM clients WHERE id = $1 AND secret = $2 ${tx.dialect.forUpdate}`,
    tokens[0]!.client_id,
    secret,
  );
  if (!client) return false;
  for (const token of tokens) await insertToken(tx, token);
  return true;
}

/** The token with its client's role, both held until the transaction ends; nothing if there is no such token. */
async function lockToken(tx: Tx, hash: string): Promise<Bearer | undefined> {
  const owner = await tx.get<{ client_id: string }>('SELECT client_id FROM tokens WHERE hash = $1', hash);
  if (!owner) return undefined;
  const client = await tx.get<{ role: Role }>(
    `SELECT role FROM clients WHERE id = $1 ${tx.dialect.forUpdate}`,
    owner.client_id,
  );
  // Read again: what was waited for may have ended it.
  const row = await tx.get<TokenRow>('SELECT * FROM tokens WHERE hash = $1', hash);
  return client && row && { ...row, role: client.role };
}

/** How long a lost answer may be asked for again. */
const RETRY = 10_000;

export interface Refresh {
  hash: string;
  /** Whose it has to be, if whoever asks has said who they are. */
  client: string | undefined;
  /** Less than the family's, if less is asked for. */
  scope: string | undefined;
  now: number;
  /** How long the next ones are good for. */
  access: number;
  idle: number;
  /** The successors, derived with this salt: their hashes and ids. */
  salt: string;
  next: Record<'access' | 'refresh', { hash: string; id: string }>;
}

export type Refreshed =
  | { outcome: 'refreshed'; salt: string; scope: string; expires_at: number }
  | { outcome: 'unknown' }
  | { outcome: 'wrong scope' }
  | { outcome: 'reused'; client_id: string };

export async function refreshTokens(tx: Tx, args: Refresh): Promise<Refreshed> {
  const { now } = args;
  const row = await lockToken(tx, args.hash);
  if (row?.kind !== 'refresh') return { outcome: 'unknown' };
  if (args.client !== undefined && args.client !== row.client_id) return { outcome: 'unknown' };
  if (row.used_at !== null) return again(tx, row, now);
  if (row.expires_at <= now) return { outcome: 'unknown' };
  const given = scopesOf(row) as ReadonlySet<string>;
  if (args.scope?.split(' ').some((each) => !given.has(each))) return { outcome: 'wrong scope' };
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
  // Remembered to the family's end: only then can nobody come back with it any more.
  await tx.run(
    'UPDATE tokens SET used_at = $2, expires_at = ends_at, salt = $3, next_access = $4, next_refresh = $5 WHERE hash = $1',
    row.hash,
    now,
    args.salt,
    args.next.access.hash,
    args.next.refresh.hash,
  );
  return { outcome: 'refreshed', salt: args.salt, scope: effective(scope, role), expires_at };
}

/** What a scope comes to under the client's role of today. */
const effective = (scope: string, role: Role) => [...scopesOf({ scope, role })].join(' ');

async function again(tx: Tx, row: Bearer, now: number): Promise<Refreshed> {
  if (await endIfStolen(tx, row, now)) return { outcome: 'reused', client_id: row.client_id };
  const access = await tx.get<TokenRow>('SELECT * FROM tokens WHERE hash = $1', row.next_access);
  if (!access) return { outcome: 'unknown' };
  const { scope, expires_at } = access;
  return { outcome: 'refreshed', salt: row.salt!, scope: effective(scope, row.role), expires_at };
}

/** Somebody has come with a used token: ends all that came of it, keys included, unless it is about a lost answer. */
async function endIfStolen(tx: Tx, row: TokenRow, now: number): Promise<boolean> {
  const successor = await tx.get<TokenRow>('SELECT * FROM tokens WHERE hash = $1', row.next_refresh);
  if (now - row.used_at! <= RETRY && successor?.used_at === null) return false;
  await tx.run('DELETE FROM tokens WHERE family = $1', row.family);
  return true;
}

export type Revoked =
  | { outcome: 'unknown' | 'not yours' }
  | { outcome: 'reused'; client_id: string }
  | { outcome: 'revoked'; client_id: string; kind: string };

/**
 * Ends a token: a refresh token with the tokens of its family, but not with keys that were made on the way. Used ones stay
 * remembered: a thief who signs off must not wipe out the only trace of the theft.
 */
export async function revokeToken(
  tx: Tx,
  { hash, client, now }: { hash: string; client: string | undefined; now: number },
): Promise<Revoked> {
  const row = await lockToken(tx, hash);
  if (!row) return { outcome: 'unknown' };
  if (client !== undefined && client !== row.client_id) return { outcome: 'not yours' };
  const { client_id, kind } = row;
  if (row.used_at !== null && (await endIfStolen(tx, row, now))) return { outcome: 'reused', client_id };
  if (kind === 'refresh') {
    await tx.run("DELETE FROM tokens WHERE family = $1 AND kind <> 'key' AND used_at IS NULL", row.family);
  } else {
    await tx.run('DELETE FROM tokens WHERE hash = $1', hash);
  }
  return { outcome: 'revoked', client_id, kind };
}

const present = (row: NewToken): Key => ({
  id: row.id,
  name: row.name!,
  client_id: row.client_id,
  scopes: row.scope.split(' ') as Scope[],
  created_at: time(row.created_at),
  expires_at: time(row.expires_at),
});

export interface NewKey {
  token: Omit<NewToken, 'scope'>;
  /** All that the client's role gives, if left out. */
  scopes: string[] | undefined;
  by: Actor | undefined;
}

export async function createKey(tx: Tx, { token, scopes, by }: NewKey): Promise<Key> {
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
      : [{ pointer: `/scopes/${i}`, code: 'not_given', detail: `is not given to the role ${client.role}` }],
  );
  if (faults.length > 0) throw errors.invalidBody(faults);
  if (scopes?.length === 0) {
    const detail = 'must name a scope: your token has none to give';
    throw errors.invalidBody([{ pointer: '/scopes', code: 'none_given', detail }]);
  }
  const row = { ...token, scope: (scopes ?? given).join(' ') };
  await insertToken(tx, row);
  return present(row);
}

/** Whose keys: of one client or of all, or a single one. */
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

/** As JSON texts, in the order they were made. */
export function listKeys(
  db: Db,
  { now, limit, offset, ...filter }: KeyFilter & { now: number; limit: number; offset: number },
) {
  const { where, params } = keysWhere(filter);
  const good = `${where} AND expires_at > $${params.length + 1}`;
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ total: number }>(
      `SELECT count(*) AS total FROM tokens WHERE ${good}`,
      ...params,
      now,
    );
    const rows = await tx.all<TokenRow>(
      `SELECT * FROM tokens WHERE ${good} ORDER BY created_at, id LIMIT $${params.length + 2} OFFSET $${params.length + 3}`,
      ...params,
      now,
      limit,
      offset,
    );
    const items = rows.map((row) => JSON.stringify(present(row))).join(',');
    return { total: counted!.total, n: rows.length, items };
  });
}

/** Ends a key, if it is one of those the caller may reach. */
export async function deleteKey(
  tx: Tx,
  { id, reach, by }: { id: string; reach: KeyFilter; by: Actor | undefined },
): Promise<null> {
  await lockClients(tx, { ids: [], by });
  const key = canonicalId(id);
  const { where, params } = keysWhere({ ...reach, id: key });
  const mayReach = key !== undefined && (reach.id === undefined || reach.id === key);
  if (!mayReach || (await tx.run(`DELETE FROM tokens WHERE ${where}`, ...params)) === 0)
    throw errors.noSuchKey(id);
  return null;
}

export async function deleteExpiredTokens(tx: Tx, now: number): Promise<number> {
  return tx.run(
    `DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at <= $1 LIMIT ${CLEANUP_BATCH_SIZE})`,
    now,
  );
}
