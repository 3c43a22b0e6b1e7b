/** The program `quaestor`: what is asked for goes to standard output, what there is to say about it to standard error. */
import { parseArgs } from 'node:util';
import { lifetimes, readConfig } from '../config.ts';
import { openEngine } from '../engines/index.ts';
import { StartError } from '../engines/start-error.ts';
import { ApiError } from '../errors.ts';
import { clientCommands } from './client.ts';
import { type Command, UsageError } from './command.ts';
import { tokenCommands } from './token.ts';

// What is written is for this user alone.
process.umask(0o077);

const NOUNS: Record<string, Record<string, Command>> = { client: clientCommands, token: tokenCommands };

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  'data-dir': { type: 'string' },
  role: { type: 'string' },
  client: { type: 'string' },
  scope: { type: 'string' },
  days: { type: 'string' },
} as const;

function help(): string {
  const lines = Object.entries(NOUNS).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(
      ([verb, { takes, does }]) => [`  quaestor ${noun} ${verb} ${takes}`, does] as const,
    ),
  );
  const width = Math.max(...lines.map(([usage]) => usage.length)) + 2;
  return `Manages who may use a bank, on its data folder, whether the service runs or not.

${lines.map(([usage, does]) => usage.padEnd(width) + does).join('\n')}

  --data-dir DIR   the folder of the bank, in place of QUAESTOR_DATA_DIR (./data if neither is given)
  --json           answers as JSON

A bank on PostgreSQL is found by QUAESTOR_DATABASE_URL.
`;
}

async function run(args: string[]): Promise<void> {
  const { values: options, positionals } = parse(args);
  const [noun, verb, ...rest] = positionals;
  if (options.help || noun === undefined) {
    process.stdout.write(help());
    return;
  }
  const verbs = Object.hasOwn(NOUNS, noun) ? NOUNS[noun]! : {};
  const command = Object.hasOwn(verbs, verb ?? '') ? verbs[verb!] : undefined;
  if (!command) throw new UsageError(`There is no command ${[noun, verb].filter(Boolean).join(' ')}.`);
  const [wanted = ''] = command.takes.split(/ ?\[?--/);
  if (rest.length !== wanted.split(' ').filter(Boolean).length)
    throw new UsageError(`quaestor ${noun} ${verb} ${command.takes}`);
  const dataDir = options['data-dir'];
  const config = readConfig({ ...process.env, ...(dataDir !== undefined && { QUAESTOR_DATA_DIR: dataDir }) });
  const engine = await openEngine({
    dataDir: config.QUAESTOR_DATA_DIR,
    databaseUrl: dataDir === undefined ? config.QUAESTOR_DATABASE_URL : undefined,
    beside: true,
  });
  try {
    const { data, text, note } = await command.run(engine, rest, options, lifetimes(config));
    process.stdout.write(options.json ? `${JSON.stringify(data, null, 2)}\n` : text);
    if (note !== undefined) process.stderr.write(`${note}\n`);
  } finally {
    await engine.close();
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

run(process.argv.slice(2)).catch((error) => {
  const expected = error instanceof UsageError || error instanceof StartError || error instanceof ApiError;
  const faults = error instanceof ApiError ? error.errors : undefined;
  const said =
    faults?.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}.`).join('\n') ?? error.message;
  process.stderr.write(`${expected ? said : (error?.stack ?? error)}\n`);
  if (error instanceof UsageError) process.stderr.write('quaestor --help shows what there is.\n');
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
