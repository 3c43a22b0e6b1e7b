/**
 * Divides a GIFT file into questions. A blank line ends a question, except within braces where no
 * other question begins after it: authors leave blank lines between answers. A line that begins
 * with a name ends a question that has its answers, because authors forget blank lines, too.
 */
import type { TextLine } from '../text/lines.ts';

export interface GiftBlock {
  /** Comments, as they are in the file. */
  comments: string[];
  /** Lines without comments, which are empty here, so that positions stay right. */
  lines: string[];
  /** The line of the first element of `lines`. */
  line: number;
  source: string;
  hasBlankLine: boolean;
  /** Another question precedes it without a blank line. */
  isAttached: boolean;
  isTooLarge: boolean;
}

interface Line {
  text: string;
  source: string;
  line: number;
}

const NAMED = /^\s*(?:::|\$CATEGORY:)/;
const STARTS_QUESTION = /^\s*(?:::|\/\/|\$CATEGORY:)/;
const UNESCAPED_OPEN = /(?<!\\)(?:\\\\)*\{/;

export class GiftBlocks {
  readonly #maxChars: number;
  #lines: Line[] = [];
  /** The number of lines before the blank lines that may end the block. */
  #end: number | undefined;
  #depth = 0;
  #size = 0;
  #hasBlankLine = false;
  #hasAnswers = false;
  #isAttached = false;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Returns the blocks that the line ends. */
  push({ text, source, line, isTooLarge }: TextLine): GiftBlock[] {
    if (isTooLarge) return [...this.flush(), tooLarge(line)];
    const ended: GiftBlock[] = [];
    if (text.trim() === '') {
      if (this.#lines.length === 0) return [];
      if (this.#depth === 0) return this.flush();
      this.#end ??= this.#lines.length;
    } else if (this.#end !== undefined) {
      if (STARTS_QUESTION.test(text) || UNESCAPED_OPEN.test(text)) ended.push(...this.#cut());
      else {
        this.#end = undefined;
        this.#hasBlankLine = true;
      }
    } else if (this.#hasAnswers && this.#depth === 0 && NAMED.test(text)) ended.push(...this.#detach());
    this.#lines.push({ text, source, line });
    this.#size += source.length;
    if (!isComment(text)) {
      this.#depth = Math.max(0, this.#depth + countBraces(text));
      this.#hasAnswers ||= text.includes('}');
    }
    if (this.#size <= this.#maxChars) return ended;
    const start = this.#lines[0]!.line;
    this.#reset();
    return [...ended, tooLarge(start)];
  }

  flush(): GiftBlock[] {
    const block = this.#build(this.#lines);
    this.#reset();
    return block;
  }

  /** Ends the block before its blank lines, because another question begins. */
  #cut(): GiftBlock[] {
    const block = this.#build(this.#lines.slice(0, this.#end));
    this.#reset();
    return block;
  }

  /** Ends the block where the next question begins: with its comments. */
  #detach(): GiftBlock[] {
    const last = this.#lines.findLastIndex(({ text }) => !isComment(text));
    const comments = this.#lines.slice(last + 1);
    const block = this.#build(this.#lines.slice(0, last + 1));
    this.#reset();
    this.#lines = comments;
    this.#isAttached = true;
    return block;
  }

  #reset(): void {
    this.#lines = [];
    this.#end = undefined;
    this.#depth = 0;
    this.#size = 0;
    this.#hasBlankLine = false;
    this.#hasAnswers = false;
    this.#isAttached = false;
  }

  #build(lines: Line[]): GiftBlock[] {
    if (lines.every(({ text }) => text.trim() === '' || isComment(text))) return [];
    return [
      {
        comments: lines.filter(({ text }) => isComment(text)).map(({ text }) => text),
        lines: lines.map(({ text }) => (isComment(text) ? '' : text)),
        line: lines[0]!.line,
        source: lines.map(({ source }) => source).join(''),
        hasBlankLine: this.#hasBlankLine,
        isAttached: this.#isAttached,
        isTooLarge: false,
      },
    ];
  }
}

const isComment = (text: string) => text.trimStart().startsWith('//');

const tooLarge = (line: number): GiftBlock => ({
  ...{ comments: [], lines: [], line, source: '', hasBlankLine: false, isAttached: false },
  isTooLarge: true,
});

function countBraces(text: string): number {
  let depth = 0;
  for (const [match] of text.matchAll(/\\.|[{}]/g)) {
    if (match === '{') depth++;
    else if (match === '}') depth--;
  }
  return depth;
}
