/** What is written at the end that a bank is moved to: the mark that it is not all there yet, its rows, and the end. */

import { lockBankState } from '../bank-state.ts';
import type { Counters, Row, Tx, Value } from '../db.ts';
import { facetsOf } from '../questions/facets.ts';
import { putTerms } from '../questions/questions.ts';
import { fieldsOfRow, type QuestionRow } from '../questions/row.ts';
import { BEGINNING, compared, movedTables, type Place, SEARCH, tableNamed } from './tables.ts';

/** How far each table is, and how many rows that were. */
export type Places = Record<string, { place: Place; rows: number }>;

export type Beginning =
  | { places: Places }
  /** The bank is used by somebody, or is being moved to from elsewhere. */
  | { refused: 'in use' | 'another' };

/** Marks the bank as one that is being moved to, from `origin`; or finds that it is. */
export async function beginMove(tx: Tx, origin: string): Promise<Beginning> {
  await lockBankState(tx);
  const rows = await tx.all<{ name: string; origin: string; place: Place; n: number }>(
    'SELECT name, origin, place, n FROM moving',
  );
  if (rows.some((row) => row.origin !== origin)) return { refused: 'another' };
  if (rows.length > 0)
    return { places: Object.fromEntries(rows.map(({ name, place, n }) => [name, { place, rows: n }])) };
  for (const { name } of movedTables) {
    // Every bank has some from the start.
    if (name !== 'categories' && (await tx.get(`SELECT 1 AS used FROM ${name} LIMIT 1`)))
      return { refused: 'in use' };
  }
  const names = movedTables.map(({ name }) => name);
  await tx.insert(
    { name: 'moving', columns: { name: 'text', origin: 'text', place: 'text', n: 'bigint' } },
    names.map((name) => [name, origin, BEGINNING, 0]),
  );
  return { places: Object.fromEntries(names.map((name) => [name, { place: BEGINNING, rows: 0 }])) };
}

export interface Chunk {
  table: string;
  rows: Value[][];
  /** Whether the table has been empty before, so that none of the rows can be there. */
  fresh: boolean;
  /** Where it was read from, and where it leads. */
  after: Place;
  place: Place;
}

/** Writes rows, and how far that is, both or neither; false if somebody else is further. */
export async function moveRows(tx: Tx, { table: name, rows, fresh, after, place }: Chunk): Promise<boolean> {
  const moved = await tx.run(
    'UPDATE moving SET place = $3, n = n + CAST($4 AS bigint) WHERE name = $1 AND place = $2',
    name,
    after,
    place,
    rows.length,
  );
  if (moved === 0) {
    const at = await tx.get<{ place: Place }>('SELECT place FROM moving WHERE name = $1', name);
    // It was written before, and only the answer was lost.
    return at?.place === place;
  }
  if (rows.length === 0) return true;
  const table = tableNamed(tx, name);
  // What stands in the way of a row, from before the bank was used again, shows when the tables are compared.
  await tx.insert(fresh ? table : { ...table, onConflict: 'ON CONFLICT DO NOTHING' }, rows);
  if (name === 'questions') indexWords(tx, Object.keys(table.columns), rows);
  return true;
}

/** The index of words is made anew: not every engine could read it back. */
function indexWords(tx: Tx, columns: string[], rows: Value[][]): void {
  for (const values of rows) {
    const row = Object.fromEntries(columns.map((column, i) => [column, values[i]])) as unknown as QuestionRow;
    const fields = fieldsOfRow(row);
    putTerms(tx, row, facetsOf(row.category_id, fields), fields);
  }
}

/** Takes tables to be at their beginning; their rows are removed by `removeRows`. A bank that is not marked has none. */
export async function startOver(tx: Tx, tables: string[]): Promise<null> {
  for (const name of tables)
    await tx.run('UPDATE moving SET place = $2, n = 0 WHERE name = $1', name, BEGINNING);
  return null;
}

const REMOVED_AT_ONCE = 2000;

/** Removes some rows of a table, the first by its key; false if there are none left. */
export async function removeRows(tx: Tx, name: string): Promise<boolean> {
  const mark = await tx.get<{ place: Place }>(
    `SELECT place FROM moving WHERE name = $1 ${tx.dialect.forUpdate}`,
    name === SEARCH ? 'questions' : name,
  );
  // Somebody else has got on with it, or it is over: what is there is not to be touched.
  if (mark?.place !== BEGINNING) return false;
  const table = tableNamed(tx, name);
  const keys = table.key.join(', ');
  const last = await tx.get<Row>(
    `SELECT ${keys} FROM ${name} ORDER BY ${keys} LIMIT 1 OFFSET ${REMOVED_AT_ONCE - 1}`,
  );
  if (!last) await tx.run(`DELETE FROM ${name}`);
  else
    await tx.run(
      `DELETE FROM ${name} WHERE ${compared(table, '<=')}`,
      ...table.key.map((column) => last[column]!),
    );
  return last !== undefined;
}

export interface Ending {
  counters: Counters;
  epoch: number;
  cursorKey: string;
}

/** From here on the bank is one like any other. Said twice, because the answer was lost, it must not turn back the numbers. */
export async function endMove(tx: Tx, { counters, epoch, cursorKey }: Ending): Promise<null> {
  if ((await tx.run('DELETE FROM moving')) === 0) return null;
  await tx.run('UPDATE bank_state SET epoch = $1, cursor_key = $2', epoch, cursorKey);
  await tx.setCounters(counters);
  return null;
}
