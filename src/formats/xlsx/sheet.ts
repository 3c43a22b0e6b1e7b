/** The rows of a sheet as texts. */
import type { Remark } from '../table/draft.ts';
import type { TableRow } from '../table/header.ts';
import type { ZipArchive } from '../zip/read.ts';
import type { Workbook } from './workbook.ts';
import { decodeEscapes, parseStream } from './xml-stream.ts';

export interface SheetRow extends TableRow {
  remarks: Remark[];
}

const MAX_COLUMNS = 16_384;
const DAY_MS = 86_400_000;
/** Excel takes 1900 for a leap year, so that its day 60 does not exist. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** Yields the rows of each chunk. @throws RejectItem for XML that is not well-formed. */
export async function* readRows(
  archive: ZipArchive,
  path: string,
  workbook: Workbook,
): AsyncGenerator<SheetRow[]> {
  const builder = new RowBuilder(workbook);
  const take = () => {
    const { rows } = builder;
    builder.rows = [];
    return rows;
  };
  try {
    for await (const _ of parseStream(archive.stream(path), builder))
      if (builder.rows.length > 0) yield take();
  } catch (error) {
    // The rows before the damage.
    if (builder.rows.length > 0) yield take();
    throw error;
  }
}

class RowBuilder {
  rows: SheetRow[] = [];
  readonly #workbook: Workbook;
  #row: SheetRow = { cells: [], line: 0, remarks: [] };
  #column = 0;
  #type = '';
  #style = 0;
  #value = '';
  #phonetic = 0;
  #isText = false;
  #hasFormula = false;

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'row') {
      const line = Number(attributes.r ?? this.#row.line + 1);
      this.#row = { cells: [], line: Number.isInteger(line) ? line : this.#row.line + 1, remarks: [] };
      this.#column = 0;
    } else if (name === 'c') {
      this.#column = findColumn(attributes.r) ?? this.#column + 1;
      this.#type = attributes.t ?? 'n';
      this.#style = Number(attributes.s ?? 0);
      this.#value = '';
      this.#hasFormula = false;
    } else if (name === 'rPh') this.#phonetic++;
    else if (name === 'f') this.#hasFormula = true;
    else if (name === 'v' || name === 't') this.#isText = this.#phonetic === 0;
  }

  text(text: string): void {
    if (this.#isText) this.#value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isText = false;
    else if (name === 'rPh') this.#phonetic--;
    else if (name === 'c') this.#addCell();
    else if (name === 'row') this.rows.push(this.#row);
  }

  #addCell(): void {
    const text = this.#toText();
    if (text === '' || this.#column > MAX_COLUMNS) return;
    const { cells } = this.#row;
    while (cells.length < this.#column) cells.push('');
    cells[this.#column - 1] = text;
  }

  #remark(code: string, detail: string): void {
    if (!this.#row.remarks.some((remark) => remark.code === code)) this.#row.remarks.push({ code, detail });
  }

  #toText(): string {
    const value = this.#value;
    if (value === '' && this.#hasFormula)
      this.#remark(
        'formula_without_value',
        'A formula has no stored value. Open and save the workbook in a spreadsheet.',
      );
    switch (this.#type) {
      case 's':
        return this.#workbook.strings[Number(value)] ?? '';
      case 'inlineStr':
      case 'str':
        return decodeEscapes(value);
      case 'b':
        return value === '1' ? 'True' : 'False';
      case 'e':
        this.#remark('error_cell', `A cell has the error ${value.slice(0, 20)} and is taken as empty.`);
        return '';
      case 'd':
        return value;
      default:
        return value === '' ? '' : this.#toNumber(value);
    }
  }

  #toNumber(value: string): string {
    const number = Number(value);
    if (!Number.isFinite(number)) return value;
    const style = this.#workbook.styles[this.#style] ?? 'number';
    if (style === 'percent') return `${round(number * 100)}%`;
    if (style === 'number') return /^-?\d+$/.test(value) ? value : String(round(number));
    this.#remark('date_cell', 'A cell is a date. If the spreadsheet made it of another text, correct it.');
    return toDate(number, this.#workbook.isFrom1904);
  }
}

/** The digits that a spreadsheet shows. */
const round = (value: number) => Number(value.toPrecision(15));

/** `B7` is in column 2. */
function findColumn(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function toDate(days: number, isFrom1904: boolean): string {
  const ms = Math.round((days * DAY_MS) / 1000) * 1000 + (isFrom1904 ? EPOCH_1904 : EPOCH_1900);
  if (!(Math.abs(ms) < 8.64e15)) return String(days);
  const [date, time] = new Date(ms).toISOString().split('T') as [string, string];
  if (Number.isInteger(days)) return date;
  const clock = time.slice(0, time.startsWith(':00', 5) ? 5 : 8);
  return days >= 0 && days < 1 ? clock : `${date} ${clock}`;
}
