/** `quaestor demo`: serves a bank to play with, in a folder of its own. */
import { readConfig } from '../config.ts';
import { DEFAULT_FOLDER } from '../demo/folder.ts';
import { abortOnSignals } from './interrupt.ts';

interface Options {
  readonly port?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

/** Serves until a signal. Settings of other banks, such as the database, have no effect. */
export async function demo(_args: string[], options: Options): Promise<undefined> {
  const { 'data-dir': folder = DEFAULT_FOLDER } = options;
  // The service is loaded for this command alone.
  const { runDemo } = await import('../demo/demo.ts');
  const { QUAESTOR_DATABASE_URL: _, QUAESTOR_DATABASE_URL_FILE: __, ...env } = process.env;
  const port = options.port ?? env.PORT;
  const config = readConfig({ ...env, ...(port !== undefined && { PORT: port }) });
  const interrupt = abortOnSignals('Interrupted: the next start creates the demo bank anew.');
  try {
    await runDemo({
      folder,
      config,
      port: port === undefined ? undefined : config.PORT,
      signal: interrupt.signal,
      report: (line) => process.stderr.write(`${line}\n`),
      print: (text) => process.stdout.write(text),
    });
  } finally {
    interrupt.dispose();
  }
}
