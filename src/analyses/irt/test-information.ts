/** How well all questions together measure, by ability. */

import { type Curves, type Model, slopeBoundOf } from './calibration/model.ts';
import { curveOf, information } from './curves.ts';

/** The range that the abilities of a standard normal population are looked for in, and how finely. */
const END = 6;
const PER_UNIT = 20;
const PLACES = 2 * END * PER_UNIT + 1;
/** Questions between two looks at whether the run is still wanted. */
const AT_ONCE = 2000;
/** The part that is shown, and how finely. */
const SHOWN_END = 4;
const SHOWN_PER_UNIT = 10;

const abilityOf = (place: number) => (place - END * PER_UNIT) / PER_UNIT;
const placeOf = (ability: number) => Math.round((ability + END) * PER_UNIT);

export interface TestInformation {
  /** Questions that it is the sum of. */
  questions: number;
  /** At abilities from −6 to 6. */
  total: Float64Array;
}

/** Of all questions but those whose slope is at its bound: what these would add is the bound's doing. */
export async function informationOf(
  curves: Curves,
  model: Model,
  rest: () => Promise<void>,
): Promise<TestInformation> {
  const total = new Float64Array(PLACES);
  let questions = 0;
  for (let item = 0; item < curves.slope.length; item++) {
    if (item % AT_ONCE === 0) await rest();
    const curve = curveOf(curves, item);
    if (slopeBoundOf(model, curve.slope)) continue;
    questions++;
    for (let place = 0; place < PLACES; place++) total[place]! += information(curve, abilityOf(place));
  }
  return { questions, total };
}

/** Nothing where there is no information to speak of: the error is boundless there. */
const errorOf = (information: number) => (information > Number.EPSILON ? 1 / Math.sqrt(information) : null);

/** The reliability to be expected in a standard normal population: the mean of I / (I + 1) over it. */
export function marginalReliability({ questions, total }: TestInformation): number | null {
  if (questions === 0) return null;
  let sum = 0;
  let weights = 0;
  for (const [place, information] of total.entries()) {
    const weight = Math.exp(-(abilityOf(place) ** 2) / 2);
    sum += (weight * information) / (information + 1);
    weights += weight;
  }
  return sum / weights;
}

/** The table that is shown, where the test measures best, and around that place, where it measures well enough. */
export function describeInformation({ questions, total }: TestInformation, largestError: number) {
  if (questions === 0) return { questions, points: [], best: null, precise: null };
  const at = (place: number) => ({
    ability: abilityOf(place),
    information: Number(total[place]!.toPrecision(6)),
    standard_error: rounded(errorOf(total[place]!)),
  });
  const steps = 2 * SHOWN_END * SHOWN_PER_UNIT;
  const points = Array.from({ length: steps + 1 }, (_, i) => at(placeOf(i / SHOWN_PER_UNIT - SHOWN_END)));
  const best = total.indexOf(total.reduce((most, each) => Math.max(most, each)));
  const enough = (place: number) => (errorOf(total[place] ?? 0) ?? Infinity) <= largestError;
  if (!enough(best)) return { questions, points, best: at(best), precise: null };
  let from = best;
  while (enough(from - 1)) from--;
  let to = best;
  while (enough(to + 1)) to++;
  return { questions, points, best: at(best), precise: { from: abilityOf(from), to: abilityOf(to) } };
}

const rounded = (value: number | null) => value && Number(value.toPrecision(6));
