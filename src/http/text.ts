/**
 * Text as it is stored: NFC, no space at the ends, lines that end in a newline alone. A byte order mark is no
 * space here, whatever JavaScript's trim thinks.
 */
const ENDS = /^\p{White_Space}+|\p{White_Space}+$/gu;
const EDGE = /^\p{White_Space}|\p{White_Space}$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;

function tidyText(text: string): string {
  const lines = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  const trimmed = EDGE.test(lines) ? lines.replace(ENDS, '') : lines;
  return ASCII.test(trimmed) ? trimmed : trimmed.normalize('NFC');
}

/** Tidies every string in a JSON value. Keys stay: an unknown one is refused as it was sent. */
export function tidy(value: unknown): unknown {
  if (typeof value === 'string') return tidyText(value);
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, inner] of Object.entries(value)) {
    // `__proto__` as a key of its own stays one: assignment would set the prototype.
    if (key !== '__proto__') (value as Record<string, unknown>)[key] = tidy(inner);
  }
  return value;
}
