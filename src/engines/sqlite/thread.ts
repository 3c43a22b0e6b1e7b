/**
 * A thread with a connection of its own: `write` runs commands, `search` runs long reads. Group
 * commit: commands that arrive while the writer is busy share its next transaction, so that many
 * durable writes cost one fsync. Each runs in a savepoint, so that the failure of one does not
 * affect the others.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError, isUnavailable } from '../../errors.ts';
import type { CommandName, QueryName } from '../../store/command-names.ts';
import { commands, queries } from '../../store/commands.ts';
import type { Command, Db, IdempotencyKey, Query } from '../../store/db.ts';
import { runIdempotent } from '../../store/idempotency.ts';
import type { Topic } from '../../store/notifications.ts';
import type { Mode } from '../mode.ts';
import { Connection } from './connection.ts';
import { Writer } from './writer.ts';

export interface Call {
  id: number;
  name: CommandName | QueryName;
  args: unknown;
  key: IdempotencyKey | undefined;
}

/** The outcome of a call. Errors are sent as data: structured cloning would lose their class. */
export type Outcome = { id: number } & (
  | { value: unknown }
  | {
      problem: {
        status: number;
        code: string;
        detail: string;
        errors: unknown;
        headers: Record<string, string>;
      };
    }
  | { failed: string }
);

/** The outcomes of a batch of calls, and the topics to publish. */
export interface Batch {
  outcomes: Outcome[];
  topics: Topic[];
}

export interface ThreadData {
  path: string;
  role: 'write' | 'search';
  mode: Mode;
}

const { path, role, mode } = workerData as ThreadData;
const port = parentPort!;

function toFailure(id: number, error: unknown): Outcome {
  if (error instanceof ApiError) {
    const { status, code, message, errors, headers } = error;
    return { id, problem: { status, code, detail: message, errors, headers } };
  }
  return { id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

async function attempt(writer: Writer, { id, name, args, key }: Call): Promise<Outcome> {
  const command = commands[name as CommandName] as Command<unknown, unknown>;
  try {
    return { id, value: await writer.attempt(() => runIdempotent(writer, command, args, key)) };
  } catch (error) {
    // The whole transaction has been rolled back, and with it the other commands.
    if (!writer.inTransaction) throw error;
    return toFailure(id, error);
  }
}

async function commitGroup(writer: Writer, calls: Call[]): Promise<Outcome[]> {
  try {
    return await writer.commit(async () => {
      const outcomes: Outcome[] = [];
      for (const call of calls) outcomes.push(await attempt(writer, call));
      return outcomes;
    });
  } catch (error) {
    if (calls.length === 1 || isUnavailable(error)) return calls.map(({ id }) => toFailure(id, error));
    // One command may have caused the failure: each is run again in a transaction of its own.
    const outcomes: Outcome[] = [];
    for (const call of calls) outcomes.push(...(await commitGroup(writer, [call])));
    return outcomes;
  }
}

async function search(db: Db, calls: Call[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { id, name, args } of calls) {
    const query = queries[name as QueryName] as Query<unknown, unknown>;
    try {
      outcomes.push({ id, value: await query(db, args) });
    } catch (error) {
      outcomes.push(toFailure(id, error));
    }
  }
  return outcomes;
}

const connection = role === 'write' ? new Writer(path, mode) : new Connection(path, { readOnly: true });
const serve = (calls: Call[]) =>
  connection instanceof Writer ? commitGroup(connection, calls) : search(connection, calls);

function takeTopics(): Topic[] {
  if (!(connection instanceof Writer)) return [];
  const topics = [...connection.topics];
  connection.topics.clear();
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
    port.postMessage({ outcomes, topics: takeTopics() } satisfies Batch);
    // Receives messages that arrived meanwhile.
    await new Promise(setImmediate);
  }
  busy = false;
  if (closing) {
    connection.close();
    port.close();
  }
});

port.postMessage('ready');
