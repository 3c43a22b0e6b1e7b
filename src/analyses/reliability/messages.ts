/** What is said of a question's part in the reliability, and of the distribution of the scores. */

import { capitalised, counted, decimal, rounded } from '../shared/format.ts';
import type { Summary } from './schemas.ts';

/** A smaller change of alpha does not show in its second decimal, the last one usually reported. */
const NO_DIFFERENCE = 0.005;
/** A correlation that is next to none, and, by Ebel (1972), where poor ends. */
const NOTHING = 0.05;
const LITTLE = 0.2;

interface AboutQuestion {
  n: number;
  right: number;
  constant: boolean;
  /** The correlation with the total of the others. */
  corrected: number | null;
  alpha: number | null;
  /** Alpha of the others. */
  without: number | null;
  /** Whether alpha rises by so much without it that it would be flagged, and whether there are cases enough to do so. */
  notable: boolean;
  enough: boolean;
}

export function aboutQuestion(about: AboutQuestion): string {
  const { n, right, constant, corrected, alpha, without } = about;
  if (n === 0) return 'No response to it counts, as omitted and not reached ones are set.';
  if (constant) {
    const outcome = right === 0 ? 'wrong' : right === n ? 'right' : 'the same among the cases used';
    return `Its answers are all ${outcome} (n = ${n}), so it tells no one apart and is left out of the coefficients.`;
  }
  if (without === null || alpha === null) return 'Alpha without it cannot be computed.';
  const said = effect(alpha, without, about);
  return corrected === null ? `${capitalised(said)}.` : `${related(corrected)}: ${said}.`;
}

function related(correlation: number): string {
  const shown = rounded(correlation);
  const figure = `(corrected correlation ${decimal(correlation)})`;
  if (Math.abs(shown) < NOTHING) return `It does not go together with the others ${figure}`;
  if (shown < 0) return `It goes against the others ${figure}`;
  return `It goes together with the others ${shown < LITTLE ? 'only a little ' : ''}${figure}`;
}

function effect(
  alpha: number,
  without: number,
  { notable, enough }: Pick<AboutQuestion, 'notable' | 'enough'>,
): string {
  const change = `from ${decimal(alpha, 3)} to ${decimal(without, 3)}`;
  if (notable) {
    return `without it, alpha would rise ${change}${enough ? '' : ', but there are too few cases to rely on that'}`;
  }
  if (Math.abs(without - alpha) < NO_DIFFERENCE) {
    return `it makes next to no difference to alpha, which is ${decimal(alpha, 3)} with it and ${decimal(without, 3)} without`;
  }
  return without > alpha
    ? `without it, alpha would rise ${change}, which is not notable`
    : `without it, alpha would fall ${change}`;
}

/** The standard error of measurement is in questions: beside shares it would be taken for one of them. */
export function aboutScores(summary: Summary): string {
  const { score, alpha, standard_error_of_measurement: error } = summary;
  if (score.mean === null || score.median === null) return 'There are no scores.';
  const counts = score.kind === 'number right';
  const spread = score.sd === null ? '' : `, standard deviation ${decimal(score.sd)}`;
  const scores = `Scores (${score.kind}) of ${counted(score.n, 'case')}: mean ${decimal(score.mean)}, median ${decimal(score.median)}${spread}.`;
  if (alpha === null) return `${scores} There is no alpha.`;
  const errors =
    counts && error !== null ? `; standard error of measurement: ${decimal(error)} questions` : '';
  return `${scores} Alpha: ${decimal(alpha)}${errors}.`;
}
