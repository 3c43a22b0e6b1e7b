/** A bank is first used by whoever serves it or by whoever moves another into it: the first of them keeps the other out. */
import type { Db, Tx } from './db.ts';

/** Until the transaction ends nobody else begins. */
export async function lockBankState(tx: Tx): Promise<void> {
  await tx.get(`SELECT epoch FROM bank_state ${tx.dialect.forUpdate}`);
}

/** Why a bank cannot be used, as long as it is not all there. */
export const INCOMPLETE_MESSAGE =
  'This bank is half moved: something of it is still missing. ' +
  'Run `quaestor migrate` again, with the same --from and --to: it goes on where it was stopped.';

export async function isIncomplete(db: Db): Promise<boolean> {
  return (await db.get<{ incomplete: number }>('SELECT incomplete FROM bank_state'))!.incomplete === 1;
}
