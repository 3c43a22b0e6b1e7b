import type { Fault } from '../errors.ts';

export const findPageFaults = (page: {
  cursor?: string | undefined;
  offset?: number | undefined;
}): Fault[] =>
  page.cursor !== undefined && page.offset !== undefined
    ? [{ pointer: '/cursor', code: 'conflict', detail: 'must not be combined with offset' }]
    : [];
