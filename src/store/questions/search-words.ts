/** The words of a search text, and the terms of the full-text index that they match. */
import type { Fault } from '../../errors.ts';
import type { View } from '../view.ts';
import { term } from './facets.ts';
import { isCharacterWord, stem, tokenizeUnstemmed } from './words.ts';

export interface SearchWord {
  word: string;
  isPrefix: boolean;
}

const MAX_SEARCH_WORDS = 16;
/** A prefix reads the entries of all words that start with it. */
const MAX_PREFIXES = 4;
const MIN_PREFIX_CHARS = 2;

/** The different words of a search text. */
export function parseSearch(q: string): SearchWord[] {
  const found = new Map<string, SearchWord>();
  for (const piece of q.split(/\s+/u)) {
    const words = tokenizeUnstemmed(piece);
    for (const [i, word] of words.entries()) {
      const isPrefix = piece.endsWith('*') && i === words.length - 1 && !isCharacterWord(word);
      found.set(`${word} ${isPrefix}`, { word, isPrefix });
    }
  }
  return [...found.values()];
}

/** Finds the fault of a search text; undefined if it can be searched for. */
export function checkSearch(q: string): Omit<Fault, 'pointer'> | undefined {
  const words = parseSearch(q);
  const prefixes = words.filter(({ isPrefix }) => isPrefix);
  if (words.length === 0) return { code: 'no_search_terms', detail: 'must contain a letter or a digit' };
  if (words.length > MAX_SEARCH_WORDS)
    return { code: 'too_many_terms', detail: `must have at most ${MAX_SEARCH_WORDS} different words` };
  if (prefixes.length > MAX_PREFIXES)
    return { code: 'too_many_terms', detail: `must have at most ${MAX_PREFIXES} words with *` };
  if (prefixes.some(({ word }) => word.length < MIN_PREFIX_CHARS))
    return {
      code: 'prefix_too_short',
      detail: `must have at least ${MIN_PREFIX_CHARS} characters before each *`,
    };
  return undefined;
}

/**
 * The terms for each word, any of which matches it. Words of answers are searched only in the view
 * with answers.
 */
export function termsFor(words: SearchWord[], view: View): string[][] {
  const kinds = view === 'with_answers' ? [term.word, term.answer] : [term.word];
  return words.map(({ word, isPrefix }) =>
    kinds.flatMap((kind) => [kind(stem(word)), ...(isPrefix ? [`${kind(word)}*`] : [])]),
  );
}
