/**
 * Selects the questions of a draw, in one snapshot. For each quota, candidates are drawn uniformly
 * and without replacement from the questions that match, by rank in the order of creation, so both
 * engines draw the same. As many candidates as the whole draw has questions are enough: a quota that
 * has them can be met whatever the others take, and one that has fewer keeps all.
 */
import type { QuestionFilter } from '../../schemas/question-filter.ts';
import { type Db, defineQuery } from '../db.ts';
import { readStamp, type Selector, type Stamp, select } from '../index/positions.ts';
import { SlotSet } from '../index/slots.ts';
import { readSelector } from '../questions/criteria.ts';
import { matchingSlots } from '../questions/listing.ts';
import { searchedSlots } from '../questions/search.ts';
import type { View, Visibility } from '../view.ts';
import { assign, type Candidate } from './assignment.ts';
import { type Clusters, readClusters } from './clusters.ts';
import { type Excluded, type Exclusion, readExcluded } from './exclusion.ts';
import { type SelectedItem, selectItems } from './items.ts';
import type { DrawnQuota, Shortage } from './row.ts';
import { SeededRandom, shuffleLazily } from './seeded-random.ts';

export interface DrawQuery {
  quotas: { filter: QuestionFilter; count: number }[];
  /** Applies to all quotas. */
  filter: QuestionFilter;
  seed: string;
  exclude: Exclusion;
  /** A run of `duplicates`. */
  apart_by: string | undefined;
  prefer: 'least_answered' | undefined;
  /** The client that draws, and what it sees. */
  client: string;
  view: View;
  visibility: Visibility;
  /** Whether the client reads the draws of others. */
  readsAll: boolean;
}

export interface DrawSelection {
  quotas: DrawnQuota[];
  shortages: Shortage[];
  /** In the order of the quotas. */
  items: SelectedItem[];
  /** The number of draws of the excluded respondent, which `storeDraw` compares. */
  drawsBefore: number | null;
}

export const selectDraw = defineQuery(
  'selectDraw',
  (db: Db, query: DrawQuery): Promise<DrawSelection> =>
    db.snapshot(async (tx) => {
      const { quotas, seed } = query;
      const excluded = await readExcluded(tx, query);
      const clusters =
        query.apart_by === undefined ? NO_CLUSTERS : await readClusters(tx, query.apart_by, query);
      const total = quotas.reduce((sum, { count }) => sum + count, 0);
      const stamp = await readStamp(tx);
      const pools: Pool[] = [];
      for (const [i, { filter, count }] of quotas.entries()) {
        const slots = await readMatching(tx, stamp, [query.filter, filter], query.view);
        const preferred = query.prefer && PREFERENCE_FACTOR * count;
        const random = new SeededRandom(`draw ${seed} ${i}`);
        const sample = { random, size: Math.max(total, preferred ?? 0) };
        const candidates = sampleCandidates(slots, sample, excluded, clusters);
        const ordered =
          preferred === undefined ? candidates : await orderByResponses(tx, candidates, preferred);
        pools.push({ slots, asked: count, candidates: ordered.slice(0, total) });
      }
      const drawn = assign(pools);
      return {
        quotas: drawn.map((slots, i) => ({ asked: quotas[i]!.count, drawn: slots.length })),
        shortages: drawn.flatMap((slots, quota) => {
          const { asked, slots: matching } = pools[quota]!;
          const short = asked - slots.length;
          return short > 0
            ? [{ quota, asked, available: countAvailable(matching, excluded, clusters), short }]
            : [];
        }),
        items: await selectItems(tx, seed, drawn.flat()),
        drawsBefore: excluded.drawsBefore,
      };
    }),
);

const NO_CLUSTERS: Clusters = new Map();

/** Candidates per question that is drawn, where the least answered are preferred. */
const PREFERENCE_FACTOR = 4;

interface Pool {
  slots: SlotSet;
  asked: number;
  candidates: Candidate[];
}

/** The slots of the approved questions that match all filters. */
async function readMatching(db: Db, stamp: Stamp, filters: QuestionFilter[], view: View): Promise<SlotSet> {
  const criteria = filters.map((filter) => ({ ...filter, visibility: 'approved' as const }));
  const selectors: Selector[] = [];
  for (const each of criteria) selectors.push(await readSelector(db, each));
  const merged = {
    all: selectors.flatMap(({ all }) => all),
    none: [...new Set(selectors.flatMap(({ none }) => none))],
  };
  const sets = [await select(db, stamp, 'created', merged)];
  for (const each of criteria) {
    if (each.q !== undefined) sets.push(await searchedSlots(db, { filter: each, view }));
    else if ([each.finding, each.external_id, each.updated_since].some((value) => value !== undefined))
      sets.push(await matchingSlots(db, each));
  }
  return SlotSet.intersection(sets);
}

/** Ranks that are looked up together. */
const BATCH_SIZE = 256;

/** Draws candidates of a quota: not excluded, and at most one of each cluster. */
function sampleCandidates(
  slots: SlotSet,
  { random, size }: { random: SeededRandom; size: number },
  { slots: excluded }: Excluded,
  clusters: Clusters,
): Candidate[] {
  const candidates = new Map<number, Candidate>();
  const shuffled = shuffleLazily(random, slots.total);
  const takeRanks = () => {
    const ranks: number[] = [];
    for (let step = shuffled.next(); !step.done; step = shuffled.next()) {
      ranks.push(step.value);
      if (ranks.length === BATCH_SIZE) break;
    }
    return ranks;
  };
  for (let taken = 0; taken < slots.total; taken += BATCH_SIZE) {
    for (const slot of slots.at(takeRanks())) {
      if (excluded.has(slot)) continue;
      const key = toKey(slot, clusters);
      candidates.getOrInsert(key, { slot, key });
      if (candidates.size === size) return [...candidates.values()];
    }
  }
  return [...candidates.values()];
}

/** Clusters have negative keys, and other questions their slots. */
function toKey(slot: number, clusters: Clusters): number {
  const cluster = clusters.get(slot);
  return cluster === undefined ? slot : -1 - cluster;
}

/** Counting more responses would take long and change little. */
const MAX_COUNTED_RESPONSES = 100;

/** Puts the least answered of the first candidates before the others. */
async function orderByResponses(db: Db, candidates: Candidate[], n: number): Promise<Candidate[]> {
  const first = candidates.slice(0, n);
  const rows = await db.all<{ slot: number; n: number }>(
    `SELECT v.value AS slot,
            (SELECT count(*) FROM (SELECT 1 FROM answered a WHERE a.question = v.value LIMIT ${MAX_COUNTED_RESPONSES}) c) AS n
     FROM ${db.dialect.values('$1', 'bigint')} v`,
    JSON.stringify(first.map(({ slot }) => slot)),
  );
  const counts = new Map(rows.map(({ slot, n: responses }) => [slot, responses]));
  // The sort is stable: candidates with as many responses stay in the order in which they were drawn.
  const ordered = first.toSorted((a, b) => counts.get(a.slot)! - counts.get(b.slot)!);
  return [...ordered, ...candidates.slice(n)];
}

/** The number of questions that a quota could take if it were the only one. */
function countAvailable(slots: SlotSet, excluded: Excluded, clusters: Clusters): number {
  const others = SlotSet.difference(slots, SlotSet.of([...excluded.slots].sort((a, b) => a - b)));
  const isAvailable = others.tester();
  const sizes = new Map<number, number>();
  for (const [slot, cluster] of clusters)
    if (isAvailable(slot)) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  return [...sizes.values()].reduce((total, size) => total - (size - 1), others.total);
}
