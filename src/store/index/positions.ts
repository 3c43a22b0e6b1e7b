/**
 * Selects slots by facets, from cached blocks. A block is cached with the epoch it was read in;
 * later only blocks that have changed since are read. A stamp, (epoch, rows in the log), identifies
 * a state of the index: a page chosen from the cache and fetched under the same stamp is the page
 * of that state, so that a list costs one statement while nothing is written. See postings.ts for
 * what is stored.
 */
import type { Db } from '../db.ts';
import type { Marks } from './marks.ts';
import { readPendingMarks, requireSoundBlock, type SetOrder, sets } from './postings.ts';
import { type Block, changeBlock, SlotSet } from './slots.ts';

export interface Stamp {
  epoch: number;
  pending: number;
}

/** The stamp as a subquery with one row, to be read by the statement that fetches a page. */
export const STAMP = '(SELECT epoch, (SELECT count(*) FROM postings_log) AS pending FROM bank_state)';

export async function readStamp(db: Db): Promise<Stamp> {
  return (await db.get<Stamp>(`SELECT * FROM ${STAMP} s`))!;
}

export const sameStamp = (a: Stamp, b: Stamp) => a.epoch === b.epoch && a.pending === b.pending;

/** A cached set: its blocks as of an epoch. */
interface CachedSet {
  epoch: number;
  blocks: Map<number, Block>;
}

interface Selection {
  stamp: Stamp;
  slots: SlotSet;
}

/** Selects what is in one facet of each choice, and in no facet of `none`. */
export interface Selector {
  /** Not empty, and no choice is. */
  all: string[][];
  none: string[];
}

const toKey = (order: SetOrder, { all, none }: Selector) =>
  `${order}: ${all.map((choice) => choice.join(' | ')).join(' & ')}${none.map((facet) => ` ! ${facet}`).join('')}`;

/** The selection as it was last computed. The caller compares its stamp. */
export function findCachedSelection(db: Db, order: SetOrder, selector: Selector): Selection | undefined {
  return db.cache.get<Selection>(toKey(order, selector));
}

/** Selects slots. Runs within the snapshot that the stamp was read in. */
export async function select(db: Db, stamp: Stamp, order: SetOrder, selector: Selector): Promise<SlotSet> {
  const known = findCachedSelection(db, order, selector);
  if (known && sameStamp(known.stamp, stamp)) return known.slots;
  const facets = [...selector.all.flat(), ...selector.none];
  const names = facets.flatMap((facet) => Object.values(sets).map((toName) => toName(facet)));
  const pending = stamp.pending > 0 ? await readPendingMarks(db, names) : undefined;
  const read = (facet: string) => readFacet(db, stamp, order, facet, pending);
  const choices: SlotSet[] = [];
  for (const choice of selector.all) choices.push(await unite(choice, read));
  const slots = SlotSet.difference(SlotSet.intersection(choices), await unite(selector.none, read));
  db.cache.set(toKey(order, selector), { stamp, slots }, slots.bytes);
  return slots;
}

async function unite(facets: string[], read: (facet: string) => Promise<SlotSet>): Promise<SlotSet> {
  let slots: SlotSet | undefined;
  for (const facet of facets) {
    const each = await read(facet);
    slots = slots ? SlotSet.union(slots, each) : each;
  }
  return slots ?? new SlotSet([]);
}

/** Reads the slots of a facet in an order. */
async function readFacet(
  db: Db,
  stamp: Stamp,
  order: SetOrder,
  facet: string,
  pending: Marks | undefined,
): Promise<SlotSet> {
  if (order !== 'updated') return readSet(db, stamp, sets[order](facet), pending);
  const created = await readSet(db, stamp, sets.created(facet), pending);
  const stayed = SlotSet.difference(created, await readSet(db, stamp, sets.left(facet), pending));
  return SlotSet.union(stayed, await readSet(db, stamp, sets.moved(facet), pending));
}

/** Reads one set from the blocks and the log. */
export async function readSet(db: Db, stamp: Stamp, set: string, pending?: Marks): Promise<SlotSet> {
  const blocks = new Map(await readCachedBlocks(db, stamp, set));
  for (const change of pending?.changes() ?? []) {
    if (change.set !== set) continue;
    const old = blocks.get(change.block) ?? { block: change.block, n: 0, members: new Uint8Array() };
    blocks.set(change.block, changeBlock(old, change.added, change.removed));
  }
  return new SlotSet([...blocks.values()].filter(({ n }) => n > 0).sort((a, b) => a.block - b.block));
}

async function readCachedBlocks(db: Db, stamp: Stamp, set: string): Promise<Map<number, Block>> {
  const known = db.cache.get<CachedSet>(set) ?? { epoch: -1, blocks: new Map<number, Block>() };
  // A snapshot that began before the cached epoch must not see later changes.
  if (known.epoch > stamp.epoch) return readBlocks(db, set, -1, new Map());
  if (known.epoch === stamp.epoch) return known.blocks;
  const blocks = await readBlocks(db, set, known.epoch, known.blocks);
  const { bytes } = new SlotSet([...blocks.values()]);
  db.cache.set(set, { epoch: stamp.epoch, blocks }, bytes);
  return blocks;
}

async function readBlocks(db: Db, set: string, since: number, known: Map<number, Block>) {
  const blocks = new Map(known);
  for (const row of await db.all<Block & { checksum: number | null }>(
    'SELECT block, n, members, checksum FROM postings WHERE facet = $1 AND epoch > $2',
    set,
    since,
  )) {
    requireSoundBlock(set, row);
    blocks.set(row.block, row);
  }
  return blocks;
}
