/** Parses bodies and query strings, and validates them against the schemas of their route. */
import type { FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import { Ticker } from '../concurrency/ticker.ts';
import { ApiError, errors, type Fault, MAX_FAULTS } from '../errors.ts';
import { parseJson, SLICE_MS } from './json.ts';
import { parseQuery } from './query.ts';
import { normalizeStrings } from './text.ts';
import { findFaults, findLengthFault, findOversizedArrays } from './validation.ts';

export const MAX_BODY_BYTES = 1024 * 1024;
/** RFC 7396. Only for PATCH. */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

declare module 'fastify' {
  interface FastifyRequest {
    /** The size of the JSON body. */
    bodyBytes: number;
  }
}

export async function parseJsonBody(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  if (request.method !== 'PATCH' && type.toLowerCase().startsWith(MERGE_PATCH_TYPE))
    throw errors.unsupportedMediaType(`${MERGE_PATCH_TYPE} is for PATCH. Send the body as application/json.`);
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw errors.unsupportedMediaType('Send JSON in UTF-8.');
  if (
    /\S/.test(request.headers['content-encoding'] ?? '') &&
    request.headers['content-encoding']?.toLowerCase() !== 'identity'
  ) {
    throw errors.unsupportedMediaType('Send the body without Content-Encoding.');
  }
  request.bodyBytes = body.length;
  const value = await parseJson(body);
  const maxBytes = request.routeOptions.config.maxObjectBytes ?? MAX_BODY_BYTES;
  if (!Array.isArray(value) && body.length > maxBytes) {
    const { bodyLimit } = request.routeOptions;
    throw errors.bodyTooLarge(
      `The body exceeds the limit of ${maxBytes} bytes for an object; an array may have ${bodyLimit} bytes.`,
    );
  }
  return value;
}

export async function requireBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) throw errors.malformedJson('The body is missing. Send JSON.');
}

type Validated = { value: unknown } | { error: Error };

export const buildQueryValidator =
  (schema: TSchema) =>
  ({ raw }: { raw: string }): Validated => {
    try {
      return { value: parseQuery(schema as TObject, raw) };
    } catch (error) {
      return { error: error as Error };
    }
  };

/** For routes with `attachValidation`: the query is not parsed after a fault of the body. */
export function readQuery<T extends TObject>(request: FastifyRequest, schema: T): Static<T> {
  const { raw } = request.query as { raw?: string };
  return (
    request.validationError && raw !== undefined ? parseQuery(schema, raw) : request.query
  ) as Static<T>;
}

/** Longer arrays are validated in batches, between which the event loop may run. */
const BATCH_ITEMS = 50;

export const buildBodyValidator =
  (schema: TSchema) =>
  (body: unknown): Validated | Promise<void> => {
    const oversized = findOversizedArrays(schema, body);
    if (oversized.length > 0) return { error: errors.invalidBody(oversized) };
    if (Array.isArray(body) && body.length > BATCH_ITEMS) return validateInBatches(schema, body);
    try {
      const value = normalizeStrings(body);
      const faults = findFaults(schema, value);
      return faults.length > 0 ? { error: errors.invalidBody(faults) } : { value };
    } catch (error) {
      return { error: error as Error };
    }
  };

/**
 * Normalises and validates one item of an array on its own, as the body validator does with all.
 * Text that cannot be normalised is a fault of the item.
 */
export function validateItem(
  schema: TSchema,
  item: unknown,
  pointer: string,
): { value: unknown; faults: Fault[] } {
  const oversized = findOversizedArrays(schema, item, pointer);
  if (oversized.length > 0) return { value: item, faults: oversized };
  try {
    const value = normalizeStrings(item);
    const faults = findFaults(schema, value);
    return { value, faults: faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { value: item, faults: [{ pointer, code: error.code, detail: `is refused: ${error.message}` }] };
  }
}

async function validateInBatches(schema: TSchema, body: unknown[]): Promise<void> {
  const ticker = new Ticker({ sliceMs: SLICE_MS });
  const faults = findLengthFault(schema, body);
  for (let start = 0; start < body.length && faults.length <= MAX_FAULTS; start += BATCH_ITEMS) {
    const batch = body.slice(start, start + BATCH_ITEMS).map(normalizeStrings);
    for (const [i, item] of batch.entries()) body[start + i] = item;
    for (const { pointer, ...fault } of findFaults(schema, batch))
      faults.push({ pointer: pointer.replace(/\d+/, (index) => String(Number(index) + start)), ...fault });
    if (ticker.due()) await ticker.yield();
  }
  if (faults.length > 0) throw errors.invalidBody(faults, countFaults(faults));
}

/**
 * For routes with `attachValidation`: returns the faults found by the schema, to be reported
 * together with those that only other rules and the bank can find. Throws if the body cannot be
 * examined further.
 */
export function readSchemaFaults(request: FastifyRequest): Fault[] {
  const error = request.validationError as ApiError | undefined;
  if (error && (error.status !== 422 || error.errors?.some(({ code }) => code === 'too_many'))) throw error;
  return [...(error?.errors ?? [])];
}

/** Infinity if collecting stopped at the maximum. */
export const countFaults = (faults: Fault[]) => (faults.length > MAX_FAULTS ? Infinity : faults.length);
