import type { Db } from '../db.ts';

/** The first slot after the newest question. */
export async function readBound(db: Db): Promise<number> {
  const row = await db.get<{ last: number | null }>('SELECT max(created_slot) AS last FROM questions');
  return (row!.last ?? 0) + 1;
}
