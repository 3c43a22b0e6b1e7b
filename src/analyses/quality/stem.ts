/** Rules about how the question itself is put. */
import type { Reading } from './parse.ts';
import { guideline, type Place, QUESTION_TEXT, type QuestionRule, spansOf } from './rule.ts';
import { ASKING, AUXILIARY, words } from './vocabulary.ts';

const CLEAR = guideline(14, 'ensure that the directions in the stem are very clear');

const BLANK = /_{2,}|\.{2,}|…|-{3,}|\[\s*\]|\(\s*\)|\*{3,}/;
const IMPERATIVE = words(
  'name identify complete find choose select give list fill calculate solve compute determine tell guess pick spell translate ' +
    'define match state describe explain convert evaluate simplify finish point write read look consider decide unscramble say',
);

const OF_THESE =
  /\b(?:which|what|who|whom) (?:one )?of (?:these|those|the (?:following|options|choices))\b|\bthe following (?:options|choices|answers)\b/gi;

export const stemRules: QuestionRule[] = [
  {
    name: 'options_missing',
    looks_at: 'question',
    severity: 'major',
    english: true,
    what: 'the question speaks of options, and has none',
    why: 'Nobody can choose “of these” without seeing them.',
    how: 'Add wrong answers, or ask without “of these”.',
    source: CLEAR,
    find: findOptionsMissing,
  },
  {
    name: 'several_questions',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'more than one question is asked',
    why: 'It is unclear which of them the answer is for.',
    how: 'Keep one question; make another item of the other.',
    source: guideline(1, 'every item should reflect a single specific mental behavior'),
    find: findSeveralQuestions,
  },
  {
    name: 'no_question',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'nothing is asked: there is no question, blank or instruction',
    why: 'Readers have to guess from the options what is wanted.',
    how: 'Ask a question, leave a blank (___), or begin with “Name…”.',
    source: guideline(15, 'include the central idea in the stem instead of the choices'),
    find: findNoQuestion,
  },
  {
    name: 'question_mark_missing',
    looks_at: 'question',
    severity: 'info',
    english: true,
    what: 'the question mark is missing',
    why: 'It looks careless, or as if a part of the question were missing.',
    how: 'End the question with a question mark.',
    source: guideline(12, 'use correct grammar, punctuation, capitalization and spelling'),
    find: findMissingMark,
  },
  {
    name: 'all_capitals',
    looks_at: 'question',
    severity: 'info',
    english: false,
    what: 'the question is written in capitals throughout',
    why: 'It is harder to read, and nothing in it can be emphasised.',
    how: 'Write it in small letters.',
    source: guideline(12, 'use correct grammar, punctuation, capitalization and spelling'),
    find: findCapitals,
  },
];

/** Unless they follow in the question itself: after a colon, in a row, or with "or". */
function findOptionsMissing({ kind, plain }: Reading): Place[] {
  if (kind !== 'open') return [];
  return spansOf(OF_THESE, plain)
    .filter(({ end }) => !/:|\bor\b|,[^,]*,/.test(plain.slice(end)))
    .map((span) => ({ ...span, field: QUESTION_TEXT }));
}

/** Two parts that end in a question mark, each with a word that asks. */
function findSeveralQuestions({ plain, words: all }: Reading): Place[] {
  const places: Place[] = [];
  let asked = 0;
  let from = 0;
  let i = 0;
  for (let mark = plain.indexOf('?'); mark !== -1; mark = plain.indexOf('?', from)) {
    const first = i;
    let asks = false;
    for (; i < all.length && all[i]!.end <= mark; i++) {
      const { key, text } = all[i]!;
      // A capital within a sentence belongs to a title: Who Framed Roger Rabbit?
      asks ||= ASKING.has(key) && (i === first || text === key);
    }
    if (asks && ++asked > 1) places.push({ field: QUESTION_TEXT, start: all[first]!.start, end: mark + 1 });
    from = mark + 1;
  }
  return places;
}

/** A riddle tells about a thing without naming it, and so asks for its name. */
const CLUE = words('this these following');
const PRONOUN = words('he she it they his her its their i');

function findNoQuestion({ kind, text, plain, words: all }: Reading): Place[] {
  if (kind !== 'choice' || all.length === 0) return [];
  if (text.includes('?') || BLANK.test(text) || !/[.!]["”')\s]*$/.test(text)) return [];
  if (PRONOUN.has(all[0]!.key) || all.some(({ key }) => ASKING.has(key) || CLUE.has(key))) return [];
  if (sentences(plain).some((sentence) => IMPERATIVE.has(firstWord(sentence)))) return [];
  return [{ field: QUESTION_TEXT, start: 0, end: text.length }];
}

const sentences = (text: string) => text.split(/[.!:,;]\s/);
const firstWord = (text: string) => /\p{L}+/u.exec(text)?.[0].toLowerCase() ?? '';

const BEFORE_ASKING = words('in at with from by to of on for under during');

/** Only where the first word asks, and a verb or noun follows as it does in a question. */
function findMissingMark({ kind, text, words: all }: Reading): Place[] {
  if (kind === 'true_false' || text.includes('?') || BLANK.test(text) || /:\s*$/.test(text)) return [];
  const [first, second] = all;
  if (!first || !second || first.start > 1) return [];
  const asks =
    first.key === 'which' ||
    (BEFORE_ASKING.has(first.key) && (second.key === 'which' || second.key === 'what')) ||
    ((first.key === 'what' || first.key === 'who' || first.key === 'where') && AUXILIARY.has(second.key)) ||
    (first.key === 'how' && (second.key === 'many' || second.key === 'much' || AUXILIARY.has(second.key)));
  return asks ? [{ field: QUESTION_TEXT, start: all.at(-1)!.start, end: text.trimEnd().length }] : [];
}

/** Long enough not to be a formula, an abbreviation or a row of names. */
function findCapitals({ text, plain, words: all }: Reading): Place[] {
  const letters = all.reduce((sum, word) => sum + word.text.length, 0);
  if (all.length < 4 || letters < 20 || /\p{Ll}/u.test(plain) || !/\p{Lu}/u.test(plain)) return [];
  return [{ field: QUESTION_TEXT, start: 0, end: text.length }];
}
