/** Selects the questions that can be calibrated, those with right and wrong responses, as items. */
import type { Ticker } from '../../concurrency/ticker.ts';
import type { Scores } from '../shared/responses.ts';

export interface Sample {
  /** By question of the run: numbers of scored and of right responses. */
  n: Uint32Array;
  right: Uint32Array;
  /** By item: its question. */
  questions: Uint32Array;
  /** By question: its item, or −1 if it is not calibrated. */
  itemOf: Int32Array;
  /** Scores of the items. All cases are included, also those without scores. */
  scores: Scores;
  cases_used: number;
  /** Connected components of the bipartite graph of cases and items. */
  components: number;
}

const RESPONSES_PER_TICK = 1 << 16;

export async function selectSample(all: Scores, minPerOutcome: number, ticker: Ticker): Promise<Sample> {
  const n = new Uint32Array(all.items);
  const right = new Uint32Array(all.items);
  for (let i = 0; i < all.item.length; i++) {
    if (i % RESPONSES_PER_TICK === 0) await ticker.yield();
    n[all.item[i]!]!++;
    right[all.item[i]!]! += all.right[i]!;
  }
  const itemOf = new Int32Array(all.items).fill(-1);
  const kept: number[] = [];
  for (let j = 0; j < all.items; j++)
    if (Math.min(right[j]!, n[j]! - right[j]!) >= minPerOutcome) itemOf[j] = kept.push(j) - 1;
  const scores = kept.length === all.items ? all : restrictScores(all, itemOf, kept.length);
  await ticker.yield();
  let cases_used = 0;
  for (let c = 0; c < scores.cases; c++) if (scores.starts[c + 1]! > scores.starts[c]!) cases_used++;
  return {
    n,
    right,
    questions: Uint32Array.from(kept),
    itemOf,
    scores,
    cases_used,
    components: await countComponents(scores, ticker),
  };
}

function restrictScores(all: Scores, itemOf: Int32Array, items: number): Scores {
  const starts = new Uint32Array(all.cases + 1);
  const item = new Uint32Array(all.item.length);
  const right = new Uint8Array(all.item.length);
  let n = 0;
  for (let c = 0; c < all.cases; c++) {
    for (let i = all.starts[c]!; i < all.starts[c + 1]!; i++) {
      const j = itemOf[all.item[i]!]!;
      if (j < 0) continue;
      item[n] = j;
      right[n++] = all.right[i]!;
    }
    starts[c + 1] = n;
  }
  return { cases: all.cases, items, starts, item: item.subarray(0, n), right: right.subarray(0, n) };
}

/** Union-find over items: two items with responses of the same case are connected. */
async function countComponents({ cases, items, starts, item }: Scores, ticker: Ticker): Promise<number> {
  const parent = Uint32Array.from({ length: items }, (_, j) => j);
  const findRoot = (j: number) => {
    let root = j;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]!]!;
      root = parent[root]!;
    }
    return root;
  };
  let components = items;
  for (let c = 0; c < cases && components > 1; c++) {
    if (ticker.due()) await ticker.yield();
    for (let i = starts[c]! + 1; i < starts[c + 1]!; i++) {
      const [a, b] = [findRoot(item[i - 1]!), findRoot(item[i]!)];
      if (a === b) continue;
      parent[b] = a;
      components--;
    }
  }
  return components;
}
