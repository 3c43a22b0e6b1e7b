/** Arguments and results of lists of questions, and the statements that fetch questions by slot. */
import type { QuestionFilter } from '../../schemas/question.ts';
import type { Db, Utf8 } from '../db.ts';
import { STAMP, type Stamp } from '../index/positions.ts';
import type { Order } from '../index/postings.ts';
import type { View } from '../view.ts';
import { BODY_CHECK, verifyBodies } from './checksums.ts';
import { QUESTION_JSON, SLOT_COLUMN } from './row.ts';

export interface ListArgs {
  view: View;
  filter: QuestionFilter;
  order: Order;
  descending: boolean;
  /** Sorts the matches of a search by relevance. */
  byRelevance: boolean;
  limit: number;
  /** The first item: by its offset, or the one after a slot. */
  start: { offset: number } | { slot: number };
}

export interface Page {
  /** The questions as JSON texts, separated by commas. The database concatenates them. */
  items: Utf8;
  /** The number of items. */
  n: number;
  total: number;
  offset: number;
  /** The slot of the last item, for a cursor. */
  last: number | undefined;
}

/** Joins the questions at the slots of the parameter $1. */
const questionsAt = (db: Db, order: Order, joined = '') =>
  `${db.dialect.values('$1', 'bigint')} v ${joined}
   LEFT JOIN questions q ON q.${SLOT_COLUMN[order]} = v.value
   LEFT JOIN categories c ON c.id = q.category_id`;

/**
 * Fetches the questions at these slots, which are ascending, and the stamp of the state they are
 * read from.
 */
export async function fetchItems(db: Db, { view, order, descending }: ListArgs, slots: number[]) {
  const texts = `string_agg(${QUESTION_JSON[view]}, ',' ORDER BY v.value ${descending ? 'DESC' : 'ASC'})`;
  const bodyChecks = `string_agg(${BODY_CHECK[view]}, ' ' ORDER BY v.value ${descending ? 'DESC' : 'ASC'})`;
  const row = await db.get<Stamp & { n: number; items: Utf8 | null; checks: string | null }>(
    `SELECT s.epoch, s.pending, count(q.id) AS n, ${db.dialect.utf8(texts)} AS items, ${bodyChecks} AS checks
     FROM ${STAMP} s LEFT JOIN ${questionsAt(db, order, 'ON true')}
     GROUP BY s.epoch, s.pending`,
    JSON.stringify(slots),
  );
  const { epoch, pending, n, items, checks } = row!;
  const verified = items === null || checks === null ? '' : verifyBodies(items, checks);
  return { stamp: { epoch, pending }, n, items: verified, last: descending ? slots[0] : slots.at(-1) };
}

/** Fetches the questions one by one, for ranking. */
export async function fetchEach(db: Db, { view, order }: ListArgs, slots: number[]): Promise<string[]> {
  const rows = await db.all<{ body: string; body_check: string }>(
    `SELECT ${QUESTION_JSON[view]} AS body, ${BODY_CHECK[view]} AS body_check FROM ${questionsAt(db, order)} WHERE q.id IS NOT NULL ORDER BY v.value`,
    JSON.stringify(slots),
  );
  for (const { body, body_check } of rows) verifyBodies(body, body_check);
  return rows.map(({ body }) => body);
}

/** The key that encrypts the bank's cursors. */
export async function readCursorKey(db: Db): Promise<string> {
  return (await db.get<{ cursor_key: string }>('SELECT cursor_key FROM bank_state'))!.cursor_key;
}
