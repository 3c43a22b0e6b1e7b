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
  `^(?:between |from )?${NUMBER}${UNIT}(?:\\s*[-–—]\\s*| to | and )${NUMBER}${UNIT}$`,
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
    const [low, high] = [parseNumber(match[1]!), parseNumber(match[3]!)];
    return low < high
      ? { low, high, lowInclusive: true, highInclusive: true, unit: normalizeUnit(match[4] ?? match[2]) }
      : null;
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
const DIGITS_WITH_UNIT = new RegExp(`^[~≈+\\-−]?${NUMBER}${UNIT}$`, 'u');
const POWERS_OF_TEN = /^(?:hundred|thousand|\p{L}+illion)\b/iu;

interface Notation {
  spelledOut: boolean;
  /** Whether thousands are separated by commas; null below 1000. */
  grouped: boolean | null;
  hasUnit: boolean;
}

function parseNotation(choice: string): Notation | null {
  const text = choice.trim().slice(0, 60);
  const [first, ...rest] = text.toLowerCase().split(/[\s-]+/);
  if (NUMBER_WORDS.has(first!)) {
    const tail = rest.filter((word) => !NUMBER_WORDS.has(word) && !POWERS_OF_TEN.test(word));
    return { spelledOut: true, grouped: null, hasUnit: tail.length > 0 };
  }
  const match = DIGITS_WITH_UNIT.exec(text);
  if (!match) return null;
  const digits = match[1]!;
  const integer = digits.split('.')[0]!;
  const grouped = integer.includes(',') ? true : integer.length > 3 ? false : null;
  const unit = match[2]?.trim() ?? '';
  return {
    spelledOut: false,
    grouped,
    hasUnit: /^[$€£]/.test(text) || (unit !== '' && !POWERS_OF_TEN.test(unit)),
  };
}

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
    findMinority(notations.map((notation) => notation.spelledOut)) ??
    findMinority(notations.map((notation) => notation.hasUnit)) ??
    findMinority(notations.map((notation) => notation.grouped))
  );
}

/** The first member of the minority; of two equal halves, the later one is the minority. */
function findMinority(values: readonly (boolean | null)[]): number | null {
  const yes = values.filter((value) => value === true).length;
  const no = values.filter((value) => value === false).length;
  if (yes === 0 || no === 0) return null;
  if (yes === no) return values.indexOf(!values.find((value) => value !== null)!);
  return values.indexOf(yes < no);
}
