/** A blueprint: how many questions of which kind a bank should have, and how far it is from that. */
import Type, { type Static } from 'typebox';
import { Text } from '../../schemas/common.ts';
import { goodnessOfFit } from '../../statistics/contingency.ts';
import { fold } from './tally.ts';

/** As it is asked for: a line has a share or a count. */
export const BlueprintLine = Type.Object(
  {
    category: Text(200, { description: 'The name of a category, whatever its case.' }),
    difficulty: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2, description: 'Only questions of this difficulty.' }),
    ),
    topic_focus: Type.Optional(
      Text(200, { description: 'Only questions on this topic, whatever its case.' }),
    ),
    share: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Wanted: this share of all questions.' }),
    ),
    count: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Wanted: so many questions.' }),
    ),
  },
  { additionalProperties: false },
);
type Line = Static<typeof BlueprintLine>;

interface Blueprint {
  lines: Line[];
  /** What was odd about what was asked for, in sentences. */
  warnings: string[];
}

/** What the shares may sum to for being taken as 1: decimals such as 0.1 are not exact. */
const ROUNDING = 1e-9;

const keyOf = (category: string, difficulty: number | null, topic: string | null) =>
  `${category}\0${difficulty ?? ''}\0${topic ?? ''}`;

const keyOfLine = ({ category, difficulty, topic_focus }: Line) =>
  keyOf(fold(category), difficulty ?? null, topic_focus ? fold(topic_focus) : null);

/** A line has one figure, and speaks of what no other line does. */
export function blueprintFaults(asked: readonly Line[]) {
  const first = new Map<string, number>();
  return asked.flatMap((line, i) => {
    const pointer = `/blueprint/${i}`;
    if ((line.share === undefined) === (line.count === undefined))
      return [{ pointer, code: 'share_or_count', detail: 'must have a share or a count, and not both' }];
    const before = first.getOrInsert(keyOfLine(line), i);
    if (before === i) return [];
    return [{ pointer, code: 'repeated', detail: `speaks of the same questions as /blueprint/${before}` }];
  });
}

/** The lines, with shares that sum to 1 at most. */
export function readBlueprint(asked: readonly Line[]): Blueprint {
  const warnings: string[] = [];
  return { lines: atMostOne([...asked], warnings), warnings };
}

/** What the blueprint asks for in a category that no question is in may be misspelt. */
export function emptyCategories(lines: readonly Line[], known: (category: string) => boolean): string[] {
  const unknown = new Map(lines.map(({ category }) => [fold(category), category]));
  return [...unknown]
    .filter(([key]) => !known(key))
    .map(
      ([, name]) =>
        `No question is in the category ${name}, which the blueprint names. Is it written like that in the bank?`,
    );
}

function atMostOne(lines: Line[], warnings: string[]): Line[] {
  const sum = sumOfShares(lines);
  if (sum <= 1 + ROUNDING) return lines;
  warnings.push(
    `The shares of the blueprint sum to ${Number(sum.toPrecision(6))}: they were divided by that, so that they sum to 1.`,
  );
  return lines.map((line) => (line.share === undefined ? line : { ...line, share: line.share / sum }));
}

const sumOfShares = (lines: readonly Line[]) => lines.reduce((sum, { share = 0 }) => sum + share, 0);

/**
 * Finds the most particular line for a question by its folded names: a topic tells more than a difficulty. −1 if none
 * fits.
 */
export function lineFinder(lines: readonly Line[]) {
  const categories = new Set(lines.map(({ category }) => fold(category)));
  const places = new Map(lines.map((line, i) => [keyOfLine(line), i]));
  return (category: string, difficulty: number, topic: string | null): number => {
    if (!categories.has(category)) return -1;
    const onTopic =
      topic !== null &&
      (places.get(keyOf(category, difficulty, topic)) ?? places.get(keyOf(category, null, topic)));
    if (typeof onTopic === 'number') return onTopic;
    return places.get(keyOf(category, difficulty, null)) ?? places.get(keyOf(category, null, null)) ?? -1;
  };
}

/** The bank beside the blueprint. `observed` is by line; what no line fits is the rest of the total. */
export function compare(lines: readonly Line[], observed: readonly number[], total: number) {
  const wanted = wantedCounts(lines, total);
  const rows = lines.map(({ category, difficulty = null, topic_focus = null }, i) => ({
    category,
    difficulty,
    topic_focus,
    wanted: wanted[i]!,
    observed: observed[i]!,
    missing: Math.max(0, wanted[i]! - observed[i]!),
    surplus: Math.max(0, observed[i]! - wanted[i]!),
  }));
  const outside = total - rows.reduce((sum, row) => sum + row.observed, 0);
  const counts = rows.map((row) => row.observed);
  const weights = lines.map(({ share = 0, count }) => count ?? share * total);
  if (isOfShares(lines)) {
    counts.push(outside);
    weights.push(roomIn(lines) * total);
  }
  return {
    lines: rows,
    missing: rows.reduce((sum, row) => sum + row.missing, 0),
    surplus: rows.reduce((sum, row) => sum + row.surplus, 0),
    outside,
    dissimilarity: dissimilarity(counts, weights),
    ...goodnessOfFit(counts, weights),
  };
}

/** Counts say nothing about the rest of the bank; shares do. */
const isOfShares = (lines: readonly Line[]) => lines.every(({ share }) => share !== undefined);

/** The share that a blueprint of shares leaves to what fits none of its lines. */
function roomIn(lines: readonly Line[]): number {
  const room = 1 - sumOfShares(lines);
  return room > ROUNDING ? room : 0;
}

/** Whether a question that fits no line should not be there: the lines share out the whole bank. */
export const isExhaustive = (lines: readonly Line[]) =>
  lines.length > 0 && isOfShares(lines) && roomIn(lines) === 0;

/** Whole numbers for the shares that sum to what the shares sum to: the largest remainders are rounded up. */
function wantedCounts(lines: readonly Line[], total: number): number[] {
  const exact = lines.map(({ share = 0 }) => share * total);
  const whole = exact.map(Math.floor);
  const left = Math.round(sumOfShares(lines) * total) - whole.reduce((sum, value) => sum + value, 0);
  const byRemainder = [...exact.keys()].sort(
    (a, b) => exact[b]! - whole[b]! - (exact[a]! - whole[a]!) || a - b,
  );
  for (const i of byRemainder.slice(0, left)) whole[i]!++;
  return lines.map(({ count }, i) => count ?? whole[i]!);
}

/** The share of the questions that would have to be of another kind (Duncan and Duncan, 1955). */
function dissimilarity(counts: readonly number[], weights: readonly number[]): number | null {
  const total = counts.reduce((sum, value) => sum + value, 0);
  const weight = weights.reduce((sum, value) => sum + value, 0);
  if (total === 0 || weight === 0) return null;
  return counts.reduce((sum, value, i) => sum + Math.abs(value / total - weights[i]! / weight), 0) / 2;
}
