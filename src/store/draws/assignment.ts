/**
 * Assigns candidates to quotas: a question counts for one quota, and of each cluster of duplicates
 * at most one is taken. This is a maximum flow from quotas to clusters, by augmenting paths (Ford
 * and Fulkerson, 1956), so that all quotas are met if any draw meets them.
 */

/** A question that a quota may take. */
export interface Candidate {
  slot: number;
  /** Questions with the same key are not drawn together. */
  key: number;
}

export interface QuotaCandidates {
  asked: number;
  /** With distinct keys, the preferred ones first. */
  candidates: Candidate[];
}

/** The slots that each quota takes. No larger total is possible. */
export function assign(quotas: readonly QuotaCandidates[]): number[][] {
  const owners = new Map<number, { quota: number; slot: number }>();
  const assigned = quotas.map(() => 0);
  const firstFree = quotas.map(() => 0);
  /** The next candidate that no quota owns. One that is owned stays owned. */
  const findFree = (quota: number): Candidate | undefined => {
    const { candidates } = quotas[quota]!;
    while (firstFree[quota]! < candidates.length && owners.has(candidates[firstFree[quota]!]!.key))
      firstFree[quota]!++;
    return candidates[firstFree[quota]!];
  };
  for (const [quota, { asked }] of quotas.entries())
    while (assigned[quota]! < asked && augment(quotas, owners, quota, findFree)) assigned[quota]!++;
  return quotas.map(({ candidates }, quota) =>
    candidates.flatMap(({ key, slot }) => {
      const owner = owners.get(key);
      return owner?.quota === quota && owner.slot === slot ? [slot] : [];
    }),
  );
}

type Owners = Map<number, { quota: number; slot: number }>;

/**
 * Gives a quota one more question: a free one, or one of another quota that can take a free one
 * instead, directly or by a chain of quotas. Breadth-first. False if no chain exists.
 */
function augment(
  quotas: readonly QuotaCandidates[],
  owners: Owners,
  start: number,
  findFree: (quota: number) => Candidate | undefined,
): boolean {
  /** How each reached quota gives up a question: the candidate of the quota before it. */
  const takenBy = new Map<number, { by: number; candidate: Candidate } | undefined>([[start, undefined]]);
  for (const quota of takenBy.keys()) {
    const free = findFree(quota);
    if (free) {
      let taken: Candidate = free;
      for (let at: number | undefined = quota; at !== undefined; ) {
        owners.set(taken.key, { quota: at, slot: taken.slot });
        const step: { by: number; candidate: Candidate } | undefined = takenBy.get(at);
        if (step) taken = step.candidate;
        at = step?.by;
      }
      return true;
    }
    for (const candidate of quotas[quota]!.candidates) {
      const owner = owners.get(candidate.key)!.quota;
      if (!takenBy.has(owner)) takenBy.set(owner, { by: quota, candidate });
    }
  }
  return false;
}
