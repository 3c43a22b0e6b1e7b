/** Which draws a caller reads, and for whom it answers. */
import type { FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { Db } from '../store/db.ts';
import { type DrawReader, getDraw } from '../store/draws/draws.ts';
import { chooseRespondent } from '../store/draws/responses.ts';
import type { DrawnItem, DrawRow, ShownExplanation } from '../store/draws/row.ts';
import { getCaller } from './requests.ts';

/** The scopes that read responses also read the draws of other clients. */
const READ_ALL = ['responses:write', 'answers:read'] as const;

export function getDrawReader(request: FastifyRequest): DrawReader {
  const { client, scopes, bound } = getCaller(request);
  return { client, readsAll: READ_ALL.every((scope) => scopes.has(scope)), only: bound?.draws };
}

export const getDrawnItems = ({ items }: Pick<DrawRow, 'items'>): DrawnItem[] => JSON.parse(items);

/** Who answers a draw: the respondent of the draw, of the token, or of the request. */
export function getRespondent(request: FastifyRequest, row: DrawRow, given: string | undefined): string {
  return chooseRespondent(row.respondent, getAnswering(request, given));
}

/** Who answers: the respondent of the token, or of the request. */
export function getAnswering(request: FastifyRequest, given: string | undefined): string | undefined {
  const { bound } = getCaller(request);
  if (!bound) return given;
  if (given !== undefined && given !== bound.respondent)
    throw errors.invalidBody([
      { pointer: '/respondent', code: 'conflict', detail: 'must be the respondent of the token' },
    ]);
  return bound.respondent;
}

/**
 * When the explanation of a question is shown: as the draw that it was handed out in says, which the
 * request names. A token for draws admits only their questions.
 */
export async function readExplain(
  db: Db,
  request: FastifyRequest,
  { question, draw_id }: { question: string; draw_id: string | undefined },
): Promise<ShownExplanation | null> {
  const { bound } = getCaller(request);
  if (!bound && draw_id === undefined) return null;
  const reader = getDrawReader(request);
  for (const id of draw_id === undefined ? bound!.draws : [draw_id]) {
    const row = await getDraw(db, id, reader);
    if (getDrawnItems(row).some((item) => item.id === question)) return row.explain;
  }
  if (bound) throw errors.noSuchQuestion(question);
  throw errors.invalidBody([
    { pointer: '/draw_id', code: 'conflict', detail: 'must be a draw that has the question' },
  ]);
}
