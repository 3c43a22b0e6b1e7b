/**
 * Confident learning (Northcutt, Jiang and Chuang 2021, JAIR 70): from labels and out-of-sample probabilities, how many
 * labels are wrong, of which class into which, and which ones. Gives the same as cleanlab 2.9 for the same input.
 */

export interface Predictions {
  /** The class each row is filed under. */
  readonly labels: ArrayLike<number>;
  /** By row, then class. Those of a row add up to 1. */
  readonly probabilities: Float32Array | Float64Array;
  readonly classes: number;
}

/** A square table, row by row: the class given, then the class it looks like. */
export type Joint = Float64Array;

export const METHODS = [
  'prune_by_noise_rate',
  'prune_by_class',
  'both',
  'confident_learning',
  'predicted_neq_given',
  'low_normalized_margin',
  'low_self_confidence',
] as const;
export type Method = (typeof METHODS)[number];

/** A probability this much below its threshold still counts as reaching it. */
const TOLERANCE = 1e-6;

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

export function countClasses({ labels, classes }: Predictions): Float64Array {
  const counts = new Float64Array(classes);
  for (let i = 0; i < labels.length; i++) counts[labels[i]!]!++;
  return counts;
}

/** How sure the classifier is of a class, on average, where the label says so: what it takes to be sure of it. */
export function computeThresholds(predictions: Predictions): Float64Array {
  const { labels, probabilities, classes } = predictions;
  const sums = new Float64Array(classes);
  for (let i = 0; i < labels.length; i++) sums[labels[i]!]! += probabilities[i * classes + labels[i]!]!;
  const counts = countClasses(predictions);
  // A class nobody is filed under can never be reached.
  return sums.map((sum, c) => (counts[c]! > 0 ? sum / counts[c]! : Number.MAX_VALUE));
}

/** The most probable class. The first of equals. */
export function predictClass(predictions: Predictions, row: number): number {
  const { probabilities, classes } = predictions;
  let best = 0;
  for (let c = 1; c < classes; c++) {
    if (probabilities[row * classes + c]! > probabilities[row * classes + best]!) best = c;
  }
  return best;
}

/** The class a row surely belongs to: of those that reach their thresholds the most probable; -1 where none does. */
function confidentClass(predictions: Predictions, thresholds: Float64Array, row: number): number {
  const { probabilities, classes } = predictions;
  let only = -1;
  for (let c = 0; c < classes; c++) {
    if (probabilities[row * classes + c]! < thresholds[c]! - TOLERANCE) continue;
    // Where two or more reach theirs, the most probable class of all is taken, as cleanlab does.
    if (only >= 0) return predictClass(predictions, row);
    only = c;
  }
  return only;
}

/** Rows counted by the class given and the class they surely belong to. */
export function computeConfidentJoint(predictions: Predictions, thresholds: Float64Array): Joint {
  const { labels, classes } = predictions;
  const joint = new Float64Array(classes * classes);
  for (let i = 0; i < labels.length; i++) {
    const likely = confidentClass(predictions, thresholds, i);
    if (likely >= 0) joint[labels[i]! * classes + likely]!++;
  }
  for (let c = 0; c < classes; c++) joint[c * classes + c] = Math.max(1, joint[c * classes + c]!);
  return joint;
}

/** Rounds a row so that its sum stays: what is missing goes to those that rounding took most from, and the reverse. */
function roundKeepingSum(row: Float64Array): Float64Array {
  const rounded = row.map(roundHalfEven);
  const missing = Math.round(sumOf(row)) - sumOf(rounded);
  const order = [...row.keys()].sort((a, b) => row[a]! - rounded[a]! - (row[b]! - rounded[b]!));
  if (missing > 0) order.reverse();
  for (let k = 0; k < Math.abs(missing); k++) rounded[order[k]!]! += Math.sign(missing);
  return rounded;
}

function roundHalfEven(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** The joint scaled to all rows: each class as often as it is given, in whole numbers. */
export function calibrateJoint(joint: Joint, counts: Float64Array): Joint {
  const classes = counts.length;
  const calibrated = new Float64Array(joint.length);
  for (let given = 0; given < classes; given++) {
    const row = joint.subarray(given * classes, (given + 1) * classes);
    const sum = sumOf(row);
    calibrated.set(
      row.map((value) => (value / sum) * counts[given]!),
      given * classes,
    );
  }
  // No more than a correction of the last digit, but halves are rounded by it.
  const [all, total] = [sumOf(calibrated), sumOf(counts)];
  for (let given = 0; given < classes; given++) {
    const row = calibrated.subarray(given * classes, (given + 1) * classes);
    row.set(roundKeepingSum(row.map((value) => (value / all) * total)));
  }
  return calibrated;
}

/** How many rows are off the diagonal: filed under one class and belonging to another. */
export function countOffDiagonal(joint: Joint, classes: number): number {
  let sum = 0;
  for (let i = 0; i < joint.length; i++) if (i % (classes + 1) !== 0) sum += joint[i]!;
  return sum;
}

/** The probability of the class given. */
export const computeSelfConfidence = ({ probabilities, labels, classes }: Predictions, row: number): number =>
  probabilities[row * classes + labels[row]!]!;

/** From 0 to 1: how far the class given is ahead of the most probable other one. */
export function computeNormalizedMargin(predictions: Predictions, row: number): number {
  const { probabilities, labels, classes } = predictions;
  let other = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < classes; c++) {
    if (c !== labels[row]!) other = Math.max(other, probabilities[row * classes + c]!);
  }
  return (computeSelfConfidence(predictions, row) - other + 1) / 2;
}

/** From 0 to 1: low where the class given is improbable and the classifier knows what it wants. */
export function confidenceWeightedEntropy(predictions: Predictions, row: number): number {
  const { probabilities, classes } = predictions;
  let entropy = 0;
  for (let c = 0; c < classes; c++) {
    const p = probabilities[row * classes + c]!;
    if (p > 0) entropy -= p * Math.log(p);
  }
  const ratio = entropy / Math.log(classes) / Math.max(computeSelfConfidence(predictions, row), TOLERANCE);
  return ratio > 0 ? Math.log1p(ratio) / ratio : 1;
}

/** Probabilities made comparable between classes that are easy and hard to be sure of. */
export function adjusted(predictions: Predictions, thresholds: Float64Array): Predictions {
  const { labels, probabilities, classes } = predictions;
  const highest = Math.max(...thresholds);
  const shifted = Float64Array.from(probabilities, (p, i) => p - thresholds[i % classes]! + highest);
  for (let row = 0; row < labels.length; row++) {
    const values = shifted.subarray(row * classes, (row + 1) * classes);
    let sum = 0;
    for (const value of values) sum += value;
    for (let c = 0; c < classes; c++) values[c]! /= sum;
  }
  return { labels, probabilities: shifted, classes };
}

/** The rows whose labels are wrong, by one of the methods: 1 for each, 0 for the others. */
export function findIssues(
  predictions: Predictions,
  method: Method,
  thresholds: Float64Array,
  joint: Joint,
): Uint8Array {
  switch (method) {
    case 'prune_by_noise_rate':
      return unlessPredicted(predictions, pruneByNoiseRate(predictions, joint));
    case 'prune_by_class':
      return unlessPredicted(predictions, pruneByClass(predictions, joint));
    case 'both': {
      const byClass = pruneByClass(predictions, joint);
      const byNoiseRate = pruneByNoiseRate(predictions, joint);
      return unlessPredicted(
        predictions,
        byClass.map((marked, i) => marked & byNoiseRate[i]!),
      );
    }
    case 'confident_learning':
      return unlessPredicted(predictions, confidentlyOther(predictions, thresholds));
    case 'predicted_neq_given':
      return unlessPredicted(predictions, new Uint8Array(predictions.labels.length).fill(1));
    case 'low_normalized_margin':
      return lowest(predictions, thresholds, computeNormalizedMargin);
    case 'low_self_confidence':
      return lowest(predictions, thresholds, computeSelfConfidence);
  }
}

/** A label that is the most probable one is not called wrong. */
function unlessPredicted(predictions: Predictions, marked: Uint8Array): Uint8Array {
  for (let i = 0; i < marked.length; i++) {
    if (marked[i] && predictClass(predictions, i) === predictions.labels[i]) marked[i] = 0;
  }
  return marked;
}

function confidentlyOther(predictions: Predictions, thresholds: Float64Array): Uint8Array {
  const marked = new Uint8Array(predictions.labels.length);
  for (let i = 0; i < marked.length; i++) {
    const likely = confidentClass(predictions, thresholds, i);
    if (likely >= 0 && likely !== predictions.labels[i]) marked[i] = 1;
  }
  return marked;
}

/** As many rows as confident learning would find, but those with the lowest scores. */
function lowest(
  predictions: Predictions,
  thresholds: Float64Array,
  score: (predictions: Predictions, row: number) => number,
): Uint8Array {
  const wanted = unlessPredicted(predictions, confidentlyOther(predictions, thresholds));
  const count = wanted.reduce((sum, mark) => sum + mark, 0);
  const scores = Float64Array.from(wanted, (_, row) => score(predictions, row));
  const marked = new Uint8Array(scores.length);
  const order = Uint32Array.from(scores.keys()).sort((a, b) => scores[a]! - scores[b]! || a - b);
  for (const row of order.subarray(0, count)) marked[row] = 1;
  return marked;
}

/** Of each class as many rows as do not belong to it, those least likely to. */
function pruneByClass(predictions: Predictions, joint: Joint): Uint8Array {
  const { classes } = predictions;
  const marked = new Uint8Array(predictions.labels.length);
  const rows = rowsByClass(predictions);
  for (let given = 0; given < classes; given++) {
    const wrong = rows[given]!.length - joint[given * classes + given]!;
    if (rows[given]!.length < 2 || wrong <= 0) continue;
    const confidences = rows[given]!.map((row) => computeSelfConfidence(predictions, row));
    const limit = Float64Array.from(confidences).sort()[wrong]!;
    rows[given]!.forEach((row, i) => {
      if (confidences[i]! < limit) marked[row] = 1;
    });
  }
  return marked;
}

/** Of each class given and each other class as many rows as belong to the other, those with the widest margins. */
function pruneByNoiseRate({ labels, probabilities, classes }: Predictions, joint: Joint): Uint8Array {
  const marked = new Uint8Array(labels.length);
  const rows = rowsByClass({ labels, probabilities, classes });
  for (let given = 0; given < classes; given++) {
    for (let other = 0; other < classes; other++) {
      const wrong = joint[given * classes + other]!;
      if (other === given || wrong === 0 || rows[given]!.length < 2) continue;
      const margins = rows[given]!.map(
        (row) => probabilities[row * classes + other]! - probabilities[row * classes + given]!,
      );
      const limit = Float64Array.from(margins).sort()[margins.length - wrong]!;
      rows[given]!.forEach((row, i) => {
        if (margins[i]! >= limit) marked[row] = 1;
      });
    }
  }
  return marked;
}

function rowsByClass({ labels, classes }: Predictions): number[][] {
  const rows: number[][] = Array.from({ length: classes }, () => []);
  for (let i = 0; i < labels.length; i++) rows[labels[i]!]!.push(i);
  return rows;
}
