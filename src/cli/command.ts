import type { Static, TSchema } from 'typebox';
import type { Lifetimes } from '../access/sessions.ts';
import { normalizeStrings } from '../http/text.ts';
import { findFaults } from '../http/validation.ts';
import type { Engine } from '../store/db.ts';

export interface Options {
  role?: string | undefined;
  client?: string | undefined;
  scope?: string[] | undefined;
  days?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface Outcome {
  /** The output for --json. */
  data: unknown;
  /** The output otherwise. */
  text: string;
  /** Printed on standard error. */
  note?: string;
}

export interface Command {
  /** Arguments, in capitals, and options. */
  usage: string;
  summary: string;
  run(engine: Engine, args: string[], options: Options, lifetimes: Lifetimes): Promise<Outcome>;
}

/** An unknown command or invalid arguments. */
export class UsageError extends Error {}

/** Validates arguments by the same schema as the API. */
export function parseInput<T extends TSchema>(schema: T, input: object): Static<T> {
  const value = normalizeStrings(input);
  const faults = findFaults(schema, value);
  if (faults.length === 0) return value as Static<T>;
  throw new UsageError(
    faults.map(({ pointer, detail }) => `The ${getArgumentName(pointer)} ${detail}.`).join('\n'),
  );
}

const getArgumentName = (pointer: string) =>
  ({ expires_in_days: '--days', client_id: '--client', scopes: '--scope' })[pointer.split('/')[1]!] ??
  pointer.split('/')[1];

/**
 * Renders aligned columns. White space in a cell, such as a newline in a name, becomes one space.
 */
export function renderTable(headings: string[], rows: string[][]): string {
  const cells = [headings, ...rows].map((row) => row.map((cell) => cell.replace(/\s+/gu, ' ')));
  const widths = headings.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
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
