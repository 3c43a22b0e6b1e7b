/** The questions of a run, as sets of slots. */
import { errors } from '../../errors.ts';
import { DIFFICULTIES } from '../../schemas/difficulties.ts';
import { toNameKey } from '../../schemas/names.ts';
import { type QuestionFilter, toList } from '../../schemas/question-filter.ts';
import { type Db, defineQuery } from '../db.ts';
import { type BitmapBlock, fromBitmapBlocks, toBitmapBlocks } from '../index/bitmaps.ts';
import { SlotSet } from '../index/slots.ts';
import type { View, Visibility } from '../view.ts';
import { categoriesByKey } from './categories.ts';
import { findCategoryFaults } from './criteria.ts';
import { matchingSlots } from './listing.ts';
import type { QuestionCriteria } from './question-criteria.ts';
import type { QuestionRow } from './row.ts';
import { countSearched, searchedSlots } from './search.ts';
import { isVisibleSql } from './status.ts';

/**
 * Ids looked up by one statement. The rows of 100,000 would block the event loop while they are
 * decoded.
 */
const LOOKUP_BATCH_SIZE = 5_000;

interface ResolvedIds {
  members: BitmapBlock[];
  unknown: string[];
  /** Whether a question is not approved. */
  unapproved: boolean;
}

/** Finds the slots of the questions with these ids, and the ids of which there is no question. */
export const resolveIds = defineQuery(
  'resolveIds',
  async (db: Db, { ids, visibility }: { ids: string[]; visibility: Visibility }): Promise<ResolvedIds> => {
    const slots = new Map<string, number>();
    let unapproved = false;
    for (let i = 0; i < ids.length; i += LOOKUP_BATCH_SIZE) {
      const rows = await db.all<Pick<QuestionRow, 'id' | 'created_slot' | 'status'>>(
        `SELECT q.id, q.created_slot, q.status FROM questions q
         WHERE q.id IN ${db.dialect.values('$1', 'uuid')} AND ${isVisibleSql('q', visibility)}`,
        JSON.stringify(ids.slice(i, i + LOOKUP_BATCH_SIZE)),
      );
      for (const { id, created_slot, status } of rows) {
        slots.set(id, created_slot);
        unapproved ||= status !== 'approved';
      }
    }
    return {
      members: toBitmapBlocks(SlotSet.of([...slots.values()])),
      unknown: ids.filter((id) => !slots.has(id)),
      unapproved,
    };
  },
);

/** Counts the questions that match the criteria now. */
export const countSelected = defineQuery(
  'countSelected',
  async (db: Db, { view, ...args }: Criteria & { view: View }): Promise<number> => {
    return db.snapshot(async (tx) => {
      await requireCategories(tx, args.filter);
      const filter = toCriteria(args);
      return filter.q === undefined
        ? (await matchingSlots(tx, filter)).total
        : countSearched(tx, { filter, view });
    });
  },
);

/** Selects the questions that match the criteria now. */
export const selectMembers = defineQuery(
  'selectMembers',
  async (db: Db, args: Criteria & { view: View }): Promise<Selection> =>
    db.snapshot(async (tx) => {
      const slots = await selectSlots(tx, args);
      return { members: toBitmapBlocks(slots), count: slots.total };
    }),
);

export interface Selection {
  members: BitmapBlock[];
  count: number;
}

interface Criteria {
  filter: QuestionFilter;
  /** Whether questions that are not approved may be selected. */
  unapproved: boolean;
}

/** A run is over approved questions, unless its filter names other statuses. */
const toCriteria = ({ filter, unapproved }: Criteria): QuestionCriteria => ({
  ...filter,
  visibility: unapproved ? 'all' : 'approved',
});

async function selectSlots(db: Db, { view, ...args }: Criteria & { view: View }): Promise<SlotSet> {
  await requireCategories(db, args.filter);
  const filter = toCriteria(args);
  return filter.q === undefined ? matchingSlots(db, filter) : searchedSlots(db, { filter, view });
}

/** Refuses the filter of a run by a category that does not exist. */
async function requireCategories(db: Db, filter: QuestionFilter): Promise<void> {
  const faults = await findCategoryFaults(db, filter);
  if (faults.length > 0)
    throw errors.invalidBody(faults.map((fault) => ({ ...fault, pointer: `/filter${fault.pointer}` })));
}

/**
 * The slots of a run: those it was given, or those that match its criteria now; and how many of
 * those given have been deleted or are not approved any more. Runs within a snapshot.
 */
export async function slotsOfRun(
  db: Db,
  run: { id: string; filter: QuestionFilter | undefined; view: View; unapproved: boolean },
): Promise<{ slots: SlotSet; missing: number }> {
  const { filter, view, unapproved } = run;
  if (filter) return { slots: await selectSlots(db, { filter, view, unapproved }), missing: 0 };
  const rows = await db.all<BitmapBlock>(
    'SELECT block, members FROM analysis_questions WHERE analysis_id = $1 ORDER BY block',
    run.id,
  );
  const given = fromBitmapBlocks(rows);
  const slots = SlotSet.intersection([
    given,
    await matchingSlots(db, toCriteria({ filter: {}, unapproved })),
  ]);
  return { slots, missing: given.total - slots.total };
}

/** The categories, in order of creation, and difficulties that a filter admits. */
export async function readScope(
  db: Db,
  filter: QuestionFilter | undefined,
): Promise<{ categories: string[]; difficulties: number[] }> {
  const isAdmitted = <T>(value: T, wanted: T[], excluded: T[]) =>
    (wanted.length === 0 || wanted.includes(value)) && !excluded.includes(value);
  const levels = [toList(filter?.difficulty), toList(filter?.not_difficulty)] as const;
  const difficulties = DIFFICULTIES.map(({ level }) => level).filter((level) => isAdmitted(level, ...levels));
  if (!filter) return { categories: [], difficulties };
  const names = [toList(filter.category), toList(filter.not_category)].map((list) => list.map(toNameKey));
  const categories = [...(await categoriesByKey(db)).values()].filter(({ name_key }) =>
    isAdmitted(name_key, names[0]!, names[1]!),
  );
  return { categories: categories.map(({ name }) => name), difficulties };
}
