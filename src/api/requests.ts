import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/guard.ts';
import { errors } from '../errors.ts';
import { readIdempotencyKey } from '../http/preconditions.ts';
import type { CallOptions, Command, Engine, WriteOptions } from '../store/db.ts';
import { findStoredResult, storeStatus } from '../store/idempotency.ts';
import type { ChangedBy } from '../store/questions/origin.ts';
import type { View, Visibility } from '../store/view.ts';

/** Only for routes that are not public. */
export const getCaller = (request: FastifyRequest): Caller => request.caller!;

export const toView = (scopes: Caller['scopes']): View =>
  scopes.has('answers:read') ? 'with_answers' : 'without_answers';

export const getView = (request: FastifyRequest): View => toView(getCaller(request).scopes);

export const toVisibility = (scopes: Caller['scopes']): Visibility =>
  scopes.has('questions:write') || scopes.has('questions:review') ? 'all' : 'approved';

export const getVisibility = (request: FastifyRequest): Visibility => toVisibility(getCaller(request).scopes);

/** What a caller sees of the bank. */
export const getReader = (request: FastifyRequest) => ({
  view: getView(request),
  visibility: getVisibility(request),
});

/** Who makes a change, as revisions record it. */
export function getChangedBy(request: FastifyRequest): ChangedBy {
  const { client, token } = getCaller(request);
  return { client, key: token.kind === 'key' ? token.id : null };
}

/** For whom and until when the engine works on a request. */
export const getCallOptions = (request: FastifyRequest): CallOptions => ({
  caller: request.caller?.client ?? request.ip,
  deadlineAt: request.deadlineAt,
  isCancelled: () => request.socket.destroyed,
});

export const getWriteOptions = (request: FastifyRequest): WriteOptions => ({
  ...getCallOptions(request),
  bytes: request.bodyBytes,
});

const keysInFlight = new WeakMap<Engine, Set<string>>();

/**
 * Runs a command, at most once per Idempotency-Key if the request has one. Arguments that have to
 * be computed from the bank are given as a function: a repeated request does not compute them
 * again, for the bank may have changed.
 */
export async function writeIdempotently<A, R>(
  engine: Engine,
  request: FastifyRequest,
  command: Command<A, R>,
  args: A | (() => Promise<A>),
): Promise<R> {
  const key = readIdempotencyKey(request);
  const computeArgs = async () => (typeof args === 'function' ? (args as () => Promise<A>)() : args);
  const options = getWriteOptions(request);
  if (!key) return engine.write(command, await computeArgs(), options);
  const inFlight = keysInFlight.getOrInsertComputed(engine, () => new Set());
  const name = `${key.scope} ${key.key}`;
  if (inFlight.has(name)) throw errors.idempotencyInFlight();
  inFlight.add(name);
  try {
    const stored = typeof args === 'function' ? await findStoredResult(engine.db, command, key) : undefined;
    return stored ? stored.result : await engine.write(command, await computeArgs(), { ...options, key });
  } finally {
    inFlight.delete(name);
  }
}

/** Stores the status of a response that depends on time with the request's Idempotency-Key, if any. */
export async function storeFirstStatus(
  engine: Engine,
  request: FastifyRequest,
  status: number,
): Promise<number> {
  const key = readIdempotencyKey(request);
  return key ? engine.write(storeStatus, { key, status }) : status;
}
