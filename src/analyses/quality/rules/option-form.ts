/** Rules about an option that stands out by its form: length, case, full stop, grammar, notation. */

import { refersToOptions } from '../../../text/option-references.ts';
import { splitWords } from '../../shared/words.ts';
import { findOddNotation } from './numeric-options.ts';
import type { ParsedQuestion } from './parsed-question.ts';
import {
  citeGuideline,
  type FieldSpan,
  findChoices,
  type QuestionRule,
  type Thresholds,
  toChoiceSpan,
} from './rule.ts';
import { toWordSet } from './vocabulary.ts';
import { ABOUT_SAYING, ABOUT_WRITING, isPhrase, isPlainPhrase } from './wording.ts';

const HOMOGENEOUS = citeGuideline(23, 'keep choices homogeneous in content and grammatical structure');

export const optionFormRules: QuestionRule[] = [
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
    englishOnly: true,
    problem: 'one option is much longer than all others',
    why: 'Test-wise respondents choose the longest option.',
    how: 'Shorten it, or make the others as detailed.',
    source: citeGuideline(24, 'keep the length of choices about equal'),
    find: (parsed, thresholds) => {
      const index = findLengthOutlier(parsed, thresholds);
      return index === null ? [] : [toChoiceSpan(parsed, index)];
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
    fix: (choice) => (/\.\s*$/.test(choice) ? choice.replace(/\.\s*$/, '') : `${choice.trimEnd()}.`),
  },
  {
    name: 'odd_beginning',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'all options but one begin with the same preposition or conjunction',
    why: 'The option that breaks the pattern stands out.',
    how: 'Give all options the same grammatical form.',
    source: HOMOGENEOUS,
    find: findOddBeginning,
  },
];

/**
 * The option that exceeds all others in length by the minimum ratio and difference, if it is a
 * phrase: names, titles and quotations cannot be shortened.
 */
export function findLengthOutlier(
  { kind, choices, text }: ParsedQuestion,
  thresholds: Thresholds,
): number | null {
  if (kind !== 'choice' || choices.length < 3 || choices.some(refersToOptions)) return null;
  let index = -1;
  let max = 0;
  let secondMax = 0;
  choices.forEach((choice, i) => {
    const length = countCharacters(choice);
    if (length > max) [index, max, secondMax] = [i, length, max];
    else if (length > secondMax) secondMax = length;
  });
  if (max < secondMax * thresholds.min_length_ratio || max - secondMax < thresholds.min_length_difference)
    return null;
  return splitWords(choices[index]!).length >= MIN_WORDS &&
    isPhrase(choices[index]!) &&
    !CONTAINS_NAME.test(choices[index]!) &&
    !ABOUT_SAYING.test(text)
    ? index
    : null;
}

/** Shorter options are terms, which cannot be shortened. */
const MIN_WORDS = 5;
/** Two capitalised words in a row, or a number with its unit: parts that cannot be shortened. */
const CONTAINS_NAME = /\s\p{Lu}\p{L}+ (?:of |the |and |& )?\p{Lu}/u;

/** In code points, without surrounding white space. */
export function countCharacters(text: string): number {
  let length = 0;
  for (const _ of text.trim()) length++;
  return length;
}

/** Names such as iPhone or van Gogh, and identifiers of programming languages. */
const DELIBERATE_LOWER_CASE =
  /^(?:\p{Ll}+\p{Lu}|\p{Ll}{1,2}(?:\P{L}|$)|(?:v[ao]n|de|del|della|d[aiou]s?|la|le|el|al|bin|ibn|ter|ten|the|af|zu)\b|\p{Ll}+[\d_().])/u;

function findOddCapital(parsed: ParsedQuestion): FieldSpan[] {
  const { choices } = parsed;
  if (choices.length < 3 || ABOUT_WRITING.test(parsed.text)) return [];
  const lowerCase = findChoices(parsed, (choice) => /^\p{Ll}/u.test(choice));
  if (lowerCase.length !== 1 || !choices.every((choice) => /^\p{L}/u.test(choice))) return [];
  return DELIBERATE_LOWER_CASE.test(choices[lowerCase[0]!.field]!) ? [] : lowerCase;
}

/** A final full stop that is not part of an abbreviation. */
const ENDS_WITH_FULL_STOP =
  /\s\S*\p{Ll}{3}(?<!\b(?:Bros|Corp|Assoc|Dept|Univ|Capt|Prof|Ltd|Inc|Vol|etc|Ave|Blvd|Rev|Gen|Sgt|Gov|est|approx|Jan|Feb|Mar|Apr|Aug|Sept|Oct|Nov|Dec))\.$/u;

/** Sentences and phrases are compared. Names and numbers beside a sentence need no full stop. */
function findOddFullStop(parsed: ParsedQuestion): FieldSpan[] {
  const { choices } = parsed;
  if (choices.length < 3 || ABOUT_SAYING.test(parsed.text) || ABOUT_WRITING.test(parsed.text)) return [];
  const own = choices.map((choice) => choice.trim());
  const comparable = own.filter((choice) => isPlainPhrase(choice) && !refersToOptions(choice));
  if (comparable.length < own.length - 1) return [];
  const punctuated = findChoices(parsed, (choice) => ENDS_WITH_FULL_STOP.test(choice.trim()));
  const [only] = punctuated;
  if (punctuated.length === 1) {
    const areUnpunctuated = own.every(
      (choice, i) => isPlainPhrase(choice) && (i === only!.field || !/\p{P}$/u.test(choice)),
    );
    return areUnpunctuated ? punctuated : [];
  }
  if (punctuated.length !== choices.length - 1) return [];
  return findChoices(parsed, (choice) => {
    const text = choice.trim();
    return /[\p{L}\p{N}]$/u.test(text) && isPhrase(text) && !refersToOptions(text);
  });
}

/** First words that make a grammatical pattern with the words after them. */
const CONJUNCTIONS = toWordSet('to by because');
const PREPOSITIONS = toWordSet('in on at');
/** First words that answer the same question in another way. */
const OTHER_BEGINNINGS = toWordSet(
  'the a an his her its their your my our one two some any no not nothing none nobody all both either neither never always in on at by to ' +
    'from for with under over near inside outside behind above below between beside next down up around during after before since until ' +
    'because due so as through across into onto off out against along about here there nowhere somewhere anywhere everywhere home upstairs ' +
    'downstairs abroad yesterday today tomorrow he she it they you i we if when where what who which that this these',
);

function findOddBeginning(parsed: ParsedQuestion): FieldSpan[] {
  const { choices, text } = parsed;
  if (choices.length < 4 || ABOUT_SAYING.test(text)) return [];
  const firstWords = choices.map((choice) => /^\p{L}+/u.exec(choice)?.[0].toLowerCase() ?? '');
  const pattern = firstWords[0] === firstWords[1] ? firstWords[0]! : firstWords[2]!;
  const odd = firstWords.findIndex((word) => word !== pattern);
  if (odd === -1 || firstWords.filter((word) => word === pattern).length !== choices.length - 1) return [];
  if (OTHER_BEGINNINGS.has(firstWords[odd]!) || refersToOptions(choices[odd]!)) return [];
  const others = choices.filter((_, i) => i !== odd);
  if (CONJUNCTIONS.has(pattern)) {
    return others.every(isPlainPhrase) && /^\p{L}/u.test(choices[odd]!) ? [toChoiceSpan(parsed, odd)] : [];
  }
  if (!PREPOSITIONS.has(pattern) || !/\b(?:where|when)\b/i.test(text)) return [];
  const sameKind = others.every((choice) => hasNumber(choice) === hasNumber(choices[odd]!));
  return sameKind && !/ing\b/.test(firstWords[odd]!) ? [toChoiceSpan(parsed, odd)] : [];
}

const hasNumber = (choice: string) => /\d/.test(choice);
