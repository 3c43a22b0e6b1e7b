/** What a command of the program is. Imports nothing: the table of commands is always loaded. */

export interface Option {
  /** The placeholder of its value. A flag has none. */
  value?: string;
  description: string;
  choices?: readonly string[];
  /** Several values: of several options, or separated by commas where there are choices. */
  isRepeatable?: boolean;
}
export type OptionTable = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { value: string }
  ? O extends { isRepeatable: true }
    ? string[]
    : string
  : boolean;
type OptionValues<T extends OptionTable> = { readonly [K in keyof T]?: ValueOf<T[K]> | undefined };

export interface Outcome {
  /** The output for --json. */
  data: unknown;
  /** The output otherwise. */
  text: string;
  /** Printed on standard error. */
  note?: string;
  /** Default: 0. */
  exitCode?: number;
  /** Standard output has a file: the outcome is printed on standard error. */
  usesStdout?: boolean;
}

interface Example {
  command: string;
  /** What it does. */
  effect: string;
}

/** Options that every command has. */
export const COMMON_OPTIONS = {
  json: { description: 'prints the result as JSON' },
  help: { description: 'prints this help' },
} as const satisfies OptionTable;

export const DATA_DIR = {
  value: 'DIR',
  description: 'the data folder; default: QUAESTOR_DATA_DIR or ./data',
} as const satisfies Option;

export const URL_OPTION = {
  value: 'URL',
  description: 'a running service; default: QUAESTOR_URL. Its key is in QUAESTOR_KEY',
} as const satisfies Option;

/** Returns undefined where the command itself has written everything. */
type Run<T extends OptionTable> = (
  args: string[],
  options: OptionValues<T & typeof COMMON_OPTIONS>,
  table: CommandTable,
) => Promise<Outcome | undefined>;

interface Definition<T extends OptionTable> {
  /** One word, or a noun and a verb. */
  name: string;
  summary: string;
  /** Arguments, in capitals, then options. */
  usage: string;
  examples: readonly Example[];
  /** Paragraphs below the options in the help. */
  details?: string;
  options: T;
  /** Loads the modules of the command, which no other command needs. */
  load: () => Promise<Run<T>>;
}

export interface Command extends Omit<Definition<OptionTable>, 'load'> {
  load: () => Promise<Run<never>>;
}

export interface CommandTable {
  /** By subject, in the order of the help. */
  groups: Readonly<Record<string, readonly Command[]>>;
  /** The first words of commands with two, with their summaries. */
  nouns: Readonly<Record<string, string>>;
}

export const listCommands = ({ groups }: CommandTable): Command[] => Object.values(groups).flat();

/** Checks that the function of a command takes the options that its entry declares. */
export const defineCommand = <const T extends OptionTable>(definition: Definition<T>): Command => definition;

/** An unknown command or invalid arguments. */
export class UsageError extends Error {}
