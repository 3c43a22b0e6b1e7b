import type { Engine } from '../store/db.ts';

interface Options {
  role?: string | undefined;
  client?: string | undefined;
  scope?: string | undefined;
  days?: string | undefined;
}

interface Outcome {
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
  run(engine: Engine, args: string[], options: Options): Promise<Outcome>;
}

/** The command was not understood. */
export class UsageError extends Error {}

/** Rows in columns. */
export function table(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]!.length)));
  return [heads, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
