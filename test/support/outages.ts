/**
 * Measures how long services take to recover from an outage of PostgreSQL, by requests at a
 * constant rate.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { MAX_REQUEST_MS } from './load.ts';
import type { OwnPostgres } from './postgres.ts';
import type { StopMode } from './postgres-process.ts';
import { type Answer, formatAnswer, isUnavailable, send, type Target } from './requests.ts';
import { until } from './until.ts';

/** Reads and writes alternate. */
const REQUEST_INTERVAL_MS = 50;

interface ProbeRequest {
  kind: 'read' | 'write';
  began: number;
  ended: number;
  ok: boolean;
}

/** Sends requests to one node at a constant rate, independent of response times. */
export class Probe {
  readonly faults: string[] = [];
  /** Responses after the deadline. */
  readonly late: string[] = [];
  unavailable = 0;
  slowestMs = 0;
  readonly #target: Target;
  readonly #question: string;
  readonly #log: ProbeRequest[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #serial = 0;

  /** Each write records a response of another respondent to this question. */
  constructor(target: Target, question: string) {
    this.#target = target;
    this.#question = question;
    this.#timer = setInterval(() => {
      const request = this.#send(this.#serial++).finally(() => this.#inFlight.delete(request));
      this.#inFlight.add(request);
    }, REQUEST_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#inFlight);
  }

  /**
   * The time by which both a read and a write have succeeded after `time`; undefined if they have
   * not.
   */
  findRecoveryAfter(time: number): number | undefined {
    const first = (kind: ProbeRequest['kind']) =>
      Math.min(
        ...this.#log
          .filter((request) => request.kind === kind && request.ok && request.ended >= time)
          .map(({ ended }) => ended),
      );
    const both = Math.max(first('read'), first('write'));
    return both === Infinity ? undefined : both;
  }

  /** Counts the failed requests that were sent after `time`. */
  countFailuresAfter(time: number): number {
    return this.#log.filter(({ began, ok }) => began >= time && !ok).length;
  }

  async #send(serial: number): Promise<void> {
    const kind = serial % 2 === 0 ? 'read' : 'write';
    const began = performance.now();
    let answer: Answer | undefined;
    try {
      answer = await (kind === 'read' ? this.#read() : this.#write(serial));
      if (isUnavailable(answer)) this.unavailable++;
      else if (answer.status >= 300) this.faults.push(`${formatAnswer(answer)} to a ${kind}`);
    } catch (error) {
      this.faults.push(`no answer to a ${kind}: ${(error as Error).message}`);
    }
    const ended = performance.now();
    this.#log.push({ kind, began, ended, ok: answer !== undefined && answer.status < 300 });
    this.slowestMs = Math.max(this.slowestMs, ended - began);
    if (ended - began > MAX_REQUEST_MS) this.late.push(`${Math.round(ended - began)} ms for a ${kind}`);
  }

  #read(): Promise<Answer> {
    return send(this.#target, 'GET', `/questions/${this.#question}`);
  }

  #write(serial: number): Promise<Answer> {
    const respondent = `probe-${this.#target.port}-${serial}`;
    return send(this.#target, 'POST', '/responses', {
      body: { question_id: this.#question, respondent, correct: true },
    });
  }
}

export interface Recovery {
  /** From the start of the outage until a bare client connects. */
  outageMs: number;
  /** From then until all nodes serve reads and writes. */
  recoveryMs: number;
}

/**
 * Waits until all nodes serve requests again after an outage that began at `began` and has just
 * ended.
 */
export async function measureRecovery(
  server: { url: string },
  probes: Probe[],
  began: number,
): Promise<Recovery> {
  const at = await connectBareClient(server.url);
  const recovered = await until('all nodes to recover', () => {
    const times = probes.map((probe) => probe.findRecoveryAfter(at));
    return times.every((time) => time !== undefined) && Math.max(...times);
  });
  return { outageMs: at - began, recoveryMs: recovered - at };
}

/** Stops the server, and starts it again after `ms`. */
export async function restart(
  server: OwnPostgres,
  probes: Probe[],
  { mode, ms = 0 }: { mode: StopMode; ms?: number },
): Promise<Recovery> {
  const began = performance.now();
  await server.halt(mode);
  await sleep(ms);
  const starting = server.start();
  const recovery = await measureRecovery(server, probes, began);
  await starting;
  return recovery;
}

/** Suspends the server's processes for `ms`, and until `meanwhile` is done. */
export async function hang(
  server: OwnPostgres,
  probes: Probe[],
  { ms, meanwhile }: { ms: number; meanwhile?: () => Promise<unknown> },
): Promise<Recovery> {
  const began = performance.now();
  await server.hang();
  try {
    await Promise.all([sleep(ms), meanwhile?.()]);
  } finally {
    await server.resume();
  }
  return measureRecovery(server, probes, began);
}

/** Retries until a plain client can connect and query; returns the time of that. */
async function connectBareClient(url: string): Promise<number> {
  return until('the server', async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
      const at = performance.now();
      await client.end();
      return at;
    } catch {
      return undefined;
    }
  });
}
