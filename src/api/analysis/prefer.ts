/** The `Prefer` header (RFC 7240): how long a client waits for the result of a run. */
import type { FastifyRequest } from 'fastify';

const DEFAULT_WAIT_SECONDS = 5;
const MAX_WAIT_SECONDS = 30;

/**
 * Returns the seconds to wait and the value of Preference-Applied. Unknown preferences are ignored,
 * as RFC 7240 requires.
 */
export function parsePreferredWait(request: FastifyRequest): {
  seconds: number;
  applied: string | undefined;
} {
  const preferences = String(request.headers.prefer ?? '')
    .split(',')
    .map((preference) => preference.split(';')[0]!.trim().toLowerCase());
  const wait = preferences
    .map((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1])
    .find(Boolean);
  if (wait !== undefined) {
    const seconds = Math.min(Number(wait), MAX_WAIT_SECONDS);
    return { seconds, applied: `wait=${seconds}` };
  }
  return preferences.includes('respond-async')
    ? { seconds: 0, applied: 'respond-async' }
    : { seconds: DEFAULT_WAIT_SECONDS, applied: undefined };
}
