/** Text files of Anki: notes as delimited text below a header of lines with `#`. */
import { MARKUP_LOSSES } from '../common-losses.ts';
import { CsvRecords } from '../csv/records.ts';
import {
  DEFAULT_MAX_ITEM_BYTES,
  type FileSource,
  type Format,
  type PortableQuestion,
  type ReadItem,
  type ReadOptions,
} from '../format.ts';
import { TABLE_LOSSES } from '../table/rows.ts';
import { encodeTexts, toItems } from '../text/batches.ts';
import { decodeFile, decodeHead } from '../text/encoding.ts';
import { TEXT_LOSSES } from '../text/losses.ts';
import { writeBack, writeFront } from './card.ts';
import { HEADER_LINE, readAnkiHeader } from './header.ts';
import { NoteReader, OWN_COLUMN } from './notes.ts';

const HEAD_CHARS = 64 * 1024;

export const anki: Format = {
  name: 'anki',
  title: 'Anki notes in plain text',
  extensions: ['.txt'],
  mediaTypes: ['text/x-anki'],
  losses: {
    ...TEXT_LOSSES,
    ...MARKUP_LOSSES,
    ...TABLE_LOSSES,
    fields_dropped:
      'Fields of a note other than question and answer are not read unless their names are known.',
    own_fields_outdated: 'A card was changed after it was written: only what the card shows is read.',
    comment_skipped: 'A line that begins with # after the header is a comment of Anki.',
    stray_quote: 'A quotation mark within a value that is not doubled is read as text.',
    metadata_extension: 'The fields of the question are in a column that Anki ignores.',
    tags_joined: 'Spaces in tags are written as underscores, because tags of Anki have no spaces.',
  },
  detect(head) {
    return HEADER_LINE.test(decodeHead(head).split(/\r?\n/, 1)[0]!) ? 0.96 : 0;
  },
  read: (source, options) => toItems(readBatches(source, options)),
  write: (questions, options) =>
    encodeTexts(
      writeNotes(questions, (index, question) => {
        const detail =
          'Anki shows question, options, answer and explanation; the other fields are in a further column.';
        options.onNotice({ index, code: 'metadata_extension', detail });
        if (question.tags?.some((tag) => /\s/.test(tag.trim())))
          options.onNotice({
            index,
            code: 'tags_joined',
            detail: 'Spaces in tags are written as underscores.',
          });
      }),
    ),
};

async function* readBatches(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem[]> {
  const file = decodeFile(source, options);
  let records: CsvRecords | undefined;
  let reader: NoteReader | undefined;
  let head = '';
  const take = (text: string, isLast: boolean): ReadItem[] => {
    for (const record of records!.push(text, isLast)) reader!.add(record, file.encode(record.source));
    const notices = file.notices.splice(0).map((value) => ({ kind: 'notice', value }) as const);
    return [...notices, ...reader!.take()];
  };
  const start = (): ReadItem[] => {
    const header = readAnkiHeader(head);
    const body = head.slice(header.chars);
    const delimiter = header.separator ?? options.delimiter ?? findSeparator(body);
    const newline = !head.includes('\n') && head.includes('\r') ? '\r' : '\n';
    const dialect = { delimiter, newline, skippedLines: header.lines, width: header.columns?.length };
    records = new CsvRecords(dialect, options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES);
    reader = new NoteReader(header, options);
    return take(body, false);
  };
  for await (const chunk of file.chunks()) {
    if (records) {
      yield take(chunk, false);
      continue;
    }
    head += chunk;
    if (head.length >= HEAD_CHARS) yield start();
  }
  if (!records) yield start();
  yield take('', true);
}

/** The first line decides, as in Anki. */
function findSeparator(text: string): string {
  const line = text.split('\n', 1)[0]!;
  return ['\t', '|', ';', ':', ','].find((separator) => line.includes(separator)) ?? '\t';
}

const COLUMNS = ['guid', 'deck', 'Front', 'Back', 'tags', OWN_COLUMN];
const HEADER = [
  ...['#separator:tab', '#html:true', '#notetype:Basic', '#guid column:1', '#deck column:2'],
  ...['#tags column:5', `#columns:${COLUMNS.join('\t')}`],
]
  .map((line) => `${line}\n`)
  .join('');

async function* writeNotes(
  questions: AsyncIterable<PortableQuestion>,
  onWritten: (index: number, question: PortableQuestion) => void,
) {
  yield HEADER;
  let index = 0;
  for await (const question of questions) {
    const cells = [
      (question.external_id ?? '').replace(/\s+/g, ' '),
      (question.category ?? '').replace(/\s+/g, ' ').trim(),
      writeFront(question),
      writeBack(question),
      (question.tags ?? []).map((tag) => tag.trim().replace(/\s+/g, '_')).join(' '),
      JSON.stringify(question),
    ];
    yield `${cells.map(quote).join('\t')}\n`;
    onWritten(index++, question);
  }
}

const quote = (cell: string) =>
  /["\t\r\n]|^#|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
