/**
 * Mixed load on both engines at the same time. A round is a second; the long form compresses four
 * hours of a normal load into twenty minutes. Memory, handles, threads, worker processes, the
 * write-ahead log and database connections are sampled, and none may grow in the second half.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase, type PostgresServer, startOwnPostgres } from '../../test/support/postgres.ts';
import { type ServiceProcess, startService } from '../../test/support/process.ts';
import { createRandom } from '../../test/support/random.ts';
import { send } from '../../test/support/requests.ts';
import type { TortureCase } from '../case.ts';
import { MixedLoad } from '../support/mixed-load.ts';
import { readMetrics, readProcess } from '../support/process-figures.ts';
import { estimateGrowth, isFlat, type Series } from '../support/trend.ts';

const SAMPLE_INTERVAL_MS = 2_000;
/** In a shorter run caches are still filling. */
const MIN_SECONDS_FOR_TREND = 600;
const WORKERS = 2;
const CONNECTIONS = 10;
const MIB = 1024 * 1024;

/**
 * The largest growth over the second half that counts as flat. A leak of 50 MiB in an hour of
 * normal load is 100 MiB in the ten minutes of the second half.
 */
const MAX_GROWTH: Record<string, number> = {
  rss_mib: 50,
  heap_mib: 20,
  external_mib: 20,
  handles: 10,
  threads: 2,
  workers: 1,
  wal_mib: 20,
  connections: 3,
};

/** Limits at every moment: of the load's connections, the workers and the pool. */
const MAX_VALUE: Record<string, number> = {
  workers: WORKERS,
  // The pool, the monitor with a replacement, and one for each worker.
  connections: CONNECTIONS + 2 + WORKERS,
};

/** A service under load, and the samples of its figures. */
interface Subject {
  engine: 'sqlite' | 'postgres';
  service: ServiceProcess;
  load: MixedLoad;
  samples: Record<string, number[]>;
  readStorage(): Promise<Record<string, number>>;
}

export const soak: TortureCase = {
  name: 'soak',
  promise: 'memory, handles, processes, connections and the write-ahead log stay flat under lasting load',
  rounds: { short: 3, long: 1_200 },
  async run({ seed, rounds, expired, progress }) {
    const folder = tempFolder();
    const server = await startOwnPostgres({ max_wal_size: '64MB', min_wal_size: '32MB' });
    const subjects = await Promise.all([startOnSqlite(folder, seed), startOnPostgres(server, seed)]);
    const violations: string[] = [];
    let done = 0;
    try {
      for (const { load } of subjects) load.start();
      const began = performance.now();
      while (done < rounds && !expired()) {
        await sleep(Math.min(SAMPLE_INTERVAL_MS, (rounds - done) * 1_000));
        for (const subject of subjects) await takeSample(subject);
        done = Math.min(rounds, Math.round((performance.now() - began) / 1_000));
        progress(done);
      }
      await Promise.all(subjects.map(({ load }) => load.stop()));
      for (const subject of subjects) {
        violations.push(...judge(subject, done).map((line) => `seed ${seed}, ${subject.engine}: ${line}`));
        const { status } = await send({ ...subject.service, token: subject.load.token }, 'GET', '/questions');
        if (status !== 200) violations.push(`seed ${seed}, ${subject.engine}: ${status} after the load`);
      }
    } finally {
      await Promise.all(subjects.map(({ load }) => load.stop()));
      for (const { service } of subjects) await service.end('SIGTERM');
      await server.stop();
      removeFolder(folder);
    }
    return { rounds: done, figures: Object.assign({}, ...subjects.map(summarise)), violations };
  },
};

const SETTINGS = {
  QUAESTOR_LOG_LEVEL: 'warn',
  QUAESTOR_WORKERS: String(WORKERS),
  QUAESTOR_DATABASE_CONNECTIONS: String(CONNECTIONS),
  // High, so that requests are counted but not refused.
  ...Object.fromEntries(
    ['READ', 'WRITE', 'ANALYSIS', 'TOKEN'].map((name) => [`QUAESTOR_LIMIT_${name}`, '1000000']),
  ),
};

async function startOnSqlite(folder: string, seed: number): Promise<Subject> {
  const service = await startService({ ...SETTINGS, QUAESTOR_DATA_DIR: folder });
  const load = new MixedLoad(service, createRandom(seed));
  const readStorage = async () => ({
    wal_mib: (statSync(join(folder, 'quaestor.db-wal'), { throwIfNoEntry: false })?.size ?? 0) / MIB,
  });
  return { engine: 'sqlite', service, load, samples: {}, readStorage };
}

async function startOnPostgres(server: PostgresServer, seed: number): Promise<Subject> {
  const database = await freshDatabase(server);
  const service = await startService({ ...SETTINGS, QUAESTOR_DATABASE_URL: database.url });
  const load = new MixedLoad(service, createRandom(seed + 1));
  const readStorage = async () => {
    const { rows } = await database.query(
      `SELECT (SELECT CAST(sum(size) AS float8) FROM pg_ls_waldir()) / ${MIB} AS wal_mib,
              (SELECT CAST(count(*) AS int) FROM pg_stat_activity WHERE application_name LIKE 'quaestor%') AS connections`,
    );
    return rows[0];
  };
  return { engine: 'postgres', service, load, samples: {}, readStorage };
}

async function takeSample({ service, load, samples, readStorage }: Subject): Promise<void> {
  const metrics = await readMetrics({ port: service.port, token: load.token });
  // Refused while the database is unavailable: the load counts that.
  if (!metrics) return;
  const figures = { ...metrics, ...readProcess(service.child.pid!), ...(await readStorage()) };
  for (const [name, value] of Object.entries(figures)) {
    samples[name] ??= [];
    samples[name].push(value);
  }
}

const listSeries = ({ samples }: Subject): Series[] =>
  Object.entries(samples).map(([name, values]) => ({
    name,
    values,
    maxGrowth: MAX_GROWTH[name]!,
    reduce: name === 'heap_mib' ? 'min' : 'median',
  }));

function judge(subject: Subject, seconds: number): string[] {
  const { load, samples } = subject;
  const violations = [...load.faults];
  if (load.answered === 0) violations.push('no request was answered');
  for (const name of ['rss_mib', 'heap_mib', 'wal_mib'])
    if (!samples[name]?.every(Number.isFinite)) violations.push(`${name} could not be measured`);
  for (const [name, max] of Object.entries(MAX_VALUE)) {
    const highest = Math.max(...(samples[name] ?? [0]));
    if (highest > max) violations.push(`${name} reached ${highest}; at most ${max} are expected`);
  }
  if (seconds < MIN_SECONDS_FOR_TREND) return violations;
  for (const series of listSeries(subject))
    if (!isFlat(series))
      violations.push(
        `${series.name} grew by ${estimateGrowth(series).toFixed(1)} in the second half; at most ${series.maxGrowth} is flat`,
      );
  return violations;
}

function summarise(subject: Subject): Record<string, number> {
  const { engine, load } = subject;
  const round = (value: number) => Math.round(value * 10) / 10;
  return Object.fromEntries([
    [`${engine}_requests`, load.answered],
    [`${engine}_unavailable`, load.unavailable],
    ...listSeries(subject).flatMap((series) => [
      [`${engine}_${series.name}_max`, round(Math.max(...series.values))],
      [`${engine}_${series.name}_growth`, round(estimateGrowth(series))],
    ]),
  ]);
}
