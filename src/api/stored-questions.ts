/** Sends questions as they are stored, in the view of the caller. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../http/preconditions.ts';
import { MAX_WHOLE_PAGE_BYTES } from '../store/page-bytes.ts';
import { computeEtag, renderHead, renderQuestion, type StoredQuestion } from '../store/questions/row.ts';
import { measureMembers, toStoredItem } from '../store/questions/stored-items.ts';
import { type ListDeps, sendStoredItems } from './paging.ts';
import { getView } from './requests.ts';

/** JSON members that follow others. Undefined values are left out. */
const renderMore = (more: object) => {
  const members = JSON.stringify(more).slice(1, -1);
  return members && `,${members}`;
};

/** Sends a question with its ETag, followed by more members. */
export function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredQuestion,
  more: object = {},
): FastifyReply {
  const view = getView(request);
  const body = `${renderQuestion(stored, view).slice(0, -1)}${renderMore(more)}}`;
  return sendJson(reply.header('etag', computeEtag(stored, view)), body);
}

/** Sends a changed question, with 202 if the change waits for approval. */
export function sendChanged(
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredQuestion,
): FastifyReply {
  return sendStored(request, stored.pending ? reply.code(202) : reply, stored);
}

/**
 * Sends an array of questions as `data`, followed by more members. Many large questions are read
 * again while they are sent, so that they do not stay in memory for as long as the client takes to
 * read them.
 */
export function sendManyStored(
  request: FastifyRequest,
  reply: FastifyReply,
  lists: ListDeps,
  stored: StoredQuestion[],
  more: object,
) {
  const view = getView(request);
  const end = `]${renderMore(more)}}`;
  const chars = stored.reduce((sum, row) => sum + row.public_json.length + row.answer_json.length, 0);
  // A change that waits is no revision yet, which could be read again.
  if (chars <= MAX_WHOLE_PAGE_BYTES || stored.some(({ pending }) => pending))
    return sendJson(reply, `{"data":[${stored.map((row) => renderQuestion(row, view)).join(',')}${end}`);
  const list = stored.map((row) => {
    const { id, revision, public_json, answer_json } = row;
    const members = view === 'with_answers' ? `${public_json},${answer_json}` : public_json;
    return toStoredItem({ before: renderHead(row, view), id, revision, after: '}' }, measureMembers(members));
  });
  return sendStoredItems(reply, lists, { view, list }, Buffer.from(end));
}
