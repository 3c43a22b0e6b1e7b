/**
 * SIGTERM under load, at a random moment, on each engine. Some stops come while the service is
 * still starting. After each, the service starts again on the same bank, which must have all
 * acknowledged writes, each once.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_HTTP_TIMINGS } from '../../src/http/timings.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase, startOwnPostgres } from '../../test/support/postgres.ts';
import { type ServiceProcess, spawnService, startService } from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import { listAll } from '../../test/support/requests.ts';
import type { TortureCase } from '../case.ts';
import { StopLoad } from '../support/stop-load.ts';

/** Checked in the long form. */
const MAX_EXIT_MS = 10_000;
/** The service closes connections with a request after this time. */
const MAX_WAIT_MS = DEFAULT_HTTP_TIMINGS.maxDrainMs;
const MAX_LOAD_MS = 1_500;
const MAX_START_MS = 1_000;
/** In this share of the rounds the stop comes right after the first connection. */
const AT_ONCE_SHARE = 0.2;
/** In this share of the rounds a stop during the start precedes. */
const DURING_START_SHARE = 0.2;

export const stops: TortureCase = {
  name: 'stops',
  promise: 'a stop drops no accepted request, loses no acknowledged write, and ends with exit code 0',
  rounds: { short: 1, long: 100 },
  async run({ form, seed, random, rounds, expired, progress }) {
    const folder = tempFolder();
    const server = await startOwnPostgres();
    const { url } = await freshDatabase(server);
    const banks = {
      sqlite: new StoppingBank({ QUAESTOR_DATA_DIR: folder }),
      postgres: new StoppingBank({ QUAESTOR_DATABASE_URL: url }),
    };
    const violations: string[] = [];
    let done = 0;
    try {
      while (done < rounds && !expired()) {
        for (const [engine, bank] of Object.entries(banks)) {
          const found = await bank.stopUnderLoad(random, `stop-${done + 1}`, form === 'long');
          violations.push(...found.map((line) => `seed ${seed}, round ${done + 1}, ${engine}: ${line}`));
        }
        progress(++done);
      }
    } finally {
      for (const bank of Object.values(banks)) await bank.close();
      await server.stop();
      removeFolder(folder);
    }
    const figures = Object.entries(banks).flatMap(([engine, bank]) =>
      Object.entries(bank.figures).map(([name, value]) => [`${engine}_${name}`, Math.round(value)]),
    );
    return { rounds: done, figures: Object.fromEntries(figures), violations };
  },
};

/** A bank whose service is stopped and started again. */
class StoppingBank {
  readonly figures: Record<string, number> = { exit_ms_max: 0 };
  readonly #settings: Record<string, string>;
  #service: ServiceProcess | undefined;

  constructor(settings: Record<string, string>) {
    this.#settings = { ...settings, QUAESTOR_LOG_LEVEL: 'warn', QUAESTOR_WORKERS: '1' };
  }

  /** Stops the service under load, starts it again, and returns the broken promises. */
  async stopUnderLoad(random: Random, tag: string, long: boolean): Promise<string[]> {
    this.#service ??= await startService(this.#settings);
    const load = new StopLoad(this.#service, random, tag);
    load.start();
    await sleep(random.maybe(AT_ONCE_SHARE) ? 0 : random.below(MAX_LOAD_MS));
    load.announceStop();
    const began = performance.now();
    const { code, signal } = await this.#service.end('SIGTERM');
    const exitMs = performance.now() - began;
    await load.finish();
    // On a busy machine requests may take longer than the service waits for them.
    const excused = !long && exitMs > MAX_WAIT_MS;
    const violations = excused ? [] : [...load.violations];
    if (code !== 0) violations.push(`the service ended with ${signal ?? code}`);
    if (exitMs > MAX_EXIT_MS && long) violations.push(`the service took ${Math.round(exitMs)} ms to exit`);
    this.#count(load, exitMs);
    if (random.maybe(DURING_START_SHARE)) violations.push(...(await this.#stopDuringStart(random)));
    this.#service = await startService(this.#settings);
    return [...violations, ...(await findDifferences(this.#service, load))];
  }

  async close(): Promise<void> {
    await this.#service?.end('SIGTERM');
  }

  /** Before the signal handler is installed, the signal ends the process. */
  async #stopDuringStart(random: Random): Promise<string[]> {
    const child = spawnService(this.#settings);
    const exit = once(child, 'exit');
    await sleep(random.below(MAX_START_MS));
    child.kill('SIGTERM');
    const [code, signal] = await exit;
    return code === 0 || signal === 'SIGTERM' ? [] : [`a stop during the start ended with ${signal ?? code}`];
  }

  #count({ counts }: StopLoad, exitMs: number): void {
    for (const [name, n] of Object.entries(counts)) this.figures[name] = (this.figures[name] ?? 0) + n;
    this.figures.exit_ms_max = Math.max(this.figures.exit_ms_max!, exitMs);
  }
}

/** Compares the acknowledged creations with the bank. */
async function findDifferences(
  service: ServiceProcess,
  { tag, acknowledged, sent }: StopLoad,
): Promise<string[]> {
  const found = (await listAll(service, `/questions?tag=${tag}`)).map(({ question_text }) => question_text);
  const stored = new Set(found);
  return [
    ...[...acknowledged].filter((text) => !stored.has(text)).map((text) => `lost: ${text}`),
    ...[...stored].filter((text) => !sent.has(text)).map((text) => `never sent: ${text}`),
    ...(found.length > stored.size ? [`${found.length - stored.size} questions were created twice`] : []),
  ];
}
