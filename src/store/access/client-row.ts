/** Rows of clients, and the locks that every change of clients and tokens takes. */
import { errors } from '../../errors.ts';
import { ROLES, type Role } from '../../schemas/scopes.ts';
import type { Tx } from '../db.ts';
import { bigint, columnNames, defineTable, integer, type RowOf, text } from '../table.ts';

export const CLIENTS = defineTable(
  'clients',
  {
    id: text(),
    name: text(),
    role: text<Role>(),
    /** The argon2id hash of the secret. */
    secret: text(),
    version: integer,
    created_at: bigint,
    updated_at: bigint,
  },
  'id',
);

/** A client without the hash of its secret, which only sign-in reads. */
export type ClientRow = Omit<RowOf<typeof CLIENTS>, 'secret'>;

export const CLIENT_COLUMNS = columnNames(CLIENTS)
  .filter((name) => name !== 'secret')
  .join(', ');

/** The form of an id. Anything else is not found. */
export const CLIENT_ID = /^[\x21-\x7e]{1,200}$/;

/** The caller that a change is made for. The command line has none. */
export interface Actor {
  client: string;
  /** The token's id. */
  token: string;
  /** Whether the change needs the scope `clients:manage`. */
  manages: boolean;
  now: number;
}

/**
 * Locks the rows of these clients, of the caller, and of all admins where their number matters,
 * until the transaction ends. Lock order: one statement locks them by ascending id, so that two
 * transactions cannot deadlock. The caller's token is checked again under the lock: it may have
 * been revoked while the request waited for its body or for the lock.
 */
export async function lockClients(
  tx: Tx,
  { ids, by, admins = false }: { ids: string[]; by: Actor | undefined; admins?: boolean },
): Promise<ClientRow[]> {
  const wanted = [...ids.filter((id) => CLIENT_ID.test(id)), ...(by ? [by.client] : [])];
  const rows = await tx.all<ClientRow>(
    `SELECT ${CLIENT_COLUMNS} FROM clients
     WHERE id IN ${tx.dialect.values('$1', 'text')} ${admins ? "OR role = 'admin'" : ''}
     ORDER BY id ${tx.dialect.forUpdate}`,
    JSON.stringify(wanted),
  );
  if (by) await requireLiveToken(tx, by, rows);
  return rows;
}

async function requireLiveToken(tx: Tx, by: Actor, rows: ClientRow[]): Promise<void> {
  const caller = rows.find(({ id }) => id === by.client);
  const token = await tx.get('SELECT id FROM tokens WHERE id = $1 AND expires_at > $2', by.token, by.now);
  if (!caller || !token) throw errors.unauthorized('invalid');
  const given: readonly string[] = ROLES[caller.role];
  if (by.manages && !given.includes('clients:manage')) throw errors.insufficientScope(['clients:manage']);
}
