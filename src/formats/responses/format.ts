/**
 * File formats of responses: who answered what. A file names questions in its own way; matching
 * them with those of a bank is left to an importer.
 */
import type { FileSource, Notice, Position, Reject } from '../format.ts';

/** How a file names a question. An importer tries id, then text, then the index. */
export interface QuestionReference {
  /** The column or item in the order of the file, from 0. */
  index: number;
  /** The header of a column, or the value of a field. */
  name?: string;
  /** The id in the program that wrote the file. */
  id?: string;
  text?: string;
}

export type Missing = 'omitted' | 'not_reached';

/** Has exactly one of `answer`, `correct` and `missing`. */
export interface PortableResponse {
  respondent: string;
  question: QuestionReference;
  answer?: string | string[];
  correct?: boolean;
  missing?: Missing;
  session?: string;
  group?: string;
  answered_at?: string;
}

export type ResponseItem =
  | { kind: 'response'; value: { response: PortableResponse; position: Position } }
  | { kind: 'reject'; value: Reject }
  | { kind: 'notice'; value: Notice };

export interface ResponseReadOptions {
  encoding?: string;
  delimiter?: string;
  /**
   * The name of a column by field: respondent, question, answer, correct, session, group,
   * answered_at.
   */
  columns?: Record<string, string>;
  /** What a value means besides an answer: `{ '9': 'not_reached', NA: 'omitted' }`. */
  missing?: Record<string, Missing>;
  /** Whether values are scores (0 and 1) or answers. Default: scores if the first rows are. */
  values?: 'scores' | 'answers';
  /** Columns of characters, for fixed width: `1-8=respondent,9-48=items`. */
  layout?: string;
  maxItemBytes?: number;
}

export interface ResponseFormat {
  name: string;
  title: string;
  extensions: string[];
  /** 0 to 1: how certain it is that a file with this beginning (at most 64 kB) has this format. */
  detect(head: Uint8Array, fileName: string | undefined): number;
  read(source: FileSource, options: ResponseReadOptions): AsyncIterable<ResponseItem>;
  /** What reading may lose or assume: a sentence by the code of the notice. */
  losses: Record<string, string>;
}
