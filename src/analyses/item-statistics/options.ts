/** How the options of a question did: who chose which, and whether it was the better or the weaker ones. */
import { studentUpperTail } from '../../statistics/beta.ts';
import { fisher } from '../../statistics/intervals.ts';
import { asInterval } from '../classical/schema-parts.ts';
import {
  equalGroups,
  inRange,
  kelleyGroups,
  type Levels,
  levelsOf,
  meanInRange,
  tabulate,
} from '../classical/score-groups.ts';
import { type KeyEvidence, type Option, SCORE_GROUPS } from './schemas.ts';

/** With fewer who chose the key, another option is compared with all who did not choose it. */
const FEW = 5;

export interface Choice {
  text: string;
  key: boolean;
}

export interface OptionFigures {
  options: Option[];
  scoreGroups: { n: number; mean_score: number | null }[] | null;
  evidence: KeyEvidence | null;
}

/**
 * `counts`: how often each was chosen. `chosen` and `rests`: what was chosen and the score on the other questions, of the
 * cases that have one.
 */
export function optionFigures(
  choices: readonly Choice[],
  counts: Uint32Array,
  chosen: Uint8Array,
  rests: Float64Array,
): OptionFigures {
  const n = counts.reduce((sum, count) => sum + count, 0);
  const levels = levelsOf(rests);
  const table = tabulate(chosen, choices.length, rests, levels);
  const parts = kelleyGroups(rests.length);
  const fifths = equalGroups(rests.length, SCORE_GROUPS);
  const measured = table.map((row) => measure(row, levels));
  const all = measure(
    Uint32Array.from(levels.ends, (end, i) => end - (levels.ends[i - 1] ?? 0)),
    levels,
  );
  const options = choices.map(({ text, key }, i): Option => {
    const share = (range: readonly [number, number]) =>
      range[1] > range[0] ? inRange(table[i]!, levels, range) / (range[1] - range[0]) : null;
    const r = choiceCorrelation(measured[i]!, all);
    return {
      text,
      key,
      n: counts[i]!,
      share: counts[i]! / n,
      upper: rests.length < 2 ? null : share(parts.upper),
      middle: rests.length < 2 ? null : share(parts.middle),
      lower: rests.length < 2 ? null : share(parts.lower),
      score_groups: rests.length < SCORE_GROUPS ? null : fifths.map(share),
      discrimination_n: measured[i]!.n,
      point_biserial: r,
      point_biserial_interval: r === null ? null : asInterval(fisher(r, rests.length)),
      mean_score: measured[i]!.n > 0 ? measured[i]!.mean : null,
    };
  });
  return {
    options,
    scoreGroups:
      rests.length < SCORE_GROUPS
        ? null
        : fifths.map((range) => ({ n: range[1] - range[0], mean_score: meanInRange(levels, range) })),
    evidence: evidenceOf(options, measured, all),
  };
}

/** How many there are, and the mean and the sum of squares of their scores. */
interface Measure {
  n: number;
  mean: number;
  squares: number;
}

function measure(counts: Uint32Array, { values }: Levels): Measure {
  let n = 0;
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    n += counts[i]!;
    sum += counts[i]! * values[i]!;
  }
  const mean = n > 0 ? sum / n : 0;
  let squares = 0;
  for (let i = 0; i < counts.length; i++) squares += counts[i]! * (values[i]! - mean) ** 2;
  return { n, mean, squares };
}

/** Of choosing it with the score. */
function choiceCorrelation(chose: Measure, all: Measure): number | null {
  const others = all.n - chose.n;
  if (chose.n === 0 || others === 0 || !(all.squares > 1e-12)) return null;
  const r = (chose.n * (chose.mean - all.mean)) / Math.sqrt(((chose.n * others) / all.n) * all.squares);
  return Math.max(-1, Math.min(1, r));
}

/** Those who did not choose it. */
function without(chose: Measure, all: Measure): Measure {
  const n = all.n - chose.n;
  if (n === 0) return { n, mean: 0, squares: 0 };
  const mean = (all.n * all.mean - chose.n * chose.mean) / n;
  const between = ((chose.n * n) / all.n) * (chose.mean - mean) ** 2;
  return { n, mean, squares: Math.max(0, all.squares - chose.squares - between) };
}

/**
 * The wrong option that speaks most against the key: more of the best chose it than the key, it goes with a high score and the
 * key does less so; and how probable the difference in score is if there is none.
 */
function evidenceOf(
  options: readonly Option[],
  measured: readonly Measure[],
  all: Measure,
): KeyEvidence | null {
  const keyPlace = options.findIndex(({ key }) => key);
  const key = options[keyPlace];
  if (!key) return null;
  let best: KeyEvidence | null = null;
  for (const [i, option] of options.entries()) {
    const better =
      (option.point_biserial ?? 0) > Math.max(0, key.point_biserial ?? -1) &&
      (option.upper ?? 0) > (key.upper ?? 0);
    if (option.key || !better) continue;
    const few = measured[keyPlace]!.n < FEW;
    const other = few ? without(measured[i]!, all) : measured[keyPlace]!;
    const test = welch(measured[i]!, other);
    if (test && (best === null || test.p_value < best.p_value)) {
      best = {
        option: option.text,
        n: measured[i]!.n,
        compared_with: few ? 'all who chose another option' : 'those who chose the key',
        compared_n: other.n,
        upper: option.upper!,
        key_upper: key.upper ?? 0,
        ...test,
      };
    }
  }
  return best;
}

/** Welch's test (1947) of whether the first mean is higher. */
function welch(a: Measure, b: Measure) {
  if (a.n < 2 || b.n < 2) return null;
  const [va, vb] = [a.squares / (a.n - 1) / a.n, b.squares / (b.n - 1) / b.n];
  const difference = a.mean - b.mean;
  if (!(va + vb > 1e-24) || !(difference > 0)) return null;
  const t = difference / Math.sqrt(va + vb);
  const degrees_of_freedom = (va + vb) ** 2 / (va ** 2 / (a.n - 1) + vb ** 2 / (b.n - 1));
  return { difference, t, degrees_of_freedom, p_value: studentUpperTail(t, degrees_of_freedom) };
}
