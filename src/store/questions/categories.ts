import { findNearestName } from '../../bits/nearest-name.ts';
import { errors, type Fault } from '../../errors.ts';
import type { Category, CategoryChange, CategoryInput } from '../../schemas/category.ts';
import { toNameKey } from '../../schemas/names.ts';
import { ConstraintViolation, type Db, defineCommand, type Tx } from '../db.ts';
import { canonicalId, uuidv7 } from '../ids.ts';
import { nextEpoch } from '../index/postings.ts';
import { requireMatch } from '../preconditions.ts';
import { formatTime } from '../time.ts';
import { CATEGORIES, type CategoryRow, computeCategoryChecksum } from './category-row.ts';

function requireSound<R extends CategoryRow>(row: R): R {
  if (computeCategoryChecksum(row) !== row.checksum) throw errors.damagedData(`Category ${row.uid}`);
  return row;
}

export async function allCategories(db: Db): Promise<CategoryRow[]> {
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

/** The category of a revision; if that was deleted, the one that has its name now. */
export const findCategoryOf = (
  { category_id, category }: { category_id: number; category: string },
  categories: Map<string, CategoryRow>,
): CategoryRow | undefined =>
  [...categories.values()].find(({ id }) => id === category_id) ??
  categories.get(toNameKey(JSON.parse(category)));

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

/** The category of a question or of a pending change. */
export async function requireCategoryOf(
  tx: Tx,
  row: { category_id: number; category: string },
): Promise<CategoryRow> {
  const category = findCategoryOf(row, await categoriesIn(tx));
  if (!category) throw errors.categoryDeleted(JSON.parse(row.category));
  return category;
}

/** Invalidates the cached categories of this transaction and of all readers. */
async function invalidateCategories(tx: Tx): Promise<void> {
  tx.uncache('categories');
  await nextEpoch(tx);
}

export const presentCategory = (row: CategoryRow): Category => ({
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

const stored = (row: CategoryRow): StoredCategory => ({ etag: etag(row), category: presentCategory(row) });

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
      await removeCategory(tx, row.id);
    } catch (error) {
      if (error instanceof ConstraintViolation) throw errors.categoryInUse(row.name);
      throw error;
    }
    return null;
  },
);

/** Deletes a category. Violates a constraint if it has questions. */
export async function removeCategory(tx: Tx, id: number): Promise<void> {
  await tx.run('DELETE FROM categories WHERE id = $1', id);
  await invalidateCategories(tx);
}

/** Inserts a deleted category again, unless its name is taken. */
export async function restoreCategory(tx: Tx, row: CategoryRow): Promise<void> {
  const other = await tx.get(
    'SELECT 1 AS found FROM categories WHERE name_key = $1 OR id = $2',
    row.name_key,
    row.id,
  );
  if (other) return;
  const { at } = await tx.allocateSlots(1);
  await tx.insert(CATEGORIES, [withChecksum({ ...row, version: row.version + 1, updated_at: at })]);
  await invalidateCategories(tx);
}

/**
 * Locks the categories of a merge. Refuses built-in ones, and those that do not exist. `ids` are
 * those to be merged into the target.
 */
export async function lockForMerge(
  tx: Tx,
  target: string,
  ids: readonly string[],
): Promise<{ target: CategoryRow; merged: CategoryRow[] }> {
  const rows = new Map<string, CategoryRow>();
  const uids = [target, ...ids].map((id) => canonicalId(id) ?? id);
  const repeated = uids.findIndex((uid, i) => uids.indexOf(uid) < i);
  if (repeated > 0)
    throw errors.invalidBody([
      {
        pointer: `/category_ids/${repeated - 1}`,
        code: 'duplicate',
        detail: 'must be neither a duplicate nor the category to merge into',
      },
    ]);
  for (const uid of uids.toSorted()) rows.set(uid, await findRow(tx, uid, tx.dialect.forUpdate));
  const merged = uids.slice(1).map((uid) => rows.get(uid)!);
  const fixed = merged.find((row) => row.fixed === 1);
  if (fixed) throw errors.categoryFixed(fixed.name);
  return { target: rows.get(uids[0]!)!, merged };
}
