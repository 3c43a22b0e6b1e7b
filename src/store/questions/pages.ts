/** What a list asks for, what it gets, and how questions are fetched once it is known which. */
import type { QuestionFilter } from '../../schemas/question.ts';
import type { Db, Utf8 } from '../db.ts';
import { STAMP, type Stamp } from '../index/positions.ts';
import type { Order } from '../index/postings.ts';
import { BODY, type View } from './row.ts';

export interface ListArgs {
  /** What the caller may see, and so search. */
  view: View;
  filter: QuestionFilter;
  order: Order;
  descending: boolean;
  /** Best matches first, for a search. */
  byRelevance: boolean;
  limit: number;
  /** Where to begin: after so many, or behind this slot. */
  start: { offset: number } | { slot: number };
}

export interface Page {
  /** The questions as JSON texts, with commas between them: what a list sends is put together once, by the database. */
  items: Utf8;
  /** How many they are. */
  n: number;
  total: number;
  offset: number;
  /** The slot of the last item, for a cursor. */
  last: number | undefined;
}

export const SLOT_COLUMN = { created: 'created_slot', updated: 'updated_slot' } as const;

/** The questions at the slots of a parameter; none where there is none at a slot. */
const questionsAt = (db: Db, order: Order, joined = '') =>
  `(SELECT CAST(value AS bigint) AS slot FROM ${db.dialect.each('$1')}) v ${joined}
   LEFT JOIN questions q ON q.${SLOT_COLUMN[order]} = v.slot
   LEFT JOIN categories c ON c.id = q.category_id`;

/** The questions at these slots, which are in ascending order, and the stamp of the state they were read in. */
export async function fetchItems(db: Db, { view, order, descending }: ListArgs, slots: number[]) {
  const texts = `string_agg(${BODY[view]}, ',' ORDER BY v.slot ${descending ? 'DESC' : 'ASC'})`;
  const row = await db.get<Stamp & { n: number; items: Utf8 | null }>(
    `SELECT s.epoch, s.pending, count(q.id) AS n, ${db.dialect.utf8(texts)} AS items
     FROM ${STAMP} s LEFT JOIN ${questionsAt(db, order, 'ON true')}
     GROUP BY s.epoch, s.pending`,
    JSON.stringify(slots),
  );
  const { epoch, pending, n, items } = row!;
  return { stamp: { epoch, pending }, n, items: items ?? '', last: descending ? slots[0] : slots.at(-1) };
}

/** The same one by one, for ranking. */
export async function fetchEach(db: Db, { view, order }: ListArgs, slots: number[]): Promise<string[]> {
  const rows = await db.all<{ body: string }>(
    `SELECT ${BODY[view]} AS body FROM ${questionsAt(db, order)} WHERE q.id IS NOT NULL ORDER BY v.slot`,
    JSON.stringify(slots),
  );
  return rows.map(({ body }) => body);
}

/** What the bank's cursors are sealed with. */
export async function cursorKey(db: Db): Promise<string> {
  return (await db.get<{ cursor_key: string }>('SELECT cursor_key FROM bank_state'))!.cursor_key;
}
