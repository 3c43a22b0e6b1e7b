/** What a bank consists of, table by table, for whoever carries it to another database; see moving.ts. */
import { ITEMS, RESULTS } from '../analyses/queue.ts';
import type { Db, Dialect, Row, Table, Value } from '../db.ts';
import { POSTINGS } from '../index/postings.ts';
import { QUESTIONS } from '../questions/questions.ts';
import { QUESTIONS_OF_RUN } from '../questions/selection.ts';
import { ANSWERED, ANSWERED_QUESTIONS } from '../responses/responses.ts';
import { SITTINGS } from '../responses/sittings.ts';

export interface MovedTable extends Table {
  /** By what it is gone through: an index of its own order, whatever the database's language is. */
  key: string[];
  /** Rows that are read, sent and written together. */
  chunk: number;
  /** What is taken in place of a column. */
  instead?: Record<string, string>;
}

/** Without what is done elsewhere about rows that are there already. */
const plain = ({ name, columns }: Table): Table => ({ name, columns });

/**
 * In the order in which rows may refer to others. Tables of one family are begun anew together: rows of the later ones
 * refer to rows of the first, which is small.
 */
export const families: readonly (readonly MovedTable[])[] = [
  [
    {
      name: 'categories',
      key: ['id'],
      chunk: 1000,
      columns: {
        id: 'bigint',
        uid: 'uuid',
        name: 'text',
        name_key: 'text',
        name_json: 'text',
        description: 'text',
        fixed: 'integer',
        version: 'integer',
        name_version: 'integer',
        created_at: 'bigint',
        updated_at: 'bigint',
      },
    },
    {
      ...plain(QUESTIONS),
      key: ['created_slot'],
      chunk: 1000,
    },
  ],
  [
    {
      name: 'revisions',
      key: ['question_id', 'revision'],
      chunk: 1000,
      columns: {
        question_id: 'uuid',
        revision: 'integer',
        action: 'text',
        at: 'bigint',
        created_slot: 'bigint',
        created_at: 'bigint',
        category_id: 'bigint',
        category: 'text',
        public_json: 'text',
        answer_json: 'text',
      },
    },
  ],
  [
    {
      ...plain(POSTINGS),
      key: ['facet', 'block'],
      chunk: 1000,
    },
  ],
  [
    {
      name: 'clients',
      key: ['id'],
      chunk: 1000,
      columns: {
        id: 'text',
        name: 'text',
        role: 'text',
        secret: 'text',
        version: 'integer',
        created_at: 'bigint',
        updated_at: 'bigint',
      },
    },
    {
      name: 'tokens',
      key: ['hash'],
      chunk: 1000,
      columns: {
        hash: 'text',
        kind: 'text',
        id: 'uuid',
        client_id: 'text',
        family: 'uuid',
        name: 'text',
        scope: 'text',
        created_at: 'bigint',
        expires_at: 'bigint',
        ends_at: 'bigint',
        used_at: 'bigint',
        salt: 'text',
        next_access: 'text',
        next_refresh: 'text',
      },
    },
  ],
  [
    {
      name: 'idempotency',
      key: ['scope', 'key'],
      // A thousand questions that were created in one go are one row.
      chunk: 10,
      columns: { scope: 'text', key: 'text', fingerprint: 'text', at: 'bigint', result: 'text' },
    },
  ],
  [
    {
      name: 'analyses',
      key: ['id'],
      chunk: 500,
      columns: {
        id: 'uuid',
        client_id: 'text',
        type: 'text',
        reads_answers: 'integer',
        parameters: 'text',
        filter: 'text',
        view: 'text',
        reveals_answers: 'integer',
        status: 'text',
        version: 'integer',
        question_count: 'bigint',
        progress: 'integer',
        attempts: 'integer',
        lease: 'text',
        lease_until: 'bigint',
        error: 'text',
        created_at: 'bigint',
        started_at: 'bigint',
        finished_at: 'bigint',
      },
    },
    {
      ...plain(RESULTS),
      key: ['analysis_id', 'view'],
      chunk: 10,
    },
    {
      ...plain(ITEMS),
      key: ['analysis_id', 'view', 'block'],
      // Each holds a thousand rows of a result.
      chunk: 20,
    },
    {
      ...plain(QUESTIONS_OF_RUN),
      key: ['analysis_id', 'block'],
      chunk: 1000,
    },
  ],
  [
    {
      ...plain(SITTINGS),
      key: ['id'],
      // One may hold tens of thousands of responses.
      chunk: 250,
    },
  ],
  [
    {
      ...plain(ANSWERED),
      key: ['question', 'sitting'],
      chunk: 10_000,
    },
  ],
  [
    {
      ...plain(ANSWERED_QUESTIONS),
      key: ['slot'],
      chunk: 5000,
    },
  ],
  [
    {
      name: 'events',
      key: ['id'],
      // One may name a thousand questions.
      chunk: 200,
      columns: {
        id: 'bigint',
        tx: 'bigint',
        at: 'bigint',
        kind: 'text',
        reveals_answers: 'integer',
        subjects: 'text',
      },
      // The number of a transaction means nothing in another database.
      instead: { tx: '0' },
    },
  ],
];

export const movedTables: readonly MovedTable[] = families.flat();

/** The index of words, as far as every engine can tell of it: where there are some. */
export const SEARCH = 'search';

const slotsOf = ({ slotColumn }: Dialect): MovedTable => ({
  name: SEARCH,
  key: [slotColumn],
  columns: { [slotColumn]: 'bigint' },
  chunk: 10_000,
});

export const tableNamed = ({ dialect }: Db, name: string) =>
  name === SEARCH ? slotsOf(dialect) : movedTables.find((table) => table.name === name)!;

/** The values of a key, as JSON: how far a table has been gone through. Empty before its first row. */
export type Place = string;
export const BEGINNING: Place = '';
/** Behind the last row. */
export const END: Place = 'end';

/** The next rows behind a place, and the place they lead to. */
export async function readChunk(
  db: Db,
  table: MovedTable,
  after: Place,
): Promise<{ rows: Value[][]; place: Place }> {
  const { name, key, columns, chunk, instead = {} } = table;
  const names = Object.keys(columns);
  const chosen = names.map((column) => (column in instead ? `${instead[column]} AS ${column}` : column));
  const begun = after !== BEGINNING;
  const found = await db.all<Row>(
    `SELECT ${chosen.join(', ')} FROM ${name} ${begun ? `WHERE ${compared(table, '>')}` : ''} ORDER BY ${key.join(', ')} LIMIT ${chunk}`,
    ...(begun ? (JSON.parse(after) as Value[]) : []),
  );
  const last = found.at(-1);
  const place = last && found.length === chunk ? JSON.stringify(key.map((column) => last[column])) : END;
  return { rows: found.map((row) => names.map((column) => row[column]!)), place };
}

/** A key with parameters. A number is bound as a floating one, which a full-text table of SQLite does not compare with. */
export function compared({ key, columns }: MovedTable, how: '>' | '<='): string {
  const values = key.map((column, i) =>
    /int/.test(columns[column]!) ? `CAST($${i + 1} AS bigint)` : `$${i + 1}`,
  );
  return `(${key.join(', ')}) ${how} (${values.join(', ')})`;
}
