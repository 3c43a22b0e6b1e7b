/** Predicts out of fold: each question is scored by a model that was not trained on it. */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Dataset } from './dataset.ts';
import { EvidenceTable, findEvidence } from './evidence.ts';
import { assignFolds, selectTrainingRows } from './folds.ts';
import { computeLogits, softmax, trainModel } from './logistic-regression.ts';

/** The questions of the classes that can be learned. */
export interface Task {
  /** Their rows in the dataset. */
  rows: Uint32Array;
  /** Their classes, as indices of `names`. */
  labels: Uint16Array;
  names: string[];
  counts: number[];
}

export interface CrossValidationOptions {
  folds: number;
  maxTrainingRows: number;
  /** Whether a question with the given label may be reported for looking like the suggested one. */
  isReportable: (given: string, suggested: string) => boolean;
  /** Whether only words about a subject are evidence. */
  bySubject: boolean;
}

/** The share of the work on a fold that is training. */
const TRAINING = 0.9;

/**
 * Computes the logits of every question, by row of the task, then class, and the evidence for
 * reportable ones.
 */
export async function predictOutOfFold(
  dataset: Dataset,
  task: Task,
  { folds: foldCount, maxTrainingRows, isReportable, bySubject }: CrossValidationOptions,
  ticker: Ticker,
): Promise<{ logits: Float32Array; evidence: EvidenceTable }> {
  const classes = task.names.length;
  const logits = new Float32Array(task.rows.length * classes);
  const evidence = new EvidenceTable(task.rows.length);
  const groups = task.rows.map((row) => dataset.groups[row]!);
  const folds = assignFolds(task.labels, groups, classes, foldCount);
  const labelOfRow = new Uint16Array(dataset.count);
  for (const [i, row] of task.rows.entries()) labelOfRow[row] = task.labels[i]!;
  const rowLogits = new Float64Array(classes);
  for (let fold = 0; fold < foldCount; fold++) {
    const foldTicker = ticker.part(fold / foldCount, (fold + 1) / foldCount);
    const training = selectTrainingRows(fold, folds, task.labels, classes, maxTrainingRows);
    const rows = training.map((i) => task.rows[i]!);
    const model = await trainModel(dataset.matrix, labelOfRow, classes, rows, foldTicker.part(0, TRAINING));
    for (let i = 0; i < folds.length; i++) {
      if (folds[i] !== fold) continue;
      if (foldTicker.due()) await foldTicker.yield(TRAINING + ((1 - TRAINING) * i) / folds.length);
      const row = task.rows[i]!;
      computeLogits(model, dataset.matrix, row, rowLogits);
      logits.set(rowLogits, i * classes);
      const given = task.labels[i]!;
      const predicted = rowLogits.indexOf(rowLogits.reduce((a, b) => Math.max(a, b)));
      if (predicted === given || !isReportable(task.names[given]!, task.names[predicted]!)) continue;
      evidence.set(i, findEvidence(model, dataset, row, { given, suggested: predicted, bySubject }));
    }
  }
  return { logits, evidence };
}

/** Turns logits into calibrated probabilities, in place. */
export async function toProbabilities(
  logits: Float32Array,
  classes: number,
  inverseTemperature: number,
  ticker: Ticker,
): Promise<void> {
  const row = new Float64Array(classes);
  for (let start = 0; start < logits.length; start += classes) {
    if (ticker.due()) await ticker.yield(start / logits.length);
    row.set(logits.subarray(start, start + classes));
    softmax(row, inverseTemperature);
    logits.set(row, start);
  }
}
