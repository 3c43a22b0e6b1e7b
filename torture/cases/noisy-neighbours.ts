/** A healthy client beside clients that send large batches, expensive searches, or many requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../bench/tools.ts';
import { ENGINES, type EngineName, sample } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase } from '../../test/support/postgres.ts';
import { startService } from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';
import { type Answer, send, type Target } from '../../test/support/requests.ts';
import type { TortureCase } from '../case.ts';
import { Bystander, type BystanderResult } from '../support/bystander.ts';

/** How long each mix is measured. */
const MIX_MS = { short: 400, long: 5_000 };
/** A p99 beside noise above this multiple of the p99 alone breaks the promise of the long form. */
const MAX_P99_RATIO = 10;
const BATCH_BYTES = { short: 1_000_000, long: 10_000_000 };
const SEARCHES_AT_ONCE = 16;
const REQUESTS_AT_ONCE = 64;
const VOCABULARY = 20_000;
/** Between two requests of the healthy client. */
const PAUSE_MS = 5;

const word = (random: Random) => `term${random.below(VOCABULARY).toString(36)}`;
const prose = (random: Random, chars: number) => {
  let text = word(random);
  while (text.length < chars) text += ` ${word(random)}`;
  return text;
};

/** A kind of noise: how many requests it keeps in flight, and each request; resolves to the status. */
interface Noise {
  concurrency: number;
  send(target: Target): Promise<number>;
}

/** Sends a body that is already JSON: serialising 10 MB would delay the measurement. */
async function postBytes({ port, token }: Target, body: Uint8Array<ArrayBuffer>): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/questions`, { method: 'POST', headers, body });
  await response.body?.cancel();
  return response.status;
}

const getStatus = async (answer: Promise<Answer>) => (await answer).status;

function buildNoises(random: Random, batchBytes: number): Record<string, Noise | undefined> {
  const question = () => sample({ question_text: prose(random, 3_000), explanation: prose(random, 6_500) });
  const count = Math.floor(batchBytes / JSON.stringify(question()).length);
  const batch = new TextEncoder().encode(
    JSON.stringify(Array.from({ length: Math.min(count, 1_000) }, question)),
  );
  const prefixes = () => Array.from({ length: 4 }, () => `te${random.pick(['r', 'rm', 'rm1', 'rm2'])}*`);
  return {
    alone: undefined,
    batches: { concurrency: 2, send: (target) => postBytes(target, batch) },
    searches: {
      concurrency: SEARCHES_AT_ONCE,
      send: (target) =>
        getStatus(
          send(target, 'GET', `/questions?sort=relevance&q=${[...prefixes(), word(random)].join('+')}`),
        ),
    },
    flood: {
      concurrency: REQUESTS_AT_ONCE,
      send: (target) =>
        getStatus(
          random.maybe(0.5)
            ? send(target, 'GET', '/questions?limit=5')
            : send(target, 'POST', '/questions', { body: sample() }),
        ),
    },
  };
}

async function startClient(admin: Target, name: string): Promise<Target> {
  const { body } = await send(admin, 'POST', '/auth/clients', { body: { name, role: 'admin' } });
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: body.id,
    client_secret: body.secret,
  });
  const response = await fetch(`http://127.0.0.1:${admin.port}/auth/token`, { method: 'POST', body: form });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { port: admin.port, token };
}

/** Repeats the healthy client's three requests for a time. */
async function measureHealthy(target: Target, ms: number): Promise<BystanderResult> {
  const { body: known } = await send(target, 'POST', '/questions', { body: sample() });
  const requests = [
    { method: 'POST', path: '/questions', body: sample() },
    { method: 'GET', path: `/questions/${known.id}` },
    { method: 'GET', path: '/questions?q=planet+shortest&limit=5' },
  ];
  const bystander = new Bystander(target, { requests, pauseMs: PAUSE_MS });
  await sleep(ms);
  return bystander.stop();
}

export const noisyNeighboursCase: TortureCase = {
  name: 'noisy-neighbours',
  promise: 'a client with small requests is served beside clients that send as much as they can',
  rounds: { short: 1, long: 20 },
  run: async ({ form, seed, random, rounds, expired, progress }) => {
    const violations: string[] = [];
    const durations = new Map<string, Float64Array>();
    const counts: Record<string, number> = {};
    let done = 0;

    async function runRound(engine: EngineName, round: number): Promise<void> {
      const fail = (what: string) => violations.push(`seed ${seed}, round ${round}, ${engine}: ${what}`);
      const folder = tempFolder();
      const database = engine === 'postgres' ? await freshDatabase() : undefined;
      const service = await startService({
        QUAESTOR_DATA_DIR: folder,
        ...(database && { QUAESTOR_DATABASE_URL: database.url }),
      });
      const healthy = await startClient(service, 'healthy');
      const noisy = await startClient(service, 'noisy');
      for (const [mix, noise] of Object.entries(buildNoises(random, BATCH_BYTES[form]))) {
        let stopped = false;
        const makeNoise = async () => {
          while (!stopped) {
            const status = await noise!.send(noisy).catch(() => 0);
            const outcome = status === 0 ? 'reset' : status < 300 ? 'served' : `status_${status}`;
            counts[`${mix}_${outcome}`] = (counts[`${mix}_${outcome}`] ?? 0) + 1;
            if (status !== 0 && status >= 300 && status !== 503 && status !== 429)
              fail(`${mix} received ${status}`);
          }
        };
        const noises = Array.from({ length: noise?.concurrency ?? 0 }, makeNoise);
        const ms = MIX_MS[form];
        const { failures, durations: measured } = await measureHealthy(healthy, ms);
        for (const failure of failures) fail(`beside ${mix}, the healthy client received ${failure}`);
        stopped = true;
        await Promise.all(noises);
        const name = `${engine}_${mix}`;
        durations.set(name, Float64Array.of(...(durations.get(name) ?? []), ...measured).sort());
      }
      const { code } = await service.end('SIGTERM');
      if (code !== 0) fail(`the service ended with ${code}`);
      await database?.drop();
      removeFolder(folder);
    }

    for (; done < rounds && !expired(); progress(++done))
      for (const engine of ENGINES) await runRound(engine, done);

    const figures: Record<string, number> = { ...counts };
    for (const [name, sorted] of durations) {
      const alone = durations.get(`${name.split('_')[0]}_alone`)!;
      const ratio = quantile(sorted, 0.99) / quantile(alone, 0.99);
      figures[`${name}_p50_ms`] = Math.round(quantile(sorted, 0.5));
      figures[`${name}_p99_ms`] = Math.round(quantile(sorted, 0.99));
      figures[`${name}_p99_ratio`] = Math.round(ratio * 10) / 10;
      if (form === 'long' && ratio > MAX_P99_RATIO)
        violations.push(`seed ${seed}: p99 of ${name} is ${ratio.toFixed(1)} times the p99 alone`);
    }
    return { rounds: done, figures, violations };
  },
};
