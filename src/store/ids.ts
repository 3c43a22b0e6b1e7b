import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(8 * 512);
let used = pool.length;

/**
 * A UUIDv7 (RFC 9562) of a timestamp. `counter`, up to 4,095, orders ids of the same millisecond.
 */
export function uuidv7(at: number, counter = 0): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  pool[used]! = (pool[used]! & 0x3f) | 0x80;
  const random = pool.toString('hex', used, used + 8);
  used += 8;
  const time = at.toString(16).padStart(12, '0');
  const third = (0x7000 | counter).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${random.slice(0, 4)}-${random.slice(4)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The id as it is stored; undefined if it is not a UUID. */
export const canonicalId = (id: string) => (UUID.test(id) ? id.toLowerCase() : undefined);
