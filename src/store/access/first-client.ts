/**
 * The first client of a bank. Creating it is the only command with an effect outside the database.
 */
import { writeSync } from 'node:fs';
import { errors } from '../../errors.ts';
import { INCOMPLETE_MESSAGE, isIncomplete, lockBankState } from '../bank-state.ts';
import { defineCommand, type Tx } from '../db.ts';
import { hasClients, insertClient, type NewClient } from './clients.ts';
import { insertToken, type NewToken } from './tokens.ts';

export interface FirstClient {
  client: NewClient;
  /** A key, and a link to sign in to the console. */
  tokens: NewToken[];
  /** The text that shows the credentials, written to stderr. */
  announcement: string | undefined;
}

/**
 * Creates the client unless the bank has one; false if it has. Credentials are announced before the
 * commit and under the lock: a process that dies has announced them or created nothing, and of
 * several processes only the one that creates the client announces anything.
 */
export const createFirstClient = defineCommand(
  'createFirstClient',
  async (tx: Tx, { client, tokens, announcement }: FirstClient): Promise<boolean> => {
    await lockBankState(tx);
    if (await isIncomplete(tx)) throw errors.unavailable(INCOMPLETE_MESSAGE);
    if (await hasClients(tx)) return false;
    if ((await insertClient(tx, client, 'ON CONFLICT (id) DO NOTHING')) === 0) return false;
    for (const token of tokens) await insertToken(tx, token);
    if (announcement !== undefined) writeToStderr(announcement);
    return true;
  },
);

const STDERR = 2;
const EAGAIN_DELAY_MS = 10;

/**
 * Synchronous, and past `process.stderr`, which in a worker thread only sends a message to the main
 * thread.
 */
function writeToStderr(text: string): void {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(STDERR, bytes, offset);
    } catch (error) {
      // A pipe in non-blocking mode is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EAGAIN_DELAY_MS);
    }
  }
}
