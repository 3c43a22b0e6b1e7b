/** What can be calibrated: the questions that somebody answered rightly and somebody wrongly, and the answers to them. */
import type { Scores } from '../shared/responses.ts';

export interface Sample {
  /** By question of the run: how many answers count, and how many of them are right. */
  n: Uint32Array;
  right: Uint32Array;
  /** The questions that can be calibrated, by their place in the run; and for every question its place among those, or −1. */
  questions: Uint32Array;
  place: Int32Array;
  /** The answers to these questions alone. All cases are there, some without any answer. */
  scores: Scores;
  cases_used: number;
  /** Into how many parts the data falls that share neither a case nor a question. */
  parts: number;
}

/** Answers between two looks at whether the run is still wanted. */
const AT_ONCE = 1 << 22;

export async function sampleOf(all: Scores, leastEach: number, rest: () => Promise<void>): Promise<Sample> {
  const n = new Uint32Array(all.items);
  const right = new Uint32Array(all.items);
  for (let i = 0; i < all.item.length; i++) {
    if (i % AT_ONCE === 0) await rest();
    n[all.item[i]!]!++;
    right[all.item[i]!]! += all.right[i]!;
  }
  const place = new Int32Array(all.items).fill(-1);
  const kept: number[] = [];
  for (let j = 0; j < all.items; j++)
    if (Math.min(right[j]!, n[j]! - right[j]!) >= leastEach) place[j] = kept.push(j) - 1;
  const scores = kept.length === all.items ? all : restricted(all, place, kept.length);
  await rest();
  let cases_used = 0;
  for (let c = 0; c < scores.cases; c++) if (scores.starts[c + 1]! > scores.starts[c]!) cases_used++;
  return {
    n,
    right,
    questions: Uint32Array.from(kept),
    place,
    scores,
    cases_used,
    parts: await partsOf(scores, rest),
  };
}

function restricted(all: Scores, place: Int32Array, items: number): Scores {
  const starts = new Uint32Array(all.cases + 1);
  const item = new Uint32Array(all.item.length);
  const right = new Uint8Array(all.item.length);
  let n = 0;
  for (let c = 0; c < all.cases; c++) {
    for (let i = all.starts[c]!; i < all.starts[c + 1]!; i++) {
      const j = place[all.item[i]!]!;
      if (j < 0) continue;
      item[n] = j;
      right[n++] = all.right[i]!;
    }
    starts[c + 1] = n;
  }
  return { cases: all.cases, items, starts, item: item.subarray(0, n), right: right.subarray(0, n) };
}

/** Questions that one case answered belong together, and so do all that hang together through others. */
async function partsOf({ cases, items, starts, item }: Scores, rest: () => Promise<void>): Promise<number> {
  const parent = Uint32Array.from({ length: items }, (_, j) => j);
  const rootOf = (j: number) => {
    let root = j;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]!]!;
      root = parent[root]!;
    }
    return root;
  };
  let parts = items;
  let seen = 0;
  // Once all hangs together, no further case can change that.
  for (let c = 0; c < cases && parts > 1; c++) {
    if (starts[c + 1]! - seen > AT_ONCE) {
      seen = starts[c]!;
      await rest();
    }
    for (let i = starts[c]! + 1; i < starts[c + 1]!; i++) {
      const [a, b] = [rootOf(item[i - 1]!), rootOf(item[i]!)];
      if (a === b) continue;
      parent[b] = a;
      parts--;
    }
  }
  return parts;
}
