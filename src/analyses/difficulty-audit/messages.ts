import { type Completion, explainIncomplete, warnOfSpeed } from '../shared/completion.ts';
import { formatCount } from '../shared/format.ts';
import { getBand, LEVELS } from './bands.ts';
import type { Counts, Judgement, Settings } from './judgement.ts';
import type { Parameters, Summary } from './schemas.ts';

/** If a larger share of the wrong responses are unanswered, the message says so. */
const MAX_UNREMARKED_UNANSWERED = 1 / 3;

export function describeJudgement(
  difficulty: number,
  n: number,
  { verdict, facility, low, high }: Judgement,
  { observed, others }: { observed: number; others: readonly number[] },
  settings: Settings,
): string {
  const label = LEVELS[difficulty]!;
  const level = Math.round(settings.confidence * 1000) / 10;
  const result = `${formatFacility(facility)} of ${formatCount(n, 'response')} ${n === 1 ? 'is' : 'are'} correct (${level} % interval ${formatFacility(low)} to ${formatFacility(high)})`;
  if (verdict === 'too_few') {
    return `Not judged: ${result}, but at least ${formatCount(settings.min_responses, 'response')} are needed.`;
  }
  const [from, to] = getBand(difficulty, settings);
  const band = `${formatFacility(from)} to ${formatFacility(to)}`;
  if (verdict === 'as_labelled') {
    return observed === difficulty
      ? `As labelled: ${result}; ${label} is ${band}.`
      : `Label ${label} not rejected: ${result}; that is ${LEVELS[observed]}, but the interval overlaps ${label} (${band}).`;
  }
  const comparative = verdict === 'harder' ? 'Harder' : 'Easier';
  const alternatives =
    others.length === 0
      ? ''
      : ` (the interval also extends into ${others.map((level) => LEVELS[level]).join(' and ')})`;
  return `${comparative} than labelled: ${result}, but ${label} is ${band}. Suggested: ${LEVELS[observed]}${alternatives}.`;
}

/**
 * Remarks that many of the wrong responses are omitted or not reached, which says little about
 * difficulty.
 */
export function describeUnanswered({ n, correct, unanswered }: Counts, { not_reached }: Settings): string[] {
  const wrong = n - correct;
  if (!(unanswered > MAX_UNREMARKED_UNANSWERED * wrong)) return [];
  const outcome = not_reached === 'wrong' ? 'omitted or not reached' : 'omitted';
  const subject =
    wrong === 1 ? 'The only wrong response was' : `${unanswered} of the ${wrong} wrong responses were`;
  const answered = n - unanswered;
  const consequence =
    answered === 0
      ? 'there are no answers'
      : `without ${unanswered === 1 ? 'it' : 'them'} the facility is ${formatFacility(correct / answered)}`;
  return [`${subject} ${outcome}: ${consequence}.`];
}

/** A facility in percent with one decimal. 0 % and 100 % are exact. */
function formatFacility(facility: number): string {
  const percent = Number((100 * facility).toFixed(1));
  if (percent === 100 && facility < 1) return 'over 99.9 %';
  return percent === 0 && facility > 0 ? 'under 0.1 %' : `${percent} %`;
}

export function describeSummary({ judged, misrated_harder, misrated_easier, too_few }: Summary): string {
  if (judged === 0) return 'No question has enough responses to be judged.';
  return (
    'Facility of each question with its confidence interval, grouped by difficulty label. ' +
    `Judged questions: ${judged}. Harder than labelled: ${misrated_harder}; easier: ${misrated_easier}. Too few responses: ${too_few}.`
  );
}

export function buildWarnings(summary: Summary, completion: Completion, parameters: Parameters): string[] {
  const { min_responses } = parameters;
  const { questions_with_responses: answered, judged, too_few, same_questions } = summary;
  if (answered === 0) return ['There are no responses to these questions: nothing was judged.'];
  const warnings: string[] = [];
  if (!same_questions) {
    warnings.push(
      `${explainIncomplete(completion, parameters)}. ` +
        (completion.samePresented || completion.nested
          ? 'Facility depends on which cases have a score: a question that only the abler ones answered appears easier than it is.'
          : 'Facility depends on who was asked: a question asked of abler respondents appears easier than it is.'),
    );
  }
  warnings.push(
    ...warnOfSpeed(
      completion,
      parameters.not_reached === 'wrong'
        ? 'Questions that were not reached count as wrong, so the last questions appear harder than they are.'
        : 'The facility of the last questions is that of the cases that reached them, who may be abler or faster.',
    ),
  );
  if (too_few > 0) {
    warnings.push(
      `Not judged with fewer than ${min_responses} scored responses: ${too_few} of ${formatCount(answered, 'question')}.`,
    );
  }
  if (judged > 0 && summary.spearman.coefficient === null) {
    warnings.push(`Labels and facilities could not be correlated. ${summary.spearman.reason}`);
  }
  return warnings;
}
