/** One row per respondent, one column per question, with or without a header. */
import type { CsvRecord } from '../csv/records.ts';
import { UnreadableFile } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { flatten } from '../text/batches.ts';
import { ENCODING_LOSSES } from '../text/losses.ts';
import type {
  PortableResponse,
  QuestionReference,
  ResponseFormat,
  ResponseItem,
  ResponseReadOptions,
} from './format.ts';
import { type ResponseField, type RowReader, readFirstRow, readRows, recogniseField } from './rows.ts';
import { findMissing, isScore, readAnswer, readScore, readTime } from './values.ts';

/** Rows from which it is found whether values are scores. */
const SAMPLE_ROWS = 200;

const LOSSES = {
  ...ENCODING_LOSSES,
  values_are_scores: 'All values of the first rows are 0 or 1 and are read as scores.',
  respondents_numbered: 'Rows without an id are respondents row-1, row-2 …',
  key_row_used: 'A first row named KEY has the correct answers, and responses are scored by it.',
  key_row_skipped: 'A row named KEY that is not the first one is skipped.',
  column_ignored: 'A column with totals is not read.',
  time_not_read: 'A time that is not ISO 8601 is left out.',
};

export const wide: ResponseFormat = {
  name: 'responses-wide',
  title: 'Responses, one row per respondent',
  extensions: ['.csv', '.tsv'],
  losses: LOSSES,
  detect(head) {
    const cells = readFirstRow(head);
    const fields = cells.map(recogniseField);
    if (cells.length < 3 || cells.every((cell) => isScore(cell.trim()))) return 0;
    const hasRespondent = fields.includes('respondent') || cells[0] === '';
    return hasRespondent && !fields.includes('question') ? 0.5 : 0.1;
  },
  read: (source, options) => flatten(readRows(source, options, new WideReader(options, true))),
};

export const matrix: ResponseFormat = {
  name: 'responses-matrix',
  title: 'Responses, a matrix without header',
  extensions: ['.txt', '.dat', '.csv'],
  losses: LOSSES,
  detect(head) {
    const cells = readFirstRow(head).flatMap((cell) => cell.trim().split(/\s+/));
    return cells.length >= 3 && cells.every((cell) => /^(?:[\d.]|NA)$/.test(cell)) ? 0.7 : 0;
  },
  read: (source, options) => flatten(readRows(source, options, new WideReader(options, false))),
};

type Column = { field: ResponseField } | { question: QuestionReference };

class WideReader implements RowReader {
  items: ResponseItem[] = [];
  readonly #options: ResponseReadOptions;
  readonly #hasHeader: boolean;
  #columns: Column[] | undefined;
  #pending: CsvRecord[] | undefined = [];
  #areScores = false;
  #key: string[] | undefined;
  #rows = 0;
  #reported = new Set<string>();

  constructor(options: ResponseReadOptions, hasHeader: boolean) {
    this.#options = options;
    this.#hasHeader = hasHeader;
  }

  add(record: CsvRecord): void {
    // A matrix may be aligned with spaces.
    const cells = record.cells.length === 1 ? record.cells[0]!.trim().split(/\s+/) : record.cells;
    const row = { ...record, cells: cells.map((cell) => cell.trim()) };
    if (!this.#columns) {
      this.#columns = this.#hasHeader
        ? this.#readHeader(row)
        : row.cells.map((_, index) => ({ question: { index } }));
      if (this.#hasHeader) return;
    }
    if (!this.#pending) {
      this.#read(row);
      return;
    }
    this.#pending.push(row);
    if (this.#pending.length >= SAMPLE_ROWS) this.#start();
  }

  end(): void {
    if (!this.#columns) throw new UnreadableFile('empty_file', 'The file has no rows.');
    if (this.#pending) this.#start();
  }

  #readHeader({ cells, line }: CsvRecord): Column[] {
    const chosen = new Map(
      Object.entries(this.#options.columns ?? {}).map(([field, name]) => [name.toLowerCase(), field]),
    );
    // R writes the names of rows under an empty header.
    const fields = cells.map(
      (cell, index) =>
        (chosen.get(cell.toLowerCase()) as ResponseField | undefined) ??
        (index === 0 && cell === '' ? 'respondent' : recogniseField(cell)),
    );
    let index = 0;
    let hasRespondent = false;
    const columns = cells.map((name, i): Column => {
      const field = fields[i];
      if (field === 'ignored')
        this.#notice('column_ignored', `The column "${name.slice(0, 60)}" is not read.`, line);
      if (field === 'ignored' || field === 'session' || field === 'group' || field === 'answered_at')
        return { field };
      if (field === 'respondent') {
        // Of several, such as id and name, the first one counts.
        const isFirst = !hasRespondent;
        hasRespondent = true;
        return { field: isFirst ? field : 'ignored' };
      }
      return { question: { index: index++, name } };
    });
    if (index === 0)
      throw new UnreadableFile(
        'no_questions',
        'The header names no question. Give one column per question.',
        { line },
      );
    return columns;
  }

  #notice(code: string, detail: string, line: number): void {
    if (this.#reported.has(code) && code !== 'column_ignored') return;
    this.#reported.add(code);
    this.items.push({ kind: 'notice', value: { code, detail, position: { line } } });
  }

  #start(): void {
    const rows = this.#pending!;
    this.#pending = undefined;
    const isKey = (row: CsvRecord) => this.#findField(row, 'respondent')?.toLowerCase() === 'key';
    if (rows[0] && isKey(rows[0])) {
      this.#key = rows.shift()!.cells;
      this.#notice('key_row_used', 'The first row has the key, by which responses are scored.', 2);
    }
    const values = rows.flatMap(({ cells }) =>
      this.#columns!.flatMap((column, i) => ('question' in column ? [cells[i] ?? ''] : [])),
    );
    const given = values.filter((value) => findMissing(value, this.#options) === undefined);
    const areScores = given.length > 0 && given.every(isScore) && !this.#key;
    this.#areScores = this.#options.values ? this.#options.values === 'scores' : areScores;
    if (areScores && !this.#options.values)
      this.#notice('values_are_scores', 'All values are 0 or 1 and are read as scores.', 1);
    for (const row of rows) this.#read(row);
  }

  #findField(row: CsvRecord, field: ResponseField): string | undefined {
    const index = this.#columns!.findIndex((column) => 'field' in column && column.field === field);
    const value = index === -1 ? undefined : row.cells[index];
    return value === '' ? undefined : value;
  }

  #read(row: CsvRecord): void {
    const { cells, line } = row;
    this.#rows++;
    const hasIds = this.#columns!.some((column) => 'field' in column && column.field === 'respondent');
    const respondent = hasIds ? this.#findField(row, 'respondent') : `row-${this.#rows}`;
    if (!hasIds)
      this.#notice('respondents_numbered', 'The file has no ids: respondents are row-1, row-2 …', line);
    if (respondent === undefined) {
      this.#reject('no_respondent', 'The row has no respondent. Give an id.', row);
      return;
    }
    if (respondent.toLowerCase() === 'key') {
      this.#notice('key_row_skipped', 'The row KEY is skipped. Put it first to score responses by it.', line);
      return;
    }
    if (
      cells.length > this.#columns!.length &&
      cells.slice(this.#columns!.length).some((cell) => cell !== '')
    ) {
      this.#reject(
        'too_many_cells',
        `The row has ${cells.length} values, but ${this.#columns!.length} are expected.`,
        row,
      );
      return;
    }
    const common = this.#readCommon(row, respondent);
    for (const [i, column] of this.#columns!.entries()) {
      if (!('question' in column)) continue;
      try {
        const response: PortableResponse = {
          ...common,
          question: column.question,
          ...this.#readValue(cells[i] ?? '', i),
        };
        this.items.push({ kind: 'response', value: { response, position: { line, column: i + 1 } } });
      } catch (error) {
        if (!(error instanceof RejectItem)) throw error;
        this.#reject(error.code, error.detail, row, i + 1);
      }
    }
  }

  #readCommon(row: CsvRecord, respondent: string) {
    const session = this.#findField(row, 'session');
    const group = this.#findField(row, 'group');
    const time = this.#findField(row, 'answered_at');
    const answered_at = time === undefined ? undefined : readTime(time);
    if (time !== undefined && answered_at === undefined)
      this.#notice(
        'time_not_read',
        `The time "${time.slice(0, 40)}" is not ISO 8601 and is left out.`,
        row.line,
      );
    return {
      respondent,
      ...(session !== undefined && { session }),
      ...(group !== undefined && { group }),
      ...(answered_at !== undefined && { answered_at }),
    };
  }

  #readValue(value: string, index: number) {
    if (this.#areScores) return readScore(value, this.#options);
    const outcome = readAnswer(value, this.#options);
    const key = this.#key?.[index];
    if (key === undefined || key === '' || outcome.answer === undefined) return outcome;
    return { correct: value.toLowerCase() === key.toLowerCase() };
  }

  /** The bytes of the row are given if all of it is rejected. */
  #reject(code: string, detail: string, { line, source }: CsvRecord, column?: number): void {
    const position = column === undefined ? { line } : { line, column };
    const raw = column === undefined ? Buffer.from(source) : undefined;
    this.items.push({ kind: 'reject', value: { code, detail, position, raw } });
  }
}
