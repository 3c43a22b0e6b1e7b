/** Rules about negative stems and statements. */
import type { Word } from '../../shared/words.ts';
import type { ParsedQuestion } from './parsed-question.ts';
import { citeGuideline, type FieldSpan, QUESTION_TEXT, type QuestionRule } from './rule.ts';
import { AUXILIARIES, toWordSet } from './vocabulary.ts';

const POSITIVE = citeGuideline(17, 'word the stem positively; if a negative is used, capitalize it');

/** A negation after these inverts the question. “Why is it not…” asks for a reason instead. */
const SELECTING_INTERROGATIVES = toWordSet('which what who whom where');
const CONTRACTIONS = toWordSet(
  "isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't cannot couldn't won't wouldn't",
);
/** Words that begin a clause, whose negation is a fact rather than part of the question. */
const CLAUSE_OPENERS = toWordSet(
  'that who whose where because if although though but while and or when since to despite unless until whether so as after before',
);
const HARMLESS_AFTER_NOT = toWordSet('only just merely necessarily including counting');

/** A capitalised pronoun or article within a sentence: speech or a title without quotation marks. */
const STARTS_SPEECH = /^(?:The|It|You|He|She|We|They|That|There|Do|Don['’]t)$/;

/** Maximum distance between the interrogative and the negation. */
const MAX_WORDS_BETWEEN = 40;

interface Negation extends FieldSpan {
  emphasised: boolean;
}

/** The negation that inverts the question, if there is one. */
export function findNegation(parsed: ParsedQuestion): Negation | null {
  if (parsed.kind === 'true_false') return null;
  const words = parsed.unquotedWords;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word.key === 'not' || word.key === 'except' || CONTRACTIONS.has(word.key)) {
      const emphasised = isEmphasised(word, parsed);
      const inverts =
        word.key === 'except'
          ? isExceptClause(words, i)
          : emphasised || negatesQuestion(words, i, parsed.unquoted);
      if (inverts) return { field: QUESTION_TEXT, start: word.start, end: word.end, emphasised };
    }
  }
  return null;
}

/** In capitals within lower-case text, or enclosed in markup. */
function isEmphasised({ text, start, end }: Word, { text: question, unquoted }: ParsedQuestion): boolean {
  if (/[*_>]/.test(question[start - 1] ?? '') && /[*_<]/.test(question[end] ?? '')) return true;
  return text === text.toUpperCase() && /\p{Ll}/u.test(unquoted);
}

function isExceptClause(words: readonly Word[], i: number): boolean {
  const next = words[i + 1]?.key;
  if (next === undefined || SELECTING_INTERROGATIVES.has(next) || next === 'one') return true;
  return next === 'for' && (words[i + 2] === undefined || SELECTING_INTERROGATIVES.has(words[i + 2]!.key));
}

function negatesQuestion(words: readonly Word[], i: number, unquoted: string): boolean {
  const word = words[i]!;
  if (word.text[0] !== word.key[0]) return false;
  if (HARMLESS_AFTER_NOT.has(words[i + 1]?.key ?? '')) return false;
  let auxiliary = CONTRACTIONS.has(word.key);
  for (let k = i - 1; k >= Math.max(0, i - MAX_WORDS_BETWEEN); k--) {
    const { key, text, end } = words[k]!;
    if (k > 0 && STARTS_SPEECH.test(text) && /^\p{Ll}/u.test(words[k + 1]!.text)) return false;
    if (/[.?!;,)(:]/.test(unquoted.slice(end, words[k + 1]!.start))) return false;
    if (SELECTING_INTERROGATIVES.has(key)) return auxiliary && !hasEarlierInterrogative(words, k, unquoted);
    if (CLAUSE_OPENERS.has(key) || key === 'only') return false;
    auxiliary ||= AUXILIARIES.has(key);
  }
  return false;
}

/** Then the later one is a relative pronoun, as in “Who was the one who did not…”. */
function hasEarlierInterrogative(words: readonly Word[], i: number, unquoted: string): boolean {
  for (let k = i - 1; k >= Math.max(0, i - MAX_WORDS_BETWEEN); k--) {
    if (/[.?!]/.test(unquoted.slice(words[k]!.end, words[k + 1]!.start))) return false;
    if (SELECTING_INTERROGATIVES.has(words[k]!.key)) return true;
  }
  return false;
}

export const negationRules: QuestionRule[] = [
  {
    name: 'negative_unmarked',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'the stem is negative, and the negation is not emphasised',
    why: 'Respondents who know the answer may overlook the negation.',
    how: 'Word the stem positively, or capitalise the negation: NOT, EXCEPT.',
    source: POSITIVE,
    find: (parsed) => findNegationsByEmphasis(parsed, false),
  },
  {
    name: 'negative_marked',
    scope: 'question',
    severity: 'info',
    englishOnly: true,
    problem: 'the stem is negative (the negation is emphasised)',
    why: 'Negative stems are harder to understand than positive ones.',
    how: 'Word the stem positively, unless the negation is intended.',
    source: POSITIVE,
    find: (parsed) => findNegationsByEmphasis(parsed, true),
  },
  {
    name: 'negative_statement',
    scope: 'question',
    severity: 'minor',
    englishOnly: true,
    problem: 'a true/false statement is negative',
    why: 'To call a negative statement false is a double negative, which tests logic rather than knowledge.',
    how: 'Word the statement positively, and change the answer.',
    source: POSITIVE,
    find: findNegativeStatement,
  },
];

function findNegationsByEmphasis(parsed: ParsedQuestion, emphasised: boolean): FieldSpan[] {
  const negation = findNegation(parsed);
  return negation?.emphasised === emphasised ? [negation] : [];
}

/** Only a negation of the main verb, before any subordinate clause. */
function findNegativeStatement({ kind, unquotedWords: words, unquoted }: ParsedQuestion): FieldSpan[] {
  if (kind !== 'true_false') return [];
  for (let i = 0; i < words.length; i++) {
    const { key, text, start, end } = words[i]!;
    if (CLAUSE_OPENERS.has(key)) return [];
    if (i > 0 && /[;:(]/.test(unquoted.slice(words[i - 1]!.end, start))) return [];
    const negated =
      key === 'not' && i > 0 && AUXILIARIES.has(words[i - 1]!.key)
        ? !HARMLESS_AFTER_NOT.has(words[i + 1]?.key ?? '')
        : CONTRACTIONS.has(key);
    if (negated && text[0] === key[0]) return [{ field: QUESTION_TEXT, start, end }];
  }
  return [];
}
