/** The service under test of the connection cases, and a well-behaved client beside the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../bench/tools.ts';
import { DEFAULT_HTTP_TIMINGS, type HttpTimings } from '../../src/http/timings.ts';
import { listen, NO_LIMITS, openService, sample } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { startService } from '../../test/support/process.ts';
import { type Answer, send, type Target } from '../../test/support/requests.ts';
import { until } from '../../test/support/until.ts';

export interface Subject extends Target {
  timings: HttpTimings;
  close(): Promise<void>;
}

/** Far below the limits, so that the cases observe the timeouts. */
const MAX_CONNECTIONS = 20_000;

/** A process of its own, as in production. */
export async function startSubject(): Promise<Subject> {
  const folder = tempFolder();
  const service = await startService({
    QUAESTOR_DATA_DIR: folder,
    QUAESTOR_LOG_LEVEL: 'fatal',
    QUAESTOR_MAX_CONNECTIONS: String(MAX_CONNECTIONS),
    QUAESTOR_MAX_CONNECTIONS_PER_ADDRESS: String(MAX_CONNECTIONS),
  });
  const close = async () => {
    await service.end('SIGTERM');
    removeFolder(folder);
  };
  return { port: service.port, token: service.token, timings: DEFAULT_HTTP_TIMINGS, close };
}

/**
 * The same app in this process, with shorter time limits for clients and a longer one for responses,
 * which a busy machine may need.
 */
export async function openSubject(): Promise<Subject> {
  const timings = {
    ...DEFAULT_HTTP_TIMINGS,
    headersTimeoutMs: 800,
    requestTimeoutMs: 1_000,
    connectionCheckMs: 100,
    readTimeoutMs: 500,
    responseDeadlineMs: 60_000,
  };
  const connectionLimits = { total: MAX_CONNECTIONS, perAddress: MAX_CONNECTIONS };
  const service = await openService('sqlite', { timings, connectionLimits, limits: NO_LIMITS });
  const { port, token } = await listen(service);
  return { port, token, timings, close: () => service.close() };
}

/** A metric without labels. */
async function readMetric(target: Target, name: string): Promise<number> {
  const { body } = await send(target, 'GET', '/metrics', { headers: { connection: 'close' } });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
}

export const readMemoryBytes = (target: Target) => readMetric(target, 'process_resident_memory_bytes');

/** Waits until only the connection of the scrape is open; returns the number of others if not. */
export async function countLeakedConnections(target: Target): Promise<number> {
  let open = NaN;
  await until('the connections to be released', async () => {
    open = (await readMetric(target, 'quaestor_http_connections')) - 1;
    return open === 0;
  }).catch(() => {});
  return open;
}

export interface BystanderResult {
  failures: string[];
  p50: number;
  p99: number;
}

const PAUSE_MS = 20;

/** Creates and reads questions, one request at a time, until `stop` or for this many requests. */
export class Bystander {
  readonly #target: Target;
  readonly #ms: number[] = [];
  readonly #failures: string[] = [];
  #running = true;
  readonly #done: Promise<void>;

  constructor(target: Target, maxRequests = Infinity) {
    this.#target = target;
    this.#done = this.#work(maxRequests);
  }

  async #work(maxRequests: number): Promise<void> {
    for (let i = 0; this.#running && i < maxRequests; i++) {
      const answer = await this.#request(i).catch((error: Error) => error);
      if (answer instanceof Error) this.#failures.push(answer.message);
      else if (answer.status >= 300) this.#failures.push(`status ${answer.status} ${answer.body.code}`);
      else this.#ms.push(answer.ms);
      await sleep(PAUSE_MS);
    }
  }

  #request(i: number): Promise<Answer> {
    return i % 2 === 0
      ? send(this.#target, 'POST', '/questions', { body: sample() })
      : send(this.#target, 'GET', '/questions?limit=20');
  }

  /** Waits for the last request. */
  async finish(): Promise<BystanderResult> {
    await this.#done;
    const sorted = Float64Array.from(this.#ms).sort();
    const round = (value: number) => Math.round(value * 10) / 10;
    return {
      failures: this.#failures,
      p50: round(quantile(sorted, 0.5)),
      p99: round(quantile(sorted, 0.99)),
    };
  }

  stop(): Promise<BystanderResult> {
    this.#running = false;
    return this.finish();
  }
}
