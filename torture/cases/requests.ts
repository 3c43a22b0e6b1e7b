/**
 * Requests drawn from the OpenAPI document and from hostile corpora. Request n of a seed is always the
 * same, apart from ids.
 */

import { ResponseContract } from '../../test/support/conformance.ts';
import { findLeaks } from '../../test/support/crawl.ts';
import { ENGINES, type EngineName } from '../../test/support/engines.ts';
import { createRandom, type Random } from '../../test/support/random.ts';
import type { TortureCase, TortureReport } from '../case.ts';
import { type FuzzRequest, formatRequest, MALFORMED, RequestGenerator } from '../fuzz/requests.ts';
import { type FuzzedService, startFuzzedService } from '../fuzz/service.ts';
import { ConnectionClosed, type RawAnswer, RawConnection } from '../support/raw-connection.ts';

const CONNECTIONS = 16;
/** Between two comparisons of the state. */
const BATCH_REQUESTS = 200;
const MALFORMED_SHARE = 0.03;
const PIPELINED_SHARE = 0.02;
const MAX_VIOLATIONS = 100;

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
  rounds: { short: 1500, long: 200_000 },
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
    const { service, changes } = this.#fuzzed;
    const start = performance.now();
    let before = await changes.read();
    while (this.#next < rounds && !expired() && this.#report.violations.length < MAX_VIOLATIONS) {
      const end = Math.min(rounds, this.#next + BATCH_REQUESTS);
      const sent: Sent[] = [];
      await this.#onEveryConnection(async (connection) => {
        while (this.#next < end) sent.push(...(await this.#sendNext(connection, this.#next++)));
      });
      before = await this.#checkUnchanged(sent, before);
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

  async #onEveryConnection(work: (connection: RawConnection) => Promise<void>): Promise<void> {
    await Promise.all(this.#connections.map(work));
  }

  /** Sends the requests of an index, and returns the unsafe ones with their answers. */
  async #sendNext(connection: RawConnection, index: number): Promise<Sent[]> {
    const random = createRandom(this.#context.seed * 1_000_003 + index);
    try {
      if (random.maybe(MALFORMED_SHARE)) {
        await this.#sendMalformed(connection, index, random);
        return [];
      }
      const n = random.maybe(PIPELINED_SHARE) ? 2 + random.below(4) : 1;
      const drawn = Array.from({ length: n }, () => this.#generator.generate(random));
      // An endless answer, and one that closes the connection, would leave the next ones unanswered.
      const all = n === 1 || drawn.every(isOrdinary) ? drawn : drawn.slice(0, 1);
      return await this.#exchange(connection, index, all);
    } catch (error) {
      this.#violate(index, (error as Error).message);
      return [];
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
    return sent.filter(({ request }) => !['GET', 'HEAD', 'OPTIONS'].includes(request.method));
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

  /**
   * Compares the state with that before the batch. If some requests succeeded, the refused ones are
   * sent again without them.
   */
  async #checkUnchanged(sent: Sent[], before: number): Promise<number> {
    const { changes } = this.#fuzzed;
    let after = await changes.read();
    for (let refused = sent, attempt = 0; after !== before && refused.length > 0 && attempt < 3; attempt++) {
      const isAlone = refused.every(({ answer }) => isRefusal(answer));
      if (isAlone) {
        const tables = await changes.listTables(before);
        const labels = refused.map(
          ({ request, answer }) => `${answer.status} ${request.method} ${request.url.slice(0, 80)}`,
        );
        this.#violate(
          refused[0]!.index,
          `refused requests changed ${tables}: ${labels.join(' | ').slice(0, 2000)}`,
        );
        return after;
      }
      const again = refused.filter(({ answer }) => isRefusal(answer));
      refused = [];
      before = after;
      const queue = again.values();
      await this.#onEveryConnection(async (connection) => {
        for (const { index, request } of queue)
          refused.push(...(await this.#exchange(connection, index, [request]).catch(() => [])));
      });
      after = await changes.read();
    }
    return after;
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
