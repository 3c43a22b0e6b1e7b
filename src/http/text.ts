/**
 * Text as it is stored: NFC, no space at the ends, lines that end in a newline alone. Control characters are no space
 * here, newline and tab excepted: they are refused wherever they stand. Nor is a byte order mark.
 */
import { errors } from '../errors.ts';

const SPACES = new Set([9, 10, 32, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);
const isSpace = (code: number) => SPACES.has(code) || (code >= 0x2000 && code <= 0x200a);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;
/** Unicode's limit for text that can be normalised piece by piece. Sorting a longer run takes the square of its length. */
const TOO_MANY_MARKS = /\p{M}{31}/u;

export function tidyText(text: string): string {
  const lines = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  let start = 0;
  let end = lines.length;
  while (start < end && isSpace(lines.charCodeAt(start))) start++;
  while (end > start && isSpace(lines.charCodeAt(end - 1))) end--;
  const trimmed = lines.slice(start, end);
  if (ASCII.test(trimmed)) return trimmed;
  if (TOO_MANY_MARKS.test(trimmed))
    throw errors.malformedText('More than 30 combining marks stand on one letter.');
  return trimmed.normalize('NFC');
}

/** Tidies every string in a JSON value, in place. Keys stay: an unknown one is refused as it was sent. */
export function tidy(value: unknown): unknown {
  if (typeof value === 'string') return tidyText(value);
  if (Array.isArray(value)) return tidyItems(value, 0, value.length);
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, inner] of Object.entries(value)) {
    // `__proto__` as a key of its own stays one: assignment would set the prototype.
    if (key !== '__proto__') (value as Record<string, unknown>)[key] = tidy(inner);
  }
  return value;
}

/** The same for some of the items of an array. */
export function tidyItems(items: unknown[], from: number, to: number): unknown[] {
  for (let i = from; i < to; i++) items[i] = tidy(items[i]);
  return items;
}
