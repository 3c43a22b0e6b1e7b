/** Limits the length of pages. Lengths are those of the JSON text in UTF-8. */

/** A page up to this size is read at once. */
export const MAX_WHOLE_PAGE_BYTES = 1024 * 1024;

/** A text with its length. */
export interface Sized {
  text: string;
  bytes: number;
}

export const toSized = (text: string): Sized => ({ text, bytes: Buffer.byteLength(text) });

export const joinTexts = (items: readonly Sized[]) => items.map(({ text }) => text).join(',');

/** The length of items separated by commas. */
export const sumBytes = (items: readonly { bytes: number }[]) =>
  items.reduce((sum, { bytes }) => sum + bytes, Math.max(0, items.length - 1));

/** The items up to the limit in bytes, at least one. */
export function limitBytes<T extends { bytes: number }>(items: T[], maxBytes: number): T[] {
  let sum = 0;
  const end = items.findIndex(({ bytes }, i) => {
    sum += bytes + (i === 0 ? 0 : 1);
    return i > 0 && sum > maxBytes;
  });
  return end < 0 ? items : items.slice(0, end);
}
