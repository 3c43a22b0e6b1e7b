/** What the readability of a question and of a bank is in words, for people. */
import { type Distribution, SMALLEST_GROUP } from './formulae.ts';

/** The length of the passages for which the formulae were made. */
const PASSAGE_WORDS = 100;
/** Of the words of public trivia questions 94 % are in the dictionary; in French and Spanish text two thirds. */
const ENGLISH_SHARE = 0.75;

/** Of 5,250 public trivia questions in English three have so few words that are in the dictionary, all of them names. */
const ENGLISH_QUESTION_SHARE = 0.55;
const FEWEST_TO_TELL = 6;

export const seemsForeign = (words: number, known: number): boolean =>
  words >= FEWEST_TO_TELL && known / words < ENGLISH_QUESTION_SHARE;

interface Graded {
  flags: readonly string[];
  grade: number | null;
  margin: number | null;
  words: number;
  sentences: number;
  polysyllables: number;
}

interface Group {
  name: string;
  grades: Distribution;
}

/** Beyond this there is no school grade to compare with. */
const LAST_GRADE = 20;

const asGrade = (grade: number): string => {
  if (grade < 1) return 'like grade 1 or below';
  return grade > LAST_GRADE ? 'harder than any school grade' : `like grade ${Math.round(grade)}`;
};
const several = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** What was found about a question, and what can be done. */
export function messageFor(
  row: Graded,
  level: Group,
  { max_grade, max_words }: { max_grade: number; max_words: number },
): string {
  const { flags, grade, margin, words } = row;
  const long = flags.includes('long_question')
    ? ` It has ${words} words, more than the ${max_words} allowed.`
    : '';
  if (grade === null) {
    return `Not graded: the formulae are for English, and it is not mostly in Latin letters.${long}`;
  }
  if (flags.includes('not_english')) {
    return `Not judged: the formulae are for English, and most of its words do not seem to be.${long}`;
  }
  if (flags.includes('unreliable_short_text')) {
    return `Seems to read ${asGrade(grade)}, but with ${several(words, 'word')} it is too short to tell.${long}`;
  }
  const margins = grade > LAST_GRADE ? '' : `, give or take ${Math.max(1, Math.round(margin!))}`;
  const found = `Reads ${asGrade(grade)}${margins}${typicalOf(level)}.`;
  if (flags.includes('too_hard_to_read')) {
    return `${found} That is above the limit of ${max_grade}: ${reasonFor(row)}. Use shorter sentences or plainer words.${long}`;
  }
  return flags.includes('harder_to_read_than_level')
    ? `${found} That stands out: ${reasonFor(row)}.${long}`
    : `${found}${long}`;
}

const reasonFor = ({ words, sentences, polysyllables }: Graded): string =>
  `it has ${several(words, 'word')} in ${several(sentences, 'sentence')}, ${polysyllables} of them with three syllables or more`;

function typicalOf({ name, grades }: Group): string {
  if (grades.count < SMALLEST_GROUP) return '';
  const from = Math.max(1, Math.round(grades.lower_quartile!));
  const to = Math.max(1, Math.round(grades.upper_quartile!));
  return `; ${name} questions in this bank are mostly at grade ${from === to ? from : `${from} to ${to}`}`;
}

export function warningsFor(words: Distribution, ungraded: number, knownShare: number | null): string[] {
  const warnings: string[] = [];
  if (ungraded < words.count && words.median! < PASSAGE_WORDS) {
    warnings.push(
      `The formulae were made for passages of about ${PASSAGE_WORDS} words. Half of these questions have ${words.median} or fewer, so that the grade of a single one is rough: see its margin. Medians of many can be trusted more.`,
    );
  }
  if (knownShare !== null && knownShare < ENGLISH_SHARE) {
    warnings.push(
      `Only ${Math.round(100 * knownShare)} % of the words are in the dictionary of English. The formulae are for English: grades of texts in other languages mean nothing.`,
    );
  }
  if (ungraded > 0) {
    warnings.push(`${several(ungraded, 'question')} got no grade, for want of Latin letters.`);
  }
  return warnings;
}

/** The grades of the groups, for whoever cannot see the picture. */
export function describeGrades(groups: readonly Group[]): string {
  const parts = groups
    .filter(({ grades }) => grades.count > 0)
    .map(
      ({ name, grades }) =>
        `${several(grades.count, `${name} question`)}, median ${grades.median!.toFixed(1)}`,
    );
  if (parts.length === 0) return 'No question has a grade.';
  return `How many questions read like which school grade. ${parts.join('; ')}. The first and the last bar have all beyond them, too.`;
}
