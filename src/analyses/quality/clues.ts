/** Rules about what gives the answer away; most have to know it. */
import { type Word, wordsOf } from '../shared/words.ts';
import { negativeOf } from './negative.ts';
import { standsOut } from './options.ts';
import type { Reading } from './parse.ts';
import {
  type AnswerRule,
  guideline,
  type Key,
  type Limits,
  type Place,
  QUESTION_TEXT,
  type QuestionRule,
  wholeChoice,
} from './rule.ts';
import { AUXILIARY, words } from './vocabulary.ts';

const CLANG = guideline(28, 'avoid clues to the right answer, such as clang associations');

export const clueRules: (QuestionRule | AnswerRule)[] = [
  {
    name: 'article_clue',
    looks_at: 'question',
    severity: 'major',
    english: true,
    what: 'the question ends in “a” or “an”, which does not fit all options',
    why: 'Grammar alone rules options out.',
    how: 'Write “a(n)”, or move the article into the options.',
    source: guideline(28, 'avoid clues to the right answer, such as grammatical inconsistencies'),
    find: findArticle,
  },
  {
    name: 'answer_in_question',
    looks_at: 'answer',
    severity: 'major',
    english: true,
    what: 'the right answer appears in the question',
    why: 'Readers need to know nothing to pick the option that the question names.',
    how: 'Reword the question, or let a wrong option be named in it too.',
    source: CLANG,
    find: (reading, key, limits) =>
      reading.kind === 'open' ? findAnswer(reading, key, limits) : findEcho(reading, key, limits, true),
  },
  {
    name: 'answer_echo',
    looks_at: 'answer',
    severity: 'minor',
    english: true,
    what: 'a telling word of the right answer appears in the question, and in no other option',
    why: 'Readers pick the option that sounds like the question, without knowing anything.',
    how: 'Reword the question, or use the word in a wrong option too.',
    source: CLANG,
    find: (reading, key, limits) => findEcho(reading, key, limits, false),
  },
  {
    name: 'answer_is_longest',
    looks_at: 'answer',
    severity: 'minor',
    english: false,
    what: 'the right answer is much longer than all other options',
    why: 'Test-wise readers take the longest option for the right one, and here they are right.',
    how: 'Shorten it, or make the wrong options as full.',
    source: guideline(24, 'keep the length of choices about equal'),
    find: (reading, key, limits) =>
      reading.kind === 'choice' && standsOut(reading.choices, limits) === key.index
        ? [wholeChoice(reading, key.index)]
        : [],
  },
];

/** At the end, or before a blank. */
const ARTICLE =
  /(?<![\p{L}\p{N}'’])(an?)(?:\s{0,3}(?:_+|\.{2,}|…|:))?\s{0,3}[.?:]?$|(?<![\p{L}\p{N}'’])(an?)\s{1,3}__/u;
/**
 * Spelt with a vowel and spoken with a consonant, or the other way round, or letter by letter: nothing can be
 * said.
 */
const UNCLEAR = /^(?:u|eu|ew|on[ce]|h|y|\p{Lu}[\p{Lu}\d.]|\p{L}(?:[^\p{L}]|$)|[^\p{L}])/u;

function findArticle(reading: Reading): Place[] {
  if (reading.kind !== 'choice') return [];
  const match = ARTICLE.exec(reading.text.trimEnd());
  if (!match) return [];
  const article = match[1] ?? match[2]!;
  const wantsVowel = article === 'an';
  const fits = reading.choices.map((choice) => fit(choice.trim(), wantsVowel));
  if (!fits.includes(false) || !fits.includes(true)) return [];
  return [{ field: QUESTION_TEXT, start: match.index, end: match.index + article.length }];
}

/** Whether the article can stand before it; null where that cannot be told. */
function fit(choice: string, wantsVowel: boolean): boolean | null {
  if (/^(?:the|an?|his|her|its|some)\s/i.test(choice)) return null;
  const word = /^\p{Lu}\p{Ll}/u.test(choice) ? choice.toLowerCase() : choice;
  if (UNCLEAR.test(word)) return null;
  return /^[aeio]/i.test(word) === wantsVowel;
}

/**
 * Words that tell nothing by themselves, and the names of kinds of things: an option may well say what kind
 * of thing it is.
 */
const LITTLE = words(
  'about above after again against also although among another because been before being below between both called could does ' +
    'doing down during each even ever every first following from have having into just last like made make many more most much must ' +
    'name named neither never none once only other over same second should since some such than that their them then there these ' +
    'they this those three through under until upon used very were what when where which while whom whose will with within without ' +
    'would year your game city movie film song album building company country team band book series show character people world ' +
    'time state island river lake ocean mountain street house park school college university number part type kind group system ' +
    'american british english french german the and for of in on at to by an a is it or as be was are',
);

/** Words that tell something, in their simplest form. */
function contentOf(all: readonly Word[], shortest: number): string[] {
  return all.map(({ key }) => simplest(key)).filter((word) => word.length >= shortest && !LITTLE.has(word));
}

/** Without the possessive and the plural. */
function simplest(word: string): string {
  const owner = word.endsWith("'s") ? word.slice(0, -2) : word;
  return owner.length > 4 && owner.endsWith('s') && !owner.endsWith('ss') ? owner.slice(0, -1) : owner;
}

/** What is asked for, "which famous royal palace": an option may well say what kind of thing it is. */
function kindsOf({ words: all }: Reading): Set<string> {
  const kinds = new Set<string>();
  for (let i = 0; i < all.length; i++) {
    if (all[i]!.key !== 'which' && all[i]!.key !== 'what') continue;
    for (let k = i + 1; k <= i + KIND_WITHIN && k < all.length && !AUXILIARY.has(all[k]!.key); k++) {
      kinds.add(simplest(all[k]!.key));
    }
  }
  return kinds;
}

const KIND_WITHIN = 5;

/**
 * The words of the right answer that stand in the question, if no wrong option takes up any: that would lead
 * readers as much.
 */
function echoOf(reading: Reading, key: Key, limits: Limits): { echo: string[]; whole: boolean } | null {
  if (reading.kind !== 'choice') return null;
  const answer = wordsOf(key.answer);
  const telling = contentOf(answer, limits.clue_word_length);
  if (telling.length === 0 || negativeOf(reading) || ALL_BUT.test(reading.text)) return null;
  const stem = new Set(contentOf(reading.textWords, limits.clue_word_length));
  const kinds = kindsOf(reading);
  const echo = telling.filter((word) => stem.has(word) && !kinds.has(word));
  const content = contentOf(answer, 1).length;
  if (echo.length === 0 || echo.length * 3 < content) return null;
  const taken = (choice: string) =>
    contentOf(wordsOf(choice), limits.clue_word_length).some((word) => stem.has(word));
  if (reading.choices.some((choice, i) => i !== key.index && taken(choice))) return null;
  return { echo, whole: echo.length === content };
}

const ALL_BUT = /\ball but (?:one|which|what)\b/i;

function findEcho(reading: Reading, key: Key, limits: Limits, whole: boolean): Place[] {
  const found = echoOf(reading, key, limits);
  return found?.whole === whole ? [placeOf(reading, found.echo[0]!)] : [];
}

/**
 * Without options, only the whole answer standing in the question tells it; "a cat or a dog" asks for one of
 * the two.
 */
function findAnswer(reading: Reading, { answer }: Key, limits: Limits): Place[] {
  if (negativeOf(reading) || /\b(?:or|these|those|following|between)\b/i.test(reading.text)) return [];
  const wanted = wordsOf(answer);
  if (contentOf(wanted, limits.clue_word_length).length === 0) return [];
  const all = reading.textWords;
  const at = all.findIndex((_, i) => wanted.every(({ key }, k) => all[i + k]?.key === key));
  return at === -1
    ? []
    : [{ field: QUESTION_TEXT, start: all[at]!.start, end: all[at + wanted.length - 1]!.end }];
}

function placeOf(reading: Reading, echo: string): Place {
  const { start, end } = reading.textWords.find(({ key }) => simplest(key) === echo)!;
  return { field: QUESTION_TEXT, start, end };
}
