/**
 * Estimates the probability that a question belongs to the predicted class and has another label by
 * mistake.
 *
 * Calibration has a noise rate for each label. Here there is one for each pair of classes: the rate
 * at which questions of class s have the label g. Where it is well above the rate of mistakes, the
 * classes overlap (films and cartoons) and a question of s with the label g is a matter of opinion.
 * The certainty is the share of plain mistakes among the ways in which the label can have come about:
 *
 *     p_s·m / ((1 − w)·p_g + Σ_t p_t·max(m, r_tg))
 *
 * with the classifier's probabilities p, the rate of mistakes m, the weight of noise w and the rates
 * r. The rates are fitted by EM with a gamma prior around the noise rate of the label. A question
 * does not count for the rate that it is judged by: a single mistake does not make an overlap.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Calibration } from './calibration.ts';
import { type Predictions, predictClass } from './confident-learning.ts';

const EM_ITERATIONS = 12;
/** Questions with which a pair of classes is believed to begin with, at the label's noise rate. */
const PRIOR_QUESTIONS = 1;

/** By row: the probability that the predicted class is the true one and the label a mistake. */
export async function computeCertainties(
  predictions: Predictions,
  calibration: Calibration,
  ticker: Ticker,
): Promise<Float64Array> {
  const { labels, classes } = predictions;
  const sizes = sumProbabilities(predictions);
  // By label, then true class: the expected number of questions, and their rate.
  let expected = new Float64Array(classes * classes);
  const rates = new Float64Array(classes * classes);
  const updateRates = () => {
    for (let label = 0; label < classes; label++) {
      for (let truth = 0; truth < classes; truth++) {
        const cell = label * classes + truth;
        rates[cell] = computeRate(expected[cell]!, sizes[truth]!, calibration.noiseRates[label]!);
      }
    }
  };
  updateRates();
  for (let iteration = 0; iteration < EM_ITERATIONS; iteration++) {
    const next = new Float64Array(classes * classes);
    for (let row = 0; row < labels.length; row++) {
      if (ticker.due()) await ticker.yield((iteration + row / labels.length) / (EM_ITERATIONS + 1));
      addExpected(predictions, row, rates, calibration.noiseWeight, next);
    }
    expected = next;
    updateRates();
  }
  const certainties = new Float64Array(labels.length);
  for (let row = 0; row < labels.length; row++) {
    if (ticker.due()) await ticker.yield((EM_ITERATIONS + row / labels.length) / (EM_ITERATIONS + 1));
    certainties[row] = computeCertainty(predictions, row, { expected, rates, sizes }, calibration);
  }
  return certainties;
}

const computeRate = (count: number, size: number, noiseRate: number): number =>
  noiseRate > 0 ? (count + PRIOR_QUESTIONS) / (size + PRIOR_QUESTIONS / noiseRate) : 0;

function sumProbabilities({ probabilities, classes }: Predictions): Float64Array {
  const sums = new Float64Array(classes);
  for (let i = 0; i < probabilities.length; i++) sums[i % classes]! += probabilities[i]!;
  return sums;
}

/** Adds, for each class, the probability that it is the true one and the label noise. */
function addExpected(
  { labels, probabilities, classes }: Predictions,
  row: number,
  rates: Float64Array,
  noiseWeight: number,
  counts: Float64Array,
): void {
  const label = labels[row]!;
  const first = row * classes;
  let total = (1 - noiseWeight) * probabilities[first + label]!;
  for (let truth = 0; truth < classes; truth++) {
    if (truth !== label) total += probabilities[first + truth]! * rates[label * classes + truth]!;
  }
  if (total <= 0) return;
  for (let truth = 0; truth < classes; truth++) {
    const cell = label * classes + truth;
    if (truth !== label) counts[cell]! += (probabilities[first + truth]! * rates[cell]!) / total;
  }
}

interface PairRates {
  expected: Float64Array;
  rates: Float64Array;
  sizes: Float64Array;
}

function computeCertainty(
  predictions: Predictions,
  row: number,
  { expected, rates, sizes }: PairRates,
  { noiseWeight, noiseRates, mistakeRate }: Calibration,
): number {
  const { labels, probabilities, classes } = predictions;
  const label = labels[row]!;
  const predicted = predictClass(predictions, row);
  if (predicted === label) return 0;
  const first = row * classes;
  const clean = (1 - noiseWeight) * probabilities[first + label]!;
  let noisy = 0;
  for (let truth = 0; truth < classes; truth++) {
    if (truth !== label) noisy += probabilities[first + truth]! * rates[label * classes + truth]!;
  }
  let total = clean;
  for (let truth = 0; truth < classes; truth++) {
    if (truth === label) continue;
    const cell = label * classes + truth;
    const own = (probabilities[first + truth]! * rates[cell]!) / Math.max(clean + noisy, Number.MIN_VALUE);
    const rate = computeRate(expected[cell]! - own, sizes[truth]!, noiseRates[label]!);
    total += probabilities[first + truth]! * Math.max(mistakeRate, rate);
  }
  return total > 0 ? (probabilities[first + predicted]! * mistakeRate) / total : 0;
}
