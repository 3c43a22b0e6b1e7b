/**
 * Clients' secrets, which people may have chosen: argon2id, in Node's thread pool, a few at a time. A flood of
 * guesses waits its turn or is refused; it never takes the memory or the threads that others need.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { errors } from '../errors.ts';

/** As OWASP advises: 19 MiB, two passes. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG = 32;
const MOST_AT_ONCE = 2;
const MOST_WAITING = 40;

/** Takes turns. A secret that is being set does not wait behind those that are guessed at. */
class Lane {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < MOST_AT_ONCE) this.#running++;
    else {
      if (this.#waiting.length >= MOST_WAITING)
        throw errors.unavailable('Too many are signing in at once. Try again shortly.');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // Whoever waits takes the place over.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

const setting = new Lane();
const checking = new Lane();

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

const derive = (secret: string, nonce: Buffer, tagLength: number, cost: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2('argon2id', { ...cost, tagLength, message: Buffer.from(secret), nonce }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** The secret as it is stored, in the form that password hashes commonly have. */
export async function hashSecret(secret: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await setting.run(() => derive(secret, nonce, TAG, COST));
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${text(nonce)}$${text(tag)}`;
}

const STORED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;

/** Takes as long whether there is such a client or not. */
export async function verifySecret(secret: string, stored: string | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = STORED.exec(stored ?? '') ?? [];
  // At the cost it was stored with, should that change one day.
  const cost = memory
    ? { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
    : COST;
  const nonce = memory ? Buffer.from(salt, 'base64') : randomBytes(16);
  const expected = memory ? Buffer.from(hash, 'base64') : randomBytes(TAG);
  const actual = await checking.run(() => derive(secret, nonce, expected.length, cost));
  return timingSafeEqual(actual, expected) && memory !== undefined;
}
