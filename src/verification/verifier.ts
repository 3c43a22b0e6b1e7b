/** Runs the verification of the bank in a thread, and keeps its results for the metrics. */
import { Worker } from 'node:worker_threads';
import type { ReaderSpec } from '../store/db.ts';
import type { Message, ThreadData } from './messages.ts';

const FIRST_PASS_DELAY_MS = 60_000;
const PASS_INTERVAL_MS = 24 * 60 * 60 * 1000;
/** Bounds the log where much is damaged. */
const MAX_LOGGED_PER_PASS = 20;

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface VerificationStats {
  /** Rows verified since the start of the process. */
  rows: number;
  /** Damaged rows that the last pass found, or the running one so far if it found more. */
  damaged: number;
  /** When the last pass ended, in milliseconds since 1970; 0 if none has. */
  endedAt: number;
}

export class Verifier {
  readonly stats: VerificationStats = { rows: 0, damaged: 0, endedAt: 0 };
  readonly #reader: ReaderSpec;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;

  constructor(reader: ReaderSpec, log: Log) {
    this.#reader = reader;
    this.#log = log;
  }

  start(): void {
    this.#schedule(FIRST_PASS_DELAY_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }

  /** Verifies the whole bank once. */
  async run(): Promise<void> {
    let damaged = 0;
    let failure: string | undefined;
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { reader: this.#reader } satisfies ThreadData,
    });
    this.#worker = worker;
    worker.on('message', (message: Message) => {
      if (message.kind === 'warning') this.#log.warn({}, message.warning);
      else if (message.kind === 'failed') failure = message.message;
      else {
        this.stats.rows += message.rows;
        for (const what of message.damage)
          if (damaged++ < MAX_LOGGED_PER_PASS) this.#log.error({ damaged: what }, 'damaged data found');
        this.stats.damaged = Math.max(this.stats.damaged, damaged);
      }
    });
    worker.on('error', (error: Error) => {
      failure ??= error.message;
    });
    await new Promise((resolve) => worker.once('exit', resolve));
    this.#worker = undefined;
    if (failure !== undefined) {
      this.#log.error({ reason: failure }, 'verification failed');
      return;
    }
    Object.assign(this.stats, { damaged, endedAt: Date.now() });
    this.#log.info({ damaged, rows: this.stats.rows }, 'verification ended');
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => void this.run().then(() => this.#schedule(PASS_INTERVAL_MS)), delayMs);
    this.#timer.unref();
  }
}
