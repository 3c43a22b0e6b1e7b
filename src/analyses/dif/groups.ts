/** Selects the reference and the focal group. */
import { quote } from '../shared/format.ts';
import type { Scores } from '../shared/responses.ts';

/** The side of a case. */
export const REFERENCE = 0;
export const FOCAL = 1;
/** The case is not part of the comparison. */
export const NEITHER = 2;

interface Group {
  /** The index into the group names of the responses. */
  index: number;
  name: string;
  cases: number;
}

/** The groups named by the parameters; null if not set. */
interface NamedGroups {
  focal: string | null;
  reference: string | null;
}

export interface GroupSelection {
  /** All groups with a case, by descending size. */
  groups: Group[];
  casesWithoutGroup: number;
  pair: { reference: Group; focal: Group } | null;
  /** Why there is no pair. */
  reason: string | null;
}

/**
 * Counts the cases with a score by group, and selects the named groups or else the largest ones.
 */
export function selectGroups(
  scores: Scores,
  groups: Int32Array,
  names: readonly string[],
  named: NamedGroups,
): GroupSelection {
  const cases = new Uint32Array(names.length);
  let casesWithoutGroup = 0;
  for (let c = 0; c < scores.cases; c++) {
    if (scores.starts[c] === scores.starts[c + 1]) continue;
    if (groups[c]! < 0) casesWithoutGroup++;
    else cases[groups[c]!]!++;
  }
  const bySize = names
    .map((name, index) => ({ index, name, cases: cases[index]! }))
    .filter((group) => group.cases > 0)
    .sort((a, b) => b.cases - a.cases || (a.name < b.name ? -1 : 1));
  return { groups: bySize, casesWithoutGroup, ...selectPair(bySize, named) };
}

function selectPair(
  groups: readonly Group[],
  { focal, reference }: NamedGroups,
): Pick<GroupSelection, 'pair' | 'reason'> {
  const missing = [reference, focal].find(
    (name) => name !== null && groups.every((group) => group.name !== name),
  );
  if (missing !== undefined && missing !== null) {
    const reason = `No case with responses to these questions is in the group ${quote(missing)}.`;
    return { pair: null, reason };
  }
  if (groups.length < 2) {
    const reason =
      groups.length === 0
        ? 'No case with responses to these questions has a group.'
        : `All cases with a group are in ${quote(groups[0]!.name)}; two groups are needed.`;
    return { pair: null, reason };
  }
  const find = (name: string | null) => groups.find((group) => group.name === name);
  const first = find(reference) ?? groups.find((group) => group.name !== focal)!;
  const second = find(focal) ?? groups.find((group) => group !== first)!;
  return { pair: { reference: first, focal: second }, reason: null };
}

/** REFERENCE, FOCAL or NEITHER, by case. */
export function assignSides(
  scores: Scores,
  groups: Int32Array,
  { reference, focal }: NonNullable<GroupSelection['pair']>,
): Uint8Array {
  const sides = new Uint8Array(scores.cases).fill(NEITHER);
  for (let c = 0; c < scores.cases; c++) {
    if (scores.starts[c] === scores.starts[c + 1]) continue;
    if (groups[c] === reference.index) sides[c] = REFERENCE;
    else if (groups[c] === focal.index) sides[c] = FOCAL;
  }
  return sides;
}
