/** Reads notes as rows of a table, whose header is the names of their fields. */
import type { CsvRecord } from '../csv/records.ts';
import type { PortableQuestion, ReadItem, ReadOptions } from '../format.ts';
import { htmlToText } from '../html/html-to-text.ts';
import { ItemReport } from '../items/item-report.ts';
import { createContext, toQuestion } from '../json/object.ts';
import { RejectItem } from '../reject-item.ts';
import { findHeader } from '../table/header.ts';
import { type RowFault, TableReader } from '../table/rows.ts';
import { unsupported } from '../unsupported.ts';
import { writeBack, writeFront } from './card.ts';
import { type AnkiHeader, splitTags } from './header.ts';

/** The column with a question as this program wrote it. */
export const OWN_COLUMN = 'quaestor_question_1';
const CLOZE = /\{\{c\d+::/;
const SOUND = /\[(?:sound:|anki:(?:play|tts))[^\]]*\]/g;
const ALIASES: Record<string, string> = {
  ...{
    front: 'question',
    vorderseite: 'question',
    recto: 'question',
    anverso: 'question',
    frente: 'question',
  },
  ...{ back: 'answer', rückseite: 'answer', verso: 'answer', reverso: 'answer' },
};

export class NoteReader {
  readonly #header: AnkiHeader;
  readonly #options: ReadOptions;
  readonly #table: TableReader;
  readonly #names: string[] | undefined;
  #items: ReadItem[] = [];
  #hasHeader = false;
  #reported = new Set<string>();

  constructor(header: AnkiHeader, options: ReadOptions) {
    this.#header = header;
    this.#options = options;
    this.#table = new TableReader({ ...options, columns: undefined });
    this.#names = header.columns?.map((name) => ALIASES[name.toLowerCase()] ?? name);
  }

  add(record: CsvRecord, raw: Uint8Array): void {
    const { cells, line, fault } = record;
    if (cells.every((cell) => cell.trim() === '') && !fault) return;
    if (record.source.startsWith('#')) {
      this.#report(
        'comment_skipped',
        'Lines that begin with # are comments. Put # in quotation marks.',
        line,
      );
      return;
    }
    if (!this.#hasHeader) this.#start(cells.length);
    const own = fault ? undefined : this.#readOwn(cells, line, raw);
    if (own) this.#items.push(own);
    else this.#addRow(record, raw);
    this.#items.push(...this.#table.items);
    this.#table.items = [];
  }

  take(): ReadItem[] {
    return this.#items.splice(0);
  }

  #report(code: string, detail: string, line: number): void {
    if (this.#reported.has(code)) return;
    this.#reported.add(code);
    this.#items.push({ kind: 'notice', value: { code, detail, position: { line } } });
  }

  /** The columns that are not fields of a note. */
  #isLabel = (index: number) =>
    [this.#header.guid, this.#header.deck, this.#header.tags, this.#header.notetype].includes(index);

  #start(width: number): void {
    this.#hasHeader = true;
    const { guid, deck, tags } = this.#header;
    const fields = Array.from({ length: Math.max(width, this.#names?.length ?? 0) }, (_, i) => i).filter(
      (i) => !this.#isLabel(i),
    );
    const names = fields.map((i) => this.#names?.[i] ?? '');
    const isKnown = findHeader([{ cells: [...names] }]) !== undefined;
    if (!isKnown) {
      [names[0], names[1]] = ['question', 'answer'];
      names.fill('', 2);
      if (names.length > 2)
        this.#report(
          'fields_dropped',
          'Only the first two fields are read, as question and answer. Name the others (#columns).',
          1,
        );
    }
    const row: string[] = [];
    for (const [n, i] of fields.entries()) row[i] = names[n]!;
    if (guid !== undefined) row[guid] = 'external_id';
    if (deck !== undefined) row[deck] = 'category';
    if (tags !== undefined) row[tags] = 'tags';
    const labels = [deck === undefined ? 'category' : '', tags === undefined ? 'tags' : ''];
    const cells = Array.from(row, (name) => (name === OWN_COLUMN ? '' : (name ?? '')));
    this.#table.add({ cells: [...cells, ...labels], line: 1 }, undefined);
    this.#table.end();
    this.#width = row.length;
  }

  #width = 0;

  #addRow({ cells, line, fault: csvFault, hasStrayQuote }: CsvRecord, raw: Uint8Array): void {
    const report = new ItemReport({ line }, this.#options);
    if (hasStrayQuote) report.add('stray_quote', 'A quotation mark within a value is not doubled.');
    let fault: RowFault | undefined = csvFault && {
      ...csvFault,
      detail: 'The note does not end where it should. Close or double its quotation marks.',
    };
    const { deckName, allTags, deck, tags } = this.#header;
    let row: string[] = [];
    try {
      row = Array.from({ length: Math.max(this.#width, cells.length) }, (_, i) =>
        this.#readCell(cells[i] ?? '', i, report),
      );
      if (deck === undefined) row[this.#width] = toCategory(deckName ?? '');
      if (tags === undefined) row[this.#width + 1] = toList(allTags);
    } catch (error) {
      if (!(error instanceof RejectItem)) throw error;
      fault ??= { code: error.code, detail: error.detail, column: 1 };
    }
    const remarks = report.notices.map(({ code, detail }) => ({ code, detail }));
    this.#table.add({ cells: Array.from(row, (cell) => cell ?? ''), line }, raw, remarks, fault);
  }

  #readCell(cell: string, index: number, report: ItemReport): string {
    const { deck, tags, isHtml, allTags } = this.#header;
    if (index === deck) return toCategory(cell);
    if (index === tags) return toList([...new Set([...splitTags(cell), ...allTags])]);
    if (this.#isLabel(index) || this.#names?.[index] === OWN_COLUMN) return cell;
    if (CLOZE.test(cell)) throw unsupported('cloze');
    const text = cell.replace(SOUND, '<audio src="sound"></audio>');
    if (!isHtml && text === cell) return cell;
    return htmlToText(text, report.markup).replace(/\[\$+\](.*?)\[\/\$+\]/gs, '$$$1$$');
  }

  /** The question that the card was written from, unless the card was changed since. */
  #readOwn(cells: string[], line: number, raw: Uint8Array): ReadItem | undefined {
    const column = this.#names?.indexOf(OWN_COLUMN) ?? -1;
    const text = column === -1 ? '' : (cells[column] ?? '');
    if (text === '') return undefined;
    const question = parseOwn(text);
    const isCurrent =
      question !== undefined &&
      cells[this.#names!.indexOf('question')] === writeFront(question) &&
      cells[this.#names!.indexOf('answer')] === writeBack(question);
    if (isCurrent) return { kind: 'question', value: { question, position: { line }, notices: [], raw } };
    this.#report('own_fields_outdated', 'The card was changed: only what it shows is read.', line);
  }
}

function parseOwn(text: string): PortableQuestion | undefined {
  try {
    return toQuestion(JSON.parse(text), createContext(), []);
  } catch {
    return undefined;
  }
}

const toCategory = (deck: string) => (deck === 'Default' ? '' : deck.trim().replaceAll('::', '/'));
const toList = (tags: readonly string[]) => (tags.length === 0 ? '' : JSON.stringify(tags));
