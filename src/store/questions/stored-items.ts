/**
 * Items of a page that are read while the page is sent. A page is chosen in one snapshot, which
 * fixes the revision and the length of each item; the texts are read later, a part at a time. A
 * revision never changes and is never deleted, so the page is that of the snapshot, whatever is
 * written meanwhile.
 */
import { errors } from '../../errors.ts';
import { computeChecksum } from '../checksum.ts';
import type { Db, Utf8 } from '../db.ts';
import { limitBytes, sumBytes } from '../page-bytes.ts';
import type { View } from '../view.ts';

/** A revision of a question, and the JSON text before and after its stored members. */
export interface StoredItem {
  before: string;
  id: string;
  revision: number;
  after: string;
  /** The length of the whole item in UTF-8. */
  bytes: number;
  /** The seed and the checksum of the stored members. */
  seed: number;
  checksum: number | null;
}

export interface StoredItems {
  view: View;
  list: StoredItem[];
}

export const isStored = (items: Utf8 | StoredItems): items is StoredItems =>
  typeof items === 'object' && 'list' in items;

/** The size of the parts in which a page is read. A part has at least one item. */
const PART_BYTES = 256 * 1024;

/** The stored members of a row of `questions` or `revisions`. */
const membersOf = (row: string, view: View) =>
  view === 'with_answers' ? `${row}.public_json || ',' || ${row}.answer_json` : `${row}.public_json`;

/** The length of the stored members in UTF-8. Neither engine reads the texts for it. */
export const membersBytes = (row: string, view: View) =>
  view === 'with_answers'
    ? `octet_length(${row}.public_json) + 1 + octet_length(${row}.answer_json)`
    : `octet_length(${row}.public_json)`;

/** What `toStoredItem` needs to know of members that have just been stored. */
export const measureMembers = (members: string) => ({
  bytes: Buffer.byteLength(members),
  seed: 0,
  checksum: computeChecksum(members, 0),
});

/** The stored members of a deletion. */
export const NO_MEMBERS = { bytes: 0, seed: 0, checksum: 0 };

export const toStoredItem = (
  item: { before: string; id: string; revision: number; after: string },
  { bytes, seed, checksum }: { bytes: number; seed: number; checksum: number | null },
): StoredItem => ({
  ...item,
  bytes: Buffer.byteLength(item.before) + bytes + Buffer.byteLength(item.after),
  seed,
  checksum,
});

/** Reads items as JSON texts, separated by commas. */
async function readItems(db: Db, view: View, items: StoredItem[]): Promise<Utf8> {
  const rows = db.dialect.rows('$1', {
    n: 'bigint',
    id: 'uuid',
    revision: 'bigint',
    before: 'text',
    after: 'text',
  });
  const members = `coalesce(${membersOf('q', view)}, ${membersOf('r', view)}, '')`;
  const texts = `string_agg(v.before || ${members} || v.after, ',' ORDER BY v.n)`;
  const row = await db.get<{ items: Utf8 }>(
    `SELECT ${db.dialect.utf8(texts)} AS items FROM ${rows} v
     LEFT JOIN questions q ON q.id = v.id AND q.revision = v.revision
     LEFT JOIN revisions r ON q.id IS NULL AND r.question_id = v.id AND r.revision = v.revision`,
    JSON.stringify(items.map(({ id, revision, before, after }, n) => [n, id, revision, before, after])),
  );
  return row!.items;
}

/** Reads the items in parts. The texts of the parts make up the list. */
export async function* readParts(db: Db, { view, list }: StoredItems): AsyncGenerator<Buffer> {
  for (let rest = list; rest.length > 0; ) {
    const part = limitBytes(rest, PART_BYTES);
    rest = rest.slice(part.length);
    const text = await readItems(db, view, part);
    const bytes = toBuffer(rest.length > 0 ? [text, ','] : [text]);
    const expected = sumBytes(part) + (rest.length > 0 ? 1 : 0);
    // The length has been announced to the client.
    if (bytes.length !== expected)
      throw new Error(`A part of a page has ${bytes.length} bytes instead of ${expected}.`);
    verifyItems(bytes, part);
    // SQLite reads on the calling thread: other requests are served between two parts.
    await new Promise(setImmediate);
    yield bytes;
  }
}

function verifyItems(bytes: Buffer, items: StoredItem[]): void {
  let start = 0;
  for (const item of items) {
    const from = start + Buffer.byteLength(item.before);
    const end = start + item.bytes - Buffer.byteLength(item.after);
    if (computeChecksum(bytes.subarray(from, end), item.seed) !== item.checksum)
      throw errors.damagedData(`Revision ${item.revision} of question ${item.id}`);
    start += item.bytes + 1;
  }
}

const toBuffer = (texts: Utf8[]) =>
  texts.length === 1 && typeof texts[0] !== 'string'
    ? Buffer.from(texts[0]!.buffer, texts[0]!.byteOffset, texts[0]!.byteLength)
    : Buffer.concat(texts.map((text) => (typeof text === 'string' ? Buffer.from(text) : text)));
