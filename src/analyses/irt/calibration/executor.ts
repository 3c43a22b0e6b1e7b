/**
 * Does the work on the parts of a problem, in as many threads as there are cores, or right here where threads
 * would not pay.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Pace } from '../../shared/ticker.ts';
import type { Further } from './derivatives.ts';
import { type Kernel, kernels } from './kernels.ts';
import type { Problem } from './problem.ts';

const MOST_THREADS = 8;
/** How often to look up while the threads work, in milliseconds. */
const LOOK_UP = 100;

/** What a thread is told to do; it takes parts as long as there are any, by counting `next` up. */
export interface Task {
  kernel: Kernel;
  parts: number;
  next: Int32Array;
  further: Further | undefined;
}

export interface Team {
  run(kernel: Kernel, parts: number, further?: Further): Promise<void>;
  end(): Promise<void>;
}

/** Everything in this thread. */
export function alone(problem: Problem, pace: Pace): Team {
  return {
    async run(kernel, parts, further) {
      for (let part = 0; part < parts; part++) {
        kernels[kernel](problem, part, further!);
        await pace.pause();
      }
    },
    async end() {},
  };
}

/** In threads. They end when they are told to, and not by themselves. */
export function inThreads(problem: Problem, pace: Pace, count = availableParallelism()): Team {
  const workers = Array.from(
    { length: Math.min(count, MOST_THREADS) },
    () => new Worker(new URL('./executor-thread.ts', import.meta.url), { workerData: problem }),
  );
  return {
    async run(kernel, parts, further) {
      const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      let over = false;
      const task: Task = { kernel, parts, next, further };
      const done = Promise.all(workers.map((worker) => answerOf(worker, task))).finally(() => {
        over = true;
      });
      // It is looked at for faults below; until then they are not to be unheard.
      done.catch(() => {});
      while (!over) {
        await Promise.race([done, sleep(LOOK_UP, undefined, { ref: false })]);
        await pace.pause();
      }
      await done;
    },
    async end() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function answerOf(worker: Worker, task: Task): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      worker.off('message', onDone);
      worker.off('error', onError);
      worker.off('exit', onExit);
      outcome();
    };
    const onDone = () => settle(resolve);
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error('A thread has ended before its work was done.')));
    worker.once('message', onDone);
    worker.once('error', onError);
    worker.once('exit', onExit);
    worker.postMessage(task);
  });
}
