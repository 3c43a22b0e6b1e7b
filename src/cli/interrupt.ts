/** Ends a command at a signal. */

export class Interrupted extends Error {
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM', message: string) {
    super(message);
    this.signal = signal;
  }
}

/** A second signal ends the process at once. `message` says what that leaves. */
export function abortOnSignals(message: string): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const abort = (signal: NodeJS.Signals) => controller.abort(new Interrupted(signal as 'SIGINT', message));
  process.once('SIGINT', abort).once('SIGTERM', abort);
  return {
    signal: controller.signal,
    dispose: () => process.off('SIGINT', abort).off('SIGTERM', abort),
  };
}
