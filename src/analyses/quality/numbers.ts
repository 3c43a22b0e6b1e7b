/** Options that are numbers: ranges that overlap, and numbers that are written in different ways. */
import { words } from './vocabulary.ts';

interface Range {
  low: number;
  high: number;
  /** Whether the value at the end belongs to it. */
  lowIn: boolean;
  highIn: boolean;
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
/**
 * Only an amount can lie in two ranges; the years of a reign or the goals of a match are names of one thing.
 */
const AMOUNT =
  /\bhow (?:many|much|long|old|far|tall|high|deep|big|large|heavy|fast|often)\b|\bpercent|\bwhat (?:is the )?(?:age|range|number|amount|temperature|share|proportion)\b|%/i;

const numberOf = (digits: string) => Number(digits.replaceAll(',', ''));
const unitOf = (unit: string | undefined) => (unit ?? '').trim().toLowerCase();

function rangeOf(choice: string): Range | null {
  const text = choice.trim().slice(0, 100);
  let match = BETWEEN.exec(text);
  if (match) {
    const [low, high] = [numberOf(match[1]!), numberOf(match[3]!)];
    return low < high ? { low, high, lowIn: true, highIn: true, unit: unitOf(match[4] ?? match[2]) } : null;
  }
  match = BELOW.exec(text);
  if (match) {
    return {
      low: -Infinity,
      high: numberOf(match[3]!),
      lowIn: false,
      highIn: !match[1],
      unit: unitOf(match[4]),
    };
  }
  match = ABOVE.exec(text);
  if (!match) return null;
  return {
    low: numberOf(match[3]!),
    high: Infinity,
    lowIn: !match[1],
    highIn: false,
    unit: unitOf(match[4]),
  };
}

/** The first two options whose ranges have a value in common. */
export function overlapOf(choices: readonly string[], question: string): [number, number] | null {
  if (choices.length < 2 || !AMOUNT.test(question)) return null;
  const ranges = choices.map(rangeOf);
  for (let i = 0; i < ranges.length; i++) {
    for (let k = i + 1; k < ranges.length; k++) {
      const [a, b] = [ranges[i], ranges[k]];
      if (a && b && a.unit === b.unit && meet(a, b)) return [i, k];
    }
  }
  return null;
}

function meet(a: Range, b: Range): boolean {
  const [first, second] = a.low <= b.low ? [a, b] : [b, a];
  return second.low < first.high || (second.low === first.high && first.highIn && second.lowIn);
}

const WORDED = words(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen ' +
    'nineteen twenty thirty forty fifty sixty seventy eighty ninety',
);
const FIGURES = new RegExp(`^[~≈+\\-−]?${NUMBER}${UNIT}$`, 'u');
const COUNTED_IN = /^(?:hundred|thousand|\p{L}+illion)\b/iu;

interface Notation {
  worded: boolean;
  /** Whether thousands are set off by commas; null where there are none to be set off. */
  grouped: boolean | null;
  unit: boolean;
}

function notationOf(choice: string): Notation | null {
  const text = choice.trim().slice(0, 60);
  const [first, ...rest] = text.toLowerCase().split(/[\s-]+/);
  if (WORDED.has(first!)) {
    const tail = rest.filter((word) => !WORDED.has(word) && !COUNTED_IN.test(word));
    return { worded: true, grouped: null, unit: tail.length > 0 };
  }
  const match = FIGURES.exec(text);
  if (!match) return null;
  const digits = match[1]!;
  const whole = digits.split('.')[0]!;
  const grouped = whole.includes(',') ? true : whole.length > 3 ? false : null;
  const unit = match[2]?.trim() ?? '';
  return { worded: false, grouped, unit: /^[$€£]/.test(text) || (unit !== '' && !COUNTED_IN.test(unit)) };
}

/** The first option whose number is written unlike most of the others, if all are numbers. */
export function oddNotation(choices: readonly string[]): number | null {
  if (choices.length < 3) return null;
  const notations: Notation[] = [];
  for (const choice of choices) {
    const notation = notationOf(choice);
    if (!notation) return null;
    notations.push(notation);
  }
  return (
    oddOne(notations.map((each) => each.worded)) ??
    oddOne(notations.map((each) => each.unit)) ??
    oddOne(notations.map((each) => each.grouped))
  );
}

/** The place of the first that belongs to the smaller side; of two equal sides, to the later one. */
function oddOne(sides: readonly (boolean | null)[]): number | null {
  const yes = sides.filter((side) => side === true).length;
  const no = sides.filter((side) => side === false).length;
  if (yes === 0 || no === 0) return null;
  if (yes === no) return sides.indexOf(!sides.find((side) => side !== null)!);
  return sides.indexOf(yes < no);
}
