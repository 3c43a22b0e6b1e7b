/** Bodies as JSON, strictly: what is malformed, ambiguous or unspeakable is refused before anything looks at it. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errors } from '../errors.ts';

const DEEPEST = 32;
/** Bodies above this give other requests a turn between the steps. */
const LARGE = 256 * 1024;

export async function parseJson(body: Buffer): Promise<unknown> {
  if (body.length === 0) throw errors.malformedJson('The body is empty; JSON is expected.');
  if (!isUtf8(body)) throw errors.malformedText('The body is not valid UTF-8.');
  const large = body.length > LARGE;
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw errors.malformedJson(`The body is not valid JSON: ${explain(error as Error)}.`, { cause: error });
  }
  if (large) await nextTurn();
  const counted = countKeys(value, 1, '');
  if (large) await nextTurn();
  if (counted !== keysWritten(text)) throw errors.malformedJson('The body names a key twice in one object.');
  return value;
}

/** V8's message without the excerpt of the body: an excerpt could be an answer. */
function explain(error: Error): string {
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message);
  return at ? `it breaks off or goes wrong ${at[0]}` : 'it breaks off or goes wrong';
}

/** Counts the keys of all objects, and refuses what is too deep or not text on the way. */
function countKeys(value: unknown, depth: number, at: string): number {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw errors.malformedText(`${at || 'The body'} contains NUL.`);
    if (!value.isWellFormed())
      throw errors.malformedText(`${at || 'The body'} contains half of a surrogate pair.`);
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > DEEPEST) throw errors.malformedJson(`The body is nested deeper than ${DEEPEST} levels.`);
  let n = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) n += countKeys(value[i], depth + 1, `${at}/${i}`);
    return n;
  }
  for (const key of Object.keys(value)) {
    countKeys(key, depth, 'A key');
    n += 1 + countKeys((value as Record<string, unknown>)[key], depth + 1, `${at}/${key}`);
  }
  return n;
}

/** Counts keys in text that is known to be JSON: a key is a string with a colon behind it. */
function keysWritten(text: string): number {
  let n = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = closingQuote(text, at) + 1;
    let next = at;
    while (text.charCodeAt(next) <= 32) next++;
    if (text.charCodeAt(next) === 58) n++;
  }
  return n;
}

function closingQuote(text: string, opening: number): number {
  let at = opening;
  do {
    at = text.indexOf('"', at + 1);
  } while (escaped(text, at));
  return at;
}

function escaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 92) backslashes++;
  return backslashes % 2 === 1;
}
