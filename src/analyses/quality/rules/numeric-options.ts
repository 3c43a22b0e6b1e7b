/** Numeric options: overlapping ranges and inconsistent notation. */
import { toWordSet } from './vocabulary.ts';

interface Range {
  low: number;
  high: number;
  lowInclusive: boolean;
  highInclusive: boolean;
  unit: string;
}

const NUMBER = String.raw`[$€£]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)`;
const UNIT = String.raw`\s*(%|[\p{L}°][\p{L}°.\s]{0,30})?`;
const BETWEEN = new RegExp(
  `^(?:(?:from )?${NUMBER}${UNIT}(?:\\s*[-–—]\\s*| to )|between ${NUMBER}${UNIT} and )${NUMBER}${UNIT}$`,
  'iu',
);
const BELOW = new RegExp(
  `^(?:(less than|fewer than|under|below|<)|(up to|at most|no more than|≤)) ?${NUMBER}${UNIT}$`,
  'iu',
);
const ABOVE = new RegExp(
  `^(?:(more than|greater than|over|above|>)|(at least|no less than|no fewer than|≥)) ?${NUMBER}${UNIT}$`,
  'iu',
);
/** Questions for an amount. In others, ranges are names, such as the years of a reign. */
const AMOUNT =
  /\bhow (?:many|much|long|old|far|tall|high|deep|big|large|heavy|fast|often)\b|\bpercent|\bwhat (?:is the )?(?:age|range|number|amount|temperature|share|proportion)\b|%/i;

const parseNumber = (digits: string) => Number(digits.replaceAll(',', ''));
const normalizeUnit = (unit: string | undefined) => (unit ?? '').trim().toLowerCase();

function parseRange(choice: string): Range | null {
  const text = choice.trim().slice(0, 100);
  let match = BETWEEN.exec(text);
  if (match) {
    const [low, high] = [parseNumber(match[1] ?? match[3]!), parseNumber(match[5]!)];
    const unit = normalizeUnit(match[6] ?? match[2] ?? match[4]);
    return low < high ? { low, high, lowInclusive: true, highInclusive: true, unit } : null;
  }
  match = BELOW.exec(text);
  if (match) {
    return {
      low: -Infinity,
      high: parseNumber(match[3]!),
      lowInclusive: false,
      highInclusive: !match[1],
      unit: normalizeUnit(match[4]),
    };
  }
  match = ABOVE.exec(text);
  if (!match) return null;
  return {
    low: parseNumber(match[3]!),
    high: Infinity,
    lowInclusive: !match[1],
    highInclusive: false,
    unit: normalizeUnit(match[4]),
  };
}

/** The first two options with overlapping ranges. */
export function findOverlap(choices: readonly string[], question: string): [number, number] | null {
  if (choices.length < 2 || !AMOUNT.test(question)) return null;
  const ranges = choices.map(parseRange);
  for (let i = 0; i < ranges.length; i++) {
    for (let k = i + 1; k < ranges.length; k++) {
      const [a, b] = [ranges[i], ranges[k]];
      if (a && b && a.unit === b.unit && rangesOverlap(a, b)) return [i, k];
    }
  }
  return null;
}

function rangesOverlap(a: Range, b: Range): boolean {
  const [first, second] = a.low <= b.low ? [a, b] : [b, a];
  return second.low < first.high || (second.low === first.high && first.highInclusive && second.lowInclusive);
}

const NUMBER_WORDS = toWordSet(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen ' +
    'nineteen twenty thirty forty fifty sixty seventy eighty ninety',
);
const SMALL_NUMBER_WORDS = toWordSet('one two three four five six seven eight nine ten');
const DIGITS_WITH_UNIT = new RegExp(
  `^[~≈+\\-−]?${NUMBER}(?:\\s*(%|°\\p{L}?)|\\s+(\\p{Ll}[\\p{Ll}.° ]{0,30}))?$`,
  'u',
);
const POWERS_OF_TEN = /^(?:hundred|thousand|\p{L}+illion)\b/iu;
/** A unit of one to three words. Others, such as “10 or more”, qualify the number. */
const UNIT_WORDS =
  /^(?!(?:or|and|to|of|at|in|on|by|plus|more|less|times out)\b)\p{Ll}+\.?(?: (?:per|a|an|of|each)? ?\p{Ll}+){0,2}$/u;

interface Notation {
  value: number | null;
  spelledOut: boolean;
  /** Digits before the decimal point. */
  digits: number;
  grouped: boolean;
  hasUnit: boolean;
}

/** Null if the option is not a number, or is a name that begins with one (3 Doors Down). */
function parseNotation(choice: string): Notation | null {
  const text = choice.trim().slice(0, 60);
  const [first, ...rest] = text.toLowerCase().split(/[\s-]+/);
  if (NUMBER_WORDS.has(first!)) {
    const tail = rest.filter(
      (word) => word !== 'and' && !NUMBER_WORDS.has(word) && !POWERS_OF_TEN.test(word),
    );
    if (tail.length > 2 || (tail.length > 0 && !UNIT_WORDS.test(tail.join(' ')))) return null;
    if (/\s\p{Lu}/u.test(text) && tail.length > 0) return null;
    const isSmall = rest.length === 0 && SMALL_NUMBER_WORDS.has(first!);
    return {
      value: isSmall ? 1 : null,
      spelledOut: true,
      digits: 0,
      grouped: false,
      hasUnit: tail.length > 0,
    };
  }
  const match = DIGITS_WITH_UNIT.exec(text);
  if (!match) return null;
  const integer = match[1]!.split('.')[0]!;
  const unit = (match[2] ?? match[3] ?? '').trim();
  const isUnit = unit !== '' && !POWERS_OF_TEN.test(unit);
  if (match[3] && isUnit && !UNIT_WORDS.test(unit)) return null;
  return {
    value: parseNumber(match[1]!),
    spelledOut: false,
    digits: integer.replaceAll(',', '').length,
    grouped: integer.includes(','),
    hasUnit: /^[$€£]/.test(text) || isUnit,
  };
}

/** The largest number that style guides spell out while they write larger ones in digits. */
const MAX_SPELLED_OUT = 10;

/** If all options are numbers, the first one whose notation differs from the majority. */
export function findOddNotation(choices: readonly string[]): number | null {
  if (choices.length < 3) return null;
  const notations: Notation[] = [];
  for (const choice of choices) {
    const notation = parseNotation(choice);
    if (!notation) return null;
    notations.push(notation);
  }
  return (
    (followsSpellingRule(notations) ? null : findMinority(notations.map(({ spelledOut }) => spelledOut))) ??
    findMinority(notations.map(({ hasUnit }) => hasUnit)) ??
    findMinority(listGrouping(notations))
  );
}

/** Numbers up to ten spelled out, larger ones in digits. */
const followsSpellingRule = (notations: readonly Notation[]) =>
  notations.every(({ spelledOut, value }) => (spelledOut ? value !== null : value! > MAX_SPELLED_OUT));

/** Numbers of four digits may do without the comma that larger ones have. */
function listGrouping(notations: readonly Notation[]): (boolean | null)[] {
  const minDigits = notations.some(({ digits, grouped }) => digits === 4 && grouped) ? 4 : 5;
  return notations.map(({ digits, grouped }) => (digits >= minDigits ? grouped : null));
}

/** The first member of the minority; of two equal halves, the later one is the minority. */
function findMinority(values: readonly (boolean | null)[]): number | null {
  const yes = values.filter((value) => value === true).length;
  const no = values.filter((value) => value === false).length;
  if (yes === 0 || no === 0) return null;
  if (yes === no) return values.indexOf(!values.find((value) => value !== null)!);
  return values.indexOf(yes < no);
}
