import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { Ticker } from '../concurrency/ticker.ts';
import { ITEMS_PER_BLOCK } from '../store/analyses/row.ts';

const deflate = promisify(deflateRaw) as (lines: string, options: { level: number }) => Promise<Buffer>;
/** Favours speed: consecutive rows resemble each other and compress well at any level. */
const COMPRESSION_LEVEL = 3;

/** Writes rows as blocks of compressed JSON lines. */
export async function compressRows(
  rows: Iterable<unknown>,
  ticker: Ticker,
): Promise<{ n: number; blocks: Uint8Array[] }> {
  const blocks: Uint8Array[] = [];
  let lines: string[] = [];
  let n = 0;
  const closeBlock = async () => {
    if (lines.length === 0) return;
    blocks.push(await deflate(lines.join('\n'), { level: COMPRESSION_LEVEL }));
    lines = [];
    await ticker.yield();
  };
  for (const row of rows) {
    lines.push(JSON.stringify(row));
    n++;
    if (lines.length === ITEMS_PER_BLOCK) await closeBlock();
  }
  await closeBlock();
  return { n, blocks };
}
