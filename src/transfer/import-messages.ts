/** What the thread that reads the files of imports is sent, and what it sends. */
import type { ReaderSpec } from '../store/db.ts';
import type { AnyImportItem, ImportBatch } from '../store/imports/items.ts';
import type { AnyImportOptions, ImportKind } from '../store/imports/row.ts';

export interface ImportFileSpec {
  /** The bank that has the chunks of the file. */
  reader: ReaderSpec;
  id: string;
  kind: ImportKind;
  format: string;
  options: AnyImportOptions;
  from: number;
}

/** `next` asks for a batch, `close` ends the file. */
export type Request = { open: ImportFileSpec } | 'next' | 'close';

/** One for each request of the next batch. */
export type Message =
  | { kind: 'batch'; batch: ImportBatch<AnyImportItem> }
  /** The file is not of its format, or damaged. */
  | { kind: 'unreadable'; code: string; detail: string }
  | { kind: 'failed'; unavailable: boolean; message: string };
