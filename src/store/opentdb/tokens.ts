/** Session tokens: see row.ts. */
import { CLEANUP_BATCH_SIZE, type Db, defineCommand, type Tx } from '../db.ts';
import { readBound } from '../questions/bound.ts';
import { OPENTDB_TOKENS, type OpentdbTokenRow, type Walk } from './row.ts';

const IDLE_MS = 6 * 60 * 60 * 1000;

export const createOpentdbToken = defineCommand(
  'createOpentdbToken',
  async (tx: Tx, { hash, seed, at }: { hash: string; seed: string; at: number }): Promise<null> => {
    const bound = await readBound(tx);
    await tx.insert(OPENTDB_TOKENS, [{ hash, seed, bound, walks: '[]', version: 1, used_at: at }]);
    return null;
  },
);

/** Forgets what a token has returned. False if there is no such token. */
export const resetOpentdbToken = defineCommand(
  'resetOpentdbToken',
  async (tx: Tx, { hash, seed, at }: { hash: string; seed: string; at: number }): Promise<boolean> => {
    const changed = await tx.run(
      `UPDATE opentdb_tokens SET seed = $2, bound = $3, walks = '[]', version = version + 1, used_at = $4
       WHERE hash = $1 AND used_at > $5`,
      hash,
      seed,
      await readBound(tx),
      at,
      at - IDLE_MS,
    );
    return changed > 0;
  },
);

export interface OpentdbAdvance {
  hash: string;
  /** The version that the walks were computed from. */
  version: number;
  walks: Walk[];
  at: number;
}

/** Stores what a token has returned. False if another request has changed it meanwhile. */
export const advanceOpentdbToken = defineCommand(
  'advanceOpentdbToken',
  async (tx: Tx, { hash, version, walks, at }: OpentdbAdvance): Promise<boolean> => {
    const changed = await tx.run(
      `UPDATE opentdb_tokens SET walks = $3, version = version + 1, used_at = $4
       WHERE hash = $1 AND version = $2`,
      hash,
      version,
      JSON.stringify(walks),
      at,
    );
    return changed > 0;
  },
);

export async function findOpentdbToken(
  db: Db,
  hash: string,
  now: number,
): Promise<OpentdbTokenRow | undefined> {
  return db.get<OpentdbTokenRow>(
    'SELECT * FROM opentdb_tokens WHERE hash = $1 AND used_at > $2',
    hash,
    now - IDLE_MS,
  );
}

export const deleteIdleOpentdbTokens = defineCommand(
  'deleteIdleOpentdbTokens',
  async (tx: Tx, now: number): Promise<number> =>
    tx.run(
      `DELETE FROM opentdb_tokens WHERE hash IN
         (SELECT hash FROM opentdb_tokens WHERE used_at <= $1 LIMIT ${CLEANUP_BATCH_SIZE})`,
      now - IDLE_MS,
    ),
);
