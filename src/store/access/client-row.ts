/** Changes of who may do what: the clients they are about are held, and whoever asks must still be allowed to. */
import { errors } from '../../errors.ts';
import { ROLES, type Role } from '../../schemas/scopes.ts';
import type { Tx } from '../db.ts';

export interface ClientRow {
  id: string;
  name: string;
  role: Role;
  version: number;
  created_at: number;
  updated_at: number;
}

export const CLIENT_COLUMNS = 'id, name, role, version, created_at, updated_at';

/** What an id can be; anything else is simply not found. */
export const CLIENT_ID = /^[\x21-\x7e]{1,200}$/;

/** On whose behalf. The command line asks on nobody's. */
export interface Actor {
  client: string;
  /** The token's id. */
  token: string;
  /** Whether it is allowed by the scope `clients:manage`. */
  manages: boolean;
  now: number;
}

/**
 * The rows of these clients, and of all admins if their number matters, held until the transaction ends: in one statement
 * and one order, so that nobody waits in a ring. The caller's is held with them, and their token looked at again: a
 * request may have waited for its body, or for this, until after the token was revoked.
 */
export async function lockClients(
  tx: Tx,
  { ids, by, admins = false }: { ids: string[]; by: Actor | undefined; admins?: boolean },
): Promise<ClientRow[]> {
  const wanted = [...ids.filter((id) => CLIENT_ID.test(id)), ...(by ? [by.client] : [])];
  const rows = await tx.all<ClientRow>(
    `SELECT ${CLIENT_COLUMNS} FROM clients
     WHERE id IN (SELECT value->>0 FROM ${tx.dialect.each('$1')}) ${admins ? "OR role = 'admin'" : ''}
     ORDER BY id ${tx.dialect.forUpdate}`,
    JSON.stringify(wanted.map((id) => [id])),
  );
  if (by) await requireLiveToken(tx, by, rows);
  return rows;
}

async function requireLiveToken(tx: Tx, by: Actor, rows: ClientRow[]): Promise<void> {
  const caller = rows.find(({ id }) => id === by.client);
  const token = await tx.get('SELECT id FROM tokens WHERE id = $1 AND expires_at > $2', by.token, by.now);
  if (!caller || !token) throw errors.unauthorized('not good');
  const given: readonly string[] = ROLES[caller.role];
  if (by.manages && !given.includes('clients:manage')) throw errors.insufficientScope(['clients:manage']);
}
