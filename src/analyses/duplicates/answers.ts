/** Whether two answers are one, and what that makes of two questions that ask the same. */
import type { Bank } from './bank.ts';
import { areOpposites, hasOpposite } from './lexicon.ts';
import { type Token, tokenize } from './tokens.ts';
import { isTypo } from './typos.ts';
import type { Wording } from './wording.ts';

export type Class = 'duplicate' | 'conflict' | 'variant';

/**
 * How much of its words a reworded question must share to be the same: with the same answer and the same
 * options,
 */
const SHARE_WITH_SAME_CHOICES = 0.6;
/** with these, but rewritten in several places, */
const SHARE_WHEN_REWRITTEN = 0.8;
/** and with nothing but the same answer. */
const SHARE_WITH_SAME_ANSWER = 0.85;
const LONGEST_ANSWER = 30;
const UNKNOWN = { idf: () => 1, isEstablished: () => false };

/**
 * Whether two answers are the same up to spelling, form and completeness: Russia and the Russian Federation.
 */
export function areEquivalentAnswers(a: string, b: string): boolean {
  const [restA, restB] = [telling(a), telling(b)];
  if (restA.length > LONGEST_ANSWER || restB.length > LONGEST_ANSWER) return a === b;
  const lengths = [restA.length, restB.length] as const;
  const matched = pairOff(restA, restB);
  if (restA.length === 0 && restB.length === 0) return true;
  if (restA.length > 0 && restB.length > 0) return false;
  // One says more than the other: "Chamberlain" and "Neville Chamberlain", but not "5" and "5 million".
  const more = restA.length > 0 ? restA : restB;
  if (matched.some(isYear) && more.every(isDayOrMonth)) return true;
  const substantial = matched.some(({ key, kind }) => kind === 'word' && key.length > 3);
  return (
    Math.min(...lengths) > 0 &&
    substantial &&
    more.every(({ kind, key }) => kind === 'word' && !hasOpposite(key))
  );
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const isYear = ({ key }: Token) => /^1\d{3}$|^20\d\d$/.test(key);
const isDayOrMonth = ({ key }: Token) => /^\d{1,2}(?:th)?$/.test(key) || MONTHS.includes(key);

function telling(answer: string): Token[] {
  const tokens = tokenize(answer);
  const own = tokens.filter(({ kind }) => kind !== 'stopword');
  return own.length > 0 ? own : tokens;
}

/** Takes out of both what is the same word; tells which. */
function pairOff(a: Token[], b: Token[]): Token[] {
  const matched: Token[] = [];
  const together = (x: Token, y: Token) =>
    x.key === y.key ||
    (x.kind === 'word' &&
      y.kind === 'word' &&
      !areOpposites(x.key, y.key) &&
      (x.stem === y.stem || isTypo({ ...x, name: false }, { ...y, name: false }, UNKNOWN)));
  for (let i = 0; i < a.length; ) {
    const j = b.findIndex((y) => together(a[i]!, y));
    if (j < 0) i++;
    else {
      matched.push(...a.splice(i, 1));
      b.splice(j, 1);
    }
  }
  return matched;
}

/**
 * Whether both questions give the same answer. What one of them offers as a different option is not the same.
 */
export function answersAgree(bank: Bank, a: number, b: number): boolean {
  const [hashA, hashB] = [bank.answerHash(a), bank.answerHash(b)];
  if (hashA === hashB) return true;
  if (bank.optionHashes(a).includes(hashB) || bank.optionHashes(b).includes(hashA)) return false;
  return areEquivalentAnswers(bank.answers[a]!, bank.answers[b]!);
}

/** Texts whose answer depends on the options shown with them. */
const ABOUT_OPTIONS =
  /\b(?:these|those|following|listed|below|above|options?|odd one|which one|one of|not|except|name an?|an example)\b/i;

/**
 * What two questions are to each other; null where they have nothing to do with each other but some words.
 */
export function classify(bank: Bank, a: number, b: number, wording: Wording, alike: boolean): Class | null {
  const otherwise = alike ? 'variant' : null;
  if (wording.relation === 'different' || wording.relation === 'opposed') return otherwise;
  const agree = answersAgree(bank, a, b);
  if (wording.relation === 'same') {
    if (agree) return 'duplicate';
    return contradict(bank, a, b) && !(wording.uncertain && !bank.haveSameOptions(a, b))
      ? 'conflict'
      : otherwise;
  }
  if (!agree || !tellingAnswers(bank, a, b)) return otherwise;
  return wording.overlap >= shareNeeded(bank, a, b, wording) ? 'duplicate' : otherwise;
}

function shareNeeded(bank: Bank, a: number, b: number, { uncertain }: Wording): number {
  if (!bank.hasDistinctiveOptions(a) || !bank.haveSameOptions(a, b)) return SHARE_WITH_SAME_ANSWER;
  return uncertain ? SHARE_WHEN_REWRITTEN : SHARE_WITH_SAME_CHOICES;
}

/** "True" is the answer to too many questions for it to say that two are the same. */
const tellingAnswers = (bank: Bank, a: number, b: number) =>
  [a, b].every(
    (question) => bank.optionHashes(question).length === 0 || bank.hasDistinctiveOptions(question),
  ) &&
  [a, b].every(
    (question) =>
      !/^(?:true|false|yes|no|\p{N}{1,2})$/iu.test(bank.answers[question]!) ||
      bank.hasDistinctiveOptions(question),
  );

/** Whether different answers to the same question cannot both be right. */
function contradict(bank: Bank, a: number, b: number): boolean {
  const [ofA, ofB] = [bank.optionHashes(a), bank.optionHashes(b)];
  if (ofA.length === 0 || ofB.length === 0 || bank.haveSameOptions(a, b)) return true;
  if (ABOUT_OPTIONS.test(bank.texts[a]!) || ABOUT_OPTIONS.test(bank.texts[b]!)) return false;
  return ofA.includes(bank.answerHash(b)) || ofB.includes(bank.answerHash(a));
}
