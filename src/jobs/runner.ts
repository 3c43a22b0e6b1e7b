/**
 * Works off the queue: claims runs, hands each to a worker process, keeps its lease, and writes down what came of it. There is
 * one in every process that serves a bank; they share the work by nothing but the rows themselves.
 */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { availableParallelism } from 'node:os';
import { ApiError } from '../errors.ts';
import {
  advanceAnalysis,
  claimAnalysis,
  type Drop,
  dropAnalysis,
  finishAnalysis,
  isWaiting,
  releaseAll,
  stillHeld,
} from '../store/analysis-queue.ts';
import type { Run } from '../store/analysis-row.ts';
import type { Engine } from '../store/db.ts';
import { Interrupted, WorkerProcess } from './process.ts';

/** A process that has not renewed a lease for this long is taken for dead. */
const LEASE = 10_000;
const RENEW_EVERY = 3_000;
/** How often the queue is looked at for what others have left in it. */
const LOOK_EVERY = 1_000;
/** How often runs under way are looked at: one that is cancelled through another process has to stop, too. */
const CHECK_EVERY = 300;
/** How often progress is written down. */
const TELL_EVERY = 500;
/** How long a worker waits for more before it ends. */
const IDLE = 60_000;

interface UnderWay {
  run: Run;
  lease: string;
  worker: WorkerProcess;
  /** Thousandths, and the number of questions once it is known. */
  progress: number;
  question_count: number | undefined;
  /** What was last written down, and when; and when the lease was last renewed. */
  told: { progress: number; at: number };
  renewed: number;
  /** Set when nobody wants it any more: what its worker says then is not heard. */
  dropped: boolean;
  finished: Promise<void>;
}

export interface RunnerOptions {
  engine: Engine;
  /** How many run at once; as many as there are cores if left out. */
  workers?: number | undefined;
  log: { warn(about: object, message: string): void; error(about: object, message: string): void };
}

export class Runner {
  readonly #engine: Engine;
  readonly #most: number;
  readonly #log: RunnerOptions['log'];
  readonly #underWay = new Map<string, UnderWay>();
  readonly #idle: { worker: WorkerProcess; since: number }[] = [];
  readonly #ends = new EventEmitter().setMaxListeners(0);
  readonly #leaving = new AbortController();
  #looking: NodeJS.Timeout | undefined;
  #checking: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #more = false;
  #stopped = false;

  constructor({ engine, workers = availableParallelism(), log }: RunnerOptions) {
    this.#engine = engine;
    this.#most = workers;
    this.#log = log;
  }

  start(): void {
    // Where nobody else can be at work, what is said to be running was left by a process that died.
    if (!this.#engine.shared)
      void this.#quietly(() => this.#engine.write(releaseAll, null)).then(() => this.wake());
    this.#looking = setInterval(() => void this.#look(), LOOK_EVERY).unref();
    this.#checking = setInterval(() => void this.#check(), CHECK_EVERY).unref();
  }

  /** There is something in the queue. */
  wake(): void {
    this.#more = true;
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
  }

  /** Resolves when a run has ended in this process, or after so many milliseconds; false once the process is about to stop. */
  async ended(id: string, ms: number): Promise<boolean> {
    const signal = AbortSignal.any([this.#leaving.signal, AbortSignal.timeout(ms)]);
    await once(this.#ends, id, { signal }).catch(() => {});
    return !this.#leaving.signal.aborted;
  }

  /** The process is about to stop: nobody need wait here any longer. */
  leave(): void {
    this.#leaving.abort();
  }

  /** The run was cancelled: if it is under way here, it stops now. */
  cancel(id: string): void {
    const it = this.#underWay.get(id);
    if (!it) return;
    it.dropped = true;
    it.worker.kill();
  }

  /** Hands back what is under way, for another process or the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#looking);
    clearInterval(this.#checking);
    await this.#filling;
    for (const { worker } of this.#idle) worker.kill();
    await Promise.all(
      [...this.#underWay.values()].map(async (it) => {
        it.dropped = true;
        it.worker.kill();
        await it.finished;
        const error = { code: 'handed_back', detail: 'The service was stopped.' };
        await this.#quietly(() =>
          this.#engine.write(dropAnalysis, { ...held(it), why: 'handed back', error }),
        );
      }),
    );
  }

  async #look(): Promise<void> {
    const now = performance.now();
    while (this.#idle[0] && now - this.#idle[0].since > IDLE) this.#idle.shift()!.worker.kill();
    if (this.#underWay.size < this.#most && (await this.#quietly(() => isWaiting(this.#engine.db))))
      this.wake();
  }

  async #fill(): Promise<void> {
    while (this.#more && !this.#stopped && this.#underWay.size < this.#most) {
      this.#more = false;
      const lease = randomUUID();
      const run = await this.#quietly(() => this.#engine.write(claimAnalysis, { lease, duration: LEASE }));
      if (!run) continue;
      this.#more = true;
      this.#begin(run, lease);
    }
  }

  #begin(run: Run, lease: string): void {
    const worker = this.#takeWorker();
    worker.ref(true);
    const now = performance.now();
    const rest = {
      progress: 0,
      question_count: undefined,
      told: { progress: 0, at: now },
      renewed: now,
      dropped: false,
    };
    const it: UnderWay = { run, lease, worker, ...rest, finished: Promise.resolve() };
    this.#underWay.set(run.id, it);
    it.finished = this.#work(it).finally(() => {
      this.#underWay.delete(run.id);
      this.#ends.emit(run.id);
      if (!this.#stopped) this.wake();
    });
  }

  async #work(it: UnderWay): Promise<void> {
    const { run, worker } = it;
    try {
      const done = await worker.run({ reader: this.#engine.reader, run }, (share, question_count) => {
        it.progress = Math.floor(share * 1000);
        it.question_count = question_count;
      });
      if (!it.dropped) await this.#engine.write(finishAnalysis, { ...held(it), ...done });
      this.#putBack(worker);
    } catch (error) {
      worker.kill();
      if (it.dropped) return;
      it.dropped = true;
      const drop = { ...held(it), ...this.#explain(run, error) };
      await this.#quietly(() => this.#engine.write(dropAnalysis, drop));
      // What went wrong by chance is not tried again at once.
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY).unref());
    }
  }

  #explain({ id, type }: Run, error: unknown): Pick<Drop, 'why' | 'error'> {
    if (error instanceof Interrupted || error instanceof ApiError) {
      this.#log.warn(
        { analysis_id: id, analysis_type: type, reason: error.message },
        'an analysis broke off',
      );
      const detail = `It broke off every time: ${error.message}. On a smaller set of questions it may succeed.`;
      return { why: 'interrupted', error: { code: 'interrupted', detail } };
    }
    this.#log.error({ analysis_id: id, analysis_type: type, err: error }, 'an analysis failed');
    const detail =
      'Something went wrong in the analysis itself. Its id finds more in the log of the service.';
    return { why: 'failed', error: { code: 'internal', detail } };
  }

  #takeWorker(): WorkerProcess {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop())
      if (!last.worker.gone) return last.worker;
    return new WorkerProcess();
  }

  #putBack(worker: WorkerProcess): void {
    if (this.#stopped) {
      worker.kill();
      return;
    }
    worker.ref(false);
    this.#idle.push({ worker, since: performance.now() });
  }

  /** Looks after what is under way: writes progress, renews leases, stops what nobody wants any more. */
  async #check(): Promise<void> {
    const mine = [...this.#underWay.values()].filter(({ dropped }) => !dropped);
    if (mine.length === 0) return;
    const wanted = await this.#quietly(() => stillHeld(this.#engine.db, mine.map(held)));
    const now = performance.now();
    for (const it of mine) {
      if (wanted && !wanted.has(it.run.id)) this.cancel(it.run.id);
      else if (isNews(it, now) || now - it.renewed > RENEW_EVERY) await this.#advance(it);
    }
  }

  async #advance(it: UnderWay): Promise<void> {
    const { progress, question_count } = it;
    const advance = { ...held(it), duration: LEASE, progress, question_count };
    it.told = { progress, at: performance.now() };
    const ours = await this.#quietly(() => this.#engine.write(advanceAnalysis, advance));
    if (ours) it.renewed = performance.now();
    else if (ours === false) this.cancel(it.run.id);
  }

  /** The database may be away for a while: then it is tried again later. */
  async #quietly<R>(attempt: () => Promise<R>): Promise<R | undefined> {
    try {
      return await attempt();
    } catch (error) {
      if (!this.#stopped) this.#log.warn({ err: error }, 'analyses wait for the database');
      return undefined;
    }
  }
}

const isNews = ({ progress, told }: UnderWay, now: number) =>
  progress !== told.progress && now - told.at > TELL_EVERY;

const held = ({ run, lease }: UnderWay) => ({ id: run.id, lease });
