/** Which two groups are compared, and which cases that leaves. */
import type { Scores } from '../shared/responses.ts';

/** A case is of one of the two groups, or takes no part. */
export const REFERENCE = 0;
export const FOCAL = 1;
export const NEITHER = 2;

interface Group {
  place: number;
  name: string;
  cases: number;
}

interface Named {
  focal: string | null;
  reference: string | null;
}

export interface Choice {
  /** Every group with a case, the largest first. */
  groups: Group[];
  withoutGroup: number;
  pair: { reference: Group; focal: Group } | null;
  /** Why there is no pair, where there is none. */
  reason: string | null;
}

/**
 * Counts the cases that have a score, by group, and picks the two groups that are named or, where none is,
 * the largest.
 */
export function chooseGroups(
  scores: Scores,
  groups: Int32Array,
  names: readonly string[],
  named: Named,
): Choice {
  const cases = new Uint32Array(names.length);
  let withoutGroup = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (scores.starts[c] === scores.starts[c + 1]) continue;
    if (groups[c]! < 0) withoutGroup++;
    else cases[groups[c]!]!++;
  }
  const found = names
    .map((name, place) => ({ place, name, cases: cases[place]! }))
    .filter((group) => group.cases > 0)
    .sort((a, b) => b.cases - a.cases || (a.name < b.name ? -1 : 1));
  return { groups: found, withoutGroup, ...pairOf(found, named) };
}

function pairOf(groups: readonly Group[], { focal, reference }: Named): Pick<Choice, 'pair' | 'reason'> {
  const missing = [reference, focal].find(
    (name) => name !== null && groups.every((group) => group.name !== name),
  );
  if (missing !== undefined && missing !== null) {
    return {
      pair: null,
      reason: `Nobody with responses to these questions is in the group ${quoted(missing)}.`,
    };
  }
  if (groups.length < 2) {
    const reason =
      groups.length === 0
        ? 'No case with responses to these questions has a group: there is nothing to compare.'
        : `All cases that have a group are in ${quoted(groups[0]!.name)}: it takes two groups to compare.`;
    return { pair: null, reason };
  }
  const named = (name: string | null) => groups.find((group) => group.name === name);
  const first = named(reference) ?? groups.find((group) => group.name !== focal)!;
  const second = named(focal) ?? groups.find((group) => group !== first)!;
  return { pair: { reference: first, focal: second }, reason: null };
}

/** REFERENCE, FOCAL or NEITHER for each case. */
export function sidesOf(
  scores: Scores,
  groups: Int32Array,
  { reference, focal }: NonNullable<Choice['pair']>,
): Uint8Array {
  const sides = new Uint8Array(scores.cases).fill(NEITHER);
  for (let c = 0; c < scores.cases; c++) {
    if (scores.starts[c] === scores.starts[c + 1]) continue;
    if (groups[c] === reference.place) sides[c] = REFERENCE;
    else if (groups[c] === focal.place) sides[c] = FOCAL;
  }
  return sides;
}

export const quoted = (name: string) => `“${name}”`;
