/** Warnings about a calibration as a whole. */

import { type Completion, warnOfSpeed } from '../shared/completion.ts';
import { formatCount } from '../shared/format.ts';
import type { Flag, Summary } from './schemas.ts';

interface Settings {
  min_responses: number;
  min_per_outcome: number;
  max_iterations: number;
  tolerance: number;
  not_reached: 'wrong' | 'missing';
}

const SPEED_CONSEQUENCES = {
  wrong:
    'Questions that were not reached count as wrong: the last questions appear harder and more discriminating than they are, and the model assumes no effect of speed.',
  missing:
    'Questions that were not reached are ignored, which is valid if reaching them does not depend on ability; the model assumes no effect of speed.',
};

type Estimation = NonNullable<Summary['estimation']>;

export function listWarnings(summary: Summary, settings: Settings, completion: Completion): string[] {
  const { estimation, reason } = summary;
  if (!estimation) return reason ? [reason] : [];
  return [
    ...warnOfEstimation(estimation, settings),
    ...warnOfSampleSize(summary, settings),
    ...(estimation.standard_errors_note ? [estimation.standard_errors_note] : []),
    ...warnOfData(summary),
    ...warnOfSpeed(completion, SPEED_CONSEQUENCES[settings.not_reached]),
  ];
}

function* warnOfEstimation(
  estimation: Estimation,
  { max_iterations, tolerance }: Settings,
): Generator<string> {
  const { converged, iterations, last_change, common_discrimination_bound: bound } = estimation;
  if (!converged) {
    const problem =
      iterations >= max_iterations
        ? `The estimation did not converge within ${formatCount(iterations, 'iteration')}`
        : last_change > tolerance
          ? 'The estimation did not converge'
          : 'The estimation found no unique maximum';
    yield `${problem}: do not rely on the estimates. A model with fewer parameters, more responses or fewer questions may help.`;
  }
  if (bound === 'lower')
    yield 'The common discrimination is 0: the questions do not measure a common ability, or some are reversed. Check the keys ' +
      '(`item_statistics` names questions with a negative discrimination), or use the 2PL, which estimates a discrimination for each question.';
  if (bound === 'upper')
    yield 'The common discrimination reached the bound of 20 and has no estimate: step functions fit better than logistic curves, as in a perfect ' +
      'Guttman scale. The difficulties have no standard errors.';
}

function* warnOfSampleSize(
  summary: Summary,
  { min_responses, min_per_outcome }: Settings,
): Generator<string> {
  const { cases_used, questions_dropped, model } = summary;
  const few = countFlagged(summary, 'few_responses');
  if (cases_used < min_responses)
    yield `${formatCount(cases_used, 'case')} ${cases_used === 1 ? 'is' : 'are'} fewer than the ${min_responses} recommended for the ${model.toUpperCase()}: ` +
      'the estimates and their standard errors may be far off.';
  else if (few > 0)
    yield `${formatCount(few, 'question')} ${few === 1 ? 'has' : 'have'} fewer than ${formatCount(min_responses, 'response')}: ` +
      `${few === 1 ? 'its' : 'their'} estimates may be far off.`;
  if (questions_dropped > 0) {
    const reason =
      min_per_outcome === 1
        ? 'all responses are right, or all are wrong'
        : `fewer than ${min_per_outcome} responses are right, or fewer than ${min_per_outcome} are wrong (\`min_per_outcome\`)`;
    yield `${formatCount(questions_dropped, 'question')} ${questions_dropped === 1 ? 'was' : 'were'} not calibrated: ${reason}.`;
  }
}

function* warnOfData(summary: Summary): Generator<string> {
  const { connected_components: components, fit, cases_used } = summary;
  const negative = countFlagged(summary, 'negative_discrimination');
  if ((components ?? 1) > 1)
    yield `The data falls into ${components} subsets that share neither cases nor questions. Their estimates are comparable only if the ` +
      'respondents of all subsets are equally able, as is assumed here.';
  if (fit?.reason) yield `S-X² was not computed. ${fit.reason}`;
  else if (fit && fit.complete_cases < cases_used)
    yield `S-X² is based on the ${formatCount(fit.complete_cases, 'case')} that answered all calibrated questions.`;
  if (summary.estimation!.direction_uncertain)
    yield 'A third or more of the discriminations are negative. The direction of the scale is arbitrary: it is the same model with all signs reversed, so the wrong keys may ' +
      'be those of the questions with a positive discrimination. Or the questions do not measure a common ability. Check the keys of all questions, then run the analysis again.';
  else if (negative === 1)
    yield '1 question has a negative discrimination: check its key first, then run the analysis again.';
  else if (negative > 1)
    yield `${negative} questions have a negative discrimination: check their keys first, then run the analysis again.`;
}

const countFlagged = ({ flags }: Summary, flag: Flag) =>
  flags.find((entry) => entry.flag === flag)?.questions ?? 0;
