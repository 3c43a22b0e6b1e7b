/** Reads the strings of stored JSON members of which only the beginning was fetched. */

/** The strings of JSON members, by key. */
export type Members = Map<string, string[]>;

const JSON_STRING = /"([^"\\]*(?:\\.[^"\\]*)*)("?)/gs;
const INCOMPLETE_ESCAPE = /\\u.{0,3}$/s;

/**
 * Parses the strings of JSON members, whose text may end anywhere, by key. A member's value is a
 * string or an array of strings; others are left out.
 */
export function parseMembers(text: string): Members {
  const members: Members = new Map();
  let values: string[] = [];
  for (const { 0: match, 1: escaped = '', 2: end, index } of text.matchAll(JSON_STRING)) {
    const isKey = text[index + match.length] === ':';
    if (isKey) {
      values = [];
      members.set(escaped, values);
    } else values.push(decode(end ? escaped : escaped.replace(INCOMPLETE_ESCAPE, '')));
  }
  return members;
}

function decode(escaped: string): string {
  if (!escaped.includes('\\')) return escaped;
  try {
    return JSON.parse(`"${escaped}"`);
  } catch {
    // The question is damaged, which is reported when it is read.
    return '';
  }
}
