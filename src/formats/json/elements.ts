/**
 * Divides a JSON text into the elements of its list of questions as it arrives, without parsing the
 * rest: the array that the text is, or that the object has under one of some names. An object
 * without such an array is one element.
 *
 * An element that does not end is cut at what looks like the beginning of the next one. Several
 * arrays or objects may follow each other.
 */
export interface JsonElement {
  text: string;
  /** Undefined if the text is not valid JSON. */
  value: unknown;
  /** From 1. */
  line: number;
  column: number;
  isTooLarge: boolean;
}

const LIST_NAMES = new Set(['questions', 'results', 'data', 'items', 'quiz']);
const STRUCTURE = /["{}[\]]/g;
const SPACE = /[\s,]*/y;
const NEXT_OBJECT = /\}\s*,\s*(?=\{)|\n[ \t]*(?=\{)/g;
const INCOMPLETE = -1;

export class JsonElements {
  /** Simple members of the object before its list, such as a status. */
  readonly members: Record<string, unknown> = {};
  /** What is wrong with the text outside its elements. */
  fault: 'not_json' | undefined;
  readonly #maxChars: number;
  #state: 'start' | 'object' | 'array' | 'end' = 'start';
  #text = '';
  #minLength = 0;
  #line = 1;
  #column = 1;
  #elements: JsonElement[] = [];
  /** The array is a member of an object, whose other members are not read. */
  #isInner = false;
  /** Where the outer object begins in the text. */
  #objectStart = 0;
  #isOpened = false;
  #isSkipping = false;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  push(chunk: string, isLast = false): JsonElement[] {
    this.#text += chunk;
    this.#elements = [];
    if (this.#text.length < this.#minLength && !isLast) return [];
    this.#objectStart = 0;
    let position = this.#state === 'object' ? 1 : 0;
    let from = 0;
    while (this.#state !== 'end') {
      const next = this.#step(position, isLast);
      if (next === INCOMPLETE) break;
      if (this.#state !== 'object') {
        this.#advance(from, next);
        from = next;
      }
      position = next;
    }
    // An object is kept from its beginning, because it may be a question itself.
    this.#text = this.#state === 'end' ? '' : this.#text.slice(from);
    this.#minLength = this.#text.length > 2 ** 16 ? 2 * this.#text.length : 0;
    if (isLast) this.#end();
    return this.#elements;
  }

  #end(): void {
    if (this.#state === 'object') this.#add(this.#text);
    if (!this.#isOpened) this.fault = 'not_json';
  }

  #add(text: string, isTooLarge = false, value = isTooLarge ? undefined : parseOrUndefined(text)): void {
    const [line, column] = [this.#line, this.#column];
    this.#elements.push({ text: isTooLarge ? '' : text, value, line, column, isTooLarge });
  }

  #advance(from: number, to: number): void {
    const passed = this.#text.slice(from, to);
    const newline = passed.lastIndexOf('\n');
    if (newline === -1) this.#column += passed.length;
    else {
      this.#line += passed.split('\n').length - 1;
      this.#column = passed.length - newline;
    }
  }

  /** Returns where to continue. */
  #step(position: number, isLast: boolean): number {
    SPACE.lastIndex = position;
    const start = position + SPACE.exec(this.#text)![0].length;
    if (start >= this.#text.length) return INCOMPLETE;
    if (this.#state !== 'object' && start > position) return start;
    if (this.#state === 'start') return this.#open(start);
    return this.#state === 'object' ? this.#readMember(start, isLast) : this.#readElement(start, isLast);
  }

  #open(start: number): number {
    const character = this.#text[start];
    if (character === '[' || character === '{') {
      this.#isOpened = true;
      this.#objectStart = start;
      this.#state = character === '[' ? 'array' : 'object';
      return start + 1;
    }
    if (this.#isOpened) this.#add(this.#text.slice(start, start + 1_000));
    this.#state = 'end';
    return start;
  }

  /** The members of the outer object, up to its list. */
  #readMember(start: number, isLast: boolean): number {
    const text = this.#text;
    if (text[start] === '}') {
      this.#add(text.slice(this.#objectStart, start + 1));
      this.#state = 'start';
      return start + 1;
    }
    const nameEnd = text[start] === '"' ? findStringEnd(text, start) : INCOMPLETE;
    const colon = nameEnd === INCOMPLETE ? null : /\s*:\s*/y;
    if (colon) colon.lastIndex = nameEnd;
    const match = colon?.exec(text);
    if (!match) return this.#giveUp(isLast);
    const valueStart = nameEnd + match[0].length;
    if (valueStart >= text.length) return this.#giveUp(isLast);
    const name = text.slice(start + 1, nameEnd - 1);
    if (LIST_NAMES.has(name) && text[valueStart] === '[' && !isListOfTexts(text, valueStart)) {
      this.#state = 'array';
      this.#isInner = true;
      return valueStart + 1;
    }
    const end = findValueEnd(text, valueStart, isLast);
    if (end === INCOMPLETE) return this.#giveUp(isLast);
    if (end - valueStart < 1_000) this.members[name] = parseOrUndefined(text.slice(valueStart, end));
    return end;
  }

  /** The object does not end so far, or never. */
  #giveUp(isLast: boolean): number {
    const text = this.#text.slice(this.#objectStart);
    if (!isLast && text.length <= this.#maxChars) return INCOMPLETE;
    this.#add(text, text.length > this.#maxChars);
    this.#state = 'end';
    return this.#text.length;
  }

  #readElement(start: number, isLast: boolean): number {
    const text = this.#text;
    if (this.#isSkipping) return this.#skip(start);
    if (text[start] === ']') {
      this.#state = this.#isInner ? 'end' : 'start';
      return start + 1;
    }
    if (text[start] === '}') {
      this.#add('}');
      return start + 1;
    }
    const end = findValueEnd(text, start, isLast);
    const isTooLarge = (end === INCOMPLETE ? text.length : end) - start > this.#maxChars;
    if (end === INCOMPLETE && !isLast && !isTooLarge) return INCOMPLETE;
    const element = text.slice(start, end === INCOMPLETE ? text.length : end);
    const value = isTooLarge ? undefined : parseOrUndefined(element);
    const cut =
      value !== undefined || (isTooLarge && end !== INCOMPLETE) ? INCOMPLETE : findNextObject(element);
    if (cut !== INCOMPLETE) {
      this.#add(element.slice(0, cut).replace(/[\s,]+$/, ''));
      return start + cut;
    }
    this.#add(element, isTooLarge, value);
    this.#isSkipping = end === INCOMPLETE;
    return start + element.length;
  }

  /** Within an element that is too large, up to what looks like the next one. */
  #skip(start: number): number {
    const next = findNextObject(this.#text.slice(start));
    if (next === INCOMPLETE) return this.#text.length;
    this.#isSkipping = false;
    return start + next;
  }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The end of the text of a bad element: the beginning of the next object. */
function findNextObject(text: string): number {
  NEXT_OBJECT.lastIndex = 1;
  const match = NEXT_OBJECT.exec(text);
  return match ? match.index + match[0].length : INCOMPLETE;
}

const isListOfTexts = (text: string, start: number) => /^\[\s*"/.test(text.slice(start, start + 100));

function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return INCOMPLETE;
}

function findValueEnd(text: string, start: number, isLast: boolean): number {
  const first = text[start]!;
  if (first === '"') return findStringEnd(text, start);
  if (first !== '{' && first !== '[') {
    const end = text.slice(start, start + 1_000).search(/[\s,\]}]/);
    return end !== -1 ? start + Math.max(1, end) : isLast ? text.length : INCOMPLETE;
  }
  let depth = 0;
  STRUCTURE.lastIndex = start;
  for (let match = STRUCTURE.exec(text); match; match = STRUCTURE.exec(text)) {
    const character = match[0];
    if (character === '"') {
      const end = findStringEnd(text, match.index);
      if (end === INCOMPLETE) return INCOMPLETE;
      STRUCTURE.lastIndex = end;
    } else if (character === '{' || character === '[') depth++;
    else if (--depth === 0) return match.index + 1;
  }
  return INCOMPLETE;
}
