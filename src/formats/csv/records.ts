/**
 * Reads the records of a delimited text (RFC 4180) as it arrives. Lines without a quotation mark
 * are split directly; only the others are read character by character.
 *
 * A stray quotation mark does not swallow the rest of the file: a quoted field that does not end,
 * or that ends in the middle of another line's text, is a fault of its first line, and reading
 * continues on the next one.
 */

export interface CsvRecord {
  cells: string[];
  /** The line on which the record begins, from 1. */
  line: number;
  /** The text of the record with its line break. */
  source: string;
  fault?: CsvFault;
  /** Quotation marks that are not doubled were taken as text. */
  hasStrayQuote?: boolean;
}

export interface CsvDialect {
  delimiter: string;
  newline: string;
  /** The number of lines before the text. */
  skippedLines: number;
  /** The number of cells of the header, if there is one. */
  width: number | undefined;
}

export interface CsvFault {
  code: 'unclosed_quote' | 'item_too_large';
  /** From 1. */
  column: number;
}

/** A quoted field with line breaks that is longer has lost its closing quotation mark. */
const MAX_MULTILINE_CHARS = 2 ** 20;
const QUOTE = 0x22;
const CR = 0x0d;
const INCOMPLETE = -1;

export class CsvRecords {
  /** A line with stray quotation marks must have as many cells as the header. */
  readonly #width: number | undefined;
  readonly #delimiter: string;
  readonly #newline: string;
  readonly #maxChars: number;
  #text = '';
  /** The length from which the pending text is scanned again, so that time stays linear. */
  #minLength = 0;
  #line: number;
  /** Within a record that is too large, up to its next line break. */
  #isSkipping = false;
  #records: CsvRecord[] = [];
  #nextQuote = 0;

  constructor(dialect: CsvDialect, maxChars: number) {
    this.#delimiter = dialect.delimiter;
    this.#newline = dialect.newline;
    this.#width = dialect.width;
    this.#line = 1 + dialect.skippedLines;
    this.#maxChars = maxChars;
  }

  /** Returns the records that end in the text so far. */
  push(chunk: string, isLast = false): CsvRecord[] {
    this.#text += chunk;
    if (this.#text.length < this.#minLength && !isLast) return [];
    this.#records = [];
    this.#nextQuote = -2;
    let position = 0;
    while (position < this.#text.length) {
      const next = this.#isSkipping ? this.#skipLine(position) : this.#readRecord(position, isLast);
      if (next === INCOMPLETE) break;
      position = next;
    }
    this.#text = isLast ? '' : this.#text.slice(position);
    this.#minLength = this.#text.length > 2 ** 16 ? 2 * this.#text.length : 0;
    return this.#records;
  }

  #skipLine(position: number): number {
    const end = this.#text.indexOf(this.#newline, position);
    if (end === -1) {
      this.#text = '';
      return INCOMPLETE;
    }
    this.#isSkipping = false;
    this.#line++;
    return end + 1;
  }

  #readRecord(start: number, isLast: boolean): number {
    const text = this.#text;
    const found = text.indexOf(this.#newline, start);
    if (this.#nextQuote !== -1 && this.#nextQuote < start) this.#nextQuote = text.indexOf('"', start);
    const isQuoted = this.#nextQuote !== -1 && (found === -1 || this.#nextQuote < found);
    const end = found === -1 ? text.length : found;
    if (end - start > this.#maxChars) {
      const fault = { code: 'item_too_large', column: 1 } as const;
      this.#records.push({ cells: [], line: this.#line, source: '', fault });
      this.#isSkipping = true;
      return this.#skipLine(start);
    }
    if (isQuoted) return this.#readQuoted(start, end, isLast);
    if (found === -1 && !isLast) return INCOMPLETE;
    return this.#add(this.#split(start, trimCr(text, start, end)), start, end, 1);
  }

  #split(start: number, end: number): string[] {
    return this.#text.slice(start, end).split(this.#delimiter);
  }

  /** `lineEnd` is the first line break, which may be within a quoted field. */
  #readQuoted(start: number, lineEnd: number, isLast: boolean): number {
    const text = this.#text;
    const cells: string[] = [];
    let hasStrayQuote = false;
    let position = start;
    let end = lineEnd;
    for (;;) {
      if (text.charCodeAt(position) === QUOTE) {
        const field = this.#readField(position, isLast);
        if (field === undefined) {
          const isOneLine = lineEnd === text.length;
          if (!isLast && (isOneLine || text.length - lineEnd <= MAX_MULTILINE_CHARS)) return INCOMPLETE;
          return this.#recover(start, lineEnd, position);
        }
        if (field.isStray && field.end > lineEnd) return this.#recover(start, lineEnd, position);
        hasStrayQuote ||= field.isStray;
        cells.push(field.value);
        position = field.end;
        if (position > end) end = this.#findLineEnd(position);
      } else {
        const to = text.indexOf(this.#delimiter, position);
        const last = trimCr(text, position, end);
        const cellEnd = to === -1 || to > end ? last : to;
        cells.push(text.slice(position, cellEnd));
        position = cellEnd;
      }
      if (position >= end || text[position] !== this.#delimiter) break;
      position++;
    }
    if (end === text.length && !isLast) return INCOMPLETE;
    return this.#add(cells, start, end, 1 + this.#countLines(lineEnd, end), hasStrayQuote);
  }

  #findLineEnd(position: number): number {
    const found = this.#text.indexOf(this.#newline, position);
    return found === -1 ? this.#text.length : found;
  }

  /** Undefined if the field does not end in the text so far. */
  #readField(start: number, isLast: boolean): { value: string; end: number; isStray: boolean } | undefined {
    const text = this.#text;
    let value = '';
    let isStray = false;
    let from = start + 1;
    for (;;) {
      const quote = this.#findQuote(from, start + 1);
      if (quote === undefined) return undefined;
      const next = text.charCodeAt(quote + 1);
      if (next === QUOTE) {
        value += text.slice(from, quote + 1);
        from = quote + 2;
        continue;
      }
      if (Number.isNaN(next) && !isLast) return undefined;
      if (this.#isFieldEnd(quote + 1))
        return { value: value + text.slice(from, quote), end: quote + 1, isStray };
      isStray = true;
      value += text.slice(from, quote + 1);
      from = quote + 1;
    }
  }

  #findQuote(from: number, start: number): number | undefined {
    const quote = this.#text.indexOf('"', from);
    if (quote === -1) return undefined;
    if (quote - start <= MAX_MULTILINE_CHARS) return quote;
    // The field is long: that is possible on one line only.
    const newline = this.#text.indexOf(this.#newline, start);
    return newline === -1 || newline > quote ? quote : undefined;
  }

  #isFieldEnd(position: number): boolean {
    const text = this.#text;
    if (position >= text.length) return true;
    const character = text[position]!;
    if (character === this.#delimiter || character === this.#newline) return true;
    if (text.charCodeAt(position) !== CR) return false;
    return position + 1 >= text.length || text[position + 1] === this.#newline;
  }

  /** Takes the quotation marks of one line as text if that gives the expected number of cells. */
  #recover(start: number, lineEnd: number, fieldStart: number): number {
    const cells = this.#split(start, trimCr(this.#text, start, lineEnd));
    if (cells.length === this.#width) return this.#add(cells, start, lineEnd, 1, true);
    const next = this.#add([], start, lineEnd, 1);
    this.#records.at(-1)!.fault = { code: 'unclosed_quote', column: fieldStart - start + 1 };
    return next;
  }

  #countLines(from: number, to: number): number {
    let count = 0;
    for (let i = from; i !== -1 && i < to; i = this.#text.indexOf(this.#newline, i + 1)) count++;
    return count;
  }

  #add(cells: string[], start: number, end: number, lines: number, hasStrayQuote = false): number {
    const next = Math.min(end + 1, this.#text.length);
    const record: CsvRecord = { cells, line: this.#line, source: this.#text.slice(start, next) };
    if (hasStrayQuote) record.hasStrayQuote = true;
    this.#records.push(record);
    this.#line += lines;
    return next;
  }
}

function trimCr(text: string, start: number, end: number): number {
  return end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end;
}
