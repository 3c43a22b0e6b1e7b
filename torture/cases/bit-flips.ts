/** Damages copies of a SQLite bank, and compares what the service then answers with the truth. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buildApp } from '../../src/app.ts';
import { verifyDatabase } from '../../src/cli/verify.ts';
import { openEngine } from '../../src/engines/index.ts';
import { StartError } from '../../src/engines/start-error.ts';
import { NO_LIMITS, openService, type Service, sample } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import type { Random } from '../../test/support/random.ts';
import type { TortureCase } from '../case.ts';

const QUESTIONS = 120;
const SECTOR_BYTES = 512;

interface Truth {
  /** The undamaged file. */
  file: string;
  folder: string;
  requests: { path: string; token: string; text: string }[];
}

async function buildBank(): Promise<Truth> {
  const folder = tempFolder();
  const file = join(folder, 'true.db');
  const service = await openService('sqlite');
  try {
    const ids = await fillBank(service);
    const reader = await service.keyFor('questions:read');
    const paths = [
      ...['/questions?limit=1000', '/questions?sort=-updated_at&limit=50&offset=20', '/categories'],
      ...['/questions?tag=t1&limit=100', '/questions?category=Science&difficulty=1', '/questions?q=planet3'],
      ...[3, 40, 77, 111].map((i) => `/questions/${ids[i]}`),
    ];
    const requests = [
      ...paths.flatMap((path) => [
        { path, token: service.admin.key },
        ...(path.includes('updated_at') ? [] : [{ path, token: reader }]),
      ]),
      ...[0, 10, 20].map((i) => ({ path: `/questions/${ids[i]}/revisions`, token: service.admin.key })),
    ];
    const answers: Truth['requests'] = [];
    for (const { path, token } of requests)
      answers.push({ path, token, text: (await service.call('GET', path, { token })).text });
    const { path } = service.engine.reader as { path: string };
    using database = new DatabaseSync(path);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(path, file);
    return { file, folder, requests: answers };
  } finally {
    await service.close();
  }
}

async function fillBank(service: Service): Promise<string[]> {
  const body = Array.from({ length: QUESTIONS }, (_, i) =>
    sample({
      question_text: `Which planet${i % 10} is number ${i}?`,
      category: i % 3 === 0 ? 'Science' : 'Astronomy',
      incorrect_answers: [`Mars ${i}`, 'Venus'],
      tags: [`t${i % 4}`],
      explanation: `It is ${'so '.repeat(i % 30)}.`,
    }),
  );
  const { data } = (await service.call('POST', '/questions', { body })).body as { data: { id: string }[] };
  const ids = data.map(({ id }) => id);
  for (let i = 0; i < QUESTIONS; i += 10)
    await service.call('PUT', `/questions/${ids[i]}`, { body: { explanation: `changed ${i}` } });
  await service.call('DELETE', `/questions/${ids[5]}`);
  return ids;
}

/** Flips a bit, replaces a byte, or zeroes a sector. Says what it did. */
function damageFile(bytes: Buffer, random: Random): string {
  const at = random.below(bytes.length);
  const kind = random.below(3);
  if (kind === 0) {
    const bit = random.below(8);
    bytes[at]! ^= 1 << bit;
    return `bit ${bit} of byte ${at} flipped`;
  }
  if (kind === 1) {
    bytes[at]! ^= 1 + random.below(255);
    return `byte ${at} replaced`;
  }
  const start = at - (at % SECTOR_BYTES);
  bytes.fill(0, start, start + SECTOR_BYTES);
  return `sector at byte ${start} zeroed`;
}

type Verdict = 'refused' | 'noticed' | 'harmless' | 'wrong';

/** Starts the service on a damaged copy; lists untrue answers. */
async function examine(truth: Truth, folder: string): Promise<{ verdict: Verdict; wrong: string[] }> {
  let engine: Awaited<ReturnType<typeof openEngine>>;
  try {
    engine = await openEngine({ dataDir: folder });
  } catch (error) {
    if (error instanceof StartError) return { verdict: 'refused', wrong: [] };
    return { verdict: 'wrong', wrong: [`the start failed with ${(error as Error).message}`] };
  }
  const wrong: string[] = [];
  let noticed = false;
  try {
    const app = await buildApp({ engine, limits: NO_LIMITS });
    for (const { path, token, text } of truth.requests) {
      const answer = await app.inject({ url: path, headers: { authorization: `Bearer ${token}` } });
      // A damaged token is not accepted, which discloses nothing.
      if (answer.statusCode >= 500 || answer.statusCode === 401) noticed = true;
      else if (answer.body !== text)
        wrong.push(`${path} answered ${answer.statusCode} with another body: ${answer.body.slice(0, 80)}`);
    }
    await app.close();
  } catch (error) {
    // The app reads the cursor key at its start.
    noticed = true;
    if (!/damaged/.test((error as Error).message)) wrong.push(`the app failed: ${(error as Error).message}`);
  } finally {
    await engine.close();
  }
  return { verdict: wrong.length > 0 ? 'wrong' : noticed ? 'noticed' : 'harmless', wrong };
}

export const bitFlipsCase: TortureCase = {
  name: 'bit-flips',
  promise: 'a damaged SQLite file gives true answers or errors, never other content',
  rounds: { short: 6, long: 500 },
  async run({ seed, random, rounds, expired, progress }) {
    const truth = await buildBank();
    const original = readFileSync(truth.file);
    const counts: Record<Verdict, number> = { refused: 0, noticed: 0, harmless: 0, wrong: 0 };
    const violations: string[] = [];
    let reported = 0;
    let round = 0;
    for (; round < rounds && !expired(); round++) {
      const folder = join(truth.folder, `round-${round}`);
      mkdirSync(folder);
      const bytes = Buffer.from(original);
      const what = damageFile(bytes, random);
      writeFileSync(join(folder, 'quaestor.db'), bytes);
      const { verdict, wrong } = await examine(truth, folder);
      counts[verdict]++;
      if (verdict === 'wrong') {
        // A search may miss questions if only the full-text index is damaged: then verify reports it.
        const onlySearch = wrong.every((line) => line.startsWith('/questions?q='));
        const { damage } = await verifyDatabase({ path: join(folder, 'quaestor.db') });
        if (onlySearch && damage.length > 0) reported++;
        else violations.push(`seed ${seed}, round ${round}: ${what}: ${wrong.join('; ')}`);
      }
      removeFolder(folder);
      progress(round + 1);
    }
    removeFolder(truth.folder);
    return { rounds: round, figures: { ...counts, wrong_searches_reported: reported }, violations };
  },
};
