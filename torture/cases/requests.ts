/**
 * Requests drawn from the OpenAPI document and from hostile corpora. Request n of a seed is always the
 * same, apart from ids.
 */

import { ResponseContract } from '../../test/support/conformance.ts';
import { findLeaks } from '../../test/support/crawl.ts';
import { ENGINES, type EngineName } from '../../test/support/engines.ts';
import { createRandom, type Random } from '../../test/support/random.ts';
import { until } from '../../test/support/until.ts';
import type { TortureCase, TortureReport } from '../case.ts';
import { type FuzzRequest, formatRequest, MALFORMED, RequestGenerator } from '../fuzz/requests.ts';
import { type FuzzedService, startFuzzedService } from '../fuzz/service.ts';
import { ConnectionClosed, type RawAnswer, RawConnection } from '../support/raw-connection.ts';

const CONNECTIONS = 16;
/** Between two reports of progress. */
const BATCH_REQUESTS = 200;
const MALFORMED_SHARE = 0.03;
const PIPELINED_SHARE = 0.02;
const MAX_VIOLATIONS = 100;
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

type Context = Parameters<TortureCase['run']>[0];

interface Sent {
  index: number;
  request: FuzzRequest;
  answer: RawAnswer;
}

export const requestsCase: TortureCase = {
  name: 'requests',
  promise:
    'no request is answered with 5xx or outside of the OpenAPI document, none that is refused changes the bank, and none without answers:read gets an answer',
  rounds: { short: 600, long: 200_000 },
  async run(context) {
    const report: TortureReport = { rounds: 0, figures: {}, violations: [] };
    for (const engine of ENGINES) {
      const fuzzed = await startFuzzedService(engine);
      try {
        await new Fuzzer(engine, fuzzed, context, report).run();
      } finally {
        await fuzzed.close();
      }
    }
    report.rounds /= ENGINES.length;
    return report;
  },
};

class Fuzzer {
  readonly #engine: EngineName;
  readonly #fuzzed: FuzzedService;
  readonly #context: Context;
  readonly #report: TortureReport;
  readonly #generator: RequestGenerator;
  readonly #contract: ResponseContract;
  readonly #connections: RawConnection[];
  /** Settles when the last unsafe request is answered. */
  #unsafe: Promise<void> = Promise.resolve();
  #next = 0;

  constructor(engine: EngineName, fuzzed: FuzzedService, context: Context, report: TortureReport) {
    this.#engine = engine;
    this.#fuzzed = fuzzed;
    this.#context = context;
    this.#report = report;
    this.#generator = new RequestGenerator(fuzzed.document, fuzzed.bank);
    this.#contract = new ResponseContract(fuzzed.document);
    this.#connections = Array.from({ length: CONNECTIONS }, () => new RawConnection(fuzzed.service.port));
  }

  async run(): Promise<void> {
    const { rounds, expired, progress } = this.#context;
    const { service } = this.#fuzzed;
    const start = performance.now();
    while (this.#next < rounds && !expired() && this.#report.violations.length < MAX_VIOLATIONS) {
      const end = Math.min(rounds, this.#next + BATCH_REQUESTS);
      const work = async (connection: RawConnection) => {
        while (this.#next < end) await this.#sendNext(connection, this.#next++);
      };
      await Promise.all(this.#connections.map(work));
      if (service.child.exitCode !== null) {
        this.#violate(this.#next, `the service ended: ${service.output().slice(-2000)}`);
        break;
      }
      progress(this.#report.rounds + this.#next);
    }
    this.#report.rounds += this.#next;
    const seconds = (performance.now() - start) / 1000;
    this.#report.figures[`${this.#engine}_requests_per_s`] = Math.round(this.#next / seconds);
    for (const connection of this.#connections) connection.close();
  }

  async #sendNext(connection: RawConnection, index: number): Promise<void> {
    const random = createRandom(this.#context.seed * 1_000_003 + index);
    try {
      if (random.maybe(MALFORMED_SHARE)) {
        await this.#sendMalformed(connection, index, random);
        return;
      }
      const n = random.maybe(PIPELINED_SHARE) ? 2 + random.below(4) : 1;
      const drawn = Array.from({ length: n }, () => this.#generator.generate(random));
      // An endless answer, and one that closes the connection, would leave the next ones unanswered.
      const all = n === 1 || drawn.every(isOrdinary) ? drawn : drawn.slice(0, 1);
      if (all.every(({ method }) => SAFE_METHODS.includes(method)))
        await this.#exchange(connection, index, all);
      else await this.#exchangeAlone(connection, index, all);
    } catch (error) {
      this.#violate(index, (error as Error).message);
    }
  }

  async #exchange(connection: RawConnection, index: number, all: FuzzRequest[]): Promise<Sent[]> {
    const bytes = Buffer.concat(all.map((request) => formatRequest(request, this.#fuzzed.bank)));
    const answers = await connection.exchangeAll(
      bytes,
      all.map(({ method }) => method),
    );
    const sent = all.map((request, i) => ({ index, request, answer: answers[i]! }));
    for (const each of sent) this.#check(each);
    return sent;
  }

  /** Unsafe requests are executed one at a time, so that a change can be attributed to one of them. */
  async #exchangeAlone(connection: RawConnection, index: number, all: FuzzRequest[]): Promise<void> {
    const { changes } = this.#fuzzed;
    const earlier = this.#unsafe;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#unsafe = promise;
    await earlier;
    try {
      await until('the end of bulk changes', () => changes.isIdle());
      const before = await changes.read();
      const sent = await this.#exchange(connection, index, all);
      const after = await changes.read();
      if (after !== before && sent.every(({ answer }) => isRefusal(answer)))
        this.#violate(
          index,
          `${sent.map(({ answer, request }) => `${answer.status} to ${request.method} ${request.url.slice(0, 200)}`)} changed ${await changes.listTables(before)}`,
        );
    } finally {
      resolve();
    }
  }

  #check({ index, request, answer }: Sent): void {
    const { method, url, headers, body, caller } = request;
    const { status, text } = answer;
    this.#count(status);
    const label = `${method} ${url.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${String(body).slice(0, 500)} as ${caller}`;
    const fail = (error: string) =>
      this.#violate(index, `${error}; ${status} ${text.slice(0, 500)} to ${label}`);
    if (status >= 500 && status !== 503) fail('a server error');
    const isJson = text !== '' && answer.headers['content-type']?.includes('json');
    const parsed = { ...answer, body: isJson ? JSON.parse(text) : undefined };
    const stop = (error: string): never => {
      throw new Error(error);
    };
    try {
      this.#contract.check(method, url, parsed, stop);
    } catch (error) {
      fail((error as Error).message);
    }
    if (!this.#fuzzed.bank.limited.includes(caller) || headers.some(([name]) => name === 'authorization'))
      return;
    const visit = { method, url, body, headers: Object.fromEntries(headers) };
    for (const leak of findLeaks(visit, parsed)) fail(`a leak: ${leak}`);
  }

  /** A malformed request is refused with a problem document, and the connection is closed or usable. */
  async #sendMalformed(connection: RawConnection, index: number, random: Random): Promise<void> {
    const text = random.pick(MALFORMED);
    if (random.maybe(0.3)) {
      // Abandoned in the middle.
      await connection.abandon(text.slice(0, random.below(text.length)));
      return;
    }
    try {
      const { status, text: answer } = await connection.exchange(Buffer.from(text, 'latin1'), 'GET');
      this.#count(status);
      if (status >= 500) this.#violate(index, `${status} ${answer} to ${JSON.stringify(text.slice(0, 200))}`);
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error;
    }
    connection.close();
  }

  #count(status: number): void {
    const name = `${this.#engine}_${Math.floor(status / 100)}xx`;
    this.#report.figures[name] = (this.#report.figures[name] ?? 0) + 1;
  }

  #violate(index: number, text: string): void {
    this.#report.violations.push(`${this.#engine}: request ${index} of seed ${this.#context.seed}: ${text}`);
  }
}

const isRefusal = ({ status }: RawAnswer) => status >= 400 && status < 500;

const isOrdinary = ({ method, url, headers, body }: FuzzRequest) =>
  method === 'GET' &&
  body === undefined &&
  headers.every(([name]) => !['connection', 'host', 'expect', 'x-large'].includes(name)) &&
  !url.includes('/events') &&
  url.length < 2000;
