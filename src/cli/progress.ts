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
  /** Whether a log has a line at the start of each phase. */
  logsStart?: boolean;
}

interface Step {
  phase: string;
  /** May change within a phase, for which the rate is computed. Default: the phase. */
  label?: string;
  done: number;
  /** Undefined if unknown. */
  total?: number | undefined;
  unit: string;
}

/** Overwrites one line on a terminal; elsewhere prints a line every few seconds. */
export class ProgressLine {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #logsStart: boolean;
  #phase = '';
  #phaseStart = { at: 0, done: 0 };
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor({
    output = process.stderr,
    now = () => performance.now(),
    logsStart = false,
  }: ProgressOptions = {}) {
    this.#output = output;
    this.#now = now;
    this.#logsStart = logsStart;
  }

  show({ phase, label = phase, done, total, unit }: Step): void {
    const now = this.#now();
    if (!this.#isDue(phase, done, now)) return;
    const seconds = (now - this.#phaseStart.at) / 1000;
    const rate = seconds > 0 ? (done - this.#phaseStart.done) / seconds : 0;
    const bar = total === undefined || !this.#isTerminal ? '' : `${renderBar(done / total)} `;
    this.#write(`${bar}${label}: ${formatCounts({ done, total, unit, rate })}`);
  }

  /** Shows a line of a phase whose rate is not known. */
  showText(phase: string, line: string): void {
    if (this.#isDue(phase, 0, this.#now())) this.#write(line);
  }

  get #isTerminal(): boolean {
    return this.#output.isTTY === true;
  }

  #isDue(phase: string, done: number, now: number): boolean {
    if (this.#phase !== phase) {
      this.#phase = phase;
      this.#phaseStart = { at: now, done };
      this.#shownAt = this.#isTerminal || this.#logsStart ? Number.NEGATIVE_INFINITY : now;
    }
    if (now - this.#shownAt < (this.#isTerminal ? TTY_INTERVAL_MS : LOG_INTERVAL_MS)) return false;
    this.#shownAt = now;
    return true;
  }

  #write(line: string): void {
    this.#output.write(this.#isTerminal ? `\r\x1b[2K${line}` : `${line}\n`);
  }

  /** Clears the line. */
  end(): void {
    if (this.#isTerminal && this.#phase !== '') this.#output.write('\r\x1b[2K');
    this.#phase = '';
  }
}

function formatCounts({
  done,
  total,
  unit,
  rate,
}: Pick<Step, 'done' | 'total' | 'unit'> & { rate: number }): string {
  const counts = total === undefined ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`;
  const speed = rate > 0 ? `, ${formatCount(rate)}/s` : '';
  const left = rate > 0 && total !== undefined ? `, ${formatDuration((total - done) / rate)} left` : '';
  return `${counts} ${unit}${speed}${left}`;
}

const BAR_COLUMNS = 20;

function renderBar(share: number): string {
  const filled = Math.round(BAR_COLUMNS * Math.min(1, Math.max(0, share || 0)));
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_COLUMNS - filled)}`;
}

export const formatCount = (n: number) => Math.round(n).toLocaleString('en');

function formatDuration(seconds: number): string {
  const rounded = Math.max(0, Math.ceil(seconds));
  return rounded < 60 ? `${rounded} s` : `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
}
