/**
 * Clients that send headers or bodies byte by byte, stop in the middle of a request, or do not read
 * a large response, beside a client that does none of this.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from '../../test/support/engines.ts';
import { send } from '../../test/support/requests.ts';
import { until } from '../../test/support/until.ts';
import type { TortureCase } from '../case.ts';
import {
  Bystander,
  countLeakedConnections,
  openSubject,
  quantileMs,
  readMemoryBytes,
  type Subject,
  startSubject,
} from '../support/bystander.ts';

const CLIENTS = { short: 60, long: 500 };
const BYSTANDER_REQUESTS = { short: 20, long: 200 };
/** Beyond the memory of the service before the clients connect. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
/** A slow client is disconnected within this many times its time limit. */
const MAX_TIMEOUTS = 10;
const BYTE_INTERVAL_MS = 100;
/** Questions of about 1 kB in the page that is not read. */
const PAGE_QUESTIONS = 1000;
/** Requests of a client that does not read, more than the buffers of a socket hold. */
const UNREAD_REQUESTS = 8;

const KINDS = ['headers', 'body', 'stalled', 'unread'] as const;
type Kind = (typeof KINDS)[number];
/** One in ten does not read: each makes the service build several megabytes. */
const chooseKind = (i: number): Kind => (i % 10 === 9 ? 'unread' : KINDS[i % 3]!);

interface SlowClient {
  kind: Kind;
  socket: Socket;
  closed: boolean;
  /** Whether it got 408. */
  refused: boolean;
}

const formatHead = (kind: Kind, token: string) => {
  const authorization = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
  if (kind === 'body')
    return `POST /questions HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`;
  if (kind === 'unread')
    return `GET /questions?limit=${PAGE_QUESTIONS} HTTP/1.1\r\n${authorization}\r\n`.repeat(UNREAD_REQUESTS);
  return `GET /questions HTTP/1.1\r\n${authorization}X-Slow: `;
};

function startClient({ port, token }: Subject, kind: Kind): SlowClient {
  const socket = connect(port, '127.0.0.1');
  const client: SlowClient = { kind, socket, closed: false, refused: false };
  socket.on('error', () => {}).on('close', () => (client.closed = true));
  socket.write(formatHead(kind, token));
  if (kind === 'unread') socket.pause();
  else
    socket.on('data', (chunk) => {
      if (chunk.toString('latin1').startsWith('HTTP/1.1 408 ')) client.refused = true;
    });
  if (kind === 'headers' || kind === 'body') {
    const timer = setInterval(() => socket.write(' '), BYTE_INTERVAL_MS);
    socket.on('close', () => clearInterval(timer));
  }
  return client;
}

async function runRound(subject: Subject, clients: number, requests: number, prefix: string) {
  const violations: string[] = [];
  const alone = await new Bystander(subject, { maxRequests: requests }).finish();
  const memoryBefore = await readMemoryBytes(subject);
  const beside = new Bystander(subject);
  const slow = Array.from({ length: clients }, (_, i) => startClient(subject, chooseKind(i)));
  const { requestTimeoutMs, readTimeoutMs } = subject.timings;
  let memory = 0;
  const watch = setInterval(() => {
    readMemoryBytes(subject).then(
      (bytes) => (memory = Math.max(memory, bytes)),
      () => {},
    );
  }, 500);
  const senders = slow.filter(({ kind }) => kind !== 'unread');
  await until(
    'the end of slow senders',
    () => senders.every(({ closed }) => closed),
    MAX_TIMEOUTS * requestTimeoutMs,
  ).catch(() => {});
  // A socket that is not read does not notice that it was closed.
  await sleep(3 * readTimeoutMs);
  const readers = slow.filter(({ kind }) => kind === 'unread');
  for (const { socket } of readers) socket.resume();
  await until(
    'the end of slow readers',
    () => readers.every(({ closed }) => closed),
    MAX_TIMEOUTS * readTimeoutMs,
  ).catch(() => {});
  clearInterval(watch);
  const result = await beside.stop();
  for (const kind of KINDS) {
    const open = slow.filter((client) => client.kind === kind && !client.closed).length;
    if (open > 0) violations.push(`${prefix}: ${open} clients (${kind}) are still connected`);
  }
  for (const { socket } of slow) socket.destroy();
  const leaked = await countLeakedConnections(subject);
  if (leaked !== 0) violations.push(`${prefix}: ${leaked} connections remain`);
  const growth = memory - memoryBefore;
  if (growth > MAX_MEMORY_BYTES) violations.push(`${prefix}: memory grew by ${growth} bytes`);
  for (const failure of result.failures) violations.push(`${prefix}: a client beside them got ${failure}`);
  const figures = {
    clients,
    refused_408: senders.filter(({ refused }) => refused).length,
    client_ms_p50_alone: quantileMs(alone, 0.5),
    client_ms_p99_alone: quantileMs(alone, 0.99),
    client_ms_p50: quantileMs(result, 0.5),
    client_ms_p99: quantileMs(result, 0.99),
    memory_growth_mb: Math.round(growth / 1e6),
  };
  return { violations, figures };
}

export const slowClientsCase: TortureCase = {
  name: 'slow-clients',
  promise: 'Clients that send or read slowly are disconnected, and others are served meanwhile.',
  rounds: { short: 1, long: 3 },
  async run({ form, rounds, seed, expired, progress }) {
    const subject = await (form === 'short' ? openSubject() : startSubject());
    const questions = Array.from({ length: PAGE_QUESTIONS }, () =>
      sample({ explanation: 'long '.repeat(200) }),
    );
    await send(subject, 'POST', '/questions', { body: questions });
    const violations: string[] = [];
    let figures = {};
    let done = 0;
    while (done < rounds && !expired()) {
      const prefix = `seed ${seed}, round ${done}`;
      const result = await runRound(subject, CLIENTS[form], BYSTANDER_REQUESTS[form], prefix);
      violations.push(...result.violations);
      figures = result.figures;
      progress(++done);
    }
    await subject.close();
    return { rounds: done, figures, violations };
  },
};
