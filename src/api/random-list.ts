/** Lists of questions in a random order: the seed, the cursor and the Link header. */
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getBasePath } from '../http/url.ts';
import type { QuestionQuery } from '../schemas/question-query.ts';
import { findSortFaults } from '../schemas/question-rules.ts';
import { mayTakeLong } from '../store/questions/listing.ts';
import { listRandom, type RandomListArgs } from '../store/questions/random-list.ts';
import {
  type ListDeps,
  listQueryPairs,
  parseListQuery,
  parsePageStart,
  refuseQuery,
  sendStoredItems,
} from './paging.ts';
import { getCaller, getCallOptions } from './requests.ts';

const SEED_BYTES = 12;

/** A seed for a caller that gives none. */
export const drawSeed = () => randomBytes(SEED_BYTES).toString('base64url');

export async function sendRandomList(
  request: FastifyRequest<{ Querystring: QuestionQuery }>,
  reply: FastifyReply,
  lists: ListDeps,
): Promise<FastifyReply> {
  const { engine, cursors } = lists;
  const { cursor, offset, ...query } = request.query;
  refuseQuery(findSortFaults(request.query));
  const seed = query.seed ?? drawSeed();
  const { args, list } = parseListQuery({ ...query, seed }, getCaller(request), lists);
  const start = parsePageStart({ cursor, offset }, (text) => cursors.decodeRandom(text, list));
  const random: RandomListArgs = { ...args, seed, start: 'position' in start ? start : undefined };
  const page = mayTakeLong(args)
    ? await engine.search(listRandom, random, getCallOptions(request))
    : await listRandom(engine.db, random);
  const next_cursor = page.next ? cursors.encodeRandom(page.next, list) : null;
  const { limit } = args;
  const pagination = { limit, offset: page.offset, total: page.total, has_more: !!page.next, next_cursor };
  reply.header('link', buildLinkHeader(request, { seed, limit, next_cursor }));
  const end = Buffer.from(`],"pagination":${JSON.stringify(pagination)},"seed":${JSON.stringify(seed)}}`);
  return sendStoredItems(reply, lists, page.items, end);
}

/** RFC 8288. There are no offsets in a random order: the next page has a cursor. */
function buildLinkHeader(
  request: FastifyRequest,
  { seed, limit, next_cursor }: { seed: string; limit: number; next_cursor: string | null },
): string {
  const [path, raw = ''] = request.url.split(/\?(.*)/s);
  const filters = listQueryPairs(raw).filter((pair) => !/^seed(?:=|$)/.test(decodeURIComponent(pair)));
  const link = (rel: string, more: string[]) =>
    `<${getBasePath(request)}${path}?${[...filters, `seed=${encodeURIComponent(seed)}`, `limit=${limit}`, ...more].join('&')}>; rel="${rel}"`;
  const links = [link('first', [])];
  if (next_cursor !== null) links.push(link('next', [`cursor=${next_cursor}`]));
  return links.join(', ');
}
