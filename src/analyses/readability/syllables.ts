/**
 * What is known about an English word. Its syllables come from the CMU Pronouncing Dictionary where it has the word,
 * else there is one more than places where the word may be hyphenated. Loading this file takes some 0.2 s: import it
 * where it is used.
 */
import { dictionary } from 'cmu-pronouncing-dictionary';
import { daleChall } from 'dale-chall';
// @ts-expect-error: it comes without types
import patterns from 'hyphen/patterns/en-us.js';
import type { WordFacts } from './counts.ts';

/** An apostrophe belongs to the word before 't, 's, 'd, 've, 'll and 're; else it is a quotation mark. */
const QUOTATION_MARKS = /'(?!(?:[tsd]|ve|ll|re)(?![\p{L}\p{N}_]))/gu;
const PUNCTUATION_MARKS = /[^\p{L}\p{N}_']/gu;
const PUNCTUATION = /[^\p{L}\p{N}_]/u;
const EASY_WORDS: ReadonlySet<string> = new Set(daleChall);
/** That of LIX. */
const LONG_WORD_LETTERS = 7;

/** Of a word as it is written; hyphens within are left out, so that "well-known" is one word. */
export function factsOf(written: string): WordFacts {
  const word = bare(written.toLowerCase());
  return {
    syllables: syllablesOf(word),
    long: lettersOf(word) >= LONG_WORD_LETTERS,
    easy: EASY_WORDS.has(word),
    known: Object.hasOwn(dictionary, word),
  };
}

function bare(word: string): string {
  if (!PUNCTUATION.test(word)) return word;
  return word.replaceAll('’', "'").replace(QUOTATION_MARKS, '').replace(PUNCTUATION_MARKS, '');
}

function lettersOf(word: string): number {
  let letters = 0;
  for (const character of word) if (character !== "'") letters++;
  return letters;
}

/** Liang's patterns as a tree of letters; a number is the list of levels that belongs to the letters so far. */
type Node = Tree | number | [Tree, number];
interface Tree {
  [letter: string]: Node | undefined;
}
const [LEVELS, TREE]: [number[][], Tree] = patterns;
const LEAF: Tree = {};

/** No break leaves fewer letters than this on either side. */
const SHORTEST_PART = 2;

/** Of a word in lower case, without punctuation but for apostrophes. */
export function syllablesOf(word: string): number {
  return Object.hasOwn(dictionary, word) ? Math.max(1, vowelsOf(dictionary[word]!)) : breaksOf(word) + 1;
}

/** Vowels are the sounds with a stress: "B AH0 N AE1 N AH0" has three. What follows a # is a remark. */
function vowelsOf(sounds: string): number {
  let vowels = 0;
  for (let i = 0; i < sounds.length && sounds[i] !== '#'; i++) {
    if (sounds[i]! >= '0' && sounds[i]! <= '2') vowels++;
  }
  return vowels;
}

function breaksOf(word: string): number {
  const levels = levelsOf(word);
  let breaks = 0;
  for (let i = SHORTEST_PART; i <= word.length - SHORTEST_PART; i++) breaks += levels[i]! & 1;
  return breaks;
}

/** Between any two letters the highest level of all patterns that fit there; an odd one is a break. */
function levelsOf(word: string): Uint8Array {
  const pointed = `.${word}.`;
  const levels = new Uint8Array(word.length + 2);
  for (let start = 0; start < pointed.length; start++) {
    const first = Math.max(0, start - 1);
    let tree = TREE;
    for (let i = start; i < pointed.length; i++) {
      const node = tree[pointed[i]!];
      if (node === undefined) break;
      const [next, list] = Array.isArray(node)
        ? node
        : typeof node === 'number'
          ? [LEAF, node]
          : [node, null];
      if (list !== null) raise(levels, first, LEVELS[list]!);
      tree = next;
    }
  }
  return levels;
}

function raise(levels: Uint8Array, first: number, to: readonly number[]): void {
  for (let k = 0; k < to.length; k++) levels[first + k] = Math.max(levels[first + k]!, to[k]!);
}
