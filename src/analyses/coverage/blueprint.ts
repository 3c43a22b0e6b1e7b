/** The blueprint (table of specifications): which questions a bank should have. */
import { goodnessOfFit } from '../../statistics/contingency.ts';
import type { BlueprintLine } from './schemas.ts';
import { foldName } from './tally.ts';

/** Tolerance for the sum of shares: decimals such as 0.1 are not exact in binary. */
const SHARE_TOLERANCE = 1e-9;

const buildKey = (category: string, difficulty: number | null, topic: string | null) =>
  `${category}\0${difficulty ?? ''}\0${topic ?? ''}`;

const toKey = ({ category, difficulty, topic_focus }: BlueprintLine) =>
  buildKey(foldName(category), difficulty ?? null, topic_focus ? foldName(topic_focus) : null);

/** A line has either a share or a count, and no two lines are about the same questions. */
export function validateBlueprint(blueprint: readonly BlueprintLine[]) {
  const firstIndexes = new Map<string, number>();
  return blueprint.flatMap((line, i) => {
    const pointer = `/blueprint/${i}`;
    if ((line.share === undefined) === (line.count === undefined))
      return [{ pointer, code: 'share_or_count', detail: 'must have either `share` or `count`' }];
    const first = firstIndexes.getOrInsert(toKey(line), i);
    if (first === i) return [];
    return [{ pointer, code: 'repeated', detail: `is about the same questions as /blueprint/${first}` }];
  });
}

/** Rescales shares that sum to more than 1. `shareSum` is their sum before, or 1 if they fit. */
export function normalizeShares(blueprint: readonly BlueprintLine[]): {
  lines: readonly BlueprintLine[];
  shareSum: number;
} {
  const shareSum = sumShares(blueprint);
  if (shareSum <= 1 + SHARE_TOLERANCE) return { lines: blueprint, shareSum: 1 };
  const lines = blueprint.map((line) =>
    line.share === undefined ? line : { ...line, share: line.share / shareSum },
  );
  return { lines, shareSum };
}

/** Categories that the blueprint names and no question is in, possibly misspelt. */
export function listUnknownCategories(
  lines: readonly BlueprintLine[],
  isKnown: (key: string) => boolean,
): string[] {
  const names = new Map(lines.map(({ category }) => [foldName(category), category]));
  return [...names].filter(([key]) => !isKnown(key)).map(([, name]) => name);
}

const sumShares = (lines: readonly BlueprintLine[]) => lines.reduce((sum, { share = 0 }) => sum + share, 0);

/**
 * Finds the most specific line for a question by its folded names. A topic is more specific than a
 * difficulty. −1 if no line matches.
 */
export function createLineFinder(lines: readonly BlueprintLine[]) {
  const categories = new Set(lines.map(({ category }) => foldName(category)));
  const indexes = new Map(lines.map((line, i) => [toKey(line), i]));
  return (category: string, difficulty: number, topic: string | null): number => {
    if (!categories.has(category)) return -1;
    const byTopic =
      topic !== null &&
      (indexes.get(buildKey(category, difficulty, topic)) ?? indexes.get(buildKey(category, null, topic)));
    if (typeof byTopic === 'number') return byTopic;
    return (
      indexes.get(buildKey(category, difficulty, null)) ?? indexes.get(buildKey(category, null, null)) ?? -1
    );
  };
}

/**
 * Compares the bank with the blueprint. `observed` is by line. If all lines are shares, the
 * questions that match no line are one more class of the comparison.
 */
export function compareWithBlueprint(
  lines: readonly BlueprintLine[],
  observed: readonly number[],
  total: number,
) {
  const wanted = computeWantedCounts(lines, total);
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
  if (hasOnlyShares(lines)) {
    counts.push(outside);
    weights.push(computeUnallocatedShare(lines) * total);
  }
  return {
    lines: rows,
    missing: rows.reduce((sum, row) => sum + row.missing, 0),
    surplus: rows.reduce((sum, row) => sum + row.surplus, 0),
    outside,
    dissimilarity: computeDissimilarity(counts, weights),
    ...goodnessOfFit(counts, weights),
  };
}

/** Shares refer to the whole bank, counts only to their own lines. */
const hasOnlyShares = (lines: readonly BlueprintLine[]) => lines.every(({ share }) => share !== undefined);

/** The share of the bank that a blueprint of shares leaves to questions that match no line. */
function computeUnallocatedShare(lines: readonly BlueprintLine[]): number {
  const unallocated = 1 - sumShares(lines);
  return unallocated > SHARE_TOLERANCE ? unallocated : 0;
}

/** Whether the lines allocate the whole bank, so that a question that matches none is surplus. */
export const isExhaustive = (lines: readonly BlueprintLine[]) =>
  lines.length > 0 && hasOnlyShares(lines) && computeUnallocatedShare(lines) === 0;

/** Rounds shares by the largest remainder method (Hamilton), which preserves their sum. */
function computeWantedCounts(lines: readonly BlueprintLine[], total: number): number[] {
  const exact = lines.map(({ share = 0 }) => share * total);
  const rounded = exact.map(Math.floor);
  const remaining = Math.round(sumShares(lines) * total) - rounded.reduce((sum, value) => sum + value, 0);
  const byRemainder = [...exact.keys()].sort(
    (a, b) => exact[b]! - rounded[b]! - (exact[a]! - rounded[a]!) || a - b,
  );
  for (const i of byRemainder.slice(0, remaining)) rounded[i]!++;
  return lines.map(({ count }, i) => count ?? rounded[i]!);
}

/**
 * Index of dissimilarity (Duncan & Duncan, 1955): the share of questions that would have to be in
 * another class for the two distributions to agree.
 */
function computeDissimilarity(counts: readonly number[], weights: readonly number[]): number | null {
  const total = counts.reduce((sum, value) => sum + value, 0);
  const weight = weights.reduce((sum, value) => sum + value, 0);
  if (total === 0 || weight === 0) return null;
  return counts.reduce((sum, value, i) => sum + Math.abs(value / total - weights[i]! / weight), 0) / 2;
}
