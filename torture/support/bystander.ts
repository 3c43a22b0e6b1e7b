/** The service under test of the connection cases, and a well-behaved client beside the others. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { quantile } from '../../bench/tools.ts';
import { DEFAULT_HTTP_TIMINGS, type HttpTimings } from '../../src/http/timings.ts';
import { listen, NO_LIMITS, openService, sample } from '../../test/support/engines.ts';
import { removeFolder, tempFolder } from '../../test/support/folders.ts';
import { startService } from '../../test/support/process.ts';
import { send, type Target } from '../../test/support/requests.ts';
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

interface BystanderRequest {
  method: string;
  path: string;
  body?: object;
}

export interface BystanderOptions {
  /** Sent in turn, one at a time. */
  requests?: BystanderRequest[];
  maxRequests?: number;
  pauseMs?: number;
}

export interface BystanderResult {
  /** Responses that are no success. */
  failures: string[];
  /** The durations of the others, in ascending order. */
  durations: Float64Array;
}

const DEFAULT_REQUESTS: BystanderRequest[] = [
  { method: 'POST', path: '/questions', body: sample() },
  { method: 'GET', path: '/questions?limit=20' },
];
const DEFAULT_PAUSE_MS = 20;

/**
 * Sends requests until `stop`, or for a number of requests. In a thread of its own, so that it
 * measures the service and not the other clients of this process.
 */
export class Bystander {
  readonly #thread: Worker;
  readonly #result: Promise<BystanderResult>;

  constructor({ port, token }: Target, options: BystanderOptions = {}) {
    const workerData: Required<BystanderOptions> & { target: Target } = {
      ...{ requests: DEFAULT_REQUESTS, maxRequests: Infinity, pauseMs: DEFAULT_PAUSE_MS },
      ...options,
      target: { port, token },
    };
    this.#thread = new Worker(new URL('./bystander-thread.ts', import.meta.url), { workerData });
    this.#result = once(this.#thread, 'message').then(([result]) => result);
  }

  /** Waits for the last request. */
  finish(): Promise<BystanderResult> {
    return this.#result;
  }

  stop(): Promise<BystanderResult> {
    this.#thread.postMessage('stop');
    return this.#result;
  }
}

/** A quantile of durations, in ms with one decimal. */
export const quantileMs = ({ durations }: BystanderResult, share: number) =>
  Math.round(quantile(durations, share) * 10) / 10;
