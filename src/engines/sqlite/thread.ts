/**
 * A thread with a connection of its own: `write` runs commands, `search` runs long reads. Whatever has arrived while the
 * writer was busy shares its next commit, so that many durable writes cost one wait for the disk. Each keeps a
 * savepoint: the fault of one does not fail its neighbours.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../../errors.ts';
import { commands, searches } from '../../store/commands.ts';
import type { Command, Db, Once } from '../../store/db.ts';
import { perform } from '../../store/idempotency.ts';
import { applyMarks, Marks } from '../../store/postings.ts';
import { Connection, WriteTx } from './connection.ts';

export interface Call {
  id: number;
  name: string;
  args: unknown;
  once: Once | undefined;
}

/** What became of a call. Errors are taken apart: a clone of one would lose its class. */
export type Outcome = { id: number } & (
  | { value: unknown }
  | {
      refused: {
        status: number;
        code: string;
        detail: string;
        errors: unknown;
        headers: Record<string, string>;
      };
    }
  | { failed: string }
);

export interface ThreadData {
  path: string;
  role: 'write' | 'search';
}

const { path, role } = workerData as ThreadData;
const port = parentPort!;

function outcomeOf(id: number, error: unknown): Outcome {
  if (error instanceof ApiError) {
    const { status, code, message, errors, headers } = error;
    return { id, refused: { status, code, detail: message, errors, headers } };
  }
  return { id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

async function attempt(tx: WriteTx, { id, name, args, once }: Call, into: Marks): Promise<Outcome> {
  const command = commands[name as keyof typeof commands] as Command<unknown, unknown>;
  tx.exec('SAVEPOINT one');
  tx.marks = new Marks();
  try {
    const value = await perform(tx, command, args, once);
    tx.exec('RELEASE one');
    into.merge(tx.marks);
    return { id, value };
  } catch (error) {
    tx.exec('ROLLBACK TO one; RELEASE one');
    return outcomeOf(id, error);
  }
}

async function commitTogether(tx: WriteTx, calls: Call[]): Promise<Outcome[]> {
  try {
    tx.exec('BEGIN IMMEDIATE');
    const marks = new Marks();
    const outcomes: Outcome[] = [];
    for (const call of calls) outcomes.push(await attempt(tx, call, marks));
    tx.marks = new Marks();
    await applyMarks(tx, marks);
    tx.exec('COMMIT');
    return outcomes;
  } catch (error) {
    try {
      tx.exec('ROLLBACK');
    } catch {
      // Some faults, a full disk among them, have rolled the transaction back already.
    }
    // What one of them ran into may not concern the others: each gets a transaction to itself.
    if (calls.length > 1) {
      const outcomes: Outcome[] = [];
      for (const call of calls) outcomes.push(...(await commitTogether(tx, [call])));
      return outcomes;
    }
    return [outcomeOf(calls[0]!.id, error)];
  }
}

async function search(db: Db, calls: Call[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { id, name, args } of calls) {
    const work = searches[name as keyof typeof searches] as (db: Db, args: unknown) => Promise<unknown>;
    try {
      outcomes.push({ id, value: await work(db, args) });
    } catch (error) {
      outcomes.push(outcomeOf(id, error));
    }
  }
  return outcomes;
}

const connection = role === 'write' ? new WriteTx(path) : new Connection(path, { readOnly: true });
const serve = (calls: Call[]) =>
  connection instanceof WriteTx ? commitTogether(connection, calls) : search(connection, calls);

let waiting: Call[] = [];
let busy = false;
let closing = false;

port.on('message', async (calls: Call[] | 'close') => {
  if (calls === 'close') closing = true;
  else waiting.push(...calls);
  if (busy) return;
  busy = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    port.postMessage(await serve(batch));
    // Lets messages in that came meanwhile.
    await new Promise(setImmediate);
  }
  busy = false;
  if (closing) {
    connection.close();
    port.close();
  }
});

port.postMessage('ready');
