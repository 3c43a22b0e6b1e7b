/** The sentences of the result: messages of rows, reasons and warnings. */
import { formatCount } from '../shared/format.ts';
import type { Assessment, FieldResult, FieldResults } from './assessment.ts';
import type { Dataset } from './dataset.ts';
import { FIELDS, type Field, type Finding } from './schemas.ts';

/**
 * With fewer questions the classifier is unreliable: among 300 questions a third of the suspects
 * were right.
 */
const MIN_RELIABLE_QUESTIONS = 500;
const MAX_NAMES = 5;

const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** Why no question is a suspect for this field, or null. */
export function explainNotJudged(field: Field, { estimates }: Assessment): string | null {
  if (estimates === null)
    return `There are not two labels with enough different questions to distinguish one ${field} from another.`;
  if (estimates.isLearnable) return null;
  return (
    `The ${field} cannot be predicted from the text: the accuracy is ${formatPercent(estimates.accuracy)}, and ` +
    `${formatPercent(estimates.baseline)} for always predicting the most common one.`
  );
}

export function formatMessage(category: Finding | null, difficulty: Finding | null): string {
  const sentences: string[] = [];
  if (category) sentences.push(`The category is ${formatFinding(category)}`);
  if (difficulty) sentences.push(`The difficulty is ${formatFinding(difficulty)}`);
  return sentences.join(' ');
}

const formatFinding = ({ given, suggested, words }: Finding): string =>
  `${given}, but the text suggests ${suggested}: ${words.map((word) => `“${word}”`).join(', ')}.`;

export function formatWarnings(dataset: Dataset, folds: number, results: FieldResults): string[] {
  const warnings: string[] = [];
  for (const field of FIELDS) {
    const result = results[field];
    if (!result) continue;
    const { classes, omitted, isFull, sampleSize } = result.assessment;
    if (result.reason !== null) warnings.push(`${result.reason} No question is reported for its ${field}.`);
    if (omitted.classes > 0) {
      const limit = isFull ? `, and at most ${classes.length} labels can be learned at once` : '';
      warnings.push(
        `Some values of ${field} were left out: ${omitted.classes}, with ${formatCount(omitted.questions, 'question')} ` +
          `in total. Each needs at least ${folds} different questions to be learned${limit}.`,
      );
    }
    warnings.push(...formatCatchAllWarning(field, result));
    if (sampleSize !== null) {
      warnings.push(
        `To limit the run time, the ${field} was learned from a sample of ${sampleSize} questions at a time.`,
      );
    }
  }
  if (dataset.count < MIN_RELIABLE_QUESTIONS) {
    warnings.push(
      `There are ${formatCount(dataset.count, 'question')} to learn from. With fewer than ${MIN_RELIABLE_QUESTIONS}, treat the suspects as hints.`,
    );
  }
  const withoutTerms = dataset.matrix.scales.reduce((sum, scale) => sum + Number(scale === 0), 0);
  if (withoutTerms > 0) {
    warnings.push(
      `Questions that share no word with others cannot be judged. There are ${withoutTerms} of them.`,
    );
  }
  return warnings;
}

function formatCatchAllWarning(field: Field, { assessment, reason }: FieldResult): string[] {
  if (reason !== null) return [];
  const { isCatchAll } = assessment.estimates!;
  const names = assessment.classes.filter((_, c) => isCatchAll[c]);
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const list = `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
  return [
    field === 'category'
      ? `Catch-all or overlapping categories: ${list}. Their questions look like those of other categories, so these are ` +
        'never suggested, and few of their questions are reported.'
      : `Levels of difficulty that the text does not separate from others: ${list}. They are never suggested.`,
  ];
}
