/**
 * Properties of an English word. Syllables come from the CMU Pronouncing Dictionary; for a word
 * that it lacks, they are one more than the hyphenation points by Liang's algorithm. Loading this
 * module takes 0.2 s, so it is imported on demand.
 */
import { dictionary } from 'cmu-pronouncing-dictionary';
import { daleChall } from 'dale-chall';
// @ts-expect-error: it comes without types
import patterns from 'hyphen/patterns/en-us.js';
import type { WordProperties } from './counts.ts';

/** Apostrophes other than those of 't, 's, 'd, 've, 'll and 're. */
const QUOTATION_MARKS = /'(?!(?:[tsd]|ve|ll|re)(?![\p{L}\p{N}_]))/gu;
const PUNCTUATION_MARKS = /[^\p{L}\p{N}_']/gu;
const PUNCTUATION = /[^\p{L}\p{N}_]/u;
const EASY_WORDS: ReadonlySet<string> = new Set(daleChall);
/** The definition of LIX. */
const MIN_LONG_WORD_LETTERS = 7;

/** Inner hyphens are removed: "well-known" is one word. */
export function lookUpWord(text: string): WordProperties {
  const word = removePunctuation(text.toLowerCase());
  return {
    syllables: countSyllables(word),
    isLong: countLetters(word) >= MIN_LONG_WORD_LETTERS,
    isEasy: EASY_WORDS.has(word),
    isKnown: Object.hasOwn(dictionary, word),
  };
}

function removePunctuation(word: string): string {
  if (!PUNCTUATION.test(word)) return word;
  return word.replaceAll('’', "'").replace(QUOTATION_MARKS, '').replace(PUNCTUATION_MARKS, '');
}

function countLetters(word: string): number {
  let letters = 0;
  for (const character of word) if (character !== "'") letters++;
  return letters;
}

/** Liang's patterns as a trie. A number is the index of the levels of a pattern. */
type Node = Trie | number | [Trie, number];
interface Trie {
  [letter: string]: Node | undefined;
}
const [LEVELS, ROOT]: [number[][], Trie] = patterns;
const LEAF: Trie = {};

/** Minimum number of letters before and after a hyphen. */
const MIN_PART_LETTERS = 2;

/** The word is in lower case, without punctuation other than apostrophes. */
export function countSyllables(word: string): number {
  return Object.hasOwn(dictionary, word)
    ? Math.max(1, countVowels(dictionary[word]!))
    : countHyphenationPoints(word) + 1;
}

/** Vowels have a stress digit: "B AH0 N AE1 N AH0" has three. A # begins a comment. */
function countVowels(phonemes: string): number {
  let vowels = 0;
  for (let i = 0; i < phonemes.length && phonemes[i] !== '#'; i++) {
    if (phonemes[i]! >= '0' && phonemes[i]! <= '2') vowels++;
  }
  return vowels;
}

function countHyphenationPoints(word: string): number {
  const levels = computeLevels(word);
  let points = 0;
  for (let i = MIN_PART_LETTERS; i <= word.length - MIN_PART_LETTERS; i++) points += levels[i]! & 1;
  return points;
}

/** The maximum level of all patterns that match at each position; an odd level permits a hyphen. */
function computeLevels(word: string): Uint8Array {
  const delimited = `.${word}.`;
  const levels = new Uint8Array(word.length + 2);
  for (let start = 0; start < delimited.length; start++) {
    const first = Math.max(0, start - 1);
    let trie = ROOT;
    for (let i = start; i < delimited.length; i++) {
      const node = trie[delimited[i]!];
      if (node === undefined) break;
      const [next, list] = Array.isArray(node)
        ? node
        : typeof node === 'number'
          ? [LEAF, node]
          : [node, null];
      if (list !== null) raiseLevels(levels, first, LEVELS[list]!);
      trie = next;
    }
  }
  return levels;
}

function raiseLevels(levels: Uint8Array, first: number, to: readonly number[]): void {
  for (let k = 0; k < to.length; k++) levels[first + k] = Math.max(levels[first + k]!, to[k]!);
}
