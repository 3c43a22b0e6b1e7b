import { computeChecksum } from '../checksum.ts';
import { bigint, defineTable, integer, nullable, type RowOf, text, uuid } from '../table.ts';

export const CATEGORIES = defineTable(
  'categories',
  {
    id: bigint,
    uid: uuid,
    name: text(),
    name_key: text(),
    /** The name as JSON text, to be put into questions. */
    name_json: text(),
    description: nullable(text()),
    /** 1 for the categories that every bank has. */
    fixed: integer,
    version: integer,
    /** Counts renamings. Part of the ETags of its questions. */
    name_version: integer,
    created_at: bigint,
    updated_at: bigint,
    /** Covers the other columns. Null until `fillChecksums` has run. */
    checksum: nullable(integer),
  },
  'id',
);

export type CategoryRow = RowOf<typeof CATEGORIES>;

export const computeCategoryChecksum = ({ checksum, ...row }: CategoryRow): number =>
  computeChecksum(
    JSON.stringify(Object.keys(CATEGORIES.columns).map((name) => row[name as keyof typeof row])),
    0,
  );
