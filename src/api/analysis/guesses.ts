/**
 * Hides analyses of responses from callers who may record responses but not read answers: recording
 * guesses and reading how many are correct would disclose the answers.
 */
import type { FastifyRequest } from 'fastify';
import { analyses } from '../../analyses/index.ts';
import { errors } from '../../errors.ts';
import { getCaller } from '../requests.ts';

const RESPONSE_TYPES = analyses
  .filter(({ readsResponses }) => readsResponses)
  .map(({ type }) => type as string);

export function listHiddenTypes(request: FastifyRequest): string[] {
  const { scopes } = getCaller(request);
  return scopes.has('responses:write') && !scopes.has('answers:read') ? RESPONSE_TYPES : [];
}

export function refuseHiddenType(request: FastifyRequest, type: string): void {
  if (listHiddenTypes(request).includes(type))
    throw errors.insufficientScope(
      ['answers:read'],
      `Reading ${type} with a token that may record responses`,
    );
}
