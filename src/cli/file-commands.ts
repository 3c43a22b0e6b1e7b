/** The entries of commands on files in the table of commands. */
import { DATA_DIR, defineCommand, URL_OPTION } from './command.ts';

const READ_FORMATS = [
  ...['csv', 'tsv', 'jsonl', 'json', 'opentdb', 'gift', 'aiken', 'anki', 'moodle-xml'],
  ...['qti-2.1', 'qti-2.2', 'qti-3.0', 'qti-1.2', 'apkg', 'xlsx'],
];
/** Canvas and Blackboard packages are read only. */
const WRITTEN_FORMATS = READ_FORMATS.filter((name) => name !== 'qti-1.2');

const SEVERITIES = ['info', 'minor', 'major'];

export const FILE_COMMANDS = [
  defineCommand({
    name: 'import',
    summary: 'imports a file of questions',
    usage: 'FILE [OPTIONS]',
    examples: [
      { command: 'import questions.csv --dry-run', effect: 'shows what would be imported' },
      { command: 'import quiz.gift --category Science --difficulty 1', effect: 'fills in what is missing' },
      { command: 'import bank.xlsx --rejects rejects.xlsx', effect: 'keeps the rejected items' },
      { command: 'import - --format jsonl < bank.jsonl', effect: 'reads standard input' },
    ],
    options: {
      format: { value: 'FORMAT', choices: READ_FORMATS, description: 'of the file; default: recognised' },
      'dry-run': { description: 'prints the report and stores nothing' },
      mode: {
        ...{ value: 'MODE', choices: ['skip_bad', 'all_or_nothing'] },
        description: 'what becomes of a file with rejected items; default: skip_bad',
      },
      'on-match': {
        ...{ value: 'ACTION', choices: ['skip', 'update', 'error'] },
        description: 'what becomes of questions that the bank has; default: skip',
      },
      category: { value: 'NAME', description: 'of new questions that have none' },
      difficulty: {
        ...{ value: 'LEVEL', choices: ['0', '1', '2'] },
        description: 'of new questions that have none',
      },
      map: {
        ...{ value: 'NAME=NAME', isRepeatable: true },
        description: 'a category of the file, and that of the bank for it',
      },
      'create-categories': { description: 'creates categories that the bank does not have' },
      rejects: { value: 'FILE', description: 'writes the rejected items to a file, in their own format' },
      encoding: { value: 'LABEL', description: 'of the file; default: recognised' },
      media: {
        ...{ value: 'ACTION', choices: ['reject', 'drop'] },
        description: 'what becomes of pictures without alternative text; default: reject',
      },
      'html-to': {
        ...{ value: 'FORM', choices: ['text', 'markdown'] },
        description: 'what HTML is converted to; default: text',
      },
      lenient: { description: 'accepts deviations from the format that docs/formats.md names' },
      url: URL_OPTION,
      'data-dir': DATA_DIR,
    },
    details: 'Exits with 0 if every item was imported, with 1 if not.',
    load: async () => (await import('./import.ts')).importFile,
  }),
  defineCommand({
    name: 'export',
    summary: 'writes the questions of a bank to a file',
    usage: '[FILE] [--format FORMAT] [--filter QUERY] [--url URL]',
    examples: [
      { command: 'export bank.jsonl', effect: 'writes all questions, without loss' },
      { command: "export science.gift --filter 'category=Science&tag=x'", effect: 'writes some of them' },
      { command: 'export --format csv | head', effect: 'writes to standard output' },
    ],
    options: {
      format: {
        ...{ value: 'FORMAT', choices: WRITTEN_FORMATS },
        description: 'default: by the ending of FILE; jsonl for standard output',
      },
      filter: { value: 'QUERY', description: 'a query string as in GET /questions' },
      url: URL_OPTION,
      'data-dir': DATA_DIR,
    },
    load: async () => (await import('./export.ts')).exportFile,
  }),
  defineCommand({
    name: 'convert',
    summary: 'converts a file of questions to another format, without a bank',
    usage: 'INPUT OUTPUT [--from FORMAT] [--to FORMAT]',
    examples: [
      { command: 'convert quiz.gift quiz.csv', effect: 'takes the formats from content and ending' },
      { command: 'convert export.xml quiz.zip --to qti-2.1', effect: 'names the format to write' },
      { command: 'convert - - --to jsonl < quiz.gift', effect: 'from standard input to standard output' },
    ],
    options: {
      from: { value: 'FORMAT', choices: READ_FORMATS, description: 'of INPUT; default: recognised' },
      to: {
        ...{ value: 'FORMAT', choices: WRITTEN_FORMATS },
        description: 'of OUTPUT; default: by its ending',
      },
    },
    details: 'Exits with 0 if every item was written, with 1 if not.',
    load: async () => (await import('./convert.ts')).convert,
  }),
  defineCommand({
    name: 'lint',
    summary: 'finds flaws and duplicates in files of questions, without a bank',
    usage: 'FILE... [--format FORMAT] [--report FORM] [--min-severity LEVEL]',
    examples: [
      { command: 'lint *.gift', effect: 'prints findings with their lines' },
      { command: 'lint bank.csv --min-severity major', effect: 'prints the severe ones only' },
      { command: 'lint *.gift --report github', effect: 'annotates the lines of a pull request' },
    ],
    options: {
      format: { value: 'FORMAT', choices: READ_FORMATS, description: 'of the files; default: recognised' },
      report: {
        ...{ value: 'FORM', choices: ['text', 'json', 'sarif', 'github'] },
        description: 'default: text',
      },
      'min-severity': { value: 'LEVEL', choices: SEVERITIES, description: 'default: info' },
    },
    details: 'Exits with 0 if nothing was found, with 1 for findings, with 3 if a file is unreadable.',
    load: async () => (await import('./lint.ts')).lint,
  }),
];
