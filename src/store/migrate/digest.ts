/**
 * What a table holds, in one number that does not depend on the order of its rows: databases sort text by rules of their
 * own. Each row is written out so that no two rows read alike, and hashed; the hashes are added up.
 */
import { hash } from 'node:crypto';
import type { Db, Value } from '../db.ts';
import { facetsOf, term, termsOf } from '../questions/facets.ts';
import { fieldsOfRow } from '../questions/row.ts';
import { type Place, readChunk, tableNamed } from './tables.ts';

/** Eight sums of 32 bits, and of how many rows they are. */
export interface Sums {
  rows: number;
  words: number[];
}

export const NOTHING: Sums = { rows: 0, words: Array(8).fill(0) };

export const added = (a: Sums, b: Sums): Sums => ({
  rows: a.rows + b.rows,
  words: a.words.map((word, i) => (word + b.words[i]!) >>> 0),
});

export const textOf = ({ words }: Sums) => words.map((word) => word.toString(16).padStart(8, '0')).join('');

export const sameSums = (a: Sums, b: Sums) => a.rows === b.rows && textOf(a) === textOf(b);

/** With its kind and, where it is not of one length, its length: "1" and 1 differ, and so do "a", "bc" and "ab", "c". */
function written(value: Value): string {
  if (value === null) return 'n';
  if (typeof value === 'number') return `i${value};`;
  if (typeof value === 'string') return `s${value.length}:${value}`;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return `b${bytes.length}:${bytes.toString('latin1')}`;
}

export function sumsOf(rows: Value[][]): Sums {
  const words = new Uint32Array(8);
  for (const row of rows) {
    let text = '';
    for (const value of row) text += written(value);
    const bytes = hash('sha256', text, 'buffer');
    for (let i = 0; i < 8; i++) words[i]! += bytes.readUInt32LE(4 * i);
  }
  return { rows: rows.length, words: [...words] };
}

export interface Stretch {
  table: string;
  after: Place;
}

/** The sums of the next rows behind a place. */
export async function sumRows(db: Db, { table, after }: Stretch): Promise<{ sums: Sums; place: Place }> {
  const { rows, place } = await readChunk(db, tableNamed(db, table), after);
  return { sums: sumsOf(rows), place };
}

/** How many questions, spread over the bank, give the terms that are looked for, and how many terms that are at the most. */
const SAMPLES = 8;
const MOST_TERMS = 24;

/** What some questions are indexed under: words of theirs, of their answers, and facets. */
export async function someTerms(db: Db): Promise<string[]> {
  const ends = await db.get<{ first: number | null; last: number | null }>(
    'SELECT min(created_slot) AS first, max(created_slot) AS last FROM questions',
  );
  const terms = new Set<string>();
  const { first, last } = ends!;
  for (let i = 0; i < SAMPLES && first !== null && last !== null; i++) {
    const row = await db.get<{ category_id: number; public_json: string; answer_json: string }>(
      'SELECT category_id, public_json, answer_json FROM questions WHERE created_slot >= $1 ORDER BY created_slot LIMIT 1',
      Math.floor(first + (i * (last - first)) / (SAMPLES - 1)),
    );
    const fields = fieldsOfRow(row!);
    for (const each of termsOf(facetsOf(row!.category_id, fields), fields).split(' ')) terms.add(each);
  }
  const every = Math.ceil(terms.size / MOST_TERMS);
  return [...terms].sort().filter((_, i) => i % every === 0);
}

/** How many slots a search for the term finds in either order, and which. */
export async function sumMatches(db: Db, wanted: string): Promise<Sums> {
  const found: Value[][] = [];
  for (const mark of [term.notFirst, term.notLast]) {
    const row = await db.get<{ n: number; total: number }>(
      `SELECT count(*) AS n, CAST(coalesce(sum(${db.dialect.slotColumn}), 0) AS bigint) AS total
       FROM search WHERE ${db.dialect.matches('$1')}`,
      db.dialect.matchExpression({ all: [[wanted]], none: [mark] }),
    );
    found.push([wanted, mark, row!.n, row!.total]);
  }
  return { ...sumsOf(found), rows: 0 };
}
