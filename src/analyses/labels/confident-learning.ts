/**
 * Confident learning (Northcutt, Jiang and Chuang 2021, JAIR 70): estimates the joint distribution
 * of given and true labels from out-of-fold probabilities, and finds the label issues. Gives the
 * same results as cleanlab 2.9 for the same input.
 */

export interface Predictions {
  /** The given label of each row. */
  readonly labels: ArrayLike<number>;
  /** Out-of-fold, by row, then class. The probabilities of a row sum to 1. */
  readonly probabilities: Float32Array | Float64Array;
  readonly classes: number;
}

/** Counts by given class (rows) and true class (columns), row by row. */
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

/** A probability may be this much below its threshold. */
const TOLERANCE = 1e-6;

const computeSum = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

export function countClasses({ labels, classes }: Predictions): Float64Array {
  const counts = new Float64Array(classes);
  for (let i = 0; i < labels.length; i++) counts[labels[i]!]!++;
  return counts;
}

/** The threshold of each class: the mean self-confidence of the rows with that label. */
export function computeThresholds(predictions: Predictions): Float64Array {
  const { labels, probabilities, classes } = predictions;
  const sums = new Float64Array(classes);
  for (let i = 0; i < labels.length; i++) sums[labels[i]!]! += probabilities[i * classes + labels[i]!]!;
  const counts = countClasses(predictions);
  // The threshold of a class without rows is out of reach.
  return sums.map((sum, c) => (counts[c]! > 0 ? sum / counts[c]! : Number.MAX_VALUE));
}

/** The predicted class; of equally probable ones the first. */
export function predictClass(predictions: Predictions, row: number): number {
  const { probabilities, classes } = predictions;
  let best = 0;
  for (let c = 1; c < classes; c++) {
    if (probabilities[row * classes + c]! > probabilities[row * classes + best]!) best = c;
  }
  return best;
}

/** The class whose threshold the row reaches; -1 for none. */
function findConfidentClass(predictions: Predictions, thresholds: Float64Array, row: number): number {
  const { probabilities, classes } = predictions;
  let confident = -1;
  for (let c = 0; c < classes; c++) {
    if (probabilities[row * classes + c]! < thresholds[c]! - TOLERANCE) continue;
    // If it reaches two or more, the predicted class is taken, as in cleanlab.
    if (confident >= 0) return predictClass(predictions, row);
    confident = c;
  }
  return confident;
}

/** The confident joint: rows by given class and confident class. */
export function computeConfidentJoint(predictions: Predictions, thresholds: Float64Array): Joint {
  const { labels, classes } = predictions;
  const joint = new Float64Array(classes * classes);
  for (let i = 0; i < labels.length; i++) {
    const confident = findConfidentClass(predictions, thresholds, i);
    if (confident >= 0) joint[labels[i]! * classes + confident]!++;
  }
  for (let c = 0; c < classes; c++) joint[c * classes + c] = Math.max(1, joint[c * classes + c]!);
  return joint;
}

/** Rounds a row and corrects the values with the largest errors, to keep the sum. */
function roundKeepingSum(row: Float64Array): Float64Array {
  const rounded = row.map(roundHalfEven);
  const missing = Math.round(computeSum(row)) - computeSum(rounded);
  const order = [...row.keys()].sort((a, b) => row[a]! - rounded[a]! - (row[b]! - rounded[b]!));
  if (missing > 0) order.reverse();
  for (let k = 0; k < Math.abs(missing); k++) rounded[order[k]!]! += Math.sign(missing);
  return rounded;
}

function roundHalfEven(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** Scales the confident joint to integers, so that its row sums are the class counts. */
export function calibrateJoint(joint: Joint, counts: Float64Array): Joint {
  const classes = counts.length;
  const calibrated = new Float64Array(joint.length);
  for (let given = 0; given < classes; given++) {
    const row = joint.subarray(given * classes, (given + 1) * classes);
    const sum = computeSum(row);
    calibrated.set(
      row.map((value) => (value / sum) * counts[given]!),
      given * classes,
    );
  }
  // This changes only the last digit, but it decides how halves are rounded.
  const [scaledSum, total] = [computeSum(calibrated), computeSum(counts)];
  for (let given = 0; given < classes; given++) {
    const row = calibrated.subarray(given * classes, (given + 1) * classes);
    row.set(roundKeepingSum(row.map((value) => (value / scaledSum) * total)));
  }
  return calibrated;
}

/** The number of rows whose true class differs from the given one. */
export function countOffDiagonal(joint: Joint, classes: number): number {
  let sum = 0;
  for (let i = 0; i < joint.length; i++) if (i % (classes + 1) !== 0) sum += joint[i]!;
  return sum;
}

/** The probability of the given class. */
export const computeSelfConfidence = ({ probabilities, labels, classes }: Predictions, row: number): number =>
  probabilities[row * classes + labels[row]!]!;

/** The margin between the given class and the most probable other one, scaled to 0 to 1. */
export function computeNormalizedMargin(predictions: Predictions, row: number): number {
  const { probabilities, labels, classes } = predictions;
  let other = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < classes; c++) {
    if (c !== labels[row]!) other = Math.max(other, probabilities[row * classes + c]!);
  }
  return (computeSelfConfidence(predictions, row) - other + 1) / 2;
}

/** Marks the rows with label issues, by one of the methods: 1 for an issue, 0 for none. */
export function findIssues(
  predictions: Predictions,
  method: Method,
  thresholds: Float64Array,
  joint: Joint,
): Uint8Array {
  switch (method) {
    case 'prune_by_noise_rate':
      return dropPredicted(predictions, pruneByNoiseRate(predictions, joint));
    case 'prune_by_class':
      return dropPredicted(predictions, pruneByClass(predictions, joint));
    case 'both': {
      const byClass = pruneByClass(predictions, joint);
      const byNoiseRate = pruneByNoiseRate(predictions, joint);
      return dropPredicted(
        predictions,
        byClass.map((marked, i) => marked & byNoiseRate[i]!),
      );
    }
    case 'confident_learning':
      return dropPredicted(predictions, markConfidentlyOther(predictions, thresholds));
    case 'predicted_neq_given':
      return dropPredicted(predictions, new Uint8Array(predictions.labels.length).fill(1));
    case 'low_normalized_margin':
      return markLowest(predictions, thresholds, computeNormalizedMargin);
    case 'low_self_confidence':
      return markLowest(predictions, thresholds, computeSelfConfidence);
  }
}

/** Unmarks rows whose label is the predicted one. */
function dropPredicted(predictions: Predictions, marked: Uint8Array): Uint8Array {
  for (let i = 0; i < marked.length; i++) {
    if (marked[i] && predictClass(predictions, i) === predictions.labels[i]) marked[i] = 0;
  }
  return marked;
}

function markConfidentlyOther(predictions: Predictions, thresholds: Float64Array): Uint8Array {
  const marked = new Uint8Array(predictions.labels.length);
  for (let i = 0; i < marked.length; i++) {
    const confident = findConfidentClass(predictions, thresholds, i);
    if (confident >= 0 && confident !== predictions.labels[i]) marked[i] = 1;
  }
  return marked;
}

/** Marks as many rows as `confident_learning` does, those with the lowest scores. */
function markLowest(
  predictions: Predictions,
  thresholds: Float64Array,
  score: (predictions: Predictions, row: number) => number,
): Uint8Array {
  const confident = dropPredicted(predictions, markConfidentlyOther(predictions, thresholds));
  const count = confident.reduce((sum, mark) => sum + mark, 0);
  const scores = Float64Array.from(confident, (_, row) => score(predictions, row));
  const marked = new Uint8Array(scores.length);
  const order = Uint32Array.from(scores.keys()).sort((a, b) => scores[a]! - scores[b]! || a - b);
  for (const row of order.subarray(0, count)) marked[row] = 1;
  return marked;
}

/**
 * Marks in each class as many rows as the joint says are wrong, those with the lowest
 * self-confidence.
 */
function pruneByClass(predictions: Predictions, joint: Joint): Uint8Array {
  const { classes } = predictions;
  const marked = new Uint8Array(predictions.labels.length);
  const rows = groupRowsByClass(predictions);
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

/** Marks as many rows of each pair of classes as the joint says, by the largest margins. */
function pruneByNoiseRate({ labels, probabilities, classes }: Predictions, joint: Joint): Uint8Array {
  const marked = new Uint8Array(labels.length);
  const rows = groupRowsByClass({ labels, probabilities, classes });
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

function groupRowsByClass({ labels, classes }: Predictions): number[][] {
  const rows: number[][] = Array.from({ length: classes }, () => []);
  for (let i = 0; i < labels.length; i++) rows[labels[i]!]!.push(i);
  return rows;
}
