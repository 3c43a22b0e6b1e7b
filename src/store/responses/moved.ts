import { bigint, bytea, defineTable, uuid } from '../table.ts';

/**
 * The responses that a merge of questions has moved, by sitting: `original` holds those to the
 * questions of the merge as they were, `moved` that to the survivor as the merge left it. Both are
 * packed by `pack`.
 */
export const MOVED_RESPONSES = defineTable(
  'moved_responses',
  { change_id: uuid, sitting: bigint, original: bytea, moved: bytea },
  'change_id',
  'sitting',
);
