/**
 * A thread with a connection of its own: `write` runs commands, `search` runs long reads. Whatever has arrived while the
 * writer was busy shares its next commit, so that many durable writes cost one wait for the disk. Each keeps a
 * savepoint: the fault of one does not fail its neighbours.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../../errors.ts';
import { commands, searches } from '../../store/commands.ts';
import type { Command, Db, IdempotencyKey } from '../../store/db.ts';
import { runIdempotent } from '../../store/idempotency.ts';
import type { Topic } from '../../store/notifications.ts';
import { Connection } from './connection.ts';
import { Writer } from './writer.ts';

export interface Call {
  id: number;
  name: string;
  args: unknown;
  once: IdempotencyKey | undefined;
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

/** What a thread says: what became of calls, and what they are news of. */
export interface Answers {
  outcomes: Outcome[];
  announced: Topic[];
}

export interface ThreadData {
  path: string;
  role: 'write' | 'search';
  /** Whether this process gives out slots. */
  allocatesSlots: boolean;
}

const { path, role, allocatesSlots } = workerData as ThreadData;
const port = parentPort!;

function outcomeOf(id: number, error: unknown): Outcome {
  if (error instanceof ApiError) {
    const { status, code, message, errors, headers } = error;
    return { id, refused: { status, code, detail: message, errors, headers } };
  }
  return { id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

async function attempt(writer: Writer, { id, name, args, once }: Call): Promise<Outcome> {
  const command = commands[name as keyof typeof commands] as Command<unknown, unknown>;
  try {
    return { id, value: await writer.attempt(() => runIdempotent(writer, command, args, once)) };
  } catch (error) {
    // With the transaction gone there is nothing to go on with: the others must be told, too.
    if (!writer.inTransaction) throw error;
    return outcomeOf(id, error);
  }
}

async function commitTogether(writer: Writer, calls: Call[]): Promise<Outcome[]> {
  try {
    return await writer.commit(async () => {
      const outcomes: Outcome[] = [];
      for (const call of calls) outcomes.push(await attempt(writer, call));
      return outcomes;
    });
  } catch (error) {
    const away = error instanceof ApiError && error.status === 503;
    if (calls.length === 1 || away) return calls.map(({ id }) => outcomeOf(id, error));
    // What one of them ran into may not concern the others: each gets a transaction to itself.
    const outcomes: Outcome[] = [];
    for (const call of calls) outcomes.push(...(await commitTogether(writer, [call])));
    return outcomes;
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

const connection =
  role === 'write' ? new Writer(path, allocatesSlots) : new Connection(path, { readOnly: true });
const serve = (calls: Call[]) =>
  connection instanceof Writer ? commitTogether(connection, calls) : search(connection, calls);

function announced(): Topic[] {
  if (!(connection instanceof Writer)) return [];
  const topics = [...connection.announced];
  connection.announced.clear();
  return topics;
}

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
    const outcomes = await serve(batch);
    port.postMessage({ outcomes, announced: announced() } satisfies Answers);
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
