/** Forms of a word, and slips of the pen. */

import type { Token } from './tokens.ts';
import type { Vocabulary } from './wording.ts';

/**
 * What stays of an English word without its commonest endings; good enough to tell that two are forms of one.
 */
export function stem(word: string): string {
  if (word.length < 4) return word;
  let base = word;
  if (base.endsWith('ies')) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (base.endsWith('s') && !base.endsWith('ss') && !base.endsWith('us')) base = base.slice(0, -1);
  if (base.length > 5) base = without(base, 'ing', 'ed');
  if (base.length > 6) base = without(base, 'er', 'or');
  const last = base.at(-1)!;
  if (last === base.at(-2) && !'aeiouls'.includes(last)) base = base.slice(0, -1);
  return base.endsWith('e') ? base.slice(0, -1) : base;
}

function without(word: string, ...endings: string[]): string {
  const ending = endings.find((each) => word.endsWith(each));
  return ending ? word.slice(0, -ending.length) : word;
}

/** Shorter words are too easily turned into each other: Iran and Iraq, lion and line. */
const SHORTEST_SLIP = 5;
const SHORTEST_SLIP_IN_NAME = 6;
const SHORTEST_DOUBLE_SLIP = 9;
/** Where the bank uses one of them often and the other hardly ever, even short ones. */
const SHORTEST_OBVIOUS_SLIP = 4;
/** Longer than any word: whatever it is, it is not compared letter by letter. */
const LONGEST_SLIP = 60;

/**
 * Whether one word is the other, mistyped: a letter more, less, wrong or swapped with its neighbour; two in a
 * long word.
 */
export function isTypo(a: Token, b: Token, vocabulary: Vocabulary): boolean {
  if (a.kind !== 'word' || b.kind !== 'word') return false;
  const [oftenA, oftenB] = [vocabulary.isEstablished(a.stem), vocabulary.isEstablished(b.stem)];
  if (oftenA && oftenB) return false;
  const mayBeName = a.name !== false || b.name !== false;
  const length = Math.max(a.written.length, b.written.length);
  const shortest =
    oftenA !== oftenB ? SHORTEST_OBVIOUS_SLIP : mayBeName ? SHORTEST_SLIP_IN_NAME : SHORTEST_SLIP;
  if (length > LONGEST_SLIP || length < shortest) return false;
  return within(a.written, b.written, length >= SHORTEST_DOUBLE_SLIP && !mayBeName ? 2 : 1);
}

const within = (a: string, b: string, most: number) =>
  Math.abs(a.length - b.length) <= most && editDistance(a, b) <= most;

/** Whether it is one of the small words, mistyped: "whihc" for "which". */
export const isTypoOfStopword = (word: Token, empty: Token, vocabulary: Vocabulary): boolean =>
  word.kind === 'word' &&
  word.name !== true &&
  empty.written.length >= SHORTEST_OBVIOUS_SLIP &&
  !vocabulary.isEstablished(word.stem) &&
  within(word.written, empty.written, 1);

/**
 * Quickly: whether two words agree but for their middle; false only where one cannot be the other mistyped.
 */
export function mayBeTypo(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let [before, after] = [0, 0];
  while (before < most && a[before] === b[before]) before++;
  while (after < most - before && a.at(-1 - after) === b.at(-1 - after)) after++;
  return most - before - after <= 3 || most + 2 >= SHORTEST_DOUBLE_SLIP;
}

/**
 * Damerau and Levenshtein's distance (each place edited once). Words only: it takes the product of their
 * lengths.
 */
export function editDistance(a: string, b: string): number {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  let twoBefore: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    [twoBefore, before, row] = [before, row, [i]];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, twoBefore[j - 2]! + 1);
      row.push(least);
    }
  }
  return row[b.length]!;
}
