/** Classifies pairs of similar questions as duplicates, conflicts or variants. */
import { answersAgree } from './answers.ts';
import type { Bank } from './bank.ts';
import type { Wording } from './wording.ts';

export type Class = 'duplicate' | 'conflict' | 'variant';

/** Compares two questions, with or without their answers. */
export interface PairClassifier {
  /** Equal for questions with the same text that are known to be the same question. */
  answerKey(question: number): number;
  /** Whether two questions that ask the same have the same answer. */
  answersAgree(a: number, b: number): boolean;
  /**
   * Null for unrelated questions. `similar`: whether the texts are similar enough for a variant.
   */
  classify(a: number, b: number, wording: Wording, similar: boolean): Class | null;
}

export const classifierWithAnswers = (bank: Bank): PairClassifier => ({
  answerKey: (question) => bank.answerHash(question),
  answersAgree: (a, b) => answersAgree(bank, a, b),
  classify: (a, b, wording, similar) => classify(bank, a, b, wording, similar),
});

/** By the wording alone. Rewordings are never duplicates: only answers could confirm them. */
export const CLASSIFIER_WITHOUT_ANSWERS: PairClassifier = {
  answerKey: () => 0,
  answersAgree: () => true,
  classify: (_a, _b, { relation }, similar) =>
    relation === 'same' ? 'duplicate' : similar ? 'variant' : null,
};

/**
 * The overlap from which a reworded question with the same answer is a duplicate: with the same
 * options, with the same options but several words changed, and with other options or none.
 */
const MIN_OVERLAP_SAME_OPTIONS = 0.6;
const MIN_OVERLAP_REWRITTEN = 0.8;
const MIN_OVERLAP_SAME_ANSWER = 0.85;

function classify(bank: Bank, a: number, b: number, wording: Wording, similar: boolean): Class | null {
  const otherwise = similar ? 'variant' : null;
  if (wording.relation === 'different' || wording.relation === 'opposed') return otherwise;
  const agree = answersAgree(bank, a, b);
  if (wording.relation === 'same') {
    if (agree) return 'duplicate';
    const certain = !wording.uncertain || bank.haveSameOptions(a, b);
    return contradict(bank, a, b) && certain ? 'conflict' : otherwise;
  }
  if (!agree || !areDistinctiveAnswers(bank, a, b)) return otherwise;
  return wording.overlap >= minOverlap(bank, a, b, wording) ? 'duplicate' : otherwise;
}

function minOverlap(bank: Bank, a: number, b: number, { uncertain }: Wording): number {
  if (!bank.hasDistinctiveOptions(a) || !bank.haveSameOptions(a, b)) return MIN_OVERLAP_SAME_ANSWER;
  return uncertain ? MIN_OVERLAP_REWRITTEN : MIN_OVERLAP_SAME_OPTIONS;
}

/** Whether equal answers are evidence. "True" is the answer to too many questions. */
const areDistinctiveAnswers = (bank: Bank, a: number, b: number) =>
  [a, b].every(
    (question) => bank.optionHashes(question).length === 0 || bank.hasDistinctiveOptions(question),
  ) &&
  [a, b].every(
    (question) =>
      !/^(?:true|false|yes|no|\p{N}{1,2})$/iu.test(bank.answers[question]!) ||
      bank.hasDistinctiveOptions(question),
  );

/** Whether different answers to the same text cannot both be correct. */
function contradict(bank: Bank, a: number, b: number): boolean {
  const [optionsA, optionsB] = [bank.optionHashes(a), bank.optionHashes(b)];
  if (optionsA.length === 0 || optionsB.length === 0 || bank.haveSameOptions(a, b)) return true;
  if (bank.refersToOptions(a) || bank.refersToOptions(b)) return false;
  return optionsA.includes(bank.answerHash(b)) || optionsB.includes(bank.answerHash(a));
}
