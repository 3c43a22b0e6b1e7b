/**
 * A thread with a connection of its own: `write` runs commands, `search` runs long reads. Group
 * commit: the commands of a request share a transaction, so that many durable writes cost one
 * fsync. Each runs in a savepoint, so that the failure of one does not affect the others. A large
 * command is prepared in slices between other requests, and committed by a request of its own.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError, isUnavailable } from '../../errors.ts';
import type { CommandName, QueryName } from '../../store/command-names.ts';
import { commands, queries } from '../../store/commands.ts';
import type { Command, IdempotencyKey, Query } from '../../store/db.ts';
import { runIdempotent } from '../../store/idempotency.ts';
import type { Topic } from '../../store/notifications.ts';
import type { Mode } from '../mode.ts';
import { Connection } from './connection.ts';
import { Writer } from './writer.ts';

export interface Call {
  name: CommandName | QueryName;
  args: unknown;
  key: IdempotencyKey | undefined;
}

/** The outcome of a call. Errors are sent as data: structured cloning would lose their class. */
export type Outcome =
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
  | { failed: string };

export type Request =
  /** Commits the calls together. */
  | { write: Call[] }
  /** Prepares a call; replaces the one prepared before. */
  | { prepare: Call }
  /** Commits the prepared call. */
  | { commitPrepared: true }
  | { search: Call; timeoutMs: number };

interface Message {
  id: number;
  request: Request;
}

/** The outcomes of a request's calls, in their order, and the topics to publish. */
export interface Reply {
  id: number;
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

function toFailure(error: unknown): Outcome {
  if (error instanceof ApiError) {
    const { status, code, message, errors, headers } = error;
    return { problem: { status, code, detail: message, errors, headers } };
  }
  return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

async function run(writer: Writer, { name, args, key }: Call): Promise<Outcome> {
  const command = commands[name as CommandName] as Command<unknown, unknown>;
  return { value: await runIdempotent(writer, command, args, key) };
}

async function attempt(writer: Writer, call: Call): Promise<Outcome> {
  try {
    return await writer.attempt(() => run(writer, call));
  } catch (error) {
    // The whole transaction has been rolled back, and with it the other commands.
    if (!writer.inTransaction) throw error;
    return toFailure(error);
  }
}

async function commitGroup(writer: Writer, calls: Call[]): Promise<Outcome[]> {
  try {
    return await writer.commit(async () => {
      // A savepoint copies every page that is changed, and SQLite searches the copies at the end of
      // each statement. One command alone needs none: if it fails, the transaction is rolled back.
      if (calls.length === 1) return [await run(writer, calls[0]!)];
      const outcomes: Outcome[] = [];
      for (const call of calls) outcomes.push(await attempt(writer, call));
      return outcomes;
    });
  } catch (error) {
    if (calls.length === 1 || isUnavailable(error)) return calls.map(() => toFailure(error));
    // One command may have caused the failure: each is run again in a transaction of its own.
    const outcomes: Outcome[] = [];
    for (const call of calls) outcomes.push(...(await commitGroup(writer, [call])));
    return outcomes;
  }
}

async function search({ name, args }: Call, timeoutMs: number): Promise<Outcome> {
  const query = queries[name as QueryName] as Query<unknown, unknown>;
  connection.limitTime(timeoutMs);
  try {
    return { value: await query(connection, args) };
  } catch (error) {
    return toFailure(error);
  }
}

const connection = role === 'write' ? new Writer(path, mode) : new Connection(path, { readOnly: true });

async function execute(request: Request): Promise<Outcome[]> {
  if ('search' in request) return [await search(request.search, request.timeoutMs)];
  const calls = 'write' in request ? request.write : [preparation!.call];
  return commitGroup(connection as Writer, calls);
}

function reply(id: number, outcomes: Outcome[]): void {
  const topics = connection instanceof Writer ? connection.takeTopics() : [];
  port.postMessage({ id, outcomes, topics } satisfies Reply);
}

const PREPARATION_SLICE_MS = 10;

interface Preparation {
  id: number;
  call: Call;
  /** Undefined when the preparation is complete. */
  steps: Iterator<void> | undefined;
}

let preparation: Preparation | undefined;

/** Continues the preparation for a slice of time. A fault in the data fails the command itself. */
function prepareSlice(task: Preparation): void {
  const end = performance.now() + PREPARATION_SLICE_MS;
  let done: boolean | undefined = false;
  try {
    while (!done && performance.now() < end) done = task.steps!.next().done;
  } catch {
    done = true;
  }
  if (!done) return;
  task.steps = undefined;
  reply(task.id, []);
}

const waiting: Message[] = [];
let busy = false;
let closing = false;

async function serve(): Promise<void> {
  if (busy) return;
  busy = true;
  for (;;) {
    const message = waiting.shift();
    if (message && 'prepare' in message.request) {
      const call = message.request.prepare;
      const command = commands[call.name as CommandName] as Command<unknown, unknown>;
      preparation = { id: message.id, call, steps: (command.prepare?.(call.args) ?? [])[Symbol.iterator]() };
    } else if (message) reply(message.id, await execute(message.request));
    else if (preparation?.steps) prepareSlice(preparation);
    else break;
    // Receives messages that arrived meanwhile.
    await new Promise(setImmediate);
  }
  busy = false;
  if (closing) {
    connection.close();
    port.close();
  }
}

port.on('message', (message: Message | 'close') => {
  if (message === 'close') closing = true;
  else waiting.push(message);
  void serve();
});

port.postMessage('ready');
