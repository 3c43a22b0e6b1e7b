/**
 * How much the scores of a classifier are worth, and how many labels are wrong. Both are found together, as what makes
 * the labels most probable (expectation maximisation): a question is filed as the classifier says, its scores multiplied
 * by a factor (temperature scaling, Guo et al. 2017), or it is a stray, filed under a class whatever its text.
 *
 * Each class has its own rate of strays. What goes astray by mistake goes anywhere, so that the median rate is that of
 * mistakes; a class with a higher one is a catch-all, and takes in by design what looks like something else.
 *
 * On 5,250 trivia questions with 0.5, 2, 5 and 10 % of the categories exchanged at random, 0.5, 2.4, 4.8 and 9.0 % were
 * estimated to be mistakes. Confident learning says 18 % and more of them all, for it counts classes that overlap.
 */
import { quantile } from '../../statistics/descriptive.ts';
import { softmax } from './logistic-regression.ts';

export interface Calibration {
  /** What scores are multiplied by before they are made probabilities. */
  inverseTemperature: number;
  /** The share of strays among all questions. */
  noiseWeight: number;
  /** By class: how probable it is that a question of another class is filed under it. */
  noiseRates: Float64Array;
  /** The same for mistakes: the median of them, but never less than a bank in the best order has. */
  mistakeRate: number;
  /** The share of labels that are mistakes, by the median alone. */
  noise: number;
}

const SHARPNESSES = Array.from({ length: 33 }, (_, i) => 2 ** ((i - 16) / 8));
/** As many rows tell the sharpness as well as all would. */
const ENOUGH_ROWS = 20_000;
const ROUNDS = 40;
/** Rows between two breaths. */
const BREATH = 2e6;
const FIRST_GUESS = 0.02;
/** With 0.5 % planted mistakes, taking them to be 1 % found three times as many at the same precision. */
const LEAST_NOISE = 0.01;
/** How many rows, as a share of all, speak for a class being like all others: small ones say little for themselves. */
const LIKE_OTHERS = 0.05;

/** How probable it is that a label is a mistake, if the classifier gives it this probability. */
export function computeErrorProbability(
  probability: number,
  label: number,
  calibration: Calibration,
): number {
  const { noiseWeight, noiseRates, mistakeRate } = calibration;
  const other = 1 - probability;
  const all = (1 - noiseWeight) * probability + Math.max(mistakeRate, noiseRates[label]!) * other;
  return all > 0 ? (mistakeRate * other) / all : 0;
}

/** `scores` are by row, then class. `breathe` is waited for now and then. */
export async function calibrate(
  scores: Float32Array,
  labels: ArrayLike<number>,
  classes: number,
  breathe: () => Promise<void>,
): Promise<Calibration> {
  const every = Math.ceil(labels.length / ENOUGH_ROWS);
  let best = { sharpness: 1, loss: Number.POSITIVE_INFINITY };
  for (const sharpness of SHARPNESSES) {
    const sample = believed(scores, labels, classes, sharpness, every);
    const loss = lossOf(sample, await fitStrays(sample, classes, breathe));
    if (loss < best.loss) best = { sharpness, loss };
  }
  const all = believed(scores, labels, classes, best.sharpness, 1);
  const { noiseWeight, noiseRates } = await fitStrays(all, classes, breathe);
  const median = quantile(noiseRates.toSorted(), 0.5)!;
  return {
    inverseTemperature: best.sharpness,
    noiseWeight,
    noiseRates,
    mistakeRate: Math.max(median, LEAST_NOISE / (classes - 1)),
    noise: Math.min(1, median * (classes - 1)),
  };
}

/** Labels, and how probable the classifier finds them. */
interface Belief {
  labels: Uint16Array;
  confidences: Float64Array;
}

function believed(
  scores: Float32Array,
  labels: ArrayLike<number>,
  classes: number,
  sharpness: number,
  every: number,
): Belief {
  const count = Math.ceil(labels.length / every);
  const belief = { labels: new Uint16Array(count), confidences: new Float64Array(count) };
  const row = new Float64Array(classes);
  for (let k = 0, i = 0; k < count; k++, i += every) {
    row.set(scores.subarray(i * classes, (i + 1) * classes));
    softmax(row, sharpness);
    belief.labels[k] = labels[i]!;
    belief.confidences[k] = row[labels[i]!]!;
  }
  return belief;
}

type Fit = Pick<Calibration, 'noiseWeight' | 'noiseRates'>;

/** The rates of strays that the labels themselves lead to. */
async function fitStrays(belief: Belief, classes: number, breathe: () => Promise<void>): Promise<Fit> {
  const { labels, confidences } = belief;
  const likeOthers = LIKE_OTHERS * labels.length;
  const others = new Float64Array(classes).fill(labels.length);
  for (const label of labels) others[label]! -= 1;
  let noiseWeight = FIRST_GUESS;
  const noiseRates = new Float64Array(classes).fill(noiseWeight / (classes - 1));
  for (let round = 0; round < ROUNDS; round++) {
    const sums = straysByClass(belief, { noiseWeight, noiseRates });
    noiseWeight = sums.reduce((sum, value) => sum + value) / labels.length;
    const usual = noiseWeight / (classes - 1);
    for (let c = 0; c < classes; c++) {
      noiseRates[c] = (sums[c]! + likeOthers * usual) / (others[c]! + likeOthers);
    }
    if ((round * confidences.length) % BREATH < confidences.length) await breathe();
  }
  return { noiseWeight, noiseRates };
}

/** How many questions of each class are strays, judging by the rates so far. */
function straysByClass({ labels, confidences }: Belief, { noiseWeight, noiseRates }: Fit): Float64Array {
  const sums = new Float64Array(noiseRates.length);
  for (let i = 0; i < labels.length; i++) {
    const stray = noiseRates[labels[i]!]! * (1 - confidences[i]!);
    const probability = stray + (1 - noiseWeight) * confidences[i]!;
    if (probability > 0) sums[labels[i]!]! += stray / probability;
  }
  return sums;
}

/** How improbable all labels are together. */
function lossOf({ labels, confidences }: Belief, { noiseWeight, noiseRates }: Fit): number {
  let loss = 0;
  for (let i = 0; i < labels.length; i++) {
    const probability = noiseRates[labels[i]!]! * (1 - confidences[i]!) + (1 - noiseWeight) * confidences[i]!;
    loss -= Math.log(Math.max(probability, Number.MIN_VALUE));
  }
  return loss;
}
