/**
 * Which slots a filter selects, in memory. Blocks that were read once are kept with the epoch they were read in; later
 * only blocks changed since are read. A stamp, (epoch, rows in the log), names a state of the index exactly: a page that
 * was chosen from memory and fetched under the same stamp is the page of that state, so that at rest a list costs
 * one statement. See postings.ts for what is stored.
 */
import type { Db } from '../db.ts';
import { type Marks, type Order, pendingMarks, sets } from './postings.ts';
import { type Block, changed, SlotSet } from './slots.ts';

export interface Stamp {
  epoch: number;
  pending: number;
}

/** The stamp as a subquery with one row, for a statement to carry along. */
export const STAMP = '(SELECT epoch, (SELECT count(*) FROM postings_log) AS pending FROM bank_state)';

export async function readStamp(db: Db): Promise<Stamp> {
  return (await db.get<Stamp>(`SELECT * FROM ${STAMP} s`))!;
}

export const sameStamp = (a: Stamp, b: Stamp) => a.epoch === b.epoch && a.pending === b.pending;

/** What is remembered of one set: its blocks as of an epoch. */
interface Remembered {
  epoch: number;
  blocks: Map<number, Block>;
}

/** What an entry takes even if nothing is in it. */
const ENTRY = 500;

/** What a process keeps of the index, to a number of bytes; what was unused for longest goes first. */
export class LruCache {
  readonly #entries = new Map<string, { value: unknown; bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(mostBytes = 64 * 1024 * 1024) {
    this.#maxBytes = mostBytes;
  }

  get<V>(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value as V;
  }

  set(key: string, value: unknown, weight: number): void {
    const bytes = weight + 2 * key.length + ENTRY;
    this.#bytes += bytes - (this.#entries.get(key)?.bytes ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { value, bytes });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}

interface Selection {
  stamp: Stamp;
  slots: SlotSet;
}

const resultKey = (order: Order, facets: string[]) => `${order}: ${facets.join(' & ')}`;

/** The selection as it was when it was last worked out; whoever uses it checks the stamp. */
export function recallSelection(db: Db, order: Order, facets: string[]): Selection | undefined {
  return db.cache.get<Selection>(resultKey(order, facets));
}

/** The slots that stand in every one of the facets. Call it within a snapshot that the stamp was read in. */
export async function select(db: Db, stamp: Stamp, order: Order, facets: string[]): Promise<SlotSet> {
  const known = recallSelection(db, order, facets);
  if (known && sameStamp(known.stamp, stamp)) return known.slots;
  const names = facets.flatMap((facet) => Object.values(sets).map((nameOf) => nameOf(facet)));
  const pending = stamp.pending > 0 ? await pendingMarks(db, names) : undefined;
  const parts: SlotSet[] = [];
  for (const facet of facets) {
    const created = await readSet(db, stamp, sets.created(facet), pending);
    if (order === 'created') {
      parts.push(created);
    } else {
      const stayed = SlotSet.difference(created, await readSet(db, stamp, sets.left(facet), pending));
      parts.push(SlotSet.union(stayed, await readSet(db, stamp, sets.moved(facet), pending)));
    }
  }
  const slots = SlotSet.intersection(parts);
  db.cache.set(resultKey(order, facets), { stamp, slots }, slots.bytes);
  return slots;
}

/** One set as the blocks and the log have it. */
export async function readSet(db: Db, stamp: Stamp, set: string, pending?: Marks): Promise<SlotSet> {
  const blocks = new Map(await blocksOf(db, stamp, set));
  for (const change of pending?.changes() ?? []) {
    if (change.set !== set) continue;
    const old = blocks.get(change.block) ?? { block: change.block, n: 0, members: new Uint8Array() };
    blocks.set(change.block, changed(old, change.added, change.removed));
  }
  return new SlotSet([...blocks.values()].filter(({ n }) => n > 0).sort((a, b) => a.block - b.block));
}

async function blocksOf(db: Db, stamp: Stamp, set: string): Promise<Map<number, Block>> {
  const known = db.cache.get<Remembered>(set) ?? { epoch: -1, blocks: new Map<number, Block>() };
  // A snapshot that began earlier than the one remembered must not see what came after it.
  if (known.epoch > stamp.epoch) return readBlocks(db, set, -1, new Map());
  if (known.epoch === stamp.epoch) return known.blocks;
  const blocks = await readBlocks(db, set, known.epoch, known.blocks);
  const bytes = [...blocks.values()].reduce((sum, { members }) => sum + members.length + 100, 0);
  db.cache.set(set, { epoch: stamp.epoch, blocks }, bytes);
  return blocks;
}

async function readBlocks(db: Db, set: string, since: number, known: Map<number, Block>) {
  const blocks = new Map(known);
  for (const each of await db.all<Block>(
    'SELECT block, n, members FROM postings WHERE facet = $1 AND epoch > $2',
    set,
    since,
  )) {
    blocks.set(each.block, each);
  }
  return blocks;
}
