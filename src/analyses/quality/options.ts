/**
 * Rules about the options: what makes one of them stand out, fall together with another, or mean nothing by
 * itself.
 */
import { oddNotation, overlapOf } from './numbers.ts';
import type { Reading } from './parse.ts';
import { guideline, type Limits, type Place, type QuestionRule, wholeChoice } from './rule.ts';
import { words } from './vocabulary.ts';

const HOMOGENEOUS = guideline(23, 'keep choices homogeneous in content and grammatical structure');

const ALL_ABOVE =
  /^\W*(?:all|both|any|each|either)(?:\s+of)?\s+(?:(?:the\s+)?(?:above|options|answers|choices)|them|(?:these|those)(?:\s+\p{L}+)?|(?:the\s+)?(?:two|three|four|other)\s+(?:above|options|answers|choices))(?:\s+(?:answers|options|choices))?(?:\s+(?:are|is)\s+(?:correct|right|true))?\W*$/iu;
const NONE_ABOVE =
  /^\W*(?:none|neither)(?:\s+of)?\s+(?:the\s+)?(?:above|these|those|them|options|answers|choices)(?:\s+(?:answers|options|choices|above))?(?:\s+(?:are|is)\s+(?:correct|right|true))?\W*$/i;
/** By letter or number after a word such as "both", or two capitals alone. */
const LETTERS =
  /^\W*(?:both|either|neither|only|all|options?|answers?|choices?) (?:(?:of )?(?:options|answers|choices) )?\(?[a-e1-5]\)?(?:, ?\(?[a-e1-5]\)?)*,? (?:and|&|or|nor) \(?[a-e1-5]\)?(?: only)?\W*$/i;
const TWO_LETTERS = /^\(?[A-E]\)? (?:and|&|or) \(?[A-E]\)?(?: only)?\W*$/;
/** Where letters are things in themselves. */
const ABOUT_LETTERS =
  /\b(?:letters?|vitamins?|notes?|chords?|strings?|keys?|blood|grades?|types?|alphabet|hepatitis|sides?|numbers?|digits?)\b/i;

/** Questions about how a thing is written. */
const ABOUT_WRITING =
  /\b(?:spel(?:l|led|ling|ls|t)|capitali[sz]ed|capitali[sz]ation|(?:correctly|properly) written|written (?:correctly|properly)|punctuat\w+|(?:upper|lower)[- ]?case|case[- ]sensitive|syntax)\b/i;
export const optionRules: QuestionRule[] = [
  {
    name: 'all_of_the_above',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'an option is “all of the above” or the like',
    why: 'Knowing that two options are right is enough; and options are shuffled, so nothing need stand above it.',
    how: 'Replace it by an option of its own, or ask for several answers in another way.',
    source: guideline(26, 'avoid all-of-the-above'),
    find: (reading) => choicesLike(reading, (choice) => ALL_ABOVE.test(choice)),
  },
  {
    name: 'none_of_the_above',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'an option is “none of the above” or the like',
    why: 'It shows that something wrong was seen, not that the right thing is known; and options are shuffled.',
    how: 'Replace it by a plausible option of its own.',
    source: guideline(25, 'none-of-the-above should be used carefully'),
    find: (reading) => choicesLike(reading, (choice) => NONE_ABOVE.test(choice)),
  },
  {
    name: 'names_other_options',
    looks_at: 'question',
    severity: 'major',
    english: true,
    what: 'an option names others by their letters',
    why: 'Options are shuffled: the letters mean nothing.',
    how: 'Write out what is meant, or make options that each stand alone.',
    source: guideline(9, 'avoid the complex multiple-choice (type K) format'),
    find: findLetters,
  },
  {
    name: 'repeated_option',
    looks_at: 'question',
    severity: 'major',
    english: false,
    what: 'two options are the same',
    why: 'Either both are right or both are wrong: the item has fewer options than it seems, or no answer.',
    how: 'Replace one of them.',
    source: guideline(22, 'keep choices independent; choices should not be overlapping'),
    find: findRepeated,
  },
  {
    name: 'overlapping_options',
    looks_at: 'question',
    severity: 'major',
    english: true,
    what: 'the ranges of two options overlap',
    why: 'A value that lies in both makes two options right.',
    how: 'Make the ranges end before the next begins.',
    source: guideline(22, 'keep choices independent; choices should not be overlapping'),
    find: (reading) => {
      const pair = overlapOf(reading.choices, reading.text);
      return pair ? pair.map((field) => wholeChoice(reading, field)) : [];
    },
  },
  {
    name: 'option_is_question',
    looks_at: 'question',
    severity: 'major',
    english: false,
    what: 'an option repeats the whole question',
    why: 'It cannot be an answer; something was pasted into the wrong field.',
    how: 'Write the option that was meant.',
    source: guideline(11, 'edit and proof items'),
    find: findQuestionAgain,
  },
  {
    name: 'mixed_notation',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'numbers are written in different ways (figures and words, with and without unit or comma)',
    why: 'The option that is written differently stands out, whether right or wrong.',
    how: 'Write all numbers of an item in the same way.',
    source: HOMOGENEOUS,
    find: (reading) => {
      if (ABOUT_WRITING.test(reading.text)) return [];
      const odd = oddNotation(reading.choices);
      return odd === null ? [] : [wholeChoice(reading, odd)];
    },
  },
  {
    name: 'odd_length',
    looks_at: 'question',
    severity: 'info',
    english: false,
    what: 'one option is much longer than all others',
    why: 'It draws the eye: test-wise readers take the longest option for the right one.',
    how: 'Shorten it, or make the others as full.',
    source: guideline(24, 'keep the length of choices about equal'),
    find: (reading, limits) => {
      const longest = standsOut(reading.choices, limits);
      return longest === null || reading.kind !== 'choice' ? [] : [wholeChoice(reading, longest)];
    },
  },
  {
    name: 'odd_capital',
    looks_at: 'question',
    severity: 'info',
    english: true,
    what: 'one option begins with a small letter, all others with a capital',
    why: 'The option that is written differently stands out.',
    how: 'Begin all options in the same way.',
    source: HOMOGENEOUS,
    find: findOddCapital,
  },
  {
    name: 'odd_full_stop',
    looks_at: 'question',
    severity: 'info',
    english: true,
    what: 'one option ends differently: with or without a full stop',
    why: 'The option that is written differently stands out.',
    how: 'End all options in the same way.',
    source: HOMOGENEOUS,
    find: findOddStop,
  },
  {
    name: 'odd_beginning',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'all options but one begin in the same way',
    why: 'Readers pass over, or pick, the one that does not fit the pattern.',
    how: 'Give all options the same grammatical form.',
    source: HOMOGENEOUS,
    find: findOddBeginning,
  },
];

function choicesLike(reading: Reading, fits: (choice: string) => boolean): Place[] {
  return reading.choices.flatMap((choice, i) => (fits(choice) ? [wholeChoice(reading, i)] : []));
}

function findLetters(reading: Reading): Place[] {
  if (ABOUT_LETTERS.test(reading.text)) return [];
  const found = choicesLike(reading, (choice) => LETTERS.test(choice) || TWO_LETTERS.test(choice));
  return found.length * 2 <= reading.choices.length ? found : [];
}

/**
 * Case, spacing, articles and marks around it set aside; marks within and accents kept: C++ is not C#, résumé
 * not resume.
 */
function sameness(text: string): string {
  const folded = text.toLowerCase().replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, ' ').trim();
  let start = 0;
  let end = folded.length;
  while (start < end && AROUND.includes(folded[start]!)) start++;
  while (end > start && AFTER.includes(folded[end - 1]!) && !MEASURE.test(folded.slice(end - 2, end))) end--;
  const bare = folded.slice(start, end).replace(/^(?:the|an?) (?=\S)/, '');
  return /[\p{L}\p{N}]/u.test(bare) ? bare : text;
}

const AROUND = '"\'(';
/** Feet and inches. */
const MEASURE = /\d["']/;
const AFTER = '"\').,;:?!';

/**
 * How much longer or shorter than the question an option can be that is the same but for marks and spaces.
 */
const SLACK = 12;

function findQuestionAgain(reading: Reading): Place[] {
  const { length } = reading.text;
  if (length < 10) return [];
  return choicesLike(
    reading,
    (choice) => Math.abs(choice.length - length) <= SLACK && sameness(choice) === sameness(reading.text),
  );
}

function findRepeated(reading: Reading): Place[] {
  if (ABOUT_WRITING.test(reading.text)) return [];
  const seen = new Set<string>();
  return choicesLike(reading, (choice) => {
    const same = sameness(choice);
    if (seen.has(same)) return true;
    seen.add(same);
    return false;
  });
}

/**
 * The option that is longer than every other by the set ratio and difference, in characters as people count
 * them.
 */
export function standsOut(choices: readonly string[], limits: Limits): number | null {
  if (choices.length < 3) return null;
  let longest = -1;
  let first = 0;
  let second = 0;
  choices.forEach((choice, i) => {
    const length = lengthOf(choice);
    if (length > first) [longest, first, second] = [i, length, first];
    else if (length > second) second = length;
  });
  return first >= second * limits.length_ratio && first - second >= limits.length_difference ? longest : null;
}

export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text.trim()) length++;
  return length;
}

/** A name such as iPhone or van Gogh, or a word of a programming language, is small on purpose. */
const SMALL_ON_PURPOSE =
  /^(?:\p{Ll}{1,2}\p{Lu}|\p{Ll}{1,2}(?:\P{L}|$)|(?:v[ao]n|de|del|della|d[aiou]s?|la|le|el|al|bin|ibn|ter|ten|the|af|zu)\b|\p{Ll}+[\d_().])/u;

function findOddCapital(reading: Reading): Place[] {
  const { choices } = reading;
  if (choices.length < 3 || ABOUT_WRITING.test(reading.text)) return [];
  const small = choicesLike(reading, (choice) => /^\p{Ll}/u.test(choice));
  if (small.length !== 1 || !choices.every((choice) => /^\p{L}/u.test(choice))) return [];
  return SMALL_ON_PURPOSE.test(choices[small[0]!.field]!) ? [] : small;
}

/** A sentence or phrase that ends in a full stop, not an abbreviation or initial. */
const STOPPED = /\s\S*\p{Ll}{3}(?<!\b(?:Bros|Corp|Assoc|Dept|Univ|Capt|Prof))\.["”]?$/u;

function findOddStop(reading: Reading): Place[] {
  const { choices } = reading;
  if (choices.length < 3) return [];
  const stopped = choicesLike(reading, (choice) => STOPPED.test(choice.trim()));
  if (
    stopped.length === 1 &&
    choices.every((choice, i) => i === stopped[0]!.field || !/\p{P}$/u.test(choice.trim()))
  ) {
    return stopped;
  }
  if (stopped.length !== choices.length - 1) return [];
  return choicesLike(reading, (choice) => /[\p{L}\p{N}]$/u.test(choice.trim()));
}

const BEGINNINGS = words('to by because for from in on at with a');
/** In place of an article there is no difference in form. */
const DETERMINERS_TOO = words('the his her its their your my our one two some any no nothing none');
const beginning = (choice: string) => {
  const first = /^\p{L}+(?=\s)/u.exec(choice)?.[0].toLowerCase() ?? '';
  return first === 'an' ? 'a' : first;
};

function findOddBeginning(reading: Reading): Place[] {
  const { choices } = reading;
  if (choices.length < 4) return [];
  const first = choices.map(beginning);
  for (const word of new Set(first.slice(0, 2))) {
    const odd = first.findIndex((other) => other !== word);
    const alone =
      odd !== -1 &&
      first.lastIndexOf(first[odd]!) === odd &&
      first.filter((other) => other !== word).length === 1;
    if (BEGINNINGS.has(word) && alone && !DETERMINERS_TOO.has(first[odd]!)) {
      return [wholeChoice(reading, odd)];
    }
  }
  return [];
}
