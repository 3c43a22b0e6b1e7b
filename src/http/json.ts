/** Bodies as JSON, strictly: what is malformed, ambiguous or unspeakable is refused before anything looks at it. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errors } from '../errors.ts';

const DEEPEST = 32;
/** More than the largest array has; it bounds the work that a hostile body can ask for. */
const MOST_KEYS = 100_000;
/** Bodies above this give other requests a turn between the steps. */
const LARGE = 256 * 1024;

export async function parseJson(body: Buffer): Promise<unknown> {
  // As good as none, whatever Content-Type says; a route that needs one refuses that.
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw errors.malformedText('The body is not valid UTF-8.');
  const large = body.length > LARGE;
  const written = scan(body);
  if (large) await nextTurn();
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw errors.malformedJson(`The body is not valid JSON: ${explain(error as Error)}.`, { cause: error });
  }
  if (large) await nextTurn();
  // Only an escape can bring NUL or half of a surrogate pair into text that is UTF-8 and JSON.
  if (text.includes('\\u')) refuseBadText(value, '');
  if (countKeys(value) !== written) throw errors.malformedJson('The body names a key twice in one object.');
  return value;
}

const [QUOTE, COLON, BACKSLASH] = [34, 58, 92];
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** Counts the keys as written: outside of strings, a colon stands behind a key and nowhere else. Refuses what is too deep. */
function scan(body: Buffer): number {
  let keys = 0;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!;
    if (byte === QUOTE) inString = !inString;
    else if (inString) i += byte === BACKSLASH ? 1 : 0;
    else if (byte === COLON) keys++;
    else if (byte > COLON && OPENING.has(byte) && ++depth > DEEPEST) {
      throw errors.malformedJson(`The body is nested deeper than ${DEEPEST} levels.`);
    } else if (byte > COLON && CLOSING.has(byte)) depth--;
  }
  if (keys > MOST_KEYS) throw errors.malformedJson(`The body has more than ${MOST_KEYS} keys.`);
  return keys;
}

/** Counts the keys as parsed: of two with the same name one is left. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countKeys(item), 0);
  const keys = Object.keys(value);
  let n = keys.length;
  for (const key of keys) n += countKeys((value as Record<string, unknown>)[key]);
  return n;
}

function refuseBadText(value: unknown, at: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw errors.malformedText(`${at || 'The body'} contains NUL.`);
    if (!value.isWellFormed())
      throw errors.malformedText(`${at || 'The body'} contains half of a surrogate pair.`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      refuseBadText(key, 'A key');
      refuseBadText(inner, `${at}/${key}`);
    }
  }
}

/** V8's message without the excerpt of the body: an excerpt could be an answer. */
function explain(error: Error): string {
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message);
  return at ? `it breaks off or goes wrong ${at[0]}` : 'it breaks off or goes wrong';
}
