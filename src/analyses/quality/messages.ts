/** Messages about questions and the bank, and warnings about the result. */
import { capitalise } from '../shared/format.ts';
import type { Rule } from './rules/rule.ts';

export const NO_LONGEST_OPTION_REASON =
  'No multiple-choice question has a single option that is longer than all others.';
export const ANSWERS_HIDDEN_REASON = 'It would reveal information about the answers.';
export const ANSWERS_HIDDEN_WARNING = 'Findings that depend on the correct answer are omitted.';

/** Further problems are counted. */
const MAX_PROBLEMS_IN_MESSAGE = 3;

export function describeProblems(rules: readonly Rule[]): string {
  const parts = rules.slice(0, MAX_PROBLEMS_IN_MESSAGE).map(({ problem }) => problem);
  if (rules.length > MAX_PROBLEMS_IN_MESSAGE)
    parts.push(`and ${rules.length - MAX_PROBLEMS_IN_MESSAGE} more`);
  return `${capitalise(parts.join('; '))}.`;
}

export const warnOfOtherLanguages = (notEnglish: number, questions: number): string =>
  `${notEnglish} of ${questions} questions do not seem to be English. Rules about wording were not applied to them.`;

/** Significance level of the longest-option test. */
const SIGNIFICANCE = 0.01;

const formatPercent = (share: number) => `${(share * 100).toFixed(1)} %`;

export function describeLongestOption(observed: number, expected: number, pValue: number): string {
  const rates = `The correct answer is the longest option in ${formatPercent(observed)} of the questions; chance would give ${formatPercent(expected)}.`;
  if (pValue >= SIGNIFICANCE) return `${rates} The difference is not significant.`;
  return observed > expected
    ? `${rates} Choosing the longest option is a winning strategy: make distractors as detailed as correct answers.`
    : `${rates} Avoiding the longest option is a winning strategy: make distractors as short as correct answers.`;
}
