import type { Static, TSchema } from 'typebox';
import type { Lifetimes } from '../access/sessions.ts';
import { tidy } from '../http/text.ts';
import { faultsIn } from '../http/validation.ts';
import type { Engine } from '../store/db.ts';

export interface Options {
  role?: string | undefined;
  client?: string | undefined;
  scope?: string | undefined;
  days?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface Outcome {
  /** The answer for programs. */
  data: unknown;
  /** The same for people and pipes. */
  text: string;
  /** What there is to say about it. */
  note?: string;
}

export interface Command {
  /** What stands behind it: capitals are arguments. */
  takes: string;
  does: string;
  run(engine: Engine, args: string[], options: Options, lifetimes: Lifetimes): Promise<Outcome>;
}

/** The command was not understood. */
export class UsageError extends Error {}

/** What the API would take, by the same schema. */
export function checked<T extends TSchema>(schema: T, given: object): Static<T> {
  const value = tidy(given);
  const faults = faultsIn(schema, value);
  if (faults.length === 0) return value as Static<T>;
  throw new UsageError(faults.map(({ pointer, detail }) => `The ${wordOf(pointer)} ${detail}.`).join('\n'));
}

const wordOf = (pointer: string) =>
  ({ expires_in_days: '--days', client_id: '--client', scopes: '--scope' })[pointer.split('/')[1]!] ??
  pointer.split('/')[1];

/** Rows in columns. A name may have a newline in it; here it makes no row. */
export function table(heads: string[], rows: string[][]): string {
  const cells = [heads, ...rows].map((row) => row.map((cell) => cell.replace(/\s+/gu, ' ')));
  const widths = heads.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
