/**
 * Long work in short turns: others get theirs in between, and a run that nobody wants any more is noticed.
 */
import { setImmediate as othersTurn } from 'node:timers/promises';

/** How long to work at a stretch, and between two reports, in milliseconds. */
const TURN = 20;
const REPORT = 200;

export interface Pace {
  /** How much is done; to be set by whoever knows. */
  share: number;
  /** To be called now and then; mostly it returns at once. */
  pause(): Promise<void>;
}

export function paceOf(progress: (share: number) => Promise<void>): Pace {
  let paused = performance.now();
  let reported = paused;
  return {
    share: 0,
    async pause() {
      if (performance.now() - paused < TURN) return;
      if (performance.now() - reported > REPORT) {
        await progress(this.share);
        reported = performance.now();
      }
      await othersTurn();
      paused = performance.now();
    },
  };
}
