import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 20;

/** Polls until the result is truthy, and returns it. Fails after `maxMs`, with the name of what it waited for. */
export async function until<T>(
  what: string,
  poll: () => T | undefined | false | Promise<T | undefined | false>,
  maxMs = 15_000,
): Promise<T> {
  const end = Date.now() + maxMs;
  for (;;) {
    const result = await poll();
    if (result) return result;
    if (Date.now() > end) throw new Error(`waited ${maxMs} ms for ${what} in vain`);
    await sleep(POLL_INTERVAL_MS);
  }
}
