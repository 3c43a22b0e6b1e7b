/** The progress of a command on standard error, with the rate and the time left. */

const TTY_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 3000;

interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

interface ProgressOptions {
  output?: Output;
  now?: () => number;
}

/**
 * Overwrites one line on a terminal; elsewhere prints a line at the start of a phase and then every
 * few seconds.
 */
export class ProgressLine {
  readonly #output: Output;
  readonly #now: () => number;
  #phase = '';
  #phaseStart = { at: 0, done: 0 };
  #shownAt: number | undefined;

  constructor({ output = process.stderr, now = () => performance.now() }: ProgressOptions = {}) {
    this.#output = output;
    this.#now = now;
  }

  /** `label` may change within a phase, for which the rate is computed. */
  show({ phase, label = phase, done, total, unit }: Step): void {
    const now = this.#now();
    const isTerminal = this.#output.isTTY === true;
    if (this.#phase !== phase) {
      this.#phase = phase;
      this.#phaseStart = { at: now, done };
    } else if (
      this.#shownAt !== undefined &&
      now - this.#shownAt < (isTerminal ? TTY_INTERVAL_MS : LOG_INTERVAL_MS)
    )
      return;
    this.#shownAt = now;
    const seconds = (now - this.#phaseStart.at) / 1000;
    const rate = seconds > 0 ? (done - this.#phaseStart.done) / seconds : 0;
    const left = rate > 0 ? `, ${formatCount(rate)}/s, ${formatDuration((total - done) / rate)} left` : '';
    const counts = `${formatCount(done)} of ${formatCount(total)} ${unit}${left}`;
    if (isTerminal) this.#output.write(`\r\x1b[2K${renderBar(done / total)} ${label}: ${counts}`);
    else this.#output.write(`${label}: ${counts}\n`);
  }

  end(): void {
    if (this.#output.isTTY && this.#shownAt !== undefined) this.#output.write('\r\x1b[2K');
    this.#shownAt = undefined;
    this.#phase = '';
  }
}

interface Step {
  phase: string;
  label?: string;
  done: number;
  total: number;
  unit: string;
}

const BAR_COLUMNS = 20;

function renderBar(share: number): string {
  const filled = Math.round(BAR_COLUMNS * Math.min(1, Math.max(0, share || 0)));
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_COLUMNS - filled)}`;
}

export const formatCount = (n: number) => Math.round(n).toLocaleString('en');

const formatDuration = (seconds: number) =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
