/** The table of commands of the program: help, completion, suggestions, and what a command loads. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listCommands, type OptionTable, UsageError } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { printCompletion } from '../src/cli/completion.ts';
import { writeWhole } from '../src/cli/convert.ts';
import { printHelp } from '../src/cli/help.ts';
import { Interrupted, runInterruptibly } from '../src/cli/interrupt.ts';
import { parseRequest } from '../src/cli/parse.ts';
import { ProgressLine } from '../src/cli/progress.ts';
import { findClosest } from '../src/cli/suggest.ts';
import { FORMATS } from '../src/formats/index.ts';
import { ROLES, SCOPES } from '../src/schemas/scopes.ts';
import { EXPORT_TYPES } from '../src/schemas/transfer.ts';
import { removeFolder, tempFolder } from './support/folders.ts';

const PROGRAM = new URL('../src/cli/main.ts', import.meta.url).pathname;
const commands = listCommands(COMMANDS);
const parse = (...argv: string[]) => parseRequest(argv, COMMANDS);
const refuses = (argv: string[], message: RegExp) =>
  assert.throws(
    () => parse(...argv),
    (error) => error instanceof UsageError && message.test(error.message),
    argv.join(' '),
  );

describe('the table of commands', () => {
  it('has the formats that there are', () => {
    const choices = (name: string, option: string) =>
      [...commands.find((command) => command.name === name)!.options[option]!.choices!].sort();
    for (const [name, option] of [
      ['import', 'format'],
      ['convert', 'from'],
      ['lint', 'format'],
    ] as const)
      assert.deepEqual(choices(name, option), Object.keys(FORMATS).sort());
    for (const [name, option] of [
      ['export', 'format'],
      ['convert', 'to'],
    ] as const)
      assert.deepEqual(choices(name, option), Object.keys(EXPORT_TYPES).sort());
  });

  it('gives an option of several commands the same kind of value', () => {
    const kinds = new Map<string, boolean>();
    for (const { name, options } of commands)
      for (const [option, { value }] of Object.entries<OptionTable[string]>(options)) {
        assert.equal(kinds.get(option) ?? value !== undefined, value !== undefined, `${name} --${option}`);
        kinds.set(option, value !== undefined);
      }
  });

  it('has examples that its own parser accepts', () => {
    for (const { name, examples } of commands) {
      assert.ok(examples.length > 0, name);
      for (const { command } of examples) {
        const [line] = command.split(/ [<>|]/);
        const words = [...line!.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c!);
        const request = parse(...words);
        assert.ok('run' in request && request.run.command.name === name, command);
      }
    }
  });

  it('loads every command', async () => {
    for (const { name, load } of commands)
      if (name !== 'serve') assert.equal(typeof (await load()), 'function', name);
  });
});

describe('arguments', () => {
  it('keep every value of a repeated option, and split lists of choices', () => {
    const request = parse('token', 'add', 'x', '--scope', 'questions:read', '--scope', 'answers:read,admin');
    assert.ok('run' in request);
    assert.deepEqual(request.run.options.scope, ['questions:read', 'answers:read', 'admin']);
    const mapped = parse('import', 'a.csv', '--map', 'a, b=c', '--map', 'd=e');
    assert.ok('run' in mapped);
    assert.deepEqual(mapped.run.options.map, ['a, b=c', 'd=e']);
  });

  it('may have options anywhere', () => {
    const request = parse('--json', 'export', '--filter=q=x', '--', '--file');
    assert.ok('run' in request);
    assert.deepEqual(request.run.options, { json: true, filter: 'q=x' });
    assert.deepEqual(request.run.args, ['--file']);
    assert.deepEqual(parse('--data-dir', 'x', 'client', '-h'), { help: ['client'] });
  });

  it('2: are refused with a suggestion', () => {
    refuses(['imprt', 'x'], /^There is no command imprt\. Did you mean import\?$/);
    refuses(['token', 'ad'], /^There is no command token ad\. Did you mean token add\?$/);
    refuses(['constructor'], /^There is no command constructor\.$/);
    refuses(['client'], /^quaestor client list\|add\|/);
    refuses(
      ['convert', 'a', 'b', '--fom', 'csv'],
      /^quaestor convert has no option --fom\. Did you mean --from\?$/,
    );
    refuses(['convert', 'a', 'b', '--days', '3'], /has no option --days\.$/);
    refuses(['convert', 'a', 'b', '--to', 'gfit'], /^--to must be one of csv, .*\. Did you mean gift\?$/);
    refuses(['convert', 'a'], /^quaestor convert INPUT OUTPUT/);
    refuses(['import', 'a', '--format'], /^--format needs a value: --format FORMAT\.$/);
    refuses(['import', 'a', '--category', '--json'], /write --category=--json/);
    refuses(['import', 'a', '--dry-run=yes'], /--dry-run takes no value/);
    refuses(['lint'], /^quaestor lint FILE\.\.\./);
    refuses(['--nonsense'], /no option --nonsense/);
    refuses(['--constructor'], /no option --constructor/);
  });

  it('are compared by insertions, deletions, substitutions and swaps', () => {
    const names = ['import', 'export', 'lint', 'token'];
    for (const [given, closest] of [
      ['improt', 'import'],
      ['exprot', 'export'],
      ['tokens', 'token'],
      ['exp', 'export'],
      ['l', 'lint'],
      ['xy', undefined],
      ['', undefined],
    ] as const)
      assert.equal(findClosest(given, names), closest, given);
  });
});

describe('the help', () => {
  const help = async (...words: string[]) => (await printHelp(words, {}, COMMANDS)).text;

  it('lists every command, with examples first', async () => {
    const text = await help();
    for (const { name } of commands) assert.match(text, new RegExp(`^  ${name.split(' ')[0]} `, 'm'));
    assert.ok(text.indexOf('Examples:') < text.indexOf('Files:'));
  });

  it('shows every option and choice of a command in at most 110 columns', async () => {
    for (const { name, options } of commands) {
      const text = await help(...name.split(' '));
      for (const [option, { choices = [] }] of Object.entries<OptionTable[string]>(options))
        for (const shown of [`--${option}`, ...choices]) assert.ok(text.includes(shown), `${name}: ${shown}`);
      for (const line of text.split('\n')) assert.ok(line.length <= 110, line);
    }
  });

  it('has the table of roles for client and token', async () => {
    for (const words of [['client'], ['token'], ['token', 'add']]) {
      const text = await help(...words);
      for (const name of [...Object.keys(ROLES), ...Object.keys(SCOPES)])
        assert.match(text, new RegExp(`^${name} `, 'm'));
    }
  });

  it('2: is refused for an unknown command', async () => {
    await assert.rejects(help('exprot'), /Did you mean export\?/);
  });
});

describe('the completion', () => {
  const folder = tempFolder();
  after(() => removeFolder(folder));
  const script = async (shell: string) => (await printCompletion([shell], {}, COMMANDS)).text;

  it('completes commands, options and choices in bash', async () => {
    const lines: [line: string, replies: string][] = [
      ['quaestor imp', 'import'],
      ['quaestor token ', 'list add revoke'],
      ['quaestor token add x --sc', '--scope'],
      // After a colon, bash replaces the rest of the word only.
      ['quaestor token add x --scope questions:re', 'read review report'],
      ['quaestor import x --mode ', 'skip_bad all_or_nothing'],
      ['quaestor import x', ''],
    ];
    const calls = lines.map(
      ([line]) => `COMP_LINE='${line}' COMP_POINT=${line.length}; _quaestor; echo "\${COMPREPLY[*]}"`,
    );
    writeFileSync(join(folder, 'test.sh'), `${await script('bash')}\n${calls.join('\n')}\n`);
    const output = execFileSync('bash', [join(folder, 'test.sh')], { encoding: 'utf8' });
    assert.deepEqual(
      output.split('\n').slice(0, -1),
      lines.map(([, replies]) => replies),
    );
  });

  it('names every command and option in each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const text = await script(shell);
      for (const { name, options } of commands)
        for (const word of [...name.split(' '), ...Object.keys(options)])
          assert.ok(text.includes(word), `${shell}: ${word}`);
    }
    await assert.rejects(script('cmd'), /must be one of bash, zsh, fish/);
  });
});

describe('the progress', () => {
  function record(isTTY: boolean, options = {}) {
    const output = { isTTY, text: '', write: (text: string) => (output.text += text) };
    let now = 0;
    const progress = new ProgressLine({ output, now: () => now, ...options });
    const show = (at: number, done: number, total?: number) => {
      now = at;
      progress.show({ phase: 'copying', done, total, unit: 'rows' });
    };
    return { progress, output, show };
  }

  it('is one line with a bar, the rate and the time left on a terminal', () => {
    const { progress, output, show } = record(true);
    show(0, 0, 4000);
    show(50, 500, 4000);
    show(1000, 1000, 4000);
    progress.end();
    const shown = output.text.split('\r\x1b[2K').slice(1);
    assert.deepEqual(shown, [
      `${'░'.repeat(20)} copying: 0 of 4,000 rows`,
      `${'█'.repeat(5)}${'░'.repeat(15)} copying: 1,000 of 4,000 rows, 1,000/s, 3 s left`,
      '',
    ]);
  });

  it('is a line every few seconds elsewhere', () => {
    const { progress, output, show } = record(false);
    for (let at = 0; at <= 7000; at += 500) show(at, at, 140_000);
    progress.end();
    assert.equal(
      output.text,
      'copying: 3,000 of 140,000 rows, 1,000/s, 2 min 17 s left\ncopying: 6,000 of 140,000 rows, 1,000/s, 2 min 14 s left\n',
    );
    const started = record(false, { logsStart: true });
    started.show(0, 10);
    assert.equal(started.output.text, 'copying: 10 rows\n');
  });
});

describe('a signal', () => {
  it('ends a command that writes a file, and leaves none', async () => {
    const folder = tempFolder();
    const file = join(folder, 'a.csv');
    async function* produce() {
      for (let n = 0; ; n++) {
        // Twice, as the terminal and the launcher send it.
        if (n === 3 || n === 4) process.emit('SIGINT', 'SIGINT');
        yield Buffer.from('x');
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const writing = runInterruptibly('Interrupted. Nothing was written.', (signal) =>
      writeWhole(file, produce(), signal),
    );
    const error = await writing.catch((reason: unknown) => reason);
    assert.ok(error instanceof Interrupted && error.message === 'Interrupted. Nothing was written.');
    assert.deepEqual(readdirSync(folder), []);
    assert.deepEqual([process.listenerCount('SIGINT'), process.listenerCount('SIGTERM')], before);
    removeFolder(folder);
  });
  const before = [process.listenerCount('SIGINT'), process.listenerCount('SIGTERM')];
});

describe('--json', () => {
  it('2: also prints errors as JSON', () => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'exprot', '--json'], {
      encoding: 'utf8',
    });
    assert.equal(status, 2);
    const expected = { error: 'There is no command exprot. Did you mean export?', exit_code: 2 };
    assert.deepEqual(JSON.parse(stderr), expected);
  });
});

/** Prints the files that the process has loaded. */
const HOOK = `
import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
const urls = [];
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
process.on('exit', () => appendFileSync(process.env.LOADED, urls.join('\\n')));
`;

describe('a command loads what it needs', () => {
  const folder = tempFolder();
  after(() => removeFolder(folder));
  writeFileSync(join(folder, 'a.gift'), 'Which planet is the largest? {=Jupiter ~Mars}\n');

  const load = (name: string, ...args: string[]): Promise<string[]> => {
    const LOADED = join(folder, name);
    const env = { PATH: process.env.PATH!, LOADED, QUAESTOR_DATA_DIR: join(folder, 'none') };
    const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
    return new Promise((resolve) => {
      execFile(process.execPath, ['--import', hook, PROGRAM, ...args], { env }, () => {
        const urls = readFileSync(LOADED, 'utf8').split('\n');
        resolve(
          urls
            .filter((url) => url.startsWith('file:'))
            .map((url) => url.replace(/^.*?(?=src\/|node_modules\/)/, '')),
        );
      });
    });
  };
  const holds = (loaded: string[], text: string) => loaded.some((url) => url.includes(text));

  it('few modules for --help, --version and completion', async () => {
    const [help, version, completion] = await Promise.all([
      load('help', 'import', '--help'),
      load('version', '--version'),
      load('completion', 'completion', 'bash'),
    ]);
    for (const loaded of [help, version, completion]) {
      assert.ok(loaded.length > 1 && loaded.length <= 12, loaded.join('\n'));
      assert.ok(!holds(loaded, 'node_modules/'), loaded.join('\n'));
    }
  });

  it('neither schemas nor the service for convert, neither analyses nor the service for token', async () => {
    const [convert, token] = await Promise.all([
      load('convert', 'convert', join(folder, 'a.gift'), join(folder, 'a.csv')),
      load('token', 'token', 'list'),
    ]);
    assert.match(readFileSync(join(folder, 'a.csv'), 'utf8'), /Jupiter/);
    for (const text of ['typebox', 'fastify', 'src/analyses', 'src/store', 'src/engines', 'node_modules/pg'])
      assert.ok(!holds(convert, text), text);
    assert.ok(holds(token, 'src/store/access/tokens.ts'));
    for (const text of ['fastify', 'src/analyses', 'src/formats/index', 'src/api', 'node_modules/pg'])
      assert.ok(!holds(token, text), text);
  });
});
