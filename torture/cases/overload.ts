/**
 * Five times the requests that the service can serve, on thousands of connections, and a flood
 * without a token. Measures the goodput (the rate of accepted requests, relative to the capacity),
 * the time to an acceptance or refusal, `/health` meanwhile, and the recovery.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../bench/tools.ts';
import { ENGINES } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase } from '../../test/support/postgres.ts';
import { type ServiceProcess, startService } from '../../test/support/process.ts';
import type { TortureCase } from '../case.ts';
import { type FloodResult, flood } from '../support/flood.ts';

const OVERLOAD = 5;
const MIN_GOODPUT = 0.8;
const MAX_ACCEPTED_MS = 1_000;
const MAX_REFUSED_MS = 50;
const MAX_RECOVERY_MS = 5_000;

interface Scale {
  connections: number;
  seconds: number;
  /** Whether the goals in milliseconds are checked: the machine is expected to be quiet. */
  timed: boolean;
}

const SHORT: Scale = { connections: 300, seconds: 0.8, timed: false };
const LONG: Scale = { connections: 3_000, seconds: 10, timed: true };

type Request = { head: string; body: string };

const buildCreate = (authorization: string, category: string, tag: string): Request => ({
  head: `POST /questions HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nIdempotency-Key: ${tag}-{n}`,
  body: JSON.stringify({
    question_text: 'Which number is {n}?',
    correct_answer: '{n}',
    category,
    difficulty: 1,
    topic_focus: 'numbers',
    tags: [tag],
  }),
});

const buildList = (authorization: string): Request => ({
  head: `GET /questions?limit=20 HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}`,
  body: '',
});

/** Asks for /health until it is stopped. */
function probeHealth({ url }: ServiceProcess): { stop(): Promise<{ failures: number; ms: number[] }> } {
  let running = true;
  const ms: number[] = [];
  let failures = 0;
  const probing = (async () => {
    while (running) {
      const start = performance.now();
      const ok = await fetch(`${url}/health`).then(
        async (response) => (await response.text()) !== '' && response.ok,
        () => false,
      );
      if (!ok) failures++;
      ms.push(performance.now() - start);
      await sleep(50);
    }
  })();
  return {
    stop: async () => {
      running = false;
      await probing;
      return { failures, ms };
    },
  };
}

/** Milliseconds until ten creates in a row succeed. */
async function measureRecovery(service: ServiceProcess, create: Request): Promise<number> {
  const start = performance.now();
  const body = create.body.replaceAll('{n}', 'after');
  for (let inRow = 0; inRow < 10 && performance.now() - start < 60_000; ) {
    const headers = { 'content-type': 'application/json' };
    const response = await service.fetch('/questions', { method: 'POST', headers, body });
    await response.text();
    inRow = response.status === 201 ? inRow + 1 : 0;
  }
  return Math.round(performance.now() - start);
}

async function countTagged(service: ServiceProcess, tag: string): Promise<number> {
  const response = await service.fetch(`/questions?limit=1&tag=${tag}`);
  return ((await response.json()) as { pagination: { total: number } }).pagination.total;
}

async function startBank(engine: 'sqlite' | 'postgres', limits: Record<string, string> = {}) {
  const folder = tempFolder();
  const database = engine === 'postgres' ? await freshDatabase() : undefined;
  const service = await startService({
    QUAESTOR_DATA_DIR: folder,
    QUAESTOR_LOG_LEVEL: 'fatal',
    ...(database && { QUAESTOR_DATABASE_URL: database.url }),
    ...limits,
  });
  const categories = (await (await service.fetch('/categories')).json()) as { data: { name: string }[] };
  return {
    service,
    category: categories.data[0]!.name,
    close: async () => {
      await service.end('SIGTERM');
      await database?.drop();
      removeFolder(folder);
    },
  };
}

type Figures = Record<string, number>;

interface Episode {
  figures: Figures;
  violations: string[];
}

/** Creates, or lists, at five times the rate that 64 connections reach. */
async function overload(
  engine: 'sqlite' | 'postgres',
  kind: 'create' | 'list',
  scale: Scale,
): Promise<Episode> {
  const { service, category, close } = await startBank(engine);
  const authorization = `Bearer ${service.token}`;
  const build = (tag: string) =>
    kind === 'create' ? buildCreate(authorization, category, tag) : buildList(authorization);
  const { port } = service;
  const capacity = await flood({
    ...build('capacity'),
    port,
    connections: 64,
    rate: Infinity,
    warmupSeconds: 0.5,
    seconds: scale.timed ? 3 : 1,
  });
  const health = probeHealth(service);
  const result = await flood({
    ...build('flood'),
    port,
    connections: scale.connections,
    rate: OVERLOAD * Math.max(1, capacity.acceptedPerSecond),
    seconds: scale.seconds,
    warmupSeconds: 1,
  });
  const { failures, ms } = await health.stop();
  const recoveryMs = await measureRecovery(service, buildCreate(authorization, category, 'recovery'));
  const violations = [
    ...checkOutcomes(result),
    ...(failures > 0 ? [`/health failed ${failures} of ${ms.length} times`] : []),
    ...(kind === 'create' ? checkStored(await countTagged(service, 'flood'), result) : []),
  ];
  const goodput = result.acceptedPerSecond / capacity.acceptedPerSecond;
  if (scale.timed) violations.push(...checkTimes(goodput, result, recoveryMs));
  await close();
  const prefix = `${engine}_${kind}`;
  return {
    violations: violations.map((violation) => `${prefix}: ${violation}`),
    figures: {
      [`${prefix}_capacity_per_s`]: Math.round(capacity.acceptedPerSecond),
      [`${prefix}_goodput`]: Math.round(goodput * 100) / 100,
      [`${prefix}_accepted_ms_p99`]: result.accepted.p99,
      [`${prefix}_refused_ms_p99`]: result.refused.p99,
      [`${prefix}_health_ms_p99`]: Math.round(quantile(Float64Array.from(ms).sort(), 0.99)),
      [`${prefix}_recovery_ms`]: recoveryMs,
    },
  };
}

const ALLOWED_OUTCOMES = ['200', '201', 'overloaded', 'too_slow', 'too_many_requests'];

function checkOutcomes({ allOutcomes, failedConnects }: FloodResult): string[] {
  const others = Object.entries(allOutcomes).filter(([outcome]) => !ALLOWED_OUTCOMES.includes(outcome));
  const violations = others.map(([outcome, n]) => `${n} responses were ${outcome}`);
  if (failedConnects > 0) violations.push(`${failedConnects} connections failed`);
  return violations;
}

/** A refused request stores nothing; only requests without a definite response may have. */
function checkStored(stored: number, { allOutcomes, unknown }: FloodResult): string[] {
  const accepted = allOutcomes['201'] ?? 0;
  const uncertain = (allOutcomes.too_slow ?? 0) + unknown;
  if (stored < accepted) return [`${accepted} creates were acknowledged, ${stored} are stored`];
  if (stored > accepted + uncertain)
    return [`${stored} are stored, but only ${accepted} were acknowledged and ${uncertain} uncertain`];
  return [];
}

function checkTimes(goodput: number, { accepted, refused }: FloodResult, recoveryMs: number): string[] {
  const violations: string[] = [];
  const check = (name: string, value: number, holds: boolean) => {
    if (!holds) violations.push(`${name} was ${Math.round(value * 100) / 100}`);
  };
  check('the goodput', goodput, goodput >= MIN_GOODPUT);
  check('p99 of accepted requests', accepted.p99, !(accepted.p99 > MAX_ACCEPTED_MS));
  check('p99 of refusals', refused.p99, !(refused.p99 > MAX_REFUSED_MS));
  check('the recovery', recoveryMs, recoveryMs <= MAX_RECOVERY_MS);
  return violations;
}

/** One address without a token, beyond its rate limit, beside a client with a token. */
async function floodWithoutToken(engine: 'sqlite' | 'postgres', scale: Scale): Promise<Episode> {
  const { service, category, close } = await startBank(engine, { QUAESTOR_LIMIT_READ: '600' });
  const create = buildCreate(`Bearer ${service.token}`, category, 'neighbour');
  const { port } = service;
  const client = { ...create, port, connections: 8, rate: 100, seconds: scale.seconds, warmupSeconds: 1 };
  const alone = await flood(client);
  const [beside, flooded] = await Promise.all([
    flood({ ...client, head: client.head.replace('neighbour-{n}', 'beside-{n}') }),
    flood({
      head: 'GET /questions HTTP/1.1\r\nHost: x',
      body: '',
      port,
      connections: Math.round(scale.connections * 0.6),
      rate: Infinity,
      seconds: scale.seconds,
      warmupSeconds: 1,
    }),
  ]);
  await close();
  const prefix = `${engine}_flood`;
  const failed = Object.keys(beside.allOutcomes).filter((outcome) => outcome !== '201');
  const violations = failed.map((outcome) => `${prefix}: a client with a token got ${outcome}`);
  if (scale.timed && beside.accepted.p99 > MAX_ACCEPTED_MS)
    violations.push(`${prefix}: p99 of a client with a token was ${beside.accepted.p99} ms`);
  return {
    violations,
    figures: {
      [`${prefix}_refused_per_s`]: Math.round((flooded.outcomes.too_many_requests ?? 0) / scale.seconds),
      [`${prefix}_client_ms_p50_alone`]: alone.accepted.p50,
      [`${prefix}_client_ms_p50`]: beside.accepted.p50,
      [`${prefix}_client_ms_p99`]: beside.accepted.p99,
    },
  };
}

export const overloadCase: TortureCase = {
  name: 'overload',
  promise: 'Accepted requests are answered in time at five times the capacity, and /health always is.',
  rounds: { short: 1, long: 2 },
  async run({ form, rounds, expired, progress }) {
    const scale = form === 'short' ? SHORT : LONG;
    const figures: Figures = {};
    const violations: string[] = [];
    let done = 0;
    while (done < rounds && !expired()) {
      for (const engine of ENGINES) {
        for (const episode of [
          () => overload(engine, 'create', scale),
          () => overload(engine, 'list', scale),
          () => floodWithoutToken(engine, scale),
        ]) {
          const result = await episode();
          Object.assign(figures, result.figures);
          violations.push(...result.violations);
        }
      }
      progress(++done);
    }
    return { rounds: done, figures, violations };
  },
};
