/** Rules about the stem. */
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, findSpans, QUESTION_TEXT, type QuestionRule } from './rule.ts';
import { BLANK, INTERROGATIVES, toWordSet } from './vocabulary.ts';

const CLEAR = citeGuideline(14, 'ensure that the directions in the stem are very clear');

const IMPERATIVES = toWordSet(
  'name identify complete find choose select give list fill calculate solve compute determine tell guess pick spell translate ' +
    'define match state describe explain convert evaluate simplify finish point write read look consider decide unscramble say',
);

const OF_THESE =
  /\b(?:which|what|who|whom) (?:one )?of (?:these|those|the (?:following|options|choices))\b|\bthe following (?:options|choices|answers)\b/gi;

export const stemRules: QuestionRule[] = [
  {
    name: 'options_missing',
    scope: 'question',
    severity: 'major',
    englishOnly: true,
    problem: 'the stem refers to options, but there are none',
    why: 'The question cannot be answered without the options.',
    how: 'Add distractors, or reword the stem without “of these”.',
    source: CLEAR,
    find: findOptionsMissing,
  },
  {
    name: 'no_question',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'the stem contains no question, blank or instruction',
    why: 'Respondents have to guess the task from the options.',
    how: 'Ask a question, leave a blank (___), or begin with “Name…”.',
    source: citeGuideline(15, 'include the central idea in the stem instead of the choices'),
    find: findNoQuestion,
  },
  {
    name: 'all_capitals',
    scope: 'question',
    severity: 'info',
    englishOnly: false,
    problem: 'the stem is in capitals throughout',
    why: 'Capitals are harder to read, and nothing can be emphasised.',
    how: 'Use sentence case.',
    source: citeGuideline(12, 'use correct grammar, punctuation, capitalization and spelling'),
    find: findAllCapitals,
  },
];

/** Unless the stem itself lists alternatives: after a colon, separated by commas, or with “or”. */
function findOptionsMissing({ kind, unquoted }: ParsedQuestion): FieldSpan[] {
  if (kind !== 'open_ended') return [];
  return findSpans(OF_THESE, unquoted)
    .filter(({ end }) => !/:|\bor\b|,[^,]*,/.test(unquoted.slice(end)))
    .map((span) => ({ ...span, field: QUESTION_TEXT }));
}

/** Clues in quiz style (“This composer…”, “He wrote…”) ask for a name implicitly. */
const DEMONSTRATIVES = toWordSet('this these following');
const PRONOUNS = toWordSet('he she it they his her its their i');

function findNoQuestion({ kind, text, unquoted, unquotedWords: words }: ParsedQuestion): FieldSpan[] {
  if (kind !== 'choice' || words.length === 0) return [];
  if (text.includes('?') || BLANK.test(text) || !/[.!]["”')\s]*$/.test(text)) return [];
  if (
    PRONOUNS.has(words[0]!.key) ||
    words.some(({ key }) => INTERROGATIVES.has(key) || DEMONSTRATIVES.has(key))
  )
    return [];
  if (splitSentences(unquoted).some((sentence) => IMPERATIVES.has(getFirstWord(sentence)))) return [];
  return [{ field: QUESTION_TEXT, start: 0, end: text.length }];
}

const splitSentences = (text: string) => text.split(/[.!:,;]\s/);
const getFirstWord = (text: string) => /\p{L}+/u.exec(text)?.[0].toLowerCase() ?? '';

/** Short texts may be formulas, abbreviations or lists of names. */
function findAllCapitals({ text, unquoted, unquotedWords: words }: ParsedQuestion): FieldSpan[] {
  const letters = words.reduce((sum, word) => sum + word.text.length, 0);
  if (words.length < 4 || letters < 20 || /\p{Ll}/u.test(unquoted) || !/\p{Lu}/u.test(unquoted)) return [];
  return [{ field: QUESTION_TEXT, start: 0, end: text.length }];
}
