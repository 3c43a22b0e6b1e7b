/**
 * Normalises text as it is stored: NFC, trimmed, lines separated by a single newline. Control
 * characters other than newline and tab, and the byte order mark, do not count as white space: they
 * are kept, and the schemas reject them.
 */
import { errors } from '../errors.ts';

const SPACES = new Set([9, 10, 32, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);
const isSpace = (code: number) => SPACES.has(code) || (code >= 0x2000 && code <= 0x200a);
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is matched on purpose
const ASCII = /^[\x00-\x7f]*$/;
/**
 * The limit of Unicode's Stream-Safe Text Format (UAX #15). Normalising sorts each run of combining
 * marks, which takes quadratic time.
 */
const EXCESS_MARKS = /\p{M}{31}/u;

/**
 * Longer text exceeds the maximum of every field and is left as it is: normalising 10 MiB would
 * block the event loop.
 */
const MAX_NORMALIZED_CHARS = 100_000;

export function normalizeText(text: string): string {
  if (text.length > MAX_NORMALIZED_CHARS) return text;
  const lines = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  let start = 0;
  let end = lines.length;
  while (start < end && isSpace(lines.charCodeAt(start))) start++;
  while (end > start && isSpace(lines.charCodeAt(end - 1))) end--;
  const trimmed = lines.slice(start, end);
  if (ASCII.test(trimmed)) return trimmed;
  if (EXCESS_MARKS.test(trimmed)) throw errors.malformedText('A character has more than 30 combining marks.');
  return trimmed.normalize('NFC');
}

/**
 * Normalises every string in a JSON value, in place. Keys are unchanged: unknown ones are reported
 * as sent.
 */
export function normalizeStrings(value: unknown): unknown {
  if (typeof value === 'string') return normalizeText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = normalizeStrings(value[i]);
    return value;
  }
  for (const [key, inner] of Object.entries(value)) {
    // Assigning to an own key `__proto__` would set the prototype.
    if (key !== '__proto__') (value as Record<string, unknown>)[key] = normalizeStrings(inner);
  }
  return value;
}
