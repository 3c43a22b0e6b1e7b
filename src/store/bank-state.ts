/** A bank is first used by whoever serves it or by whoever moves another into it: the first of them keeps the other out. */
import type { Db, Tx } from './db.ts';

/** Until the transaction ends nobody else begins. */
export async function beginUse(tx: Tx): Promise<void> {
  await tx.get(`SELECT epoch FROM ledger ${tx.dialect.forUpdate}`);
}

/** Why a bank cannot be used, as long as it is not all there. */
export const HALF_MOVED =
  'This bank is half moved: something of it is still missing. ' +
  'Run `quaestor migrate` again, with the same --from and --to: it goes on where it was stopped.';

export async function isHalfMoved(db: Db): Promise<boolean> {
  return (await db.get('SELECT 1 AS half FROM moving LIMIT 1')) !== undefined;
}
