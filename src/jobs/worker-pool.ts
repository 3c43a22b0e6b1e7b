/** Keeps idle worker processes for the next run: starting one takes longer than most analyses. */
import { WorkerInterrupted } from './failures.ts';
import { WorkerProcess } from './worker-process.ts';

export class WorkerPool {
  readonly #maxIdleMs: number;
  /** The longest idle first. */
  readonly #idle: { worker: WorkerProcess; since: number }[] = [];
  #closed = false;

  constructor(maxIdleMs: number) {
    this.#maxIdleMs = maxIdleMs;
  }

  /** Returns an idle worker, or starts one. */
  acquire(): WorkerProcess {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      if (last.worker.ended) continue;
      last.worker.ref();
      return last.worker;
    }
    try {
      return new WorkerProcess();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new WorkerInterrupted(`no worker process could be started (${code})`);
    }
  }

  release(worker: WorkerProcess): void {
    if (this.#closed) {
      worker.kill();
      return;
    }
    worker.unref();
    this.#idle.push({ worker, since: performance.now() });
  }

  killIdle(): void {
    const before = performance.now() - this.#maxIdleMs;
    while (this.#idle[0] && this.#idle[0].since < before) this.#idle.shift()!.worker.kill();
  }

  /** Ends the idle workers, and those that are released from now on. */
  close(): void {
    this.#closed = true;
    for (const { worker } of this.#idle) worker.kill();
  }
}
