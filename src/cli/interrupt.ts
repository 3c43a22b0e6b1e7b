/** Ends a command at a signal. */

export class Interrupted extends Error {
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM', message: string) {
    super(message);
    this.signal = signal;
  }
}

/** Runs work that a signal aborts; `message` says what that leaves. */
export async function runInterruptibly<R>(
  message: string,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const { signal, dispose } = abortOnSignals(message);
  try {
    return await work(signal);
  } catch (error) {
    // Streams report the abort by an error of their own.
    throw signal.aborted ? signal.reason : error;
  } finally {
    dispose();
  }
}

/** Within this time, a signal repeats the first one: the terminal and the launcher both send it. */
const REPEAT_MS = 1000;

/** A later second signal ends the process at once. `message` says what that leaves. */
export function abortOnSignals(message: string): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  let abortedAt = 0;
  const abort = (signal: NodeJS.Signals) => {
    if (!controller.signal.aborted) {
      abortedAt = performance.now();
      controller.abort(new Interrupted(signal as 'SIGINT', message));
    } else if (performance.now() - abortedAt > REPEAT_MS) {
      dispose();
      process.kill(process.pid, signal);
    }
  };
  const dispose = () => process.off('SIGINT', abort).off('SIGTERM', abort);
  process.on('SIGINT', abort).on('SIGTERM', abort);
  return { signal: controller.signal, dispose };
}
