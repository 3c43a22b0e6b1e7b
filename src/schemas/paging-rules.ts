import type { Fault } from '../errors.ts';

/** The default of QUAESTOR_MAX_PAGE_BYTES. */
export const DEFAULT_MAX_PAGE_BYTES = 8_000_000;

export const findPageFaults = (page: {
  cursor?: string | undefined;
  offset?: number | undefined;
}): Fault[] =>
  page.cursor !== undefined && page.offset !== undefined
    ? [{ pointer: '/cursor', code: 'conflict', detail: 'must not be combined with offset' }]
    : [];
