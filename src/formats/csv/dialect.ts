/** Finds the delimiter and the line break of a delimited text from its beginning. */
import type { ReadOptions } from '../format.ts';
import { findHeader, MAX_HEADER_ROWS } from '../table/header.ts';
import { type CsvDialect, CsvRecords } from './records.ts';

interface Dialect extends CsvDialect {
  /** The length of a line such as `sep=;` before the table. */
  skippedChars: number;
  /** The number of columns that are recognised by name; 0 without a header. */
  recognised: number;
}

/** Semicolons are the default of spreadsheets in most of Europe. */
const DELIMITERS = [',', ';', '\t', '|'];
/** Spreadsheets write and read a first line such as `sep=;`. */
const SEPARATOR_LINE = /^"?sep=(.)"?\r?\n/;

export function findDialect(head: string, options: Pick<ReadOptions, 'columns' | 'delimiter'>): Dialect {
  const newline = !head.includes('\n') && head.includes('\r') ? '\r' : '\n';
  const separatorLine = SEPARATOR_LINE.exec(head);
  const skippedChars = separatorLine?.[0].length ?? 0;
  const chosen = options.delimiter ?? separatorLine?.[1];
  const candidates = (chosen === undefined ? DELIMITERS : [chosen]).map((delimiter) =>
    tryDelimiter(head.slice(skippedChars), delimiter, newline, options.columns),
  );
  const best = candidates.reduce((a, b) =>
    b.recognised > a.recognised || (b.recognised === a.recognised && b.steadiness > a.steadiness) ? b : a,
  );
  const { delimiter, recognised, width } = best;
  return { delimiter, newline, skippedChars, skippedLines: skippedChars > 0 ? 1 : 0, recognised, width };
}

function tryDelimiter(head: string, delimiter: string, newline: string, columns?: Record<string, string>) {
  const start = { delimiter, newline, skippedLines: 0, width: undefined };
  const records = new CsvRecords(start, head.length + 1).push(head, true).slice(0, MAX_HEADER_ROWS);
  const header = findHeader(records, columns);
  const isNamed = header !== undefined && header.row >= 0;
  const recognised = isNamed ? header.columns.filter(Boolean).length : 0;
  const width = isNamed ? header.columns.length : undefined;
  // Without a header, the delimiter that divides most lines, into equally many cells.
  const widths = records.map(({ cells }) => cells.length).filter((width) => width > 1);
  const common = Math.max(0, ...widths.map((width) => widths.filter((other) => other === width).length));
  return { delimiter, recognised, width, steadiness: common };
}
