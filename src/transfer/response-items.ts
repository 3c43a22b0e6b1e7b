/** Reads the responses of a file in batches, valid as far as that does not depend on the bank. */
import type { FileSource } from '../formats/format.ts';
import type { PortableResponse, ResponseItem, ResponseReadOptions } from '../formats/responses/format.ts';
import { RESPONSE_FORMATS } from '../formats/responses/index.ts';
import { validateItem } from '../http/request-checks.ts';
import { ResponseInput } from '../schemas/response.ts';
import { findResponseFaults } from '../schemas/response-rules.ts';
import type { AnyImportItem, ImportBatch } from '../store/imports/items.ts';
import type { ResponseImportOptions } from '../store/imports/row.ts';
import { CountedSource } from './import-items.ts';

/** Responses of a batch, which are written within some 50 ms on SQLite. */
const BATCH_ITEMS = 2000;

export interface ResponseFile {
  source: FileSource;
  format: string;
  options: ResponseImportOptions;
  /** The number of the first item to return: those before it have been imported. */
  from: number;
}

/** The last batch, which may be empty, is `done`. */
export async function* readResponseBatches({
  source,
  format,
  options,
  from,
}: ResponseFile): AsyncGenerator<ImportBatch<AnyImportItem>> {
  const file = new CountedSource(source);
  const reader = await RESPONSE_FORMATS[format]!();
  const items = new ResponseReader(options);
  let batch: AnyImportItem[] = [];
  let n = 0;
  const take = (done: boolean): ImportBatch<AnyImportItem> => {
    const taken = { items: batch, next: n, bytes_read: file.bytes, done, reject_head: undefined };
    batch = [];
    return taken;
  };
  for await (const read of reader.read(file, toReadOptions(options))) {
    const item = items.read(read, n++);
    // Read again only to find what repeats a response that was imported before an interruption.
    if (item.n < from) continue;
    batch.push(item);
    if (batch.length >= BATCH_ITEMS) yield take(false);
  }
  yield take(true);
}

const toReadOptions = (options: ResponseImportOptions): ResponseReadOptions => {
  const { values, layout, delimiter, encoding, columns, missing } = options;
  return {
    ...(values !== undefined && { values }),
    ...(layout !== undefined && { layout }),
    ...(delimiter !== undefined && { delimiter }),
    ...(encoding !== undefined && { encoding }),
    ...(columns !== undefined && { columns }),
    ...(missing !== undefined && { missing }),
  };
};

const PLACEHOLDER_ID = '00000000-0000-7000-8000-000000000000';

/**
 * Validates responses, and finds those that repeat an earlier one. Rejected ones come without their
 * bytes: they are about respondents, who may ask to be deleted.
 */
class ResponseReader {
  readonly #options: ResponseImportOptions;
  readonly #seen = new Set<string>();

  constructor(options: ResponseImportOptions) {
    this.#options = options;
  }

  read(read: ResponseItem, n: number): AnyImportItem {
    const base = { n, position: read.value.position, raw: undefined };
    if (read.kind !== 'response') {
      const { code, detail } = read.value;
      return { ...base, kind: read.kind, code, detail };
    }
    const { question, ...given } = this.#complete(read.value.response);
    const candidate = { ...given, question_id: PLACEHOLDER_ID };
    const { value, faults } = validateItem(ResponseInput, candidate, '');
    const [fault] = faults.length > 0 ? faults : findResponseFaults(value, '');
    if (fault) {
      const subject = fault.pointer === '' ? 'The response' : `\`${fault.pointer.slice(1)}\``;
      return { ...base, kind: 'reject', code: fault.code, detail: `${subject} ${fault.detail}.` };
    }
    const { question_id: _, ...input } = value as ResponseInput;
    const key = JSON.stringify([
      ...[input.respondent, input.session, question.name ?? question.index],
      question.text,
    ]);
    if (this.#seen.has(key))
      return {
        ...{ ...base, kind: 'skip', code: 'duplicate_in_file' },
        detail:
          'An earlier response of the file has the same question, respondent and session. Give attempts different sessions.',
      };
    this.#seen.add(key);
    return { ...base, kind: 'response', question, input };
  }

  #complete(response: PortableResponse): PortableResponse {
    const { session, group } = this.#options;
    return {
      ...(session !== undefined && { session }),
      ...(group !== undefined && { group }),
      ...response,
    };
  }
}
