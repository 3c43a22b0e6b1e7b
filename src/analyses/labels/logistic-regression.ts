/**
 * Multinomial logistic regression with L2 regularization, trained by stochastic gradient descent in
 * a fixed order: the same rows give the same weights, bit for bit. On 5,250 trivia questions it
 * ranked planted errors better than naive Bayes (multinomial and complement) and than an ensemble
 * of both.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { TfIdfMatrix } from './tf-idf.ts';

export interface Model {
  readonly classes: number;
  /** By term, then class. */
  readonly weights: Float32Array;
  /** By class: the intercept. */
  readonly biases: Float64Array;
}

/** Tuned together on 5,250 trivia questions. The learning rate decreases linearly to zero. */
const LEARNING_RATE = 2;
const BIAS_LEARNING_RATE = 0.1;
/** The total weight decay of one epoch. */
const WEIGHT_DECAY = 0.05;
/** Passes over the rows: more for small banks, so that weights converge, fewer for large ones. */
const EPOCHS = 5;
const MIN_EPOCHS = 2;
const MAX_EPOCHS = 40;
const MIN_STEPS = 20_000;
const MAX_STEPS = 1_000_000;

function countEpochs(rows: number): number {
  const epochs = Math.min(MAX_EPOCHS, Math.max(EPOCHS, Math.ceil(MIN_STEPS / rows)));
  return Math.max(MIN_EPOCHS, Math.min(epochs, Math.ceil(MAX_STEPS / rows)));
}

/**
 * Fisher-Yates with a fixed seed. Rows of one class are often adjacent, which would bias the
 * descent.
 */
function shuffle(rows: Uint32Array): void {
  let state = 0x9e3779b9;
  for (let i = rows.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    const row = rows[i]!;
    rows[i] = rows[j]!;
    rows[j] = row;
  }
}

/** Trains on some rows of the matrix. `labels` is by row of the matrix. */
export async function trainModel(
  matrix: TfIdfMatrix,
  labels: ArrayLike<number>,
  classes: number,
  rows: Uint32Array,
  ticker: Ticker,
): Promise<Model> {
  const model = {
    classes,
    weights: new Float32Array(matrix.termCount * classes),
    biases: new Float64Array(classes),
  };
  const order = rows.slice();
  shuffle(order);
  const steps = countEpochs(order.length) * order.length;
  const gradient = new Float64Array(classes);
  // Weight decay is kept as one common factor instead of being applied to all weights in each step.
  let factor = 1;
  for (let step = 0; step < steps; step++) {
    if (ticker.due()) await ticker.yield(step / steps);
    const row = order[step % order.length]!;
    const remaining = 1 - step / steps;
    gradient.set(model.biases);
    addLogits(model.weights, matrix, row, factor, gradient);
    softmax(gradient);
    gradient[labels[row]!]! -= 1;
    factor *= 1 - (LEARNING_RATE * remaining * WEIGHT_DECAY) / order.length;
    descend(model.weights, matrix, row, (LEARNING_RATE * remaining) / factor, gradient);
    for (let c = 0; c < classes; c++) model.biases[c]! -= BIAS_LEARNING_RATE * remaining * gradient[c]!;
  }
  for (let w = 0; w < model.weights.length; w++) model.weights[w]! *= factor;
  return model;
}

function addLogits(
  weights: Float32Array,
  matrix: TfIdfMatrix,
  row: number,
  factor: number,
  logits: Float64Array,
): void {
  const { starts, terms, idf } = matrix;
  const classes = logits.length;
  const scale = matrix.scales[row]! * factor;
  for (let i = starts[row]!, end = starts[row + 1]!; i < end; i++) {
    const term = terms[i]!;
    const value = idf[term]! * scale;
    const first = term * classes;
    for (let c = 0; c < classes; c++) logits[c] = logits[c]! + value * weights[first + c]!;
  }
}

function descend(
  weights: Float32Array,
  matrix: TfIdfMatrix,
  row: number,
  stepSize: number,
  gradient: Float64Array,
): void {
  const { starts, terms, idf } = matrix;
  const classes = gradient.length;
  const scale = matrix.scales[row]! * stepSize;
  for (let i = starts[row]!, end = starts[row + 1]!; i < end; i++) {
    const term = terms[i]!;
    const value = idf[term]! * scale;
    const first = term * classes;
    for (let c = 0; c < classes; c++) weights[first + c] = weights[first + c]! - value * gradient[c]!;
  }
}

/** Writes the logit of each class into `logits`. */
export function computeLogits(model: Model, matrix: TfIdfMatrix, row: number, logits: Float64Array): void {
  logits.set(model.biases);
  addLogits(model.weights, matrix, row, 1, logits);
}

/** Turns logits into probabilities, in place. The inverse temperature multiplies the logits. */
export function softmax(logits: Float64Array, inverseTemperature = 1): void {
  let max = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < logits.length; c++) max = Math.max(max, logits[c]!);
  let sum = 0;
  for (let c = 0; c < logits.length; c++) {
    logits[c] = Math.exp((logits[c]! - max) * inverseTemperature);
    sum += logits[c]!;
  }
  for (let c = 0; c < logits.length; c++) logits[c]! /= sum;
}
