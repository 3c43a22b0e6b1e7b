import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 20;

/**
 * Polls until the result is truthy, and returns it. Throws after `maxMs`, which is many times longer
 * than the wait on an idle machine.
 */
export async function until<T>(
  label: string,
  poll: () => T | undefined | false | Promise<T | undefined | false>,
  maxMs = 60_000,
): Promise<T> {
  const end = performance.now() + maxMs;
  for (;;) {
    const result = await poll();
    if (result) return result;
    if (performance.now() > end) throw new Error(`timed out after ${maxMs} ms waiting for ${label}`);
    await sleep(POLL_INTERVAL_MS);
  }
}
