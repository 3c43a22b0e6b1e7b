import { errors } from '../errors.ts';

/** Lets nobody change what they have not seen: `ifMatch` is what an If-Match header lists, if there was one. */
export function refuseStale(now: string, ifMatch: string[] | undefined): void {
  if (ifMatch && !ifMatch.includes('*') && !ifMatch.includes(now)) throw errors.stale(now);
}
