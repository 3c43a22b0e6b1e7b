/** Rules between the fields of a draw. They accept invalid values as well. */
import type { Fault } from '../errors.ts';
import { MAX_DRAWN } from './draw.ts';

export function findDrawFaults(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const { count, quotas } = body as { count?: unknown; quotas?: unknown };
  if (count === undefined && quotas === undefined)
    return [{ pointer: '/count', code: 'required', detail: 'is required, unless there are quotas' }];
  if (count !== undefined && quotas !== undefined)
    return [{ pointer: '/quotas', code: 'conflict', detail: 'must not be combined with count' }];
  const total = Array.isArray(quotas)
    ? quotas.reduce((sum, quota) => sum + (Number(quota?.count) || 0), 0)
    : 0;
  return total > MAX_DRAWN
    ? [
        {
          pointer: '/quotas',
          code: 'too_many',
          detail: `must ask for at most ${MAX_DRAWN} questions together`,
        },
      ]
    : [];
}
