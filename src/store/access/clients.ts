/** Clients: people and programs that sign in. Only a hash of the secret is stored. */
import { errors } from '../../errors.ts';
import type { Client, ClientChange } from '../../schemas/client.ts';
import { ROLES, type Role } from '../../schemas/scopes.ts';
import { type Db, defineCommand, type Tx } from '../db.ts';
import { requireMatch } from '../preconditions.ts';
import { formatTime } from '../time.ts';
import { type Actor, CLIENT_COLUMNS, CLIENT_ID, CLIENTS, type ClientRow, lockClients } from './client-row.ts';

export interface StoredClient {
  etag: string;
  client: Client;
}

const stored = (row: ClientRow): StoredClient => ({
  etag: `"${row.version}"`,
  client: {
    id: row.id,
    name: row.name,
    role: row.role,
    scopes: [...ROLES[row.role]],
    created_at: formatTime(row.created_at),
    updated_at: formatTime(row.updated_at),
  },
});

function requireFound(row: ClientRow | undefined, id: string): ClientRow {
  if (!row) throw errors.noSuchClient(id);
  return row;
}

/** Finds a client among the locked rows. */
const findIn = (rows: ClientRow[], id: string) =>
  requireFound(
    rows.find((row) => row.id === id),
    id,
  );

export async function getClient(db: Db, id: string): Promise<StoredClient> {
  const row = CLIENT_ID.test(id)
    ? await db.get<ClientRow>(`SELECT ${CLIENT_COLUMNS} FROM clients WHERE id = $1`, id)
    : undefined;
  return stored(requireFound(row, id));
}

/** Lists clients as JSON texts, in order of creation. */
export function listClients(db: Db, { limit, offset }: { limit: number; offset: number }) {
  return db.snapshot(async (tx) => {
    const counted = await tx.get<{ total: number }>('SELECT count(*) AS total FROM clients');
    const rows = await tx.all<ClientRow>(
      `SELECT ${CLIENT_COLUMNS} FROM clients ORDER BY created_at, id LIMIT $1 OFFSET $2`,
      limit,
      offset,
    );
    const items = rows.map((row) => JSON.stringify(stored(row).client)).join(',');
    return { total: counted!.total, n: rows.length, items };
  });
}

/** The hash of the secret and the role; undefined if there is no such client. */
export const findCredentials = async (db: Db, id: string) =>
  CLIENT_ID.test(id)
    ? db.get<{ secret: string; role: Role }>('SELECT secret, role FROM clients WHERE id = $1', id)
    : undefined;

export interface NewClient {
  id: string;
  name: string;
  role: Role;
  /** The hash of the secret. */
  secret: string;
  at: number;
}

export const insertClient = (tx: Tx, { at, ...client }: NewClient, onConflict?: string) =>
  tx.insert(CLIENTS, [{ ...client, version: 1, created_at: at, updated_at: at }], onConflict);

export const createClient = defineCommand(
  'createClient',
  async (tx: Tx, { by, ...client }: NewClient & { by: Actor | undefined }): Promise<StoredClient> => {
    await lockClients(tx, { ids: [], by });
    await insertClient(tx, client);
    return getClient(tx, client.id);
  },
);

export const hasClients = async (db: Db): Promise<boolean> =>
  (await db.get('SELECT id FROM clients LIMIT 1')) !== undefined;

export interface ClientUpdate {
  id: string;
  change: ClientChange;
  by: Actor | undefined;
  at: number;
  ifMatch: string[] | undefined;
}

export const updateClient = defineCommand(
  'updateClient',
  async (tx: Tx, { id, change, by, at, ifMatch }: ClientUpdate): Promise<StoredClient> => {
    const rows = await lockClients(tx, { ids: [id], by, admins: change.role !== undefined });
    const row = findIn(rows, id);
    requireMatch(stored(row).etag, ifMatch);
    const { name = row.name, role = row.role } = change;
    if (name === row.name && role === row.role) return stored(row);
    if (role !== 'admin') refuseLastAdmin(row, rows);
    const version = row.version + 1;
    await tx.run(
      'UPDATE clients SET name = $2, role = $3, version = $4, updated_at = $5 WHERE id = $1',
      id,
      name,
      role,
      version,
      at,
    );
    return stored({ ...row, name, role, version, updated_at: at });
  },
);

/** Deletes a client with its tokens and keys. */
export const deleteClient = defineCommand(
  'deleteClient',
  async (
    tx: Tx,
    { id, by, ifMatch }: { id: string; by: Actor | undefined; ifMatch: string[] | undefined },
  ): Promise<null> => {
    const rows = await lockClients(tx, { ids: [id], by, admins: true });
    const row = findIn(rows, id);
    requireMatch(stored(row).etag, ifMatch);
    refuseLastAdmin(row, rows);
    await tx.run('DELETE FROM clients WHERE id = $1', id);
    return null;
  },
);

/** Keeps at least one admin: only an admin can create another one. The rows include all admins. */
function refuseLastAdmin({ id, role }: ClientRow, rows: ClientRow[]): void {
  const others = rows.filter((row) => row.role === 'admin' && row.id !== id);
  if (role === 'admin' && others.length === 0) throw errors.lastAdmin(id);
}

export interface SecretChange {
  id: string;
  /** The hash of the new secret. */
  secret: string;
  by: Actor | undefined;
  at: number;
  /**
   * Returned with the result: distinguishes the first execution from a replay under an
   * Idempotency-Key.
   */
  nonce: string;
}

/** Replaces the secret and ends the tokens, sessions and links. Keys stay valid. */
export const changeSecret = defineCommand(
  'changeSecret',
  async (tx: Tx, { id, secret, by, at, nonce }: SecretChange): Promise<StoredClient & { nonce: string }> => {
    const row = findIn(await lockClients(tx, { ids: [id], by }), id);
    const version = row.version + 1;
    await tx.run(
      'UPDATE clients SET secret = $2, version = $3, updated_at = $4 WHERE id = $1',
      id,
      secret,
      version,
      at,
    );
    await tx.run("DELETE FROM tokens WHERE client_id = $1 AND kind <> 'key'", id);
    return { ...stored({ ...row, version, updated_at: at }), nonce };
  },
);
