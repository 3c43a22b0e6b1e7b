/** Rules about the stem. */
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, findSpans, QUESTION_TEXT, type QuestionRule } from './rule.ts';
import { AUXILIARIES, INTERROGATIVES, toWordSet } from './vocabulary.ts';

const CLEAR = citeGuideline(14, 'ensure that the directions in the stem are very clear');

const BLANK = /_{2,}|\.{2,}|…|-{3,}|\[\s*\]|\(\s*\)|\*{3,}/;
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
    name: 'several_questions',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'more than one question is asked',
    why: 'It is unclear which one to answer.',
    how: 'Keep one question, and move the other to its own item.',
    source: citeGuideline(1, 'every item should reflect a single specific mental behavior'),
    find: findSeveralQuestions,
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
    name: 'question_mark_missing',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'the question mark is missing',
    why: 'The stem looks unfinished.',
    how: 'End the stem with a question mark.',
    source: citeGuideline(12, 'use correct grammar, punctuation, capitalization and spelling'),
    find: findMissingQuestionMark,
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

/** At least two parts that end in a question mark and contain an interrogative. */
function findSeveralQuestions({ unquoted, unquotedWords: words }: ParsedQuestion): FieldSpan[] {
  const spans: FieldSpan[] = [];
  let questions = 0;
  let from = 0;
  let i = 0;
  for (let mark = unquoted.indexOf('?'); mark !== -1; mark = unquoted.indexOf('?', from)) {
    const first = i;
    let asks = false;
    for (; i < words.length && words[i]!.end <= mark; i++) {
      const { key, text } = words[i]!;
      // A capital within a sentence belongs to a title: Who Framed Roger Rabbit?
      asks ||= INTERROGATIVES.has(key) && (i === first || text === key);
    }
    if (asks && ++questions > 1)
      spans.push({ field: QUESTION_TEXT, start: words[first]!.start, end: mark + 1 });
    from = mark + 1;
  }
  return spans;
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

const PREPOSITIONS = toWordSet('in at with from by to of on for under during');

/** Only if the stem begins with an interrogative in the word order of a question. */
function findMissingQuestionMark({ kind, text, unquotedWords: words }: ParsedQuestion): FieldSpan[] {
  if (kind === 'true_false' || text.includes('?') || BLANK.test(text) || /:\s*$/.test(text)) return [];
  const [first, second] = words;
  if (!first || !second || first.start > 1) return [];
  const asks =
    first.key === 'which' ||
    (PREPOSITIONS.has(first.key) && (second.key === 'which' || second.key === 'what')) ||
    ((first.key === 'what' || first.key === 'who' || first.key === 'where') && AUXILIARIES.has(second.key)) ||
    (first.key === 'how' && (second.key === 'many' || second.key === 'much' || AUXILIARIES.has(second.key)));
  return asks ? [{ field: QUESTION_TEXT, start: words.at(-1)!.start, end: text.trimEnd().length }] : [];
}

/** Short texts may be formulas, abbreviations or lists of names. */
function findAllCapitals({ text, unquoted, unquotedWords: words }: ParsedQuestion): FieldSpan[] {
  const letters = words.reduce((sum, word) => sum + word.text.length, 0);
  if (words.length < 4 || letters < 20 || /\p{Ll}/u.test(unquoted) || !/\p{Lu}/u.test(unquoted)) return [];
  return [{ field: QUESTION_TEXT, start: 0, end: text.length }];
}
