/** Between a list's query string and its page: the `pagination` object, the Link header. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash32 } from '../bits/hash.ts';
import { errors } from '../errors.ts';
import type { Pagination } from '../schemas/common.ts';
import type { QuestionFilter, QuestionQuery } from '../schemas/question.ts';
import type { ListArgs, Page } from '../store/questions/pages.ts';
import { termsFor } from '../store/questions/search.ts';
import type { View } from '../store/view.ts';
import type { Cursors } from './cursors.ts';
import { basePath } from './requests.ts';

/** The cursor of a list for what comes behind a place. */
type NextCursor = (place: ListArgs['start']) => string;

/** What a query asks for, and how the list goes on behind its page. */
export function listArgs(
  query: QuestionQuery,
  view: View,
  cursors: Cursors,
): { args: ListArgs; next: NextCursor } {
  const { sort = 'created_at', limit = 20, offset, cursor, ...filter } = query;
  const bad = (name: string, code: string, detail: string) =>
    errors.invalidQuery([{ pointer: `?${name}`, code, detail }]);
  const byRelevance = sort === 'relevance';
  const order = sort.endsWith('updated_at') ? 'updated' : 'created';
  if (order === 'updated') refuseTimes(view);
  if (byRelevance && filter.q === undefined)
    throw bad('sort', 'needs_q', 'relevance needs q: what to be relevant to');
  const [fault] = filterFaults(filter, view);
  if (fault) throw bad(fault.name, fault.code, fault.detail);
  // A cursor is good for the list it came from.
  const list = hash32(JSON.stringify([view, sort, Object.entries(filter).sort()]));
  const start = startOf({ cursor, offset }, (text) => cursors.read(text, list));
  const descending = sort.startsWith('-');
  return {
    args: { view, filter, order, descending, byRelevance, limit, start },
    next: (place) => cursors.write(place, list),
  };
}

/** Where a page begins: behind so many, or where its cursor says. */
export function startOf<Place>(
  { cursor, offset }: { cursor?: string | undefined; offset?: number | undefined },
  read: (cursor: string) => Place | undefined,
): Place | { offset: number } {
  const bad = (code: string, detail: string) => errors.invalidQuery([{ pointer: '?cursor', code, detail }]);
  if (cursor === undefined) return { offset: offset ?? 0 };
  if (offset !== undefined) throw bad('conflict', 'says where to begin already: leave offset out');
  const place = read(cursor);
  if (place === undefined)
    throw bad('unknown_cursor', 'is no cursor of this list: take next_cursor, and keep filters and sort');
  return place;
}

/** When a question last changed tells that its answer may have. */
function refuseTimes(view: View): void {
  if (view !== 'with_answers')
    throw errors.insufficientScope(['answers:read'], 'To filter or sort by the time of the last change');
}

/** What is wrong with a filter beyond its form. */
export function filterFaults(
  filter: QuestionFilter,
  view: View,
): { name: string; code: string; detail: string }[] {
  if (filter.updated_since !== undefined) refuseTimes(view);
  const faults = [];
  if (filter.q !== undefined && termsFor(filter.q, view).length === 0)
    faults.push({ name: 'q', code: 'no_words', detail: 'has no letters or digits to search for' });
  // A leap second is a valid moment, but none that a computer's clock has.
  if (filter.updated_since !== undefined && Number.isNaN(Date.parse(filter.updated_since))) {
    const detail = 'must be a moment such as 2026-03-01T09:30:00.000Z';
    faults.push({ name: 'updated_since', code: 'invalid_format', detail });
  }
  return faults;
}

const OPENING = Buffer.from('{"data":[');

/** The page as JSON in UTF-8; sets its Link header. */
export function asPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, next }: { limit: number; next?: NextCursor },
  { items, n, total, offset, last }: Page,
): Buffer {
  const place = last === undefined ? { offset: offset + n } : { slot: last };
  const pagination = paginated({ limit, offset, n, total }, next && (() => next(place)));
  reply.header('link', links(request, pagination));
  const data = typeof items === 'string' ? Buffer.from(items) : items;
  return Buffer.concat([OPENING, data, Buffer.from(`],"pagination":${JSON.stringify(pagination)}}`)]);
}

export function paginated(
  { limit, offset, n, total }: { limit: number; offset: number; n: number; total: number },
  next?: () => string,
): Pagination {
  const has_more = offset + n < total;
  return { limit, offset, total, has_more, next_cursor: has_more && next ? next() : null };
}

/** RFC 8288, by offsets: any page costs about the same. */
export function links(request: FastifyRequest, { limit, offset, total }: Pagination): string {
  const [path, raw = ''] = request.url.split(/\?(.*)/s);
  // What would end the address within the header is encoded.
  const kept = raw
    .replace(/[<>"]/g, encodeURIComponent)
    .split('&')
    .filter((pair) => pair !== '' && !/^(?:limit|offset|cursor)(?:=|$)/.test(decodeURIComponent(pair)));
  const link = (rel: string, at: number) =>
    `<${basePath(request)}${path}?${[...kept, `limit=${limit}`, `offset=${at}`].join('&')}>; rel="${rel}"`;
  const all = [link('first', 0)];
  if (offset > 0) all.push(link('prev', Math.max(0, Math.min(offset, total) - limit)));
  if (offset + limit < total) all.push(link('next', offset + limit));
  all.push(link('last', total === 0 ? 0 : Math.floor((total - 1) / limit) * limit));
  return all.join(', ');
}
