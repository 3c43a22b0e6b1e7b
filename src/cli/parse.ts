/** Finds the command in the arguments, and checks its arguments and options against the table. */
import { parseArgs } from 'node:util';
import {
  COMMON_OPTIONS,
  type Command,
  type CommandTable,
  listCommands,
  type Option,
  type OptionTable,
  UsageError,
} from './command.ts';
import { findClosest } from './suggest.ts';

type Value = string | boolean | string[];

interface Invocation {
  command: Command;
  args: string[];
  options: Record<string, Value>;
}

/** Options instead of a command. */
const PROGRAM_OPTIONS = { ...COMMON_OPTIONS, version: { description: 'prints the version' } };

/** What to do: run a command, or print the help of a command, of a noun or, without words, of all. */
export type Request = { run: Invocation } | { help: string[] } | { version: true };

export function parseRequest(argv: string[], table: CommandTable): Request {
  const commands = listCommands(table);
  const tokens = tokenize(
    argv,
    Object.assign({}, PROGRAM_OPTIONS, ...commands.map(({ options }) => options)),
  );
  const words = tokens.filter(({ kind }) => kind === 'positional').map(({ value }) => value!);
  const has = (name: string) => tokens.some((token) => token.kind === 'option' && token.name === name);
  const size = Object.hasOwn(table.nouns, words[0] ?? '') ? 2 : 1;
  const name = words.slice(0, size).join(' ');
  if (has('help')) return { help: words.slice(0, size) };
  if (has('version') && words.length === 0) return { version: true };
  const command = commands.find((each) => each.name === name);
  const options = command ? { ...command.options, ...COMMON_OPTIONS } : PROGRAM_OPTIONS;
  if (words.length === 0) {
    readOptions(tokens, options, 'quaestor');
    return { help: [] };
  }
  if (!command) throw refuseCommand(words, table);
  const args = words.slice(size);
  const values = readOptions(tokens, options, `quaestor ${command.name}`);
  if (!isArity(command.usage, args.length)) throw new UsageError(formatUsage(command));
  return { run: { command, args, options: values } };
}

export const formatUsage = ({ name, usage }: Command) => `quaestor ${name} ${usage}`.trimEnd();

/** An unknown command, with the one that may have been meant. */
export function refuseCommand(words: readonly string[], table: CommandTable): UsageError {
  const [noun = '', verb] = words;
  const names = listCommands(table).map(({ name }) => name);
  if (Object.hasOwn(table.nouns, noun)) {
    const verbs = names.filter((name) => name.startsWith(`${noun} `)).map((name) => name.split(' ')[1]!);
    if (verb === undefined) return new UsageError(`quaestor ${noun} ${verbs.join('|')}`);
    return new UsageError(`There is no command ${noun} ${verb}.${suggest(verb, verbs, `${noun} `)}`);
  }
  const firstWords = [...new Set(names.map((name) => name.split(' ')[0]!))];
  return new UsageError(`There is no command ${noun}.${suggest(noun, firstWords)}`);
}

function suggest(given: string, names: readonly string[], prefix = ''): string {
  const closest = findClosest(given, names);
  return closest === undefined ? '' : ` Did you mean ${prefix}${closest}?`;
}

interface Token {
  kind: 'positional' | 'option' | 'option-terminator';
  name?: string;
  rawName?: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

/** Options of all commands are known here, so that a command is found after the value of an option. */
function tokenize(args: string[], options: OptionTable): Token[] {
  const types = Object.entries(options).map(([name, { value }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', ...(name === 'help' && { short: 'h' }) },
  ]);
  const config = { args, options: Object.fromEntries(types), strict: false, tokens: true } as const;
  return parseArgs(config).tokens as Token[];
}

function readOptions(tokens: Token[], options: OptionTable, program: string): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const name = token.name!;
    const option = Object.hasOwn(options, name) ? options[name]! : undefined;
    if (!option)
      throw new UsageError(
        `${program} has no option ${token.rawName}.${suggest(name, Object.keys(options), '--')}`,
      );
    const value = readValue(token, option);
    if (!option.isRepeatable) values[name] = value;
    else values[name] = [...((values[name] as string[]) ?? []), ...splitList(value as string, option)];
    checkChoices(name, values[name]!, option);
  }
  return values;
}

function readValue({ name, value, inlineValue }: Token, option: Option): string | boolean {
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value.`);
    return true;
  }
  if (value === undefined) throw new UsageError(`--${name} needs a value: --${name} ${option.value}.`);
  if (!inlineValue && value.length > 1 && value.startsWith('-'))
    throw new UsageError(
      `--${name} needs a value. To pass one that begins with -, write --${name}=${value}.`,
    );
  return value;
}

const splitList = (value: string, { choices }: Option) =>
  choices ? value.split(/[\s,]+/).filter(Boolean) : [value];

function checkChoices(name: string, value: Value, { choices }: Option): void {
  const wrong = choices && [value].flat().find((each) => !choices.includes(each as string));
  if (wrong === undefined) return;
  throw new UsageError(`--${name} must be one of ${choices!.join(', ')}.${suggest(String(wrong), choices!)}`);
}

/** Whether the arguments of a usage, before its options, allow this number: A, [A], A... */
function isArity(usage: string, count: number): boolean {
  const names = usage
    .split(/ ?\[?--| ?\[OPTIONS\]/)[0]!
    .split(' ')
    .filter(Boolean);
  const required = names.filter((name) => !name.startsWith('[')).length;
  return count >= required && (count <= names.length || names.some((name) => name.endsWith('...')));
}
