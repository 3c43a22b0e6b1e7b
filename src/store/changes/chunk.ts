/** What one chunk of a change did, and its limits. */
import type { QuestionRevision } from '../questions/packed-revisions.ts';

/** Questions of a chunk: written within about 100 ms on SQLite, for which other writes wait. */
export const CHUNK_QUESTIONS = 400;
/** The size of the questions of a chunk. */
export const CHUNK_BYTES = 512 * 1024;

export interface Chunk {
  /** The revisions that were made. */
  made: QuestionRevision[];
  unchanged: number;
  refused: { code: string; id: string }[];
  /** Questions that were changed in part. */
  notes: { code: string; id: string }[];
  /** Responses that were moved. */
  responses: number;
  /** Where the next chunk begins; undefined if the phase is over. */
  next: number | undefined;
}

export const emptyChunk = (next?: number): Chunk => ({
  made: [],
  unchanged: 0,
  refused: [],
  notes: [],
  responses: 0,
  next,
});
