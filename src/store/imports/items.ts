/** The items of a file as an import reads them (transfer/import-items.ts), in batches. */
import type { QuestionInput } from '../../schemas/question.ts';
import type { ResponseInput } from '../../schemas/response.ts';
import type { FileQuestion, ItemPosition } from './row.ts';

/** A valid question, apart from the category and difficulty that it may lack. */
export type ImportedInput = Omit<QuestionInput, 'category' | 'difficulty'> &
  Partial<Pick<QuestionInput, 'category' | 'difficulty'>>;

export interface ItemNotice {
  code: string;
  detail: string;
  position: ItemPosition;
}

interface ImportedQuestion {
  kind: 'question';
  input: ImportedInput;
  /** See questions/content-hash.ts. */
  hash: number;
  key: string;
  notices: ItemNotice[];
}

/** A valid response, apart from its question. */
export interface ImportedResponse {
  kind: 'response';
  question: FileQuestion;
  input: Omit<ResponseInput, 'question_id'>;
}

interface OtherItem extends Omit<ItemNotice, 'position'> {
  /** `skip`: a duplicate of an earlier item. */
  kind: 'reject' | 'skip' | 'notice';
}

interface ItemBase {
  /** The number of the item in the file, from 0. */
  n: number;
  position: ItemPosition;
  /** The bytes of the item, if the format has them. */
  raw: Uint8Array | undefined;
}

/** An item of a file of questions. */
export type ImportItem = ItemBase & (ImportedQuestion | OtherItem);
export type QuestionItem = ItemBase & ImportedQuestion;
export type ResponseItem = ItemBase & ImportedResponse;
/** An item of a file of questions or responses. */
export type AnyImportItem = ImportItem | ResponseItem;

export interface ImportBatch<Item = ImportItem> {
  items: Item[];
  /** The number of the item after the batch. */
  next: number;
  bytes_read: number;
  /** Whether the file ends with the batch. */
  done: boolean;
  /** See `IMPORTS.reject_head`. */
  reject_head: Uint8Array | undefined;
}
