/** The messages between the process that holds a lease and its worker process. */
import type { Finish } from '../store/analyses/queue.ts';
import type { Run } from '../store/analyses/row.ts';
import type { RowIndexPart } from '../store/analyses/row-index.ts';
import type { ReaderSpec } from '../store/db.ts';

export interface RunRequest {
  reader: ReaderSpec;
  run: Run;
}

export interface RunOutput extends Omit<Finish, 'id' | 'lease'> {
  /** Undefined if the analysis does not read responses. */
  response_count: number | undefined;
}

/** Each message has the resident memory of the worker process. */
export type WorkerMessage = WorkerReport & { rss_bytes: number };

/** The blocks and the index of a result are sent in parts, before `done`: no single message is large. */
export type WorkerReport =
  | { kind: 'progress'; share: number; question_count: number }
  | { kind: 'block'; result: number; lines: Uint8Array }
  | { kind: 'index'; result: number; parts: RowIndexPart[] }
  | { kind: 'done'; output: RunOutput }
  /**
   * `unavailable`, `refused`: by the database; another attempt may succeed. `category`: the filter
   * names a category that does not exist. `analysis`: the analysis itself failed and would fail
   * again. The stack is without the error's message, which may quote a question.
   */
  | {
      kind: 'failed';
      cause: 'unavailable' | 'refused' | 'category' | 'analysis';
      name: string;
      stack: string;
    };
