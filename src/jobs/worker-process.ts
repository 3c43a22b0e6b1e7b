/** A worker process (worker.ts) as seen by the process that started it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { RowIndexPart } from '../store/analyses/row-index.ts';
import { AnalysisFailed, DatabaseUnavailable, UnknownCategory, WorkerInterrupted } from './failures.ts';
import type { RunOutput, RunRequest, WorkerMessage } from './messages.ts';

/** An analysis of a million questions needs less. */
const MAX_HEAP_MB = 1200;

type ProgressListener = (share: number, question_count: number) => void;

export class WorkerProcess {
  readonly #child: ChildProcess;
  #pending: { resolve(output: RunOutput): void; reject(error: Error): void } | undefined;
  #onProgress: ProgressListener = () => {};
  #blocks: Uint8Array[][] = [];
  #index: RowIndexPart[][] = [];
  #maxRssBytes = 0;
  #ended = false;

  constructor() {
    this.#child = fork(new URL('./worker.ts', import.meta.url), {
      execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
      // The settings may hold secrets; the request carries what a worker needs of them.
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('QUAESTOR_'))),
      // JSON cannot carry the bytes of a result.
      serialization: 'advanced',
      // An error message printed by the worker may quote a question.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (message: WorkerMessage) => this.#receive(message));
    // A process that could not be started emits `error` and never `exit`.
    this.#child.on('error', (error) =>
      this.#interrupt(`the worker process could not be started or reached (${error.name})`),
    );
    this.#child.on('exit', (code, signal) => this.#interrupt(`the worker process ended (${signal ?? code})`));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The most resident memory that the process reported during the current or the last run. */
  get maxRssBytes(): number {
    return this.#maxRssBytes;
  }

  /** Executes a run. One at a time. */
  run(request: RunRequest, onProgress: ProgressListener): Promise<RunOutput> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      if (this.#ended) return this.#interrupt('the worker process had ended');
      this.#onProgress = onProgress;
      this.#blocks = [];
      this.#index = [];
      this.#maxRssBytes = 0;
      try {
        this.#child.send(request, (error) => {
          if (error) this.kill();
        });
      } catch {
        // Without a free file descriptor the process was started without an IPC channel.
        this.#interrupt('the worker process could not be reached');
      }
    });
  }

  /** Keeps this process alive while the worker is busy. */
  ref(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  kill(): void {
    this.#ended = true;
    this.#child.kill('SIGKILL');
  }

  #interrupt(reason: string): void {
    this.#ended = true;
    this.#pending?.reject(new WorkerInterrupted(reason));
  }

  #receive(message: WorkerMessage): void {
    this.#maxRssBytes = Math.max(this.#maxRssBytes, message.rss_bytes);
    if (message.kind === 'progress') {
      this.#onProgress(message.share, message.question_count);
    } else if (message.kind === 'block') {
      this.#blocks[message.result] ??= [];
      this.#blocks[message.result]!.push(message.lines);
    } else if (message.kind === 'index') {
      this.#index[message.result] ??= [];
      this.#index[message.result]!.push(...message.parts);
    } else if (message.kind === 'done') {
      const { output } = message;
      const results = output.results.map((result, i) => ({
        ...result,
        blocks: this.#blocks[i] ?? [],
        index: this.#index[i] ?? [],
      }));
      this.#pending?.resolve({ ...output, results });
    } else {
      this.#pending?.reject(toError(message));
    }
  }
}

function toError({ cause, name, stack }: Extract<WorkerMessage, { kind: 'failed' }>): Error {
  if (cause === 'unavailable') return new DatabaseUnavailable('the database was unavailable');
  if (cause === 'refused') return new WorkerInterrupted('the database refused a query or was too slow');
  if (cause === 'category') return new UnknownCategory('the category of the filter does not exist');
  return new AnalysisFailed(name, stack);
}
