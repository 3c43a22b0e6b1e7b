/**
 * Sessions of the console, and the links that start them. Both are tokens: a session ends when its
 * row is deleted, and a link is deleted when it is used.
 */
import { errors } from '../../errors.ts';
import { ROLES } from '../../schemas/scopes.ts';
import { defineCommand, type Tx } from '../db.ts';
import { type Actor, lockClients } from './client-row.ts';
import { type Bearer, insertToken, lockToken, type NewToken } from './tokens.ts';

/** Stores a sign-in link for a client. Earlier links of the client become invalid. */
export const createLink = defineCommand(
  'createLink',
  async (
    tx: Tx,
    { link, by }: { link: Omit<NewToken, 'scope'>; by: Actor | undefined },
  ): Promise<{ id: string; expires_at: number }> => {
    const rows = await lockClients(tx, { ids: [link.client_id], by });
    const client = rows.find(({ id }) => id === link.client_id);
    if (!client) throw errors.noSuchClient(link.client_id);
    await tx.run("DELETE FROM tokens WHERE client_id = $1 AND kind = 'link'", client.id);
    await insertToken(tx, { ...link, scope: ROLES[client.role].join(' ') });
    return { id: link.id, expires_at: link.expires_at };
  },
);

/** Replaces a link by a session of its client; undefined if the link is not valid any more. */
export const redeemLink = defineCommand(
  'redeemLink',
  async (
    tx: Tx,
    args: { hash: string; now: number; session: Omit<NewToken, 'client_id' | 'scope'> },
  ): Promise<{ client: string } | undefined> => {
    const link = await lockToken(tx, args.hash);
    if (link?.kind !== 'link' || link.expires_at <= args.now) return undefined;
    await tx.run('DELETE FROM tokens WHERE hash = $1', args.hash);
    await insertToken(tx, {
      ...args.session,
      client_id: link.client_id,
      scope: ROLES[link.role].join(' '),
    });
    return { client: link.client_id };
  },
);

export const endSession = defineCommand(
  'endSession',
  async (tx: Tx, { id }: { id: string }): Promise<null> => {
    await tx.run("DELETE FROM tokens WHERE id = $1 AND kind = 'session'", id);
    return null;
  },
);

/** Moves the idle timeout of a session that is in use. */
export const extendSession = defineCommand(
  'extendSession',
  async (tx: Tx, { hash, expires_at }: Pick<Bearer, 'hash' | 'expires_at'>): Promise<null> => {
    await tx.run(
      "UPDATE tokens SET expires_at = $2 WHERE hash = $1 AND kind = 'session' AND expires_at < $2",
      hash,
      expires_at,
    );
    return null;
  },
);
