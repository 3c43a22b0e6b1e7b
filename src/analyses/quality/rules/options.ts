/** Rules about options that stand out, overlap, repeat or depend on each other. */
import { findOddNotation, findOverlap } from './numeric-options.ts';
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, type QuestionRule, type Thresholds, toChoiceSpan } from './rule.ts';
import { toWordSet } from './vocabulary.ts';

const HOMOGENEOUS = citeGuideline(23, 'keep choices homogeneous in content and grammatical structure');

const ALL_ABOVE =
  /^\W*(?:all|both|any|each|either)(?:\s+of)?\s+(?:(?:the\s+)?(?:above|options|answers|choices)|them|(?:these|those)(?:\s+\p{L}+)?|(?:the\s+)?(?:two|three|four|other)\s+(?:above|options|answers|choices))(?:\s+(?:answers|options|choices))?(?:\s+(?:are|is)\s+(?:correct|right|true))?\W*$/iu;
const NONE_ABOVE =
  /^\W*(?:none|neither)(?:\s+of)?\s+(?:the\s+)?(?:above|these|those|them|options|answers|choices)(?:\s+(?:answers|options|choices|above))?(?:\s+(?:are|is)\s+(?:correct|right|true))?\W*$/i;
/** References such as “both A and B” or “options 1 and 2”. */
const OPTION_LETTERS =
  /^\W*(?:both|either|neither|only|all|options?|answers?|choices?) (?:(?:of )?(?:options|answers|choices) )?\(?[a-e1-5]\)?(?:, ?\(?[a-e1-5]\)?)*,? (?:and|&|or|nor) \(?[a-e1-5]\)?(?: only)?\W*$/i;
const LETTER_PAIR = /^\(?[A-E]\)? (?:and|&|or) \(?[A-E]\)?(?: only)?\W*$/;
/** Questions in which letters are not labels of options. */
const ABOUT_LETTERS =
  /\b(?:letters?|vitamins?|notes?|chords?|strings?|keys?|blood|grades?|types?|alphabet|hepatitis|sides?|numbers?|digits?)\b/i;

/** Questions about spelling or syntax, where options differ in it by design. */
const ABOUT_WRITING =
  /\b(?:spel(?:l|led|ling|ls|t)|capitali[sz]ed|capitali[sz]ation|(?:correctly|properly) written|written (?:correctly|properly)|punctuat\w+|(?:upper|lower)[- ]?case|case[- ]sensitive|syntax)\b/i;
export const optionRules: QuestionRule[] = [
  {
    name: 'all_of_the_above',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'an option is “all of the above” or the like',
    why: 'Knowing that two options are correct is enough, and options are shuffled, so “above” is meaningless.',
    how: 'Replace it with a specific option.',
    source: citeGuideline(26, 'avoid all-of-the-above'),
    find: (parsed) => findChoices(parsed, (choice) => ALL_ABOVE.test(choice)),
  },
  {
    name: 'none_of_the_above',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'an option is “none of the above” or the like',
    why: 'It shows that errors were recognised, not that the answer is known, and options are shuffled.',
    how: 'Replace it with a plausible, specific option.',
    source: citeGuideline(25, 'none-of-the-above should be used carefully'),
    find: (parsed) => findChoices(parsed, (choice) => NONE_ABOVE.test(choice)),
  },
  {
    name: 'names_other_options',
    scope: 'question',
    severity: 'major',
    englishOnly: true,
    problem: 'an option refers to others by their letters',
    why: 'Options are shuffled, so letters are meaningless.',
    how: 'Write the content out, or make each option independent.',
    source: citeGuideline(9, 'avoid the complex multiple-choice (type K) format'),
    find: findOptionLetters,
  },
  {
    name: 'repeated_option',
    scope: 'question',
    severity: 'major',
    englishOnly: false,
    problem: 'two options are identical',
    why: 'Neither can be the only correct answer, so the question has fewer effective options.',
    how: 'Replace one of them.',
    source: citeGuideline(22, 'keep choices independent; choices should not be overlapping'),
    find: findRepeated,
  },
  {
    name: 'overlapping_options',
    scope: 'question',
    severity: 'major',
    englishOnly: true,
    problem: 'the ranges of two options overlap',
    why: 'A value in both ranges makes two options correct.',
    how: 'Make each range end before the next one begins.',
    source: citeGuideline(22, 'keep choices independent; choices should not be overlapping'),
    find: (parsed) => {
      const pair = findOverlap(parsed.choices, parsed.text);
      return pair ? pair.map((field) => toChoiceSpan(parsed, field)) : [];
    },
  },
  {
    name: 'option_is_question',
    scope: 'question',
    severity: 'major',
    englishOnly: false,
    problem: 'an option repeats the question',
    why: 'It cannot be an answer; text was probably pasted into the wrong field.',
    how: 'Enter the intended option.',
    source: citeGuideline(11, 'edit and proof items'),
    find: findRepeatedQuestion,
  },
  {
    name: 'mixed_notation',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'the options mix notations of numbers (digits and words, with and without unit or comma)',
    why: 'The option in a different notation stands out.',
    how: 'Use the same notation in all options.',
    source: HOMOGENEOUS,
    find: (parsed) => {
      if (ABOUT_WRITING.test(parsed.text)) return [];
      const odd = findOddNotation(parsed.choices);
      return odd === null ? [] : [toChoiceSpan(parsed, odd)];
    },
  },
  {
    name: 'odd_length',
    scope: 'question',
    severity: 'info',
    englishOnly: false,
    problem: 'one option is much longer than all others',
    why: 'Test-wise respondents choose the longest option.',
    how: 'Shorten it, or make the others as detailed.',
    source: citeGuideline(24, 'keep the length of choices about equal'),
    find: (parsed, thresholds) => {
      const index = findLengthOutlier(parsed.choices, thresholds);
      return index === null || parsed.kind !== 'choice' ? [] : [toChoiceSpan(parsed, index)];
    },
  },
  {
    name: 'odd_capital',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'one option begins in lower case, all others with a capital',
    why: 'The inconsistent option stands out.',
    how: 'Capitalise all options consistently.',
    source: HOMOGENEOUS,
    find: findOddCapital,
  },
  {
    name: 'odd_full_stop',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'one option differs from the others in its final full stop',
    why: 'The inconsistent option stands out.',
    how: 'Punctuate all options consistently.',
    source: HOMOGENEOUS,
    find: findOddFullStop,
  },
  {
    name: 'odd_beginning',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'all options but one begin with the same word',
    why: 'The option that breaks the pattern stands out.',
    how: 'Give all options the same grammatical form.',
    source: HOMOGENEOUS,
    find: findOddBeginning,
  },
];

function findChoices(parsed: ParsedQuestion, matches: (choice: string) => boolean): FieldSpan[] {
  return parsed.choices.flatMap((choice, i) => (matches(choice) ? [toChoiceSpan(parsed, i)] : []));
}

function findOptionLetters(parsed: ParsedQuestion): FieldSpan[] {
  if (ABOUT_LETTERS.test(parsed.text)) return [];
  const found = findChoices(parsed, (choice) => OPTION_LETTERS.test(choice) || LETTER_PAIR.test(choice));
  return found.length * 2 <= parsed.choices.length ? found : [];
}

/**
 * Ignores case, spacing, a leading article and surrounding punctuation. Inner punctuation and
 * diacritics count: C++ is not C#, and résumé is not resume.
 */
function normalizeOption(text: string): string {
  const folded = text.toLowerCase().replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, ' ').trim();
  let start = 0;
  let end = folded.length;
  while (start < end && LEADING_MARKS.includes(folded[start]!)) start++;
  while (
    end > start &&
    TRAILING_MARKS.includes(folded[end - 1]!) &&
    !FEET_OR_INCHES.test(folded.slice(end - 2, end))
  )
    end--;
  const bare = folded.slice(start, end).replace(/^(?:the|an?) (?=\S)/, '');
  return /[\p{L}\p{N}]/u.test(bare) ? bare : text;
}

const LEADING_MARKS = '"\'(';
const FEET_OR_INCHES = /\d["']/;
const TRAILING_MARKS = '"\').,;:?!';

/** Options that differ more in length are not normalised: saves time. */
const MAX_LENGTH_DIFFERENCE_CHARS = 12;

function findRepeatedQuestion(parsed: ParsedQuestion): FieldSpan[] {
  const { length } = parsed.text;
  if (length < 10) return [];
  return findChoices(
    parsed,
    (choice) =>
      Math.abs(choice.length - length) <= MAX_LENGTH_DIFFERENCE_CHARS &&
      normalizeOption(choice) === normalizeOption(parsed.text),
  );
}

function findRepeated(parsed: ParsedQuestion): FieldSpan[] {
  if (ABOUT_WRITING.test(parsed.text)) return [];
  const seen = new Set<string>();
  return findChoices(parsed, (choice) => {
    const normalized = normalizeOption(choice);
    if (seen.has(normalized)) return true;
    seen.add(normalized);
    return false;
  });
}

/** The option that exceeds all others in length by the minimum ratio and difference. */
export function findLengthOutlier(choices: readonly string[], thresholds: Thresholds): number | null {
  if (choices.length < 3) return null;
  let index = -1;
  let max = 0;
  let secondMax = 0;
  choices.forEach((choice, i) => {
    const length = countCharacters(choice);
    if (length > max) [index, max, secondMax] = [i, length, max];
    else if (length > secondMax) secondMax = length;
  });
  return max >= secondMax * thresholds.min_length_ratio && max - secondMax >= thresholds.min_length_difference
    ? index
    : null;
}

/** In code points, without surrounding white space. */
export function countCharacters(text: string): number {
  let length = 0;
  for (const _ of text.trim()) length++;
  return length;
}

/** Names such as iPhone or van Gogh, and identifiers of programming languages. */
const DELIBERATE_LOWER_CASE =
  /^(?:\p{Ll}{1,2}\p{Lu}|\p{Ll}{1,2}(?:\P{L}|$)|(?:v[ao]n|de|del|della|d[aiou]s?|la|le|el|al|bin|ibn|ter|ten|the|af|zu)\b|\p{Ll}+[\d_().])/u;

function findOddCapital(parsed: ParsedQuestion): FieldSpan[] {
  const { choices } = parsed;
  if (choices.length < 3 || ABOUT_WRITING.test(parsed.text)) return [];
  const lowerCase = findChoices(parsed, (choice) => /^\p{Ll}/u.test(choice));
  if (lowerCase.length !== 1 || !choices.every((choice) => /^\p{L}/u.test(choice))) return [];
  return DELIBERATE_LOWER_CASE.test(choices[lowerCase[0]!.field]!) ? [] : lowerCase;
}

/** A phrase with a final full stop that is not part of an abbreviation. */
const ENDS_WITH_FULL_STOP = /\s\S*\p{Ll}{3}(?<!\b(?:Bros|Corp|Assoc|Dept|Univ|Capt|Prof))\.["”]?$/u;

function findOddFullStop(parsed: ParsedQuestion): FieldSpan[] {
  const { choices } = parsed;
  if (choices.length < 3) return [];
  const punctuated = findChoices(parsed, (choice) => ENDS_WITH_FULL_STOP.test(choice.trim()));
  if (
    punctuated.length === 1 &&
    choices.every((choice, i) => i === punctuated[0]!.field || !/\p{P}$/u.test(choice.trim()))
  ) {
    return punctuated;
  }
  if (punctuated.length !== choices.length - 1) return [];
  return findChoices(parsed, (choice) => /[\p{L}\p{N}]$/u.test(choice.trim()));
}

/** First words that make a grammatical pattern. */
const PATTERN_WORDS = toWordSet('to by because for from in on at with a');
/** Another determiner instead of an article does not break the pattern. */
const DETERMINERS = toWordSet('the his her its their your my our one two some any no nothing none');
const getFirstWord = (choice: string) => {
  const first = /^\p{L}+(?=\s)/u.exec(choice)?.[0].toLowerCase() ?? '';
  return first === 'an' ? 'a' : first;
};

function findOddBeginning(parsed: ParsedQuestion): FieldSpan[] {
  const { choices } = parsed;
  if (choices.length < 4) return [];
  const firstWords = choices.map(getFirstWord);
  for (const word of new Set(firstWords.slice(0, 2))) {
    const odd = firstWords.findIndex((other) => other !== word);
    const isOnlyOne =
      odd !== -1 &&
      firstWords.lastIndexOf(firstWords[odd]!) === odd &&
      firstWords.filter((other) => other !== word).length === 1;
    if (PATTERN_WORDS.has(word) && isOnlyOne && !DETERMINERS.has(firstWords[odd]!)) {
      return [toChoiceSpan(parsed, odd)];
    }
  }
  return [];
}
