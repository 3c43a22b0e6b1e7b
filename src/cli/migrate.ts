/** `quaestor migrate`: copies a bank to another database of either engine. */
import { basename, dirname, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { type BankAddress, lockBank, openEngine } from '../engines/index.ts';
import { StartError } from '../engines/start-error.ts';
import { ApiError } from '../errors.ts';
import { type MigratedTable, migrateBank, type Progress } from '../store/migrate/migrate.ts';
import { type Outcome, UsageError } from './command.ts';
import { abortOnSignals } from './interrupt.ts';
import { readSettings } from './settings.ts';
import { renderTable } from './table.ts';

interface Options {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const migrate = (_args: string[], options: Options): Promise<Outcome> =>
  migrateBetween(options, readSettings({}));

export async function migrateBetween({ from, to }: Options, config: Config): Promise<Outcome> {
  if (from === undefined || to === undefined)
    throw new UsageError('quaestor migrate --from ADDRESS --to ADDRESS');
  const [sourceAddress, targetAddress] = [
    parseAddress('--from', from, config),
    parseAddress('--to', to, config),
  ];
  if (JSON.stringify(sourceAddress) === JSON.stringify(targetAddress))
    throw new UsageError('--from and --to are the same bank.');
  const progress = new ProgressLine();
  const interrupt = abortOnSignals(
    'Interrupted. The target is incomplete and cannot be used. Run the same command again; it starts over.',
  );
  try {
    const { tables, location } = await lockBank(sourceAddress, async (source) => {
      const target = await openEngine({ ...targetAddress, mode: 'migrate-target' });
      try {
        const { signal } = interrupt;
        const report = (at: Progress) => progress.show(at);
        return { tables: await migrateBank({ source, target, signal, report }), location: target.location };
      } finally {
        await target.close();
      }
    });
    progress.end();
    return {
      data: { location, tables },
      text: formatTables(tables),
      note: `Copied to ${location} and verified. The source is unchanged: use one of the two from now on.`,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new StartError(
      `${error.message} The target is incomplete: run the command again, and it starts over.`,
    );
  } finally {
    progress.end();
    interrupt.dispose();
  }
}

/**
 * Settings can come from a file; a password in an argument is visible to every user of the machine.
 */
function parseAddress(option: string, address: string, config: Config): BankAddress {
  if (address === 'postgres') {
    if (config.QUAESTOR_DATABASE_URL) return { dataDir: '', databaseUrl: config.QUAESTOR_DATABASE_URL };
    throw new UsageError(`${option} postgres needs QUAESTOR_DATABASE_URL or QUAESTOR_DATABASE_URL_FILE.`);
  }
  if (/^postgres(ql)?:\/\//.test(address)) return { dataDir: '', databaseUrl: address };
  const folder = address === 'sqlite' ? config.QUAESTOR_DATA_DIR : /^sqlite:(.+)$/s.exec(address)?.[1];
  if (folder === undefined)
    throw new UsageError(`${option} must be sqlite:FOLDER, postgres://…, sqlite or postgres.`);
  const path = resolve(folder);
  return { dataDir: basename(path) === 'quaestor.db' ? dirname(path) : path, databaseUrl: undefined };
}

const formatTables = (tables: MigratedTable[]) =>
  renderTable(
    ['TABLE', 'ROWS', 'SHA-256'],
    tables.map(({ table, rows, sha256 }) => [table, formatCount(rows), sha256.slice(0, 12)]),
  );

const formatCount = (n: number) => Math.round(n).toLocaleString('en');

const TTY_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 3000;

/** Overwrites one line on a terminal; elsewhere prints a line every few seconds. */
class ProgressLine {
  readonly #tty = process.stderr.isTTY;
  #phase = '';
  #phaseStart = { at: 0, done: 0 };
  #shownAt = 0;

  show({ phase, table, done, total }: Progress): void {
    const now = performance.now();
    if (this.#phase !== phase) {
      this.#phase = phase;
      this.#phaseStart = { at: now, done };
    } else if (now - this.#shownAt < (this.#tty ? TTY_INTERVAL_MS : LOG_INTERVAL_MS)) return;
    this.#shownAt = now;
    const seconds = (now - this.#phaseStart.at) / 1000;
    const rate = seconds > 0 ? (done - this.#phaseStart.done) / seconds : 0;
    const left = rate > 0 ? `, ${formatCount(rate)}/s, ${formatDuration((total - done) / rate)} left` : '';
    const line = `${phase} ${table}: ${formatCount(done)} of ${formatCount(total)} rows${left}`;
    process.stderr.write(this.#tty ? `\r\x1b[2K${line}` : `${line}\n`);
  }

  end(): void {
    if (this.#tty && this.#shownAt > 0) process.stderr.write('\r\x1b[2K');
    this.#shownAt = 0;
  }
}

const formatDuration = (seconds: number) =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
