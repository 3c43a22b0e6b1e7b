/**
 * Lists of deleted questions, and of changes with deletions between them: the slots of updates and
 * of deletions are of one running number.
 */
import { errors } from '../../errors.ts';
import { type Db, defineQuery } from '../db.ts';
import { SlotSet } from '../index/slots.ts';
import { formatTime } from '../time.ts';
import { buildSeed } from './checksums.ts';
import type { DeletedRow } from './deleted.ts';
import { matchingSlots } from './listing.ts';
import { cutPage, findRange, type ListArgs, type Page, readItems } from './pages.ts';
import { type RevisionRow, renderHead } from './row.ts';
import { deletedSlots, searchedSlots } from './search.ts';
import { membersBytes, NO_MEMBERS, type StoredItem, toStoredItem } from './stored-items.ts';

/** A page of the deleted questions, in the order of their deletions. */
export const listDeleted = defineQuery('listDeleted', (db: Db, args: ListArgs): Promise<Page> => {
  return db.snapshot(async (tx) => {
    const slots = await deletedSlots(tx, args);
    return buildPage(args, slots, (chosen) => readDeletedItems(tx, chosen));
  });
});

/** A page of the questions that were updated or deleted since a time, in the order of time. */
export const listChanges = defineQuery('listChanges', (db: Db, args: ListArgs): Promise<Page> => {
  return db.snapshot(async (tx) => {
    const updated = await (args.filter.q === undefined
      ? matchingSlots(tx, args.filter, 'updated')
      : searchedSlots(tx, args));
    const slots = SlotSet.union(updated, await deletedSlots(tx, args));
    return buildPage(args, slots, async (chosen) => {
      const tombstones = await readTombstones(tx, chosen);
      const others = chosen.filter((slot) => !tombstones.has(slot));
      return new Map([...tombstones, ...(await readItems(tx, args, others))]);
    });
  });
});

async function buildPage(
  args: ListArgs,
  slots: SlotSet,
  read: (slots: number[]) => Promise<Map<number, StoredItem>>,
): Promise<Page> {
  const { offset, chosen } = findRange(slots, args);
  const items = await read(chosen);
  if (items.size < chosen.length) throw errors.damagedData('The index of questions');
  const ordered = args.descending ? chosen.toReversed() : chosen;
  return { ...cutPage(args, ordered, items), total: slots.total, offset };
}

type DeletedItemRow = DeletedRow &
  Pick<RevisionRow, 'category' | 'category_id' | 'checksum' | 'status'> & { bytes: number };

async function readDeletedItems(db: Db, slots: number[]): Promise<Map<number, StoredItem>> {
  const rows = await db.all<DeletedItemRow>(
    `SELECT d.*, coalesce(c.name_json, r.category) AS category, r.category_id, r.checksum, r.status,
            ${membersBytes('r', 'with_answers')} AS bytes
     FROM ${db.dialect.values('$1', 'bigint')} v JOIN deleted_questions d ON d.deleted_slot = v.value
     JOIN revisions r ON r.question_id = d.id AND r.revision = d.revision
     LEFT JOIN categories c ON c.id = r.category_id`,
    JSON.stringify(slots),
  );
  return new Map(
    rows.map(({ deleted_slot, id, revision, deleted_at, category, category_id, status, bytes, checksum }) => [
      deleted_slot,
      toStoredItem(
        {
          before: renderHead({ id, category, status }, 'with_answers'),
          id,
          revision,
          after: `,"deleted_at":"${formatTime(deleted_at)}"}`,
        },
        { bytes, seed: buildSeed(id, category_id), checksum },
      ),
    ]),
  );
}

/** No revision has this number, so that nothing is read for a tombstone. */
const NO_REVISION = 0;

async function readTombstones(db: Db, slots: number[]): Promise<Map<number, StoredItem>> {
  const rows = await db.all<Pick<DeletedRow, 'deleted_slot' | 'id' | 'deleted_at'>>(
    `SELECT deleted_slot, id, deleted_at FROM deleted_questions
     WHERE deleted_slot IN ${db.dialect.values('$1', 'bigint')}`,
    JSON.stringify(slots),
  );
  return new Map(
    rows.map(({ deleted_slot, id, deleted_at }) => {
      const before = `{"id":"${id}","deleted_at":"${formatTime(deleted_at)}"`;
      return [deleted_slot, toStoredItem({ before, id, revision: NO_REVISION, after: '}' }, NO_MEMBERS)];
    }),
  );
}
