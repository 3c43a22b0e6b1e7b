/** The program `quaestor`. Results go to standard output, notes and errors to standard error. */
import { parseArgs } from 'node:util';
import { getLifetimes, readConfig } from '../config.ts';
import { openEngine } from '../engines/index.ts';
import { StartError } from '../engines/start-error.ts';
import { ApiError } from '../errors.ts';
import { UnreadableFile } from '../formats/format.ts';
import { MigrationError } from '../store/migrate/migrate.ts';
import { clientCommands } from './client.ts';
import { type Command, type Outcome, UsageError } from './command.ts';
import { CONVERT, convert } from './convert.ts';
import { EXPORT, exportFile } from './export.ts';
import { IMPORT, importFile } from './import.ts';
import { Interrupted } from './interrupt.ts';
import { LINT, lint } from './lint.ts';
import { MIGRATE, migrate } from './migrate.ts';
import { renderRoles } from './roles.ts';
import { tokenCommands } from './token.ts';
import { VERIFY, verify } from './verify.ts';

// Files are created for the current user only.
process.umask(0o077);

const NOUNS: Record<string, Record<string, Command>> = { client: clientCommands, token: tokenCommands };

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  'data-dir': { type: 'string' },
  role: { type: 'string' },
  client: { type: 'string' },
  scope: { type: 'string', multiple: true },
  days: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  url: { type: 'string' },
  format: { type: 'string' },
  filter: { type: 'string' },
  rejects: { type: 'string' },
  'dry-run': { type: 'boolean' },
  mode: { type: 'string' },
  'on-match': { type: 'string' },
  category: { type: 'string' },
  difficulty: { type: 'string' },
  map: { type: 'string', multiple: true },
  'create-categories': { type: 'boolean' },
  encoding: { type: 'string' },
  media: { type: 'string' },
  'html-to': { type: 'string' },
  lenient: { type: 'boolean' },
  report: { type: 'string' },
  'min-severity': { type: 'string' },
} as const;

function help(): string {
  const commands = Object.entries(NOUNS).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { usage, summary }]) => ({
      usage: `${noun} ${verb} ${usage}`,
      summary,
    })),
  );
  const others = [
    { ...MIGRATE, usage: `migrate ${MIGRATE.usage}` },
    { ...VERIFY, usage: `verify ${VERIFY.usage}` },
    { ...CONVERT, usage: `convert ${CONVERT.usage}` },
    { ...IMPORT, usage: `import ${IMPORT.usage}` },
    { ...EXPORT, usage: `export ${EXPORT.usage}` },
    { ...LINT, usage: `lint ${LINT.usage}` },
  ];
  const lines = [...commands, ...others].map(
    ({ usage, summary }) => [`  quaestor ${usage}`, summary] as const,
  );
  const width = Math.max(...lines.map(([usage]) => usage.length)) + 2;
  return `Manages the clients and keys of a bank, also while the service is running; moves and verifies banks;
converts, lints, imports and exports files of questions.

${lines.map(([usage, summary]) => usage.padEnd(width) + summary).join('\n')}

  --data-dir DIR   the data folder; default: QUAESTOR_DATA_DIR or ./data
  --json           prints JSON
  --url URL        import and export through a running service; default: QUAESTOR_URL. Its key is in QUAESTOR_KEY

Options of import:
  --format FORMAT                      of the file; default: recognised by its content
  --dry-run                            prints the report and stores nothing
  --mode skip_bad|all_or_nothing       what becomes of a file with rejected items; default: skip_bad
  --on-match skip|update|error         what becomes of questions that the bank has; default: skip
  --category NAME, --difficulty 0|1|2  of new questions that have none
  --map NAME=NAME                      a category of the bank for one of the file; repeatable
  --create-categories                  creates categories that the bank does not have
  --rejects FILE                       writes the rejected items to a file
  --encoding LABEL, --media drop, --html-to markdown, --lenient   see docs/formats.md

Set QUAESTOR_DATABASE_URL to use a bank on PostgreSQL.

${renderRoles()}`;
}

async function run(args: string[]): Promise<void> {
  const { values: options, positionals } = parse(args);
  const [noun, verb, ...rest] = positionals;
  if (options.help || noun === undefined) {
    process.stdout.write(help());
    return;
  }
  if (noun === 'migrate') {
    if (verb !== undefined) throw new UsageError(`quaestor migrate ${MIGRATE.usage}`);
    print(await migrate(options, readSettings(options)), options.json);
    return;
  }
  if (noun === 'verify') {
    if (verb !== undefined) throw new UsageError(`quaestor verify ${VERIFY.usage}`);
    const { outcome, damaged } = await verify(readSettings(options), options['data-dir'] !== undefined);
    print(outcome, options.json);
    if (damaged) process.exitCode = 1;
    return;
  }
  if (noun === 'convert') {
    if (verb === undefined || rest.length !== 1) throw new UsageError(`quaestor convert ${CONVERT.usage}`);
    const { outcome, rejected } = await convert([verb, rest[0]!], options);
    print(outcome, options.json);
    if (rejected) process.exitCode = 1;
    return;
  }
  if (noun === 'import') {
    if (verb === undefined || rest.length > 0) throw new UsageError(`quaestor import ${IMPORT.usage}`);
    const { outcome, complete } = await importFile(verb, options, getBankSettings(options));
    print(outcome, options.json);
    if (!complete) process.exitCode = 1;
    return;
  }
  if (noun === 'lint') {
    if (verb === undefined) throw new UsageError(`quaestor lint ${LINT.usage}`);
    const { outcome, code } = await lint([verb, ...rest], options);
    print(outcome);
    process.exitCode = code;
    return;
  }
  if (noun === 'export') {
    if (rest.length > 0) throw new UsageError(`quaestor export ${EXPORT.usage}`);
    const outcome = await exportFile(verb, options, getBankSettings(options));
    // Standard output has the file.
    if (outcome.text !== '') print(outcome, options.json);
    else if (outcome.note !== undefined) process.stderr.write(`${outcome.note}\n`);
    return;
  }
  const verbs = Object.hasOwn(NOUNS, noun) ? NOUNS[noun]! : {};
  const command = Object.hasOwn(verbs, verb ?? '') ? verbs[verb!] : undefined;
  if (!command) throw new UsageError(`There is no command ${[noun, verb].filter(Boolean).join(' ')}.`);
  const [expected = ''] = command.usage.split(/ ?\[?--/);
  if (rest.length !== expected.split(' ').filter(Boolean).length)
    throw new UsageError(`quaestor ${noun} ${verb} ${command.usage}`);
  const config = readSettings(options);
  const engine = await openEngine({
    dataDir: config.QUAESTOR_DATA_DIR,
    databaseUrl: options['data-dir'] === undefined ? config.QUAESTOR_DATABASE_URL : undefined,
    mode: 'admin',
  });
  try {
    print(await command.run(engine, rest, options, getLifetimes(config)), options.json);
  } finally {
    await engine.close();
  }
}

const readSettings = ({ 'data-dir': folder }: { 'data-dir'?: string | undefined }) =>
  readConfig({ ...process.env, ...(folder !== undefined && { QUAESTOR_DATA_DIR: folder }) });

/** A data folder that is named takes precedence over the environment. */
function getBankSettings(options: { 'data-dir'?: string | undefined; url?: string | undefined }) {
  const config = readSettings(options);
  const isFolder = options['data-dir'] !== undefined;
  return {
    url: options.url ?? (isFolder ? undefined : process.env.QUAESTOR_URL),
    key: process.env.QUAESTOR_KEY,
    dataDir: config.QUAESTOR_DATA_DIR,
    databaseUrl: isFolder ? undefined : config.QUAESTOR_DATABASE_URL,
  };
}

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

function getExitCode(error: unknown): number {
  if (error instanceof Interrupted) return error.signal === 'SIGINT' ? 130 : 143;
  return error instanceof UsageError ? 2 : 1;
}

run(process.argv.slice(2)).catch((error) => {
  const expected = [UsageError, StartError, ApiError, MigrationError, Interrupted, UnreadableFile].some(
    (kind) => error instanceof kind,
  );
  const faults = error instanceof ApiError ? error.errors : undefined;
  const message =
    faults?.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}.`).join('\n') ?? error.message;
  process.stderr.write(`${expected ? message : (error?.stack ?? error)}\n`);
  if (error instanceof UsageError) process.stderr.write('Run quaestor --help for usage.\n');
  process.exitCode = getExitCode(error);
});
