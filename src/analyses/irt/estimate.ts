/** Calibrates the questions of a sample, and looks at how well they fit. */
import { falseDiscoveryRate } from '../../statistics/adjust.ts';
import { type Calibration, type CalibrationOptions, calibrate } from './calibration/calibrate.ts';
import type { Model } from './calibration/model.ts';
import { meanSquares, type Squares } from './infit-outfit.ts';
import { mostLikely } from './ml-ability.ts';
import { type ObservedGroup, observedGroups } from './observed-proportions.ts';
import { type SumScoreFit, sumScoreFits } from './s-x2.ts';
import type { Sample } from './sample.ts';
import { informationOf, type TestInformation } from './test-information.ts';

/** What was found about the questions that were calibrated, by their place among them. */
export interface Measures {
  calibration: Calibration;
  model: Model;
  information: TestInformation;
  complete_cases: number;
  /** Why there is no S-X² for any question; null where there is. */
  untested: string | null;
  sumScores: readonly (SumScoreFit | null)[];
  /** Their p-values, adjusted for their number. */
  adjusted: readonly (number | null)[];
  squares(item: number): Squares | null;
  observed(item: number): ObservedGroup[];
}

/** What the parts of the work take, as measured on 20,000 cases and 100 questions. */
const CALIBRATED = 0.8;
const CLIMBED = 0.87;
const SQUARED = 0.9;
const OBSERVED = 0.97;

/** Of an estimate, what is owed to the answers. */
const SMALLEST_SHARE = 0.3;

export async function measure(
  { scores, questions }: Sample,
  options: CalibrationOptions,
  progress: (share: number) => Promise<void>,
): Promise<Measures> {
  const calibration = await calibrate(scores, options, (share) => progress(CALIBRATED * share));
  const { ability, ability_error } = calibration;
  // Were both normal, the likelihood would have its peak where the estimate goes when what is known of others is taken out.
  const start = ability.map((value, c) => value / Math.max(SMALLEST_SHARE, 1 - ability_error[c]! ** 2));
  const likeliest = await mostLikely(scores, calibration, start, () => progress(CALIBRATED));
  const squares = await meanSquares(scores, calibration, likeliest, () => progress(CLIMBED));
  const observed = await observedGroups(scores, calibration, ability, () => progress(SQUARED));
  const { model } = options;
  const fits = await sumScoreFits(scores, calibration, model === '3pl' ? 3 : 2, () => progress(OBSERVED));
  const sumScores = Array.from(questions, (_, item) => fits.fit(item));
  return {
    calibration,
    model,
    information: await informationOf(calibration, model, () => progress(OBSERVED)),
    complete_cases: fits.cases,
    untested: fits.reason ?? (sumScores.every((fit) => fit === null) ? TOO_FEW_GROUPS : null),
    sumScores,
    adjusted: falseDiscoveryRate(sumScores.map((fit) => fit?.p_value ?? null)),
    squares,
    observed,
  };
}

const TOO_FEW_GROUPS =
  'Those who answered all questions are too few, or have too few different numbers of right answers.';
