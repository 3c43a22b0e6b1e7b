/**
 * Scores answers. Case, white space, the Unicode form, and the kind of quotation marks and dashes
 * are ignored; numbers are compared by value.
 */
import type { Db } from '../db.ts';
import { requireSound } from './checksums.ts';
import { toMissing } from './merged.ts';
import { parseId, type QuestionRow } from './row.ts';

export interface Key {
  correct_answer: string;
  incorrect_answers: string[];
}

/**
 * Normal forms of an answer, the most exact first. A text that has no such form gives undefined.
 */
const NORMAL_FORMS: ((text: string) => string | undefined)[] = [
  (text) => text.normalize('NFC').trim(),
  fold,
  parseNumber,
];

/**
 * Builds a function that finds the indices of the options an answer matches, by the most exact
 * normal form that matches any. So `Ca` and `CA` can be two options.
 */
export function buildMatcher(options: readonly string[]): (answer: string) => number[] {
  const matchers = NORMAL_FORMS.map((normalize) => {
    let texts: (string | undefined)[] | undefined;
    return (answer: string): number[] => {
      const given = normalize(answer);
      if (given === undefined) return [];
      texts ??= options.map(normalize);
      return texts.flatMap((text, index) => (text === given ? [index] : []));
    };
  });
  return (answer) => {
    for (const match of matchers) {
      const indices = match(answer);
      if (indices.length > 0) return indices;
    }
    return [];
  };
}

/** The options, the key first. */
export const listOptions = ({ correct_answer, incorrect_answers }: Key) => [
  correct_answer,
  ...incorrect_answers,
];

/** Whether the key alone matches. An answer that also matches a distractor is wrong. */
export const matchesKeyAlone = (indices: number[]) => indices.length === 1 && indices[0] === 0;

export const isCorrect = (key: Key, answer: string): boolean =>
  matchesKeyAlone(buildMatcher(listOptions(key))(answer));

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻';
const PLAIN = '0123456789+-';
const RAISED = new RegExp(`[${SUPERSCRIPTS}]+`, 'gu');
const FRACTIONS = /[¼-¾⅐-⅞↉]/gu;

/** Replaces characters that NFKC would merge: a superscript 2 is a power, and 2½ is not 21/2. */
function replaceSpecial(text: string): string {
  return text
    .replace(RAISED, (raised) => `^${[...raised].map((sign) => PLAIN[SUPERSCRIPTS.indexOf(sign)]).join('')}`)
    .replace(FRACTIONS, (fraction) => ` ${fraction.normalize('NFKC')}`)
    .replace(/[‘’‛ʼ´`′]/gu, "'")
    .replace(/[“”„‟«»″]/gu, '"')
    .replace(/[‐‑‒–—―−]/gu, '-');
}

function fold(text: string): string {
  return (
    replaceSpecial(text)
      .normalize('NFKC')
      .replaceAll('⁄', '/')
      .replace(/\s+/gu, ' ')
      .replace(/ ?([-,;:/]) ?/g, '$1')
      .trim()
      // Lower, upper and lower case again: ẞ, ß and SS, ς and σ fold to the same.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .normalize('NFC')
  );
}

const NUMBER = /^([+-]?)(\d{1,3}(?:[, ]\d{3})+|\d+)?(?:\.(\d+))?(?:e([+-]?\d{1,4}))?$/;

/**
 * The canonical form of a number: `1,000`, `1e3` and `1000.0` are equal, and so are `1/2` and `.5`.
 * Exact at any length.
 */
function parseNumber(text: string): string | undefined {
  const plain = fold(text);
  const [top, bottom, ...more] = plain.split('/');
  const above = parseDecimal(top!);
  const below = bottom === undefined ? ONE : parseDecimal(bottom);
  if (!above || !below || more.length > 0 || below.digits === 0n) return undefined;
  const shift = above.scale - below.scale;
  const numerator = above.digits * (shift < 0 ? 10n ** BigInt(-shift) : 1n);
  const denominator = below.digits * (shift > 0 ? 10n ** BigInt(shift) : 1n);
  const divisor = gcd(numerator, denominator);
  // `8/2` is an expression, not a way to write 4.
  if (bottom !== undefined && denominator / divisor === 1n) return undefined;
  return `${numerator / divisor}/${denominator / divisor}`;
}

interface Decimal {
  digits: bigint;
  /** The number of digits after the decimal point; negative for trailing zeros before it. */
  scale: number;
}

const ONE: Decimal = { digits: 1n, scale: 0 };
/** Bound the work on a text that looks like a number. */
const MAX_NUMBER_CHARS = 100;
const MAX_ABS_SCALE = 400;

function parseDecimal(text: string): Decimal | undefined {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] =
    (text.length <= MAX_NUMBER_CHARS && NUMBER.exec(text)) || [];
  if (matched === undefined || whole + fraction === '') return undefined;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > MAX_ABS_SCALE) return undefined;
  const digits = BigInt(whole.replace(/[, ]/g, '') + fraction) * (sign === '-' ? -1n : 1n);
  return { digits, scale };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  // Keeps the sign with the numerator.
  return b < 0n ? -x : x;
}

export async function checkAnswer(
  db: Db,
  { id, answer }: { id: string; answer: string },
): Promise<{ correct: boolean }> {
  const row = await db.get<QuestionRow>('SELECT * FROM questions WHERE id = $1', parseId(id));
  if (!row) throw await toMissing(db, id);
  requireSound(row, id);
  return { correct: isCorrect(JSON.parse(`{${row.answer_json}}`), answer) };
}
