/** What all processes of a bank have counted against budgets, so that several do not multiply them. */
import type { Tx } from '../db.ts';

export interface RateCounts {
  minute: number;
  /** What was counted here since the last time, by key. */
  counted: [key: string, n: number][];
  /** Whose sums are wanted. */
  watched: string[];
}

/** Adds what was counted here, and answers what was counted everywhere by those watched. */
export async function addSpent(tx: Tx, counts: RateCounts): Promise<[key: string, n: number][]> {
  const { minute, counted, watched } = counts;
  // Another process's clock may be a little behind.
  await tx.run('DELETE FROM rate_counters WHERE minute < $1', minute - 2);
  await tx.run(
    `INSERT INTO rate_counters (key, minute, n)
     SELECT value->>0, CAST($2 AS bigint), CAST(value->>1 AS bigint) FROM ${tx.dialect.each('$1')} WHERE true
     ON CONFLICT (key, minute) DO UPDATE SET n = rate_counters.n + excluded.n`,
    // In one order, so that processes never wait for each other in a ring.
    JSON.stringify([...counted].sort(([a], [b]) => (a < b ? -1 : 1))),
    minute,
  );
  const rows = await tx.all<{ key: string; n: number }>(
    `SELECT key, n FROM rate_counters WHERE minute = $2 AND key IN (SELECT value->>0 FROM ${tx.dialect.each('$1')})`,
    JSON.stringify(watched.map((key) => [key])),
    minute,
  );
  return rows.map(({ key, n }) => [key, n]);
}
