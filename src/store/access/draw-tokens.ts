/**
 * Tokens for a page that shows draws to a respondent. Such a token reads its draws, checks and
 * records the answers of its respondent, and does nothing else: the guard admits it only to routes
 * that declare `drawTokens`.
 */
import { defineCommand, type Tx } from '../db.ts';
import { type Actor, lockClients } from './client-row.ts';
import { insertToken, type NewToken } from './tokens.ts';

/** What a token is limited to. */
export interface DrawBinding {
  respondent: string;
  /** Ids of draws. */
  draws: string[];
}

export const createDrawToken = defineCommand(
  'createDrawToken',
  async (
    tx: Tx,
    { token, by }: { token: NewToken; by: Actor },
  ): Promise<Pick<NewToken, 'id' | 'created_at' | 'expires_at'>> => {
    await lockClients(tx, { ids: [], by });
    await insertToken(tx, token);
    const { id, created_at, expires_at } = token;
    return { id, created_at, expires_at };
  },
);

export interface DrawTokenRevocation {
  /** The id of the draw. */
  draw: string;
  /** Whose tokens are revoked; all if undefined. */
  client: string | undefined;
  by: Actor;
}

/** Revokes the tokens for a draw. Returns their number. */
export const revokeDrawTokens = defineCommand(
  'revokeDrawTokens',
  async (tx: Tx, { draw, client, by }: DrawTokenRevocation): Promise<number> => {
    await lockClients(tx, { ids: [], by });
    const condition = client === undefined ? '' : 'AND client_id = $2';
    return tx.run(
      `DELETE FROM tokens WHERE kind = 'draw' AND draws LIKE $1 ${condition}`,
      `%${draw}%`,
      ...(client === undefined ? [] : [client]),
    );
  },
);
