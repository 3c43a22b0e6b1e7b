/** Reads the rows of a table, of any origin, as questions. */
import type { Notice, PortableQuestion, ReadItem, ReadOptions } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { splitForeignList, splitList, splitTags, unguardCell } from './cells.ts';
import { buildQuestion, type Draft, type Remark, remarkOnCommas } from './draft.ts';
import { explainNoHeader, findHeader, type Header, MAX_HEADER_ROWS, type TableRow } from './header.ts';
import type { KeyStyle } from './key.ts';

/** A row whose cells cannot be read. */
export interface RowFault {
  code: string;
  detail: string;
  /** From 1. */
  column: number;
}

interface PendingRow {
  row: TableRow;
  raw: Uint8Array | undefined;
  remarks: Remark[];
  fault: RowFault | undefined;
}

export const TABLE_LOSSES: Record<string, string> = {
  column_ignored: 'A column that is not recognised by its name is not read.',
  instruction_row_skipped: 'The row of instructions below the header of a template is skipped.',
  difficulty_unknown: 'A difficulty that is not 0, 1, 2 or a known name is left out.',
  date_like_answer: 'An answer looks like a date that a spreadsheet made of a number.',
  list_not_split: 'A list in one cell has commas only and is read as one answer.',
  media_dropped: 'A picture is left out, by option.',
};

const TEMPLATE_WORDS = /\b(required|optional|leave blank|default|text for option|text of the question)\b/i;

/** Takes rows one by one, and collects what they are in `items`. */
export class TableReader {
  items: ReadItem[] = [];
  readonly #options: ReadOptions;
  #header: Header | undefined;
  #pending: PendingRow[] = [];
  #keyStyle: KeyStyle = { style: undefined };
  #isFirst = true;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** @throws UnreadableFile if there is no header. */
  add(row: TableRow, raw: Uint8Array | undefined, remarks: Remark[] = [], fault?: RowFault): void {
    if (this.#header) {
      this.#read(row, raw, remarks, fault);
      return;
    }
    this.#pending.push({ row, raw, remarks, fault });
    if (this.#pending.length >= MAX_HEADER_ROWS) this.#start();
  }

  /** @throws UnreadableFile if there is no header. */
  end(): void {
    if (!this.#header) this.#start();
  }

  #start(): void {
    const rows = this.#pending.map(({ row }) => row);
    const header = findHeader(rows, this.#options.columns);
    if (!header) throw explainNoHeader(rows, this.#options.columns);
    this.#header = header;
    const line = rows[header.row]?.line ?? 1;
    const raw = this.#pending[header.row]?.raw;
    if (raw) this.items.push({ kind: 'header', value: { position: { line }, raw } });
    for (const { index, name } of header.ignored) {
      if (/\btime\b/i.test(name)) this.#keyStyle.style ??= 'reference';
      this.#notice('column_ignored', `The column "${name.slice(0, 60)}" is not read.`, line, index + 1);
    }
    for (const { row, raw, remarks, fault } of this.#pending.slice(header.row + 1))
      this.#read(row, raw, remarks, fault);
    this.#pending = [];
  }

  #notice(code: string, detail: string, line: number, column?: number): void {
    const position = column === undefined ? { line } : { line, column };
    this.items.push({ kind: 'notice', value: { code, detail, position } });
  }

  #read({ cells, line }: TableRow, raw: Uint8Array | undefined, remarks: Remark[], fault?: RowFault): void {
    if (fault) {
      const { code, detail, column } = fault;
      this.items.push({ kind: 'reject', value: { code, detail, position: { line, column }, raw } });
      return;
    }
    if (cells.every((cell) => cell.trim() === '')) return;
    if (this.#isFirst && !this.#header!.isOwn && isInstruction(cells)) {
      this.#isFirst = false;
      this.#notice(
        'instruction_row_skipped',
        'The row after the header has instructions and is skipped.',
        line,
      );
      return;
    }
    this.#isFirst = false;
    try {
      const question = this.#header!.isOwn ? this.#readOwn(cells) : this.#readForeign(cells, remarks);
      const notices: Notice[] = remarks.map((remark) => ({ ...remark, position: { line } }));
      this.items.push({
        kind: 'question',
        value: { question, position: { line }, notices, raw },
      });
    } catch (error) {
      if (!(error instanceof RejectItem)) throw error;
      const { code, detail, position = { line } } = error;
      this.items.push({ kind: 'reject', value: { code, detail, position, raw } });
    }
  }

  #checkWidth(cells: string[]): void {
    const { columns, row } = this.#header!;
    const extra =
      row < 0 ? -1 : cells.findIndex((cell, index) => index >= columns.length && cell.trim() !== '');
    if (extra !== -1)
      throw new RejectItem(
        'too_many_cells',
        `The row has ${cells.length} cells and the header ${columns.length}. Put values that contain the delimiter in quotation marks.`,
      );
  }

  #collect(cells: string[], clean: (cell: string) => string) {
    const values: Partial<Record<string, string>> = {};
    const series: { option: string[]; incorrect_answer: string[] } = { option: [], incorrect_answer: [] };
    const { columns } = this.#header!;
    for (let i = 0; i < columns.length && i < cells.length; i++) {
      const column = columns[i];
      if (!column || cells[i] === '') continue;
      const text = clean(cells[i]!);
      if (text === '') continue;
      if (column.field === 'option') series.option[column.number! - 1] = text;
      else if (column.field === 'incorrect_answer') series.incorrect_answer.push(text);
      else values[column.field] = text;
    }
    return {
      values,
      options: Array.from(series.option, (option) => option ?? ''),
      incorrect: series.incorrect_answer,
    };
  }

  #readForeign(cells: string[], remarks: Remark[]): PortableQuestion {
    this.#checkWidth(cells);
    const { values, options, incorrect } = this.#collect(cells, cleanCell);
    if (values.media !== undefined) this.#dropMedia(values.media, remarks);
    const list = (field: string) => {
      if (values[field] === undefined) return [];
      const { elements, isDoubtful } = splitForeignList(values[field]);
      if (isDoubtful) remarks.push(remarkOnCommas(field));
      return elements;
    };
    const draft: Draft = {
      question_text: values.question_text ?? '',
      correct: values.correct_answer ?? '',
      kind: values.kind ?? '',
      options: options.length > 0 ? options : list('choices'),
      incorrect: [...incorrect, ...list('incorrect_answers')],
      accepted: list('accepted_answers'),
      difficulty: values.difficulty ?? '',
      tags: values.tags === undefined ? [] : splitTags(values.tags),
      tolerance: values.tolerance ?? '',
      relative_tolerance: values.relative_tolerance ?? '',
      unit: values.unit ?? '',
      plain: pickPlain(values),
    };
    return buildQuestion(draft, this.#keyStyle, remarks);
  }

  #dropMedia(link: string, remarks: Remark[]): void {
    const detail = `The question has a picture or other media (${link.slice(0, 80)}), which the bank does not keep.`;
    if (this.#options.media !== 'drop')
      throw new RejectItem(
        'needs_media',
        `${detail} Import with media "drop" if it can be answered without.`,
      );
    remarks.push({ code: 'media_dropped', detail });
  }

  /** A row of a table that `writeTable` wrote, perhaps edited since. */
  #readOwn(cells: string[]): PortableQuestion {
    this.#checkWidth(cells);
    const { values, incorrect } = this.#collect(cells, cleanOwnCell);
    if (values.question_text === undefined)
      throw new RejectItem('no_question_text', 'The question has no text.');
    if (values.correct_answer === undefined)
      throw new RejectItem('no_correct_answer', 'The question has no correct answer. Give one.');
    const question: PortableQuestion = {
      question_text: values.question_text,
      correct_answer:
        values.kind === 'multiple_response' ? splitList(values.correct_answer) : values.correct_answer,
    };
    const wrong = [...incorrect, ...splitList(values.incorrect_answers ?? '')];
    if (wrong.length > 0) question.incorrect_answers = wrong;
    for (const field of ['accepted_answers', 'choices', 'tags'] as const)
      if (values[field] !== undefined) question[field] = splitList(values[field]);
    if (values.kind === 'numeric') question.numeric = {};
    for (const field of ['tolerance', 'relative_tolerance'] as const)
      if (values[field] !== undefined)
        question.numeric = { ...question.numeric, [field]: toNumber(field, values[field]) };
    if (values.unit !== undefined) question.numeric = { ...question.numeric, unit: values.unit };
    if (values.choose !== undefined) question.choose = toNumber('choose', values.choose);
    if (values.difficulty !== undefined)
      question.difficulty = toNumber('difficulty', values.difficulty) as 0 | 1 | 2;
    if (values.answer_matching !== undefined) question.answer_matching = toObject(values.answer_matching);
    // Values that do not exist are refused by the schema.
    if (values.text_format !== undefined) question.text_format = values.text_format as 'plain';
    if (values.choices_order !== undefined) question.choices_order = values.choices_order as 'sorted';
    return Object.assign(question, pickPlain(values));
  }
}

const PLAIN = ['external_id', 'category', 'topic_focus', 'explanation', 'source'] as const;

function pickPlain(values: Partial<Record<string, string>>): Draft['plain'] {
  const plain: Draft['plain'] = {};
  for (const field of PLAIN) if (values[field] !== undefined) plain[field] = values[field];
  return plain;
}

const cleanCell = (cell: string) => (cell.includes('\r') ? cell.replace(/\r\n?/g, '\n') : cell).trim();
const cleanOwnCell = (cell: string) => unguardCell(cell.includes('\r') ? cell.replace(/\r\n?/g, '\n') : cell);

function toNumber(field: string, text: string): number {
  const value = Number(text.replace(',', '.'));
  if (Number.isFinite(value)) return value;
  throw new RejectItem('invalid_number', `\`${field}\` must be a number, not "${text.slice(0, 60)}".`);
}

function toObject(text: string): Record<string, boolean> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, boolean>;
  } catch {
    // Refused below.
  }
  throw new RejectItem(
    'invalid_json',
    '`answer_matching` must be an object such as {"ignore_articles":true}.',
  );
}

/** Templates explain their columns in the first row. */
const isInstruction = (cells: string[]) => cells.filter((cell) => TEMPLATE_WORDS.test(cell)).length >= 2;
