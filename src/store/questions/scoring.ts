/**
 * Whether an answer is right, compared as a person would: case, space around and between words, the Unicode form, and
 * which quotation marks or dashes were typed make no difference; numbers count by their value.
 */
import { errors } from '../../errors.ts';
import type { Db } from '../db.ts';
import { existing } from './checks.ts';

export interface Key {
  correct_answer: string;
  incorrect_answers: string[];
}

/** Ways to read an answer, the most exact first. A reading is nothing where the text cannot be read so. */
const READINGS: ((text: string) => string | undefined)[] = [
  (text) => text.normalize('NFC').trim(),
  folded,
  numberIn,
];

/**
 * Finds the options that an answer reads like, by their places, in the most exact way that fits any: so `Ca` and `CA` can be
 * two options.
 */
export function readerOf(options: readonly string[]): (answer: string) => number[] {
  const readings = READINGS.map((read) => {
    let texts: (string | undefined)[] | undefined;
    return (answer: string): number[] => {
      const given = read(answer);
      if (given === undefined) return [];
      texts ??= options.map(read);
      return texts.flatMap((text, place) => (text === given ? [place] : []));
    };
  });
  return (answer) => {
    for (const placesOf of readings) {
      const places = placesOf(answer);
      if (places.length > 0) return places;
    }
    return [];
  };
}

/** The right answer first, then the wrong ones. */
export const optionsOf = ({ correct_answer, incorrect_answers }: Key) => [
  correct_answer,
  ...incorrect_answers,
];

/** Whether what an answer reads like is the first option alone: one that reads like a right and a wrong one is not right. */
export const isFirstAlone = (places: number[]) => places.length === 1 && places[0] === 0;

export const isCorrect = (key: Key, answer: string): boolean =>
  isFirstAlone(readerOf(optionsOf(key))(answer));

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻';
const PLAIN = '0123456789+-';
const RAISED = new RegExp(`[${SUPERSCRIPTS}]+`, 'gu');
const FRACTIONS = /[¼-¾⅐-⅞↉]/gu;

/** Before compatible forms become one: a raised 2 is a power, and 2½ is not 21/2. */
function spelledOut(text: string): string {
  return text
    .replace(RAISED, (raised) => `^${[...raised].map((sign) => PLAIN[SUPERSCRIPTS.indexOf(sign)]).join('')}`)
    .replace(FRACTIONS, (fraction) => ` ${fraction.normalize('NFKC')}`)
    .replace(/[‘’‛ʼ´`′]/gu, "'")
    .replace(/[“”„‟«»″]/gu, '"')
    .replace(/[‐‑‒–—―−]/gu, '-');
}

function folded(text: string): string {
  return (
    spelledOut(text)
      .normalize('NFKC')
      .replaceAll('⁄', '/')
      .replace(/\s+/gu, ' ')
      .replace(/ ?([-,;:/]) ?/g, '$1')
      .trim()
      // Down, up and down again: ẞ, ß and SS, ς and σ become one.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .normalize('NFC')
  );
}

const NUMBER = /^([+-]?)(\d{1,3}(?:[, ]\d{3})+|\d+)?(?:\.(\d+))?(?:e([+-]?\d{1,4}))?$/;

/** A number in one spelling: `1,000`, `1e3` and `1000.0` are one, and so are `1/2` and `.5`. Exact to any length. */
function numberIn(text: string): string | undefined {
  const plain = folded(text);
  const [top, bottom, ...more] = plain.split('/');
  const above = decimal(top!);
  const below = bottom === undefined ? ONE : decimal(bottom);
  if (!above || !below || more.length > 0 || below.digits === 0n) return undefined;
  // A fraction in its lowest terms.
  const shift = above.places - below.places;
  const numerator = above.digits * (shift < 0 ? 10n ** BigInt(-shift) : 1n);
  const denominator = below.digits * (shift > 0 ? 10n ** BigInt(shift) : 1n);
  const divisor = gcd(numerator, denominator);
  // `8/2` is a sum that was left undone, not a way to write 4.
  if (bottom !== undefined && denominator / divisor === 1n) return undefined;
  return `${numerator / divisor}/${denominator / divisor}`;
}

interface Decimal {
  digits: bigint;
  /** How many of the digits stand behind the point; negative for zeros before it. */
  places: number;
}

const ONE: Decimal = { digits: 1n, places: 0 };
/** What a person writes as a number has no more digits; it bounds the work. */
const LONGEST = 100;
const FARTHEST = 400;

function decimal(text: string): Decimal | undefined {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] =
    (text.length <= LONGEST && NUMBER.exec(text)) || [];
  if (matched === undefined || whole + fraction === '') return undefined;
  const places = fraction.length - Number(exponent);
  if (Math.abs(places) > FARTHEST) return undefined;
  const digits = BigInt(whole.replace(/[, ]/g, '') + fraction) * (sign === '-' ? -1n : 1n);
  return { digits, places };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y > 0n) [x, y] = [y, x % y];
  // The sign stays with the numerator.
  return b < 0n ? -x : x;
}

export async function checkAnswer(
  db: Db,
  { id, answer }: { id: string; answer: string },
): Promise<{ correct: boolean }> {
  const row = await db.get<{ answer_json: string }>(
    'SELECT answer_json FROM questions WHERE id = $1',
    existing(id),
  );
  if (!row) throw errors.noSuchQuestion(id);
  return { correct: isCorrect(JSON.parse(`{${row.answer_json}}`), answer) };
}
