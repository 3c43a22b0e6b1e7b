/**
 * Hashes client secrets with argon2id, in Node's thread pool. A semaphore limits how many hashes
 * run and wait, so that a flood of sign-in attempts cannot exhaust memory or threads.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { Semaphore } from '../concurrency/semaphore.ts';
import { errors } from '../errors.ts';

interface Cost {
  /** In KiB. */
  memory: number;
  passes: number;
  parallelism: number;
}

/** The OWASP recommendation: 19 MiB, two passes. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const NONCE_BYTES = 16;

const limits = {
  permits: 2,
  maxWaiting: 40,
  refusal: () => errors.unavailable('Too many clients are signing in. Try again shortly.'),
};
/** Two semaphores, so that setting a secret does not wait behind attempts to guess one. */
const hashing = new Semaphore(limits);
const verifying = new Semaphore(limits);

const derive = (secret: string, nonce: Buffer, tagLength: number, cost: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2('argon2id', { ...cost, tagLength, message: Buffer.from(secret), nonce }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** Hashes a secret to the PHC string format. */
export async function hashSecret(secret: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const tag = await hashing.run(() => derive(secret, nonce, TAG_BYTES, COST));
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${encode(nonce)}$${encode(tag)}`;
}

const PHC_STRING = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;

/** Takes as long for an unknown client (no stored hash) as for a known one. */
export async function verifySecret(secret: string, stored: string | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC_STRING.exec(stored ?? '') ?? [];
  // The stored cost is used, so that hashes stay valid when COST changes.
  const cost = memory
    ? { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
    : COST;
  const nonce = memory ? Buffer.from(salt, 'base64') : randomBytes(NONCE_BYTES);
  const expected = memory ? Buffer.from(hash, 'base64') : randomBytes(TAG_BYTES);
  const actual = await verifying.run(() => derive(secret, nonce, expected.length, cost));
  return timingSafeEqual(actual, expected) && memory !== undefined;
}
