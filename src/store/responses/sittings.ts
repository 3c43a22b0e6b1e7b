/**
 * What one respondent answered in one session is one row, packed: ten million responses are read in the time of a few hundred
 * thousand rows. Beside it stands who answered which question, for lists by question and to find the rows an analysis needs.
 */
import type { Db, Table, Value } from '../db.ts';

export const SITTINGS: Table = {
  name: 'sittings',
  columns: {
    id: 'bigint',
    respondent: 'text',
    session: 'text',
    in_group: 'text',
    n: 'bigint',
    responses: 'bytea',
  },
  onConflict:
    'ON CONFLICT (id) DO UPDATE SET in_group = excluded.in_group, n = excluded.n, responses = excluded.responses',
};

export interface SittingRow {
  id: number;
  respondent: string;
  /** Empty where responses came without a session. */
  session: string;
  in_group: string | null;
  n: number;
  responses: Uint8Array;
}

export const SITTING_COLUMNS = 'id, respondent, session, in_group, n, responses';

export const sittingValues = (row: SittingRow): Value[] => [
  row.id,
  row.respondent,
  row.session,
  row.in_group,
  row.n,
  row.responses,
];

/** What a response says: that it was wrong, right, omitted, not reached, or an answer to be compared with the key. */
export const GIVEN = { wrong: 0, correct: 1, omitted: 2, notReached: 3, answer: 4 } as const;
export type Kind = (typeof GIVEN)[keyof typeof GIVEN];

/** A response within its sitting. */
export interface Given {
  /** The question's. */
  slot: number;
  kind: Kind;
  /** Empty unless it is an answer. */
  answer: string;
  at: number;
}

const KINDS = 8;

/** Packs responses, which are in the order of their slots: numbers in groups of 7 bits, each relative to the one before. */
export function pack(responses: readonly Given[]): Uint8Array {
  const texts = responses.reduce((sum, { answer }) => sum + 3 * answer.length, 0);
  const bytes = Buffer.allocUnsafe(responses.length * 24 + texts);
  let end = 0;
  const put = (value: number) => {
    let rest = value;
    while (rest >= 128) {
      bytes[end++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    bytes[end++] = rest;
  };
  let slot = 0;
  let at = 0;
  for (const each of responses) {
    put((each.slot - slot) * KINDS + each.kind);
    // Times may run backwards: even numbers are forwards, odd ones back.
    const later = each.at - at;
    put(later >= 0 ? 2 * later : -2 * later - 1);
    if (each.kind === GIVEN.answer) {
      put(Buffer.byteLength(each.answer));
      end += bytes.write(each.answer, end);
    }
    ({ slot, at } = each);
  }
  return Uint8Array.prototype.slice.call(bytes, 0, end);
}

/** Goes through packed responses, one after the other, without making anything of them. */
export class Unpacking implements Omit<Given, 'answer'> {
  slot = 0;
  kind: Kind = GIVEN.wrong;
  at = 0;
  readonly #bytes: Buffer;
  #place = 0;
  #from = 0;
  #to = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Moves to the next response; false behind the last. */
  next(): boolean {
    if (this.#place === this.#bytes.length) return false;
    const head = this.#number();
    this.kind = (head % KINDS) as Kind;
    this.slot += (head - this.kind) / KINDS;
    const later = this.#number();
    this.at += later % 2 === 0 ? later / 2 : -(later + 1) / 2;
    if (this.kind === GIVEN.answer) {
      const length = this.#number();
      this.#from = this.#place;
      this.#to = this.#place += length;
    }
    return true;
  }

  /** A number for the answer's bytes: making a text of ten million answers takes longer than all the rest. FNV-1a. */
  get answerHash(): number {
    let hash = 0x811c9dc5;
    for (let i = this.#from; i < this.#to; i++) hash = Math.imul(hash ^ this.#bytes[i]!, 0x01000193);
    return hash;
  }

  /** Whether the answer has these bytes. */
  answerIs(bytes: Uint8Array): boolean {
    if (bytes.length !== this.#to - this.#from) return false;
    for (let i = 0; i < bytes.length; i++) if (bytes[i] !== this.#bytes[this.#from + i]) return false;
    return true;
  }

  get answer(): string {
    return this.kind === GIVEN.answer ? this.#bytes.toString('utf8', this.#from, this.#to) : '';
  }

  #number(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#place++]!;
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = bytes[this.#place++]!;
      value += (byte & 127) * unit;
    }
    return value;
  }
}

export function unpack(bytes: Uint8Array): Given[] {
  const all: Given[] = [];
  for (const each = new Unpacking(bytes); each.next(); ) {
    const { slot, kind, answer, at } = each;
    all.push({ slot, kind, answer, at });
  }
  return all;
}

/** Rows read by one statement. */
const ROWS = 500;
/** Reading single rows costs so many times what reading them all in their order does; and so many are sorted at the most. */
const SINGLE = 8;
const MOST_SINGLE = 100_000;
/** Questions looked up by one statement, and slots read by one. */
const QUESTIONS = 200;
const SLOTS = 50_000;

/**
 * The sittings in which any of these questions was answered, in the order of respondent and session, in batches; with other
 * sittings among them where going through all is quicker. With each batch comes what share of them all has been read. Call it
 * within a snapshot.
 */
export async function* sittingsWith(
  db: Db,
  slots: readonly number[],
): AsyncGenerator<{ rows: SittingRow[]; share: number }> {
  const counted = await db.get<{ n: number }>('SELECT count(*) AS n FROM sittings');
  const answered = await answeredAmong(db, slots);
  if (answered.length === 0) return;
  const few = await fewSittings(db, answered, Math.min(counted!.n / SINGLE, MOST_SINGLE));
  const total = few?.size ?? counted!.n;
  let read = 0;
  for await (const rows of few ? rowsOf(db, few) : allRows(db)) {
    read += rows.length;
    yield { rows, share: read / total };
  }
}

/** Those of the questions that anybody has answered. */
async function answeredAmong(db: Db, slots: readonly number[]): Promise<number[]> {
  const wanted = new Set(slots);
  const found: number[] = [];
  for (let last = -1; ; ) {
    const rows = await db.all<{ slot: number }>(
      `SELECT slot FROM answered_questions WHERE slot > $1 ORDER BY slot LIMIT ${SLOTS}`,
      last,
    );
    for (const { slot } of rows) if (wanted.has(slot)) found.push(slot);
    if (rows.length < SLOTS) return found;
    last = rows.at(-1)!.slot;
  }
}

async function* allRows(db: Db): AsyncGenerator<SittingRow[]> {
  let last = { respondent: '', session: '' };
  for (;;) {
    const rows = await db.all<SittingRow>(
      `SELECT ${SITTING_COLUMNS} FROM sittings WHERE (respondent, session) > ($1, $2)
       ORDER BY respondent, session LIMIT ${ROWS}`,
      last.respondent,
      last.session,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) return;
    last = rows.at(-1)!;
  }
}

/** The ids of the sittings in which any of the questions was answered; nothing if there are more than `most`. */
async function fewSittings(db: Db, slots: readonly number[], most: number): Promise<Set<number> | undefined> {
  const ids = new Set<number>();
  for (let i = 0; i < slots.length; i += QUESTIONS) {
    const rows = await db.all<{ sitting: number }>(
      `SELECT DISTINCT sitting FROM answered
       WHERE question IN (SELECT CAST(value AS bigint) FROM ${db.dialect.each('$1')}) LIMIT $2`,
      JSON.stringify(slots.slice(i, i + QUESTIONS)),
      Math.floor(most) + 1,
    );
    for (const { sitting } of rows) ids.add(sitting);
    if (ids.size > most) return undefined;
  }
  return ids;
}

async function* rowsOf(db: Db, ids: Set<number>): AsyncGenerator<SittingRow[]> {
  const some = (columns: string) =>
    `SELECT ${columns} FROM sittings WHERE id IN (SELECT CAST(value AS bigint) FROM ${db.dialect.each('$1')})`;
  const keys: (Names & { id: number })[] = [];
  for (const batch of batches([...ids]))
    keys.push(
      ...(await db.all<(typeof keys)[number]>(some('id, respondent, session'), JSON.stringify(batch))),
    );
  keys.sort(inOrder);
  for (const batch of batches(keys)) {
    const rows = await db.all<SittingRow>(some(SITTING_COLUMNS), JSON.stringify(batch.map(({ id }) => id)));
    const byId = new Map(rows.map((row) => [row.id, row]));
    yield batch.map(({ id }) => byId.get(id)!);
  }
}

function* batches<T>(all: T[]): Generator<T[]> {
  for (let i = 0; i < all.length; i += ROWS) yield all.slice(i, i + ROWS);
}

type Names = Pick<SittingRow, 'respondent' | 'session'>;

/** The order of respondent and session, as databases have it. */
export const inOrder = (a: Names, b: Names) =>
  compared(a.respondent, b.respondent) || compared(a.session, b.session);

/** By bytes in UTF-8, which is by code points: surrogates come behind all other units. */
function compared(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one !== other) return placeOfUnit(one) - placeOfUnit(other);
  }
  return a.length - b.length;
}

const placeOfUnit = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

/** Whether there are responses of at least two groups. */
export async function twoGroups(db: Db): Promise<boolean> {
  const row = await db.get<{ first: string | null; last: string | null }>(
    `SELECT (SELECT min(in_group) FROM sittings) AS first, (SELECT max(in_group) FROM sittings) AS last`,
  );
  return row!.first !== row!.last;
}
