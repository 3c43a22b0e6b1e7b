/**
 * Distractor analysis: the choice counts, discrimination and trace line of each option of a
 * question.
 */
import { studentUpperTail } from '../../statistics/beta.ts';
import { fisher } from '../../statistics/intervals.ts';
import {
  buildScoreLevels,
  countInRange,
  equalGroups,
  kelleyGroups,
  meanInRange,
  type RankRange,
  type ScoreLevels,
  tabulate,
  tabulateSets,
} from '../classical/score-groups.ts';
import { toInterval } from '../shared/schema-parts.ts';
import { type KeyEvidence, type Option, SCORE_GROUPS } from './schemas.ts';

/** With fewer cases that chose the key, a distractor is compared with all other options. */
const MIN_KEY_CASES = 10;
/** A sum of squares below this is rounding error of equal scores. */
const MIN_SUM_OF_SQUARES = 1e-12;
/** The same for the squared standard error of a difference of means. */
const MIN_SQUARED_ERROR = 1e-24;

export interface Choice {
  text: string;
  key: boolean;
}

export interface OptionStatistics {
  options: Option[];
  scoreGroups: { n: number; mean_score: number | null }[] | null;
  evidence: KeyEvidence | null;
}

/** What the cases that have a rest score chose: one option each, or sets of options as bits. */
export type Chosen = { rests: Float64Array } & ({ options: Uint8Array } | { sets: Uint32Array });

/** `counts`: cases by option. `n`: the cases that chose any. */
export function computeOptions(
  choices: readonly Choice[],
  counts: Uint32Array,
  n: number,
  chosen: Chosen,
): OptionStatistics {
  const { rests } = chosen;
  const levels = buildScoreLevels(rests);
  const table =
    'sets' in chosen
      ? tabulateSets(chosen.sets, choices.length, rests, levels)
      : tabulate(chosen.options, choices.length, rests, levels);
  const kelley = kelleyGroups(rests.length);
  const fifths = equalGroups(rests.length, SCORE_GROUPS);
  const samples = table.map((row) => summarise(row, levels));
  const all = summarise(
    Uint32Array.from(levels.ends, (end, i) => end - (levels.ends[i - 1] ?? 0)),
    levels,
  );
  const options = choices.map(({ text, key }, i): Option => {
    const shareIn = (range: RankRange) =>
      range[1] > range[0] ? countInRange(table[i]!, levels, range) / (range[1] - range[0]) : null;
    const r = pointBiserial(samples[i]!, all);
    return {
      text,
      key,
      n: counts[i]!,
      share: counts[i]! / n,
      upper: rests.length < 2 ? null : shareIn(kelley.upper),
      middle: rests.length < 2 ? null : shareIn(kelley.middle),
      lower: rests.length < 2 ? null : shareIn(kelley.lower),
      score_groups: rests.length < SCORE_GROUPS ? null : fifths.map(shareIn),
      discrimination_n: samples[i]!.n,
      point_biserial: r,
      point_biserial_interval: r === null ? null : toInterval(fisher(r, rests.length)),
      p_adjusted: null,
      mean_score: samples[i]!.n > 0 ? samples[i]!.mean : null,
    };
  });
  return {
    options,
    scoreGroups:
      rests.length < SCORE_GROUPS
        ? null
        : fifths.map((range) => ({ n: range[1] - range[0], mean_score: meanInRange(levels, range) })),
    evidence: findKeyEvidence(options, (i, k) => compareChoice(chosen, samples, all, i, k)),
  };
}

/** The size, mean and sum of squared deviations of a set of scores. */
interface Sample {
  n: number;
  mean: number;
  squares: number;
}

function summarise(counts: Uint32Array, { values }: ScoreLevels): Sample {
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

/** The correlation of choosing an option with the rest score. */
function pointBiserial(chose: Sample, all: Sample): number | null {
  const others = all.n - chose.n;
  if (chose.n === 0 || others === 0 || !(all.squares > MIN_SUM_OF_SQUARES)) return null;
  const r = (chose.n * (chose.mean - all.mean)) / Math.sqrt(((chose.n * others) / all.n) * all.squares);
  return Math.max(-1, Math.min(1, r));
}

/** The sample of `all` without `part`. */
function subtract(part: Sample, all: Sample): Sample {
  const n = all.n - part.n;
  if (n === 0) return { n, mean: 0, squares: 0 };
  const mean = (all.n * all.mean - part.n * part.mean) / n;
  const between = ((part.n * n) / all.n) * (part.mean - mean) ** 2;
  return { n, mean, squares: Math.max(0, all.squares - part.squares - between) };
}

/** The rest scores of those who chose a distractor, and of those to compare them with. */
interface Comparison {
  chose: Sample;
  other: Sample;
  compared_with: KeyEvidence['compared_with'];
}

/**
 * Compares a distractor with a key. Where several options can be chosen, those who chose both are
 * left out, so that the samples are independent.
 */
function compareChoice(
  chosen: Chosen,
  samples: readonly Sample[],
  all: Sample,
  distractor: number,
  key: number,
): Comparison {
  if (!('sets' in chosen)) {
    const chose = samples[distractor]!;
    return samples[key]!.n < MIN_KEY_CASES
      ? { chose, other: subtract(chose, all), compared_with: 'all_other_options' }
      : { chose, other: samples[key]!, compared_with: 'key' };
  }
  const select = (wanted: number, unwanted: number) =>
    summariseScores(
      chosen.rests.filter((_, i) => chosen.sets[i]! & (1 << wanted) && !(chosen.sets[i]! & (1 << unwanted))),
    );
  const keyAlone = select(key, distractor);
  return keyAlone.n < MIN_KEY_CASES
    ? {
        chose: samples[distractor]!,
        other: subtract(samples[distractor]!, all),
        compared_with: 'all_other_options',
      }
    : { chose: select(distractor, key), other: keyAlone, compared_with: 'key' };
}

function summariseScores(scores: Float64Array): Sample {
  const levels = buildScoreLevels(scores);
  return summarise(
    Uint32Array.from(levels.ends, (end, i) => end - (levels.ends[i - 1] ?? 0)),
    levels,
  );
}

/**
 * Finds the distractor most likely to be the key: chosen by more of the upper group than the key
 * is, and with a higher, positive discrimination. Of several, the one with the smallest p-value of
 * the difference in rest scores. Of several keys, the one that correlates least is compared.
 */
function findKeyEvidence(
  options: readonly Option[],
  compareWith: (distractor: number, key: number) => Comparison,
): KeyEvidence | null {
  const keys = options.filter((option) => option.key).sort((a, b) => rankKey(a) - rankKey(b));
  const key = keys[0];
  if (!key) return null;
  let best: KeyEvidence | null = null;
  for (const [i, option] of options.entries()) {
    const isBetter =
      (option.point_biserial ?? 0) > Math.max(0, key.point_biserial ?? -1) &&
      (option.upper ?? 0) > (key.upper ?? 0);
    if (option.key || !isBetter) continue;
    const { chose, other, compared_with } = compareWith(i, options.indexOf(key));
    const test = welchTest(chose, other);
    if (test && (best === null || test.p_value < best.p_value)) {
      best = {
        option: option.text,
        key: key.text,
        n: chose.n,
        compared_with,
        compared_n: other.n,
        upper: option.upper!,
        key_upper: key.upper ?? 0,
        ...test,
      };
    }
  }
  return best;
}

/** A key without any choice is the most doubtful, one that every case chose the least. */
const rankKey = ({ n, point_biserial }: Option) => point_biserial ?? (n === 0 ? -2 : 2);

/**
 * Welch's one-sided t-test (1947) that the first mean is higher; null if it is not, or cannot be
 * tested.
 */
function welchTest(a: Sample, b: Sample) {
  if (a.n < 2 || b.n < 2) return null;
  const [va, vb] = [a.squares / (a.n - 1) / a.n, b.squares / (b.n - 1) / b.n];
  const difference = a.mean - b.mean;
  if (!(va + vb > MIN_SQUARED_ERROR) || !(difference > 0)) return null;
  const t = difference / Math.sqrt(va + vb);
  const degrees_of_freedom = (va + vb) ** 2 / (va ** 2 / (a.n - 1) + vb ** 2 / (b.n - 1));
  return { difference, t, degrees_of_freedom, p_value: studentUpperTail(t, degrees_of_freedom) };
}
