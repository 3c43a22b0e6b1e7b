/** How an error is printed, and the exit code that it gives. */
import { Problem, Unreachable } from '../client/request.ts';
import { StartError } from '../engines/start-error.ts';
import { ApiError } from '../errors.ts';
import { UnreadableFile } from '../formats/format.ts';
import { MigrationError } from '../store/migrate/errors.ts';
import { UsageError } from './command.ts';
import { Interrupted } from './interrupt.ts';

/** Errors whose message is for the user. Others are bugs, and are printed with their stack. */
const EXPECTED = [
  ...[UsageError, StartError, ApiError, MigrationError, Interrupted, UnreadableFile],
  ...[Problem, Unreachable],
];

interface Failure {
  message: string;
  /** Printed after the message. */
  hint?: string;
  exitCode: number;
}

export function describeFailure(error: unknown): Failure {
  const { stack } = error as Error;
  if (!EXPECTED.some((kind) => error instanceof kind))
    return { message: stack ?? String(error), exitCode: 1 };
  const faults =
    error instanceof ApiError ? error.errors : error instanceof Problem ? error.faults : undefined;
  const message = faults?.length
    ? faults.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}.`).join('\n')
    : (error as Error).message;
  if (error instanceof UsageError) return { message, hint: 'Run quaestor --help for usage.', exitCode: 2 };
  if (error instanceof Interrupted) return { message, exitCode: error.signal === 'SIGINT' ? 130 : 143 };
  return { message, exitCode: 1 };
}
