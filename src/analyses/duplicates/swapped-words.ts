/** Recognizes texts with the same words that ask something else, because two words are exchanged. */
import { areOpposites, hasOpposite } from './lexicon.ts';
import type { Token } from './tokens.ts';

/** Longer names are not recognized. */
const MAX_NAME_WORDS = 6;
/** Bounds the quadratic search in long texts. */
const MAX_ROLE_WORDS = 12;

/** Whether two names or numbers are exchanged: "is A older than B" and "is B older than A". */
export const areNamesSwapped = (a: readonly Token[], b: readonly Token[]): boolean =>
  areEndsExchanged(a, b, (words) => words.some(({ kind, name }) => kind === 'number' || name !== false));

/** Whether any two words are exchanged: "does the dog bite the man", "does the man bite the dog". */
export const areWordsSwapped = (a: readonly Token[], b: readonly Token[]): boolean =>
  areEndsExchanged(a, b, () => true) || areRolesSwapped(a, b);

/** Whether the texts are "x m y" and "y m x" between a common beginning and a common end. */
function areEndsExchanged(
  wordsA: readonly Token[],
  wordsB: readonly Token[],
  mayBeExchanged: (words: readonly Token[]) => boolean,
): boolean {
  if (wordsA.length !== wordsB.length) return false;
  let [start, end] = [0, wordsA.length];
  while (start < end && wordsA[start]!.key === wordsB[start]!.key) start++;
  while (end > start && wordsA[end - 1]!.key === wordsB[end - 1]!.key) end--;
  const areEqual = (i: number, j: number, length: number) => {
    for (let k = 0; k < length; k++) if (wordsA[i + k]!.key !== wordsB[j + k]!.key) return false;
    return true;
  };
  for (let first = 1; first <= Math.min(MAX_NAME_WORDS, end - start - 2); first++) {
    if (!mayBeExchanged(wordsA.slice(start, start + first)) || !areEqual(start, end - first, first)) continue;
    for (let last = 1; last <= Math.min(MAX_NAME_WORDS, end - start - first - 1); last++) {
      const middle = end - start - first - last;
      const exchanged = mayBeExchanged(wordsA.slice(end - last, end)) && areEqual(end - last, start, last);
      if (exchanged && areEqual(start + first, start + last, middle)) return true;
    }
  }
  return false;
}

/**
 * Whether two opposites qualify each other's words: "a male lion and a female tiger", "a female
 * lion and a male tiger".
 */
export function areRolesSwapped(a: readonly Token[], b: readonly Token[]): boolean {
  const roles = a.filter(({ key }) => hasOpposite(key)).slice(0, MAX_ROLE_WORDS);
  const findNext = (words: readonly Token[], key: string) =>
    words[words.findIndex((word) => word.key === key) + 1]?.stem;
  return roles.some(({ key: x }, i) =>
    roles.slice(i + 1).some(({ key: y }) => {
      if (!areOpposites(x, y)) return false;
      if (!b.some(({ key }) => key === x) || !b.some(({ key }) => key === y)) return false;
      const [nextX, nextY] = [findNext(a, x), findNext(a, y)];
      return nextX !== nextY && nextX === findNext(b, y) && nextY === findNext(b, x);
    }),
  );
}
