/**
 * Compares two questions that have the same answer: whether they ask for the same fact in other
 * words.
 *
 * The similarity is the TF-IDF cosine of the content words, where inflected forms, synonyms, words
 * of one family, typos and notations of a number are equal. Differences that distinguish two facts
 * exclude a rewording at any similarity: two numbers, two names in the same context, a negation,
 * opposites, two superlatives.
 */
import { isContentWord, sumSquaredWeights } from './content-words.ts';
import { areOpposites, areSynonyms } from './lexicon.ts';
import { findUnmatched, type PreparedText } from './prepared-text.ts';
import { areRelated } from './related-words.ts';
import { areRolesSwapped } from './swapped-words.ts';
import type { Token } from './tokens.ts';
import { isTypo, isVariantSpelling } from './typos.ts';
import type { Vocabulary } from './vocabulary.ts';
import { isWord, removeCompounds, removeMatches } from './wording.ts';

export interface Rewording {
  /** The cosine, from 0 to 1. */
  similarity: number;
  /**
   * `added`: only one text has further words. `rewritten`: both have. `replaced`: both have, and in
   * the same context.
   */
  change: 'added' | 'rewritten' | 'replaced';
}

const MAX_UNMATCHED_WORDS = 20;
const MIN_SHARED_WORDS = 2;

/** Undefined for two facts. */
export function compareRewording(
  a: PreparedText,
  b: PreparedText,
  vocabulary: Vocabulary,
): Rewording | undefined {
  const rest = findUnmatched(a, b, MAX_UNMATCHED_WORDS);
  if (!rest || areRolesSwapped(a.content, b.content)) return undefined;
  const [restA, restB] = rest;
  matchWords(restA, restB, vocabulary);
  if ([...restA, ...restB].some(({ kind }) => kind === 'negation')) return undefined;
  const [onlyA, onlyB] = [restA.filter(isContentWord), restB.filter(isContentWord)];
  if (distinguishFacts(onlyA, onlyB)) return undefined;
  const [wordsA, wordsB] = [a.content.filter(isContentWord), b.content.filter(isContentWord)];
  if (wordsA.length - onlyA.length < MIN_SHARED_WORDS) return undefined;
  const change = findChange(wordsA, wordsB, onlyA, onlyB);
  if (!change) return undefined;
  return { similarity: computeCosine(wordsA, wordsB, onlyA, onlyB, vocabulary), change };
}

/** The cosine if every shared word has the same weight in both texts, and nearly so otherwise. */
function computeCosine(
  wordsA: readonly Token[],
  wordsB: readonly Token[],
  onlyA: readonly Token[],
  onlyB: readonly Token[],
  vocabulary: Vocabulary,
): number {
  const share = (words: readonly Token[], only: readonly Token[]) =>
    1 - sumSquaredWeights(only, vocabulary) / sumSquaredWeights(words, vocabulary);
  return Math.sqrt(Math.max(0, share(wordsA, onlyA) * share(wordsB, onlyB)));
}

/** Removes the words that both texts have in other forms. */
function matchWords(a: Token[], b: Token[], vocabulary: Vocabulary): void {
  removeMatches(a, b, (x, y) => x.kind === 'negation' && y.kind === 'negation');
  removeMatches(a, b, (x, y) => isWord(x) && isWord(y) && x.stem === y.stem);
  removeMatches(a, b, (x, y) => isNumber(x) && isNumber(y) && toCardinal(x) === toCardinal(y));
  removeCompounds(a, b);
  removeCompounds(b, a);
  removeMatches(a, b, (x, y) => areSynonyms(x.key, y.key) || areRelated(x.key, y.key));
  removeMatches(a, b, (x, y) => isTypo(x, y, vocabulary) || isVariantSpelling(x, y));
}

const isNumber = ({ kind }: Token) => kind === 'number';
/** A year often dates a fact that the other text leaves undated. */
const isYear = ({ key }: Token) => /^(?:1\d|20)\d\d$/.test(key);
/** Henry VIII and Henry the Eighth. */
const toCardinal = ({ key }: Token) => key.replace(/th$/, '');
const RANKS = new Set(['most', 'least', 'fewest', 'only', 'last', 'final', 'best', 'worst', 'more', 'less']);
/** Superlatives and ordinals. */
const isRank = ({ key, name }: Token) =>
  name !== true && (RANKS.has(key) || (key.length > 4 && key.endsWith('est')) || /^\d+th$/.test(key));

/** Names, numbers and superlatives identify what is asked for. */
const isIdentifying = (word: Token) =>
  word.name === true || isRank(word) || (isNumber(word) && !isYear(word));

function distinguishFacts(onlyA: readonly Token[], onlyB: readonly Token[]): boolean {
  return (
    (onlyA.some(isNumber) && onlyB.some(isNumber)) ||
    (onlyA.some(isIdentifying) && onlyB.some(isIdentifying)) ||
    onlyA.some((x) => onlyB.some((y) => areOpposites(x.key, y.key)))
  );
}

/** Consecutive words that only one text has, between two words that both have. */
interface Run {
  words: Token[];
  before: string | undefined;
  after: string | undefined;
}

function findRuns(words: readonly Token[], only: readonly Token[]): Run[] {
  const unmatched = new Set(only);
  const runs: Run[] = [];
  for (let i = 0; i < words.length; i++) {
    if (!unmatched.has(words[i]!)) continue;
    const start = i;
    while (i < words.length && unmatched.has(words[i]!)) i++;
    runs.push({ words: words.slice(start, i), before: words[start - 1]?.stem, after: words[i]?.stem });
  }
  return runs;
}

/** Undefined where a name was replaced. */
function findChange(
  wordsA: readonly Token[],
  wordsB: readonly Token[],
  onlyA: readonly Token[],
  onlyB: readonly Token[],
): Rewording['change'] | undefined {
  if (onlyA.length === 0 || onlyB.length === 0) return 'added';
  let change: Rewording['change'] = 'rewritten';
  const runsB = findRuns(wordsB, onlyB);
  for (const runA of findRuns(wordsA, onlyA)) {
    for (const runB of runsB) {
      const sameContext =
        (runA.before !== undefined && runA.before === runB.before) ||
        (runA.after !== undefined && runA.after === runB.after);
      if (!sameContext || runA.words.every(isYear) || runB.words.every(isYear)) continue;
      if (haveOtherNames(runA.words, runB.words)) return undefined;
      change = 'replaced';
    }
  }
  return change;
}

/** Where capitals are not evidence, a word may be a name. */
function haveOtherNames(a: readonly Token[], b: readonly Token[]): boolean {
  const hasPossible = (words: readonly Token[]) => words.some(({ name }) => name !== false);
  return a.some(isIdentifying) || b.some(isIdentifying) || (hasPossible(a) && hasPossible(b));
}
