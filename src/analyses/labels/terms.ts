/**
 * Extracts the features of a text: words, word bigrams and word prefixes. Prefixes relate inflected
 * and derived forms such as "gland", "glands" and "glandular".
 */
import { splitWords, UNSPACED_SCRIPT } from '../shared/words.ts';

export interface Token {
  /** As written. */
  text: string;
  key: string;
}

/**
 * In characters. On 5,250 trivia questions, both found planted errors better than either one, and
 * than suffixes.
 */
const PREFIX_CHARS = [4, 6];

/** Splits a text into words, and words of unspaced scripts into character bigrams. */
export function tokenize(text: string): Token[] {
  const words = splitWords(text);
  return UNSPACED_SCRIPT.test(text) ? words.flatMap(splitBigrams) : words;
}

function splitBigrams(word: Token): Token[] {
  if (!UNSPACED_SCRIPT.test(word.key)) return [word];
  const characters = [...word.key];
  return Array.from({ length: Math.max(1, characters.length - 1) }, (_, i) => {
    const bigram = characters.slice(i, i + 2).join('');
    return { text: bigram, key: bigram };
  });
}

/** The word and its prefixes. A mark distinguishes a prefix from a word with the same letters. */
export function extractTokenTerms({ key }: Token): string[] {
  const terms = [key];
  for (const length of PREFIX_CHARS) if (key.length > length) terms.push(`^${key.slice(0, length)}`);
  return terms;
}

export const toBigram = (first: Token, second: Token): string => `${first.key} ${second.key}`;

/** The terms of a question. Options are mostly names, so they have no bigrams. */
export function extractTerms(question: readonly Token[], options: readonly Token[]): string[] {
  const terms: string[] = [];
  for (const [i, token] of question.entries()) {
    terms.push(...extractTokenTerms(token));
    if (i > 0) terms.push(toBigram(question[i - 1]!, token));
  }
  for (const token of options) terms.push(...extractTokenTerms(token));
  return terms;
}
