/**
 * Digests of tables. Databases sort text by rules of their own, so a digest must not depend on the
 * order of rows: each row is serialised without ambiguity and hashed by SHA-256, and the hashes are
 * added up.
 */
import { hash } from 'node:crypto';
import { Ticker } from '../../concurrency/ticker.ts';
import { type Db, defineQuery, type Row } from '../db.ts';
import { buildTerms, listFacets, term } from '../questions/facets.ts';
import { parseFields, type QuestionRow } from '../questions/row.ts';
import type { Value } from '../table.ts';
import { type BankTable, findBankTable, readBatches, searchSlots } from './tables.ts';

export interface TableDigest {
  rows: number;
  /** The sum of the rows' SHA-256 hashes, in hexadecimal. */
  sha256: string;
}

/** Adds up the hashes of rows, as eight sums of 32 bits. */
export class Digester {
  readonly #words = new Uint32Array(8);
  #rows = 0;

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      let text = '';
      for (const value of Object.values(row)) text += serialize(value);
      const bytes = hash('sha256', text, 'buffer');
      for (let i = 0; i < 8; i++) this.#words[i]! += bytes.readUInt32LE(4 * i);
    }
    this.#rows += rows.length;
  }

  digest(): TableDigest {
    const words = Array.from(this.#words, (word) => word.toString(16).padStart(8, '0'));
    return { rows: this.#rows, sha256: words.join('') };
  }
}

/** Prefixed with the type and length, so that "1" differs from 1, and "a", "bc" from "ab", "c". */
function serialize(value: Value): string {
  if (value === null) return 'n';
  if (typeof value === 'number') return `i${value};`;
  if (typeof value === 'string') return `s${value.length}:${value}`;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return `b${bytes.length}:${bytes.toString('latin1')}`;
}

export const digestTable = defineQuery('digestTable', async (db: Db, name: string): Promise<TableDigest> => {
  return digestRows(db, findBankTable(name), new Ticker());
});

async function digestRows(db: Db, table: BankTable, ticker: Ticker): Promise<TableDigest> {
  const digester = new Digester();
  for await (const rows of readBatches(db, table)) {
    digester.add(rows);
    await ticker.yield();
  }
  return digester.digest();
}

const SAMPLED_QUESTIONS = 8;
const MAX_SAMPLED_TERMS = 24;

/**
 * Digests the full-text index: its slots, and the matches of terms that are sampled from the
 * source's questions, so that both banks are compared by the same searches.
 */
export const digestSearch = defineQuery(
  'digestSearch',
  async (db: Db, terms: string[]): Promise<TableDigest> => {
    const digester = new Digester();
    const ticker = new Ticker();
    for (const wanted of terms) {
      for (const none of [term.notFirst, term.notLast]) {
        const row = await db.get<{ n: number; total: number }>(
          `SELECT count(*) AS n, CAST(coalesce(sum(${db.dialect.slotColumn}), 0) AS bigint) AS total
         FROM search WHERE ${db.dialect.matches('$1')}`,
          db.dialect.matchExpression({ any: [[[wanted]]], none: [none] }),
        );
        digester.add([{ wanted, none, n: row!.n, total: row!.total }]);
      }
      await ticker.yield();
    }
    const slots = await digestRows(db, searchSlots(db), ticker);
    return { rows: slots.rows, sha256: hash('sha256', digester.digest().sha256 + slots.sha256, 'hex') };
  },
);

/** Terms of some questions, spread over the bank: words, words of answers and facets. */
export async function sampleTerms(db: Db): Promise<string[]> {
  const ends = await db.get<{ first: number | null; last: number | null }>(
    'SELECT min(created_slot) AS first, max(created_slot) AS last FROM questions',
  );
  const { first, last } = ends!;
  if (first === null || last === null) return [];
  const terms = new Set<string>();
  for (let i = 0; i < SAMPLED_QUESTIONS; i++) {
    const row = await db.get<Pick<QuestionRow, 'category_id' | 'public_json' | 'answer_json' | 'status'>>(
      `SELECT category_id, public_json, answer_json, status FROM questions
       WHERE created_slot >= $1 ORDER BY created_slot LIMIT 1`,
      Math.floor(first + (i * (last - first)) / (SAMPLED_QUESTIONS - 1)),
    );
    const fields = parseFields(row!);
    for (const each of buildTerms(listFacets(row!.category_id, fields), fields).split(' ')) terms.add(each);
  }
  const step = Math.ceil(terms.size / MAX_SAMPLED_TERMS);
  return [...terms].sort().filter((_, i) => i % step === 0);
}
