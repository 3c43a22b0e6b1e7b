/**
 * Idempotency keys: the result of a write is stored in the write's own transaction, and returned to
 * its repetitions.
 */
import { errors } from '../errors.ts';
import {
  CLEANUP_BATCH_SIZE,
  type Command,
  type Db,
  defineCommand,
  type IdempotencyKey,
  type Tx,
} from './db.ts';
import { bigint, defineTable, text } from './table.ts';

export const IDEMPOTENCY = defineTable(
  'idempotency',
  { scope: text(), key: text(), fingerprint: text(), at: bigint, result: text() },
  'scope',
  'key',
);

const RETENTION_MS = 24 * 60 * 60 * 1000;

export async function runIdempotent<A, R>(
  tx: Tx,
  command: Command<A, R>,
  args: A,
  key: IdempotencyKey | undefined,
): Promise<R> {
  if (!key) return command(tx, args);
  if (!(await tx.tryLock(`idempotency ${key.scope} ${key.key}`))) throw errors.idempotencyInFlight();
  const stored = await findStoredResult(tx, command, key);
  if (stored) return stored.result;
  const result = await command(tx, args);
  const kept = command.replay ? command.replay.shorten(result) : result;
  await tx.insert(
    IDEMPOTENCY,
    [{ ...key, at: Date.now(), result: JSON.stringify(kept) }],
    `ON CONFLICT (scope, key)
     DO UPDATE SET fingerprint = excluded.fingerprint, at = excluded.at, result = excluded.result`,
  );
  return result;
}

/**
 * The stored result of the key; undefined if the key is new. Throws if it was used for another
 * request.
 */
export async function findStoredResult<R>(
  db: Db,
  { replay }: Pick<Command<never, R>, 'replay'>,
  key: IdempotencyKey,
): Promise<{ result: R } | undefined> {
  const stored = await db.get<{ fingerprint: string; result: string }>(
    'SELECT fingerprint, result FROM idempotency WHERE scope = $1 AND key = $2 AND at > $3',
    key.scope,
    key.key,
    Date.now() - RETENTION_MS,
  );
  if (stored && stored.fingerprint !== key.fingerprint) throw errors.idempotencyMismatch();
  if (!stored) return undefined;
  const kept = JSON.parse(stored.result);
  return { result: replay ? await replay.rebuild(db, kept) : kept };
}

/**
 * Adds the status of the first response to a stored result, for the repetitions of the request.
 * Returns the stored status, which is another one if a repetition was answered first.
 */
export const storeStatus = defineCommand(
  'storeStatus',
  async (tx: Tx, { key, status }: { key: IdempotencyKey; status: number }): Promise<number> => {
    const find = () => findStoredResult<{ status?: number }>(tx, {}, key);
    const stored = await find();
    if (!stored || stored.result.status !== undefined) return stored?.result.status ?? status;
    const changed = await tx.run(
      'UPDATE idempotency SET result = $4 WHERE scope = $1 AND key = $2 AND result = $3',
      key.scope,
      key.key,
      JSON.stringify(stored.result),
      JSON.stringify({ ...stored.result, status }),
    );
    return changed > 0 ? status : ((await find())?.result.status ?? status);
  },
);

export const deleteExpiredKeys = defineCommand(
  'deleteExpiredKeys',
  async (tx: Tx, now: number): Promise<number> => {
    return tx.run(
      `DELETE FROM idempotency WHERE (scope, key) IN (SELECT scope, key FROM idempotency WHERE at <= $1 LIMIT ${CLEANUP_BATCH_SIZE})`,
      now - RETENTION_MS,
    );
  },
);
