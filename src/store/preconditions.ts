import { errors } from '../errors.ts';

/** Throws 412 unless the If-Match header, if there is one, lists the current ETag. */
export function requireMatch(etag: string, ifMatch: string[] | undefined): void {
  if (ifMatch && !ifMatch.includes('*') && !ifMatch.includes(etag)) throw errors.preconditionFailed(etag);
}
