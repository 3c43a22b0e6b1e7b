import { errors } from '../../errors.ts';
import type { Category, CategoryChange, CategoryInput } from '../../schemas/category.ts';
import { DIFFICULTIES } from '../../schemas/difficulties.ts';
import { ConstraintViolation, type Db, type Tx } from '../db.ts';
import { canonicalId, uuidv7 } from '../ids.ts';
import { countSets, nextEpoch, sets } from '../index/postings.ts';
import { refuseStale } from '../preconditions.ts';
import { facet, nameKey } from './facets.ts';
import { time } from './row.ts';

export interface CategoryRow {
  id: number;
  uid: string;
  name: string;
  name_key: string;
  /** The name as JSON text, ready to be put into a question. */
  name_json: string;
  description: string | null;
  fixed: number;
  /** Counts its changes. */
  version: number;
  /** Counts its names: part of its questions' ETags, which change with its name. */
  name_version: number;
  created_at: number;
  updated_at: number;
}

const allCategories = (db: Db) => db.all<CategoryRow>('SELECT * FROM categories ORDER BY id');

export async function categoriesByKey(db: Db): Promise<Map<string, CategoryRow>> {
  return new Map((await allCategories(db)).map((row) => [row.name_key, row]));
}

/** The same within a transaction: many creates in one commit read them once. */
export const categoriesIn = (tx: Tx) => tx.cached('categories', () => categoriesByKey(tx));

/** Tells readers, and what follows in this transaction, that the categories are others now. */
async function changed(tx: Tx): Promise<void> {
  tx.forget('categories');
  await nextEpoch(tx);
}

const present = (row: CategoryRow): Category => ({
  id: row.uid,
  name: row.name,
  description: row.description,
  fixed: row.fixed === 1,
  created_at: time(row.created_at),
  updated_at: time(row.updated_at),
});

const etag = (row: CategoryRow) => `"${row.version}"`;

export interface StoredCategory {
  etag: string;
  category: Category;
}

const stored = (row: CategoryRow): StoredCategory => ({ etag: etag(row), category: present(row) });

/** Every category with how many questions it has at each difficulty. */
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
  return stored(await find(db, id));
}

async function find(db: Db, id: string, lock = ''): Promise<CategoryRow> {
  const uid = canonicalId(id);
  const row = uid && (await db.get<CategoryRow>(`SELECT * FROM categories WHERE uid = $1 ${lock}`, uid));
  if (!row) throw errors.noSuchCategory(id);
  return row;
}

async function refuseTaken(db: Db, name: string, by?: number): Promise<void> {
  const other = await db.get<CategoryRow>('SELECT * FROM categories WHERE name_key = $1', nameKey(name));
  if (other && other.id !== by) throw errors.categoryExists(other.name);
}

export async function createCategory(tx: Tx, input: CategoryInput): Promise<StoredCategory> {
  await refuseTaken(tx, input.name);
  const { first, at } = await tx.allocateSlots(1);
  const row: CategoryRow = {
    // A slot is a number nobody else has.
    id: first,
    uid: uuidv7(at),
    name: input.name,
    name_key: nameKey(input.name),
    name_json: JSON.stringify(input.name),
    description: input.description ?? null,
    fixed: 0,
    version: 1,
    name_version: 1,
    created_at: at,
    updated_at: at,
  };
  await tx.run(
    `INSERT INTO categories (id, uid, name, name_key, name_json, description, fixed, version, name_version, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
    row.id,
    row.uid,
    row.name,
    row.name_key,
    row.name_json,
    row.description,
    row.fixed,
    row.version,
    row.name_version,
    at,
  );
  await changed(tx);
  return stored(row);
}

export interface CategoryUpdate {
  id: string;
  change: CategoryChange;
  ifMatch: string[] | undefined;
}

export async function updateCategory(
  tx: Tx,
  { id, change, ifMatch }: CategoryUpdate,
): Promise<StoredCategory> {
  const row = await find(tx, id, tx.dialect.forUpdate);
  refuseStale(etag(row), ifMatch);
  const name = change.name ?? row.name;
  const description = change.description === undefined ? row.description : change.description;
  if (name === row.name && description === row.description) return stored(row);
  if (name !== row.name && row.fixed === 1) throw errors.categoryFixed(row.name);
  await refuseTaken(tx, name, row.id);
  const { at } = await tx.allocateSlots(1);
  const next: CategoryRow = {
    ...row,
    name,
    name_key: nameKey(name),
    name_json: JSON.stringify(name),
    description,
    version: row.version + 1,
    name_version: row.name_version + (name === row.name ? 0 : 1),
    updated_at: at,
  };
  await tx.run(
    `UPDATE categories SET name = $2, name_key = $3, name_json = $4, description = $5, version = $6, name_version = $7,
            updated_at = $8 WHERE id = $1`,
    next.id,
    next.name,
    next.name_key,
    next.name_json,
    next.description,
    next.version,
    next.name_version,
    at,
  );
  await changed(tx);
  return stored(next);
}

export async function deleteCategory(
  tx: Tx,
  { id, ifMatch }: { id: string; ifMatch: string[] | undefined },
): Promise<null> {
  const row = await find(tx, id, tx.dialect.forUpdate);
  refuseStale(etag(row), ifMatch);
  if (row.fixed === 1) throw errors.categoryFixed(row.name);
  try {
    await tx.run('DELETE FROM categories WHERE id = $1', row.id);
  } catch (error) {
    if (error instanceof ConstraintViolation) throw errors.categoryInUse(row.name);
    throw error;
  }
  await changed(tx);
  return null;
}
