/** Text cut into words, with their places: what the analyses that compare and read texts have in common. */

export interface Word {
  /** As it is written. */
  text: string;
  /** In lower case, accents and all, with a straight apostrophe. */
  key: string;
  start: number;
  end: number;
}

/** Letters and digits, and what stands between them within a word or number: don't, 3.14, 1,000, x-ray stays two words. */
const WORD = /\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    const key = word.toLowerCase().replaceAll('’', "'");
    words.push({ text: word, key, start: match.index, end: match.index + word.length });
  }
  return words;
}
