/** Reads files of QTI 1.2: `<questestinterop>` with items in banks, tests and sections. */

import { decodeHTML } from 'entities/decode';
import type { ReadItem, ReadOptions } from '../format.ts';
import { readXmlItems } from '../items/xml-items.ts';
import { readItem12 } from './item.ts';

const BANK_TITLE = /<fieldlabel>\s*bank_title\s*<\/fieldlabel>\s*<fieldentry>([^<]{1,500})<\/fieldentry>/;

/** `path`: the file within a package. */
export async function* readQti12(
  stream: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  path?: string,
): AsyncGenerator<ReadItem> {
  let category: string | undefined;
  yield* readXmlItems(stream, options, {
    element: 'item',
    ...(path === undefined ? {} : { path }),
    // The title of a question bank in Canvas is its only grouping.
    onRest(text) {
      const title = BANK_TITLE.exec(text)?.[1];
      if (title !== undefined) category = decodeHTML(title).trim();
      else if (/<objectbank[\s>]/.test(text)) category = undefined;
    },
    read(element, report) {
      const question = readItem12(element, report);
      return category ? { ...question, category } : question;
    },
  });
}
