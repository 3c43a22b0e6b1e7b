/** Finds the header of a table within its first rows, and which column has which field. */
import { UnreadableFile } from '../format.ts';
import { type Column, FIELDS, MARKER, recogniseColumn, recogniseLetter } from './fields.ts';

/** Templates have a title and instructions before the header. */
export const MAX_HEADER_ROWS = 20;

export interface Header {
  /** The index of the row; -1 if columns are given by number and there is no header. */
  row: number;
  /** By the index of the cell; undefined for columns that are not read. */
  columns: (Column | undefined)[];
  /** The names of columns that are not read. */
  ignored: { index: number; name: string }[];
  /** The table was written by this program. */
  isOwn: boolean;
}

export interface TableRow {
  cells: string[];
  /** From 1. */
  line: number;
}

/** The best header by the number of recognised columns; undefined if no row has what is needed. */
export function findHeader(
  rows: readonly Pick<TableRow, 'cells'>[],
  chosen: Record<string, string> = {},
): Header | undefined {
  const numbers = Object.values(chosen);
  if (numbers.length > 0 && numbers.every((column) => /^\d+$/.test(column))) return fromNumbers(chosen);
  let best: Header | undefined;
  let bestCount = 0;
  for (const [row, { cells }] of rows.slice(0, MAX_HEADER_ROWS).entries()) {
    const header = readHeader(cells, row, chosen);
    if (!header) continue;
    const count = header.columns.filter(Boolean).length;
    if (count > bestCount) [best, bestCount] = [header, count];
  }
  return best;
}

/** The reason why there is no header. */
export function explainNoHeader(
  rows: readonly TableRow[],
  chosen: Record<string, string> = {},
): UnreadableFile {
  const first = rows.find(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (!first) return new UnreadableFile('empty_file', 'The file has no rows.');
  const unknown = Object.keys(chosen).filter((field) => !isChoosable(field));
  if (unknown.length > 0)
    return new UnreadableFile(
      'unknown_field',
      `There is no field "${unknown[0]}". The fields of a table are ${FIELDS.join(', ')}.`,
    );
  const missing = Object.values(chosen).find(
    (name) => !rows.some(({ cells }) => cells.some((cell) => isNamed(cell, name))),
  );
  if (missing !== undefined)
    return new UnreadableFile(
      'no_such_column',
      `No column is named "${missing}" within the first ${MAX_HEADER_ROWS} rows.`,
    );
  const names = first.cells.filter((cell) => cell.trim() !== '').slice(0, 8);
  return new UnreadableFile(
    'no_header',
    `No header was found within the first ${MAX_HEADER_ROWS} rows: one column must be named like "question_text" and one like ` +
      `"correct_answer". The first row has: ${names.map((name) => JSON.stringify(name.slice(0, 40))).join(', ')}. ` +
      'Rename the columns, or name the column of each field (columns).',
    { line: first.line },
  );
}

const isNamed = (cell: string, name: string) => cell.trim().toLowerCase() === name.trim().toLowerCase();
const isChoosable = (field: string) =>
  (FIELDS as string[]).includes(field) || /^(option|incorrect_answer)_\d+$/.test(field);

function toColumn(field: string): Column {
  const match = /^(option|incorrect_answer)_(\d+)$/.exec(field);
  return match
    ? { field: match[1] as Column['field'], number: Number(match[2]) }
    : { field: field as Column['field'] };
}

function fromNumbers(chosen: Record<string, string>): Header | undefined {
  const columns: Header['columns'] = [];
  for (const [field, number] of Object.entries(chosen)) {
    if (!isChoosable(field) || Number(number) < 1 || Number(number) > 16_384) return undefined;
    columns[Number(number) - 1] = toColumn(field);
  }
  const header = { row: -1, columns: Array.from(columns), ignored: [], isOwn: false };
  return isComplete(header.columns) ? header : undefined;
}

function readHeader(cells: string[], row: number, chosen: Record<string, string>): Header | undefined {
  const columns: Header['columns'] = cells.map(() => undefined);
  for (const [field, name] of Object.entries(chosen)) {
    const index = /^\d+$/.test(name) ? Number(name) - 1 : cells.findIndex((cell) => isNamed(cell, name));
    if (!isChoosable(field) || index < 0 || index >= cells.length) return undefined;
    columns[index] = toColumn(field);
  }
  const isTaken = (column: Column) =>
    columns.some(
      (other) =>
        (other?.field === column.field && other.number === column.number && column.number !== undefined) ||
        (other?.field === column.field && column.field !== 'incorrect_answer' && column.number === undefined),
    );
  for (const [index, cell] of cells.entries()) {
    if (columns[index]) continue;
    const column = recogniseColumn(cell);
    if (column && !isTaken(column)) columns[index] = column;
  }
  resolveLetters(cells, columns);
  // "answers" beside no other answer is the answer.
  const list = columns.find((column) => column?.field === 'choices');
  if (list && !hasField(columns, 'correct_answer')) list.field = 'correct_answer';
  if (!isComplete(columns)) return undefined;
  const ignored = cells.flatMap((name, index) =>
    columns[index] || name.trim() === '' || name === MARKER ? [] : [{ index, name: name.trim() }],
  );
  return { row, columns, ignored, isOwn: cells.includes(MARKER) };
}

/** Columns A, B, C … are options if there are at least two of them and no other options. */
function resolveLetters(cells: string[], columns: Header['columns']): void {
  if (hasField(columns, 'option')) return;
  const letters = cells.flatMap((cell, index) => {
    const number = columns[index] ? undefined : recogniseLetter(cell);
    return number === undefined ? [] : [{ index, number }];
  });
  if (letters.length < 2) return;
  for (const { index, number } of letters) columns[index] = { field: 'option', number };
}

const hasField = (columns: Header['columns'], field: Column['field']) =>
  columns.some((column) => column?.field === field);
const isComplete = (columns: Header['columns']) =>
  hasField(columns, 'question_text') && hasField(columns, 'correct_answer');
