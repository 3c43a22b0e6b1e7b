/**
 * Works off the queue: claims runs, hands each to a worker process, keeps its lease, and writes down what came of it. There is
 * one in every process that serves a bank; they share the work by nothing but the rows themselves.
 */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
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
} from '../store/analyses/queue.ts';
import type { Run } from '../store/analyses/row.ts';
import type { Engine } from '../store/db.ts';
import { type Attempt, end, held, isNews, newAttempt } from './attempt.ts';
import type { Done } from './execute.ts';
import { DatabaseUnavailable, WorkerInterrupted, WorkerProcess } from './process.ts';

/** A process that has not renewed a lease for this long is taken for dead. */
const LEASE = 10_000;
const RENEW_EVERY = 3_000;
/** How often the queue is looked at for what nobody told of: runs whose process has died, say. */
const LOOK_EVERY = 1_000;
/** How often runs under way are looked at, besides when there is news of one that has ended. */
const CHECK_EVERY = 300;
/** How long a run may take, unless it is said otherwise. */
const LONGEST = 60 * 60 * 1000;
/** What went wrong by chance is not tried again at once; where it was the database's fault, later each time. */
const PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** What goes on failing is not told more often. */
const QUIET = 60_000;
/** How long a worker waits for more before it ends. */
const IDLE = 60_000;
/** How often, and for how long, it is tried to write down what became of a run while the database is away. */
const INSIST_EVERY = 250;
const INSIST_FOR = 120_000;

export interface RunnerOptions {
  engine: Engine;
  /** How many run at once; as many as there are cores if left out. With 0 this process leaves them to others. */
  workers?: number | undefined;
  /** How long a run may take, in milliseconds. */
  longest?: number | undefined;
  log: { warn(about: object, message: string): void; error(about: object, message: string): void };
}

export class Runner {
  readonly #engine: Engine;
  readonly #most: number;
  readonly #log: RunnerOptions['log'];
  readonly #longest: number;
  /** Attempts, not runs: one that has lost its lease may still be here when the next at the same run begins. */
  readonly #underWay = new Set<Attempt>();
  readonly #idle: { worker: WorkerProcess; since: number }[] = [];
  readonly #leaving = new AbortController();
  #looking: NodeJS.Timeout | undefined;
  #checking: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #more = false;
  #busyChecking = false;
  #stopped = false;
  #quietUntil = 0;
  /** A claim whose answer was lost: it may have been made. */
  #unsure: string | undefined;
  #deaf = () => {};
  #pausedUntil = 0;
  #pause = PAUSE;

  constructor({ engine, workers = availableParallelism(), longest = LONGEST, log }: RunnerOptions) {
    this.#engine = engine;
    this.#most = workers;
    this.#longest = longest;
    this.#log = log;
  }

  start(): void {
    // Where nobody else can be at work, what is said to be running was left by a process that died.
    if (!this.#engine.shared)
      void this.#quietly(() => this.#engine.write(releaseAll, null)).then(() => this.#wake());
    this.#looking = setInterval(() => void this.#look(), LOOK_EVERY).unref();
    this.#checking = setInterval(() => void this.#check(), CHECK_EVERY).unref();
    const { notifications } = this.#engine;
    const ears = [
      notifications.subscribe('queue', () => void this.#look()),
      notifications.subscribe('ended', () => void this.#check()),
    ];
    this.#deaf = () => {
      for (const stop of ears) stop();
    };
  }

  /** There is something in the queue. */
  #wake(): void {
    this.#more = true;
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
  }

  /** Aborted when the process is about to stop: nobody need wait here any longer. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** How many runs are under way here, and how many may be at once. */
  get load(): { underWay: number; most: number } {
    return { underWay: this.#underWay.size, most: this.#most };
  }

  /** The process is about to stop: nobody need wait here any longer, and nothing more is begun. */
  leave(): void {
    this.#leaving.abort();
  }

  /** Hands back what is under way, for another process or the next start. */
  async stop(): Promise<void> {
    this.leave();
    this.#stopped = true;
    this.#deaf();
    clearInterval(this.#looking);
    clearInterval(this.#checking);
    await this.#filling;
    for (const { worker } of this.#idle) worker.kill();
    await Promise.all(
      [...this.#underWay].map(async (attempt) => {
        end(attempt);
        await attempt.finished;
        const drop = { ...held(attempt), why: 'handed back' as const, error: STOPPED };
        await this.#quietly(() => this.#engine.write(dropAnalysis, drop));
      }),
    );
  }

  get #hasRoom(): boolean {
    const paused = performance.now() < this.#pausedUntil;
    return !paused && !this.#leaving.signal.aborted && this.#underWay.size < this.#most;
  }

  async #look(): Promise<void> {
    const now = performance.now();
    while (this.#idle[0] && now - this.#idle[0].since > IDLE) this.#idle.shift()!.worker.kill();
    if (this.#hasRoom && (await this.#quietly(() => isWaiting(this.#engine.db)))) this.#wake();
  }

  async #fill(): Promise<void> {
    while (this.#more && this.#hasRoom) {
      this.#more = false;
      const lease = this.#unsure ?? randomUUID();
      const claim = { lease, duration: LEASE, again: this.#unsure !== undefined };
      this.#unsure = lease;
      const claimed = await this.#quietly(async () => ({
        run: await this.#engine.write(claimAnalysis, claim),
      }));
      if (claimed) this.#unsure = undefined;
      if (!claimed?.run) continue;
      const { run } = claimed;
      this.#more = true;
      this.#begin(run, lease);
    }
  }

  #begin(run: Run, lease: string): void {
    const attempt = newAttempt(run, lease);
    this.#underWay.add(attempt);
    attempt.finished = this.#work(attempt).finally(() => {
      this.#underWay.delete(attempt);
      this.#wake();
    });
  }

  /** Never rejects: whatever goes wrong is what became of the run. */
  async #work(attempt: Attempt): Promise<void> {
    try {
      const done = await this.#compute(attempt);
      attempt.state = 'storing';
      await this.#insist(() => this.#engine.write(finishAnalysis, { ...held(attempt), ...done }));
      this.#pause = PAUSE;
      this.#putBack(attempt.worker!);
    } catch (error) {
      attempt.worker?.kill();
      if (attempt.state !== 'over') await this.#drop(attempt, this.#explain(attempt.run, error));
    }
  }

  async #compute(attempt: Attempt): Promise<Done> {
    const { run } = attempt;
    const worker = this.#takeWorker();
    attempt.worker = worker;
    worker.ref(true);
    const done = await worker.run({ reader: this.#engine.reader, run }, (share, question_count) => {
      attempt.progress = Math.floor(share * 1000);
      attempt.question_count = question_count;
    });
    if (attempt.state === 'over') throw new WorkerInterrupted('nobody wants it any more');
    return done;
  }

  async #drop(attempt: Attempt, why: Pick<Drop, 'why' | 'error'>): Promise<void> {
    end(attempt);
    this.#pausedUntil = performance.now() + this.#pause;
    this.#pause = why.error === AWAY ? Math.min(2 * this.#pause, LONGEST_PAUSE) : PAUSE;
    await this.#quietly(() =>
      this.#insist(() => this.#engine.write(dropAnalysis, { ...held(attempt), ...why })),
    );
  }

  #explain({ id, type }: Run, error: unknown): Pick<Drop, 'why' | 'error'> {
    // Not the run's fault, and no reason to count it as an attempt.
    if (error instanceof DatabaseUnavailable) {
      this.#warn({ analysis_id: id, analysis_type: type, reason: error.message });
      return { why: 'handed back', error: AWAY };
    }
    if (error instanceof WorkerInterrupted || error instanceof ApiError) {
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
    try {
      return new WorkerProcess();
    } catch (error) {
      throw new WorkerInterrupted(`no worker could be started (${(error as NodeJS.ErrnoException).code})`);
    }
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
    const mine = [...this.#underWay].filter(({ state }) => state === 'computing');
    if (mine.length === 0 || this.#busyChecking) return;
    this.#busyChecking = true;
    const wanted = await this.#quietly(() => stillHeld(this.#engine.db, mine.map(held)));
    for (const attempt of mine) {
      if (attempt.state !== 'computing') continue;
      const now = performance.now();
      if (wanted && !wanted.has(attempt.lease)) end(attempt);
      else if (now - attempt.began > this.#longest) await this.#drop(attempt, TOO_LONG);
      else if (isNews(attempt, now) || now - attempt.renewed > RENEW_EVERY) await this.#advance(attempt);
    }
    this.#busyChecking = false;
  }

  async #advance(attempt: Attempt): Promise<void> {
    const { progress, question_count } = attempt;
    const advance = { ...held(attempt), duration: LEASE, progress, question_count };
    attempt.told = { progress, at: performance.now() };
    const ours = await this.#quietly(() => this.#engine.write(advanceAnalysis, advance));
    if (ours) attempt.renewed = performance.now();
    else if (ours === false && attempt.state === 'computing') end(attempt);
  }

  /** What was computed is not thrown away because the database was away just then. Whether it still counts, the lease decides. */
  async #insist<R>(write: () => Promise<R>): Promise<R> {
    const until = performance.now() + INSIST_FOR;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        const away = error instanceof ApiError && error.status === 503;
        if (!away || this.#stopped || performance.now() > until) throw error;
        await sleep(INSIST_EVERY);
      }
    }
  }

  /** The database may be away for a while: then it is tried again later. */
  async #quietly<R>(attempt: () => Promise<R>): Promise<R | undefined> {
    try {
      return await attempt();
    } catch (error) {
      if (!this.#stopped) this.#warn({ err: error });
      return undefined;
    }
  }

  #warn(about: object): void {
    if (Date.now() < this.#quietUntil) return;
    this.#quietUntil = Date.now() + QUIET;
    this.#log.warn(about, 'analyses wait for the database');
  }
}

/** Of a run that goes on elsewhere nothing of this is told. */
const AWAY = { code: 'handed_back', detail: 'The database was away.' };
const STOPPED = { code: 'handed_back', detail: 'The service was stopped.' };

const TOO_LONG: Pick<Drop, 'why' | 'error'> = {
  why: 'failed',
  error: {
    code: 'too_long',
    detail: 'It took longer than a run may. On a smaller set of questions it may succeed.',
  },
};
