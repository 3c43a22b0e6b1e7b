/** Folds numbers to digits: spelled-out numbers, Roman numerals, separators of thousands. */

const UNITS = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen`;
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
const ORDINALS = `zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
  fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth`;
const ORDINAL_TENS = 'twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth';

const numberWords = (words: string, toNumber: (index: number) => string) =>
  words.split(/\s+/).map((word, i) => [word, toNumber(i)] as const);

const NUMBER_WORDS = new Map<string, string>([
  ...numberWords(UNITS, String),
  ...numberWords(TENS, (i) => String((i + 2) * 10)),
  ...numberWords(ORDINALS, (i) => `${i}th`),
  ...numberWords(ORDINAL_TENS, (i) => `${(i + 2) * 10}th`),
  ['once', '1'],
  ['twice', '2'],
  ['hundred', '100'],
  ['thousand', '1000'],
]);

/** The digits of a spelled-out number, with "th" for an ordinal. Expects lower case. */
export const parseNumberWord = (word: string): string | undefined => NUMBER_WORDS.get(word);

/** Above 49 only with four letters: shorter ones are words and abbreviations such as MIX and CD. */
const ROMAN_NUMERAL = /^(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;
const LONG_ROMAN_NUMERAL = /^(?=.{4})M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;
const ROMAN_VALUES: Record<string, number> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };

/** The digits of a Roman numeral in capitals, also of one in the possessive: "VIII's", "VIIIs". */
export function parseRomanNumeral(written: string): string | undefined {
  const numeral = written.length > 2 ? written.replace(/['’]?s$/, '') : written;
  if (!ROMAN_NUMERAL.test(numeral) && !LONG_ROMAN_NUMERAL.test(numeral)) return undefined;
  const values = [...numeral].map((letter) => ROMAN_VALUES[letter]!);
  return String(values.reduce((sum, value, i) => sum + (value < (values[i + 1] ?? 0) ? -value : value), 0));
}

/** 1,000 and 1000.0 as 1000. */
export const foldDigits = (number: string): string =>
  number.replace(/,(?=\p{N}{3}(?!\p{N}))/gu, '').replace(/\.0+$/, '');

const SCALES = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1e6],
  ['billion', 1e9],
]);

/** The number that two words in a row make: 20 and 1 make 21, 3 and "hundred" make 300. */
export function combineNumbers(first: string, second: string, written: string): string | undefined {
  if (/^[2-9]0$/.test(first) && /^[1-9](?:th)?$/.test(second)) return first[0] + second;
  const scale = SCALES.get(written);
  return scale !== undefined && /^\d{1,3}(?:\.\d)?$/.test(first) ? String(Number(first) * scale) : undefined;
}
