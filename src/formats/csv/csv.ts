/** CSV and TSV: tables as delimited text (RFC 4180). */
import {
  DEFAULT_MAX_ITEM_BYTES,
  type FileSource,
  type Format,
  type PortableQuestion,
  type ReadItem,
  type ReadOptions,
  UnreadableFile,
} from '../format.ts';
import { type RowFault, TABLE_LOSSES, TableReader } from '../table/rows.ts';
import { TABLE_HEADER, toCells } from '../table/writer.ts';
import { encodeTexts, toItems } from '../text/batches.ts';
import { decodeFile, decodeHead } from '../text/encoding.ts';
import { TEXT_LOSSES } from '../text/losses.ts';
import { findDialect } from './dialect.ts';
import { type CsvFault, type CsvRecord, CsvRecords } from './records.ts';

const HEAD_CHARS = 64 * 1024;
/** Spreadsheets read a file without this mark in the encoding of the system. */
const BYTE_ORDER_MARK = '\uFEFF';

const defineDelimited = (
  about: Pick<Format, 'name' | 'title' | 'extensions' | 'mediaTypes'>,
  delimiter: string,
): Format => ({
  ...about,
  losses: {
    ...TEXT_LOSSES,
    ...TABLE_LOSSES,
    stray_quote: 'A quotation mark within a value that is not doubled is read as text.',
  },
  detect(head, fileName) {
    const name = fileName?.toLowerCase() ?? '';
    const isNamed = about.extensions.some((extension) => name.endsWith(extension));
    const dialect = findDialect(decodeHead(head), {});
    if (dialect.recognised === 0) return isNamed ? 0.4 : 0;
    const isTabbed = dialect.delimiter === '\t';
    return (isNamed ? 0.9 : 0.6) + (isTabbed === (delimiter === '\t') ? 0.05 : 0);
  },
  read: (source, options) => toItems(readBatches(source, options)),
  write: (questions) => encodeTexts(writeRows(questions, delimiter)),
});

export const csv = defineDelimited(
  { name: 'csv', title: 'CSV', extensions: ['.csv'], mediaTypes: ['text/csv'] },
  ',',
);

export const tsv = defineDelimited(
  {
    name: 'tsv',
    title: 'Tab-separated values',
    extensions: ['.tsv', '.tab'],
    mediaTypes: ['text/tab-separated-values'],
  },
  '\t',
);

async function* readBatches(source: FileSource, options: ReadOptions): AsyncGenerator<ReadItem[]> {
  const { delimiter } = options;
  if (delimiter !== undefined && !/^[^"\r\n\p{L}\p{N}]$/u.test(delimiter))
    throw new UnreadableFile('invalid_delimiter', 'The delimiter must be one character, such as ; or a tab.');
  const file = decodeFile(source, options);
  const table = new TableReader(options);
  let records: CsvRecords | undefined;
  let head = '';
  const take = (read: CsvRecord[]): ReadItem[] => {
    for (const record of read) addRecord(table, record, file.encode(record.source));
    const notices = file.notices.splice(0).map((value) => ({ kind: 'notice', value }) as const);
    const { items } = table;
    table.items = [];
    return notices.length > 0 ? [...notices, ...items] : items;
  };
  const start = () => {
    const dialect = findDialect(head, options);
    records = new CsvRecords(dialect, options.maxItemBytes ?? DEFAULT_MAX_ITEM_BYTES);
    return take(records.push(head.slice(dialect.skippedChars)));
  };
  for await (const chunk of file.chunks()) {
    if (records) {
      yield take(records.push(chunk));
      continue;
    }
    head += chunk;
    if (head.length >= HEAD_CHARS) yield start();
  }
  if (!records) yield start();
  yield take(records!.push('', true));
  table.end();
  yield take([]);
}

function addRecord(table: TableReader, record: CsvRecord, raw: Uint8Array): void {
  const fault = record.fault && explainFault(record.fault);
  const remarks = record.hasStrayQuote
    ? [
        {
          code: 'stray_quote',
          detail:
            'A quotation mark within a value is not doubled and is read as text. Check the cells of this row.',
        },
      ]
    : [];
  table.add(record, raw, remarks, fault);
}

function explainFault({ code, column }: CsvFault): RowFault {
  const detail =
    code === 'unclosed_quote'
      ? 'A quotation mark opens a value here and does not close it. Close it, or double it if it belongs to the text.'
      : 'The row is too large. Divide it, or leave embedded files out.';
  return { code, detail, column };
}

async function* writeRows(questions: AsyncIterable<PortableQuestion>, delimiter: string) {
  const special = new RegExp(`["\\r\\n${delimiter}]|^\\s|\\s$`);
  const toLine = (cells: readonly string[]) =>
    `${cells.map((cell) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter)}\r\n`;
  yield BYTE_ORDER_MARK + toLine(TABLE_HEADER);
  for await (const question of questions) yield toLine(toCells(question));
}
