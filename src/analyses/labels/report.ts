/** Makes the result out of the judgements: suspects to be named, rows with sentences, figures, warnings. */

import type { Assessment, Suspect } from './assessment.ts';
import type { Dataset } from './dataset.ts';
import {
  FIELDS,
  type Field,
  type FieldSummary,
  type Finding,
  MAX_LABELS,
  OTHERS,
  type Row,
} from './schemas.ts';

/** Below it, the classifier has read too little to be trusted: of the suspects among 300 questions a third were right. */
const FEW_QUESTIONS = 500;
/** From this intake on readers are told of it. With 5 % planted mistakes only "General Knowledge" had more, namely 5.6. */
const CATCH_ALL = 3;
const MOST_NAMES = 5;

/** A judgement with the suspects that are to be named: none where the text does not tell. */
export interface FieldResult {
  assessment: Assessment;
  suspects: Suspect[];
  reason: string | null;
}

export type FieldResults = Partial<Record<Field, FieldResult>>;

export function toFieldResult(field: Field, assessment: Assessment): FieldResult {
  const { estimates } = assessment;
  if (estimates === null) {
    const reason = `There are not two labels with enough different questions to tell one ${field} from another.`;
    return { assessment, suspects: [], reason };
  }
  if (!estimates.isLearnable) {
    const reason =
      `The ${field} cannot be told from the text: ${percent(estimates.accuracy)} would be guessed rightly, and ` +
      `${percent(estimates.baseline)} by always naming the most common one.`;
    return { assessment, suspects: [], reason };
  }
  return { assessment, suspects: estimates.suspects, reason: null };
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
/** Enough digits to compare, not more than there is reason for. */
const rounded = (value: number): number => Number(value.toPrecision(4));

/** What is in doubt about a question. */
type Doubts = Partial<Record<Field, Suspect>>;

/** Everything in doubt, by the place of the question; the most certain first. */
export function rankSuspects(verdicts: FieldResults): Map<number, Doubts> {
  const found = FIELDS.flatMap((field) =>
    (verdicts[field]?.suspects ?? []).map((suspect) => ({ field, suspect })),
  );
  found.sort(
    (a, b) =>
      b.suspect.certainty - a.suspect.certainty ||
      a.suspect.probabilityGiven - b.suspect.probabilityGiven ||
      a.suspect.row - b.suspect.row,
  );
  const doubts = new Map<number, Doubts>();
  for (const { field, suspect } of found) {
    doubts.set(suspect.row, { ...doubts.get(suspect.row), [field]: suspect });
  }
  return doubts;
}

/** One row for each question in doubt, made when it is read: with some methods there are very many. */
export function listRows(bank: Dataset, verdicts: FieldResults, doubts: Map<number, Doubts>): Iterable<Row> {
  const finding = (field: Field, suspect?: Suspect) =>
    suspect ? findingOf(verdicts[field]!.assessment, suspect) : null;
  return {
    *[Symbol.iterator]() {
      for (const [row, doubt] of doubts) {
        const category = finding('category', doubt.category);
        const difficulty = finding('difficulty', doubt.difficulty);
        yield rowOf({ question_id: bank.getId(row), question_text: bank.getText(row) }, category, difficulty);
      }
    },
  };
}

function findingOf({ classes }: Assessment, suspect: Suspect): Finding {
  return {
    given: classes[suspect.given]!,
    suggested: classes[suspect.suggested]!,
    probability_given: rounded(suspect.probabilityGiven),
    probability_suggested: rounded(suspect.probabilitySuggested),
    certainty: rounded(suspect.certainty),
    words: suspect.words,
  };
}

function rowOf(
  { question_id, question_text }: { question_id: string; question_text: string },
  category: Finding | null,
  difficulty: Finding | null,
): Row {
  const row: Row = { question_id, flags: [], message: '', question_text, category, difficulty };
  const sentences: string[] = [];
  if (category) {
    row.flags.push('category_suspect');
    sentences.push(`Filed under ${sentence(category)}`);
  }
  if (difficulty) {
    row.flags.push('difficulty_suspect');
    sentences.push(`Marked as difficulty ${sentence(difficulty)}`);
  }
  row.message = sentences.join(' ');
  return row;
}

const sentence = ({ given, suggested, words }: Finding): string =>
  `${given}, but it reads like ${suggested}: ${words.map((word) => `“${word}”`).join(', ')}.`;

export function summarizeField({ assessment, suspects, reason }: FieldResult): FieldSummary {
  const { classes, counts, omitted, estimates } = assessment;
  const tally = (label: (suspect: Suspect) => number) => {
    const tallies = new Uint32Array(classes.length);
    for (const suspect of suspects) tallies[label(suspect)]!++;
    return tallies;
  };
  const named = tally((suspect) => suspect.given);
  const suggested = tally((suspect) => suspect.suggested);
  return {
    questions: counts.reduce((sum, count) => sum + count, 0),
    labels: classes.length,
    labels_left_out: omitted.classes,
    questions_left_out: omitted.questions,
    judged: reason === null,
    reason,
    accuracy: estimates && rounded(estimates.accuracy),
    baseline_accuracy: estimates && rounded(estimates.baseline),
    noise_rate: estimates && rounded(estimates.noise),
    overlap_rate: estimates && rounded(estimates.overlap),
    suspects: suspects.length,
    largest: classes.slice(0, MAX_LABELS).map((label, c) => ({
      label,
      questions: counts[c]!,
      suspects: named[c]!,
      suggested: suggested[c]!,
      intake: estimates && rounded(estimates.intake[c]!),
      threshold: estimates && rounded(estimates.thresholds[c]!),
    })),
    confusion: confusionOf(assessment),
  };
}

/** The table of the largest labels, the others counted together in its last row and column. */
function confusionOf({ classes, counts, estimates }: Assessment): FieldSummary['confusion'] {
  const labels = classes.slice(0, MAX_LABELS);
  if (classes.length > MAX_LABELS) labels.push(OTHERS);
  const table = labels.map(() => labels.map(() => 0));
  const place = (c: number) => Math.min(c, MAX_LABELS);
  // Without findings there is one label at the most, and all its questions look like it.
  const confusion = estimates?.confusion ?? counts;
  for (let cell = 0; cell < confusion.length; cell++) {
    const row = Math.floor(cell / classes.length);
    table[place(row)]![place(cell % classes.length)]! += confusion[cell]!;
  }
  return { labels, counts: table };
}

export function formatWarnings(bank: Dataset, folds: number, verdicts: FieldResults): string[] {
  const warnings: string[] = [];
  for (const field of FIELDS) {
    const verdict = verdicts[field];
    if (!verdict) continue;
    const { classes, omitted, isFull, sampleSize } = verdict.assessment;
    if (verdict.reason !== null) warnings.push(`${verdict.reason} No question is named for its ${field}.`);
    if (omitted.classes > 0) {
      const room = isFull ? `, and no more than ${classes.length} can be learned at once` : '';
      warnings.push(
        `Some values of ${field} were left out: ${omitted.classes}, with ${omitted.questions} ` +
          `${omitted.questions === 1 ? 'question' : 'questions'} in all. Each needs at least ${folds} different questions to be ` +
          `learned${room}.`,
      );
    }
    warnings.push(...catchAllWarning(field, verdict));
    if (sampleSize !== null) {
      warnings.push(
        `To save time, the ${field} was learned from ${sampleSize} questions at once, not from all.`,
      );
    }
  }
  if (bank.count < FEW_QUESTIONS) {
    warnings.push(
      `Questions to learn from: ${bank.count}. With fewer than ${FEW_QUESTIONS}, take what is found as a hint.`,
    );
  }
  const silent = bank.matrix.scales.reduce((sum, scale) => sum + Number(scale === 0), 0);
  if (silent > 0) {
    warnings.push(`Nothing can be said about questions that share no word with others: ${silent} of them.`);
  }
  return warnings;
}

function catchAllWarning(field: Field, { assessment, reason }: FieldResult): string[] {
  if (reason !== null) return [];
  const names = assessment.classes.filter((_, c) => assessment.estimates!.intake[c]! >= CATCH_ALL);
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return [
    `Questions that look like something else are filed under ${names.slice(0, MOST_NAMES).join(', ')}${more} more often ` +
      `than by mistake: such a ${field} takes in questions of many kinds, or overlaps with others. Hardly any question ` +
      'is named for being there.',
  ];
}
