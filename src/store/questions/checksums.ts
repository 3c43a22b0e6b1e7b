/**
 * Checksums of questions. `public_checksum` covers the id, the category and `public_json`;
 * `checksum` covers `answer_json` too, so that each view verifies what it reads with one checksum.
 * The other columns repeat what the JSON contains and are compared with it (verify/).
 */
import { fnv1a, fnv1aBytes } from '../../bits/hash.ts';
import { errors } from '../../errors.ts';
import { computeChecksum, continueChecksum } from '../checksum.ts';
import type { Utf8 } from '../db.ts';
import { canonicalId } from '../ids.ts';
import type { View } from '../view.ts';

interface Checked {
  id: string;
  category_id: number;
  public_json: string;
  answer_json: string;
}

/** Ids are ASCII: the hash of an id is the same as a text and as bytes. */
const computeSeed = (idHash: number, categoryId: number) =>
  (idHash ^ Math.imul(categoryId, 0x9e3779b1)) >>> 0;

/** The seed of the checksums of a question in a category. */
export const buildSeed = (id: string, categoryId: number) => computeSeed(fnv1a(id), categoryId);

/** The column with the checksum of what a view shows. */
export const CHECKSUM_COLUMN = { with_answers: 'checksum', without_answers: 'public_checksum' } as const;

export function computeChecksums({ id, category_id, public_json, answer_json }: Checked): {
  public_checksum: number;
  checksum: number;
} {
  const public_checksum = computeChecksum(public_json, buildSeed(id, category_id));
  return { public_checksum, checksum: continueChecksum(`,${answer_json}`, public_checksum) };
}

export const isSound = (row: Checked & { checksum: number | null }): boolean =>
  computeChecksums(row).checksum === row.checksum;

export function requireSound(row: Checked & { checksum: number | null }, id: string): void {
  if (!isSound(row)) throw errors.damagedData(`Question ${id}`);
}

/**
 * What `verifyBodies` needs to know of a question `q` and its category `c`, in SQL: the category,
 * the bytes of its name and of the status, the bytes of the members after them, and their checksum.
 */
export const BODY_CHECK: Record<View, string> = {
  with_answers: buildBodyCheck(
    `octet_length(c.name_json) + ${',"status":""'.length} + octet_length(q.status)`,
    'octet_length(q.public_json) + 1 + octet_length(q.answer_json)',
    'q.checksum',
  ),
  without_answers: buildBodyCheck(
    'octet_length(c.name_json)',
    'octet_length(q.public_json)',
    'q.public_checksum',
  ),
};

function buildBodyCheck(head: string, bytes: string, checksum: string): string {
  return `q.category_id || ' ' || (${head}) || ' ' || (${bytes}) || ' ' || coalesce(${checksum}, 0)`;
}

const ID_START = '{"id":"'.length;
const ID_END = ID_START + 36;
const NAME_START = ID_END + '","category":'.length;

/**
 * Verifies the JSON texts of questions, which are separated by commas, by their `BODY_CHECK`s,
 * which are separated by spaces. Returns them as bytes.
 */
export function verifyBodies(items: Utf8, checks: string): Buffer {
  const bytes =
    typeof items === 'string'
      ? Buffer.from(items)
      : Buffer.from(items.buffer, items.byteOffset, items.byteLength);
  const fields = checks.split(' ');
  let start = 0;
  for (let i = 0; i < fields.length; i += 4) {
    const seed = computeSeed(fnv1aBytes(bytes, start + ID_START, start + ID_END), Number(fields[i]));
    const from = start + NAME_START + Number(fields[i + 1]) + 1;
    const end = from + Number(fields[i + 2]);
    if (computeChecksum(bytes.subarray(from, end), seed) !== Number(fields[i + 3])) {
      const id = bytes.toString('latin1', start + ID_START, start + ID_END);
      throw errors.damagedData(canonicalId(id) ? `Question ${id}` : 'A question of this list');
    }
    // A closing brace and a comma.
    start = end + 2;
  }
  return bytes;
}
