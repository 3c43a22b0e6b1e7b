/** Aiken: a stem, lettered options, and a line with the letter of the answer. */
import {
  DEFAULT_MAX_ITEM_BYTES,
  type FileSource,
  type Format,
  type ReadItem,
  type ReadOptions,
} from '../format.ts';
import { encodeTexts, toItems } from '../text/batches.ts';
import { decodeFile, decodeHead } from '../text/encoding.ts';
import { readLines } from '../text/lines.ts';
import { TEXT_LOSSES } from '../text/losses.ts';
import { AikenReader } from './read.ts';
import { writeAiken } from './write.ts';

export const aiken: Format = {
  name: 'aiken',
  title: 'Aiken',
  extensions: ['.aiken', '.txt'],
  mediaTypes: ['text/x-aiken'],
  losses: {
    ...TEXT_LOSSES,
    several_keys:
      'An answer line with several letters is read as several correct answers; Moodle takes the first.',
    paragraphs_joined:
      'The paragraphs before the options are read as one question; Moodle takes the last line.',
    kind_not_written:
      'Only questions with one correct answer and options can be written; others are left out.',
    fields_not_written: 'Only the question and its options are written.',
    line_breaks_flattened: 'A line break within a text is written as a space.',
    text_changed: 'A question that would be read as an option or an answer line is changed by a space.',
  },
  detect(head, fileName) {
    const text = decodeHead(head);
    const isNamed = /\.aiken(?:\.txt)?$/i.test(fileName ?? '');
    const isAiken =
      /^[ \t]*A[).].*\S/m.test(text) &&
      /^[ \t]*(?:ANSWER|ANTWORT|RÉPONSE|RESPUESTA|RESPOSTA|RISPOSTA|ANTWOORD)[ \t]*:[ \t]*[A-Z]/im.test(text);
    if (!isAiken) return isNamed ? 0.4 : 0;
    return isNamed ? 0.97 : 0.85;
  },
  read: (source, options) => toItems(readBatches(source, options)),
  write: (questions, options) => encodeTexts(writeAiken(questions, options)),
};

async function* readBatches(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem[]> {
  const file = decodeFile(source, options);
  const maxChars = options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES;
  const reader = new AikenReader(file.encode, maxChars, options.lenient ?? false);
  for await (const lines of readLines(file, maxChars)) {
    const items: ReadItem[] = file.notices.splice(0).map((value) => ({ kind: 'notice', value }));
    for (const line of lines) items.push(...reader.push(line));
    yield items;
  }
  yield reader.end();
}
