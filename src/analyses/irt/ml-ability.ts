/** The ability that makes a case's answers most likely, without regard to how able others are. */

import { mean } from '../../statistics/descriptive.ts';
import type { Scores } from '../shared/responses.ts';
import type { Curves } from './calibration/model.ts';

/** What lies beyond is taken for boundless: nobody's answers tell such abilities apart. */
const END = 10;
const MOST_STEPS = 50;
const LONGEST_STEP = 1;
/** Steps come to square their error: after one as small as this, nothing is left of it. */
const SETTLED = 1e-3;
/** Those for whom no ability is high or low enough are put so far beyond the others, in logits of a question of the mean slope. */
const BEYOND = 0.1;
/** Cases between two looks at whether the run is still wanted. */
const AT_ONCE = 1 << 10;

/**
 * By Fisher's scoring, from the start given. Where all is right or all is wrong there is no such ability: these cases are put a
 * little beyond all others, as is the custom for infit and outfit. NaN for cases without scores.
 */
export async function mostLikely(
  scores: Scores,
  curves: Curves,
  start: Float64Array,
  rest: () => Promise<void>,
): Promise<Float64Array> {
  const found = new Float64Array(scores.cases).fill(Number.NaN);
  let least = Infinity;
  let most = -Infinity;
  for (let c = 0; c < scores.cases; c++) {
    if (c % AT_ONCE === 0) await rest();
    if (scores.starts[c + 1] === scores.starts[c]) continue;
    const ability = climb(scores, curves, c, start[c]!);
    found[c] = ability;
    if (Math.abs(ability) >= END) continue;
    least = Math.min(least, ability);
    most = Math.max(most, ability);
  }
  if (least > most) return found;
  const beyond = BEYOND / (mean(curves.slope.map(Math.abs)) || 1);
  for (let c = 0; c < scores.cases; c++) {
    if (found[c]! >= END) found[c] = most + beyond;
    else if (found[c]! <= -END) found[c] = least - beyond;
  }
  return found;
}

function climb(scores: Scores, { slope, intercept, lower }: Curves, c: number, start: number): number {
  const { starts, item, right } = scores;
  let ability = start;
  for (let step = 0; step < MOST_STEPS; step++) {
    let gradient = 0;
    let information = 0;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const j = item[i]!;
      const a = slope[j]!;
      const known = 1 / (1 + Math.exp(-(a * ability + intercept[j]!)));
      const p = lower[j]! + (1 - lower[j]!) * known;
      const share = lower[j]! > 0 ? known / p : 1;
      gradient += a * (right[i]! - p) * share;
      information += a * a * p * (1 - p) * share * share;
    }
    const wanted = gradient / information;
    const taken = Math.max(-LONGEST_STEP, Math.min(LONGEST_STEP, wanted));
    if (Number.isNaN(taken)) return ability;
    ability = Math.max(-END, Math.min(END, ability + taken));
    if (Math.abs(taken) < SETTLED || (Math.abs(ability) === END && ability * taken > 0)) break;
  }
  return ability;
}
