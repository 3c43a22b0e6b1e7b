/** `Prefer` (RFC 7240): how long a caller wants to wait for work that takes time. */
import type { FastifyRequest } from 'fastify';

const USUAL = 5;
const LONGEST = 30;

/** Seconds to wait, and what to say of it in Preference-Applied. What is not understood is passed over, as the RFC asks. */
export function preferredWait(request: FastifyRequest): { seconds: number; applied: string | undefined } {
  const given = String(request.headers.prefer ?? '')
    .split(',')
    .map((preference) => preference.split(';')[0]!.trim().toLowerCase());
  const wait = given.map((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1]).find(Boolean);
  if (wait !== undefined) {
    const seconds = Math.min(Number(wait), LONGEST);
    return { seconds, applied: `wait=${seconds}` };
  }
  return given.includes('respond-async')
    ? { seconds: 0, applied: 'respond-async' }
    : { seconds: USUAL, applied: undefined };
}
