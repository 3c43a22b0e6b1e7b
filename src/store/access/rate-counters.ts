import { defineCommand, type Tx } from '../db.ts';
import { bigint, defineTable, text } from '../table.ts';

export const RATE_COUNTERS = defineTable(
  'rate_counters',
  { key: text(), minute: bigint, n: bigint },
  'key',
  'minute',
);

export interface RateCounts {
  minute: number;
  /** The counts of this process since its last call, by key. */
  counted: [key: string, n: number][];
  /** The keys whose totals are returned. */
  watched: string[];
}

/** How long counts are kept: the clocks of processes may differ a little. */
const MINUTES_KEPT = 2;

/** Adds the counts of this process; returns the totals of all processes for the watched keys. */
export const addRateCounts = defineCommand(
  'addRateCounts',
  async (tx: Tx, counts: RateCounts): Promise<[key: string, n: number][]> => {
    const { minute, counted, watched } = counts;
    await tx.run('DELETE FROM rate_counters WHERE minute < $1', minute - MINUTES_KEPT);
    // Lock order: rows are locked by ascending key, so that two processes cannot deadlock.
    const rows = counted.map(([key, n]) => ({ key, minute, n })).sort((a, b) => (a.key < b.key ? -1 : 1));
    if (rows.length > 0)
      await tx.insert(
        RATE_COUNTERS,
        rows,
        'ON CONFLICT (key, minute) DO UPDATE SET n = rate_counters.n + excluded.n',
      );
    const totals = await tx.all<{ key: string; n: number }>(
      `SELECT key, n FROM rate_counters WHERE minute = $2 AND key IN ${tx.dialect.values('$1', 'text')}`,
      JSON.stringify(watched),
      minute,
    );
    return totals.map(({ key, n }) => [key, n]);
  },
);
