/** What a request carries, read and held against the schemas of its route. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import { type ApiError, errors, type Fault, MOST_FAULTS } from '../errors.ts';
import { parseJson } from './json.ts';
import { parseQuery } from './query.ts';
import { tidy, tidyItems } from './text.ts';
import { faultsIn, tooMany } from './validation.ts';

export const LARGEST_BODY = 1024 * 1024;

export async function readJson(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw errors.unsupportedMediaType('Send JSON in UTF-8.');
  if (
    /\S/.test(request.headers['content-encoding'] ?? '') &&
    request.headers['content-encoding']?.toLowerCase() !== 'identity'
  ) {
    throw errors.unsupportedMediaType('Send the body without Content-Encoding.');
  }
  const value = await parseJson(body);
  const largest = request.routeOptions.config.largestObject ?? LARGEST_BODY;
  if (!Array.isArray(value) && body.length > largest) {
    throw errors.tooLarge('A single object may have 1 MiB; only arrays may have 10 MiB.');
  }
  return value;
}

export async function requireBody(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) throw errors.malformedJson('A body is missing; JSON is expected.');
}

type Checked = { value: unknown } | { error: Error };

export const checkQuery =
  (schema: TSchema) =>
  ({ raw }: { raw: string }): Checked => {
    try {
      return { value: parseQuery(schema as TObject, raw) };
    } catch (error) {
      return { error: error as Error };
    }
  };

/** Items of an array that are looked at in one turn of the loop. */
const AT_ONCE = 2000;

export const checkBody =
  (schema: TSchema) =>
  (body: unknown): Checked | Promise<void> => {
    const excess = tooMany(schema, body);
    if (excess.length > 0) return { error: errors.invalidBody(excess) };
    if (Array.isArray(body) && body.length > AT_ONCE) return checkLong(schema, body);
    try {
      const value = tidy(body);
      const faults = faultsIn(schema, value);
      return faults.length > 0 ? { error: errors.invalidBody(faults) } : { value };
    } catch (error) {
      return { error: error as Error };
    }
  };

/** The same in several turns. */
async function checkLong(schema: TSchema, body: unknown[]): Promise<void> {
  const faults: Fault[] = [];
  for (let i = 0; i < body.length && faults.length <= MOST_FAULTS; i += AT_ONCE) {
    const some = tidyItems(body, i, Math.min(i + AT_ONCE, body.length)).slice(i, i + AT_ONCE);
    for (const { pointer, ...fault } of faultsIn(schema, some))
      faults.push({ pointer: pointer.replace(/\d+/, (place) => String(Number(place) + i)), ...fault });
    await nextTurn();
  }
  if (faults.length > 0) throw errors.invalidBody(faults, faultCount(faults));
}

/**
 * What the schema found wrong with a body, to be told together with what only rules and the bank can know. A body that cannot be
 * looked at any further is refused at once.
 */
export function schemaFaults(request: FastifyRequest): Fault[] {
  const found = request.validationError as ApiError | undefined;
  if (found && (found.status !== 422 || found.errors?.some(({ code }) => code === 'too_many'))) throw found;
  return [...(found?.errors ?? [])];
}

/** How many there are, unless it was left off at so many. */
export const faultCount = (faults: Fault[]) => (faults.length > MOST_FAULTS ? Infinity : faults.length);
