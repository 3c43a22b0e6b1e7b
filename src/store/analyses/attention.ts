/**
 * What needs attention, as one ranked list: the questions of several sources, and the empty cells
 * of the latest coverage of the whole bank.
 *
 * A source gives a set of questions and a weight, a power of two. The rank of a question is the sum
 * of the weights of its sources, so a source outranks all lighter ones together. Questions of the
 * same rank are in order of creation. Only the rows of the page are read.
 */
import { type Db, defineQuery } from '../db.ts';
import { readFindingSets } from '../findings/finding-sets.ts';
import { addToBitmap, BITMAP_WORDS, SlotSet, toBitmap, toBlock, toSlot } from '../index/slots.ts';
import { categoriesByKey } from '../questions/categories.ts';
import { countQuestions } from '../questions/category-list.ts';
import { facet } from '../questions/facets.ts';
import { matchingSlots } from '../questions/listing.ts';
import { readQuestions } from '../questions/read-questions.ts';
import { countOpenReports } from '../reports/reports.ts';
import type { Visibility } from '../view.ts';

interface Finding {
  type: string;
  name: string;
}

/** A source of questions: the findings that lead to it, or open reports. */
export interface AttentionSource {
  reason: string;
  /** A power of two below 256. */
  weight: number;
  findings: Finding[];
  /** Whether open reports of respondents lead to it. */
  reports?: boolean;
}

export interface AttentionQuery {
  sources: AttentionSource[];
  /** Whether empty cells are listed, after all questions. */
  cells: boolean;
  visibility: Visibility;
  limit: number;
  offset: number;
}

export interface AttentionItem {
  /** JSON of the question with its answers; undefined for an empty cell. */
  question?: string;
  cell?: { category: string; difficulty: number };
  /** By reason, the findings of the question, or the number of its open reports. */
  reasons: { reason: string; findings: Finding[]; reports?: number }[];
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
  async (db: Db, { sources, cells, visibility, limit, offset }: AttentionQuery): Promise<AttentionPage> =>
    db.snapshot(async (tx) => {
      const findings = sources.flatMap((source) => source.findings);
      const found = await readFindingSets(tx, findings);
      const reports = sources.some((source) => source.reports) ? await countOpenReports(tx) : NO_REPORTS;
      const reported = SlotSet.of([...reports.keys()]);
      const parts = sources.map((source) => ({
        ...source,
        sets: source.reports
          ? [reported]
          : found.filter((set) => isOneOf(source.findings, set)).map(({ slots }) => slots),
      }));
      const ranked = rankSlots(parts, await matchingSlots(tx, { visibility }));
      const empty = cells ? await listEmptyCells(tx, visibility) : [];
      const page = ranked.slice(offset, limit);
      const questions = new Map(
        (await readQuestions(tx, 'with_answers', page)).map(({ slot, body }) => [slot, body]),
      );
      const blocks = new Set(page.map(toBlock));
      const tests = found.map(({ slots, ...set }) => ({ ...set, has: slots.within(blocks).tester() }));
      const items = page.map((slot): AttentionItem => {
        const own = tests.filter(({ has }) => has(slot)).map(({ type, name }) => ({ type, name }));
        const reasons = sources.map((source) => ({
          reason: source.reason,
          findings: own.filter((finding) => isOneOf(source.findings, finding)),
          reports: source.reports ? reports.get(slot) : undefined,
        }));
        return {
          question: questions.get(slot)!,
          reasons: reasons.filter((each) => each.findings.length > 0 || each.reports !== undefined),
        };
      });
      const rest = empty.slice(Math.max(0, offset - ranked.total), offset + limit - ranked.total);
      if (offset + limit > ranked.total)
        for (const cell of rest) items.push({ cell, reasons: [{ reason: EMPTY_CELL, findings: [] }] });
      const counts = Object.fromEntries([
        ...sources.map(({ reason }, i) => [reason, ranked.counts[i]!]),
        ...(cells ? [[EMPTY_CELL, empty.length]] : []),
      ]);
      return { items, total: ranked.total + empty.length, counts };
    }),
);

const NO_REPORTS: ReadonlyMap<number, number> = new Map();

const isOneOf = (findings: Finding[], { type, name }: Finding) =>
  findings.some((finding) => finding.type === type && finding.name === name);

/** Slots by descending rank, ascending within a rank. */
interface RankedSlots {
  total: number;
  /** By source. */
  counts: number[];
  slice(offset: number, limit: number): number[];
}

const MAX_RANK = 256;

/**
 * Ranks the questions of the bank that are in a set of a source, block by block: the cost is that
 * of reading the sets once.
 */
function rankSlots(sources: { weight: number; sets: SlotSet[] }[], present: SlotSet): RankedSlots {
  const byRank: number[][] = Array.from({ length: MAX_RANK }, () => []);
  const parts = sources.map(({ sets }) =>
    Map.groupBy(
      sets.flatMap(({ blocks }) => blocks),
      ({ block }) => block,
    ),
  );
  const counts = sources.map(() => 0);
  const ranks = new Uint8Array(32 * BITMAP_WORDS);
  for (const existing of present.blocks) {
    const mask = toBitmap(existing);
    const any = new Uint32Array(BITMAP_WORDS);
    for (const [source, blocks] of parts.entries()) {
      const words = new Uint32Array(BITMAP_WORDS);
      for (const block of blocks.get(existing.block) ?? []) addToBitmap(words, block);
      for (let i = 0; i < BITMAP_WORDS; i++) {
        words[i]! &= mask[i]!;
        any[i]! |= words[i]!;
      }
      forEachBit(words, (offset) => {
        ranks[offset]! += sources[source]!.weight;
        counts[source]!++;
      });
    }
    forEachBit(any, (offset) => {
      byRank[ranks[offset]!]!.push(toSlot(existing.block, offset));
      ranks[offset] = 0;
    });
  }
  const ordered = byRank.toReversed().filter((slots) => slots.length > 0);
  return {
    total: ordered.reduce((sum, slots) => sum + slots.length, 0),
    counts,
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

function forEachBit(words: Uint32Array, visit: (offset: number) => void): void {
  for (let i = 0; i < words.length; i++)
    for (let word = words[i]!; word !== 0; word &= word - 1) visit((i << 5) + 31 - Math.clz32(word & -word));
}

interface Gap {
  category: string;
  difficulty: number;
  questions: number;
}

/** The empty cells of the latest coverage of the whole bank, as far as they are still empty. */
async function listEmptyCells(
  db: Db,
  visibility: Visibility,
): Promise<{ category: string; difficulty: number }[]> {
  const run = await db.get<{ summary: string }>(
    `SELECT r.summary FROM analyses a JOIN analysis_results r ON r.analysis_id = a.id
     WHERE a.type = 'coverage' AND a.status = 'succeeded' AND a.definition_version IS NOT NULL AND a.filter = '{}'
     ORDER BY a.finished_at DESC, a.id DESC LIMIT 1`,
  );
  if (!run) return [];
  const { gaps } = JSON.parse(run.summary) as { gaps: { cells: Gap[] } };
  const ids = new Map([...(await categoriesByKey(db)).values()].map(({ name, id }) => [name, id]));
  const empty = gaps.cells.filter(({ questions, category }) => questions === 0 && ids.has(category));
  const toFacet = ({ category, difficulty }: Gap) => facet.both(ids.get(category)!, difficulty);
  const counts = await countQuestions(db, empty.map(toFacet), visibility);
  return empty
    .filter((cell) => (counts.get(toFacet(cell)) ?? 0) === 0)
    .map(({ category, difficulty }) => ({ category, difficulty }));
}
