/**
 * The state of a bank as a whole: one row in `bank_state`. While `quaestor migrate` copies a bank
 * into this one, `migration_id` names that copy, and the service and the command line refuse to
 * open it.
 */
import type { Db, Tx } from './db.ts';

/**
 * Locks the state until the transaction ends: the first start and a migration into the bank exclude
 * each other.
 */
export async function lockBankState(tx: Tx): Promise<void> {
  await tx.get(`SELECT epoch FROM bank_state ${tx.dialect.forUpdate}`);
}

export const INCOMPLETE_MESSAGE =
  'This bank is incomplete: quaestor migrate did not finish. Run the same quaestor migrate command again; it starts over.';

export async function isIncomplete(db: Db): Promise<boolean> {
  return (await readMigrationId(db)) !== null;
}

export async function readMigrationId(db: Db): Promise<string | null> {
  const row = await db.get<{ migration_id: string | null }>('SELECT migration_id FROM bank_state');
  return row!.migration_id;
}
