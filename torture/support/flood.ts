/**
 * An open-loop load generator in a process of its own: requests fall due at random times, whether or
 * not the server keeps up, and are sent on the first connection that is free. A connection that the
 * server closes is opened again.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from '../../bench/tools.ts';

export interface Flood {
  port: number;
  connections: number;
  /** Requests per second in all; Infinity sends the next request with each response. */
  rate: number;
  seconds: number;
  /** Responses of the first seconds are not counted. */
  warmupSeconds: number;
  /** The request without the empty line at its end; `{n}` becomes a number of its own. */
  head: string;
  body: string;
}

export interface FloodResult {
  /** Responses by status, or by the code of the problem. */
  outcomes: Record<string, number>;
  /** The same with the warm-up: everything the server may have acted on, except for `unknown`. */
  allOutcomes: Record<string, number>;
  /** Requests without a response, those in flight at the end included. */
  unknown: number;
  /** Requests whose connection was closed before the response was complete. */
  unanswered: number;
  /** Connections that could not be opened. */
  failedConnects: number;
  reconnects: number;
  /** 2xx responses per second. */
  acceptedPerSecond: number;
  accepted: Quantiles;
  /** 429 and 503. */
  refused: Quantiles;
  /** Requests that fell due while no connection was free. */
  unsent: number;
  /** The share of one core that the generator used. */
  busy: number;
}

interface Quantiles {
  p50: number;
  p99: number;
  max: number;
}

export async function flood(work: Flood): Promise<FloodResult> {
  const child = fork(import.meta.filename, ['flood'], { execArgv: [], serialization: 'advanced' });
  child.send(work);
  const [result] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the load generator exited with ${code}`))),
  ]);
  child.disconnect();
  return result as FloodResult;
}

const RECONNECT_DELAY_MS = 5;
const TICK_MS = 2;

/** A keep-alive connection with one request in flight. */
class Client {
  sentAt = 0;
  busy = false;
  #socket!: Socket;
  #received = '';
  #missing = 0;
  #outcome = '';
  #status = 0;
  #closes = false;
  readonly #flood: Generator;

  constructor(generator: Generator) {
    this.#flood = generator;
    this.#open();
  }

  #open(): void {
    let connected = false;
    const socket = connect({ port: this.#flood.work.port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    socket.on('connect', () => {
      connected = true;
      this.#flood.release(this);
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (!connected) this.#flood.failedConnects++;
      else if (this.busy) this.#flood.countUnanswered();
      this.#flood.remove(this);
      this.busy = false;
      this.#received = '';
      this.#missing = 0;
      this.#flood.reconnects++;
      if (!this.#flood.ended) setTimeout(() => this.#flood.ended || this.#open(), RECONNECT_DELAY_MS);
    });
  }

  send(bytes: Buffer): void {
    this.busy = true;
    this.sentAt = performance.now();
    this.#socket.write(bytes);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#missing > 0) this.#missing -= chunk.length;
    else {
      this.#received += chunk.toString('latin1');
      const end = this.#received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#received.slice(0, end).toLowerCase();
      this.#outcome = /"code":"(\w+)"/.exec(this.#received)?.[1] ?? head.slice(9, 12);
      this.#status = Number(head.slice(9, 12));
      this.#closes = head.includes('\r\nconnection: close');
      const length = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
      this.#missing = length - (this.#received.length - end - 4);
      this.#received = '';
    }
    if (this.#missing > 0) return;
    this.busy = false;
    this.#flood.count(this.#status, this.#outcome, performance.now() - this.sentAt);
    if (this.#closes) this.#socket.end();
    else this.#flood.release(this);
  }
}

class Generator {
  readonly work: Flood;
  ended = false;
  failedConnects = 0;
  reconnects = 0;
  #counting = false;
  #unanswered = 0;
  #unsent = 0;
  #n = 0;
  #answered = 0;
  readonly #outcomes: Record<string, number> = {};
  readonly #allOutcomes: Record<string, number> = {};
  readonly #accepted: number[] = [];
  readonly #refused: number[] = [];
  readonly #free = new Set<Client>();

  constructor(work: Flood) {
    this.work = work;
  }

  release(client: Client): void {
    if (this.ended) return;
    if (this.work.rate === Infinity) client.send(this.#request());
    else this.#free.add(client);
  }

  remove(client: Client): void {
    this.#free.delete(client);
  }

  count(status: number, outcome: string, ms: number): void {
    this.#allOutcomes[outcome] = (this.#allOutcomes[outcome] ?? 0) + 1;
    this.#answered++;
    if (!this.#counting) return;
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
    if (status >= 200 && status < 300) this.#accepted.push(ms);
    else if (status === 429 || status === 503) this.#refused.push(ms);
  }

  countUnanswered(): void {
    if (this.#counting) this.#unanswered++;
  }

  #request(): Buffer {
    const { head, body } = this.work;
    const n = String(this.#n++);
    const text = body.replaceAll('{n}', n);
    const length = text === '' ? '' : `\r\nContent-Length: ${Buffer.byteLength(text)}`;
    return Buffer.from(`${head.replaceAll('{n}', n)}${length}\r\n\r\n${text}`);
  }

  async run(): Promise<FloodResult> {
    const { connections, rate, seconds, warmupSeconds } = this.work;
    const clients = Array.from({ length: connections }, () => new Client(this));
    const start = performance.now();
    let counted = start;
    let cpu = process.cpuUsage();
    let due = 0;
    for (let now = start; now < start + (warmupSeconds + seconds) * 1000; now = performance.now()) {
      if (!this.#counting && now >= start + warmupSeconds * 1000) {
        this.#counting = true;
        this.reconnects = 0;
        counted = now;
        cpu = process.cpuUsage();
      }
      if (rate !== Infinity) {
        const target = ((now - start) / 1000) * rate;
        for (; due < target; due++) {
          const [client] = this.#free;
          if (!client) {
            if (this.#counting) this.#unsent++;
            continue;
          }
          this.#free.delete(client);
          client.send(this.#request());
        }
      }
      await new Promise((done) => setTimeout(done, TICK_MS));
    }
    const elapsed = performance.now() - counted;
    const { user, system } = process.cpuUsage(cpu);
    this.#counting = false;
    this.ended = true;
    for (const client of clients) client.destroy();
    return {
      outcomes: this.#outcomes,
      allOutcomes: this.#allOutcomes,
      unknown: this.#n - this.#answered,
      unanswered: this.#unanswered,
      failedConnects: this.failedConnects,
      reconnects: this.reconnects,
      acceptedPerSecond: (this.#accepted.length / elapsed) * 1000,
      accepted: computeQuantiles(this.#accepted),
      refused: computeQuantiles(this.#refused),
      unsent: this.#unsent,
      busy: (user + system) / 1000 / elapsed,
    };
  }
}

function computeQuantiles(values: number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    p50: round(quantile(sorted, 0.5)),
    p99: round(quantile(sorted, 0.99)),
    max: round(sorted.at(-1) ?? NaN),
  };
}

if (import.meta.main && process.argv[2] === 'flood' && process.send) {
  process.on('message', async (work: Flood) => {
    process.send!(await new Generator(work).run());
  });
  process.once('disconnect', () => process.exit(0));
}
