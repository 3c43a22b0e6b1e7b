/**
 * Text to the words that search compares: the same on every engine because it is done here. Case, accents and an
 * English plural's s make no difference. Writing without spaces between words is taken letter by letter.
 */
const NO_SPACES =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/;
const LONGEST = 64;

export const wordsOf = (text: string): string[] => plainWordsOf(text).map(singular);

/** The same with their endings, for a word of which only the beginning is known. */
export function plainWordsOf(text: string): string[] {
  if (ASCII.test(text)) return (text.toLowerCase().match(ASCII_WORD) ?? []).map(short);
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return (plain.match(WORD) ?? []).flatMap((word) => (NO_SPACES.test(word) ? [...word] : [short(word)]));
}

const short = (word: string) => (word.length > LONGEST ? word.slice(0, LONGEST) : word);

/** Harman's S stemmer: planets and planet, cities and city, but neither glass nor virus lose theirs. */
export function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word;
  if (word.endsWith('ies')) return /[ae]ies$/.test(word) ? word : `${word.slice(0, -3)}y`;
  if (word.endsWith('es')) return /[aeo]es$/.test(word) ? word : word.slice(0, -1);
  return word.endsWith('us') || word.endsWith('ss') ? word : word.slice(0, -1);
}
