/**
 * Thousands of connections on which no request arrives, or none after the first, beside a client
 * that works.
 */
import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
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

const CONNECTIONS = { short: 400, long: 5_000 };
const BYSTANDER_REQUESTS = { short: 20, long: 200 };
const MAX_BYTES_PER_CONNECTION = 64 * 1024;
/** Not checked below: the memory of a process varies by this much without connections. */
const MEMORY_TOLERANCE_BYTES = 128 * 1024 * 1024;
const BATCH_CONNECTIONS = 100;
/** Connections of this process beside those of the case. */
const SPARE_FILES = 200;
/** A connection without a request is closed within this many times its time limit. */
const MAX_TIMEOUTS = 10;

interface IdleConnection {
  socket: Socket;
  /** Sends one request, and stays open after the response. */
  kept: boolean;
  answered: boolean;
  closed: boolean;
}

/** The clients and, in the short form, the service have their sockets in this process. */
function findMaxConnections(): number {
  if (process.platform === 'win32') return Infinity;
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return limit === 'unlimited' ? Infinity : Math.floor((Number(limit) - SPARE_FILES) / 2);
}

function open({ port }: Subject, kept: boolean): IdleConnection {
  const socket = connect(port, '127.0.0.1');
  const connection: IdleConnection = { socket, kept, answered: false, closed: false };
  socket.on('error', () => {}).on('close', () => (connection.closed = true));
  socket.on('data', (chunk) => {
    if (chunk.toString('latin1').startsWith('HTTP/1.1 200 ')) connection.answered = true;
  });
  if (kept) socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
  return connection;
}

async function runRound(subject: Subject, count: number, requests: number, prefix: string) {
  const violations: string[] = [];
  const alone = await new Bystander(subject, { maxRequests: requests }).finish();
  const memoryBefore = await readMemoryBytes(subject);
  const idle: IdleConnection[] = [];
  while (idle.length < count) {
    for (let i = 0; i < BATCH_CONNECTIONS && idle.length < count; i++)
      idle.push(open(subject, idle.length % 2 === 0));
    await sleep(5);
  }
  const kept = idle.filter((connection) => connection.kept);
  const silent = idle.filter((connection) => !connection.kept);
  await until('the responses', () => kept.every(({ answered, closed }) => answered || closed)).catch(
    () => {},
  );
  const beside = await new Bystander(subject, { maxRequests: requests }).finish();
  const growth = (await readMemoryBytes(subject)) - memoryBefore;
  await until(
    'the end of connections without a request',
    () => silent.every(({ closed }) => closed),
    MAX_TIMEOUTS * subject.timings.requestTimeoutMs,
  ).catch(() => {});

  const unanswered = kept.filter(({ answered }) => !answered).length;
  if (unanswered > 0) violations.push(`${prefix}: ${unanswered} connections got no response`);
  const stillOpen = silent.filter(({ closed }) => !closed).length;
  if (stillOpen > 0) violations.push(`${prefix}: ${stillOpen} connections without a request remain`);
  for (const { socket } of idle) socket.destroy();
  const leaked = await countLeakedConnections(subject);
  if (leaked !== 0) violations.push(`${prefix}: ${leaked} connections remain after their clients`);
  if (growth > MEMORY_TOLERANCE_BYTES + count * MAX_BYTES_PER_CONNECTION)
    violations.push(`${prefix}: memory grew by ${growth} bytes`);
  for (const failure of [...alone.failures, ...beside.failures])
    violations.push(`${prefix}: a client beside them got ${failure}`);
  const figures = {
    connections: count,
    client_ms_p50_alone: quantileMs(alone, 0.5),
    client_ms_p99_alone: quantileMs(alone, 0.99),
    client_ms_p50: quantileMs(beside, 0.5),
    client_ms_p99: quantileMs(beside, 0.99),
    memory_growth_mb: Math.round(growth / 1e6),
  };
  return { violations, figures };
}

export const idleConnectionsCase: TortureCase = {
  name: 'idle-connections',
  promise: 'Idle connections do not affect others, and take little memory, which is released.',
  rounds: { short: 1, long: 3 },
  async run({ form, rounds, seed, expired, progress }) {
    const count = Math.min(CONNECTIONS[form], findMaxConnections());
    const subject = await (form === 'short' ? openSubject() : startSubject());
    const violations: string[] = [];
    let figures = {};
    let done = 0;
    while (done < rounds && !expired()) {
      const prefix = `seed ${seed}, round ${done}`;
      const result = await runRound(subject, count, BYSTANDER_REQUESTS[form], prefix);
      violations.push(...result.violations);
      figures = result.figures;
      progress(++done);
    }
    await subject.close();
    return { rounds: done, figures, violations };
  },
};
