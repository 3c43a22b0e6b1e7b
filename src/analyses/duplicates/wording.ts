/**
 * Compares the words of two texts.
 *
 * Words are matched and removed from both sides: equal words, inflected forms, compounds, synonyms
 * and typos. The unmatched words decide. A number, a different name, a negation or an opposite
 * makes two questions different; other words make a rewording, which answers and options must
 * confirm (classification.ts).
 */
import { areOpposites, areSynonyms, hasOpposite } from './lexicon.ts';
import { findUnmatched, isFiller, type PreparedText, sumIdf } from './prepared-text.ts';
import { areNamesSwapped, areRolesSwapped } from './swapped-words.ts';
import type { Token } from './tokens.ts';
import { isTypo, isTypoOfStopword } from './typos.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface Wording {
  /**
   * `same`: the same words. `reworded`: some words differ that do not distinguish questions by
   * themselves. `opposed`: only a negation or an opposite differs. `different`: anything else.
   */
  relation: 'same' | 'reworded' | 'opposed' | 'different';
  /** The IDF-weighted share of words that both texts have, from 0 to 1. */
  overlap: number;
  /**
   * Whether more evidence is required. For `same`: a possible name was matched as a typo. For
   * `reworded`: the change is neither one replaced word nor words added to one text only.
   */
  uncertain: boolean;
}

/** Texts with more unmatched words are different. Bounds the quadratic matching of long texts. */
const MAX_UNMATCHED_WORDS = 40;
export const DIFFERENT: Wording = { relation: 'different', overlap: 0, uncertain: false };
const OPPOSED: Wording = { relation: 'opposed', overlap: 1, uncertain: false };
const SAME: Wording = { relation: 'same', overlap: 1, uncertain: false };

export function compareWording(a: PreparedText, b: PreparedText, vocabulary: Vocabulary): Wording {
  if (a.content.length === 0 && b.content.length === 0) return compareStopwords(a.tokens, b.tokens);
  const rest = findUnmatched(a, b, MAX_UNMATCHED_WORDS);
  if (!rest) return DIFFERENT;
  const [restA, restB] = rest;
  if (restA.length === 0 && restB.length === 0) {
    return areNamesSwapped(a.content, b.content) || areRolesSwapped(a.content, b.content) ? DIFFERENT : SAME;
  }
  removeMatches(restA, restB, (x, y) => x.kind === 'negation' && y.kind === 'negation');
  removeMatches(restA, restB, (x, y) => isWord(x) && isWord(y) && x.stem === y.stem);
  removeCompounds(restA, restB);
  removeCompounds(restB, restA);
  if (areOpposed(restA, restB)) return OPPOSED;
  if ([...restA, ...restB].some(isDecisive) && !isOnlyYearAdded(restA, restB)) return DIFFERENT;
  if (restA.some((x) => restB.some((y) => areOpposites(x.key, y.key)))) return DIFFERENT;
  removeMatches(restA, restB, (x, y) => areSynonyms(x.key, y.key));
  const names = countNames(restA) + countNames(restB);
  removeMatches(restA, restB, (x, y) => isTypo(x, y, vocabulary));
  const uncertain = countNames(restA) + countNames(restB) < names;
  const unmatched = [
    dropFillers(dropTyposOfStopwords(restA, a, b, vocabulary)),
    dropFillers(dropTyposOfStopwords(restB, b, a, vocabulary)),
  ] as const;
  if (unmatched[0].length === 0 && unmatched[1].length === 0) {
    return areRolesSwapped(a.content, b.content) ? DIFFERENT : { ...SAME, uncertain };
  }
  // A superlative or a word with an opposite that only one text has, or both have differently.
  if (unmatched.every((words) => words.length === 0 || words.some(isComparison))) return DIFFERENT;
  if (hasOtherName(unmatched[0], unmatched[1])) return DIFFERENT;
  const overlap =
    1 -
    (sumIdf(unmatched[0], vocabulary) + sumIdf(unmatched[1], vocabulary)) /
      (a.idf(vocabulary) + b.idf(vocabulary));
  return { relation: 'reworded', overlap, uncertain: isRewritten(unmatched[0], unmatched[1]) };
}

const countNames = (tokens: readonly Token[]) => tokens.filter(({ name }) => name !== false).length;

const isComparison = ({ key, name }: Token) =>
  hasOpposite(key) || (name !== true && key.length > 5 && key.endsWith('est'));

const isRewritten = (a: readonly Token[], b: readonly Token[]) =>
  Math.min(a.length, b.length) > 0 && a.length + b.length > 2;

/** Whether only one negation differs, or one word and its opposite. */
function areOpposed(a: readonly Token[], b: readonly Token[]): boolean {
  const [first, second, ...others] = [...a, ...b];
  if (!second) return first?.kind === 'negation';
  return others.length === 0 && a.length === 1 && areOpposites(first!.key, second.key);
}

/** Whether the only decisive difference is a year that one text states and the other does not. */
const isOnlyYearAdded = (a: readonly Token[], b: readonly Token[]) =>
  (a.filter(isDecisive).length === 0 || b.filter(isDecisive).length === 0) &&
  [...a, ...b].filter(isDecisive).every(({ key }) => /^(?:1[0-9]|20)\d\d$/.test(key));

export const isWord = ({ kind }: Token) => kind === 'word';
/** Numbers, symbols and negations have no synonyms. */
const isDecisive = ({ kind }: Token) => kind === 'number' || kind === 'negation';

/** Texts without content words are the same only if all their stopwords are. */
function compareStopwords(a: readonly Token[], b: readonly Token[]): Wording {
  const same = a.length > 0 && a.length === b.length && a.every(({ key }, i) => key === b[i]!.key);
  return same ? SAME : DIFFERENT;
}

/** Removes pairs that match, each word once. Quadratic: the lists are short. */
export function removeMatches(a: Token[], b: Token[], matches: (x: Token, y: Token) => boolean): void {
  for (let i = 0; i < a.length && b.length > 0; ) {
    const j = b.findIndex((y) => matches(a[i]!, y));
    if (j < 0) {
      i++;
      continue;
    }
    a.splice(i, 1);
    b.splice(j, 1);
  }
}

/** Removes words that the other text writes as one: video game and videogame, J R R and JRR. */
export function removeCompounds(parts: Token[], compounds: Token[]): void {
  for (let j = 0; j < compounds.length; j++) {
    for (let i = 0; i < parts.length; i++) {
      let joined = '';
      let length = 0;
      while (joined.length < compounds[j]!.key.length && i + length < parts.length)
        joined += parts[i + length++]!.key;
      if (length < 2 || joined !== compounds[j]!.key) continue;
      parts.splice(i, length);
      compounds.splice(j--, 1);
      break;
    }
  }
}

/** Drops words that are typos of a stopword which only the other text has. */
function dropTyposOfStopwords(
  words: Token[],
  own: PreparedText,
  other: PreparedText,
  vocabulary: Vocabulary,
): Token[] {
  if (words.length === 0) return words;
  const missing = other.stopwords.filter(({ key }) => !own.hasKey(key));
  return words.filter((word) => !missing.some((stopword) => isTypoOfStopword(word, stopword, vocabulary)));
}

const dropFillers = (tokens: Token[]) => tokens.filter((token) => !isFiller(token));

/**
 * Whether a name is replaced by another word. Where capitals are not evidence, a word may be a
 * name.
 */
function hasOtherName(a: readonly Token[], b: readonly Token[]): boolean {
  if (a.length === 0 || b.length === 0) return false;
  const hasCertain = (tokens: readonly Token[]) => tokens.some(({ name }) => name === true);
  const hasPossible = (tokens: readonly Token[]) => tokens.some(({ name }) => name !== false);
  return hasCertain(a) || hasCertain(b) || (hasPossible(a) && hasPossible(b));
}
