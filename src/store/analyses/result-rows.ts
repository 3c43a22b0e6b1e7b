/** The rows of the result of a run, which are stored in blocks of compressed JSON lines. */
import { inflateRawSync } from 'node:zlib';
import { errors } from '../../errors.ts';
import type { Db } from '../db.ts';
import { canonicalId } from '../ids.ts';
import type { View } from '../view.ts';
import { type AnalysisRow, getResultView, ITEMS_PER_BLOCK } from './row.ts';

/** The rows from a position on, at most `limit`, of one block; undefined after the last block. */
export async function readResultRows<R>(
  db: Db,
  run: string,
  { view, from, limit }: { view: View; from: number; limit: number },
): Promise<{ rows: R[]; next: number } | undefined> {
  const block = Math.floor(from / ITEMS_PER_BLOCK);
  const found = await db.get<{ lines: Uint8Array }>(
    `SELECT lines FROM analysis_items WHERE analysis_id = $1 AND view = $3 AND block = $2`,
    run,
    block,
    view,
  );
  if (!found) return undefined;
  const lines = inflateRawSync(found.lines).toString('utf8').split('\n');
  const start = from % ITEMS_PER_BLOCK;
  const end = Math.min(start + limit, lines.length);
  const rows = lines.slice(start, end).map((line): R => JSON.parse(line));
  return { rows, next: end < lines.length ? from + limit : (block + 1) * ITEMS_PER_BLOCK };
}

/** The type of a run that succeeded, and the view of its rows with answers, if it has them. */
export async function requireResult(
  db: Db,
  given: string,
): Promise<{ id: string; type: string; view: View }> {
  const id = canonicalId(given);
  const row =
    id &&
    (await db.get<Pick<AnalysisRow, 'type' | 'status' | 'reads_answers'>>(
      'SELECT type, status, reads_answers FROM analyses WHERE id = $1',
      id,
    ));
  if (!row) throw errors.noSuchAnalysis(given);
  if (row.status !== 'succeeded') throw errors.noResult(given, row.status);
  return { id, type: row.type, view: getResultView(row, 'with_answers') };
}

/** Reads all rows of a result, a block at a time. */
export async function* readAllRows<R>(db: Db, { id, view }: { id: string; view: View }): AsyncGenerator<R[]> {
  for (let from = 0; ; ) {
    const page = await readResultRows<R>(db, id, { view, from, limit: ITEMS_PER_BLOCK });
    if (!page) return;
    yield page.rows;
    from = page.next;
  }
}
