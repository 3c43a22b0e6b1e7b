/** Recognizes typos by Damerau-Levenshtein distance. */
import { editDistance } from '../../bits/edit-distance.ts';
import type { Token } from './tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Shorter words are too easily edited into each other: Iran and Iraq, lion and line. */
const MIN_CHARS = 5;
const MIN_NAME_CHARS = 6;
/** From this length on, two edits are allowed. */
const MIN_TWO_EDITS_CHARS = 9;
/** Applies where the bank often uses one of the two words and hardly ever the other. */
const MIN_RARE_CHARS = 4;
/** Bounds the cost of the edit distance; no word is longer. */
const MAX_CHARS = 60;

/**
 * Whether one word is a typo of the other: a letter inserted, deleted, replaced or swapped with its
 * neighbour; two of these in a long word.
 */
export function isTypo(a: Token, b: Token, vocabulary: Vocabulary): boolean {
  if (a.kind !== 'word' || b.kind !== 'word') return false;
  const [establishedA, establishedB] = [vocabulary.isEstablished(a.stem), vocabulary.isEstablished(b.stem)];
  if (establishedA && establishedB) return false;
  const mayBeName = a.name !== false || b.name !== false;
  const length = Math.max(a.written.length, b.written.length);
  const minLength = establishedA !== establishedB ? MIN_RARE_CHARS : mayBeName ? MIN_NAME_CHARS : MIN_CHARS;
  if (length > MAX_CHARS || length < minLength) return false;
  return isWithinEdits(a.written, b.written, length >= MIN_TWO_EDITS_CHARS && !mayBeName ? 2 : 1);
}

/**
 * Whether two established words are spellings of one name: a letter inserted or doubled, as in
 * Nicolas and Nicholas. Replaced letters distinguish names (Iceland and Ireland).
 */
export const isVariantSpelling = (a: Token, b: Token): boolean =>
  a.kind === 'word' &&
  b.kind === 'word' &&
  Math.min(a.written.length, b.written.length) >= MIN_NAME_CHARS &&
  Math.max(a.written.length, b.written.length) <= MAX_CHARS &&
  Math.abs(a.written.length - b.written.length) === 1 &&
  a.written[0] === b.written[0] &&
  editDistance(a.written, b.written) === 1;

const isWithinEdits = (a: string, b: string, maxEdits: number) =>
  Math.abs(a.length - b.length) <= maxEdits && editDistance(a, b) <= maxEdits;

/** Whether the word is a mistyped stopword: "whihc" for "which". */
export const isTypoOfStopword = (word: Token, stopword: Token, vocabulary: Vocabulary): boolean =>
  word.kind === 'word' &&
  word.name !== true &&
  stopword.written.length >= MIN_RARE_CHARS &&
  !vocabulary.isEstablished(word.stem) &&
  isWithinEdits(word.written, stopword.written, 1);

/**
 * A cheap filter by common prefix and suffix: false only where the words cannot be typos of each
 * other.
 */
export function mayBeTypo(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let [prefix, suffix] = [0, 0];
  while (prefix < shorter && a[prefix] === b[prefix]) prefix++;
  while (suffix < shorter - prefix && a.at(-1 - suffix) === b.at(-1 - suffix)) suffix++;
  return shorter - prefix - suffix <= 3 || shorter + 2 >= MIN_TWO_EDITS_CHARS;
}
