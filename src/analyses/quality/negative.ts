/** Rules about questions and statements that are put negatively. */
import type { Word } from '../shared/words.ts';
import type { Reading } from './parse.ts';
import { guideline, type Place, QUESTION_TEXT, type QuestionRule } from './rule.ts';
import { AUXILIARY, words } from './vocabulary.ts';

const POSITIVE = guideline(17, 'word the stem positively; if a negative is used, capitalize it');

/** Of these, a negative turns the question round. "Why is it not…" asks for a reason, which is no trap. */
const CHOOSING = words('which what who whom where');
const CONTRACTED = words(
  "isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't cannot couldn't won't wouldn't",
);
/** Where a part of the sentence begins whose negative is a fact, not the question. */
const TURN = words(
  'that who whose where because if although though but while and or when since to despite unless until whether so as after before',
);
const NOT_A_NEGATIVE = words('only just merely necessarily including counting');

/** How many words before the negative the word that asks may stand. */
const REACH = 40;

interface Negative extends Place {
  emphasised: boolean;
}

/** The negative that turns the question round, if there is one. */
export function negativeOf(reading: Reading): Negative | null {
  if (reading.kind === 'true_false') return null;
  const all = reading.words;
  for (let i = 0; i < all.length; i++) {
    const word = all[i]!;
    if (word.key === 'not' || word.key === 'except' || CONTRACTED.has(word.key)) {
      const loud = isLoud(word, reading);
      const turns = word.key === 'except' ? isExcept(all, i) : loud || turnsQuestion(all, i, reading.plain);
      if (turns) return { field: QUESTION_TEXT, start: word.start, end: word.end, emphasised: loud };
    }
  }
  return null;
}

/** In capitals among small letters, or between marks or tags that set it off. */
function isLoud({ text, start, end }: Word, { text: question, plain }: Reading): boolean {
  if (/[*_>]/.test(question[start - 1] ?? '') && /[*_<]/.test(question[end] ?? '')) return true;
  return text === text.toUpperCase() && /\p{Ll}/u.test(plain);
}

function isExcept(all: readonly Word[], i: number): boolean {
  const next = all[i + 1]?.key;
  if (next === undefined || CHOOSING.has(next) || next === 'one') return true;
  return next === 'for' && (all[i + 2] === undefined || CHOOSING.has(all[i + 2]!.key));
}

function turnsQuestion(all: readonly Word[], i: number, plain: string): boolean {
  const word = all[i]!;
  if (word.text[0] !== word.key[0]) return false;
  if (NOT_A_NEGATIVE.has(all[i + 1]?.key ?? '')) return false;
  let auxiliary = CONTRACTED.has(word.key);
  for (let k = i - 1; k >= Math.max(0, i - REACH); k--) {
    const { key, end } = all[k]!;
    if (/[.?!;,)(:]/.test(plain.slice(end, all[k + 1]!.start))) return false;
    if (CHOOSING.has(key)) return auxiliary && !isAskedBefore(all, k, plain);
    if (TURN.has(key) || key === 'only') return false;
    auxiliary ||= AUXILIARY.has(key);
  }
  return false;
}

/**
 * Whether another word of the sentence asks: then this one only begins a clause, as in "Who was the one who
 * did not…".
 */
function isAskedBefore(all: readonly Word[], i: number, plain: string): boolean {
  for (let k = i - 1; k >= Math.max(0, i - REACH); k--) {
    if (/[.?!]/.test(plain.slice(all[k]!.end, all[k + 1]!.start))) return false;
    if (CHOOSING.has(all[k]!.key)) return true;
  }
  return false;
}

export const negativeRules: QuestionRule[] = [
  {
    name: 'negative_unmarked',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'the question asks for what is not so, and the negative word is not emphasised',
    why: 'Whoever overlooks the small word knows the subject and still answers wrongly.',
    how: 'Ask for what is so, or put the word in capitals: NOT, EXCEPT.',
    source: POSITIVE,
    find: (reading) => negativePlaces(reading, false),
  },
  {
    name: 'negative_marked',
    looks_at: 'question',
    severity: 'info',
    english: true,
    what: 'the question asks for what is not so (the negative word is emphasised)',
    why: 'Finding the exception takes more reading than knowledge; fine where it is meant.',
    how: 'Nothing to mend if meant; else ask for what is so.',
    source: POSITIVE,
    find: (reading) => negativePlaces(reading, true),
  },
  {
    name: 'negative_statement',
    looks_at: 'question',
    severity: 'minor',
    english: true,
    what: 'a statement to be called true or false is negative',
    why: 'Calling a negative statement false is a double negative: it tests logic, not the subject.',
    how: 'State it positively, and change the answer.',
    source: POSITIVE,
    find: findNegativeStatement,
  },
];

function negativePlaces(reading: Reading, emphasised: boolean): Place[] {
  const negative = negativeOf(reading);
  return negative?.emphasised === emphasised ? [negative] : [];
}

/** Only where the negative belongs to the statement's own verb, before any turn of the sentence. */
function findNegativeStatement({ kind, words: all, plain }: Reading): Place[] {
  if (kind !== 'true_false') return [];
  for (let i = 0; i < all.length; i++) {
    const { key, text, start, end } = all[i]!;
    if (TURN.has(key)) return [];
    if (i > 0 && /[;:(]/.test(plain.slice(all[i - 1]!.end, start))) return [];
    const negative =
      key === 'not' && i > 0 && AUXILIARY.has(all[i - 1]!.key)
        ? !NOT_A_NEGATIVE.has(all[i + 1]?.key ?? '')
        : CONTRACTED.has(key);
    if (negative && text[0] === key[0]) return [{ field: QUESTION_TEXT, start, end }];
  }
  return [];
}
