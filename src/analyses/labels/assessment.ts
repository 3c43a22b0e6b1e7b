/**
 * Whether the labels of a field fit the texts: each question is judged by a classifier that has learned from others
 * only, and those whose labels it finds hard to believe are suspects.
 */

import { calibrate, computeErrorProbability } from './calibration.ts';
import * as confident from './confident-learning.ts';
import type { Dataset, Labels } from './dataset.ts';
import { EvidenceTable, findEvidence } from './evidence.ts';
import { assignFolds, countDistinctByClass, selectTrainingRows } from './folds.ts';
import { computeLogits, softmax, trainModel } from './logistic-regression.ts';

export const METHODS = ['mixture', ...confident.METHODS] as const;

export interface AssessmentOptions {
  method: (typeof METHODS)[number];
  certainty: number;
  folds: number;
  /** Whether a question that has the one label may be named for looking like the other. */
  isReportable: (given: string, suggested: string) => boolean;
}

export interface Suspect {
  /** The place of the question. */
  row: number;
  /** Places in `classes` of the judgement. */
  given: number;
  suggested: number;
  probabilityGiven: number;
  probabilitySuggested: number;
  certainty: number;
  /** What speaks for the class suggested and against the one given, the strongest first. */
  words: string[];
}

export interface Assessment {
  /** Names of the classes that could be learned, the largest first, and how many questions each has. */
  classes: string[];
  counts: number[];
  omitted: { classes: number; questions: number };
  /** Whether there was no room for more classes. */
  isFull: boolean;
  /** How many questions were learned from for each fold at the most; null if all outside it. */
  sampleSize: number | null;
  /** What was found out; null if there is nothing to choose between. */
  estimates: Estimates | null;
}

interface Estimates {
  accuracy: number;
  baseline: number;
  /** The share of labels that are mistakes. */
  noise: number;
  /** By class: how often it takes in what looks like other classes, as a multiple of what mistakes explain. */
  intake: Float64Array;
  /** The share of questions that confident learning finds to be of another class. */
  overlap: number;
  thresholds: Float64Array;
  /** By class given, then class it looks like most. */
  confusion: Float64Array;
  /** Whether reading the text helps at all. */
  isLearnable: boolean;
  /** Those that the method finds, in the order of the questions. */
  suspects: Suspect[];
}

const MOST_CLASSES = 1000;
/** So that the probabilities of all questions take no more than half a gigabyte. */
const MOST_PROBABILITIES = 2 ** 27;
/** Questions times classes to learn from for a fold: keeps a million questions within minutes. */
const MOST_LEARNING = 2e7;
/** Of the errors that always naming the largest class makes, at least this share must be avoided. */
const LEAST_SKILL = 0.1;
/** And more than chance would give, by two standard deviations. */
const LEAST_DEVIATIONS = 2;
/** Questions between two breaths. */
const BREATH = 1000;

type Breathe = (share: number) => Promise<void>;

/** The questions of the classes that can be learned. */
interface Task {
  /** Their places in the bank. */
  rows: Uint32Array;
  /** Their classes, as places in `names`. */
  labels: Uint16Array;
  names: string[];
  counts: number[];
}

export async function assessLabels(
  bank: Dataset,
  labels: Labels,
  options: AssessmentOptions,
  breathe: Breathe,
): Promise<Assessment> {
  const task = taskOf(bank, labels, options.folds);
  await breathe(0);
  const classes = task.names.length;
  const most = Math.max(1, Math.floor(MOST_LEARNING / Math.max(1, classes)));
  return {
    classes: task.names,
    counts: task.counts,
    omitted: { classes: labels.names.length - classes, questions: bank.count - task.rows.length },
    isFull: classes === mostClasses(bank),
    sampleSize: task.rows.length * (1 - 1 / options.folds) > most ? most : null,
    estimates: classes < 2 ? null : await findingsOf(bank, task, most, options, breathe),
  };
}

const mostClasses = (bank: Dataset): number =>
  Math.min(MOST_CLASSES, Math.floor(MOST_PROBABILITIES / Math.max(1, bank.count)));

/** Classes with a question for every fold, the largest first; as many as there is room for. */
function taskOf(bank: Dataset, labels: Labels, folds: number): Task {
  const different = countDistinctByClass(labels.values, bank.groups, labels.names.length);
  const sizes = new Uint32Array(labels.names.length);
  for (const label of labels.values) sizes[label]!++;
  const kept = [...sizes.keys()]
    .filter((label) => different[label]! >= folds)
    .sort((a, b) => sizes[b]! - sizes[a]! || a - b)
    .slice(0, mostClasses(bank));
  const numbers = new Map(kept.map((label, number) => [label, number]));
  const rows = new Uint32Array(bank.count)
    .map((_, row) => row)
    .filter((row) => numbers.has(labels.values[row]!));
  return {
    rows,
    labels: Uint16Array.from(rows, (row) => numbers.get(labels.values[row]!)!),
    names: kept.map((label) => labels.names[label]!),
    counts: kept.map((label) => sizes[label]!),
  };
}

async function findingsOf(
  bank: Dataset,
  task: Task,
  most: number,
  options: AssessmentOptions,
  breathe: Breathe,
): Promise<Estimates> {
  const { labels, names } = task;
  const { scores, words } = await outOfFold(bank, task, most, options, (share) => breathe(share * 0.9));
  const calibration = await calibrate(scores, labels, names.length, () => breathe(0.9));
  await toProbabilities(scores, names.length, calibration.inverseTemperature, () => breathe(0.95));
  const predictions = { labels, probabilities: scores, classes: names.length };
  const thresholds = confident.computeThresholds(predictions);
  const joint = confident.calibrateJoint(
    confident.computeConfidentJoint(predictions, thresholds),
    confident.countClasses(predictions),
  );
  const confusion = confusionOf(predictions);
  const accuracy = diagonalOf(confusion, names.length) / labels.length;
  const baseline = task.counts[0]! / labels.length;
  const isLearnable = beatsBaseline(accuracy, baseline, labels.length);
  const certainties = Float64Array.from(labels, (label, i) =>
    computeErrorProbability(confident.computeSelfConfidence(predictions, i), label, calibration),
  );
  const marks =
    options.method === 'mixture'
      ? Uint8Array.from(certainties, (certainty) => Number(certainty >= options.certainty))
      : confident.findIssues(predictions, options.method, thresholds, joint);
  return {
    accuracy,
    baseline,
    noise: calibration.noise,
    intake: calibration.noiseRates.map((rate) => rate / calibration.mistakeRate),
    overlap: confident.countOffDiagonal(joint, names.length) / labels.length,
    thresholds,
    confusion,
    isLearnable,
    suspects: isLearnable ? suspectsOf(bank, task, predictions, marks, certainties, words) : [],
  };
}

function suspectsOf(
  bank: Dataset,
  task: Task,
  predictions: confident.Predictions,
  marks: Uint8Array,
  certainties: Float64Array,
  words: EvidenceTable,
): Suspect[] {
  const suspects: Suspect[] = [];
  for (const [i, row] of task.rows.entries()) {
    // Where no word says so, it is only that the class suggested is more common, or not worth naming.
    if (!marks[i] || !words.has(i)) continue;
    const suggested = confident.predictClass(predictions, i);
    suspects.push({
      row,
      given: task.labels[i]!,
      suggested,
      probabilityGiven: confident.computeSelfConfidence(predictions, i),
      probabilitySuggested: predictions.probabilities[i * predictions.classes + suggested]!,
      certainty: certainties[i]!,
      words: words.getWords(i, bank.getTokens(row)),
    });
  }
  return suspects;
}

function beatsBaseline(accuracy: number, baseline: number, count: number): boolean {
  const chance = Math.sqrt((baseline * (1 - baseline)) / count);
  return accuracy - baseline > Math.max(LEAST_SKILL * (1 - baseline), LEAST_DEVIATIONS * chance);
}

/** Scores of every question by a classifier that learned from the other folds, and the words that told most. */
async function outOfFold(
  bank: Dataset,
  task: Task,
  most: number,
  options: AssessmentOptions,
  breathe: Breathe,
) {
  const foldCount = options.folds;
  const classes = task.names.length;
  const scores = new Float32Array(task.rows.length * classes);
  const words = new EvidenceTable(task.rows.length);
  const groups = task.rows.map((row) => bank.groups[row]!);
  const folds = assignFolds(task.labels, groups, classes, foldCount);
  const labelOfRow = new Uint16Array(bank.count);
  for (const [i, row] of task.rows.entries()) labelOfRow[row] = task.labels[i]!;
  const own = new Float64Array(classes);
  for (let fold = 0; fold < foldCount; fold++) {
    await breathe(fold / foldCount);
    const rows = selectTrainingRows(fold, folds, task.labels, classes, most).map((i) => task.rows[i]!);
    const model = await trainModel(bank.matrix, labelOfRow, classes, rows, (share) =>
      breathe((fold + share * 0.9) / foldCount),
    );
    for (let i = 0; i < folds.length; i++) {
      if (i % BREATH === 0) await breathe((fold + 0.9 + (0.1 * i) / folds.length) / foldCount);
      if (folds[i] !== fold) continue;
      const row = task.rows[i]!;
      computeLogits(model, bank.matrix, row, own);
      scores.set(own, i * classes);
      const [given, best] = [task.labels[i]!, own.indexOf(own.reduce((a, b) => Math.max(a, b)))];
      if (best === given || !options.isReportable(task.names[given]!, task.names[best]!)) continue;
      words.set(i, findEvidence(model, bank, row, given, best));
    }
  }
  return { scores, words };
}

async function toProbabilities(
  scores: Float32Array,
  classes: number,
  sharpness: number,
  breathe: () => Promise<void>,
): Promise<void> {
  const own = new Float64Array(classes);
  for (let i = 0; i * classes < scores.length; i++) {
    if (i % BREATH === 0) await breathe();
    own.set(scores.subarray(i * classes, (i + 1) * classes));
    softmax(own, sharpness);
    scores.set(own, i * classes);
  }
}

function confusionOf(predictions: confident.Predictions): Float64Array {
  const confusion = new Float64Array(predictions.classes ** 2);
  for (let i = 0; i < predictions.labels.length; i++) {
    confusion[predictions.labels[i]! * predictions.classes + confident.predictClass(predictions, i)]!++;
  }
  return confusion;
}

function diagonalOf(table: Float64Array, classes: number): number {
  let sum = 0;
  for (let c = 0; c < classes; c++) sum += table[c * classes + c]!;
  return sum;
}
