/** Rules about clues that give the answer away. */
import { splitWords, type Word } from '../../shared/words.ts';
import { findNegation } from './negation.ts';
import { findLengthOutlier } from './option-form.ts';
import type { ParsedQuestion } from './parsed-question.ts';
import {
  type AnswerKey,
  type AnswerRule,
  citeGuideline,
  type FieldSpan,
  QUESTION_TEXT,
  type QuestionRule,
  type Thresholds,
  toChoiceSpan,
} from './rule.ts';
import { AUXILIARIES, toWordSet } from './vocabulary.ts';

const CLANG = citeGuideline(28, 'avoid clues to the right answer, such as clang associations');

export const clueRules: (QuestionRule | AnswerRule)[] = [
  {
    name: 'article_clue',
    scope: 'question',
    severity: 'major',
    englishOnly: true,
    problem: 'the stem ends in “a” or “an”, which does not agree with all options',
    why: 'Grammar alone eliminates options.',
    how: 'Write “a(n)”, or move the article into the options.',
    source: citeGuideline(28, 'avoid clues to the right answer, such as grammatical inconsistencies'),
    find: findArticleClue,
  },
  {
    name: 'answer_in_question',
    scope: 'answer',
    severity: 'major',
    englishOnly: true,
    problem: 'the correct answer appears in the question',
    why: 'The question can be answered without any knowledge.',
    how: 'Reword the question, or mention a distractor in it as well.',
    source: CLANG,
    find: (parsed, key, thresholds) =>
      parsed.kind === 'open_ended'
        ? findAnswerInQuestion(parsed, key, thresholds)
        : findEcho(parsed, key, thresholds, true),
  },
  {
    name: 'answer_echo',
    scope: 'answer',
    severity: 'info',
    englishOnly: true,
    problem: 'a distinctive word of the correct answer appears in the question, but in no distractor',
    why: 'Respondents can pick the option that resembles the question (clang association).',
    how: 'Reword the question, or use the word in a distractor as well.',
    source: CLANG,
    find: (parsed, key, thresholds) => findEcho(parsed, key, thresholds, false),
  },
  {
    name: 'answer_is_longest',
    scope: 'answer',
    severity: 'minor',
    englishOnly: false,
    problem: 'the correct answer is much longer than all distractors',
    why: 'Test-wise respondents choose the longest option.',
    how: 'Shorten it, or make the distractors as detailed.',
    source: citeGuideline(24, 'keep the length of choices about equal'),
    find: (parsed, key, thresholds) =>
      findLengthOutlier(parsed, thresholds) === key.index ? [toChoiceSpan(parsed, key.index)] : [],
  },
];

/** An article at the end of the stem or before a blank. */
const ARTICLE =
  /(?<![\p{L}\p{N}'’/(\\]|\bor )(an?)(?:\s{0,3}(?:_+|\.{2,}|…|:))?\s{0,3}[.?:]?$|(?<![\p{L}\p{N}'’/(\\]|\bor )(an?)\s{1,3}__/u;
/** Words whose first sound does not follow from their spelling, and initialisms. */
const AMBIGUOUS_SOUND = /^(?:u|eu|ew|on[ce]|h|y|\p{Lu}[\p{Lu}\d.]|\p{L}(?:[^\p{L}]|$)|[^\p{L}])/u;

function findArticleClue(parsed: ParsedQuestion): FieldSpan[] {
  if (parsed.kind !== 'choice') return [];
  const match = ARTICLE.exec(parsed.text.trimEnd());
  if (!match) return [];
  const article = match[1] ?? match[2]!;
  const takesVowel = article === 'an';
  const agreements = parsed.choices.map((choice) => agreesWithArticle(choice.trim(), takesVowel));
  if (!agreements.includes(false) || !agreements.includes(true)) return [];
  return [{ field: QUESTION_TEXT, start: match.index, end: match.index + article.length }];
}

/** Whether the option can follow the article; null if that is unclear. */
function agreesWithArticle(choice: string, takesVowel: boolean): boolean | null {
  if (/^(?:the|an?|his|her|its|some)\s/i.test(choice)) return null;
  const word = /^\p{Lu}\p{Ll}/u.test(choice) ? choice.toLowerCase() : choice;
  if (AMBIGUOUS_SOUND.test(word)) return null;
  return /^[aeio]/i.test(word) === takesVowel;
}

/** Function words, and generic nouns such as “river”, which an option may well repeat. */
const UNINFORMATIVE_WORDS = toWordSet(
  'about above after again against also although among another because been before being below between both called could does ' +
    'doing down during each even ever every first following from have having into just last like made make many more most much must ' +
    'name named neither never none once only other over same second should since some such than that their them then there these ' +
    'they this those three through under until upon used very were what when where which while whom whose will with within without ' +
    'would year your game city movie film song album building company country team band book series show character people world ' +
    'time state island river lake ocean mountain street house park school college university number part type kind group system ' +
    'american british english french german the and for of in on at to by an a is it or as be was are',
);

/** The stems of the informative words. */
function listContentWords(words: readonly Word[], minLength: number): string[] {
  return words
    .map(({ key }) => stem(key))
    .filter((word) => word.length >= minLength && !UNINFORMATIVE_WORDS.has(word));
}

/** Removes the possessive and the plural ending. */
function stem(word: string): string {
  const base = word.endsWith("'s") ? word.slice(0, -2) : word;
  return base.length > 4 && base.endsWith('s') && !base.endsWith('ss') ? base.slice(0, -1) : base;
}

/** The noun phrase after “which” or “what”, as in “which royal palace”: options may repeat it. */
function listKindWords({ unquotedWords: words }: ParsedQuestion): Set<string> {
  const kinds = new Set<string>();
  for (let i = 0; i < words.length; i++) {
    if (words[i]!.key !== 'which' && words[i]!.key !== 'what') continue;
    for (let k = i + 1; k <= i + MAX_KIND_WORDS && k < words.length; k++) {
      const { key, text } = words[k]!;
      if (AUXILIARIES.has(key) || AFTER_NOUN_PHRASE.has(key)) break;
      kinds.add(stem(key));
      // A verb, or a plural noun, ends the phrase.
      if (text === key && /(?:[^s]s|ed)$/.test(key)) break;
    }
  }
  return kinds;
}

const MAX_KIND_WORDS = 5;
const AFTER_NOUN_PHRASE = toWordSet('in on at from to by with near through during under');

/**
 * The distinctive words that the correct answer shares with the question. Null if a distractor
 * shares any, since it would attract respondents as much.
 */
function computeEcho(
  parsed: ParsedQuestion,
  key: AnswerKey,
  thresholds: Thresholds,
): { echo: string[]; isComplete: boolean } | null {
  if (parsed.kind !== 'choice') return null;
  const answer = splitWords(key.answer);
  const distinctive = listContentWords(answer, thresholds.min_clue_word_length);
  if (distinctive.length === 0 || findNegation(parsed) || ALL_BUT_ONE.test(parsed.text)) return null;
  const questionWords = new Set(listContentWords(parsed.textWords, thresholds.min_clue_word_length));
  const kinds = listKindWords(parsed);
  const echo = distinctive.filter((word) => questionWords.has(word) && !kinds.has(word));
  const contentWords = listContentWords(answer, 1).length;
  if (echo.length === 0 || echo.length * 3 < contentWords) return null;
  const sharesWords = (choice: string) =>
    listContentWords(splitWords(choice), thresholds.min_clue_word_length).some((word) =>
      questionWords.has(word),
    );
  if (parsed.choices.some((choice, i) => !key.indices.includes(i) && sharesWords(choice))) return null;
  return { echo, isComplete: echo.length === contentWords };
}

const ALL_BUT_ONE = /\ball but (?:one|which|what)\b/i;

function findEcho(
  parsed: ParsedQuestion,
  key: AnswerKey,
  thresholds: Thresholds,
  isComplete: boolean,
): FieldSpan[] {
  const found = computeEcho(parsed, key, thresholds);
  return found?.isComplete === isComplete ? [findWord(parsed, found.echo[0]!)] : [];
}

/** For open-ended questions, unless they offer alternatives (“a cat or a dog”). */
function findAnswerInQuestion(
  parsed: ParsedQuestion,
  { answer }: AnswerKey,
  thresholds: Thresholds,
): FieldSpan[] {
  if (findNegation(parsed) || /\b(?:or|these|those|following|between)\b/i.test(parsed.text)) return [];
  const answerWords = splitWords(answer);
  if (listContentWords(answerWords, thresholds.min_clue_word_length).length === 0) return [];
  const words = parsed.textWords;
  const start = words.findIndex((_, i) => answerWords.every(({ key }, k) => words[i + k]?.key === key));
  return start === -1
    ? []
    : [{ field: QUESTION_TEXT, start: words[start]!.start, end: words[start + answerWords.length - 1]!.end }];
}

function findWord(parsed: ParsedQuestion, wordStem: string): FieldSpan {
  const { start, end } = parsed.textWords.find(({ key }) => stem(key) === wordStem)!;
  return { field: QUESTION_TEXT, start, end };
}
