/** A key makes a write happen once: what it answered is kept in the transaction of the write itself. */
import { errors } from '../errors.ts';
import { CLEANUP_BATCH_SIZE, type Command, type Db, type IdempotencyKey, type Tx } from './db.ts';

const RETENTION_MS = 24 * 60 * 60 * 1000;

export async function runIdempotent<A, R>(
  tx: Tx,
  command: Command<A, R>,
  args: A,
  once: IdempotencyKey | undefined,
): Promise<R> {
  if (!once) return command(tx, args);
  if (!(await tx.tryLock(`once ${once.scope} ${once.key}`))) throw errors.inFlight();
  const kept = await findStoredResult<R>(tx, once);
  if (kept) return kept.result;
  const result = await command(tx, args);
  await tx.run(
    `INSERT INTO idempotency (scope, key, fingerprint, at, result) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, at = excluded.at, result = excluded.result`,
    once.scope,
    once.key,
    once.fingerprint,
    Date.now(),
    JSON.stringify(result),
  );
  return result;
}

/** What was answered under the key before; nothing if it is new. */
export async function findStoredResult<R>(db: Db, once: IdempotencyKey): Promise<{ result: R } | undefined> {
  const kept = await db.get<{ fingerprint: string; result: string }>(
    'SELECT fingerprint, result FROM idempotency WHERE scope = $1 AND key = $2 AND at > $3',
    once.scope,
    once.key,
    Date.now() - RETENTION_MS,
  );
  if (kept && kept.fingerprint !== once.fingerprint) throw errors.idempotencyMismatch();
  return kept && { result: JSON.parse(kept.result) };
}

export async function deleteExpiredKeys(tx: Tx, now: number): Promise<number> {
  return tx.run(
    `DELETE FROM idempotency WHERE (scope, key) IN (SELECT scope, key FROM idempotency WHERE at <= $1 LIMIT ${CLEANUP_BATCH_SIZE})`,
    now - RETENTION_MS,
  );
}
