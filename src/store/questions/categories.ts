import { errors, type Fault } from '../../errors.ts';
import type { Category, CategoryChange, CategoryInput } from '../../schemas/category.ts';
import { DIFFICULTIES } from '../../schemas/difficulties.ts';
import { toNameKey } from '../../schemas/names.ts';
import { computeChecksum } from '../checksum.ts';
import { ConstraintViolation, type Db, defineCommand, type Tx } from '../db.ts';
import { canonicalId, uuidv7 } from '../ids.ts';
import { countSets, nextEpoch, sets } from '../index/postings.ts';
import { requireMatch } from '../preconditions.ts';
import { bigint, defineTable, integer, nullable, type RowOf, text, uuid } from '../table.ts';
import { formatTime } from '../time.ts';
import { facet } from './facets.ts';
import { findNearestName } from './nearest-name.ts';

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

function requireSound<R extends CategoryRow>(row: R): R {
  if (computeCategoryChecksum(row) !== row.checksum) throw errors.damagedData(`Category ${row.uid}`);
  return row;
}

async function allCategories(db: Db): Promise<CategoryRow[]> {
  const rows = await db.all<CategoryRow>('SELECT * FROM categories ORDER BY id');
  return rows.map(requireSound);
}

export async function categoriesByKey(db: Db): Promise<Map<string, CategoryRow>> {
  return new Map((await allCategories(db)).map((row) => [row.name_key, row]));
}

export function unknownCategory(pointer: string, categories: Map<string, CategoryRow>): Fault {
  const names = [...categories.values()].map(({ name }) => name).slice(0, 30);
  return {
    pointer,
    code: 'unknown_category',
    detail: `must be one of the bank's categories: ${names.join(', ')}`,
  };
}

/** Finds the fault of a filter by category; undefined if the bank has the category. */
export async function findCategoryFault(db: Db, name: string): Promise<Omit<Fault, 'pointer'> | undefined> {
  const categories = await categoriesByKey(db);
  if (categories.has(toNameKey(name))) return undefined;
  const { pointer, ...fault } = unknownCategory('', categories);
  const nearest = findNearestName(
    name,
    Array.from(categories.values(), (category) => category.name),
  );
  if (nearest === undefined) return fault;
  return {
    code: fault.code,
    detail: `must be one of the bank's categories; the nearest name is ${nearest}`,
    suggestion: nearest,
  };
}

const withChecksum = (row: Omit<CategoryRow, 'checksum'>): CategoryRow => ({
  ...row,
  checksum: computeCategoryChecksum({ ...row, checksum: null }),
});

/** Reads the categories once per transaction: many creates share a commit. */
export const categoriesIn = (tx: Tx) => tx.cached('categories', () => categoriesByKey(tx));

/** Invalidates the cached categories of this transaction and of all readers. */
async function invalidateCategories(tx: Tx): Promise<void> {
  tx.uncache('categories');
  await nextEpoch(tx);
}

const present = (row: CategoryRow): Category => ({
  id: row.uid,
  name: row.name,
  description: row.description,
  fixed: row.fixed === 1,
  created_at: formatTime(row.created_at),
  updated_at: formatTime(row.updated_at),
});

const etag = (row: CategoryRow) => `"${row.version}"`;

export interface StoredCategory {
  etag: string;
  category: Category;
}

const stored = (row: CategoryRow): StoredCategory => ({ etag: etag(row), category: present(row) });

/** Lists the categories with their numbers of questions by difficulty. */
export function listCategories(db: Db) {
  return db.snapshot(async (tx) => {
    const rows = await allCategories(tx);
    const names = rows.flatMap(({ id }) =>
      DIFFICULTIES.map(({ level }) => sets.created(facet.both(id, level))),
    );
    const totals = await countSets(tx, names);
    const data = rows.map((row) => {
      const counts = Object.fromEntries(
        DIFFICULTIES.map(({ level }) => [level, totals.get(sets.created(facet.both(row.id, level))) ?? 0]),
      );
      const question_count = Object.values(counts).reduce((sum, n) => sum + n, 0);
      return { ...present(row), question_count, counts_by_difficulty: counts };
    });
    return { data };
  });
}

export async function getCategory(db: Db, id: string): Promise<StoredCategory> {
  return stored(await findRow(db, id));
}

async function findRow(db: Db, id: string, lock = ''): Promise<CategoryRow> {
  const uid = canonicalId(id);
  const row = uid && (await db.get<CategoryRow>(`SELECT * FROM categories WHERE uid = $1 ${lock}`, uid));
  if (!row) throw errors.noSuchCategory(id);
  return requireSound(row);
}

async function refuseTaken(db: Db, name: string, by?: number): Promise<void> {
  const other = await db.get<CategoryRow>('SELECT * FROM categories WHERE name_key = $1', toNameKey(name));
  if (other && other.id !== by) throw errors.categoryExists(other.name);
}

export const createCategory = defineCommand(
  'createCategory',
  async (tx: Tx, input: CategoryInput): Promise<StoredCategory> => {
    await refuseTaken(tx, input.name);
    const { first, at } = await tx.allocateSlots(1);
    const row = withChecksum({
      // Slots are unique, so the id of a category can be one.
      id: first,
      uid: uuidv7(at),
      name: input.name,
      name_key: toNameKey(input.name),
      name_json: JSON.stringify(input.name),
      description: input.description ?? null,
      fixed: 0,
      version: 1,
      name_version: 1,
      created_at: at,
      updated_at: at,
    });
    await tx.insert(CATEGORIES, [row]);
    await invalidateCategories(tx);
    return stored(row);
  },
);

export interface CategoryUpdate {
  id: string;
  change: CategoryChange;
  ifMatch: string[] | undefined;
}

export const updateCategory = defineCommand(
  'updateCategory',
  async (tx: Tx, { id, change, ifMatch }: CategoryUpdate): Promise<StoredCategory> => {
    const row = await findRow(tx, id, tx.dialect.forUpdate);
    requireMatch(etag(row), ifMatch);
    const name = change.name ?? row.name;
    const description = change.description === undefined ? row.description : change.description;
    if (name === row.name && description === row.description) return stored(row);
    if (name !== row.name && row.fixed === 1) throw errors.categoryFixed(row.name);
    await refuseTaken(tx, name, row.id);
    const { at } = await tx.allocateSlots(1);
    const next = withChecksum({
      ...row,
      name,
      name_key: toNameKey(name),
      name_json: JSON.stringify(name),
      description,
      version: row.version + 1,
      name_version: row.name_version + (name === row.name ? 0 : 1),
      updated_at: at,
    });
    await tx.run(
      `UPDATE categories SET name = $2, name_key = $3, name_json = $4, description = $5, version = $6, name_version = $7,
            updated_at = $8, checksum = $9 WHERE id = $1`,
      next.id,
      next.name,
      next.name_key,
      next.name_json,
      next.description,
      next.version,
      next.name_version,
      at,
      next.checksum,
    );
    await invalidateCategories(tx);
    return stored(next);
  },
);

export const deleteCategory = defineCommand(
  'deleteCategory',
  async (tx: Tx, { id, ifMatch }: { id: string; ifMatch: string[] | undefined }): Promise<null> => {
    const row = await findRow(tx, id, tx.dialect.forUpdate);
    requireMatch(etag(row), ifMatch);
    if (row.fixed === 1) throw errors.categoryFixed(row.name);
    try {
      await tx.run('DELETE FROM categories WHERE id = $1', row.id);
    } catch (error) {
      if (error instanceof ConstraintViolation) throw errors.categoryInUse(row.name);
      throw error;
    }
    await invalidateCategories(tx);
    return null;
  },
);
