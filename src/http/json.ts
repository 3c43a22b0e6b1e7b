/**
 * A strict JSON parser for request bodies: beyond JSON.parse, it rejects duplicate keys, deep
 * nesting, NUL and unpaired surrogates. Large bodies are parsed in steps between which the event
 * loop runs.
 */
import { isUtf8 } from 'node:buffer';
import { Ticker } from '../concurrency/ticker.ts';
import { errors } from '../errors.ts';

const MAX_DEPTH = 32;
/** More than the largest valid array needs. Bounds the work for a hostile body. */
const MAX_KEYS = 100_000;

/** How long a large body is processed before the event loop runs. */
export const SLICE_MS = 10;
const SCAN_STEP_BYTES = 512 * 1024;

export async function parseJson(body: Buffer): Promise<unknown> {
  // An empty body counts as absent, whatever the Content-Type.
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw errors.malformedText('The body is not valid UTF-8.');
  const ticker = new Ticker({ sliceMs: SLICE_MS });
  const scan = new KeyScan();
  for (let end = SCAN_STEP_BYTES; scan.position < body.length; end += SCAN_STEP_BYTES) {
    scan.advance(body, Math.min(end, body.length));
    if (ticker.due()) await ticker.yield();
  }
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw errors.malformedJson(`The body is not valid JSON: ${describeSyntaxError(error as Error)}.`, {
      cause: error,
    });
  }
  if (ticker.due()) await ticker.yield();
  // In valid UTF-8 and JSON, only an escape can yield NUL or an unpaired surrogate.
  const escaped = text.includes('\\u');
  let keys = 0;
  const parts = Array.isArray(value) ? value : [value];
  for (let i = 0; i < parts.length; i++) {
    if (escaped) refuseMalformedText(parts[i], parts === value ? `/${i}` : '');
    keys += countKeys(parts[i]);
    if (ticker.due()) await ticker.yield();
  }
  if (keys !== scan.keys) throw errors.malformedJson('The body contains an object with a duplicate key.');
  return value;
}

const [QUOTE, COLON, BACKSLASH] = [34, 58, 92];
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/**
 * Counts the keys as written: outside of strings, each colon follows a key. Rejects deep nesting.
 */
class KeyScan {
  keys = 0;
  /** May exceed the end of a step by one: a backslash skips the next byte. */
  position = 0;
  #depth = 0;
  #inString = false;

  advance(body: Buffer, end: number): void {
    let { keys, position: i } = this;
    let depth = this.#depth;
    let inString = this.#inString;
    for (; i < end; i++) {
      const byte = body[i]!;
      if (byte === QUOTE) inString = !inString;
      else if (inString) i += byte === BACKSLASH ? 1 : 0;
      else if (byte === COLON) keys++;
      else if (byte > COLON && OPENING.has(byte) && ++depth > MAX_DEPTH) {
        throw errors.malformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
      } else if (byte > COLON && CLOSING.has(byte)) depth--;
    }
    if (keys > MAX_KEYS) throw errors.malformedJson(`The body has more than ${MAX_KEYS} keys.`);
    this.keys = keys;
    this.position = i;
    this.#depth = depth;
    this.#inString = inString;
  }
}

/** Counts the keys as parsed: JSON.parse keeps the last of several equal ones. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countKeys(item), 0);
  const keys = Object.keys(value);
  let n = keys.length;
  for (const key of keys) n += countKeys((value as Record<string, unknown>)[key]);
  return n;
}

function refuseMalformedText(value: unknown, pointer: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw errors.malformedText(`${pointer || 'The body'} contains NUL.`);
    if (!value.isWellFormed())
      throw errors.malformedText(`${pointer || 'The body'} contains an unpaired surrogate.`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      refuseMalformedText(key, 'A key');
      refuseMalformedText(inner, `${pointer}/${key}`);
    }
  }
}

/** Keeps only the position of V8's message, whose excerpt of the body could contain an answer. */
function describeSyntaxError(error: Error): string {
  const position = /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message);
  return position ? `syntax error ${position[0]}` : 'syntax error or unexpected end';
}
