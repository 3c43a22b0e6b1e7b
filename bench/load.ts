/**
 * The load generator, a separate process: keep-alive connections that each send a request, wait for
 * the complete response and send the next. It parses only status and length, to leave the CPU to
 * the server.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateQuestion, generateQuestions } from './seed.ts';
import { readCpuSeconds, type Server } from './service.ts';
import { quantile, withTimeout } from './tools.ts';

export interface Job {
  connections: number;
  seconds: number;
  /** Ends the job early. */
  maxResponses?: number;
  /** Seconds before counting starts; by default 0.3. */
  warmup?: number;
  /** Sent with every request, also to the bare server, so that both parse the same bytes. */
  authorization: string;
  /** Paths to GET, cyclically, with the expected length of the body. */
  get?: { path: string; length?: number }[];
  /** Creates `size` questions per request, beginning with question `first`. */
  create?: { size: number; first: number };
}

export interface Result {
  responses: number;
  /** Responses other than 2xx, or with an unexpected length. */
  errors: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** The share of one core that the generator used. Near 1 the generator was the bottleneck. */
  busy: number;
  /** Requests sent, including the warm-up. */
  sent: number;
}

/** With the server's CPU time per request, in microseconds. */
export type Measured = Result & { cpu: number };

export interface Load {
  run(server: Server, job: Job): Promise<Measured>;
}

export function startLoad(stack: AsyncDisposableStack): Load {
  const child = fork(import.meta.filename, ['serve'], { execArgv: [], serialization: 'advanced' });
  const ended = once(child, 'exit');
  stack.defer(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  return {
    run: async (server, job) => {
      const before = readCpuSeconds(server);
      child.send({ ...job, port: server.port });
      const failed = ended.then(() => Promise.reject(new Error('The load generator exited.')));
      const answer = Promise.race([once(child, 'message'), failed]) as Promise<[Result | string]>;
      const [result] = await withTimeout(job.seconds * 1000 + 60_000, 'A load', answer);
      if (typeof result === 'string') throw new Error(result);
      return { ...result, cpu: ((readCpuSeconds(server) - before) / result.sent) * 1e6 };
    },
  };
}

/** Reads are synchronous, so one buffer serves all sockets. */
const sharedBuffer = Buffer.allocUnsafe(256 * 1024);

interface Request {
  bytes: Buffer;
  expected?: number | undefined;
}

type Answered = (wire: Wire, status: number, length: number) => void;

/** One HTTP/1.1 connection with one request in flight. */
export class Wire {
  readonly socket: Socket;
  readonly #answered: Answered;
  sentAt = 0;
  /** The expected length of the body. */
  expected: number | undefined;
  #status = 0;
  #length = 0;
  /** Bytes of the body not yet received. */
  #remaining = 0;
  #head: Buffer | undefined;

  constructor(port: number, answered: Answered) {
    this.#answered = answered;
    const callback = (n: number) => this.#read(sharedBuffer.subarray(0, n));
    const onread = { buffer: sharedBuffer, callback };
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
  }

  send({ bytes, expected }: Request): void {
    this.sentAt = performance.now();
    this.expected = expected;
    this.socket.write(bytes);
  }

  #read(chunk: Buffer): boolean {
    if (this.#remaining > 0) {
      this.#remaining -= chunk.length;
    } else {
      const data = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
      const end = data.indexOf('\r\n\r\n');
      this.#head = end < 0 ? Buffer.from(data) : undefined;
      if (end < 0) return true;
      const head = data.toString('latin1', 0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined) throw new Error(`A response without Content-Length:\n${head}`);
      this.#status = Number(head.slice(9, 12));
      this.#length = Number(length);
      this.#remaining = this.#length - (data.length - end - 4);
    }
    if (this.#remaining < 0) throw new Error('The response is longer than its Content-Length.');
    if (this.#remaining === 0) this.#answered(this, this.#status, this.#length);
    return true;
  }
}

/** Encodes an HTTP/1.1 request. */
export function encodeRequest(
  line: string,
  authorization: string,
  body?: { type: string; text: string },
): Buffer {
  const head = [`${line} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${authorization}`];
  if (body) head.push(`Content-Type: ${body.type}`, `Content-Length: ${Buffer.byteLength(body.text)}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body?.text ?? ''}`);
}

/**
 * Returns a source of requests. Creates are all different, and mostly built before the clock
 * starts.
 */
function createRequests({ get, create, seconds, connections, authorization }: Job): () => Request {
  let next = 0;
  if (get) {
    const all = get.map(({ path, length }) => ({
      bytes: encodeRequest(`GET ${path}`, authorization),
      expected: length,
    }));
    return () => all[next++ % all.length]!;
  }
  const { size, first } = create!;
  const make = (n: number) => {
    const text = JSON.stringify(
      size === 1 ? generateQuestion(first + n) : generateQuestions(first + n * size, size),
    );
    return { bytes: encodeRequest('POST /questions', authorization, { type: 'application/json', text }) };
  };
  const likely = Math.ceil((connections === 1 ? 3000 : 22_000) * seconds) / size;
  const made = Array.from({ length: likely }, (_, n) => make(n));
  return () => made[next++] ?? make(next - 1);
}

async function runJob(job: Job & { port: number }): Promise<Result> {
  const { connections, seconds, maxResponses = Infinity, warmup = 0.3 } = job;
  const request = createRequests(job);
  const latencies: number[] = [];
  const wires: Wire[] = [];
  let errors = 0;
  let sent = 0;
  let open = 0;
  let state: 'warming' | 'counting' | 'done' = 'warming';
  const finished = Promise.withResolvers<void>();
  const drained = Promise.withResolvers<void>();
  const next = (wire: Wire) => {
    sent++;
    open++;
    wire.send(request());
  };
  const answered: Answered = (wire, status, length) => {
    open--;
    if (state === 'counting') {
      latencies.push(performance.now() - wire.sentAt);
      if (status < 200 || status > 299 || (wire.expected !== undefined && wire.expected !== length)) errors++;
      if (latencies.length >= maxResponses) finished.resolve();
    }
    if (state !== 'done' && latencies.length < maxResponses) next(wire);
    else if (open === 0) drained.resolve();
  };
  for (let i = 0; i < connections; i++) wires.push(new Wire(job.port, answered));
  await Promise.all(wires.map(({ socket }) => once(socket, 'connect')));
  for (const { socket } of wires) socket.on('error', finished.reject);
  for (const wire of wires) next(wire);
  if (warmup > 0) await sleep(warmup * 1000);
  state = 'counting';
  const began = performance.now();
  const cpu = process.cpuUsage();
  await Promise.race([finished.promise, sleep(seconds * 1000)]);
  state = 'done';
  const elapsed = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  // Requests in flight would disturb the next measurement.
  if (open > 0) await withTimeout(30_000, 'Draining the connections', drained.promise);
  for (const { socket } of wires) socket.destroy();
  const sorted = Float64Array.from(latencies).sort();
  return {
    responses: latencies.length,
    errors,
    perSecond: (latencies.length / elapsed) * 1000,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    busy: (user + system) / 1000 / elapsed,
    sent,
  };
}

if (import.meta.main && process.argv[2] === 'serve' && process.send) {
  process.on('message', async (job: Job & { port: number }) => {
    process.send!(await runJob(job).catch((error) => String(error?.stack ?? error)));
  });
  process.once('disconnect', () => process.exit(0));
}
