/**
 * Random histories of concurrent clients against a model: every question is a register whose
 * revisions are the versions. PostgreSQL is served by two nodes.
 */
import { ENGINES, type EngineName } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { freshDatabase } from '../../test/support/postgres.ts';
import { type ServiceProcess, startService } from '../../test/support/process.ts';
import { createRandom } from '../../test/support/random.ts';
import { send } from '../../test/support/requests.ts';
import type { TortureCase, TortureReport } from '../case.ts';
import { checkHistory } from '../model/check.ts';
import { Feed } from '../model/feed.ts';
import { History } from '../model/history.ts';
import { Unavailable } from '../model/observations.ts';
import { type Node, openSession, type Session } from '../model/session.ts';

const CLIENTS = 8;
/** Per client. */
const OPERATIONS = 4;
/** Histories that run at the same time. */
const SESSIONS = 4;
const NODES: Record<EngineName, number> = { sqlite: 1, postgres: 2 };

type Context = Parameters<TortureCase['run']>[0];

export const historiesCase: TortureCase = {
  name: 'histories',
  promise:
    'concurrent clients see every question as one register: no update is lost, no read is stale on any node, lists and events are complete',
  rounds: { short: 20, long: 10_000 },
  async run(context) {
    const report: TortureReport = { rounds: 0, figures: {}, violations: [] };
    for (const engine of ENGINES) await runOn(engine, context, report);
    report.rounds /= ENGINES.length;
    return report;
  },
};

async function runOn(engine: EngineName, context: Context, report: TortureReport): Promise<void> {
  const folder = tempFolder();
  const database = engine === 'postgres' ? await freshDatabase() : undefined;
  const env = {
    ...(database ? { QUAESTOR_DATABASE_URL: database.url } : { QUAESTOR_DATA_DIR: folder }),
    QUAESTOR_ACCESS_LIFETIME: '1d',
    QUAESTOR_LOG_LEVEL: 'error',
  };
  const services: ServiceProcess[] = [];
  for (let i = 0; i < NODES[engine]; i++) services.push(await startService(env));
  const nodes = await Promise.all(services.map(describeNode));
  const feeds = await Promise.all(nodes.map((node) => Feed.open(node)));
  const start = performance.now();
  const runner = new Runner(engine, context, report, feeds);
  await Promise.all(Array.from({ length: SESSIONS }, (_, i) => runner.runSession(nodes, i)));
  const seconds = (performance.now() - start) / 1000;
  for (const feed of feeds) {
    for (const surplus of runner.abandoned > 0 ? [] : feed.findSurplus()) runner.violate(surplus);
    if (feed.resets > 0) runner.violate('the event stream was reset');
    await feed.close();
  }
  report.figures[`${engine}_requests`] = runner.requests;
  report.figures[`${engine}_requests_per_s`] = Math.round(runner.requests / seconds);
  report.figures[`${engine}_histories_per_s`] = Math.round((10 * runner.done) / seconds) / 10;
  report.figures[`${engine}_histories_abandoned`] = runner.abandoned;
  for (const service of services) {
    const { code } = await service.end('SIGTERM');
    if (code !== 0) runner.violate(`a node ended with ${code}: ${service.output().slice(-2000)}`);
  }
  await database?.drop();
  removeFolder(folder);
}

async function describeNode({ port, token }: ServiceProcess): Promise<Node> {
  const scopes = ['questions:read'];
  const { body } = await send({ port, token }, 'POST', '/auth/tokens', { body: { name: 'reader', scopes } });
  return { port, tokens: { admin: token, reader: body.token } };
}

class Runner {
  done = 0;
  requests = 0;
  /** Histories with a request that was answered with 503. */
  abandoned = 0;
  readonly #engine: EngineName;
  readonly #context: Context;
  readonly #report: TortureReport;
  readonly #feeds: Feed[];
  #started = 0;

  constructor(engine: EngineName, context: Context, report: TortureReport, feeds: Feed[]) {
    this.#engine = engine;
    this.#context = context;
    this.#report = report;
    this.#feeds = feeds;
  }

  /** Runs histories one after the other until all sessions together have run enough. */
  async runSession(nodes: Node[], number: number): Promise<void> {
    const { seed, rounds, expired, progress } = this.#context;
    const session = await openSession(nodes, `Session ${number}`, CLIENTS, (client) =>
      createRandom(seed * 1_000_003 + number * CLIENTS + client),
    );
    while (this.#started < rounds && !expired() && this.#report.violations.length < 100) {
      await this.#runHistory(session, this.#started++);
      this.done++;
      progress(++this.#report.rounds);
    }
    for (const client of session.clients) client.close();
  }

  async #runHistory(session: Session, index: number): Promise<void> {
    const history = new History(`h${index}`, session);
    const label = `history ${index} of seed ${this.#context.seed}`;
    try {
      await history.run(OPERATIONS);
      const { violations, events } = await checkHistory(history);
      for (const feed of this.#feeds) violations.push(...(await feed.check(events)));
      for (const violation of violations) this.violate(`${label}: ${violation}`);
    } catch (error) {
      if (error instanceof Unavailable) this.abandoned++;
      else this.violate(`${label}: ${(error as Error).stack}`);
    }
    this.requests += history.requests;
  }

  violate(text: string): void {
    this.#report.violations.push(`${this.#engine}: ${text}`);
  }
}
