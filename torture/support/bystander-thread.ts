/** The thread of a `Bystander`: sends its requests, and posts their durations. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { quantile } from '../../bench/tools.ts';
import { type Answer, send, type Target } from '../../test/support/requests.ts';
import type { BystanderResult } from './bystander.ts';

const PAUSE_MS = 20;

interface ThreadData {
  target: Target;
  question: object;
  maxRequests: number;
}

const { target, question, maxRequests } = workerData as ThreadData;
const durations: number[] = [];
const failures: string[] = [];
let running = true;
parentPort!.once('message', () => {
  running = false;
});

const sendRequest = (i: number): Promise<Answer> =>
  i % 2 === 0
    ? send(target, 'POST', '/questions', { body: question })
    : send(target, 'GET', '/questions?limit=20');

for (let i = 0; running && i < maxRequests; i++) {
  const answer = await sendRequest(i).catch((error: Error) => error);
  if (answer instanceof Error) failures.push(answer.message);
  else if (answer.status >= 300) failures.push(`status ${answer.status} ${answer.body.code}`);
  else durations.push(answer.ms);
  await sleep(PAUSE_MS);
}
const sorted = Float64Array.from(durations).sort();
const round = (ms: number) => Math.round(ms * 10) / 10;
parentPort!.postMessage({
  failures,
  p50: round(quantile(sorted, 0.5)),
  p99: round(quantile(sorted, 0.99)),
} satisfies BystanderResult);
parentPort!.close();
