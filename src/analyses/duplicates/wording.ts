/**
 * Whether two texts ask the same, judged by their words alone.
 *
 * The words of both are paired off: equal ones, other forms and spellings, known synonyms, slips of the pen.
 * What is left over decides. A number, a name in place of another, a negation or an opposite makes them
 * different questions; other words make them questions that may be the same in other words, which the answers
 * and options have to confirm.
 */
import { areOpposites, areSynonyms, FILLERS, hasOpposite } from './lexicon.ts';
import type { Token } from './tokens.ts';
import { isTypo, isTypoOfStopword } from './typos.ts';

export interface Wording {
  /**
   * The same words; the same but for words that decide nothing by themselves; the same but for a negation or
   * an opposite; or different in anything else that decides.
   */
  relation: 'same' | 'reworded' | 'opposed' | 'different';
  /** How much of what both say is said by both, from 0 to 1; rare words weigh more. */
  overlap: number;
  /**
   * Whether it takes more to believe it. Of the same words: names had to be taken for mistyped. Of reworded
   * ones: more was done than to change one word for another or to put some in.
   */
  uncertain: boolean;
}

export interface Vocabulary {
  /** What a word tells, as by its rarity in the bank. Above 0. */
  idf(stem: string): number;
  /** Whether the bank uses a word often enough for it not to be a slip of the pen. */
  isEstablished(stem: string): boolean;
}

/**
 * With more words of its own than that a text is another one; it also keeps the pairing of long texts cheap.
 */
const MOST_LEFT = 40;
/** In words. */
const LONGEST_NAME = 6;
export const DIFFERENT: Wording = { relation: 'different', overlap: 0, uncertain: false };
const OPPOSED: Wording = { relation: 'opposed', overlap: 1, uncertain: false };
const SAME: Wording = { relation: 'same', overlap: 1, uncertain: false };

export function compareWording(a: readonly Token[], b: readonly Token[], vocabulary: Vocabulary): Wording {
  const restA = a.filter(tells);
  const restB = b.filter(tells);
  if (restA.length === 0 && restB.length === 0) return bothEmpty(a, b);
  pairEqual(restA, restB);
  if (restA.length === 0 && restB.length === 0) {
    return namesSwapped(a, b) ? DIFFERENT : SAME;
  }
  if (restA.length > MOST_LEFT || restB.length > MOST_LEFT) return DIFFERENT;
  pairOff(restA, restB, (x, y) => x.kind === 'negation' && y.kind === 'negation');
  pairOff(restA, restB, (x, y) => isWord(x) && isWord(y) && x.stem === y.stem);
  pairCompounds(restA, restB);
  pairCompounds(restB, restA);
  if (areOpposed(restA, restB)) return OPPOSED;
  if ([...restA, ...restB].some(separates) && !onlyYearAdded(restA, restB)) return DIFFERENT;
  if (restA.some((x) => restB.some((y) => areOpposites(x.key, y.key)))) return DIFFERENT;
  pairOff(restA, restB, (x, y) => areSynonyms(x.key, y.key));
  const names = countNames(restA) + countNames(restB);
  pairOff(restA, restB, (x, y) => isTypo(x, y, vocabulary));
  const uncertain = countNames(restA) + countNames(restB) < names;
  const left = [
    dropFilling(withoutSlipsOfEmpty(restA, a, b, vocabulary)),
    dropFilling(withoutSlipsOfEmpty(restB, b, a, vocabulary)),
  ] as const;
  if (left[0].length === 0 && left[1].length === 0) return { ...SAME, uncertain };
  // Where one text has no word for it, a measure makes a difference; and where both have one of their own.
  if (left.every((rest) => rest.length === 0 || rest.some(isMeasure))) return DIFFERENT;
  if (otherName(left[0], left[1])) return DIFFERENT;
  const weigh = (tokens: readonly Token[]) => tokens.reduce((sum, { stem }) => sum + vocabulary.idf(stem), 0);
  const overlap = 1 - (weigh(left[0]) + weigh(left[1])) / (weigh(a.filter(tells)) + weigh(b.filter(tells)));
  return { relation: 'reworded', overlap, uncertain: isRewritten(left[0], left[1]) };
}

const countNames = (tokens: readonly Token[]) => tokens.filter(({ name }) => name !== false).length;

const isMeasure = ({ key, name }: Token) =>
  hasOpposite(key) || (name !== true && key.length > 5 && key.endsWith('est'));

const isRewritten = (a: readonly Token[], b: readonly Token[]) =>
  Math.min(a.length, b.length) > 0 && a.length + b.length > 2;

/** Whether all that differs is one negation, or one word and its opposite. */
function areOpposed(a: readonly Token[], b: readonly Token[]): boolean {
  const [first, second, ...others] = [...a, ...b];
  if (!second) return first?.kind === 'negation';
  return others.length === 0 && a.length === 1 && areOpposites(first!.key, second.key);
}

/** One text says when it was and the other does not. */
const onlyYearAdded = (a: readonly Token[], b: readonly Token[]) =>
  (a.filter(separates).length === 0 || b.filter(separates).length === 0) &&
  [...a, ...b].filter(separates).every(({ key }) => /^(?:1[0-9]|20)\d\d$/.test(key));

const tells = ({ kind }: Token) => kind !== 'stopword';
const isWord = ({ kind }: Token) => kind === 'word';
/** Numbers, signs and negations have no synonyms. */
const separates = ({ kind }: Token) => kind === 'number' || kind === 'negation';

/** Texts of nothing but the commonest words have only those to go by. */
function bothEmpty(a: readonly Token[], b: readonly Token[]): Wording {
  const same = a.length > 0 && a.length === b.length && a.every(({ key }, i) => key === b[i]!.key);
  return same ? SAME : DIFFERENT;
}

/** Takes out of both lists the words that stand in both. */
function pairEqual(a: Token[], b: Token[]): void {
  const counts = new Map<string, number>();
  for (const { key } of b) counts.set(key, (counts.get(key) ?? 0) + 1);
  const taken = new Map<string, number>();
  const take = (tokens: Token[], left: Map<string, number>, done?: Map<string, number>) => {
    let kept = 0;
    for (const token of tokens) {
      const count = left.get(token.key) ?? 0;
      if (count === 0) tokens[kept++] = token;
      else {
        left.set(token.key, count - 1);
        done?.set(token.key, (done.get(token.key) ?? 0) + 1);
      }
    }
    tokens.length = kept;
  };
  take(a, counts, taken);
  take(b, taken);
}

/** Takes out of both lists what belongs together, each once. The lists are short. */
function pairOff(a: Token[], b: Token[], together: (x: Token, y: Token) => boolean): void {
  for (let i = 0; i < a.length && b.length > 0; ) {
    const j = b.findIndex((y) => together(a[i]!, y));
    if (j < 0) {
      i++;
      continue;
    }
    a.splice(i, 1);
    b.splice(j, 1);
  }
}

/** Takes out words that the other text writes as one: video game and videogame, J R R and JRR. */
function pairCompounds(parts: Token[], wholes: Token[]): void {
  for (let j = 0; j < wholes.length; j++) {
    for (let i = 0; i < parts.length; i++) {
      let joined = '';
      let length = 0;
      while (joined.length < wholes[j]!.key.length && i + length < parts.length)
        joined += parts[i + length++]!.key;
      if (length < 2 || joined !== wholes[j]!.key) continue;
      parts.splice(i, length);
      wholes.splice(j--, 1);
      break;
    }
  }
}

/** Without what is one of the small words that only the other text has, mistyped. */
function withoutSlipsOfEmpty(
  rest: Token[],
  own: readonly Token[],
  other: readonly Token[],
  vocabulary: Vocabulary,
): Token[] {
  if (rest.length === 0) return rest;
  const known = new Set(own.map(({ key }) => key));
  const missing = other.filter(({ kind, key }) => kind === 'stopword' && !known.has(key));
  return rest.filter((word) => !missing.some((empty) => isTypoOfStopword(word, empty, vocabulary)));
}

const dropFilling = (tokens: Token[]) =>
  tokens.filter(({ key, name }) => !(FILLERS.has(key) && name !== true));

/**
 * Whether a name stands where the other text has another word. Only what is known not to be a name is not
 * taken for one.
 */
function otherName(a: readonly Token[], b: readonly Token[]): boolean {
  if (a.length === 0 || b.length === 0) return false;
  const certain = (tokens: readonly Token[]) => tokens.some(({ name }) => name === true);
  const possible = (tokens: readonly Token[]) => tokens.some(({ name }) => name !== false);
  return certain(a) || certain(b) || (possible(a) && possible(b));
}

/**
 * Whether two names or numbers have changed places around what is between them: "is A older than B" and "is B
 * older than A".
 */
function namesSwapped(a: readonly Token[], b: readonly Token[]): boolean {
  const [one, other] = [a.filter(tells), b.filter(tells)];
  let [from, to] = [0, one.length];
  while (from < to && one[from]!.key === other[from]!.key) from++;
  while (to > from && one[to - 1]!.key === other[to - 1]!.key) to--;
  const equal = (i: number, j: number, length: number) => {
    for (let k = 0; k < length; k++) if (one[i + k]!.key !== other[j + k]!.key) return false;
    return true;
  };
  const named = (i: number, j: number) =>
    one.slice(i, j).some(({ kind, name }) => kind === 'number' || name !== false);
  for (let first = 1; first <= Math.min(LONGEST_NAME, to - from - 2); first++) {
    if (!named(from, from + first) || !equal(from, to - first, first)) continue;
    for (let last = 1; last <= Math.min(LONGEST_NAME, to - from - first - 1); last++) {
      const between = to - from - first - last;
      if (named(to - last, to) && equal(to - last, from, last) && equal(from + first, from + last, between))
        return true;
    }
  }
  return false;
}
