/**
 * The row of a session token of the Open Trivia DB's API: which questions it has returned. Those of
 * one query are the first ones in an order that the seed determines, so a position for each query
 * stands for all of them.
 */
import { bigint, defineTable, integer, type RowOf, text } from '../table.ts';

export const OPENTDB_TOKENS = defineTable(
  'opentdb_tokens',
  {
    /** SHA-256 of the token, in hexadecimal. */
    hash: text(),
    seed: text(),
    /** Slots from here on were not allocated when the token was created or reset. */
    bound: bigint,
    /** JSON: `Walk` for each query. */
    walks: text(),
    /** Counts the changes, to find simultaneous ones. */
    version: integer,
    used_at: bigint,
  },
  'hash',
);

export type OpentdbTokenRow = RowOf<typeof OPENTDB_TOKENS>;

/** The criteria of a query; null where it admits all. */
export interface TriviaCriteria {
  /** The category's number in this API. */
  category: number | null;
  difficulty: number | null;
  type: TriviaType | null;
}

export type TriviaType = 'multiple' | 'boolean';

/** The position up to which a token has returned the questions of a query. */
export interface Walk extends TriviaCriteria {
  position: number;
}
