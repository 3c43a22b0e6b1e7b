/** Opens the demo bank, which is filled at the first start, and serves it until a signal. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { generateLink } from '../access/browser-sessions.ts';
import { prepareAccess } from '../access/first-start.ts';
import { DAY_MS, generateKey } from '../access/sessions.ts';
import { type App, buildApp } from '../app.ts';
import { type Config, getLifetimes, getRateLimits } from '../config.ts';
import { openEngine } from '../engines/index.ts';
import { ROLES } from '../schemas/scopes.ts';
import { findCredentials } from '../store/access/clients.ts';
import { createKey, issueTokens } from '../store/access/tokens.ts';
import type { Engine } from '../store/db.ts';
import { type Filled, fillBank } from './fill.ts';
import { markFilled, prepareFolder, removeBank } from './folder.ts';
import { renderGuide } from './guide.ts';

const ADMIN = 'admin';
const ANALYSES = [
  ...['duplicates', 'quality', 'labels', 'coverage', 'readability'],
  ...['item_statistics', 'difficulty_audit', 'dif', 'reliability', 'irt'],
];

export interface DemoOptions {
  folder: string;
  config: Config;
  /** The port to listen on; undefined: the default port or, if it is in use, a free one. */
  port: number | undefined;
  /** Ends the service. */
  signal: AbortSignal;
  /** Progress, for people. */
  report(line: string): void;
  /** What to look at, once the service is ready. */
  print(text: string): void;
}

export async function runDemo(options: DemoOptions): Promise<void> {
  const { config, signal } = options;
  const { engine, path, isNew } = await openDemoBank(options);
  const app = await buildApp({
    engine,
    log: { level: process.env.QUAESTOR_LOG_LEVEL === undefined ? 'warn' : config.QUAESTOR_LOG_LEVEL },
    limits: getRateLimits(config),
    lifetimes: getLifetimes(config),
    workers: config.QUAESTOR_WORKERS,
  });
  try {
    const port = options.port ?? ((await isFree(config.PORT, config.HOST)) ? config.PORT : 0);
    const url = await app.listen({ port, host: config.HOST });
    const { key, link } = await createCredentials(engine, config);
    if (isNew) await queueAnalyses(app, key);
    const counts = await countBank(engine);
    options.print(renderGuide({ url, key, link, folder: path, counts, isNew }));
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await app.close();
    await engine.close();
  }
}

async function openDemoBank({ folder, signal, report }: DemoOptions) {
  const { path, isFilled } = prepareFolder(folder);
  let engine = await openEngine({ dataDir: path });
  if (isFilled) return { engine, path, isNew: false };
  try {
    // A start was ended while it filled the bank. The lock of the folder excludes that it still runs.
    if ((await countBank(engine)).questions > 0) {
      await engine.close();
      removeBank(path);
      engine = await openEngine({ dataDir: path });
    }
    report(`Creating a demo bank in ${path}`);
    await fillBank(engine, signal);
    markFilled(path);
    return { engine, path, isNew: true };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function countBank({ db }: Engine): Promise<Filled> {
  const row = await db.get<Filled>(
    'SELECT (SELECT count(*) FROM questions) AS questions, (SELECT sum(n) FROM sittings) AS responses',
  );
  return { questions: row!.questions, responses: row!.responses ?? 0 };
}

/** A key for a day, and a link that signs in to the console. Each start creates its own. */
async function createCredentials(engine: Engine, config: Config): Promise<{ key: string; link: string }> {
  await prepareAccess(engine, getLifetimes(config), undefined);
  const at = Date.now();
  const key = generateKey({ client_id: ADMIN, name: 'Demo', at, lifetime: DAY_MS });
  await engine.write(createKey, { token: key.row, scopes: undefined, by: undefined });
  const link = generateLink(ADMIN, at);
  const { secret } = (await findCredentials(engine.db, ADMIN))!;
  await engine.write(issueTokens, { tokens: [{ ...link.row, scope: ROLES.admin.join(' ') }], secret });
  return { key: key.text, link: link.text };
}

/** Runs each analysis once in the background, so that the console has something to show. */
async function queueAnalyses(app: App, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, prefer: 'respond-async' };
  for (const analysis_type of ANALYSES)
    await app.inject({ method: 'POST', url: '/analysis/run', headers, payload: { analysis_type } });
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen({ port, host }, () => server.close(() => resolve(true)));
  return promise;
}
