/**
 * Tokenizes text for search. Done here rather than by the engines, so that both find the same.
 * Case, diacritics and the English plural s are folded. Scripts without spaces between words are
 * indexed character by character.
 */
const NO_SPACES =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;
const MAX_WORD_CHARS = 64;

/** Whether a word is a character of a script without spaces. */
export const isCharacterWord = (word: string): boolean => NO_SPACES.test(word);

export const tokenize = (text: string): string[] => tokenizeUnstemmed(text).map(stem);

/** Words without stemming, for prefix search. */
export function tokenizeUnstemmed(text: string): string[] {
  if (ASCII.test(text)) return (text.toLowerCase().match(ASCII_WORD) ?? []).map(truncate);
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return (plain.match(WORD) ?? []).flatMap((word) => (NO_SPACES.test(word) ? [...word] : [truncate(word)]));
}

const truncate = (word: string) => (word.length > MAX_WORD_CHARS ? word.slice(0, MAX_WORD_CHARS) : word);

/** Harman's S stemmer (1991): planets → planet, cities → city; glass and virus stay. */
export function stem(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word;
  if (word.endsWith('ies')) return /[ae]ies$/.test(word) ? word : `${word.slice(0, -3)}y`;
  if (word.endsWith('es')) return /[aeo]es$/.test(word) ? word : word.slice(0, -1);
  return word.endsWith('us') || word.endsWith('ss') ? word : word.slice(0, -1);
}
