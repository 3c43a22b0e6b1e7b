/**
 * Runs kernels over the parts of a problem: in worker threads, one per core, or inline where the
 * data is too small for threads to pay. The result does not depend on the number of threads, since
 * each part has its own sums and these are added in order.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Ticker } from '../../../concurrency/ticker.ts';
import type { KernelArguments } from './kernel-arguments.ts';
import { type Kernel, kernels } from './kernels.ts';
import type { Problem } from './problem.ts';

const MAX_THREADS = 8;
/** How often progress is reported, and cancellation noticed, while threads work. */
const POLL_MS = 100;

/** Message to a thread. */
export interface Task {
  kernel: Kernel;
  parts: number;
  /** The next part to take, a counter shared by all threads. */
  next: Int32Array;
  args: KernelArguments | undefined;
}

export interface Executor {
  run(kernel: Kernel, parts: number, args?: KernelArguments): Promise<void>;
  close(): Promise<void>;
}

export function newInlineExecutor(problem: Problem, ticker: Ticker): Executor {
  return {
    async run(kernel, parts, args) {
      for (let part = 0; part < parts; part++) {
        kernels[kernel](problem, part, args!);
        await ticker.yield();
      }
    },
    async close() {},
  };
}

/** The threads live until `close`. */
export function newThreadExecutor(
  problem: Problem,
  ticker: Ticker,
  count = availableParallelism(),
): Executor {
  const workers = Array.from(
    { length: Math.min(count, MAX_THREADS) },
    () => new Worker(new URL('./executor-thread.ts', import.meta.url), { workerData: problem }),
  );
  return {
    async run(kernel, parts, args) {
      const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      let over = false;
      const task: Task = { kernel, parts, next, args };
      const done = Promise.all(workers.map((worker) => runTask(worker, task))).finally(() => {
        over = true;
      });
      // Awaited below; until then a rejection must not count as unhandled.
      done.catch(() => {});
      while (!over) {
        await Promise.race([done, sleep(POLL_MS, undefined, { ref: false })]);
        await ticker.yield();
      }
      await done;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Resolves when the thread has no part left, rejects when it fails or exits. */
function runTask(worker: Worker, task: Task): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      worker.off('message', onDone);
      worker.off('error', onError);
      worker.off('exit', onExit);
      outcome();
    };
    const onDone = () => settle(resolve);
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error('A calibration thread exited before it was done.')));
    worker.once('message', onDone);
    worker.once('error', onError);
    worker.once('exit', onExit);
    worker.postMessage(task);
  });
}
