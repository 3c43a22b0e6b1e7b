/** The index entries of a question: its facets in `postings` and its terms in `search`. */
import type { Tx } from '../db.ts';
import { findSetsWith, sets } from '../index/postings.ts';
import { buildTerms, listFacets, term } from './facets.ts';
import type { QuestionFields } from './fields.ts';
import { parseFields, type QuestionRow } from './row.ts';

/** Adds the index entries of an updated question, which has two slots. */
export function addToIndex(tx: Tx, row: QuestionRow, fields: QuestionFields): void {
  const facets = listFacets(row.category_id, fields);
  addToSets(tx, row, facets);
  putTerms(tx, row, facets, fields);
}

type Slots = Pick<QuestionRow, 'created_slot' | 'updated_slot'>;

export function addToSets(tx: Tx, { created_slot, updated_slot }: Slots, facets: string[]): void {
  for (const name of facets) {
    tx.index.add(sets.created(name), created_slot);
    if (updated_slot === created_slot) continue;
    tx.index.add(sets.left(name), created_slot);
    tx.index.add(sets.moved(name), updated_slot);
  }
}

/** Indexes the words of a question at each of its slots. */
export function putTerms(
  tx: Tx,
  { created_slot, updated_slot }: Slots,
  facets: string[],
  fields: QuestionFields,
): void {
  if (updated_slot === created_slot) {
    tx.index.putTerms(created_slot, buildTerms(facets, fields));
    return;
  }
  tx.index.putTerms(created_slot, buildTerms(facets, fields, term.notLast));
  tx.index.putTerms(updated_slot, buildTerms(facets, fields, term.notFirst));
}

interface Indexed {
  row: QuestionRow;
  fields: QuestionFields;
}

/** Replaces the index entries of a question by those of its next revision. */
export function moveInIndex(tx: Tx, before: Indexed, after: Indexed): void {
  const { created_slot, updated_slot } = before.row;
  const wasUpdated = updated_slot !== created_slot;
  const old = new Set(listFacets(before.row.category_id, before.fields));
  const facets = listFacets(after.row.category_id, after.fields);
  for (const name of facets) {
    const isNew = !old.delete(name);
    if (isNew) tx.index.add(sets.created(name), created_slot);
    if (isNew || !wasUpdated) tx.index.add(sets.left(name), created_slot);
    const moved = sets.moved(name);
    if (!isNew && wasUpdated) tx.index.remove(moved, updated_slot);
    tx.index.add(moved, after.row.updated_slot);
  }
  for (const name of old) {
    tx.index.remove(sets.created(name), created_slot);
    if (!wasUpdated) continue;
    tx.index.remove(sets.left(name), created_slot);
    tx.index.remove(sets.moved(name), updated_slot);
  }
  tx.index.removeTerms(created_slot);
  tx.index.removeTerms(updated_slot);
  putTerms(tx, after.row, facets, after.fields);
}

/** Removes a question whose facets cannot be read: its slots are searched for in all sets. */
export async function removeDamagedFromIndex(tx: Tx, { created_slot, updated_slot }: Slots): Promise<void> {
  for (const slot of new Set([created_slot, updated_slot])) {
    for (const set of await findSetsWith(tx, slot)) tx.index.remove(set, slot);
    tx.index.removeTerms(slot);
  }
}

export function removeFromIndex(tx: Tx, row: QuestionRow): void {
  for (const name of listFacets(row.category_id, parseFields(row))) {
    tx.index.remove(sets.created(name), row.created_slot);
    if (row.updated_slot === row.created_slot) continue;
    tx.index.remove(sets.left(name), row.created_slot);
    tx.index.remove(sets.moved(name), row.updated_slot);
  }
  tx.index.removeTerms(row.created_slot);
  tx.index.removeTerms(row.updated_slot);
}
