/**
 * Finds the largest of many sets within a selection of slots. The totals of sets that are named by
 * a digest are bounds: sets are examined in the order of their totals, until no other can be among
 * the largest. Totals and sets are cached with the epoch they were read in, and only those that have
 * changed are read again. Most sets are small: they are cached as plain lists of slots.
 */
import type { Db } from '../db.ts';
import type { Marks } from './marks.ts';
import { readSet, type Stamp } from './positions.ts';
import { readPendingRange, requireSoundBlock } from './postings.ts';
import type { SlotCounter } from './slot-counter.ts';
import { type Block, SlotSet } from './slots.ts';

/** Sets that are read by one statement. */
const BATCH_SETS = 200;
/** A set with fewer members per block is a list. */
const MIN_BLOCK_MEMBERS = 64;
const MAX_LISTED_SLOT = 2 ** 32 - 1;
/** The size of an entry of the maps below in memory. */
const ENTRY_BYTES = 150;

type Members = SlotSet | Uint32Array;

interface Family {
  epoch: number;
  totals: Map<string, number>;
  members: Map<string, Members>;
}

/** The sets whose names begin with a letter: of questions, or of deleted ones. */
export interface FamilyName {
  letter: string;
  deleted: boolean;
}

export interface CountedSet {
  name: string;
  count: number;
  /** A slot in the set and in the selection. */
  slot: number;
}

/** The `limit` largest sets within the selection, the largest first. Runs within a snapshot. */
export async function findLargest(
  db: Db,
  stamp: Stamp,
  family: FamilyName,
  selection: SlotCounter,
  limit: number,
): Promise<CountedSet[]> {
  const reader = await openFamily(db, stamp, family);
  const candidates = [...reader.totals]
    .filter(([, total]) => total > 0)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  let best: { name: string; count: number }[] = [];
  for (let i = 0; i < candidates.length; i += BATCH_SETS) {
    const bound = best.length < limit ? 0 : best.at(-1)!.count;
    const batch = candidates.slice(i, i + BATCH_SETS).filter(([, total]) => total > bound);
    if (batch.length === 0) break;
    const names = batch.map(([name]) => name);
    const members = await reader.read(names);
    const counted = names.map((name) => ({ name, count: count(selection, members.get(name)!) }));
    // The sort is stable: of equal counts, those of larger sets come first.
    best = [...best, ...counted.filter(({ count }) => count > 0)]
      .sort((a, b) => b.count - a.count)
      .slice(0, limit);
  }
  const members = await reader.read(best.map(({ name }) => name));
  reader.store();
  return best.map((each) => ({ ...each, slot: findFirst(selection, members.get(each.name)!) }));
}

const count = (selection: SlotCounter, members: Members): number =>
  members instanceof SlotSet ? selection.count(members) : selection.countSlots(members);

/** The first slot of a set in the selection, of which there is at least one. */
function findFirst(selection: SlotCounter, members: Members): number {
  if (!(members instanceof SlotSet)) return members.find((slot) => selection.has(slot))!;
  const lists = members.blocks.values().map((block) => new SlotSet([block]).slice(0, block.n));
  return lists.map((slots) => slots.find((slot) => selection.has(slot))).find((slot) => slot !== undefined)!;
}

interface FamilyReader {
  totals: Map<string, number>;
  read(names: string[]): Promise<Map<string, Members>>;
  /** Caches what was read. */
  store(): void;
}

async function openFamily(db: Db, stamp: Stamp, family: FamilyName): Promise<FamilyReader> {
  const key = `sets: ${family.letter} ${family.deleted}`;
  const cached = db.cache.get<Family>(key);
  // A snapshot that began before the cached epoch must not see later changes.
  const known = cached && cached.epoch <= stamp.epoch ? cached : undefined;
  const state = known?.epoch === stamp.epoch ? known : await refresh(db, stamp, family, known);
  const pending = stamp.pending > 0 ? await readPending(db, family) : undefined;
  const totals = pending ? new Map(state.totals) : state.totals;
  for (const { set, added, removed } of pending?.changes() ?? [])
    totals.set(set, (totals.get(set) ?? 0) + added.length - removed.length);
  const changed = new Set(pending?.changes().map(({ set }) => set));
  return {
    totals,
    read: async (names) => {
      const missing = names.filter((name) => !state.members.has(name) && !changed.has(name));
      for (let i = 0; i < missing.length; i += BATCH_SETS)
        await readMembers(db, missing.slice(i, i + BATCH_SETS), state.members);
      const members = new Map(names.map((name) => [name, state.members.get(name)!]));
      for (const name of names)
        if (changed.has(name)) members.set(name, await readSet(db, stamp, name, pending));
      return members;
    },
    store: () => {
      if (!cached || cached.epoch <= state.epoch) db.cache.set(key, state, measure(state));
    },
  };
}

function measure({ totals, members }: Family): number {
  let bytes = ENTRY_BYTES * (totals.size + members.size);
  for (const each of members.values()) bytes += each instanceof SlotSet ? each.bytes : each.byteLength;
  return bytes;
}

/** The range of names that begin with the letter. */
const toRange = ({ letter }: FamilyName): [from: string, to: string] => [
  letter,
  String.fromCharCode(letter.charCodeAt(0) + 1),
];

async function refresh(db: Db, stamp: Stamp, family: FamilyName, known?: Family): Promise<Family> {
  const rows = await db.all<{ facet: string; n: number }>(
    `SELECT facet, n FROM facet_totals WHERE facet >= $1 AND facet < $2 AND epoch > $3
       AND facet ${family.deleted ? '' : 'NOT'} LIKE '%/deleted'`,
    ...toRange(family),
    known?.epoch ?? -1,
  );
  const totals = new Map(known?.totals);
  const members = new Map(known?.members);
  for (const { facet, n } of rows) {
    totals.set(facet, n);
    members.delete(facet);
  }
  return { epoch: stamp.epoch, totals, members };
}

async function readPending(db: Db, family: FamilyName): Promise<Marks> {
  return readPendingRange(db, ...toRange(family), (set) =>
    family.deleted ? set.endsWith('/deleted') : !set.includes('/'),
  );
}

async function readMembers(db: Db, names: string[], into: Map<string, Members>): Promise<void> {
  const rows = await db.all<Block & { facet: string; checksum: number | null }>(
    `SELECT facet, block, n, members, checksum FROM postings
     WHERE facet IN ${db.dialect.values('$1', 'text')} AND n > 0 ORDER BY facet, block`,
    JSON.stringify(names),
  );
  const blocks = new Map<string, Block[]>(names.map((name) => [name, []]));
  for (const row of rows) {
    requireSoundBlock(row.facet, row);
    blocks.get(row.facet)!.push(row);
  }
  for (const [name, list] of blocks) into.set(name, toMembers(new SlotSet(list)));
}

function toMembers(set: SlotSet): Members {
  if (set.total >= MIN_BLOCK_MEMBERS * set.blocks.length) return set;
  const slots = set.slice(0, set.total);
  return slots.at(-1)! <= MAX_LISTED_SLOT ? Uint32Array.from(slots) : set;
}
