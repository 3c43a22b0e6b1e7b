/**
 * Clients' secrets, which people may have chosen: argon2id, in Node's thread pool, a few at a time. A flood of
 * guesses waits its turn or is refused; it never takes the memory or the threads that others need.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { errors } from '../errors.ts';

/** As OWASP advises: 19 MiB, two passes. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const MOST_AT_ONCE = 2;
const MOST_WAITING = 40;

let running = 0;
const waiting: (() => void)[] = [];

async function derive(secret: string, nonce: Buffer): Promise<Buffer> {
  if (running >= MOST_AT_ONCE) {
    if (waiting.length >= MOST_WAITING)
      throw errors.unavailable('Too many are signing in at once. Try again shortly.');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await new Promise((resolve, reject) => {
      argon2('argon2id', { ...COST, message: Buffer.from(secret), nonce }, (error, key) =>
        error ? reject(error) : resolve(key),
      );
    });
  } finally {
    // Whoever waits takes the place over.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** The secret as it is stored, in the form that password hashes commonly have. */
export async function hashSecret(secret: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive(secret, nonce);
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${text(nonce)}$${text(tag)}`;
}

/** Takes as long whether there is such a client or not. */
export async function verifySecret(secret: string, stored: string | undefined): Promise<boolean> {
  const [nonce, tag] = stored?.split('$').slice(4) ?? [];
  const expected = tag === undefined ? randomBytes(COST.tagLength) : Buffer.from(tag, 'base64');
  const actual = await derive(secret, nonce === undefined ? randomBytes(16) : Buffer.from(nonce, 'base64'));
  return timingSafeEqual(actual, expected) && stored !== undefined;
}
