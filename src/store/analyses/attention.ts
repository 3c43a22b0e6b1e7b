/**
 * What needs attention, as one ranked list: the questions of several sources, and the empty cells
 * of the latest coverage of the whole bank.
 *
 * A source gives a set of questions and a weight, a power of two. The rank of a question is the sum
 * of the weights of its sources, so a source outranks all lighter ones together. Questions of the
 * same rank are in order of creation. Only the rows of the page are read.
 */
import { type Db, defineQuery } from '../db.ts';
import { listFindingSets } from '../findings/finding-sets.ts';
import { countSets, sets } from '../index/postings.ts';
import { offsetInBlock, SlotSet, toSlot } from '../index/slots.ts';
import { categoriesByKey } from '../questions/categories.ts';
import { facet } from '../questions/facets.ts';
import { matchingSlots } from '../questions/listing.ts';
import { readQuestions } from '../questions/read-questions.ts';

/** A source of questions: the findings that lead to it. */
export interface AttentionSource {
  reason: string;
  /** A power of two below 256. */
  weight: number;
  findings: { type: string; name: string }[];
}

export interface AttentionQuery {
  sources: AttentionSource[];
  /** Whether empty cells are listed, after all questions. */
  cells: boolean;
  limit: number;
  offset: number;
}

export interface AttentionItem {
  /** JSON of the question with its answers; undefined for an empty cell. */
  question?: string;
  cell?: { category: string; difficulty: number };
  /** By reason, the findings of the question. */
  reasons: { reason: string; findings: { type: string; name: string }[] }[];
}

export interface AttentionPage {
  items: AttentionItem[];
  total: number;
  /** Questions by reason, and empty cells. */
  counts: Record<string, number>;
}

export const EMPTY_CELL = 'empty_cell';

export const listAttention = defineQuery(
  'listAttention',
  async (db: Db, { sources, cells, limit, offset }: AttentionQuery): Promise<AttentionPage> =>
    db.snapshot(async (tx) => {
      const present = await matchingSlots(tx, {});
      const findings = sources.flatMap((source) => source.findings);
      const found = (await listFindingSets(tx, 'with_answers', findings)).map((set) => ({
        ...set,
        slots: SlotSet.intersection([set.slots, present]),
      }));
      const parts = sources.map((source) => ({
        ...source,
        sets: found.filter((set) =>
          source.findings.some(({ type, name }) => type === set.type && name === set.name),
        ),
      }));
      const weighed = parts.map(({ reason, weight, sets }) => ({
        reason,
        weight,
        slots: sets.reduce((all, { slots }) => SlotSet.union(all, slots), new SlotSet([])),
      }));
      const ranked = rankSlots(weighed);
      const empty = cells ? await listEmptyCells(tx) : [];
      const page = ranked.slice(offset, limit);
      const questions = new Map(
        (await readQuestions(tx, 'with_answers', page)).map(({ slot, body }) => [slot, body]),
      );
      const tests = found.map(({ type, name, slots }) => ({ type, name, has: slots.tester() }));
      const items = page.map((slot): AttentionItem => {
        const reasons = parts.flatMap(({ reason, findings }) => {
          const of = tests.filter(
            ({ type, name, has }) => has(slot) && findings.some((f) => f.type === type && f.name === name),
          );
          return of.length > 0 ? [{ reason, findings: of.map(({ type, name }) => ({ type, name })) }] : [];
        });
        return { question: questions.get(slot)!, reasons };
      });
      const rest = empty.slice(Math.max(0, offset - ranked.total), offset + limit - ranked.total);
      if (offset + limit > ranked.total)
        for (const cell of rest) items.push({ cell, reasons: [{ reason: EMPTY_CELL, findings: [] }] });
      const counts = Object.fromEntries([
        ...weighed.map(({ reason, slots }) => [reason, slots.total]),
        ...(cells ? [[EMPTY_CELL, empty.length]] : []),
      ]);
      return { items, total: ranked.total + empty.length, counts };
    }),
);

/** Slots by descending rank, ascending within a rank. */
interface RankedSlots {
  total: number;
  slice(offset: number, limit: number): number[];
}

const MAX_RANK = 256;

/** Ranks the members of sets block by block: the cost is that of reading the sets once. */
function rankSlots(sources: { weight: number; slots: SlotSet }[]): RankedSlots {
  const byRank: number[][] = Array.from({ length: MAX_RANK }, () => []);
  const blocks = new Set(sources.flatMap(({ slots }) => slots.blocks.map(({ block }) => block)));
  const ranks = new Uint8Array(toSlot(1, 0));
  const parts = sources.map(({ weight, slots }) => ({
    weight,
    blocks: new Map(slots.blocks.map((block) => [block.block, block])),
  }));
  for (const block of [...blocks].sort((a, b) => a - b)) {
    ranks.fill(0);
    for (const { weight, blocks: own } of parts) {
      const part = own.get(block);
      if (!part) continue;
      for (const slot of new SlotSet([part]).slice(0, part.n)) ranks[offsetInBlock(slot)]! += weight;
    }
    for (let offset = 0; offset < ranks.length; offset++)
      if (ranks[offset]! > 0) byRank[ranks[offset]!]!.push(toSlot(block, offset));
  }
  const ordered = byRank.toReversed().filter((slots) => slots.length > 0);
  return {
    total: ordered.reduce((sum, slots) => sum + slots.length, 0),
    slice(offset, limit) {
      const chosen: number[] = [];
      let skip = offset;
      for (const slots of ordered) {
        if (skip < slots.length) chosen.push(...slots.slice(skip, skip + limit - chosen.length));
        skip = Math.max(0, skip - slots.length);
        if (chosen.length === limit) break;
      }
      return chosen;
    },
  };
}

interface Gap {
  category: string;
  difficulty: number;
  questions: number;
}

/** The empty cells of the latest coverage of the whole bank, as far as they are still empty. */
async function listEmptyCells(db: Db): Promise<{ category: string; difficulty: number }[]> {
  const run = await db.get<{ summary: string }>(
    `SELECT r.summary FROM analyses a JOIN analysis_results r ON r.analysis_id = a.id
     WHERE a.type = 'coverage' AND a.status = 'succeeded' AND a.definition_version IS NOT NULL AND a.filter = '{}'
     ORDER BY a.finished_at DESC, a.id DESC LIMIT 1`,
  );
  if (!run) return [];
  const { gaps } = JSON.parse(run.summary) as { gaps: { cells: Gap[] } };
  const ids = new Map([...(await categoriesByKey(db)).values()].map(({ name, id }) => [name, id]));
  const empty = gaps.cells.filter(({ questions, category }) => questions === 0 && ids.has(category));
  const toSet = ({ category, difficulty }: Gap) => sets.created(facet.both(ids.get(category)!, difficulty));
  const counts = await countSets(db, empty.map(toSet));
  return empty
    .filter((cell) => (counts.get(toSet(cell)) ?? 0) === 0)
    .map(({ category, difficulty }) => ({ category, difficulty }));
}
