/**
 * The request log: one line per response, and errors without what they may quote from the database.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Guard } from '../access/guard.ts';
import { redactTokens } from '../access/token-text.ts';

export interface LogOptions {
  level: string;
  stream?: { write(line: string): void };
}

export const buildLoggerOptions = ({ level, stream }: LogOptions) => ({
  level,
  base: null,
  serializers: { err: serializeError },
  ...(stream && { stream }),
});

interface SerializedError {
  type: string;
  message: string;
  stack: string;
  [more: string]: unknown;
}

/**
 * Omits the other properties of database errors, which may contain stored values such as answers.
 */
const serializeError = (error: Error & { code?: string }): SerializedError => ({
  type: error.name,
  code: error.code,
  message: error.message,
  stack: error.stack ?? '',
  ...(error.cause instanceof Error && { cause: serializeError(error.cause) }),
});

export function logRequest(request: FastifyRequest, reply: FastifyReply, guard: Guard): void {
  const { id, method, url, log, caller } = request;
  const path = redactTokens(url.split('?', 1)[0]!);
  const ms = Math.round(reply.elapsedTime);
  const origin = caller
    ? { client: caller.client, token: caller.token.id }
    : { address: guard.getClientAddress(request) };
  log.info({ request_id: id, ...origin, method, path, status: reply.statusCode, ms }, 'request');
}
