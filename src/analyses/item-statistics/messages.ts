import { formatCount, formatDecimal, formatPercent, roundTo, uncapitalise } from '../shared/format.ts';
import type { ItemStatistics, Parameters, Summary } from './schemas.ts';

/** If a larger share of those who saw a question omitted it, the message says so. */
const MAX_UNREMARKED_OMISSIONS = 1 / 3;

export const OPTIONS_HIDDEN =
  'Statistics of options are left out because this result does not include answers: choice counts, non-functioning distractors, and evidence of a wrong key.';

export function explainNoDiscrimination(n: number, variance: number): string {
  if (n === 0) return 'No case has a score on this and on another question.';
  if (n === 1) return 'Only one case has a score on this and on another question.';
  return variance > 0
    ? 'All cases have the same score on the other questions.'
    : 'All responses are correct, or all are incorrect.';
}

/** Facility and discrimination, in words. */
export function describeStatistics(statistics: ItemStatistics, parameters: Parameters): string {
  const { n, correct, facility, corrected_point_biserial: r, discrimination_reason } = statistics;
  const share = n < parameters.min_cases ? String(correct) : formatPercent(facility!);
  const difficulty = `${share} of ${n} answered correctly`;
  if (r === null) return `${difficulty}; discrimination is unknown${formatReason(discrimination_reason)}`;
  const tooFew = explainTooFew(statistics, parameters);
  if (tooFew) return `${difficulty}; ${tooFew}`;
  return `${difficulty}; discrimination ${formatDecimal(r)} is ${gradeDiscrimination(roundTo(r))}`;
}

const formatReason = (reason: string | null) =>
  reason ? `, because ${uncapitalise(reason).replace(/\.$/, '')}` : '';

/** The grades of Ebel (1972). */
function gradeDiscrimination(discrimination: number): string {
  if (discrimination < 0) return 'negative';
  if (discrimination >= 0.4) return 'very good';
  if (discrimination >= 0.3) return 'good';
  return discrimination >= 0.2 ? 'marginal' : 'poor';
}

/**
 * Why discrimination is not judged: a single case could decide it. Undefined if there are enough
 * responses.
 */
export function explainTooFew(
  { n, discrimination_n, discrimination_correct: correct }: ItemStatistics,
  { min_per_outcome }: Parameters,
): string | undefined {
  const incorrect = discrimination_n - correct;
  const few = [
    ...(correct < min_per_outcome ? [`correct (${correct})`] : []),
    ...(incorrect < min_per_outcome ? [`incorrect (${incorrect})`] : []),
  ];
  if (few.length === 0) return undefined;
  const among =
    discrimination_n < n ? ` among the ${discrimination_n} cases with a score on another question` : '';
  return `too few ${few.join(' and ')} responses${among} to judge discrimination`;
}

export function describeOmissions(
  { correct, incorrect, omitted }: ItemStatistics,
  parameters: Parameters,
): string[] {
  const seen = correct + incorrect + omitted;
  if (!(omitted > MAX_UNREMARKED_OMISSIONS * seen)) return [];
  const scoring = parameters.omitted === 'wrong' ? ', which counts as wrong' : '';
  return [`${omitted} of ${seen} omitted it${scoring}`];
}

export function buildWarnings(
  { cases, score, alpha_reason, responses }: Omit<Summary, 'verdicts' | 'flags'>,
  { min_cases }: Parameters,
): string[] {
  if (responses === 0) return ['There are no responses to these questions.'];
  const warnings: string[] = [];
  if (score !== 'number_correct') {
    warnings.push(
      'Cases were asked different questions: the score is the proportion correct of the questions asked, and the rest score the same without the question at hand. ' +
        'Effective weights need a common total and are left out. If some cases were asked harder questions, discrimination is underestimated.',
    );
  }
  if (cases > 0 && cases < min_cases)
    warnings.push(`Only ${formatCount(cases, 'case')}: questions are judged from ${min_cases} cases on.`);
  if (alpha_reason) warnings.push(`Alpha could not be computed. ${alpha_reason}`);
  return warnings;
}
