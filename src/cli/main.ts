/** The program `quaestor`: what is asked for goes to standard output, what there is to say about it to standard error. */
import { parseArgs } from 'node:util';
import { lifetimes, readConfig } from '../config.ts';
import { openEngine } from '../engines/index.ts';
import { StartError } from '../engines/start-error.ts';
import { ApiError } from '../errors.ts';
import { MigrationError } from '../store/migrate/migrate.ts';
import { clientCommands } from './client.ts';
import { type Command, type Outcome, UsageError } from './command.ts';
import { Interrupted, MIGRATE, migrate } from './migrate.ts';
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
  from: { type: 'string' },
  to: { type: 'string' },
} as const;

function help(): string {
  const commands = Object.entries(NOUNS).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { takes, does }]) => ({ takes: `${noun} ${verb} ${takes}`, does })),
  );
  const lines = [...commands, { ...MIGRATE, takes: `migrate ${MIGRATE.takes}` }].map(
    ({ takes, does }) => [`  quaestor ${takes}`, does] as const,
  );
  const width = Math.max(...lines.map(([usage]) => usage.length)) + 2;
  return `Manages who may use a bank, on its data folder, whether the service runs or not; and moves banks.

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
  if (noun === 'migrate') {
    if (verb !== undefined) throw new UsageError(`quaestor migrate ${MIGRATE.takes}`);
    print(await migrate(options, configOf(options)), options.json);
    return;
  }
  const verbs = Object.hasOwn(NOUNS, noun) ? NOUNS[noun]! : {};
  const command = Object.hasOwn(verbs, verb ?? '') ? verbs[verb!] : undefined;
  if (!command) throw new UsageError(`There is no command ${[noun, verb].filter(Boolean).join(' ')}.`);
  const [wanted = ''] = command.takes.split(/ ?\[?--/);
  if (rest.length !== wanted.split(' ').filter(Boolean).length)
    throw new UsageError(`quaestor ${noun} ${verb} ${command.takes}`);
  const config = configOf(options);
  const engine = await openEngine({
    dataDir: config.QUAESTOR_DATA_DIR,
    databaseUrl: options['data-dir'] === undefined ? config.QUAESTOR_DATABASE_URL : undefined,
    mode: 'admin',
  });
  try {
    print(await command.run(engine, rest, options, lifetimes(config)), options.json);
  } finally {
    await engine.close();
  }
}

const configOf = ({ 'data-dir': folder }: { 'data-dir'?: string | undefined }) =>
  readConfig({ ...process.env, ...(folder !== undefined && { QUAESTOR_DATA_DIR: folder }) });

function print({ data, text, note }: Outcome, json = false): void {
  process.stdout.write(json ? `${JSON.stringify(data, null, 2)}\n` : text);
  if (note !== undefined) process.stderr.write(`${note}\n`);
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.signal === 'SIGINT' ? 130 : 143;
  return error instanceof UsageError ? 2 : 1;
}

run(process.argv.slice(2)).catch((error) => {
  const expected = [UsageError, StartError, ApiError, MigrationError, Interrupted].some(
    (kind) => error instanceof kind,
  );
  const faults = error instanceof ApiError ? error.errors : undefined;
  const said =
    faults?.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}.`).join('\n') ?? error.message;
  process.stderr.write(`${expected ? said : (error?.stack ?? error)}\n`);
  if (error instanceof UsageError) process.stderr.write('quaestor --help shows what there is.\n');
  process.exitCode = exitCodeOf(error);
});
