/**
 * The index of the rows of a result: finds the rows with a flag, a severity, a verdict or a
 * category, in the order of the result or sorted by a key, and the rows of a question, without
 * reading the others. Row numbers take the place of slots (index/slots.ts).
 *
 * The worker builds it when the run ends (jobs/result-index.ts), from the rows of one view.
 */
import { errors } from '../../errors.ts';
import { type Db, defineQuery } from '../db.ts';
import { type Block, SlotSet } from '../index/slots.ts';
import { bigint, bytea, defineTable, text, uuid } from '../table.ts';
import type { View } from '../view.ts';
import { ITEMS_PER_BLOCK } from './row.ts';

export type RowFilter = 'flag' | 'severity' | 'verdict' | 'category';

export const ANALYSIS_ROW_INDEX = defineTable(
  'analysis_row_index',
  {
    analysis_id: uuid,
    view: text<View>(),
    /**
     * A filter: `name` is its value, and `data` a block of the set of rows. `sort`: `name` is the
     * key, and `data` the numbers of rows in ascending order, those without a value last; `n`
     * counts the rows with a value. `question`: `block` is the first slot, and `data` pairs of a
     * slot, relative to the first one, and a row.
     */
    kind: text<RowFilter | 'sort' | 'question'>(),
    name: text(),
    block: bigint,
    n: bigint,
    data: bytea,
  },
  'analysis_id',
  'view',
  'kind',
  'name',
  'block',
);

export interface RowIndexPart {
  kind: RowFilter | 'sort' | 'question';
  name: string;
  block: number;
  n: number;
  data: Uint8Array;
}

export const ROWS_PER_PART = 8192;

/** Sorts rows in order of the creation of their questions. */
export const SORT_BY_CREATION = 'created_at';

export interface RowQuery {
  id: string;
  view: View;
  /** All of them must match. The values of one filter are alternatives. */
  filters: { kind: RowFilter; values: string[] }[];
  /** Undefined for the order of the result. */
  sort: RowOrder | undefined;
  limit: number;
  offset: number;
}

/** Blocks of rows that a page is read from. A page of rows that are far apart is shorter. */
const MAX_BLOCKS_PER_PAGE = 100;

export interface FoundRows {
  total: number;
  /** The numbers of the rows of the page, in its order. */
  rows: number[];
  /** The compressed blocks that have these rows. */
  blocks: { block: number; lines: Uint8Array }[];
}

/** Finds a page of the rows of a result that succeeded. */
export const findRows = defineQuery('findRows', async (db: Db, query: RowQuery): Promise<FoundRows> => {
  return db.snapshot(async (tx) => {
    const { id, view, filters, sort, limit, offset } = query;
    const result = await tx.get<{ items: number }>(
      'SELECT items FROM analysis_results WHERE analysis_id = $1 AND view = $2',
      id,
      view,
    );
    const all = result?.items ?? 0;
    if (all > 0 && !(await isIndexed(tx, query))) throw errors.notIndexed(id);
    const matching = await filterRows(tx, query, all, filters);
    const rows = sort ? await sortRows(tx, query, matching, sort) : matching.slice(offset, limit);
    const numbers = [...new Set(rows.map((row) => Math.floor(row / ITEMS_PER_BLOCK)))];
    const shown = new Set(numbers.slice(0, MAX_BLOCKS_PER_PAGE));
    const cut = rows.findIndex((row) => !shown.has(Math.floor(row / ITEMS_PER_BLOCK)));
    const blocks = await readItemBlocks(tx, { id, view }, [...shown]);
    return { total: matching.total, rows: cut < 0 ? rows : rows.slice(0, cut), blocks };
  });
});

async function isIndexed(db: Db, { id, view }: { id: string; view: View }): Promise<boolean> {
  const part = await db.get(
    `SELECT 1 AS found FROM analysis_row_index WHERE analysis_id = $1 AND view = $2 AND kind = 'question' LIMIT 1`,
    id,
    view,
  );
  return part !== undefined;
}

export async function readItemBlocks(
  db: Db,
  { id, view }: { id: string; view: View },
  blocks: number[],
): Promise<{ block: number; lines: Uint8Array }[]> {
  return db.all(
    `SELECT block, lines FROM analysis_items
     WHERE analysis_id = $1 AND view = $2 AND block IN ${db.dialect.values('$3', 'bigint')}`,
    id,
    view,
    JSON.stringify(blocks),
  );
}

async function filterRows(
  db: Db,
  run: { id: string; view: View },
  all: number,
  filters: RowQuery['filters'],
): Promise<SlotSet> {
  const sets: SlotSet[] = [];
  for (const { kind, values } of filters) {
    let matching = new SlotSet([]);
    for (const value of values) matching = SlotSet.union(matching, await readRowSet(db, run, kind, value));
    sets.push(matching);
  }
  return sets.length === 0 ? SlotSet.range(all) : SlotSet.intersection(sets);
}

async function readRowSet(
  db: Db,
  { id, view }: { id: string; view: View },
  kind: string,
  name: string,
): Promise<SlotSet> {
  return new SlotSet(
    await db.all<Block>(
      `SELECT block, n, data AS members FROM analysis_row_index
       WHERE analysis_id = $1 AND view = $2 AND kind = $3 AND name = $4 ORDER BY block`,
      id,
      view,
      kind,
      name,
    ),
  );
}

/** Parts of an order that are read together. */
const PARTS_PER_READ = 16;

/** An order of rows: a key in one direction. */
interface RowOrder {
  key: string;
  descending: boolean;
}

/** The rows of a page, in the order of a key; rows without a value come last in both directions. */
async function sortRows(db: Db, query: RowQuery, matching: SlotSet, order: RowOrder): Promise<number[]> {
  const isMatching = matching.tester();
  const rows: number[] = [];
  let skip = query.offset;
  for await (const part of readOrder(db, query, order))
    for (const row of part) {
      if (!isMatching(row) || --skip >= 0) continue;
      rows.push(row);
      if (rows.length === query.limit) return rows;
    }
  return rows;
}

/** All rows of a result in an order, in parts. */
async function* readOrder(
  db: Db,
  run: { id: string; view: View },
  { key, descending }: RowOrder,
): AsyncGenerator<Uint32Array> {
  const isCreation = key === SORT_BY_CREATION;
  const [kind, name] = isCreation ? ['question', ''] : ['sort', key];
  const parts = await db.all<{ block: number; n: number }>(
    `SELECT block, n FROM analysis_row_index
     WHERE analysis_id = $1 AND view = $2 AND kind = $3 AND name = $4 ORDER BY block`,
    run.id,
    run.view,
    kind,
    name,
  );
  const read = (blocks: number[]) => readParts(db, { ...run, kind, name }, blocks);
  const blocks = parts.map(({ block }) => block);
  if (isCreation) {
    for await (const { words } of read(descending ? blocks.toReversed() : blocks)) {
      const rows = words.filter((_, i) => i % 2 === 1);
      yield descending ? rows.toReversed() : rows;
    }
  } else if (descending) {
    const valued = parts[0]?.n ?? 0;
    const bound = (block: number) => Math.max(0, valued - block * ROWS_PER_PART);
    for await (const { block, words } of read(blocks.filter((each) => bound(each) > 0).toReversed()))
      yield words.slice(0, bound(block)).toReversed();
    for await (const { block, words } of read(blocks.filter((each) => bound(each) < ROWS_PER_PART)))
      yield words.slice(bound(block));
  } else {
    for await (const { words } of read(blocks)) yield words;
  }
}

async function* readParts(
  db: Db,
  { id, view, kind, name }: { id: string; view: View; kind: string; name: string },
  blocks: number[],
): AsyncGenerator<{ block: number; words: Uint32Array }> {
  for (let i = 0; i < blocks.length; i += PARTS_PER_READ) {
    const chosen = blocks.slice(i, i + PARTS_PER_READ);
    const found = await db.all<{ block: number; data: Uint8Array }>(
      `SELECT block, data FROM analysis_row_index
       WHERE analysis_id = $1 AND view = $2 AND kind = $3 AND name = $4
         AND block IN ${db.dialect.values('$5', 'bigint')}`,
      id,
      view,
      kind,
      name,
      JSON.stringify(chosen),
    );
    const byBlock = new Map(found.map(({ block, data }) => [block, data]));
    for (const block of chosen) yield { block, words: toWords(byBlock.get(block)!) };
  }
}

const toWords = (bytes: Uint8Array) => new Uint32Array(Uint8Array.from(bytes).buffer);

/** The numbers of the rows about a question, the most urgent first. */
export async function findRowsOfQuestion(
  db: Db,
  { id, view }: { id: string; view: View },
  slot: number,
): Promise<number[]> {
  const part = await db.get<{ block: number; data: Uint8Array }>(
    `SELECT block, data FROM analysis_row_index
     WHERE analysis_id = $1 AND view = $2 AND kind = 'question' AND name = '' AND block <= $3
     ORDER BY block DESC LIMIT 1`,
    id,
    view,
    slot,
  );
  if (!part) return [];
  const words = toWords(part.data);
  const wanted = slot - part.block;
  let low = 0;
  let high = words.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (words[2 * middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  const rows: number[] = [];
  for (let i = 2 * low; i < words.length && words[i] === wanted; i += 2) rows.push(words[i + 1]!);
  return rows;
}

/** The values of a filter that rows of a result have. */
export async function listRowValues(
  db: Db,
  { id, view, kind }: { id: string; view: View; kind: RowFilter },
): Promise<string[]> {
  const rows = await db.all<{ name: string }>(
    `SELECT DISTINCT name FROM analysis_row_index
     WHERE analysis_id = $1 AND view = $2 AND kind = $3 ORDER BY name`,
    id,
    view,
    kind,
  );
  return rows.map(({ name }) => name);
}
