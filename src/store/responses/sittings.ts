/**
 * Sittings: the responses of one respondent in one session are one packed row, so that ten million
 * responses are read as a few hundred thousand rows. The table `answered` lists which sitting
 * answered which question, for lists by question and to find the rows that an analysis needs.
 */
import { fnv1aBytes } from '../../bits/hash.ts';
import type { Db } from '../db.ts';
import {
  bigint,
  bytea,
  columnList,
  defineTable,
  generated,
  nullable,
  type RowOf,
  text,
  uuid,
} from '../table.ts';

export const SITTINGS = defineTable(
  'sittings',
  {
    id: generated(bigint),
    respondent: text(),
    /** Empty for responses without a session. */
    session: text(),
    in_group: nullable(text()),
    /** The number of responses. */
    n: bigint,
    /** Packed by `pack`. */
    responses: bytea,
  },
  'id',
);

export type SittingRow = RowOf<typeof SITTINGS>;

export const SITTING_COLUMNS = columnList(SITTINGS);

/** Which sitting answered which question, by its created slot. */
export const ANSWERED = defineTable('answered', { question: bigint, sitting: bigint }, 'question', 'sitting');

/** The ids of the questions that have responses, by slot. Deleted questions stay. */
export const ANSWERED_QUESTIONS = defineTable('answered_questions', { slot: bigint, id: uuid }, 'slot');

/**
 * The kinds of responses. An `answer` and the options that were `chosen` are scored with the key
 * whenever they are read.
 */
export const GIVEN = { wrong: 0, correct: 1, omitted: 2, notReached: 3, answer: 4, chosen: 5 } as const;
export type Kind = (typeof GIVEN)[keyof typeof GIVEN];

/** A response within its sitting. */
export interface Given {
  /** The created slot of the question. */
  slot: number;
  kind: Kind;
  /** An `answer`, or the options that were `chosen` (`encodeChosen`); else empty. */
  answer: string;
  at: number;
}

const KINDS = 8;

/** Kinds that are stored with a text. */
export const hasText = (kind: Kind) => kind === GIVEN.answer || kind === GIVEN.chosen;

/** Encodes a set of options: distinct, in the order of code units, as a JSON array. */
export const encodeChosen = (options: readonly string[]): string =>
  JSON.stringify([...new Set(options)].sort());

/** The answer that a response of a kind with a text has. */
export const decodeAnswer = ({ kind, answer }: Pick<Given, 'kind' | 'answer'>): string | string[] =>
  kind === GIVEN.chosen ? JSON.parse(answer) : answer;

/**
 * Packs responses, ascending by slot, as variable-length integers (LEB128), each the difference to
 * the one before.
 */
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
    // Zigzag encoding: times may decrease.
    const later = each.at - at;
    put(later >= 0 ? 2 * later : -2 * later - 1);
    if (hasText(each.kind)) {
      put(Buffer.byteLength(each.answer));
      end += bytes.write(each.answer, end);
    }
    ({ slot, at } = each);
  }
  return Uint8Array.prototype.slice.call(bytes, 0, end);
}

/** Iterates over packed responses without allocating objects for them. */
export class ResponseReader implements Omit<Given, 'answer'> {
  slot = 0;
  kind: Kind = GIVEN.wrong;
  at = 0;
  readonly #bytes: Buffer;
  #position = 0;
  #from = 0;
  #to = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Moves to the next response; false after the last. */
  next(): boolean {
    if (this.#position === this.#bytes.length) return false;
    const head = this.#number();
    this.kind = (head % KINDS) as Kind;
    this.slot += (head - this.kind) / KINDS;
    const later = this.#number();
    this.at += later % 2 === 0 ? later / 2 : -(later + 1) / 2;
    if (hasText(this.kind)) {
      const length = this.#number();
      this.#from = this.#position;
      this.#to = this.#position += length;
    }
    return true;
  }

  /**
   * FNV-1a over the answer's bytes. Decoding ten million answers would take longer than all the
   * rest.
   */
  get answerHash(): number {
    return fnv1aBytes(this.#bytes, this.#from, this.#to);
  }

  answerIs(bytes: Uint8Array): boolean {
    if (bytes.length !== this.#to - this.#from) return false;
    for (let i = 0; i < bytes.length; i++) if (bytes[i] !== this.#bytes[this.#from + i]) return false;
    return true;
  }

  get answer(): string {
    return hasText(this.kind) ? this.#bytes.toString('utf8', this.#from, this.#to) : '';
  }

  #number(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#position++]!;
    let value = byte & 127;
    for (let unit = 128; byte >= 128; unit *= 128) {
      byte = bytes[this.#position++]!;
      value += (byte & 127) * unit;
    }
    return value;
  }
}

export function unpack(bytes: Uint8Array): Given[] {
  const all: Given[] = [];
  for (const reader = new ResponseReader(bytes); reader.next(); ) {
    const { slot, kind, answer, at } = reader;
    all.push({ slot, kind, answer, at });
  }
  return all;
}

/** Sittings read by one statement. */
const BATCH_ROWS = 500;
/** The cost of reading a row by its id, relative to reading it in a scan. */
const LOOKUP_COST = 8;
/** Sittings that are read by id, which sorts them in memory. */
const MAX_LOOKUPS = 100_000;
/** Questions looked up by one statement. */
const LOOKUP_BATCH_SIZE = 200;
/** Slots read by one statement. */
const SLOT_BATCH_ROWS = 50_000;

/**
 * Reads the sittings that answered any of these questions, ordered by respondent and session, in
 * batches; with other sittings among them where a scan is cheaper than lookups. `share` is the
 * share of the sittings read so far. Runs within a snapshot.
 */
export async function* sittingsWith(
  db: Db,
  slots: readonly number[],
): AsyncGenerator<{ rows: SittingRow[]; share: number }> {
  const counted = await db.get<{ n: number }>('SELECT count(*) AS n FROM sittings');
  const answered = await filterAnswered(db, slots);
  if (answered.length === 0) return;
  const few = await findFewSittings(db, answered, Math.min(counted!.n / LOOKUP_COST, MAX_LOOKUPS));
  const total = few?.size ?? counted!.n;
  let read = 0;
  for await (const rows of few ? lookUpRows(db, few) : scanRows(db)) {
    read += rows.length;
    yield { rows, share: read / total };
  }
}

/** Filters the questions that have responses. */
async function filterAnswered(db: Db, slots: readonly number[]): Promise<number[]> {
  const wanted = new Set(slots);
  const found: number[] = [];
  for (let last = -1; ; ) {
    const rows = await db.all<{ slot: number }>(
      `SELECT slot FROM answered_questions WHERE slot > $1 ORDER BY slot LIMIT ${SLOT_BATCH_ROWS}`,
      last,
    );
    for (const { slot } of rows) if (wanted.has(slot)) found.push(slot);
    if (rows.length < SLOT_BATCH_ROWS) return found;
    last = rows.at(-1)!.slot;
  }
}

async function* scanRows(db: Db): AsyncGenerator<SittingRow[]> {
  let last = { respondent: '', session: '' };
  for (;;) {
    const rows = await db.all<SittingRow>(
      `SELECT ${SITTING_COLUMNS} FROM sittings WHERE (respondent, session) > ($1, $2)
       ORDER BY respondent, session LIMIT ${BATCH_ROWS}`,
      last.respondent,
      last.session,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_ROWS) return;
    last = rows.at(-1)!;
  }
}

/**
 * The ids of the sittings that answered any of the questions; undefined if there are more than
 * `limit`.
 */
async function findFewSittings(
  db: Db,
  slots: readonly number[],
  limit: number,
): Promise<Set<number> | undefined> {
  const ids = new Set<number>();
  for (let i = 0; i < slots.length; i += LOOKUP_BATCH_SIZE) {
    const rows = await db.all<{ sitting: number }>(
      `SELECT DISTINCT sitting FROM answered
       WHERE question IN ${db.dialect.values('$1', 'bigint')} LIMIT $2`,
      JSON.stringify(slots.slice(i, i + LOOKUP_BATCH_SIZE)),
      Math.floor(limit) + 1,
    );
    for (const { sitting } of rows) ids.add(sitting);
    if (ids.size > limit) return undefined;
  }
  return ids;
}

async function* lookUpRows(db: Db, ids: Set<number>): AsyncGenerator<SittingRow[]> {
  const selectByIds = (columns: string) =>
    `SELECT ${columns} FROM sittings WHERE id IN ${db.dialect.values('$1', 'bigint')}`;
  const keys: (Names & { id: number })[] = [];
  for (const batch of batches([...ids]))
    keys.push(
      ...(await db.all<(typeof keys)[number]>(selectByIds('id, respondent, session'), JSON.stringify(batch))),
    );
  keys.sort(compareSittings);
  for (const batch of batches(keys)) {
    const rows = await db.all<SittingRow>(
      selectByIds(SITTING_COLUMNS),
      JSON.stringify(batch.map(({ id }) => id)),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    yield batch.map(({ id }) => byId.get(id)!);
  }
}

function* batches<T>(all: T[]): Generator<T[]> {
  for (let i = 0; i < all.length; i += BATCH_ROWS) yield all.slice(i, i + BATCH_ROWS);
}

type Names = Pick<SittingRow, 'respondent' | 'session'>;

/** Compares by respondent and session, as the databases order them. */
export const compareSittings = (a: Names, b: Names) =>
  compareUtf8(a.respondent, b.respondent) || compareUtf8(a.session, b.session);

/**
 * Compares by UTF-8 bytes, that is by code points: surrogates sort after all other UTF-16 units.
 */
function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one !== other) return rankUnit(one) - rankUnit(other);
  }
  return a.length - b.length;
}

const rankUnit = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

/** Whether there are responses of at least two groups. */
export async function hasTwoGroups(db: Db): Promise<boolean> {
  const row = await db.get<{ first: string | null; last: string | null }>(
    `SELECT (SELECT min(in_group) FROM sittings) AS first, (SELECT max(in_group) FROM sittings) AS last`,
  );
  return row!.first !== row!.last;
}
