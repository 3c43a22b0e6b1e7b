/**
 * Cuts a stream of XML into the elements of one name, without parsing them, so that an element that
 * is not well-formed does not hinder the others. Comments and CDATA sections are skipped unless they
 * are not closed. Memory is bounded by the largest element that is kept.
 */
import { ByteWindow } from './byte-window.ts';

export interface ScannedElement {
  kind: 'element';
  bytes: Buffer;
  line: number;
  column: number;
  /** `unclosed`: the end of the file or the next element comes before the end tag. */
  state: 'complete' | 'unclosed' | 'too_large';
}
/** What is before, between and after the elements. */
interface ScannedRest {
  kind: 'rest';
  bytes: Buffer;
  line: number;
  /** No element follows. */
  isLast: boolean;
}
export type Scanned = ScannedElement | ScannedRest;

const COMMENT = '<!--';
const CDATA = '<![CDATA[';
/** Rests are kept up to this size. */
const MAX_REST_BYTES = 1_000_000;

export async function* scanElements(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number,
  /** An element may have elements of the same name. */
  nests = false,
): AsyncGenerator<Scanned> {
  const window = new ByteWindow(chunks);
  const start = `<${name}`;
  const end = `</${name}`;
  try {
    let restLine = window.line;
    let rest = Buffer.alloc(0);
    /** Moves to the offset, and keeps what is before it as a rest. */
    const keepRest = (to: number) => {
      if (to <= window.start) return;
      if (rest.length < MAX_REST_BYTES) rest = Buffer.concat([rest, window.slice(window.start, to)]);
      window.consume(to);
    };
    for (;;) {
      const found = await findNext(window, [start, COMMENT, CDATA], window.start, maxBytes, keepRest);
      if (found === undefined) break;
      keepRest(found.at);
      if (found.pattern !== start) {
        keepRest(await findSectionEnd(window, found, end, maxBytes));
        continue;
      }
      if (rest.length > 0) yield { kind: 'rest', bytes: rest, line: restLine, isLast: false };
      rest = Buffer.alloc(0);
      yield await cutElement(window, start, end, maxBytes, nests);
      restLine = window.line;
    }
    keepRest(window.end);
    yield { kind: 'rest', bytes: rest, line: restLine, isLast: true };
  } finally {
    await window.close();
  }
}

interface Found {
  pattern: string;
  at: number;
}

/** Reads until one of the patterns is found; names have to end where the pattern ends. */
async function findNext(
  window: ByteWindow,
  patterns: readonly string[],
  from: number,
  maxBytes: number,
  discard?: (to: number) => void,
): Promise<Found | undefined> {
  let after = from;
  for (;;) {
    let first: Found | undefined;
    for (const pattern of patterns) {
      const at = findPattern(window, pattern, after);
      if (at >= 0 && (first === undefined || at < first.at)) first = { pattern, at };
    }
    if (first) return first;
    // What is searched already is not kept, except for the beginning of a pattern at its end.
    const searched = window.end - CDATA.length - maxNameBytes(patterns);
    if (discard && searched > window.start) {
      discard(searched);
      after = searched;
    }
    if (window.end - window.start > maxBytes) return undefined;
    if (!(await window.fill())) return undefined;
  }
}

const maxNameBytes = (patterns: readonly string[]) => Math.max(...patterns.map(({ length }) => length)) + 1;

function findPattern(window: ByteWindow, pattern: string, from: number): number {
  let at = window.indexOf(pattern, from);
  if (!pattern.startsWith('<') || pattern.startsWith('<!')) return at;
  while (at >= 0) {
    const next = at + pattern.length;
    if (next >= window.end) return window.isComplete ? at : -1;
    if (isNameEnd(window.byteAt(next))) return at;
    at = window.indexOf(pattern, next);
  }
  return -1;
}

const isNameEnd = (byte: number) => byte === 0x3e || byte === 0x2f || byte <= 0x20;

/**
 * The offset behind a comment or a CDATA section. One that is not closed, or not before the end of the
 * element, is taken for text: the offset behind its opening.
 */
async function findSectionEnd(window: ByteWindow, { pattern, at }: Found, end: string, maxBytes: number) {
  const inside = at + pattern.length;
  const closing = pattern === CDATA ? ']]>' : '-->';
  const found = await findNext(window, [closing], inside, maxBytes + (at - window.start));
  if (!found) return inside;
  const spans = (text: string) => {
    const index = window.indexOf(text, inside);
    return index >= 0 && index < found.at;
  };
  if (spans(pattern) && spans(`${end}>`)) return inside;
  return found.at + closing.length;
}

async function cutElement(
  window: ByteWindow,
  start: string,
  end: string,
  maxBytes: number,
  nests: boolean,
): Promise<ScannedElement> {
  const { start: begin, line, column } = window;
  const finish = (to: number, state: ScannedElement['state']): ScannedElement => {
    const bytes = state === 'too_large' ? Buffer.alloc(0) : Buffer.from(window.slice(begin, to));
    window.consume(to);
    return { kind: 'element', bytes, line, column, state };
  };
  let from = begin + start.length;
  const tag = await findTagEnd(window, from, maxBytes);
  if (tag?.isEmpty) return finish(tag.to, 'complete');
  let depth = 1;
  for (;;) {
    const found = await findNext(window, [end, start, CDATA, COMMENT], from, maxBytes);
    if (!found || found.at - begin > maxBytes) {
      if (window.end - begin > maxBytes) return await skipElement(window, start, end, finish);
      return finish(window.end, 'unclosed');
    }
    if (found.pattern === start && !nests) return finish(found.at, 'unclosed');
    if (found.pattern === start) {
      from = found.at + start.length;
      if (!(await findTagEnd(window, from, maxBytes))?.isEmpty) depth++;
    } else if (found.pattern === end && --depth > 0) from = found.at + end.length;
    else if (found.pattern === end) {
      const close = await findNext(window, ['>'], found.at, maxBytes + end.length);
      return close ? finish(close.at + 1, 'complete') : finish(window.end, 'unclosed');
    } else from = await findSectionEnd(window, found, end, maxBytes);
  }
}

/** Moves behind an element that is too large, without keeping it. */
async function skipElement(
  window: ByteWindow,
  start: string,
  end: string,
  finish: (to: number, state: 'too_large') => ScannedElement,
) {
  const element = finish(window.end - Math.min(window.end - window.start, end.length + 1), 'too_large');
  const found = await findNext(window, [start, end], window.start, Infinity, (to) => window.consume(to));
  if (!found) window.consume(window.end);
  else if (found.pattern === start) window.consume(found.at);
  else {
    window.consume(found.at);
    const close = await findNext(window, ['>'], found.at, Infinity, (to) => window.consume(to));
    window.consume(close ? close.at + 1 : window.end);
  }
  return element;
}

/** The end of a start tag, whose attributes may have a `>`. */
async function findTagEnd(window: ByteWindow, from: number, maxBytes: number) {
  let quote = 0;
  for (let at = from; at - from < maxBytes; at++) {
    if (at >= window.end && !(await window.fill())) return undefined;
    const byte = window.byteAt(at);
    if (quote !== 0) {
      if (byte === quote) quote = 0;
    } else if (byte === 0x22 || byte === 0x27) quote = byte;
    else if (byte === 0x3e) return { to: at + 1, isEmpty: window.byteAt(at - 1) === 0x2f };
    else if (byte === 0x3c) return undefined;
  }
  return undefined;
}
