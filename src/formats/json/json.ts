/** JSON: an array of questions, or an object with one, such as a page of the API. */
import {
  DEFAULT_MAX_ITEM_BYTES,
  type FileSource,
  type Format,
  type PortableQuestion,
  type ReadItem,
  type ReadOptions,
  UnreadableFile,
} from '../format.ts';
import { encodeTexts, toItems } from '../text/batches.ts';
import { decodeFile, decodeHead } from '../text/encoding.ts';
import { TEXT_LOSSES } from '../text/losses.ts';
import { JsonElements } from './elements.ts';
import { type ReadObject, readItem, rejectTooLarge } from './items.ts';
import { createContext } from './object.ts';

export const JSON_LOSSES: Record<string, string> = {
  ...TEXT_LOSSES,
  field_ignored: 'A field that questions do not have is not read; it is named once.',
  difficulty_unknown: 'A difficulty that is not 0, 1, 2 or a known name is left out.',
  date_like_answer: 'An answer looks like a date that a spreadsheet made of a number.',
  list_not_split: 'A list in one text has commas only and is read as one answer.',
};

export const json: Format = {
  name: 'json',
  title: 'JSON',
  extensions: ['.json'],
  mediaTypes: ['application/json'],
  losses: JSON_LOSSES,
  detect(head, fileName) {
    const isNamed = /\.json$/i.test(fileName ?? '');
    const text = decodeHead(head);
    if (!/^\s*(\[\s*(\{|\]|$)|\{\s*["}])/.test(text)) return isNamed ? 0.3 : 0;
    return isNamed ? 0.8 : 0.5;
  },
  read: (source, options) => toItems(readElements(source, options)),
  write: (questions) => encodeTexts(writeArray(questions)),
};

/** Reads each element of the list as a question. `check` sees the members before the list. */
export async function* readElements(
  source: FileSource,
  options: ReadOptions,
  read?: ReadObject,
  check?: (members: Record<string, unknown>) => void,
): AsyncGenerator<ReadItem[]> {
  const file = decodeFile(source, options);
  const context = createContext();
  const elements = new JsonElements(options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES);
  const take = (chunk: string, isLast: boolean): ReadItem[] => {
    const found = elements.push(chunk, isLast);
    if (elements.fault)
      throw new UnreadableFile('not_json', 'The file is not JSON: it begins with neither [ nor {.');
    check?.(elements.members);
    const items: ReadItem[] = file.notices.splice(0).map((value) => ({ kind: 'notice', value }));
    for (const { text, value, line, column, isTooLarge } of found) {
      const position = { line, column };
      items.push(
        isTooLarge
          ? rejectTooLarge(position)
          : readItem({ text, value, position, raw: file.encode(text) }, context, read),
      );
    }
    return items;
  };
  for await (const chunk of file.chunks()) yield take(chunk, false);
  yield take('', true);
}

async function* writeArray(questions: AsyncIterable<PortableQuestion>) {
  let separator = '[\n';
  for await (const question of questions) {
    yield separator + JSON.stringify(question);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
