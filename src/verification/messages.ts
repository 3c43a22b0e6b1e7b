import type { ReaderSpec } from '../store/db.ts';

export interface ThreadData {
  reader: ReaderSpec;
}

/** What the thread reports: progress, and at the end of a pass what it found. */
export type Message =
  | { kind: 'rows'; rows: number; damage: string[] }
  | { kind: 'warning'; warning: string }
  | { kind: 'failed'; message: string };
