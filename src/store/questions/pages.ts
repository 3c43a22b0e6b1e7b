/** Arguments and results of lists of questions, and the statements that fetch pages by slot. */
import { errors } from '../../errors.ts';
import type { Db, Utf8 } from '../db.ts';
import { STAMP, type Stamp } from '../index/positions.ts';
import type { Order } from '../index/postings.ts';
import type { SlotSet } from '../index/slots.ts';
import { limitBytes, MAX_WHOLE_PAGE_BYTES } from '../page-bytes.ts';
import type { View } from '../view.ts';
import { BODY_CHECK, buildSeed, CHECKSUM_COLUMN, verifyBodies } from './checksums.ts';
import type { QuestionCriteria } from './question-criteria.ts';
import { QUESTION_JSON, type QuestionRow, renderHead, SLOT_COLUMN } from './row.ts';
import { membersBytes, type StoredItem, type StoredItems, toStoredItem } from './stored-items.ts';

export interface ListArgs {
  view: View;
  filter: QuestionCriteria;
  order: Order;
  descending: boolean;
  /** Sorts the matches of a search by relevance. */
  byRelevance: boolean;
  limit: number;
  /** The maximum length of the items in UTF-8. A page has at least one item. */
  maxBytes: number;
  /** The first item: by its offset, or the one after a slot. */
  start: { offset: number } | { slot: number };
  /** Deleted questions alone, or deletions between the updates (deleted-lists.ts). */
  deleted?: 'only' | 'included' | undefined;
}

export interface PageItems {
  /**
   * The questions: as JSON texts separated by commas, which the database concatenates, or to be read
   * while the page is sent.
   */
  items: Utf8 | StoredItems;
  /** The number of items. */
  n: number;
  /** The slot of the last item, for a cursor. */
  last: number | undefined;
}

export interface StoredPageItems extends PageItems {
  items: StoredItems;
}

export interface Page extends PageItems {
  total: number;
  offset: number;
}

/** Finds the slots of a page, if its length is not limited. The set is ascending, so a descending list counts from its end. */
export function findRange(
  slots: SlotSet,
  { start, limit, descending }: Pick<ListArgs, 'start' | 'limit' | 'descending'>,
): { offset: number; chosen: number[] } {
  const { total } = slots;
  const offset =
    'offset' in start
      ? start.offset
      : descending
        ? total - slots.rank(start.slot)
        : slots.rank(start.slot + 1);
  if (!descending) return { offset, chosen: slots.slice(offset, limit) };
  const end = Math.max(0, total - offset);
  const begin = Math.max(0, end - limit);
  return { offset, chosen: slots.slice(begin, end - begin) };
}

/** Joins the questions at the slots of the parameter $1 that meet a condition. */
const questionsAt = (db: Db, order: Order, condition: string, joined = '') =>
  `${db.dialect.values('$1', 'bigint')} v ${joined}
   LEFT JOIN questions q ON q.${SLOT_COLUMN[order]} = v.value AND ${condition}
   LEFT JOIN categories c ON c.id = q.category_id`;

/**
 * Fetches the questions at these slots, which are ascending, and the stamp of the state they are
 * read from, in one statement. Without a page if a question is missing, the page is too large, or
 * one of its questions exceeds its share of a page that is read at once.
 */
export async function fetchWhole(
  db: Db,
  { view, order, descending, maxBytes }: ListArgs,
  slots: number[],
): Promise<{ stamp: Stamp; page: PageItems | undefined }> {
  const texts = `string_agg(${QUESTION_JSON[view]}, ',' ORDER BY v.value ${descending ? 'DESC' : 'ASC'})`;
  const bodyChecks = `string_agg(${BODY_CHECK[view]}, ' ' ORDER BY v.value ${descending ? 'DESC' : 'ASC'})`;
  const row = await db.get<Stamp & { n: number; items: Utf8 | null; checks: string | null }>(
    `SELECT s.epoch, s.pending, count(q.id) AS n, ${db.dialect.utf8(texts)} AS items, ${bodyChecks} AS checks
     FROM ${STAMP} s LEFT JOIN ${questionsAt(db, order, `${membersBytes('q', view)} <= $2`, 'ON true')}
     GROUP BY s.epoch, s.pending`,
    JSON.stringify(slots),
    Math.floor(Math.min(MAX_WHOLE_PAGE_BYTES, maxBytes) / Math.max(1, slots.length)),
  );
  const { epoch, pending, n, items, checks } = row!;
  const stamp = { epoch, pending };
  if (n !== slots.length || Buffer.byteLength(items ?? '') > maxBytes) return { stamp, page: undefined };
  const verified = items === null || checks === null ? '' : verifyBodies(items, checks);
  return { stamp, page: { items: verified, n, last: descending ? slots[0] : slots.at(-1) } };
}

/** Fetches a page of the questions at these slots, which are ascending. Runs within a snapshot. */
export async function fetchPage(db: Db, args: ListArgs, slots: number[]): Promise<PageItems> {
  const { page } = await fetchWhole(db, args, slots);
  return page ?? choosePage(db, args, args.descending ? slots.toReversed() : slots);
}

interface ChosenRow extends Pick<QuestionRow, 'revision' | 'category_id' | 'status'> {
  slot: number;
  /** Null if there is no question at the slot. */
  id: string;
  category: string;
  bytes: number;
  checksum: number | null;
}

/**
 * Chooses the items of a page from the questions at these slots, which are in the order of the
 * page: as many as the limit in bytes allows. Runs within a snapshot.
 */
export async function choosePage(
  db: Db,
  args: Pick<ListArgs, 'view' | 'order' | 'maxBytes'>,
  slots: number[],
): Promise<StoredPageItems> {
  const items = await readItems(db, args, slots);
  // Index and questions are read in one state.
  if (items.size < slots.length) throw errors.damagedData('The index of questions');
  return cutPage(args, slots, items);
}

/** A page of the items at these slots, which are in the order of the page, limited in bytes. */
export function cutPage(
  { view, maxBytes }: Pick<ListArgs, 'view' | 'maxBytes'>,
  slots: number[],
  items: Map<number, StoredItem>,
): StoredPageItems {
  const list = limitBytes(
    slots.map((slot) => ({ slot, ...items.get(slot)! })),
    maxBytes,
  );
  return { items: { view, list }, n: list.length, last: list.at(-1)?.slot };
}

/** Reads the questions at these slots as items of a page, by slot. Others are left out. */
export async function readItems(
  db: Db,
  { view, order }: Pick<ListArgs, 'view' | 'order'>,
  slots: number[],
): Promise<Map<number, StoredItem>> {
  const rows = await db.all<ChosenRow>(
    `SELECT v.value AS slot, q.id, q.revision, q.category_id, q.status, c.name_json AS category,
            ${membersBytes('q', view)} AS bytes, q.${CHECKSUM_COLUMN[view]} AS checksum
     FROM ${questionsAt(db, order, 'true')}`,
    JSON.stringify(slots),
  );
  return new Map(
    rows
      .filter(({ id }) => id !== null)
      .map(({ slot, id, revision, category, category_id, status, bytes, checksum }) => [
        slot,
        toStoredItem(
          { before: renderHead({ id, category, status }, view), id, revision, after: '}' },
          { bytes, seed: buildSeed(id, category_id), checksum },
        ),
      ]),
  );
}

/** The key that encrypts the bank's cursors. */
export async function readCursorKey(db: Db): Promise<string> {
  return (await db.get<{ cursor_key: string }>('SELECT cursor_key FROM bank_state'))!.cursor_key;
}
