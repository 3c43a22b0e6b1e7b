/** Rules about options that overlap, repeat or depend on each other. */
import { ALL_ABOVE, NONE_ABOVE } from '../../../text/option-references.ts';
import { findEquivalent } from './equivalent-options.ts';
import { findOverlap } from './numeric-options.ts';
import { normalizeOption } from './option-text.ts';
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, findChoices, type QuestionRule, toChoiceSpan } from './rule.ts';
import { ABOUT_WRITING } from './wording.ts';

/** References such as “both A and B” or “options 1 and 2”. */
const OPTION_LETTERS =
  /^\W*(?:both|either|neither|only|all|options?|answers?|choices?) (?:(?:of )?(?:options|answers|choices) )?\(?[a-e1-5]\)?(?:, ?\(?[a-e1-5]\)?)*,? (?:and|&|or|nor) \(?[a-e1-5]\)?(?: only)?\W*$/i;
const LETTER_PAIR = /^\(?[A-E]\)? (?:and|&|or) \(?[A-E]\)?(?: only)?\W*$/;
/** Questions in which letters are not labels of options. */
const ABOUT_LETTERS =
  /\b(?:letters?|vitamins?|notes?|chords?|strings?|keys?|blood|grades?|types?|alphabet|hepatitis|sides?|numbers?|digits?)\b/i;

export const optionRules: QuestionRule[] = [
  {
    name: 'all_of_the_above',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'an option is “all of the above” or the like',
    why: 'Knowing that two options are correct is enough.',
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
    why: 'It shows that errors were recognised, not that the answer is known.',
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
    name: 'equivalent_options',
    scope: 'question',
    severity: 'major',
    englishOnly: true,
    problem: 'two options mean the same',
    why: 'Neither can be the only correct answer, so both can be eliminated.',
    how: 'Replace one of them.',
    source: citeGuideline(22, 'keep choices independent; choices should not be overlapping'),
    find: (parsed) => findEquivalent(parsed).map((field) => toChoiceSpan(parsed, field)),
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
];

function findOptionLetters(parsed: ParsedQuestion): FieldSpan[] {
  if (ABOUT_LETTERS.test(parsed.text)) return [];
  const found = findChoices(parsed, (choice) => OPTION_LETTERS.test(choice) || LETTER_PAIR.test(choice));
  return found.length * 2 <= parsed.choices.length ? found : [];
}

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
