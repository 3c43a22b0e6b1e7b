/**
 * The program `quaestor`. Results go to standard output, notes and errors to standard error. Only the
 * table of commands is loaded here; a command loads what it needs.
 */
import type { Outcome } from './command.ts';
import { COMMANDS } from './commands.ts';
import { parseRequest } from './parse.ts';

// Files are created for the current user only.
process.umask(0o077);

// The reader of a pipe may end first: `quaestor export | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

async function run(argv: string[]): Promise<void> {
  const request = parseRequest(argv, COMMANDS);
  if ('version' in request) {
    const { readVersion } = await import('./version.ts');
    process.stdout.write(`${readVersion()}\n`);
  } else if ('help' in request) {
    const { printHelp } = await import('./help.ts');
    print(await printHelp(request.help, {}, COMMANDS), argv.includes('--json'));
  } else {
    const { command, args, options } = request.run;
    const work = await command.load();
    const outcome = await work(args, options as never, COMMANDS);
    if (outcome) print(outcome, options.json === true);
  }
}

function print({ data, text, note, exitCode, usesStdout }: Outcome, json: boolean): void {
  const output = usesStdout ? process.stderr : process.stdout;
  output.write(json ? `${JSON.stringify(data, null, 2)}\n` : text);
  if (note !== undefined) process.stderr.write(`${note}\n`);
  if (exitCode !== undefined) process.exitCode = exitCode;
}

run(process.argv.slice(2)).catch(async (error) => {
  const { describeFailure } = await import('./failure.ts');
  const { message, hint, exitCode } = describeFailure(error);
  if (process.argv.includes('--json'))
    process.stderr.write(`${JSON.stringify({ error: message, exit_code: exitCode })}\n`);
  else process.stderr.write(hint === undefined ? `${message}\n` : `${message}\n${hint}\n`);
  process.exitCode = exitCode;
});
