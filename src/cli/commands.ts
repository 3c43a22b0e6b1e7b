/**
 * The table of commands, from which the help, the completion and the parsing of arguments derive.
 * A command is loaded when it is named.
 */
import { ACCESS_COMMANDS } from './access-commands.ts';
import { type CommandTable, DATA_DIR, defineCommand, URL_OPTION } from './command.ts';
import { FILE_COMMANDS } from './file-commands.ts';

const SERVICE_COMMANDS = [
  defineCommand({
    name: 'serve',
    summary: 'starts the service',
    usage: '[--port PORT] [--host HOST] [--data-dir DIR]',
    examples: [
      { command: 'serve', effect: 'serves ./data on http://127.0.0.1:3000, as `npm start` does' },
      { command: 'serve --port 8080 --data-dir /var/lib/quaestor', effect: 'serves another folder' },
    ],
    options: {
      port: { value: 'PORT', description: 'default: PORT or 3000' },
      host: { value: 'HOST', description: 'the address to listen on; default: HOST or 127.0.0.1' },
      'data-dir': DATA_DIR,
    },
    details: 'docs/operations.md lists the settings, which are environment variables.',
    load: async () => (await import('./serve.ts')).serve,
  }),
  defineCommand({
    name: 'demo',
    summary: 'serves a bank with questions, responses and planted faults',
    usage: '[--port PORT] [--data-dir DIR]',
    examples: [{ command: 'demo', effect: 'creates ./quaestor-demo, serves it, and says what to look at' }],
    options: {
      port: { value: 'PORT', description: 'default: PORT, or a free one' },
      'data-dir': { value: 'DIR', description: 'the folder of the demo bank; default: ./quaestor-demo' },
    },
    details: 'A folder that has another bank is refused. The next start uses the demo bank again.',
    load: async () => (await import('./demo.ts')).demo,
  }),
  defineCommand({
    name: 'doctor',
    summary: 'checks whether the service can run here, and says what to do',
    usage: '[--port PORT] [--host HOST] [--data-dir DIR]',
    examples: [{ command: 'doctor', effect: 'checks Node, settings, folder, database, port and clock' }],
    options: {
      port: { value: 'PORT', description: 'default: PORT or 3000' },
      host: { value: 'HOST', description: 'default: HOST or 127.0.0.1' },
      'data-dir': DATA_DIR,
    },
    details: 'Exits with 1 if a check fails. Changes nothing.',
    load: async () => (await import('./doctor.ts')).diagnose,
  }),
];

const BANK_COMMANDS = [
  defineCommand({
    name: 'backup',
    summary: 'copies a bank on SQLite to one file, also while the service writes',
    usage: 'FILE [--data-dir DIR]',
    examples: [{ command: 'backup bank-2026-11-16.db', effect: 'copies, verifies, then names the file' }],
    options: { 'data-dir': DATA_DIR },
    details: 'An existing file is never overwritten. For PostgreSQL it names the tools of the server.',
    load: async () => (await import('./backup.ts')).backUp,
  }),
  defineCommand({
    name: 'restore',
    summary: 'restores a backup to a folder without a bank',
    usage: 'FILE [--data-dir DIR]',
    examples: [
      { command: 'restore bank-2026-11-16.db --data-dir ./restored', effect: 'checks the file first' },
    ],
    options: { 'data-dir': DATA_DIR },
    details: 'A damaged backup is refused before anything is written, and a bank is never overwritten.',
    load: async () => (await import('./backup.ts')).restore,
  }),
  defineCommand({
    name: 'verify',
    summary: 'checks the files, every row and the index of a bank',
    usage: '[--data-dir DIR]',
    examples: [{ command: 'verify', effect: 'checks a bank, also beside the service; changes nothing' }],
    options: { 'data-dir': DATA_DIR },
    details: 'Exits with 1 if something is damaged.',
    load: async () => (await import('./verify.ts')).verify,
  }),
  defineCommand({
    name: 'migrate',
    summary: 'copies a bank to another database',
    usage: '--from ADDRESS --to ADDRESS',
    examples: [
      {
        command: 'migrate --from sqlite:./data --to postgres://user@host/database',
        effect: 'copies a data folder to PostgreSQL',
      },
      { command: 'migrate --from postgres --to sqlite:./copy', effect: 'copies QUAESTOR_DATABASE_URL' },
    ],
    options: {
      from: { value: 'ADDRESS', description: 'the bank to copy' },
      to: { value: 'ADDRESS', description: 'a new folder or an empty database' },
    },
    details:
      'An address is sqlite:FOLDER or postgres://…; sqlite or postgres alone are the bank of the settings.',
    load: async () => (await import('./migrate.ts')).migrate,
  }),
];

const ANALYSIS_COMMANDS = [
  defineCommand({
    name: 'analyze',
    summary: 'analyses a bank or files: a table, JSON, a figure, or a page with figures',
    usage: 'TYPE... [--file FILE] [--filter QUERY] [--format FORM] [--output FILE]',
    examples: [
      { command: 'analyze duplicates', effect: 'prints the first rows' },
      { command: 'analyze all --output report.html', effect: 'writes one page with all results' },
      { command: 'analyze quality --file quiz.gift', effect: 'needs no bank' },
      { command: "analyze irt --filter 'tag=midterm' --output information.svg", effect: 'writes the figure' },
    ],
    options: {
      file: { value: 'FILE', isRepeatable: true, description: 'a file of questions instead of a bank' },
      filter: { value: 'QUERY', description: 'a query string as in GET /questions' },
      parameters: { value: 'JSON', description: 'as in GET /analysis/types; default: those of the type' },
      format: {
        ...{ value: 'FORM', choices: ['text', 'json', 'svg', 'html'] },
        description: 'default: by the ending of --output, else text',
      },
      output: { value: 'FILE', description: 'default: standard output' },
      url: URL_OPTION,
      'data-dir': DATA_DIR,
    },
    details:
      'Types: coverage, duplicates, readability, quality, labels, item_statistics, reliability, irt,\n' +
      'difficulty_audit, dif; all. A service keeps the result; on a data folder or a file nothing is stored.',
    load: async () => (await import('./analyze.ts')).analyze,
  }),
];

const PROGRAM_COMMANDS = [
  defineCommand({
    name: 'completion',
    summary: 'prints a script that completes commands and options in a shell',
    usage: 'bash|zsh|fish',
    examples: [
      { command: 'completion bash >> ~/.bashrc', effect: 'for bash' },
      { command: 'completion zsh >> ~/.zshrc', effect: 'for zsh, after compinit' },
      { command: 'completion fish > ~/.config/fish/completions/quaestor.fish', effect: 'for fish' },
    ],
    options: {},
    load: async () => (await import('./completion.ts')).printCompletion,
  }),
  defineCommand({
    name: 'help',
    summary: 'prints the help of a command',
    usage: '[COMMAND]...',
    examples: [{ command: 'help token add', effect: 'the same as `quaestor token add --help`' }],
    options: {},
    load: async () => (await import('./help.ts')).printHelp,
  }),
];

export const COMMANDS: CommandTable = {
  groups: {
    'The service': SERVICE_COMMANDS,
    Files: FILE_COMMANDS,
    Analyses: ANALYSIS_COMMANDS,
    'The bank': BANK_COMMANDS,
    Access: ACCESS_COMMANDS,
    'The program': PROGRAM_COMMANDS,
  },
  nouns: {
    client: 'manages clients',
    token: 'manages keys, which are long-lived tokens with a name',
  },
};
