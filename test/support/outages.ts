/** Measures how long a service needs to recover from an outage of PostgreSQL, by a constant stream of requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { MAX_REQUEST_MS } from './load.ts';
import type { OwnPostgres } from './postgres.ts';
import type { StopMode } from './postgres-process.ts';
import { type Answer, formatAnswer, isUnavailable, send, type Target } from './requests.ts';
import { until } from './until.ts';

/** Reads and writes, in turns. */
const REQUEST_INTERVAL_MS = 50;

interface ProbeRequest {
  kind: 'read' | 'write';
  began: number;
  ended: number;
  ok: boolean;
}

/** Sends requests to one node at a constant rate, however long responses take. */
export class Probe {
  readonly faults: string[] = [];
  unavailable = 0;
  slowestMs = 0;
  readonly #target: Target;
  readonly #question: string;
  readonly #log: ProbeRequest[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #serial = 0;

  /** Writes are responses to this question, each of a respondent of its own. */
  constructor(target: Target, question: string) {
    this.#target = target;
    this.#question = question;
    this.#timer = setInterval(() => {
      const asked = this.#send(this.#serial++).finally(() => this.#inFlight.delete(asked));
      this.#inFlight.add(asked);
    }, REQUEST_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#inFlight);
  }

  /** When a read and a write have both been answered well, after a moment; nothing if they have not been. */
  findRecoveryAfter(moment: number): number | undefined {
    const first = (kind: ProbeRequest['kind']) =>
      Math.min(
        ...this.#log
          .filter((each) => each.kind === kind && each.ok && each.ended >= moment)
          .map(({ ended }) => ended),
      );
    const both = Math.max(first('read'), first('write'));
    return both === Infinity ? undefined : both;
  }

  /** How many requests that began after a moment were answered with 503. */
  countFailuresAfter(moment: number): number {
    return this.#log.filter(({ began, ok }) => began >= moment && !ok).length;
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
    if (ended - began > MAX_REQUEST_MS) this.faults.push(`${Math.round(ended - began)} ms for a ${kind}`);
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
  /** How long the server was away, in milliseconds. */
  outageMs: number;
  /** How long until all nodes were well again, once a bare client was served. */
  recoveryMs: number;
  /** How long that bare client needed. */
  bareClientMs: number;
}

/** Waits until all nodes are well after an outage that began then and has just been ended. */
export async function measureRecovery(
  server: { url: string },
  probes: Probe[],
  began: number,
): Promise<Recovery> {
  const { at, took } = await connectBareClient(server.url);
  const well = await until('all nodes to be well', () => {
    const moments = probes.map((probe) => probe.findRecoveryAfter(at));
    return moments.every((moment) => moment !== undefined) && Math.max(...moments);
  });
  return { outageMs: at - began, recoveryMs: well - at, bareClientMs: took };
}

/** Stops the server and starts it again, after a while if that is said. */
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

/** Lets the server stand still for so long, and until `meanwhile` is done. */
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

/** When a client without anything around it is served. */
async function connectBareClient(url: string): Promise<{ at: number; took: number }> {
  return until('the server', async () => {
    const began = performance.now();
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
      const at = performance.now();
      await client.end();
      return { at, took: at - began };
    } catch {
      return undefined;
    }
  });
}
