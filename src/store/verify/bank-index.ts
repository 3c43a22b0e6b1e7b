/**
 * Compares the index with the questions: every posting and every term of the full-text index. Sets
 * are compared by their number of slots and the sum of their slots.
 */
import type { Db } from '../db.ts';
import { FACET_TOTALS, isCounted, POSTINGS, readPendingMarks, sets } from '../index/postings.ts';
import { SlotSet, toSlot } from '../index/slots.ts';
import { findBankTable, readBatches, searchSlots } from '../migrate/tables.ts';
import {
  DELETED_QUESTIONS,
  type DeletedRow,
  type LastContent,
  listDeletedEntries,
  readDeletedContents,
} from '../questions/deleted.ts';
import { buildTerms, listFacets, term } from '../questions/facets.ts';
import { parseFields, QUESTIONS, type QuestionRow } from '../questions/row.ts';
import type { RowOf } from '../table.ts';

/** The number and the sum of the slots of each set. */
class Tally {
  readonly entries = new Map<string, { n: number; sum: number }>();

  add(name: string, slot: number, n = 1): void {
    const entry = this.entries.getOrInsertComputed(name, () => ({ n: 0, sum: 0 }));
    entry.n += n;
    entry.sum += n * slot;
  }
}

interface Expected {
  postings: Tally;
  terms: Tally;
  /** Entries of the full-text index. */
  slots: number;
}

/** Runs within a snapshot, of a bank whose questions are sound. */
export async function verifyIndex(db: Db, report: (done: string) => void): Promise<string[]> {
  const expected = await tallyQuestions(db, report);
  return [...(await comparePostings(db, expected)), ...(await compareTerms(db, expected, report))];
}

async function tallyQuestions(db: Db, report: (done: string) => void): Promise<Expected> {
  const expected: Expected = { postings: new Tally(), terms: new Tally(), slots: 0 };
  let rows = 0;
  for await (const batch of readBatches(db, findBankTable(QUESTIONS.name))) {
    for (const row of batch as unknown as QuestionRow[]) tallyQuestion(expected, row);
    rows += batch.length;
    report(`reading questions for the index: ${rows}`);
  }
  for await (const batch of readBatches(db, findBankTable(DELETED_QUESTIONS.name)))
    for (const [slot, content] of await readDeletedContents(db, batch as unknown as DeletedRow[]))
      tallyDeleted(expected, slot, content);
  return expected;
}

function tallyDeleted(expected: Expected, slot: number, content: LastContent): void {
  const { facets, terms } = listDeletedEntries(content);
  for (const name of facets) expected.postings.add(sets.deleted(name), slot);
  for (const word of new Set(terms.split(' '))) expected.terms.add(word, slot);
  expected.slots++;
}

function tallyQuestion(expected: Expected, row: QuestionRow): void {
  const { postings, terms } = expected;
  const { created_slot, updated_slot } = row;
  const fields = parseFields(row);
  const facets = listFacets(row.category_id, fields);
  const moved = updated_slot !== created_slot;
  for (const name of facets) {
    postings.add(sets.created(name), created_slot);
    if (!moved) continue;
    postings.add(sets.left(name), created_slot);
    postings.add(sets.moved(name), updated_slot);
  }
  const indexed: [slot: number, mark: string][] = moved
    ? [
        [created_slot, term.notLast],
        [updated_slot, term.notFirst],
      ]
    : [[created_slot, '']];
  for (const [slot, mark] of indexed)
    for (const word of new Set(buildTerms(facets, fields, mark).split(' '))) terms.add(word, slot);
  expected.slots += indexed.length;
}

async function comparePostings(db: Db, { postings }: Expected): Promise<string[]> {
  const actual = new Tally();
  for await (const batch of readBatches(db, findBankTable(POSTINGS.name)))
    for (const row of batch as unknown as RowOf<typeof POSTINGS>[])
      for (const slot of new SlotSet([row]).slice(0, row.n)) actual.add(row.facet, slot);
  const totals = await compareTotals(db, actual);
  const logged = await db.all<{ facet: string }>('SELECT DISTINCT facet FROM postings_log');
  const pending = await readPendingMarks(
    db,
    logged.map(({ facet }) => facet),
  );
  for (const { set, block, added, removed } of pending.changes()) {
    for (const offset of added) actual.add(set, toSlot(block, offset));
    for (const offset of removed) actual.add(set, toSlot(block, offset), -1);
  }
  const names = new Set([...postings.entries.keys(), ...actual.entries.keys()]);
  const entries = [...names].flatMap((name) =>
    compare(`index entry ${name}`, postings.entries.get(name), actual.entries.get(name)),
  );
  return [...entries, ...totals];
}

/** Compares the totals of sets with their blocks. The log is in neither. */
async function compareTotals(db: Db, { entries }: Tally): Promise<string[]> {
  const totals = new Map<string, number>();
  for await (const batch of readBatches(db, findBankTable(FACET_TOTALS.name)))
    for (const { facet, n } of batch as unknown as RowOf<typeof FACET_TOTALS>[]) totals.set(facet, n);
  const names = new Set([...totals.keys(), ...entries.keys().filter(isCounted)]);
  return [...names].flatMap((name) => {
    const [total, n] = [totals.get(name) ?? 0, entries.get(name)?.n ?? 0];
    return total === n ? [] : [`total of the index entry ${name}: is ${total}, expected ${n}`];
  });
}

async function compareTerms(db: Db, expected: Expected, report: (done: string) => void): Promise<string[]> {
  const { terms } = expected;
  const faults: string[] = [];
  let slots = 0;
  for await (const batch of readBatches(db, searchSlots(db))) slots += batch.length;
  if (slots !== expected.slots)
    faults.push(`full-text index: has ${slots} entries, expected ${expected.slots}`);
  let checked = 0;
  for (const [word, entry] of terms.entries) {
    const row = await db.get<{ n: number; sum: number }>(
      `SELECT count(*) AS n, CAST(coalesce(sum(${db.dialect.slotColumn}), 0) AS bigint) AS sum
       FROM search WHERE ${db.dialect.matches('$1')}`,
      db.dialect.matchExpression({ any: [[[word]]], none: [term.never] }),
    );
    faults.push(...compare(`full-text index, term ${word}`, entry, row));
    if (++checked % 1000 === 0) report(`comparing terms: ${checked} of ${terms.entries.size}`);
  }
  return faults;
}

function compare(
  subject: string,
  expected?: { n: number; sum: number },
  actual?: { n: number; sum: number },
): string[] {
  const [wanted, found] = [expected ?? { n: 0, sum: 0 }, actual ?? { n: 0, sum: 0 }];
  if (wanted.n === found.n && wanted.sum === found.sum) return [];
  return [`${subject}: has ${found.n} questions, expected ${wanted.n}`];
}
