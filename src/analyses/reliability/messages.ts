import { fisher } from '../../statistics/intervals.ts';
import type { Totals } from '../classical/totals.ts';
import { type Completion, explainIncomplete, warnOfSpeed } from '../shared/completion.ts';
import {
  capitalise,
  formatCount,
  formatDecimal,
  formatInterval,
  formatPercent,
  roundTo,
} from '../shared/format.ts';
import type { ResponseParameters } from '../shared/responses.ts';
import { toInterval } from '../shared/schema-parts.ts';
import type { Reliability } from './coefficients.ts';
import type { Summary } from './schemas.ts';

/** A smaller change of alpha does not show in its second decimal, the last one usually reported. */
const MIN_VISIBLE_CHANGE = 0.005;
/** Ebel (1972) calls lower discriminations poor. */
const MIN_SUFFICIENT_CORRELATION = 0.2;

interface QuestionReliability {
  n: number;
  /** Cases behind the correlation: those of the least shared pair if covariances are pairwise. */
  cases: number;
  correct: number;
  /** Whether all scores of the cases used are equal. */
  isConstant: boolean;
  /** Corrected item-total correlation. */
  itemTotal: number | null;
  alpha: number | null;
  alphaIfDeleted: number | null;
  /** Whether alpha rises by at least `min_alpha_rise` without the question. */
  lowersAlpha: boolean;
  /** Whether there are enough cases to flag that. */
  hasEnoughCases: boolean;
}

export function describeQuestion(question: QuestionReliability): string {
  const { n, cases, correct, isConstant, itemTotal, alpha, alphaIfDeleted } = question;
  if (n === 0) return 'No response was scored.';
  if (isConstant) {
    const outcome = correct === 0 ? 'incorrect' : correct === n ? 'correct' : 'the same among the cases used';
    return `All responses are ${outcome} (n = ${n}): without variance it is left out of the coefficients.`;
  }
  if (alphaIfDeleted === null || alpha === null) return 'Alpha if deleted could not be computed.';
  const effect = describeEffect(alpha, alphaIfDeleted, question);
  return itemTotal === null ? `${capitalise(effect)}.` : `${describeItemTotal(itemTotal, cases)}; ${effect}.`;
}

/** Compares the interval as it is rounded in the message. */
function describeItemTotal(correlation: number, cases: number): string {
  const interval = toInterval(fisher(correlation, cases));
  const range = interval ? `, 95 % interval ${formatInterval(interval)}` : '';
  const value = `corrected item-total correlation ${formatDecimal(correlation)}${range}`;
  if (!interval || (roundTo(interval.low) <= 0 && roundTo(interval.high) >= 0))
    return `Its correlation with the other questions cannot be distinguished from 0 (${value})`;
  if (interval.high < 0) return `Negatively correlated with the other questions (${value})`;
  const degree = roundTo(correlation) < MIN_SUFFICIENT_CORRELATION ? 'Weakly' : 'Positively';
  return `${degree} correlated with the other questions (${value})`;
}

function describeEffect(
  alpha: number,
  alphaIfDeleted: number,
  { lowersAlpha, hasEnoughCases }: Pick<QuestionReliability, 'lowersAlpha' | 'hasEnoughCases'>,
): string {
  const change = `from ${formatDecimal(alpha, 3)} to ${formatDecimal(alphaIfDeleted, 3)}`;
  if (lowersAlpha) {
    return `without it, alpha would rise ${change}${hasEnoughCases ? '' : ' in these cases, which are too few to rely on that'}`;
  }
  if (Math.abs(alphaIfDeleted - alpha) < MIN_VISIBLE_CHANGE) {
    return `alpha would hardly change without it (${change})`;
  }
  return alphaIfDeleted > alpha
    ? `without it, alpha would rise ${change}, less than the limit for a flag`
    : `without it, alpha would fall ${change}`;
}

const SCORE_NAMES = { number_correct: 'number correct', proportion_correct: 'proportion correct' };

export const nameScore = (kind: Summary['score']['kind']) => SCORE_NAMES[kind];

/** The standard error of measurement is in questions, so it is not shown beside proportions. */
export function describeScores({ score, alpha, standard_error_of_measurement: error }: Summary): string {
  if (score.mean === null || score.median === null) return 'There are no scores.';
  const sd = score.sd === null ? '' : `, standard deviation ${formatDecimal(score.sd)}`;
  const scores = `Scores (${nameScore(score.kind)}) of ${formatCount(score.n, 'case')}: mean ${formatDecimal(score.mean)}, median ${formatDecimal(score.median)}${sd}.`;
  if (alpha === null) return `${scores} Alpha could not be computed.`;
  const sem =
    score.kind === 'number_correct' && error !== null
      ? `; standard error of measurement: ${formatDecimal(error)} questions`
      : '';
  return `${scores} Alpha: ${formatDecimal(alpha)}${sem}.`;
}

const countComplete = ({ answered, items }: Totals) =>
  answered.reduce((sum, n) => sum + (n === items.length ? 1 : 0), 0);

export function buildWarnings(
  { coefficients, covariances }: Reliability,
  totals: Totals,
  completion: Completion,
  parameters: ResponseParameters,
): string[] {
  const warnings: string[] = [];
  if (coefficients.alpha_reason)
    warnings.push(`Reliability could not be estimated. ${coefficients.alpha_reason}`);
  if (!covariances) return warnings;
  const { method, cases, minShared, constant } = covariances;
  const dropped = totals.cases - cases;
  if (method === 'listwise') {
    warnings.push(
      `${explainIncomplete(completion, parameters)}. ${formatCount(dropped, 'case')} of ${totals.cases} without a score on every question ` +
        `${dropped === 1 ? 'is' : 'are'} left out (listwise deletion).`,
    );
  }
  if (method === 'pairwise') {
    warnings.push(
      `${explainIncomplete(completion, parameters)}. ${formatPercent(countComplete(totals) / totals.cases)} of the cases have a score on every question; ` +
        `listwise deletion needs 80 %. Covariances are pairwise, from at least ${minShared} cases per pair of questions. ` +
        'The coefficients describe a test of all these questions; alpha_at_mean_length describes a test of the mean length.',
    );
  }
  warnings.push(
    ...warnOfSpeed(
      completion,
      parameters.not_reached === 'wrong'
        ? 'Coefficients of internal consistency are inflated by speed, because the questions that were not reached are wrong together; a retest or separately timed halves estimate reliability better.'
        : 'Coefficients of internal consistency describe the questions that were reached, not the speed of work; a retest or separately timed halves estimate reliability better.',
    ),
  );
  if (constant.length > 0) {
    const [subject, object] =
      constant.length === 1 ? ['1 question has', 'it'] : [`${constant.length} questions have`, 'them'];
    warnings.push(
      `${subject} no variance (flag no_variance): part of the scores, left out of the coefficients. alpha_all_questions is alpha with ${object}.`,
    );
  }
  if (coefficients.alpha !== null && coefficients.alpha < 0) {
    warnings.push(
      'Alpha is negative: questions correlate negatively, as when keys are reversed. If half of the keys are, the direction of the score is arbitrary, and `item_statistics` cannot say which half: check all keys.',
    );
  }
  return warnings;
}
