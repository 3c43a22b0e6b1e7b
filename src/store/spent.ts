/** What all processes of a bank have counted against budgets, so that several do not multiply them. */
import type { Tx } from './db.ts';

export interface Counts {
  minute: number;
  /** What was spent here since the last time, by key. */
  spent: [key: string, n: number][];
}

/** Adds what was spent here, and answers what was spent everywhere. */
export async function addSpent(tx: Tx, { minute, spent }: Counts): Promise<[key: string, n: number][]> {
  await tx.run('DELETE FROM spent WHERE minute < $1', minute);
  const rows = await tx.all<{ key: string; n: number }>(
    `INSERT INTO spent (key, minute, n)
     SELECT value->>0, CAST($2 AS bigint), CAST(value->>1 AS bigint) FROM ${tx.dialect.each('$1')} WHERE true
     ON CONFLICT (key, minute) DO UPDATE SET n = spent.n + excluded.n
     RETURNING key, n`,
    // In one order, so that processes never wait for each other in a ring.
    JSON.stringify([...spent].sort(([a], [b]) => (a < b ? -1 : 1))),
    minute,
  );
  return rows.map(({ key, n }) => [key, n]);
}
