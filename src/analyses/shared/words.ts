/** Splits text into words with their spans, for the analyses that compare or read texts. */

export interface Word {
  /** As written. */
  text: string;
  /** In lower case with a straight apostrophe. Accents stay. */
  key: string;
  /** The span in the text: `end` is exclusive. */
  start: number;
  end: number;
}

/**
 * A number with its separators (3.14, 1,000), or letters with apostrophes inside (don't). A hyphen
 * separates words.
 */
const WORD = /\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;

/** Scripts written without spaces between words. */
export const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    const key = word.toLowerCase().replaceAll('’', "'");
    words.push({ text: word, key, start: match.index, end: match.index + word.length });
  }
  return words;
}
