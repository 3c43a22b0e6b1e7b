/**
 * Tokens, by their hashes. Revoking one removes its row, so that it is unknown from the next request on, on every node.
 *
 * A refresh token is used once: its successor takes its place, in the same family. The used one is remembered, since
 * whoever brings it again is either the client, whose answer got lost, or a thief. Within ten seconds, and while the
 * successor is unused, the same answer is given again; after that the whole family ends.
 */
import { errors } from '../errors.ts';
import type { Key } from '../schemas/client.ts';
import { ROLES, type Role, type Scope } from '../schemas/scopes.ts';
import type { Db, Tx } from './db.ts';
import { canonicalId } from './ids.ts';
import { time } from './question-row.ts';

export interface NewToken {
  hash: string;
  kind: 'access' | 'refresh' | 'key';
  id: string;
  client_id: string;
  /** What came from one sign-in; none for a key. */
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
  /** What its successors were derived with. */
  salt: string | null;
  successor: string | null;
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
  | { outcome: 'unknown' | 'reused' | 'wrong scope' };

export async function refreshTokens(tx: Tx, args: Refresh): Promise<Refreshed> {
  const { now } = args;
  const row = await tx.get<TokenRow>(
    `SELECT * FROM tokens WHERE hash = $1 ${tx.dialect.forUpdate}`,
    args.hash,
  );
  if (row?.kind !== 'refresh' || row.expires_at <= now) return { outcome: 'unknown' };
  if (args.client !== undefined && args.client !== row.client_id) return { outcome: 'unknown' };
  if (row.used_at !== null) return again(tx, row, now);
  const given = row.scope.split(' ');
  if (args.scope?.split(' ').some((each) => !given.includes(each))) return { outcome: 'wrong scope' };
  const { client_id, family, ends_at } = row;
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
  await tx.run(
    'UPDATE tokens SET used_at = $2, salt = $3, successor = $4 WHERE hash = $1',
    row.hash,
    now,
    args.salt,
    args.next.refresh.hash,
  );
  return { outcome: 'refreshed', salt: args.salt, scope, expires_at };
}

async function again(tx: Tx, row: TokenRow, now: number): Promise<Refreshed> {
  const successor = await tx.get<TokenRow>('SELECT * FROM tokens WHERE hash = $1', row.successor);
  const access = await tx.get<TokenRow>(
    "SELECT * FROM tokens WHERE family = $1 AND kind = 'access' AND created_at = $2",
    row.family,
    row.used_at,
  );
  if (successor?.used_at === null && access && now - row.used_at! <= RETRY) {
    return { outcome: 'refreshed', salt: row.salt!, scope: access.scope, expires_at: access.expires_at };
  }
  await endFamily(tx, row.family!);
  return { outcome: 'reused' };
}

const endFamily = (tx: Tx, family: string) => tx.run('DELETE FROM tokens WHERE family = $1', family);

/** Ends a token: a refresh token with all its family. Says whose it was. */
export async function revokeToken(
  tx: Tx,
  { hash, client }: { hash: string; client: string | undefined },
): Promise<{ client_id: string; kind: string } | null> {
  const row = await tx.get<TokenRow>('SELECT * FROM tokens WHERE hash = $1', hash);
  if (!row || (client !== undefined && client !== row.client_id)) return null;
  if (row.kind === 'refresh') await endFamily(tx, row.family!);
  else await tx.run('DELETE FROM tokens WHERE hash = $1', hash);
  return { client_id: row.client_id, kind: row.kind };
}

const present = (row: TokenRow): Key => ({
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
}

export async function createKey(tx: Tx, { token, scopes }: NewKey): Promise<Key> {
  const client = await tx.get<{ role: Role }>('SELECT role FROM clients WHERE id = $1', token.client_id);
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
  const row = { ...token, scope: (scopes ?? given).join(' ') };
  await insertToken(tx, row);
  return present({ ...row, used_at: null, salt: null, successor: null });
}

/** As JSON texts, in the order they were made: of one client, or of all. */
export function listKeys(
  db: Db,
  { client, now, limit, offset }: { client: string | undefined; now: number; limit: number; offset: number },
) {
  const where = `kind = 'key' AND expires_at > $1 AND client_id = coalesce($2, client_id)`;
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ total: number }>(
      `SELECT count(*) AS total FROM tokens WHERE ${where}`,
      now,
      client ?? null,
    );
    const rows = await tx.all<TokenRow>(
      `SELECT * FROM tokens WHERE ${where} ORDER BY created_at, id LIMIT $3 OFFSET $4`,
      now,
      client ?? null,
      limit,
      offset,
    );
    const items = rows.map((row) => JSON.stringify(present(row))).join(',');
    return { total: counted!.total, n: rows.length, items };
  });
}

/** A key of this client's, or of anybody's if none is named. */
export async function deleteKey(
  tx: Tx,
  { id, client }: { id: string; client: string | undefined },
): Promise<null> {
  const canonical = canonicalId(id);
  const gone =
    canonical &&
    (await tx.run(
      "DELETE FROM tokens WHERE id = $1 AND kind = 'key' AND client_id = coalesce($2, client_id)",
      canonical,
      client ?? null,
    ));
  if (!gone) throw errors.noSuchKey(id);
  return null;
}

export async function forgetOldTokens(tx: Tx, now: number): Promise<number> {
  return tx.run('DELETE FROM tokens WHERE expires_at <= $1', now);
}
