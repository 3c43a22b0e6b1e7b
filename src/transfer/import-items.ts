/** Reads the items of a file in batches, valid as far as that does not depend on the bank. */
import type { FileSource, PortableQuestion, ReadItem, ReadOptions } from '../formats/format.ts';
import { FORMATS } from '../formats/index.ts';
import { validateItem } from '../http/request-checks.ts';
import { toNameKey } from '../schemas/names.ts';
import { QuestionInput } from '../schemas/question.ts';
import { findCompleteFaults } from '../schemas/question-rules.ts';
import type { ImportBatch, ImportedInput, ImportItem, ItemNotice } from '../store/imports/items.ts';
import { describeFault } from '../store/imports/plan.ts';
import type { ImportOptions, ItemPosition } from '../store/imports/row.ts';
import { computeContentHash, computeContentKey } from '../store/questions/content-hash.ts';

/** Items of a batch: some hundred questions are written within about 50 ms on SQLite. */
const BATCH_ITEMS = 250;
const BATCH_BYTES = 512 * 1024;

export interface ImportFile {
  source: FileSource;
  format: string;
  options: ImportOptions;
  /** The number of the first item to return: those before it have been imported. */
  from: number;
}

/** The last batch, which may be empty, is `done`. */
export async function* readBatches({
  source,
  format,
  options,
  from,
}: ImportFile): AsyncGenerator<ImportBatch> {
  const file = new CountedSource(source);
  const reader = await FORMATS[format]!();
  const items = new ItemReader(options);
  let batch: ImportItem[] = [];
  let bytes = 0;
  let n = 0;
  const take = (done: boolean): ImportBatch => {
    const { rejectHead: reject_head } = items;
    const taken = { items: batch, next: n, bytes_read: file.bytes, done, reject_head };
    batch = [];
    bytes = 0;
    return taken;
  };
  for await (const read of reader.read!(file, toReadOptions(options))) {
    const item = items.read(read, n);
    if (!item) continue;
    n++;
    // Read again only to find the duplicates of what was imported before an interruption.
    if (item.n < from) continue;
    batch.push(item);
    bytes += item.raw?.length ?? estimateBytes(item);
    if (batch.length >= BATCH_ITEMS || bytes >= BATCH_BYTES) yield take(false);
  }
  yield take(true);
}

/** For formats that do not have the bytes of an item. */
const estimateBytes = (item: ImportItem) =>
  item.kind === 'question' ? 3 * item.input.question_text.length + 500 : 100;

const toReadOptions = ({ encoding, media, html_to, lenient }: ImportOptions): ReadOptions => ({
  ...(encoding !== undefined && { encoding }),
  ...(media !== undefined && { media }),
  ...(html_to !== undefined && { htmlTo: html_to }),
  ...(lenient !== undefined && { lenient }),
});

export class CountedSource implements FileSource {
  readonly #source: FileSource;
  /** Bytes that were read. */
  bytes = 0;

  constructor(source: FileSource) {
    this.#source = source;
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#source.stream()) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }
}

interface Earlier {
  position: ItemPosition;
  hasId: boolean;
}

/** Validates items, and finds duplicates among them. */
class ItemReader {
  rejectHead: Uint8Array | undefined;
  readonly #options: ImportOptions;
  readonly #categoryMap: Map<string, string>;
  readonly #byExternalId = new Map<string, ItemPosition>();
  readonly #byContent = new Map<string, Earlier>();
  readonly #byText = new Map<number, ItemPosition>();

  constructor(options: ImportOptions) {
    this.#options = options;
    const mapped = Object.entries(options.category_map ?? {});
    this.#categoryMap = new Map(mapped.map(([from, to]) => [toNameKey(from), to]));
  }

  read(read: ReadItem, n: number): ImportItem | undefined {
    if (read.kind === 'header') {
      this.rejectHead = read.value.raw;
      return undefined;
    }
    const { position } = read.value;
    if (read.kind !== 'question') {
      const { code, detail } = read.value;
      return {
        n,
        position,
        raw: read.kind === 'reject' ? read.value.raw : undefined,
        kind: read.kind,
        code,
        detail,
      };
    }
    const { question, notices, raw } = read.value;
    const base = { n, position, raw };
    const placeholders = { category: '-', difficulty: 0 };
    const given = { ...placeholders, ...this.#mapCategory(question) };
    const { value, faults } = validateItem(QuestionInput, given, '');
    const all = faults.length > 0 ? faults : findCompleteFaults(value, '');
    if (all[0]) return { ...base, kind: 'reject', code: all[0].code, detail: describeFault(all[0]) };
    const { category, difficulty, ...others } = value as QuestionInput;
    const input: ImportedInput = {
      ...others,
      ...(question.category !== undefined && { category }),
      ...(question.difficulty !== undefined && { difficulty }),
    };
    return { ...base, ...this.#findDuplicate(input, position, notices) };
  }

  #mapCategory(question: PortableQuestion): PortableQuestion {
    if (question.category === undefined) return question;
    const target = this.#categoryMap.get(toNameKey(question.category));
    return target === undefined ? question : { ...question, category: target };
  }

  #findDuplicate(input: ImportedInput, position: ItemPosition, notices: ItemNotice[]) {
    const { external_id } = input;
    const owner = external_id ? this.#byExternalId.get(external_id) : undefined;
    if (owner)
      return {
        ...{ kind: 'reject' as const, code: 'duplicate_external_id' },
        detail: `The item at ${formatPosition(owner)} has the same \`external_id\`.`,
      };
    if (external_id) this.#byExternalId.set(external_id, position);
    const key = computeContentKey(input);
    const equal = this.#byContent.get(key);
    if (equal && !(equal.hasId && external_id))
      return {
        kind: this.#options.on_match === 'error' ? ('reject' as const) : ('skip' as const),
        code: 'duplicate_in_file',
        detail: `The item at ${formatPosition(equal.position)} is equal.`,
      };
    if (!equal) this.#byContent.set(key, { position, hasId: Boolean(external_id) });
    const hash = computeContentHash(input.question_text);
    const same = equal ? undefined : this.#byText.get(hash);
    if (!same) this.#byText.set(hash, position);
    const noticed = same
      ? [
          ...notices,
          {
            ...{ code: 'same_text_in_file', position },
            detail: `The item at ${formatPosition(same)} has the same text and other answers.`,
          },
        ]
      : notices;
    return { kind: 'question' as const, input, hash, key, notices: noticed };
  }
}

const formatPosition = ({ line, path }: ItemPosition) =>
  `${path === undefined ? '' : `${path}, `}line ${line}`;
