/**
 * Removes the markup of a Markdown text, for analyses that read words. Covers CommonMark without
 * indented code, tables, and mathematics in dollar signs. Takes time in proportion to the text, also
 * where brackets, backticks or asterisks do not match.
 */
import { BLOCK_MARK, stripBlocks } from './markup-blocks.ts';

/** What becomes of code and formulas. */
export type Literals = 'keep' | 'replace';

type ShowLiteral = (content: string, kind: keyof typeof NAMES) => string;

const NAMES = { code: 'code', formula: 'formula' };

/**
 * With `replace`, code and formulas become the words “code” and “formula”, for analyses that judge
 * language.
 */
export function stripMarkup(markdown: string, literals: Literals = 'keep'): string {
  const show: ShowLiteral = (content, kind) => (literals === 'keep' ? content.trim() : NAMES[kind]);
  const { text, blocks } = stripBlocks(markdown);
  const stripped = new InlineParser(text, show).parse();
  let next = 0;
  return stripped
    .replaceAll(BLOCK_MARK, () => show(blocks[next++] ?? '', 'code'))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Characters that begin nothing else. */
const PLAIN = /[^\\`$![\]<*_~]+/y;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const TAG = /<(?:[a-z][a-z0-9+.-]{1,31}:[^\s<>]{1,2000}|\/?[a-z][^<>]{0,200}|!--[^<>]{0,200}--)>/iy;

/** A run of `*`, `_` or `~`. */
interface Delimiter {
  char: string;
  remaining: number;
  canOpen: boolean;
  canClose: boolean;
}

class InlineParser {
  readonly #text: string;
  readonly #show: ShowLiteral;
  /** The index of the bracket that closes the one at this index. */
  readonly #closing: Map<number, number>;
  /** By length: the starts of the runs of backticks, ascending. */
  readonly #backticks: Map<number, number[]>;
  /** From this index on: the next dollar sign, if it may close a formula, and the next two. */
  readonly #dollars: { single: Int32Array; double: Int32Array };
  readonly #paragraphEnds: number[];
  /** Where to continue after the end of a link's text. */
  readonly #afterLinkText = new Map<number, number>();
  readonly #pieces: (string | Delimiter)[] = [];
  #paragraph = 0;

  constructor(text: string, show: ShowLiteral) {
    this.#text = text;
    this.#show = show;
    this.#closing = matchBrackets(text);
    this.#backticks = findBackticks(text);
    this.#dollars = findClosingDollars(text);
    this.#paragraphEnds = [...text.matchAll(/\n\n/g)].map(({ index }) => index);
  }

  parse(): string {
    for (let i = 0; i < this.#text.length; ) i = this.#step(i);
    resolveDelimiters(this.#pieces);
    return this.#pieces
      .map((piece) => (typeof piece === 'string' ? piece : piece.char.repeat(piece.remaining)))
      .join('');
  }

  /** Reads what begins at an index; returns where it ends. */
  #step(i: number): number {
    const text = this.#text;
    const char = text[i]!;
    switch (char) {
      case '\\':
        if (!ESCAPABLE.test(text[i + 1] ?? '')) return this.#emit(char, i + 1);
        return this.#emit(text[i + 1]!, i + 2);
      case '`':
        return this.#readCode(i);
      case '$':
        return this.#readFormula(i);
      case '!':
        if (text[i + 1] === '[' && this.#openLink(i + 1)) return i + 2;
        return this.#emit(char, i + 1);
      case '[':
        return this.#openLink(i) ? i + 1 : this.#emit(char, i + 1);
      case ']':
        return this.#afterLinkText.get(i) ?? this.#emit(char, i + 1);
      case '<':
        return this.#readTag(i);
      case '*':
      case '_':
      case '~':
        return this.#readDelimiter(i);
      default: {
        PLAIN.lastIndex = i;
        return this.#emit(PLAIN.exec(text)![0], PLAIN.lastIndex);
      }
    }
  }

  #emit(piece: string | Delimiter, next: number): number {
    this.#pieces.push(piece);
    return next;
  }

  #readCode(i: number): number {
    const length = countRun(this.#text, i);
    const starts = this.#backticks.get(length)!;
    const close = starts[findAbove(starts, i)];
    if (close === undefined) return this.#emit('`'.repeat(length), i + length);
    return this.#emit(this.#show(this.#text.slice(i + length, close), 'code'), close + length);
  }

  #readFormula(i: number): number {
    const text = this.#text;
    const isDouble = text[i + 1] === '$';
    const start = i + (isDouble ? 2 : 1);
    const close = (isDouble ? this.#dollars.double : this.#dollars.single)[start] ?? -1;
    const opens = start < text.length && (isDouble || !/\s/.test(text[start]!));
    if (!opens || close <= start || close > this.#endOfParagraph(i))
      return this.#emit(text.slice(i, start), start);
    const end = close + (isDouble ? 2 : 1);
    return this.#emit(this.#show(text.slice(start, close), 'formula'), end);
  }

  #endOfParagraph(i: number): number {
    while (this.#paragraphEnds[this.#paragraph]! < i) this.#paragraph++;
    return this.#paragraphEnds[this.#paragraph] ?? this.#text.length;
  }

  /** Whether the bracket begins a link with a destination. Its text is read like any other. */
  #openLink(i: number): boolean {
    const close = this.#closing.get(i);
    const next = close === undefined ? undefined : this.#text[close + 1];
    if (next !== '(' && next !== '[') return false;
    const end = this.#closing.get(close! + 1);
    if (end === undefined) return false;
    this.#afterLinkText.set(close!, end + 1);
    return true;
  }

  #readTag(i: number): number {
    TAG.lastIndex = i;
    const match = TAG.exec(this.#text);
    if (!match) return this.#emit('<', i + 1);
    const isAddress = /^<[a-z][a-z0-9+.-]+:/i.test(match[0]);
    return this.#emit(isAddress ? match[0].slice(1, -1) : '', TAG.lastIndex);
  }

  #readDelimiter(i: number): number {
    const text = this.#text;
    const char = text[i]!;
    const length = countRun(text, i);
    const [before, after] = [text[i - 1] ?? ' ', text[i + length] ?? ' '];
    const canOpen = !/\s/.test(after) && !(char === '_' && isWordCharacter(before));
    const canClose = !/\s/.test(before) && !(char === '_' && isWordCharacter(after));
    if (char === '~' && length !== 2) return this.#emit(text.slice(i, i + length), i + length);
    return this.#emit({ char, remaining: length, canOpen, canClose }, i + length);
  }
}

const isWordCharacter = (char: string) => /[\p{L}\p{N}]/u.test(char);

function countRun(text: string, start: number): number {
  let end = start;
  while (text[end] === text[start]) end++;
  return end - start;
}

/** The index of the first value above a limit in an ascending list. */
function findAbove(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Matches brackets and parentheses, each kind by itself. */
function matchBrackets(text: string): Map<number, number> {
  const closing = new Map<number, number>();
  const open: Record<string, number[]> = { ']': [], ')': [] };
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '\\') i++;
    else if (char === '[') open[']']!.push(i);
    else if (char === '(') open[')']!.push(i);
    else if (char === ']' || char === ')') {
      const start = open[char]!.pop();
      if (start !== undefined) closing.set(start, i);
    }
  }
  return closing;
}

function findBackticks(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g))
    runs.getOrInsertComputed(run.length, () => []).push(index);
  return runs;
}

/** A closing dollar sign follows a character other than a space, and no digit follows it. */
function findClosingDollars(text: string) {
  const single = new Int32Array(text.length + 1).fill(-1);
  const double = new Int32Array(text.length + 1).fill(-1);
  for (let i = text.length - 1; i >= 0; i--) {
    single[i] = single[i + 1]!;
    double[i] = double[i + 1]!;
    if (text[i] !== '$' || text[i - 1] === '\\') continue;
    const closes = i > 0 && !/\s/.test(text[i - 1]!) && !/\d/.test(text[i + 1] ?? '');
    single[i] = closes ? i : -1;
    if (text[i + 1] === '$') double[i] = i;
  }
  return { single, double };
}

/** Removes the delimiters of emphasis that match. Each is opened and closed once. */
function resolveDelimiters(pieces: (string | Delimiter)[]): void {
  const open: Record<string, Delimiter[]> = { '*': [], _: [], '~': [] };
  for (const piece of pieces) {
    if (typeof piece === 'string') continue;
    const stack = open[piece.char]!;
    for (let top = stack.at(-1); piece.canClose && piece.remaining > 0 && top; top = stack.at(-1)) {
      const matched = Math.min(piece.remaining, top.remaining);
      piece.remaining -= matched;
      top.remaining -= matched;
      if (top.remaining === 0) stack.pop();
    }
    if (piece.canOpen && piece.remaining > 0) stack.push(piece);
  }
}
