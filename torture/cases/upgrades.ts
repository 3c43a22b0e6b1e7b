/**
 * Upgrades banks of every earlier schema version, and kills the upgrading service at random points.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEngine } from '../../src/engines/index.ts';
import { ENGINES, type EngineName } from '../../test/support/engines.ts';
import { spawnService, startAndFail, startService } from '../../test/support/process.ts';
import { createRandom, type Random } from '../../test/support/random.ts';
import { send } from '../../test/support/requests.ts';
import type { TortureCase, TortureReport } from '../case.ts';
import { type Bank, CURRENT_VERSION, createBank, downgrade } from '../upgrade/bank.ts';
import { digestBank, fillBank } from '../upgrade/content.ts';
import { CLEAR_NEW_CONTENT } from '../upgrade/downgrades.ts';

const QUESTIONS = { short: 100, long: 100_000 };

type Context = Parameters<TortureCase['run']>[0];

export const upgradesCase: TortureCase = {
  name: 'upgrades',
  promise:
    'a bank of any earlier schema version is upgraded without loss, also if kill -9 interrupts the upgrade; an older release refuses a newer bank',
  rounds: { short: 1, long: 50 },
  async run(context) {
    const report: TortureReport = { rounds: 0, figures: {}, violations: [] };
    // In turn in the long form, whose times are figures.
    if (context.form === 'short')
      await Promise.all(ENGINES.map((engine) => new Upgrades(engine, context, report).run()));
    else for (const engine of ENGINES) await new Upgrades(engine, context, report).run();
    report.rounds /= ENGINES.length;
    return report;
  },
};

class Upgrades {
  readonly #engine: EngineName;
  readonly #context: Context;
  readonly #report: TortureReport;
  readonly #random: Random;
  /** The content before the downgrade, by schema version. */
  readonly #expected = new Map<number, Map<string, string>>();
  readonly #banks = new Map<number, Bank>();
  /** The time from the start of the process until the service is ready, by schema version. */
  readonly #readyMs = new Map<number, number>();

  constructor(engine: EngineName, context: Context, report: TortureReport) {
    this.#engine = engine;
    this.#context = context;
    this.#report = report;
    this.#random = createRandom(context.seed);
  }

  async run(): Promise<void> {
    const { rounds, expired, progress } = this.#context;
    const versions = Array.from({ length: CURRENT_VERSION[this.#engine] - 1 }, (_, i) => i + 1);
    try {
      await this.#prepare(versions);
      await this.#refuseNewer();
      for (let round = 0; round < rounds && !expired(); round++) {
        await this.#killDuring(versions[round % versions.length]!, round);
        progress(++this.#report.rounds);
      }
    } finally {
      for (const bank of this.#banks.values()) await bank.remove();
    }
  }

  /** Fills a bank, makes a copy of every earlier version, and upgrades each without interruption. */
  async #prepare(versions: number[]): Promise<void> {
    const { form } = this.#context;
    const questions = QUESTIONS[form];
    const current = CURRENT_VERSION[this.#engine];
    const bank = await createBank(this.#engine, 0);
    this.#banks.set(current, bank);
    const start = performance.now();
    const service = await startService(bank.env);
    // The times of upgrades replace it in the long form.
    for (const version of versions) this.#readyMs.set(version, performance.now() - start);
    await fillBank(service, questions, this.#random);
    await service.end('SIGTERM');
    await bank.execute(CLEAR_NEW_CONTENT);
    this.#setFigure('questions', questions);
    for (const version of versions) {
      this.#expected.set(version, await digestBank(bank.address, version));
      const older = await bank.copy();
      this.#banks.set(version, older);
      await downgrade(this.#engine, older, version);
    }
    for (const version of versions) {
      if (form === 'long') await this.#upgrade(version);
      const copy = await this.#banks.get(version)!.copy();
      await this.#reopen(copy, version, `an upgrade from version ${version}`);
      await copy.remove();
    }
  }

  async #upgrade(version: number): Promise<void> {
    const bank = await this.#banks.get(version)!.copy();
    const start = performance.now();
    const service = await startService(bank.env);
    const ms = Math.round(performance.now() - start);
    this.#readyMs.set(version, ms);
    this.#raiseFigure('ready_ms_max', ms);
    this.#raiseFigure('service_memory_mb_max', readPeakMemoryMb(service.child.pid!));
    await this.#use(service, `after an upgrade from version ${version}`);
    await service.end('SIGTERM');
    await bank.remove();
  }

  /** The upgraded bank serves reads and writes. */
  async #use(service: Awaited<ReturnType<typeof startService>>, when: string): Promise<void> {
    const listed = await send(service, 'GET', '/questions?q=lantern&category=astronomy&limit=1');
    const { id } = listed.body.data[0];
    const changed = await send(service, 'PUT', `/questions/${id}`, { body: { source: 'upgraded' } });
    const created = await send(service, 'POST', '/questions', {
      body: { question_text: 'New?', correct_answer: 'Yes', category: 'Science', difficulty: 0 },
    });
    const newest = await send(service, 'GET', '/questions?sort=-created_at&limit=1');
    if (changed.status !== 200 || created.status !== 201 || newest.body.data[0].id !== created.body.id)
      this.#violate(
        `${when}: an update was answered with ${changed.status}, a creation with ${created.status}`,
      );
  }

  /** Kills a service that upgrades a copy, and opens the bank again. */
  async #killDuring(version: number, round: number): Promise<void> {
    const bank = await this.#banks.get(version)!.copy();
    const killMs = this.#readyMs.get(version)! * (0.2 + this.#random.below(1000) / 1000);
    const when = `round ${round} of seed ${this.#context.seed}, version ${version}, killed after ${Math.round(killMs)} ms`;
    const child = spawnService(bank.env);
    const ended = once(child, 'exit');
    await sleep(killMs);
    child.kill('SIGKILL');
    await ended;
    const reached = await bank.readVersion();
    if (reached < CURRENT_VERSION[this.#engine]) this.#addToFigure('kills_before_the_end', 1);
    if (reached > version && reached < CURRENT_VERSION[this.#engine])
      this.#addToFigure('kills_between_migrations', 1);
    await this.#reopen(bank, version, when);
    await bank.remove();
  }

  /** Opens a bank as the service does, which completes the upgrade, and compares its content. */
  async #reopen(bank: Bank, version: number, when: string): Promise<void> {
    try {
      await (await openEngine(bank.address)).close();
      const after = await bank.readVersion();
      if (after !== CURRENT_VERSION[this.#engine])
        this.#violate(`${when}: the next start left version ${after}`);
      const found = await digestBank(bank.address, version);
      for (const [table, digest] of this.#expected.get(version)!)
        if (found.get(table) !== digest)
          this.#violate(`${when}: ${table} was ${digest}, and is ${found.get(table)}`);
    } catch (error) {
      this.#violate(`${when}: the next start failed: ${(error as Error).message}`);
    }
  }

  async #refuseNewer(): Promise<void> {
    const newer = CURRENT_VERSION[this.#engine] + 1;
    const bank = await this.#banks.get(CURRENT_VERSION[this.#engine])!.copy();
    await bank.setVersion(newer);
    const { code, output } = await startAndFail(bank.env);
    const names = output.includes(`version ${newer}`) && output.includes('Use the newer release');
    if (code !== 1 || !names)
      this.#violate(`a newer bank was refused with ${code} and the message ${output}`);
    if ((await bank.readVersion()) !== newer) this.#violate('an older release changed a newer bank');
    await bank.remove();
  }

  #violate(text: string): void {
    this.#report.violations.push(`${this.#engine}: ${text}`);
  }

  #setFigure(name: string, value: number): void {
    this.#report.figures[`${this.#engine}_${name}`] = value;
  }

  #addToFigure(name: string, n: number): void {
    this.#setFigure(name, (this.#report.figures[`${this.#engine}_${name}`] ?? 0) + n);
  }

  #raiseFigure(name: string, value: number): void {
    this.#setFigure(name, Math.max(this.#report.figures[`${this.#engine}_${name}`] ?? 0, value));
  }
}

/** The peak resident set size of a process; 0 where /proc does not exist. */
function readPeakMemoryMb(pid: number): number {
  try {
    const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    return Math.round(Number(kb) / 1024);
  } catch {
    return 0;
  }
}
