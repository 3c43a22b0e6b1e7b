/**
 * Assesses the labels of one field: trains and calibrates a classifier by cross-validation,
 * estimates the noise rate, and finds the questions whose label is probably wrong.
 */
import type { Ticker } from '../../concurrency/ticker.ts';
import { calibrate } from './calibration.ts';
import * as confident from './confident-learning.ts';
import { predictOutOfFold, type Task, toProbabilities } from './cross-validation.ts';
import type { Dataset, Labels } from './dataset.ts';
import type { EvidenceTable } from './evidence.ts';
import { countDistinctByClass } from './folds.ts';
import { computeCertainties } from './misfilings.ts';
import type { Field, Method } from './schemas.ts';

export interface AssessmentOptions {
  method: Method;
  min_certainty: number;
  folds: number;
  /** Whether a question with the given label may be reported for looking like the suggested one. */
  isReportable: (given: string, suggested: string) => boolean;
  /** Whether only words about a subject are evidence. */
  bySubject: boolean;
}

export interface Suspect {
  /** The row of the question in the dataset. */
  row: number;
  /** Indices of the classes of the assessment. */
  given: number;
  suggested: number;
  probabilityGiven: number;
  probabilitySuggested: number;
  /** The probability that the given label is wrong. */
  certainty: number;
  /** The words that are evidence for the suggested class, the strongest first. */
  words: string[];
}

export interface Assessment {
  /**
   * The names of the classes that can be learned, the largest first, and their numbers of
   * questions.
   */
  classes: string[];
  counts: number[];
  omitted: { classes: number; questions: number };
  /** Whether the maximum number of classes was reached. */
  isFull: boolean;
  /** The number of training questions per fold if they were sampled, else null. */
  sampleSize: number | null;
  /** Null if there are fewer than two classes. */
  estimates: Estimates | null;
}

interface Estimates {
  accuracy: number;
  /** The accuracy of always predicting the largest class. */
  baseline: number;
  /** The share of labels that are mistakes. */
  noise: number;
  /** By class: its noise rate as a multiple of the rate of mistakes. */
  intake: Float64Array;
  /** By class: whether it contains questions of other classes by design. Such a class is never suggested. */
  isCatchAll: boolean[];
  /** The share of questions whose true class differs by confident learning. */
  overlap: number;
  thresholds: Float64Array;
  /** Counts by given class (rows) and predicted class (columns). */
  confusion: Float64Array;
  /** Whether the text predicts the label better than the baseline. */
  isLearnable: boolean;
  /** In the order of the questions. */
  suspects: Suspect[];
}

/**
 * The assessment of a field with the suspects to report: none if the text does not predict the
 * label.
 */
export interface FieldResult {
  assessment: Assessment;
  suspects: Suspect[];
  /** Why no suspects are reported, or null. */
  reason: string | null;
}

export type FieldResults = Partial<Record<Field, FieldResult>>;

const MAX_CLASSES = 1000;
/** Questions times classes: bounds the probabilities to half a gigabyte. */
const MAX_PROBABILITIES = 2 ** 27;
/** Training questions times classes per fold: keeps a million questions within minutes. */
const MAX_TRAINING_CELLS = 2e7;
/** The share of the baseline's errors that must be avoided. */
const MIN_SKILL = 0.1;
/** With 5 % planted mistakes only "General Knowledge" had a higher intake, 5.6. */
const MIN_CATCH_ALL_INTAKE = 3;
/**
 * The share of the questions predicted for a class that must have it. On trivia questions with
 * catch-alls it was 0.02 to 0.42 for these and 0.53 to 1 for other classes.
 */
const MIN_PRECISION = 0.5;
/** By how many standard deviations the accuracy must exceed the baseline. */
const MIN_DEVIATIONS = 2;

export async function assessLabels(
  dataset: Dataset,
  labels: Labels,
  options: AssessmentOptions,
  ticker: Ticker,
): Promise<Assessment> {
  const task = selectTask(dataset, labels, options.folds);
  const classes = task.names.length;
  const maxTrainingRows = Math.max(1, Math.floor(MAX_TRAINING_CELLS / Math.max(1, classes)));
  return {
    classes: task.names,
    counts: task.counts,
    omitted: { classes: labels.names.length - classes, questions: dataset.count - task.rows.length },
    isFull: classes === maxClasses(dataset),
    sampleSize: task.rows.length * (1 - 1 / options.folds) > maxTrainingRows ? maxTrainingRows : null,
    estimates: classes < 2 ? null : await estimate(dataset, task, maxTrainingRows, options, ticker),
  };
}

const maxClasses = ({ count }: Dataset): number =>
  Math.min(MAX_CLASSES, Math.floor(MAX_PROBABILITIES / Math.max(1, count)));

/** Selects the classes with a distinct text for every fold, the largest first. */
function selectTask(dataset: Dataset, labels: Labels, folds: number): Task {
  const distinct = countDistinctByClass(labels.values, dataset.groups, labels.names.length);
  const sizes = new Uint32Array(labels.names.length);
  for (const label of labels.values) sizes[label]!++;
  const selected = [...sizes.keys()]
    .filter((label) => distinct[label]! >= folds)
    .sort((a, b) => sizes[b]! - sizes[a]! || a - b)
    .slice(0, maxClasses(dataset));
  const classes = new Map(selected.map((label, index) => [label, index]));
  const rows = new Uint32Array(dataset.count)
    .map((_, row) => row)
    .filter((row) => classes.has(labels.values[row]!));
  return {
    rows,
    labels: Uint16Array.from(rows, (row) => classes.get(labels.values[row]!)!),
    names: selected.map((label) => labels.names[label]!),
    counts: selected.map((label) => sizes[label]!),
  };
}

async function estimate(
  dataset: Dataset,
  task: Task,
  maxTrainingRows: number,
  { method, min_certainty, folds, isReportable, bySubject }: AssessmentOptions,
  ticker: Ticker,
): Promise<Estimates> {
  const { labels, names } = task;
  const classes = names.length;
  const crossValidation = { folds, maxTrainingRows, isReportable, bySubject };
  const { logits, evidence } = await predictOutOfFold(dataset, task, crossValidation, ticker.part(0, 0.9));
  const calibration = await calibrate(logits, labels, classes, ticker.part(0.9, 0.95));
  await toProbabilities(logits, classes, calibration.inverseTemperature, ticker.part(0.95, 0.97));
  const predictions = { labels, probabilities: logits, classes };
  const thresholds = confident.computeThresholds(predictions);
  const joint = confident.calibrateJoint(
    confident.computeConfidentJoint(predictions, thresholds),
    confident.countClasses(predictions),
  );
  const confusion = countConfusion(predictions);
  const accuracy = sumDiagonal(confusion, classes) / labels.length;
  const baseline = task.counts[0]! / labels.length;
  const isLearnable = beatsBaseline(accuracy, baseline, labels.length);
  const certainties = await computeCertainties(predictions, calibration, ticker.part(0.97, 1));
  const intake = calibration.noiseRates.map((rate) => rate / calibration.mistakeRate);
  const isCatchAll = Array.from(
    intake,
    (multiple, c) =>
      multiple >= MIN_CATCH_ALL_INTAKE || computePrecision(confusion, classes, c) < MIN_PRECISION,
  );
  const issues =
    method === 'mixture'
      ? Uint8Array.from(certainties, (certainty) => Number(certainty >= min_certainty))
      : confident.findIssues(predictions, method, thresholds, joint);
  return {
    accuracy,
    baseline,
    noise: calibration.noise,
    intake,
    isCatchAll,
    overlap: confident.countOffDiagonal(joint, classes) / labels.length,
    thresholds,
    confusion,
    isLearnable,
    suspects: isLearnable
      ? listSuspects(dataset, task, predictions, { issues, certainties, evidence, isCatchAll })
      : [],
  };
}

function listSuspects(
  dataset: Dataset,
  task: Task,
  predictions: confident.Predictions,
  {
    issues,
    certainties,
    evidence,
    isCatchAll,
  }: {
    issues: Uint8Array;
    certainties: Float64Array;
    evidence: EvidenceTable;
    isCatchAll: boolean[];
  },
): Suspect[] {
  const suspects: Suspect[] = [];
  for (const [i, row] of task.rows.entries()) {
    // Without evidence the suggested class is only more common, or the pair is not reportable.
    if (!issues[i] || !evidence.has(i)) continue;
    const suggested = confident.predictClass(predictions, i);
    if (isCatchAll[suggested]) continue;
    suspects.push({
      row,
      given: task.labels[i]!,
      suggested,
      probabilityGiven: confident.computeSelfConfidence(predictions, i),
      probabilitySuggested: predictions.probabilities[i * predictions.classes + suggested]!,
      certainty: certainties[i]!,
      words: evidence.getWords(i, dataset.getTokens(row)),
    });
  }
  return suspects;
}

function beatsBaseline(accuracy: number, baseline: number, count: number): boolean {
  const deviation = Math.sqrt((baseline * (1 - baseline)) / count);
  return accuracy - baseline > Math.max(MIN_SKILL * (1 - baseline), MIN_DEVIATIONS * deviation);
}

function countConfusion(predictions: confident.Predictions): Float64Array {
  const { labels, classes } = predictions;
  const confusion = new Float64Array(classes ** 2);
  for (let i = 0; i < labels.length; i++) {
    confusion[labels[i]! * classes + confident.predictClass(predictions, i)]!++;
  }
  return confusion;
}

function sumDiagonal(table: Float64Array, classes: number): number {
  let sum = 0;
  for (let c = 0; c < classes; c++) sum += table[c * classes + c]!;
  return sum;
}

/** The share of the questions predicted for a class that have it; 1 if there are none. */
function computePrecision(confusion: Float64Array, classes: number, predicted: number): number {
  let sum = 0;
  for (let given = 0; given < classes; given++) sum += confusion[given * classes + predicted]!;
  return sum > 0 ? confusion[predicted * (classes + 1)]! / sum : 1;
}
