/** A worker's process, seen from where it was started. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Done } from './execute.ts';
import type { Job, Report } from './worker.ts';

/** A worker that leaves this much on the heap has gone astray; a million questions take less. */
const MOST_HEAP = '--max-old-space-size=1200';

/** The worker ended without saying what became of its run. */
export class WorkerInterrupted extends Error {}

/** The worker could not read the bank any longer. */
export class DatabaseUnavailable extends WorkerInterrupted {}

/** The analysis itself failed: it would fail again. */
class Failed extends Error {
  constructor(name: string, stack: string) {
    super(name);
    this.name = 'AnalysisFailed';
    this.stack = `${name}\n${stack}`;
  }
}

export class WorkerProcess {
  readonly #child: ChildProcess;
  #settle: { resolve(done: Done): void; reject(error: Error): void } | undefined;
  #progress: (share: number, question_count: number) => void = () => {};
  #blocks: Uint8Array[][] = [];
  #gone = false;

  constructor() {
    this.#child = fork(new URL('./worker.ts', import.meta.url), {
      execArgv: [MOST_HEAP],
      // It is told what it needs; the settings may hold secrets.
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('QUAESTOR_'))),
      // Bytes travel as they are.
      serialization: 'advanced',
      // What a fault prints may quote a question.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (report: Report) => this.#hear(report));
    // One that cannot be started tells so and never ends.
    this.#child.on('error', (error) =>
      this.#end(`the worker could not be started or reached (${error.name})`),
    );
    this.#child.on('exit', (code, signal) => this.#end(`the worker ended (${signal ?? code})`));
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** One at a time. */
  run(job: Job, progress: (share: number, question_count: number) => void): Promise<Done> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.#gone) return this.#end('the worker had ended');
      this.#progress = progress;
      this.#blocks = [];
      try {
        this.#child.send(job, (error) => {
          if (error) this.kill();
        });
      } catch {
        // Where there were no file descriptors left, it was started without a way to be spoken to.
        this.#end('the worker could not be reached');
      }
    });
  }

  /** Whether it is left idle decides whether the process may end. */
  ref(busy: boolean): void {
    if (busy) this.#child.ref();
    else this.#child.unref();
    if (busy) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }

  kill(): void {
    this.#gone = true;
    this.#child.kill('SIGKILL');
  }

  #end(how: string): void {
    this.#gone = true;
    this.#settle?.reject(new WorkerInterrupted(how));
  }

  #hear(report: Report): void {
    if (report.kind === 'progress') {
      this.#progress(report.share, report.question_count);
    } else if (report.kind === 'block') {
      this.#blocks[report.result] ??= [];
      this.#blocks[report.result]!.push(report.lines);
    } else if (report.kind === 'done') {
      const results = report.done.results.map((result, i) => ({ ...result, blocks: this.#blocks[i] ?? [] }));
      this.#settle?.resolve({ ...report.done, results });
    } else if (report.again) {
      this.#settle?.reject(
        report.again === 'away'
          ? new DatabaseUnavailable('the database was away')
          : new WorkerInterrupted('the database refused or took too long'),
      );
    } else {
      this.#settle?.reject(new Failed(report.name, report.stack));
    }
  }
}
