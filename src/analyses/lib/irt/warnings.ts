/** What a reader should know before trusting a calibration. */
import type { Summary } from './schemas.ts';

export function warningsOf(summary: Summary, fewest: number, commonSlope: number | null): string[] {
  const { estimation, reason } = summary;
  if (!estimation) return reason ? [reason] : [];
  const flagged = (flag: string) => summary.flags.find((each) => each.flag === flag)?.questions ?? 0;
  const said: [boolean, string][] = [
    [
      !estimation.converged,
      `The estimation did not come to rest within ${estimation.cycles} cycles: do not rely on its figures. ` +
        'A model with fewer parameters, more answers or fewer questions may help.',
    ],
    [
      summary.cases_used < fewest,
      `${summary.cases_used} cases are fewer than the ${fewest} that are advised for the ${summary.model.toUpperCase()}: the estimates may be far off, and so may be their standard errors.`,
    ],
    [
      flagged('few_responses') > 0 && summary.cases_used >= fewest,
      `${questions(flagged('few_responses'))} with fewer than ${fewest} answers: their estimates may be far off.`,
    ],
    [
      summary.questions_dropped > 0,
      `${questions(summary.questions_dropped)} left out, for (nearly) all answers to them are right, or wrong.`,
    ],
    [estimation.standard_errors_note !== null, estimation.standard_errors_note ?? ''],
    [
      commonSlope !== null && commonSlope <= 0,
      'The common slope is not positive: the questions do not measure one ability together.',
    ],
    [
      (summary.parts ?? 1) > 1,
      `The data falls into ${summary.parts} parts that share neither a case nor a question. Figures of different parts ` +
        'can only be compared if their people are equally able, which is taken for granted here.',
    ],
    [
      summary.fit?.reason !== null && summary.fit !== null,
      `S-X² was not computed. ${summary.fit?.reason ?? ''}`.trim(),
    ],
    [
      summary.fit !== null && summary.fit.reason === null && summary.fit.complete_cases < summary.cases_used,
      `S-X² rests on the ${summary.fit?.complete_cases} cases that answered all calibrated questions.`,
    ],
    [
      flagged('negative_slope') > 0,
      `${questions(flagged('negative_slope'))} with a negative slope: look at the keys first, and run this again when they are mended.`,
    ],
  ];
  return said.filter(([applies]) => applies).map(([, sentence]) => sentence);
}

const questions = (n: number) => (n === 1 ? 'There is 1 question' : `There are ${n} questions`);
