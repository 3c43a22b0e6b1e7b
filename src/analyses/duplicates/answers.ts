/** Decides whether two answers are equivalent up to spelling, inflection and completeness. */
import type { Bank } from './bank.ts';
import { areOpposites, hasOpposite } from './lexicon.ts';
import type { Token } from './tokens.ts';
import { isTypo } from './typos.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Answers are compared without word statistics. */
const NO_STATISTICS: Vocabulary = { idf: () => 1, smoothedIdf: () => 1, isEstablished: () => false };

/** Russia and the Russian Federation are equivalent, 5 and 5 million are not. */
export function areEquivalentAnswers(a: readonly Token[], b: readonly Token[]): boolean {
  const [restA, restB] = [[...a], [...b]];
  const lengths = [restA.length, restB.length] as const;
  const matched = removeMatches(restA, restB);
  if (restA.length === 0 && restB.length === 0) return true;
  if (restA.length > 0 && restB.length > 0) return false;
  // One answer is more complete: "Chamberlain" and "Neville Chamberlain".
  const added = restA.length > 0 ? restA : restB;
  if (matched.some(isYear) && added.every(isDayOrMonth)) return true;
  const hasLongWord = matched.some(({ key, kind }) => kind === 'word' && key.length > 3);
  return (
    Math.min(...lengths) > 0 &&
    hasLongWord &&
    added.every(({ kind, key }) => kind === 'word' && !hasOpposite(key))
  );
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const isYear = ({ key }: Token) => /^1\d{3}$|^20\d\d$/.test(key);
const isDayOrMonth = ({ key }: Token) => /^\d{1,2}(?:th)?$/.test(key) || MONTHS.includes(key);

/** Removes the words that match from both lists and returns those of `a`. */
function removeMatches(a: Token[], b: Token[]): Token[] {
  const matched: Token[] = [];
  const matches = (x: Token, y: Token) =>
    x.key === y.key ||
    (x.kind === 'word' &&
      y.kind === 'word' &&
      !areOpposites(x.key, y.key) &&
      (x.stem === y.stem || isTypo({ ...x, name: false }, { ...y, name: false }, NO_STATISTICS)));
  for (let i = 0; i < a.length; ) {
    const j = b.findIndex((y) => matches(a[i]!, y));
    if (j < 0) i++;
    else {
      matched.push(...a.splice(i, 1));
      b.splice(j, 1);
    }
  }
  return matched;
}

/**
 * Whether two questions have equivalent answers. An answer that the other question has as a
 * distractor is different.
 */
export function answersAgree(bank: Bank, a: number, b: number): boolean {
  const [hashA, hashB] = [bank.answerHash(a), bank.answerHash(b)];
  if (hashA === hashB) return true;
  // A part of several correct answers is another answer.
  if (bank.hasSeveralAnswers(a) || bank.hasSeveralAnswers(b)) return false;
  if (bank.optionHashes(a).includes(hashB) || bank.optionHashes(b).includes(hashA)) return false;
  const [wordsA, wordsB] = [bank.answerWords(a), bank.answerWords(b)];
  if (!wordsA || !wordsB) return bank.answers[a] === bank.answers[b];
  return areEquivalentAnswers(wordsA, wordsB);
}

/** Whether equal answers are evidence. "True" is the answer to too many questions. */
export const areDistinctiveAnswers = (bank: Bank, a: number, b: number) =>
  [a, b].every(
    (question) => bank.optionHashes(question).length === 0 || bank.hasDistinctiveOptions(question),
  ) &&
  [a, b].every(
    (question) =>
      !/^(?:true|false|yes|no|\p{N}{1,2})$/iu.test(bank.answers[question]!) ||
      bank.hasDistinctiveOptions(question),
  );
