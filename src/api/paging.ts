/** Parses the query of a list, and renders its page: `data`, `pagination` and the Link header. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/guard.ts';
import type { Quotas } from '../access/quotas.ts';
import { hash32 } from '../bits/hash.ts';
import { errors, type Fault } from '../errors.ts';
import { sendJson } from '../http/preconditions.ts';
import { streamJson } from '../http/streamed-json.ts';
import { getBasePath } from '../http/url.ts';
import type { Pagination } from '../schemas/common.ts';
import { findPageFaults } from '../schemas/paging-rules.ts';
import { type QuestionFilter, toList } from '../schemas/question-filter.ts';
import type { QuestionQuery } from '../schemas/question-query.ts';
import { findFilterFaults, findSortFaults } from '../schemas/question-rules.ts';
import type { Scope } from '../schemas/scopes.ts';
import type { Engine, Utf8 } from '../store/db.ts';
import { MAX_WHOLE_PAGE_BYTES, sumBytes } from '../store/page-bytes.ts';
import type { ListArgs, Page } from '../store/questions/pages.ts';
import { checkSearch } from '../store/questions/search-words.ts';
import { isStored, readParts, type StoredItems } from '../store/questions/stored-items.ts';
import type { View } from '../store/view.ts';
import type { Cursors } from './cursors.ts';
import type { LargePages } from './large-pages.ts';
import { toView, toVisibility } from './requests.ts';

/** What the routes of lists need. */
export interface ListDeps {
  engine: Engine;
  cursors: Cursors;
  quotas: Quotas;
  /** The maximum length of the items of a page, in bytes. */
  maxPageBytes: number;
  largePages: LargePages;
}

/** Encodes the cursor of the page that starts here. */
type EncodeCursor = (start: ListArgs['start']) => string;

interface ParsedList {
  args: ListArgs;
  next: EncodeCursor;
  /** A digest of the list, by which a cursor is bound to it. */
  list: number;
}

export function parseListQuery(
  query: QuestionQuery,
  { scopes }: Pick<Caller, 'scopes'>,
  { cursors, maxPageBytes: maxBytes }: Pick<ListDeps, 'cursors' | 'maxPageBytes'>,
): ParsedList {
  const view = toView(scopes);
  if (query.deleted) requireDeletedScopes(scopes);
  refuseQuery(findSortFaults(query));
  const defaultSort = query.deleted ? '-deleted_at' : 'created_at';
  const { sort = defaultSort, seed, limit = 20, offset, cursor, include_deleted, ...others } = query;
  const { deleted: only, ...filter } = others;
  const order = sort.endsWith('updated_at') ? 'updated' : 'created';
  if (order === 'updated') requireUpdateTimes(view);
  const deleted = only ? 'only' : include_deleted ? 'included' : undefined;
  refuseQuery(checkFilter(filter, scopes));
  // A cursor is valid only for the list it came from.
  const visibility = toVisibility(scopes);
  const list = hash32(
    JSON.stringify([view, visibility, sort, Object.entries(filter).sort(), deleted, ...(seed ? [seed] : [])]),
  );
  const start = parsePageStart({ cursor, offset }, (text) => cursors.decodeQuestion(text, list));
  const descending = sort.startsWith('-');
  const byRelevance = sort === 'relevance';
  return {
    args: {
      ...{ view, filter: { ...filter, visibility }, order, descending, byRelevance },
      ...{ limit, maxBytes, start, deleted },
    },
    list,
    next: (position) => cursors.encodeQuestion(position, list),
  };
}

/** Reports the first of the faults of a query. */
export function refuseQuery([fault]: Fault[]): void {
  if (fault) throw errors.invalidQuery([{ ...fault, pointer: `?${fault.pointer.slice(1)}` }]);
}

export function parsePageStart<Position>(
  page: { cursor?: string | undefined; offset?: number | undefined },
  decode: (cursor: string) => Position | undefined,
): Position | { offset: number } {
  refuseQuery(findPageFaults(page));
  if (page.cursor === undefined) return { offset: page.offset ?? 0 };
  const position = decode(page.cursor);
  if (position === undefined)
    throw errors.invalidQuery([
      {
        pointer: '?cursor',
        code: 'unknown_cursor',
        detail: 'must be a next_cursor of this list, with the same filters and sort',
      },
    ]);
  return position;
}

/** Deleted questions are for callers that can restore them. */
export function requireDeletedScopes(scopes: ReadonlySet<Scope>): void {
  const missing = (['questions:write', 'answers:read'] as const).filter((scope) => !scopes.has(scope));
  if (missing.length > 0) throw errors.insufficientScope(missing, 'Listing deleted questions');
}

/** The time of the last update discloses that an answer may have changed. */
function requireUpdateTimes(view: View): void {
  if (view !== 'with_answers')
    throw errors.insufficientScope(['answers:read'], 'Filtering or sorting by the time of the last update');
}

/** The scopes that reading what runs found requires. */
export const FINDING_SCOPES = ['analysis:read', 'answers:read'] as const;

/** Refuses what a caller may not filter by, and finds the faults of a filter. */
export function checkFilter(filter: QuestionFilter, scopes: Caller['scopes']): Fault[] {
  const view = toView(scopes);
  const missing = FINDING_SCOPES.filter((scope) => !scopes.has(scope));
  if (toList(filter.finding).length > 0 && missing.length > 0)
    throw errors.insufficientScope(missing, 'Filtering by findings');
  if (filter.updated_since !== undefined) requireUpdateTimes(view);
  if (toList(filter.missing).includes('explanation') && view !== 'with_answers')
    throw errors.insufficientScope(['answers:read'], 'Filtering by missing explanations');
  return findFilterFaults(filter, checkSearch);
}

const DATA_PREFIX = Buffer.from('{"data":[');

interface PageOptions {
  limit: number;
  next?: EncodeCursor;
}

/** Renders a page as JSON in UTF-8, and sets its Link header. */
export function renderPage(
  request: FastifyRequest,
  reply: FastifyReply,
  options: PageOptions,
  page: Page & { items: Utf8 },
): Buffer {
  const data = typeof page.items === 'string' ? Buffer.from(page.items) : page.items;
  return Buffer.concat([DATA_PREFIX, data, renderPageEnd(request, reply, options, page)]);
}

function renderPageEnd(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, next }: PageOptions,
  { n, total, offset, last }: Page,
): Buffer {
  const end = last === undefined ? { offset: offset + n } : { slot: last };
  const pagination = buildPagination({ limit, offset, n, total }, next && (() => next(end)));
  reply.header('link', buildLinkHeader(request, pagination, n));
  return Buffer.from(`],"pagination":${JSON.stringify(pagination)}}`);
}

/** Sends a page of questions. A large one is read while it is sent. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { lists, ...options }: PageOptions & { lists: ListDeps },
  page: Page,
): Promise<FastifyReply> {
  const { items } = page;
  if (!isStored(items)) return sendJson(reply, renderPage(request, reply, options, { ...page, items }));
  return sendStoredItems(reply, lists, items, renderPageEnd(request, reply, options, page));
}

/** Sends `{"data":[`, the items and the given end. */
export async function sendStoredItems(
  reply: FastifyReply,
  { engine, largePages }: ListDeps,
  items: StoredItems,
  end: Buffer,
): Promise<FastifyReply> {
  const bytes = DATA_PREFIX.length + sumBytes(items.list) + end.length;
  const parts = joinParts(largePages.inTurn(readParts(engine.db, items)), end);
  return bytes <= MAX_WHOLE_PAGE_BYTES
    ? sendJson(reply, Buffer.concat(await Array.fromAsync(parts)))
    : streamJson(reply, bytes, parts);
}

/** The pairs of the query string without those of a page, as they may stand in a Link header. */
export const listQueryPairs = (raw: string): string[] =>
  raw
    // Characters that would end the URL within the header are encoded.
    .replace(/[<>"]/g, encodeURIComponent)
    .split('&')
    .filter((pair) => pair !== '' && !/^(?:limit|offset|cursor)(?:=|$)/.test(decodeURIComponent(pair)));

async function* joinParts(parts: AsyncGenerator<Buffer>, end: Buffer): AsyncGenerator<Buffer> {
  let begun = false;
  for await (const part of parts) {
    yield begun ? part : Buffer.concat([DATA_PREFIX, part]);
    begun = true;
  }
  yield begun ? end : Buffer.concat([DATA_PREFIX, end]);
}

/** Whether a page ends because of its length in bytes. */
export const isCut = (limit: number, { n, total, offset }: Pick<Page, 'n' | 'total' | 'offset'>) =>
  n < limit && offset + n < total;

export function buildPagination(
  { limit, offset, n, total }: { limit: number; offset: number; n: number; total: number },
  encodeNext?: () => string,
): Pagination {
  const has_more = offset + n < total;
  return { limit, offset, total, has_more, next_cursor: has_more && encodeNext ? encodeNext() : null };
}

/** RFC 8288, with offsets: any page costs about the same. `n` is the number of items on the page. */
export function buildLinkHeader(
  request: FastifyRequest,
  { limit, offset, total }: Pagination,
  n: number,
): string {
  const [path, raw = ''] = request.url.split(/\?(.*)/s);
  const filters = listQueryPairs(raw);
  const link = (rel: string, start: number) =>
    `<${getBasePath(request)}${path}?${[...filters, `limit=${limit}`, `offset=${start}`].join('&')}>; rel="${rel}"`;
  const links = [link('first', 0)];
  if (offset > 0) links.push(link('prev', Math.max(0, Math.min(offset, total) - limit)));
  if (offset + n < total) links.push(link('next', offset + n));
  links.push(link('last', total === 0 ? 0 : Math.floor((total - 1) / limit) * limit));
  return links.join(', ');
}
