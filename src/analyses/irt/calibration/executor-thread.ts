/** Worker thread of an executor: takes parts of a task from a shared counter until none is left. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Task } from './executor.ts';
import { kernels } from './kernels.ts';
import type { Problem } from './problem.ts';

const problem = workerData as Problem;

parentPort!.on('message', ({ kernel, parts, next, args }: Task) => {
  for (let part = Atomics.add(next, 0, 1); part < parts; part = Atomics.add(next, 0, 1))
    kernels[kernel](problem, part, args!);
  parentPort!.postMessage('done');
});
