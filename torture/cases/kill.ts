/** kill -9 of the service, and of the PostgreSQL server, under writers of every kind. */
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENGINES, type EngineName } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase, type OwnPostgres, startOwnPostgres } from '../../test/support/postgres.ts';
import { createRandom, type Random } from '../../test/support/random.ts';
import type { TortureCase } from '../case.ts';
import { Model } from '../support/model.ts';
import { compareLists, observe } from '../support/observe.ts';
import { Service } from '../support/service.ts';
import { Writer, type Writers, waitForChanges } from '../support/writers.ts';

const WRITERS = 16;
/** A bank is replaced after this many rounds, so that reading all of it stays cheap. */
const ROUNDS_PER_BANK = 25;
/** All lists and the database's own check, besides the comparison of each round. */
const ROUNDS_PER_FULL_CHECK = 5;
/** The service is killed after up to this many acknowledgements, or after a time. */
const MAX_WRITES_PER_ROUND = 150;
const MAX_WRITING_MS = 1000;
const POLL_MS = 2;
/** The share of rounds on PostgreSQL in which the server crashes too. */
const SERVER_CRASHES = 0.1;
const MAX_READY_MS = 3000;

interface Bank {
  env: Record<string, string>;
  /** The database file of SQLite. */
  path: string | undefined;
  remove(): Promise<void>;
}

async function createBank(server: OwnPostgres | undefined): Promise<Bank> {
  const folder = tempFolder();
  const database = server && (await freshDatabase(server));
  return {
    env: { QUAESTOR_DATA_DIR: folder, ...(database && { QUAESTOR_DATABASE_URL: database.url }) },
    path: server ? undefined : join(folder, 'quaestor.db'),
    remove: async () => {
      await database?.drop();
      removeFolder(folder);
    },
  };
}

function checkFile(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = ['integrity_check', 'foreign_key_check'].flatMap((pragma) =>
      database
        .prepare(`PRAGMA ${pragma}`)
        .all()
        .map((row) => `${pragma}: ${Object.values(row).join(' ')}`),
    );
    return rows.filter((row) => row !== 'integrity_check: ok');
  } finally {
    database.close();
  }
}

interface Tally {
  rounds: number;
  readyMs: number[];
  acknowledged: number;
  serverCrashes: number;
  violations: string[];
}

interface Rounds {
  random: Random;
  server: OwnPostgres | undefined;
  rounds: number;
  label: string;
  expired(): boolean;
}

/** Kills the service on one bank again and again, then checks it a last time. */
async function runBank({ random, server, rounds, label, expired }: Rounds, tally: Tally): Promise<void> {
  const bank = await createBank(server);
  const violations: string[] = [];
  let service = await Service.start(bank.env);
  const { token } = service;
  const shared: Writers = {
    ...{ model: new Model(), random, service, violations, acknowledged: 0, bulk: true },
    now: () => 0,
  };
  const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(shared, i));
  for (let round = 0; round < rounds && !expired() && violations.length === 0; round++) {
    let running = true;
    const loops = writers.map(async (writer) => {
      while (running) await writer.step();
    });
    const enough = shared.acknowledged + random.below(MAX_WRITES_PER_ROUND);
    const end = performance.now() + MAX_WRITING_MS;
    while (shared.acknowledged < enough && performance.now() < end) await sleep(POLL_MS);
    const crash = server && random.maybe(SERVER_CRASHES);
    if (crash) {
      await server.halt('immediate');
      tally.serverCrashes++;
    }
    running = false;
    await service.end('SIGKILL');
    await Promise.all(loops);
    if (crash) await server.start();

    service = await Service.start(bank.env, token);
    tally.readyMs.push(service.readyMs);
    shared.service = service;
    await Promise.all(writers.map((writer) => writer.repeat()));
    await waitForChanges(service);
    const stored = await observe(service);
    violations.push(...stored.violations, ...shared.model.compare(stored.observation));
    shared.model.settle(stored.observation);
    if ((round + 1) % ROUNDS_PER_FULL_CHECK === 0 || round + 1 === rounds) {
      violations.push(...(await compareLists(service, stored, random)));
      if (bank.path) violations.push(...checkFile(bank.path));
    }
    tally.rounds++;
    tally.violations.push(...violations.map((text) => `${label} round ${round + 1}: ${text}`));
  }
  tally.acknowledged += shared.acknowledged;
  await service.end('SIGKILL');
  if (violations.length === 0) await bank.remove();
  else if (bank.path) tally.violations.push(`${label}: the bank is kept in ${dirname(bank.path)}`);
}

async function runEngine(
  engine: EngineName,
  seed: number,
  rounds: number,
  context: { expired(): boolean; progress(done: number): void },
): Promise<Tally> {
  const tally: Tally = { rounds: 0, readyMs: [], acknowledged: 0, serverCrashes: 0, violations: [] };
  const durable = { fsync: 'on', full_page_writes: 'on' };
  const server = engine === 'postgres' ? await startOwnPostgres(durable) : undefined;
  try {
    for (let bank = 0; tally.rounds < rounds && !context.expired(); bank++) {
      const bankRounds = Math.min(ROUNDS_PER_BANK, rounds - tally.rounds);
      const random = createRandom(seed + bank);
      const label = `${engine} seed ${seed} bank ${bank}`;
      await runBank({ random, server, rounds: bankRounds, label, expired: context.expired }, tally);
      context.progress(tally.rounds);
      if (tally.violations.length > 0) break;
    }
  } finally {
    await server?.stop();
  }
  return tally;
}

export const kill: TortureCase = {
  name: 'kill',
  promise: 'kill -9 loses nothing that was acknowledged, halves no batch and repeats no write',
  rounds: { short: 2, long: 500 },
  run: async ({ form, seed, rounds, expired, progress }) => {
    const figures: Record<string, number> = {};
    const violations: string[] = [];
    let done = 0;
    for (const engine of ENGINES) {
      const tally = await runEngine(engine, seed, rounds, { expired, progress: (n) => progress(done + n) });
      done += tally.rounds;
      violations.push(...tally.violations);
      const sorted = tally.readyMs.toSorted((a, b) => a - b);
      const max = Math.round(sorted.at(-1) ?? 0);
      figures[`${engine}_kills`] = tally.rounds;
      figures[`${engine}_acknowledged`] = tally.acknowledged;
      figures[`${engine}_ready_ms_p50`] = Math.round(sorted[sorted.length >> 1] ?? 0);
      figures[`${engine}_ready_ms_max`] = max;
      if (engine === 'postgres') figures.postgres_server_crashes = tally.serverCrashes;
      if (form === 'long' && max > MAX_READY_MS)
        violations.push(`${engine}: ready after ${max} ms, the limit is ${MAX_READY_MS} ms`);
      if (tally.rounds > 0 && tally.acknowledged < tally.rounds)
        violations.push(`${engine}: only ${tally.acknowledged} writes were acknowledged`);
    }
    return { rounds: done / ENGINES.length, figures, violations };
  },
};
