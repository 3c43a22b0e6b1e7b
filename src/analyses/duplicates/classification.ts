/** Classifies pairs of similar questions as duplicates, conflicts or variants. */
import { answersAgree, areDistinctiveAnswers } from './answers.ts';
import type { Bank } from './bank.ts';
import type { TextIndex } from './text-index.ts';
import type { Wording } from './wording.ts';

export type PairClass = 'duplicate' | 'conflict' | 'variant';
/** Likely duplicates are found by their answers (likely-groups.ts). */
export type Class = PairClass | 'likely';

/** Compares two questions, with or without their answers. */
export interface PairClassifier {
  /** Equal for questions with the same text that are known to be the same question. */
  answerKey(question: number): number;
  /** Whether two questions that ask the same have the same answer. */
  answersAgree(a: number, b: number): boolean;
  /**
   * Null for unrelated questions. `similar`: whether the texts are similar enough for a variant.
   */
  classify(a: number, b: number, wording: Wording, similar: boolean): PairClass | null;
}

export const classifierWithAnswers = (bank: Bank, texts: TextIndex): PairClassifier => ({
  answerKey: (question) => bank.answerHash(question),
  answersAgree: (a, b) => answersAgree(bank, a, b),
  classify: (a, b, wording, similar) => classify(bank, texts, a, b, wording, similar),
});

/**
 * By the wording alone. Rewordings are never duplicates: only answers could confirm them. Generic
 * texts ask the same only with the same options.
 */
export function classifierWithoutAnswers(bank: Bank, texts: TextIndex): PairClassifier {
  const isGeneric = (question: number) => texts.isGeneric(texts.textOfQuestion.at(question));
  const agree = (a: number, b: number) => !(isGeneric(a) || isGeneric(b)) || bank.haveSameOptions(a, b);
  return {
    answerKey: (question) => (isGeneric(question) ? bank.optionHashes(question).reduce(mixHashes, 1) : 0),
    answersAgree: agree,
    classify: (a, b, { relation }, similar) =>
      relation === 'same' && agree(a, b) ? 'duplicate' : similar ? 'variant' : null,
  };
}

const mixHashes = (sum: number, hash: number) => Math.imul(sum, 31) + hash;

/**
 * The overlap from which a reworded question with the same answer is a duplicate: with the same
 * options, with the same options but several words changed, and with other options or none.
 */
const MIN_OVERLAP_SAME_OPTIONS = 0.6;
const MIN_OVERLAP_REWRITTEN = 0.8;
const MIN_OVERLAP_SAME_ANSWER = 0.85;

function classify(
  bank: Bank,
  texts: TextIndex,
  a: number,
  b: number,
  wording: Wording,
  similar: boolean,
): PairClass | null {
  const otherwise = similar ? 'variant' : null;
  if (wording.relation === 'different' || wording.relation === 'opposed') return otherwise;
  const agree = answersAgree(bank, a, b);
  if (wording.relation === 'same') {
    if (agree) return 'duplicate';
    const [textA, textB] = [texts.textOfQuestion.at(a), texts.textOfQuestion.at(b)];
    if (textA !== textB && texts.areWordsSwapped(textA, textB)) return otherwise;
    const isCertain = !wording.uncertain && !texts.isGeneric(textA);
    return contradict(bank, a, b) && (isCertain || bank.haveSameOptions(a, b)) ? 'conflict' : otherwise;
  }
  if (!agree || !areDistinctiveAnswers(bank, a, b)) return otherwise;
  return wording.overlap >= minOverlap(bank, a, b, wording) ? 'duplicate' : otherwise;
}

function minOverlap(bank: Bank, a: number, b: number, { uncertain }: Wording): number {
  if (!bank.hasDistinctiveOptions(a) || !bank.haveSameOptions(a, b)) return MIN_OVERLAP_SAME_ANSWER;
  return uncertain ? MIN_OVERLAP_REWRITTEN : MIN_OVERLAP_SAME_OPTIONS;
}

/** Whether different answers to the same text cannot both be correct. */
function contradict(bank: Bank, a: number, b: number): boolean {
  const [optionsA, optionsB] = [bank.optionHashes(a), bank.optionHashes(b)];
  if (optionsA.length === 0 || optionsB.length === 0 || bank.haveSameOptions(a, b)) return true;
  if (bank.refersToOptions(a) || bank.refersToOptions(b)) return false;
  return optionsA.includes(bank.answerHash(b)) || optionsB.includes(bank.answerHash(a));
}
