/** Builds the result from the assessments: a summary for each field and a row for each suspect. */
import type { Assessment, FieldResult, FieldResults, Suspect } from './assessment.ts';
import type { Dataset } from './dataset.ts';
import { explainNotJudged, formatMessage } from './messages.ts';
import {
  FIELDS,
  type Field,
  type FieldSummary,
  type Finding,
  MAX_LABELS,
  OTHERS,
  type Row,
} from './schemas.ts';

export function toFieldResult(field: Field, assessment: Assessment): FieldResult {
  const reason = explainNotJudged(field, assessment);
  return { assessment, suspects: reason === null ? assessment.estimates!.suspects : [], reason };
}

/** Enough digits to compare values, not more than the estimates justify. */
const round = (value: number): number => Number(value.toPrecision(4));

type SuspectByField = Partial<Record<Field, Suspect>>;

/** The suspects by row of the dataset, the most certain first. */
export function rankSuspects(results: FieldResults): Map<number, SuspectByField> {
  const found = FIELDS.flatMap((field) =>
    (results[field]?.suspects ?? []).map((suspect) => ({ field, suspect })),
  );
  found.sort(
    (a, b) =>
      b.suspect.certainty - a.suspect.certainty ||
      a.suspect.probabilityGiven - b.suspect.probabilityGiven ||
      a.suspect.row - b.suspect.row,
  );
  const suspects = new Map<number, SuspectByField>();
  for (const { field, suspect } of found) {
    suspects.set(suspect.row, { ...suspects.get(suspect.row), [field]: suspect });
  }
  return suspects;
}

/** Builds rows on demand: some methods find very many suspects. */
export function listRows(
  dataset: Dataset,
  results: FieldResults,
  suspects: Map<number, SuspectByField>,
): Iterable<Row> {
  const find = (field: Field, suspect?: Suspect) =>
    suspect ? toFinding(results[field]!.assessment, suspect) : null;
  return {
    *[Symbol.iterator]() {
      for (const [row, suspect] of suspects) {
        const category = find('category', suspect.category);
        const difficulty = find('difficulty', suspect.difficulty);
        const flags: Row['flags'] = [];
        if (category) flags.push('category_suspect');
        if (difficulty) flags.push('difficulty_suspect');
        yield {
          question_id: dataset.getId(row),
          flags,
          message: formatMessage(category, difficulty),
          question_text: dataset.getText(row),
          category,
          difficulty,
        };
      }
    },
  };
}

function toFinding({ classes }: Assessment, suspect: Suspect): Finding {
  return {
    given: classes[suspect.given]!,
    suggested: classes[suspect.suggested]!,
    probability_given: round(suspect.probabilityGiven),
    probability_suggested: round(suspect.probabilitySuggested),
    certainty: round(suspect.certainty),
    words: suspect.words,
  };
}

export function summarizeField({ assessment, suspects, reason }: FieldResult): FieldSummary {
  const { classes, counts, omitted, estimates } = assessment;
  const countByClass = (getClass: (suspect: Suspect) => number) => {
    const byClass = new Uint32Array(classes.length);
    for (const suspect of suspects) byClass[getClass(suspect)]!++;
    return byClass;
  };
  const given = countByClass((suspect) => suspect.given);
  const suggested = countByClass((suspect) => suspect.suggested);
  return {
    questions: counts.reduce((sum, count) => sum + count, 0),
    labels: classes.length,
    labels_left_out: omitted.classes,
    questions_left_out: omitted.questions,
    judged: reason === null,
    reason,
    accuracy: estimates && round(estimates.accuracy),
    baseline_accuracy: estimates && round(estimates.baseline),
    noise_rate: estimates && round(estimates.noise),
    overlap_rate: estimates && round(estimates.overlap),
    suspects: suspects.length,
    largest: classes.slice(0, MAX_LABELS).map((label, c) => ({
      label,
      questions: counts[c]!,
      suspects: given[c]!,
      suggested: suggested[c]!,
      intake: estimates && round(estimates.intake[c]!),
      catch_all: estimates?.isCatchAll[c] ?? false,
      threshold: estimates && round(estimates.thresholds[c]!),
    })),
    confusion: summarizeConfusion(assessment),
  };
}

/** The confusion matrix of the largest labels; the last row and column combine the others. */
function summarizeConfusion({ classes, counts, estimates }: Assessment): FieldSummary['confusion'] {
  const labels = classes.slice(0, MAX_LABELS);
  if (classes.length > MAX_LABELS) labels.push(OTHERS);
  const table = labels.map(() => labels.map(() => 0));
  const toIndex = (c: number) => Math.min(c, MAX_LABELS);
  // Without estimates there is at most one class, so that the counts are the matrix.
  const confusion = estimates?.confusion ?? counts;
  for (let cell = 0; cell < confusion.length; cell++) {
    const row = Math.floor(cell / classes.length);
    table[toIndex(row)]![toIndex(cell % classes.length)]! += confusion[cell]!;
  }
  return { labels, counts: table };
}
