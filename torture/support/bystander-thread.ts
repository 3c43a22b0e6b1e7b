/** The thread of a `Bystander`: sends its requests, and posts their durations. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { formatAnswer, send, type Target } from '../../test/support/requests.ts';
import type { BystanderOptions, BystanderResult } from './bystander.ts';

const { target, requests, maxRequests, pauseMs } = workerData as Required<BystanderOptions> & {
  target: Target;
};
const durations: number[] = [];
const failures: string[] = [];
let running = true;
parentPort!.once('message', () => {
  running = false;
});

for (let i = 0; i < maxRequests && (running || i < requests.length); i++) {
  const { method, path, body } = requests[i % requests.length]!;
  const answer = await send(target, method, path, { ...(body && { body }) }).catch((error: Error) => error);
  if (answer instanceof Error) failures.push(answer.message);
  else if (answer.status >= 300) failures.push(formatAnswer(answer));
  else durations.push(answer.ms);
  await sleep(pauseMs);
}
const result: BystanderResult = { failures, durations: Float64Array.from(durations).sort() };
parentPort!.postMessage(result);
parentPort!.close();
