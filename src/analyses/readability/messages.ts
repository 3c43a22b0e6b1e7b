/** Messages about questions, warnings about the result, and the description of the chart. */
import { formatCount } from '../shared/format.ts';
import { MIN_GROUP_SIZE } from './distribution.ts';
import type { Distribution } from './schemas.ts';

/** Length of the passages that the formulas were made for. */
const PASSAGE_WORDS = 100;
/** The dictionary has 94 % of the words of English trivia, two thirds of French or Spanish ones. */
const MIN_KNOWN_SHARE_OF_BANK = 0.75;
/** The formulas have no meaning as school grades above this. */
const MAX_SCHOOL_GRADE = 20;

interface GradedQuestion {
  flags: readonly string[];
  grade: number | null;
  standard_error: number | null;
  words: number;
  sentences: number;
  polysyllables: number;
  names: number;
}

interface Group {
  name: string;
  grades: Distribution;
}

const formatGrade = (grade: number): string => {
  if (grade < 1) return 'at grade 1 or below';
  return grade > MAX_SCHOOL_GRADE ? 'above any school grade' : `at grade ${Math.round(grade)}`;
};

export function describeQuestion(
  row: GradedQuestion,
  level: Group,
  { max_grade, max_words }: { max_grade: number; max_words: number },
): string {
  const { flags, grade, standard_error, words } = row;
  const tooLong = flags.includes('long_question')
    ? ` It has ${words} words; the maximum is ${max_words}.`
    : '';
  if (grade === null) {
    return `Not graded: the text is not mostly in Latin letters, and the formulas are for English.${tooLong}`;
  }
  if (flags.includes('not_english')) {
    return `Not judged: the text does not seem to be English, and the formulas are for English.${tooLong}`;
  }
  if (flags.includes('unreliable_short_text')) {
    return `Reads ${formatGrade(grade)}, but a text of ${formatCount(words, 'word')} is too short for a reliable grade.${tooLong}`;
  }
  const margin = Math.max(1, Math.round(standard_error!));
  const uncertainty = grade > MAX_SCHOOL_GRADE ? '' : ` ± ${margin} (standard error)`;
  const result = `Reads ${formatGrade(grade)}${uncertainty}${describeTypicalGrades(level)}.`;
  if (flags.includes('too_hard_to_read')) {
    return `${result} It exceeds the maximum of ${max_grade} by more than its standard error: ${describeCause(row)}. Use shorter sentences or simpler words.${tooLong}`;
  }
  return flags.includes('harder_to_read_than_level')
    ? `${result} It is an outlier: ${describeCause(row)}.${tooLong}`
    : `${result}${tooLong}`;
}

const describeCause = ({ words, sentences, polysyllables, names }: GradedQuestion): string => {
  const exceptNames = names > 0 ? ', names not counted' : '';
  return `it has ${formatCount(words, 'word')} in ${formatCount(sentences, 'sentence')}, ${polysyllables} of them with three syllables or more${exceptNames}`;
};

function describeTypicalGrades({ name, grades }: Group): string {
  if (grades.count < MIN_GROUP_SIZE) return '';
  const from = Math.max(1, Math.round(grades.lower_quartile!));
  const to = Math.max(1, Math.round(grades.upper_quartile!));
  return `; the middle half of the ${name} questions are at grade ${from === to ? from : `${from} to ${to}`}`;
}

export function buildWarnings(words: Distribution, notGraded: number, knownShare: number | null): string[] {
  const warnings: string[] = [];
  if (notGraded < words.count && words.median! < PASSAGE_WORDS) {
    warnings.push(
      `The formulas were made for passages of about ${PASSAGE_WORDS} words. Half of these questions have ${words.median} or fewer, so single grades are rough: see their standard errors. Medians of many questions are more reliable.`,
    );
  }
  if (knownShare !== null && knownShare < MIN_KNOWN_SHARE_OF_BANK) {
    warnings.push(
      `Only ${Math.round(100 * knownShare)} % of the words are in the English dictionary. The formulas are for English: grades of texts in other languages are meaningless.`,
    );
  }
  if (notGraded > 0) {
    warnings.push(`${formatCount(notGraded, 'question')} not graded: not mostly in Latin letters.`);
  }
  return warnings;
}

export function describeGrades(groups: readonly Group[]): string {
  const parts = groups
    .filter(({ grades }) => grades.count > 0)
    .map(
      ({ name, grades }) =>
        `${formatCount(grades.count, `${name} question`)}, median ${grades.median!.toFixed(1)}`,
    );
  if (parts.length === 0) return 'No question has a grade.';
  return `Questions by school grade. ${parts.join('; ')}. The first and last bars include all grades beyond them.`;
}
