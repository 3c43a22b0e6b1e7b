/** JSON Lines: one question as a JSON object on each line. The format that loses nothing. */
import {
  DEFAULT_MAX_ITEM_BYTES,
  type FileSource,
  type Format,
  type PortableQuestion,
  type ReadItem,
  type ReadOptions,
} from '../format.ts';
import { encodeTexts, toItems } from '../text/batches.ts';
import { decodeFile, decodeHead } from '../text/encoding.ts';
import { readLines } from '../text/lines.ts';
import { readItem, rejectTooLarge } from './items.ts';
import { JSON_LOSSES } from './json.ts';
import { createContext } from './object.ts';

/** Identifies the shape of the objects, on the first line. */
const SCHEMA = 'urn:quaestor:question:1';

export const jsonl: Format = {
  name: 'jsonl',
  title: 'JSON Lines',
  extensions: ['.jsonl', '.ndjson'],
  mediaTypes: ['application/jsonl', 'application/x-ndjson'],
  losses: JSON_LOSSES,
  detect(head, fileName) {
    const isNamed = /\.(jsonl|ndjson)$/i.test(fileName ?? '');
    const lines = decodeHead(head)
      .split('\n', 3)
      .filter((line) => line.trim() !== '');
    const isObject = lines[0] !== undefined && isWholeObject(lines[0]);
    if (!isObject) return isNamed ? 0.5 : 0;
    return isNamed ? 0.98 : lines.length > 1 ? 0.85 : 0.3;
  },
  read: (source, options) => toItems(readBatches(source, options)),
  write: (questions) => encodeTexts(writeLines(questions)),
};

function isWholeObject(line: string): boolean {
  if (!line.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

async function* readBatches(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem[]> {
  const file = decodeFile(source, options);
  const context = createContext();
  for await (const lines of readLines(file, options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES)) {
    const items: ReadItem[] = file.notices.splice(0).map((value) => ({ kind: 'notice', value }));
    for (const { text, source: bytes, line, isTooLarge } of lines) {
      if (isTooLarge) items.push(rejectTooLarge({ line }));
      else if (text.trim() !== '')
        items.push(readItem({ text, position: { line }, raw: file.encode(bytes) }, context));
    }
    yield items;
  }
}

async function* writeLines(questions: AsyncIterable<PortableQuestion>) {
  let isFirst = true;
  for await (const question of questions) {
    yield `${JSON.stringify(isFirst ? { $schema: SCHEMA, ...question } : question)}\n`;
    isFirst = false;
  }
}
