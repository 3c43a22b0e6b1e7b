/** Writes questions of the bank as a file. */
import { Ticker } from '../concurrency/ticker.ts';
import type { PortableQuestion } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';
import type { ExportFormat } from '../schemas/transfer.ts';
import type { Db } from '../store/db.ts';
import { type ExportSelection, readExport } from '../store/questions/export.ts';
import { toPortable } from './portable.ts';
import { Tally } from './tally.ts';

/** Questions that are listed for each loss. */
const MAX_EXAMPLES = 20;

export interface ExportedFile {
  /** The file, which is written while it is read. */
  chunks: AsyncGenerator<Uint8Array>;
  /** What the format has lost so far, with the numbers of questions from 1. */
  losses: Tally<number>;
}

export async function writeExport(
  db: Db,
  selection: ExportSelection,
  name: ExportFormat,
): Promise<ExportedFile> {
  const format = await FORMATS[name]!();
  const losses = new Tally<number>(MAX_EXAMPLES);
  const written = format.write!(readPortable(db, selection), {
    onNotice: ({ index, code, detail }) => losses.add(code, detail, index + 1),
  });
  return { chunks: iterate(written), losses };
}

async function* iterate(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function* readPortable(db: Db, selection: ExportSelection): AsyncGenerator<PortableQuestion> {
  const ticker = new Ticker();
  for await (const batch of readExport(db, selection)) {
    for (const question of batch) yield toPortable(question);
    // Other requests are served between two batches: SQLite reads on the calling thread.
    if (ticker.due()) await ticker.yield();
  }
}
