/**
 * Checks that concurrent accesses to a register are linearizable. Its versions are numbered in the
 * order of the writes, and each access is a point in time between its start and its end at which the
 * register had one version. A history is linearizable exactly if no access sees a lower version than
 * one that ended before it started (and a write a higher one), which takes one pass per direction.
 */

export interface Access {
  /** Milliseconds on the clock of the clients. */
  start: number;
  end: number;
  writes: boolean;
  /** The version that the answer names; undefined if it names none. */
  version?: number | undefined;
  /** Whether a version explains the answer, if it names none. */
  accepts?(version: number): boolean;
  /** For messages. */
  label: string;
}

export interface Range {
  low: number;
  high: number;
}

/** Computes the versions that the register may have had during some access. */
export class VersionBounds {
  /** By end: the highest version of the accesses up to here. */
  readonly #ends: { end: number; low: number }[] = [];
  /** By start: the version that the register had not passed before the accesses from here on. */
  readonly #starts: { start: number; high: number }[] = [];
  readonly #last: number;

  constructor(accesses: readonly Access[], last: number) {
    this.#last = last;
    const known = accesses.filter(({ version }) => version !== undefined);
    let low = 0;
    for (const { end, version } of known.toSorted((a, b) => a.end - b.end)) {
      low = Math.max(low, version!);
      this.#ends.push({ end, low });
    }
    let high = last;
    for (const { start, version, writes } of known.toSorted((a, b) => b.start - a.start)) {
      high = Math.min(high, writes ? version! - 1 : version!);
      this.#starts.push({ start, high });
    }
    this.#starts.reverse();
  }

  find({ start, end }: { start: number; end: number }): Range {
    const before = findLast(this.#ends, (each) => each.end < start);
    const after = this.#starts[countWhile(this.#starts, (each) => each.start <= end)];
    return { low: before?.low ?? 0, high: after?.high ?? this.#last };
  }
}

/** Finds accesses that no order explains. `last` is the number of the last version. */
export function findAnomalies(accesses: readonly Access[], last: number): string[] {
  const bounds = new VersionBounds(accesses, last);
  const anomalies: string[] = [];
  for (const access of accesses) {
    const { label, version, writes, accepts } = access;
    const { low, high } = bounds.find(access);
    if (version !== undefined) {
      if (version < low || (writes && version === low) || version > last)
        anomalies.push(
          `${label} is version ${version}, but version ${low} of ${last} was seen before it began`,
        );
    } else if (accepts && !range(low, high).some(accepts)) {
      anomalies.push(`${label} is explained by none of the versions ${low} to ${high}`);
    }
  }
  return anomalies;
}

/**
 * Assigns versions to writes whose answers name none. Returns false if there is no assignment: each
 * version is given to the write that may not take a later one.
 */
export function assignVersions(
  writes: Access[],
  versions: number[],
  others: Access[],
  last: number,
): boolean {
  const bounds = new VersionBounds(others, last);
  const open = writes.map((access) => ({ access, ...bounds.find(access) }));
  for (const version of versions.toSorted((a, b) => a - b)) {
    const possible = open.filter(
      ({ access, low, high }) => access.version === undefined && low < version && version <= high,
    );
    const first = possible.toSorted((a, b) => a.high - b.high || a.access.end - b.access.end)[0];
    if (!first) return false;
    first.access.version = version;
  }
  return writes.every(({ version }) => version !== undefined);
}

const range = (low: number, high: number) =>
  Array.from({ length: Math.max(0, high - low + 1) }, (_, i) => low + i);

/** Binary search: the number of leading elements for which the condition holds. */
function countWhile<T>(list: readonly T[], holds: (element: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const findLast = <T>(list: readonly T[], holds: (element: T) => boolean): T | undefined =>
  list[countWhile(list, holds) - 1];
