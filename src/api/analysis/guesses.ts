/** Who may record answers and see how many are right could find the right ones by trying. */
import type { FastifyRequest } from 'fastify';
import { analyses } from '../../analyses/index.ts';
import { errors } from '../../errors.ts';
import { callerOf } from '../requests.ts';

const ABOUT_RESPONSES = analyses
  .filter(({ readsResponses }) => readsResponses)
  .map(({ type }) => type as string);

/** The types whose runs are not for the caller to see. */
export function hiddenTypes(request: FastifyRequest): string[] {
  const { scopes } = callerOf(request);
  return scopes.has('responses:write') && !scopes.has('answers:read') ? ABOUT_RESPONSES : [];
}

export function refuseGuess(request: FastifyRequest, type: string): void {
  if (hiddenTypes(request).includes(type))
    throw errors.insufficientScope(['answers:read'], `To see ${type} with a token that may record responses`);
}
