/** Recognizes texts that say nothing without their options or a picture: "Name the composer." */
import { isContentWord } from './content-words.ts';
import type { Token } from './tokens.ts';

const DEMONSTRATIVES = new Set(
  'this these those following above below here shown pictured depicted'.split(' '),
);
const DETERMINERS = new Set([...DEMONSTRATIVES, 'the', 'which', 'what', 'name']);
/** More content words make a question, even beside a demonstrative. */
const MAX_WORDS_WITH_DEMONSTRATIVE = 2;

/**
 * Whether questions with this text have nothing in common: no name, no number, and hardly a word
 * beyond the kind of the answer.
 */
export function isGenericText(tokens: readonly Token[]): boolean {
  const content = tokens.filter((token) => isContentWord(token) && !DEMONSTRATIVES.has(token.key));
  if (content.length === 0) return true;
  if (content.length > MAX_WORDS_WITH_DEMONSTRATIVE) return false;
  if (content.some(({ kind, name }) => kind === 'number' || name === true)) return false;
  if (tokens.some(({ key }) => DEMONSTRATIVES.has(key))) return true;
  const before = tokens[tokens.indexOf(content[0]!) - 1];
  return content.length === 1 && before !== undefined && DETERMINERS.has(before.key);
}
