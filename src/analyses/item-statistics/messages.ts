import { type Completion, explainIncomplete, warnOfSpeed } from '../shared/completion.ts';
import {
  formatCount,
  formatDecimal,
  formatP,
  formatPercent,
  roundTo,
  uncapitalise,
} from '../shared/format.ts';
import type { ItemStatistics, Parameters, Summary } from './schemas.ts';

/** A summary before the questions are judged. */
export type BaseSummary = Omit<Summary, 'verdicts' | 'flags' | 'distractors_tested'>;

/** If a larger share of those who saw a question omitted it, the message says so. */
const MAX_UNREMARKED_OMISSIONS = 1 / 3;

export const OPTIONS_HIDDEN =
  'Statistics of options are left out because this result does not include answers: choice counts, non-functioning distractors, and evidence of a wrong key.';

export const DIRECTION_UNCERTAIN =
  'the direction of the score is uncertain: the keys of other questions may be wrong instead, or the questions measure different abilities (see the warnings)';

/** Above this p-value, correlations between the questions may be due to chance. */
const MAX_INDEPENDENCE_P = 0.01;

/** Whether any questions correlate, as far as this was tested. */
export const isAnyRelated = (independenceP: number | null) =>
  independenceP === null || independenceP < MAX_INDEPENDENCE_P;

export function explainNoDiscrimination(n: number, correct: number): string {
  if (n === 0) return 'No case has a score on this and on another question.';
  if (n === 1) return 'Only one case has a score on this and on another question.';
  if (correct === n) return 'All responses are correct.';
  return correct === 0
    ? 'All responses are incorrect.'
    : 'All cases have the same score on the other questions.';
}

/** Facility and discrimination, in words. */
export function describeStatistics(statistics: ItemStatistics, parameters: Parameters): string {
  const { n, correct, facility, corrected_point_biserial: r, discrimination_reason } = statistics;
  const share = n < parameters.min_cases ? String(correct) : formatPercent(facility!);
  const difficulty = `${share} of ${n} answered correctly`;
  if (r === null) return `${difficulty}; discrimination is unknown${formatReason(discrimination_reason)}`;
  const tooFew = explainTooFew(statistics, parameters);
  if (tooFew) return `${difficulty}; ${tooFew}`;
  const isNegative =
    statistics.corrected_point_biserial_interval !== null &&
    roundTo(statistics.corrected_point_biserial_interval.high) < 0;
  const grade = isNegative ? 'negative' : gradeDiscrimination(roundTo(r));
  return `${difficulty}; discrimination ${formatDecimal(r)} is ${grade}`;
}

const formatReason = (reason: string | null) =>
  reason ? `, because ${uncapitalise(reason).replace(/\.$/, '')}` : '';

/** The grades of Ebel (1972). */
function gradeDiscrimination(discrimination: number): string {
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
  { cases, score, alpha_reason, responses, direction_uncertain, independence_p }: BaseSummary,
  completion: Completion,
  parameters: Parameters,
): string[] {
  if (responses === 0) return ['There are no responses to these questions.'];
  const warnings: string[] = [];
  if (score !== 'number_correct') {
    warnings.push(
      `${explainIncomplete(completion, parameters)}: the score is the proportion correct of the questions scored, and the rest score the same without the question at hand. ` +
        'Effective weights need a common total and are left out.' +
        (completion.samePresented || completion.nested
          ? ''
          : ' If some cases were asked harder questions, discrimination is underestimated.'),
    );
  }
  warnings.push(...warnOfSpeed(completion, explainSpeed(parameters)));
  if (cases > 0 && cases < parameters.min_cases)
    warnings.push(
      `Only ${formatCount(cases, 'case')}: questions are judged from ${parameters.min_cases} cases on.`,
    );
  if (cases >= parameters.min_cases && !isAnyRelated(independence_p))
    warnings.push(
      `The questions do not correlate with one another more than by chance (p ${formatP(independence_p!)}): the rest score measures nothing that a single question could be judged by. ` +
        'Check whether the responses were recorded for the right questions, whether they were guessed, and whether the questions belong to one test.',
    );
  if (direction_uncertain)
    warnings.push(
      'A third or more of the questions correlate negatively with the others. Either many keys are reversed, and then the direction of the score is arbitrary: ' +
        'the wrong keys may be those of the questions that appear to work; or the questions measure different abilities. Check the keys of all questions before any other finding is used.',
    );
  if (alpha_reason) warnings.push(`Alpha could not be computed. ${alpha_reason}`);
  return warnings;
}

const explainSpeed = ({ not_reached }: Parameters) =>
  not_reached === 'wrong'
    ? 'Questions that were not reached count as wrong, so the last questions appear harder, and correlations between them are inflated.'
    : 'The statistics of the last questions describe the cases that reached them, who may differ from the others.';
