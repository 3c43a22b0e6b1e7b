/**
 * Parses numbers with units, as people write them. The grammar is the table of docs/answers.md,
 * which the tests read.
 *
 * A comma or point that could be either is a thousands separator only where it can be nothing else,
 * with one exception: one comma before exactly three digits separates thousands, as in 1,500.
 */
import { fold, replaceSpecial } from './folding.ts';
import {
  add,
  compare,
  divide,
  magnitude,
  multiply,
  negate,
  type Rational,
  toDecimal,
  toRational,
} from './rational.ts';

export interface Quantity {
  value: Rational;
  /** In the form of `normalizeUnit`; null without a unit. */
  unit: string | null;
}

const MAX_NUMBER_CHARS = 200;
const MAX_UNIT_CHARS = 50;

/** The first digits of the scripts whose digits NFKC does not replace. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50];
const FOREIGN_DIGIT = /[٠-٩۰-۹०-९০-৯๐-๙]/gu;

function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  return String(code - ZEROS.findLast((zero) => zero <= code)!);
}

/** Typography folded, spaces single, digits ASCII. */
const normalizeSigns = (text: string) =>
  replaceSpecial(text)
    .normalize('NFKC')
    .replace(/[⁄∕]/gu, '/')
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replace(FOREIGN_DIGIT, toAsciiDigit)
    .replace(/\s+/gu, ' ')
    .trim();

/** The form in which units are compared: without spaces, but with case. */
const normalizeUnit = (unit: string) => normalizeSigns(unit).replaceAll(' ', '').replace(/[⋅*]/gu, '·');

/** A digit cannot follow, nor a separator and a digit: then another alternative is tried. */
const END = String.raw`(?!\d|[.,]\d)`;
/** Spaces or apostrophes, commas, commas as in India, points, and no separators. */
const DECIMAL = new RegExp(
  [
    String.raw`([1-9]\d{0,2}(?: \d{3})+|[1-9]\d{0,2}(?:'\d{3})+)(?:[.,](\d+))?${END}`,
    String.raw`([1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d*))?${END}`,
    String.raw`([1-9]\d?(?:,\d{2})+,\d{3})(?:\.(\d*))?${END}`,
    String.raw`([1-9]\d{0,2}(?:\.\d{3}){2,})(?:,(\d+))?${END}`,
    String.raw`([1-9]\d{0,2}(?:\.\d{3})+),(\d+)${END}`,
    String.raw`(\d*)[.,](\d+)${END}`,
    String.raw`(\d+)(\.?)${END}`,
  ].join('|'),
  'y',
);
const EXPONENT = /e([+-]?\d{1,4})(?!\d)| ?[x×*·⋅✕] ?10 ?\^ ?(?:([+-]?\d{1,4})(?!\d)|\(([+-]?\d{1,4})\))/iy;
const POWER = /\^ ?(?:([+-]?\d{1,4})(?!\d)|\(([+-]?\d{1,4})\))/y;
const SLASH = / ?\/ ?(?=[\d.,])/y;
const MIXED = / (\d+)\/(\d+)(?!\d)/y;
const UNIT_START = /^[\p{L}\p{Sc}%‰°'"]/u;
const SIGN = /(\p{Sc}?) ?([+-]?) ?(\p{Sc}?) ?/uy;

/** Reads a text from the left, one pattern after the other. */
class Scanner {
  position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.#text);
    if (match) this.position = pattern.lastIndex;
    return match;
  }

  get rest(): string {
    return this.#text.slice(this.position).trim();
  }
}

/** The number and unit that a text states; undefined if it states anything else. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > MAX_NUMBER_CHARS) return undefined;
  const scanner = new Scanner(normalizeSigns(text));
  const [, before = '', sign, after = ''] = scanner.take(SIGN)!;
  const size = takeNumber(scanner);
  if (!size) return undefined;
  const suffix = scanner.rest;
  const units = [before, after, suffix].filter((unit) => unit !== '');
  if (units.length > 1 || suffix.length > MAX_UNIT_CHARS) return undefined;
  if (suffix !== '' && !UNIT_START.test(suffix)) return undefined;
  const unit = units[0] === undefined ? null : normalizeUnit(units[0]);
  return { value: sign === '-' ? negate(size) : size, unit };
}

/** A decimal number, a power of ten, a fraction or a mixed number, without its sign. */
function takeNumber(scanner: Scanner): Rational | undefined {
  const first = takeDecimal(scanner);
  if (!first) return undefined;
  const mixed = first.denominator === 1n ? scanner.take(MIXED) : null;
  if (mixed) {
    const part = divide(toRational(BigInt(mixed[1]!), 1n), toRational(BigInt(mixed[2]!), 1n));
    return part && add(first, part);
  }
  if (!scanner.take(SLASH)) return first;
  const divisor = takeDecimal(scanner);
  return divisor && divide(first, divisor);
}

function takeDecimal(scanner: Scanner): Rational | undefined {
  const match = scanner.take(DECIMAL);
  if (!match) return undefined;
  const [digits = '', decimals = ''] = match.slice(1).filter((part) => part !== undefined);
  const whole = digits.replace(/\D/g, '');
  const fraction = decimals === '.' ? '' : decimals;
  const power = match[0] === '10' ? scanner.take(POWER) : null;
  if (power) return toDecimal('1', '', Number(power[1] ?? power[2]));
  const exponent = scanner.take(EXPONENT);
  return toDecimal(whole, fraction, Number(exponent?.[1] ?? exponent?.[2] ?? exponent?.[3] ?? 0));
}

/** How a numeric answer is compared. At most one tolerance; without one, by value. */
export interface NumericRule {
  tolerance?: number | undefined;
  relative_tolerance?: number | undefined;
  unit?: string | undefined;
}

const HUNDREDTHS = new Map([
  ['%', toRational(1n, 100n)],
  ['‰', toRational(1n, 1000n)],
]);

/** Builds the function that decides whether an answer states the value of the key. */
export function buildNumericMatcher(key: string, rule: NumericRule): (answer: string) => boolean {
  const expected = parseQuantity(key)?.value;
  const unit = rule.unit === undefined ? null : normalizeUnit(rule.unit);
  if (!expected) return () => false;
  const tolerance = computeTolerance(expected, rule);
  return (answer) => {
    const given = parseQuantity(answer);
    const value = given && convert(given, unit);
    return value !== undefined && compare(magnitude(add(value, negate(expected))), tolerance) <= 0;
  };
}

/** A JSON number is taken at its decimal digits: 0.1 is 1/10. */
function computeTolerance(expected: Rational, { tolerance, relative_tolerance }: NumericRule): Rational {
  if (relative_tolerance !== undefined)
    return multiply(parseJsonNumber(relative_tolerance), magnitude(expected));
  return parseJsonNumber(tolerance ?? 0);
}

const parseJsonNumber = (n: number) => parseQuantity(String(n))?.value ?? toRational(0n, 1n);

/** The value in the unit of the key; undefined if the unit is another one. */
function convert({ value, unit }: Quantity, expected: string | null): Rational | undefined {
  if (unit === null || unit === expected) return value;
  const share = HUNDREDTHS.get(unit);
  return share && multiply(value, share);
}

/**
 * The canonical form of a number among texts: `1,000`, `1e3` and `1000.0` are equal, and so are
 * `1/2` and `.5`. Exact at any length. Commas separate thousands, never decimals: the text may be
 * no number at all.
 */
export function parseNumber(text: string): string | undefined {
  const [top, bottom, ...more] = fold(text).split('/');
  const above = parsePlainDecimal(top!);
  const below = bottom === undefined ? toRational(1n, 1n) : parsePlainDecimal(bottom);
  const value = above && below && more.length === 0 ? divide(above, below) : undefined;
  // `8/2` is an expression, not a way to write 4.
  if (!value || (bottom !== undefined && value.denominator === 1n)) return undefined;
  return `${value.numerator}/${value.denominator}`;
}

const NUMBER = /^([+-]?)(\d{1,3}(?:[, ]\d{3})+|\d+)?(?:\.(\d+))?(?:e([+-]?\d{1,4}))?$/;
const MAX_PLAIN_CHARS = 100;

function parsePlainDecimal(text: string): Rational | undefined {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] =
    (text.length <= MAX_PLAIN_CHARS && NUMBER.exec(text)) || [];
  if (matched === undefined) return undefined;
  const size = toDecimal(whole.replace(/[, ]/g, ''), fraction, Number(exponent));
  return size && sign === '-' ? negate(size) : size;
}
