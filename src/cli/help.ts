/** The help, rendered from the table of commands. */
import { COMMON_OPTIONS, type Command, type CommandTable, listCommands, type Outcome } from './command.ts';
import { formatUsage, refuseCommand } from './parse.ts';
import { alignColumns } from './table.ts';

export const printHelp = async (
  words: string[],
  _options: object,
  table: CommandTable,
): Promise<Outcome> => ({
  data: describeCommands(words, table),
  text: await renderHelp(words, table),
});

/** Of a command, of a noun or, without words, of the program. */
async function renderHelp(words: readonly string[], table: CommandTable): Promise<string> {
  const found = findCommands(words, table);
  if (words.length === 0) return renderOverview(table);
  const [noun] = words as [string];
  // Below the last command, because the table is long.
  const roles = Object.hasOwn(table.nouns, noun) ? `\n${(await import('./roles.ts')).renderRoles()}` : '';
  if (found.length === 1) return renderCommand(found[0]!) + roles;
  const commands = alignColumns(
    found.map((command) => [formatUsage(command), command.summary]),
    '  ',
  );
  const examples = renderExamples(found);
  return `quaestor ${noun}: ${table.nouns[noun]}\n\n${examples}\nCommands:\n${commands}${roles}`;
}

function findCommands(words: readonly string[], table: CommandTable): Command[] {
  const name = words.join(' ');
  const found = listCommands(table).filter(
    (command) => name === '' || command.name === name || command.name.startsWith(`${name} `),
  );
  if (found.length === 0) throw refuseCommand(words, table);
  return found;
}

const describeCommands = (words: readonly string[], table: CommandTable) =>
  findCommands(words, table).map(({ load: _, ...command }) => ({
    ...command,
    usage: formatUsage(command as Command),
  }));

function renderCommand(command: Command): string {
  const { name, summary, examples, options, details } = command;
  const rows = Object.entries({ ...options, ...COMMON_OPTIONS }).map(
    ([option, { value, description, choices, isRepeatable }]: [string, Command['options'][string]]) => [
      value === undefined ? `--${option}` : `--${option} ${value}`,
      description + (isRepeatable ? '; repeatable' : '') + (choices ? `; one of ${choices.join(', ')}` : ''),
    ],
  );
  return [
    `quaestor ${name}: ${summary}\n`,
    examples.length > 0 ? renderExamples([command]) : undefined,
    `Usage:\n  ${formatUsage(command)}\n`,
    `Options:\n${alignColumns(wrapRows(rows), '  ')}`,
    details === undefined ? undefined : `${details}\n`,
  ]
    .filter((part) => part !== undefined)
    .join('\n');
}

const MAX_DESCRIPTION_COLUMNS = 76;

/** Continues long descriptions in further rows. */
const wrapRows = (rows: string[][]) =>
  rows.flatMap(([option, description]) => {
    const lines = [''];
    for (const word of description!.split(' ')) {
      if (lines.at(-1)!.length + word.length >= MAX_DESCRIPTION_COLUMNS) lines.push('');
      lines.push(`${lines.pop()} ${word}`.trimStart());
    }
    return lines.map((line, i) => [i === 0 ? option! : '', line]);
  });

const renderExamples = (commands: readonly Command[]) =>
  `Examples:\n${commands
    .flatMap(({ examples }) => examples)
    .map(({ command, effect }) => `  quaestor ${command}\n      ${effect}\n`)
    .join('')}`;

/** Examples of the overview: the first ones of these commands. */
const FIRST_COMMANDS = ['serve', 'import', 'lint', 'token add'];

function renderOverview(table: CommandTable): string {
  const groups = Object.entries(table.groups).map(([title, commands]) => {
    const nouns = new Set(commands.map(({ name }) => name.split(' ')[0]!));
    const rows = [...nouns].map((noun) => [noun, summarize(noun, commands, table)]);
    return { title, rows };
  });
  // The same width in all groups.
  const lines = alignColumns(
    groups.flatMap(({ rows }) => rows),
    '  ',
  ).split('\n');
  const sections = groups.map(({ title, rows }) => `${title}:\n${lines.splice(0, rows.length).join('\n')}\n`);
  const first = FIRST_COMMANDS.flatMap((name) => listCommands(table).filter((each) => each.name === name));
  return [
    'quaestor: a question bank with item analysis\n',
    renderExamples(first.map((command) => ({ ...command, examples: command.examples.slice(0, 1) }))),
    ...sections,
    `Options:\n${alignColumns(
      [
        ['--json', 'prints results as JSON'],
        ['--help', 'prints the help of a command'],
        ['--version', 'prints the version'],
      ],
      '  ',
    )}`,
    'Set QUAESTOR_DATABASE_URL to use a bank on PostgreSQL.\n`quaestor help COMMAND` prints examples and options.\n',
  ].join('\n');
}

function summarize(noun: string, commands: readonly Command[], { nouns }: CommandTable): string {
  const verbs = commands
    .filter(({ name }) => name.startsWith(`${noun} `))
    .map(({ name }) => name.split(' ')[1]);
  if (verbs.length === 0) return commands.find(({ name }) => name === noun)!.summary;
  return `${nouns[noun]}: ${verbs.join(', ')}`;
}
