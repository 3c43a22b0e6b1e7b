/** What a reader should know before trusting a calibration. */

import { counted } from '../shared/format.ts';
import type { Summary } from './schemas.ts';

interface Asked {
  min_responses: number;
  min_per_outcome: number;
  max_iterations: number;
  tolerance: number;
}

type Estimation = NonNullable<Summary['estimation']>;

export function warningsOf(summary: Summary, asked: Asked): string[] {
  const { estimation, reason } = summary;
  if (!estimation) return reason ? [reason] : [];
  return [
    ...aboutEstimation(estimation, asked),
    ...aboutNumbers(summary, asked),
    ...(estimation.standard_errors_note ? [estimation.standard_errors_note] : []),
    ...aboutData(summary),
  ];
}

function* aboutEstimation(estimation: Estimation, { max_iterations, tolerance }: Asked): Generator<string> {
  const { converged, cycles, last_change, shared_slope_bound: bound } = estimation;
  if (!converged) {
    const found =
      cycles >= max_iterations
        ? `The estimation did not come to rest within ${counted(cycles, 'cycle')}`
        : last_change > tolerance
          ? 'The estimation did not come to rest'
          : 'The estimation found no definite maximum';
    yield `${found}: do not rely on its figures. A model with fewer parameters, more answers or fewer questions may help.`;
  }
  if (bound === 'lower')
    yield 'The shared slope is 0: the questions do not measure one ability together, or work against each other. Look at the keys ' +
      '(`item_statistics` names questions that go against the others), or take the 2PL, in which each question has a slope of its own.';
  if (bound === 'upper')
    yield 'The shared slope ran to the bound of 20: the answers fit steps better than any curves, as where everybody who gets a question right gets ' +
      'all easier ones right. There is no estimate of it, and how far the difficulties may be off is not known.';
}

function* aboutNumbers(
  summary: Summary,
  { min_responses: fewest, min_per_outcome }: Asked,
): Generator<string> {
  const { cases_used, questions_dropped, model } = summary;
  const few = flagged(summary, 'few_responses');
  const [are, their] = few === 1 ? ['is', 'its'] : ['are', 'their'];
  if (cases_used < fewest)
    yield `${counted(cases_used, 'case')} ${cases_used === 1 ? 'is' : 'are'} fewer than the ${fewest} that are advised for the ${model.toUpperCase()}: ` +
      'the estimates may be far off, and so may be their standard errors.';
  else if (few > 0)
    yield `There ${are} ${counted(few, 'question')} with fewer than ${counted(fewest, 'answer')}: ${their} estimates may be far off.`;
  if (questions_dropped > 0) {
    const [is, it] = questions_dropped === 1 ? ['is', 'it'] : ['are', 'each'];
    const why =
      min_per_outcome === 1
        ? `all answers to ${it} are right, or all are wrong`
        : `${it} has fewer than ${min_per_outcome} right or fewer than ${min_per_outcome} wrong answers (\`min_per_outcome\`)`;
    yield `There ${is} ${counted(questions_dropped, 'question')} left out: ${why}.`;
  }
}

function* aboutData(summary: Summary): Generator<string> {
  const { parts, fit, cases_used } = summary;
  const negative = flagged(summary, 'negative_slope');
  if ((parts ?? 1) > 1)
    yield `The data falls into ${parts} parts that share neither a case nor a question. Figures of different parts ` +
      'can only be compared if their people are equally able, which is taken for granted here.';
  if (fit?.reason) yield `S-X² was not computed. ${fit.reason}`;
  else if (fit && fit.complete_cases < cases_used)
    yield `S-X² rests on the ${counted(fit.complete_cases, 'case')} that answered all calibrated questions.`;
  if (negative === 1)
    yield 'There is 1 question with a negative slope: look at its key first, and run this again when it is mended.';
  if (negative > 1)
    yield `There are ${negative} questions with a negative slope: look at the keys first, and run this again when they are mended.`;
}

const flagged = ({ flags }: Summary, flag: string) =>
  flags.find((each) => each.flag === flag)?.questions ?? 0;
