/** What a format of files is: how it is detected, read and written. */

/** A question as files carry it. Only structure is checked here; the importer applies the schema. */
export interface PortableQuestion {
  external_id?: string;
  question_text: string;
  text_format?: 'plain' | 'markdown';
  /** An array for multiple response. */
  correct_answer: string | string[];
  incorrect_answers?: string[];
  choices_order?: 'shuffled' | 'sorted' | 'as_given';
  /** All options in their order, with the order `as_given`. */
  choices?: string[];
  choose?: number;
  /** Further correct answers to a question without options. */
  accepted_answers?: string[];
  /** How answers to a question without options are compared. */
  answer_matching?: Record<string, boolean>;
  numeric?: { tolerance?: number; relative_tolerance?: number; unit?: string };
  category?: string;
  difficulty?: 0 | 1 | 2;
  topic_focus?: string;
  tags?: string[];
  explanation?: string;
  source?: string;
}

/** Where something is in the file. Lines and columns count from 1. */
export interface Position {
  line: number;
  column?: number;
  /** The file within a package. */
  path?: string;
}

/** A named loss or warning; never an error. */
export interface Notice {
  code: string;
  detail: string;
  position: Position;
}

export interface ReadQuestion {
  question: PortableQuestion;
  position: Position;
  notices: Notice[];
  /** The bytes of the item. */
  raw: Uint8Array | undefined;
}

export interface Reject {
  code: string;
  /** What is wrong and what to do. */
  detail: string;
  position: Position;
  raw: Uint8Array | undefined;
}

/** What an item of the file cannot be read without: the header of a table. */
interface Header {
  position: Position;
  raw: Uint8Array;
}

export type ReadItem =
  | { kind: 'question'; value: ReadQuestion }
  | { kind: 'reject'; value: Reject }
  | { kind: 'notice'; value: Notice }
  | { kind: 'header'; value: Header };

export interface ReadOptions {
  encoding?: string;
  /** What becomes of a question whose picture has no alternative text. Default: `reject`. */
  media?: 'reject' | 'drop';
  htmlTo?: 'text' | 'markdown';
  /** Names of columns in the file by field. */
  columns?: Record<string, string>;
  delimiter?: string;
  lenient?: boolean;
  maxItemBytes?: number;
}

export interface WriteNotice {
  /** The question in the order of writing, from 0. */
  index: number;
  code: string;
  detail: string;
}

export interface WriteOptions {
  onNotice(notice: WriteNotice): void;
}

/** A file: streamed, or (zip, SQLite) random access by a path on disk. */
export interface FileSource {
  stream(): AsyncIterable<Uint8Array>;
  path?: string;
}

export interface Format {
  name: string;
  title: string;
  extensions: string[];
  mediaTypes: string[];
  /** 0..1: how certain it is that a file with this beginning (64 kB) and name is of this format. */
  detect(head: Uint8Array, fileName: string | undefined): number;
  read?(source: FileSource, options: ReadOptions): AsyncIterable<ReadItem>;
  write?(questions: AsyncIterable<PortableQuestion>, options: WriteOptions): AsyncIterable<Uint8Array>;
  /** Names of what reading or writing may lose, with one sentence each. */
  losses: Record<string, string>;
}

export const DEFAULT_MAX_ITEM_BYTES = 20_000_000;

/** A file that cannot be read at all: another format, encrypted, without a header. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile';
  readonly code: string;
  readonly detail: string;
  readonly position: Position;

  constructor(code: string, detail: string, position: Position = { line: 1 }) {
    super(detail);
    this.code = code;
    this.detail = detail;
    this.position = position;
  }
}
