/** `quaestor migrate`: moves a bank to another database, of whichever engine. */
import { basename, dirname, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { lockBank, openEngine } from '../engines/index.ts';
import { StartError } from '../engines/start-error.ts';
import { ApiError } from '../errors.ts';
import { type Arrived, moveBank, type Progress } from '../store/migrate/migrate.ts';
import { type Options, type Outcome, table, UsageError } from './command.ts';

export const MIGRATE = {
  takes: '--from ADDRESS --to ADDRESS',
  does: 'moves a bank: sqlite:FOLDER, postgres://…, or sqlite and postgres for those of the settings',
};

export async function migrate({ from, to }: Options, config: Config): Promise<Outcome> {
  if (from === undefined || to === undefined) throw new UsageError(`quaestor migrate ${MIGRATE.takes}`);
  const [origin, destination] = [addressOf('--from', from, config), addressOf('--to', to, config)];
  if (JSON.stringify(origin) === JSON.stringify(destination))
    throw new UsageError('--from and --to are the same bank.');
  const progress = new ProgressLine();
  const stopping = stopOnSignals();
  try {
    const { arrived, location } = await lockBank(origin, async (source) => {
      const target = await openEngine({ ...destination, half: true });
      try {
        const { signal } = stopping;
        const arrived = await moveBank({ source, target, signal, tell: (at) => progress.show(at) });
        return { arrived, location: target.location };
      } finally {
        await target.close();
      }
    });
    progress.end();
    return {
      data: { location, tables: arrived },
      text: report(arrived),
      note: `Everything is in ${location}, compared row by row. The bank it came from is as it was: use one of them from now on.`,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new StartError(`${error.message} The same command goes on from where it was.`);
  } finally {
    progress.end();
    stopping.forget();
  }
}

interface Address {
  dataDir: string;
  databaseUrl: string | undefined;
}

/** A password in an argument is seen by everybody on the machine; settings can come from a file. */
function addressOf(option: string, given: string, config: Config): Address {
  if (given === 'postgres') {
    if (config.QUAESTOR_DATABASE_URL) return { dataDir: '', databaseUrl: config.QUAESTOR_DATABASE_URL };
    throw new UsageError(`${option} postgres needs QUAESTOR_DATABASE_URL or QUAESTOR_DATABASE_URL_FILE.`);
  }
  if (/^postgres(ql)?:\/\//.test(given)) return { dataDir: '', databaseUrl: given };
  const folder = given === 'sqlite' ? config.QUAESTOR_DATA_DIR : /^sqlite:(.+)$/s.exec(given)?.[1];
  if (folder === undefined)
    throw new UsageError(`${option} has to be sqlite:FOLDER or postgres://…, or sqlite or postgres alone.`);
  const path = resolve(folder);
  return { dataDir: basename(path) === 'quaestor.db' ? dirname(path) : path, databaseUrl: undefined };
}

const report = (arrived: Arrived[]) =>
  table(
    ['TABLE', 'ROWS', 'SHA-256'],
    arrived.map(({ table, rows, sha256 }) => [table, whole(rows), sha256.slice(0, 12)]),
  );

const whole = (n: number) => Math.round(n).toLocaleString('en');

/** It was told to stop. */
export class Stopped extends Error {
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('Stopped. The same command goes on from here; until it is done, nobody can use the new bank.');
    this.signal = signal;
  }
}

function stopOnSignals(): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) => controller.abort(new Stopped(signal as 'SIGINT'));
  // Whoever insists ends it at once: nothing is lost by that either.
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return {
    signal: controller.signal,
    forget: () => process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}

/** On a terminal, one line that is written over; elsewhere a line every few seconds. */
class ProgressLine {
  readonly #tty = process.stderr.isTTY;
  #phase = '';
  #began = { at: 0, done: 0 };
  #shown = 0;

  show({ doing, table, done, total }: Progress): void {
    const now = performance.now();
    if (this.#phase !== doing) {
      this.#phase = doing;
      this.#began = { at: now, done };
    } else if (now - this.#shown < (this.#tty ? 100 : 3000)) return;
    this.#shown = now;
    const seconds = (now - this.#began.at) / 1000;
    const rate = seconds > 0 ? (done - this.#began.done) / seconds : 0;
    const left = rate > 0 ? `, ${whole(rate)} a second, ${duration((total - done) / rate)} left` : '';
    const line = `${doing} ${table}: ${whole(done)} of ${whole(total)} rows${left}`;
    process.stderr.write(this.#tty ? `\r\x1b[2K${line}` : `${line}\n`);
  }

  end(): void {
    if (this.#tty && this.#shown > 0) process.stderr.write('\r\x1b[2K');
    this.#shown = 0;
  }
}

const duration = (seconds: number) =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
