/** Writes rejected items as a file in their own format, byte for byte. */
import { writeZip, type ZipContent } from '../formats/zip/write.ts';

interface Frame {
  before?: string;
  between?: string;
  after?: string;
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** What a file has around and between its items. Those of other formats are lines or blocks. */
const FRAMES: Record<string, Frame> = {
  json: { before: '[\n', between: ',\n', after: '\n]\n' },
  opentdb: { before: '{"response_code":0,"results":[\n', between: ',\n', after: '\n]}\n' },
  gift: { between: '\n' },
  aiken: { between: '\n' },
  'moodle-xml': { before: `${XML}<quiz>\n`, after: '</quiz>\n' },
};

const LINE_FEED = 10;
const encode = (text: string) => Buffer.from(text);

/** `head` is what the items need before them, such as the header of a table. */
export async function* writeRejects(
  format: string,
  head: Uint8Array | null,
  items: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (format.startsWith('qti-')) {
    yield* writeZip(toDocuments(items));
    return;
  }
  const { before = '', between = '', after = '' } = FRAMES[format] ?? {};
  const isList = between.startsWith(',');
  yield encode(before);
  if (head) yield* endLine(head);
  let isFirst = true;
  for await (const item of items) {
    if (!isFirst) yield encode(between);
    isFirst = false;
    if (isList) yield item;
    else yield* endLine(item);
  }
  yield encode(after);
}

function* endLine(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  if (bytes.at(-1) !== LINE_FEED) yield encode('\n');
}

/** The items of QTI are documents of their own. */
async function* toDocuments(items: AsyncIterable<Uint8Array>): AsyncGenerator<ZipContent> {
  let n = 0;
  for await (const content of items) yield { path: `item-${++n}.xml`, content };
}
