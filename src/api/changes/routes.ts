import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readIfMatch, sendJson, sendWithEtag } from '../../http/preconditions.ts';
import { getBasePath } from '../../http/url.ts';
import {
  BulkPreview,
  BulkRequest,
  CategoryMergeRequest,
  Change,
  ChangeList,
  ChangeListQuery,
  MergeRequest,
} from '../../schemas/change.ts';
import { Type } from '../../schemas/type.ts';
import {
  cancelChange,
  createChange,
  getChange,
  listChanges,
  type PresentedChange,
  undoChange,
} from '../../store/changes/changes.ts';
import { mergeCategories, mergeQuestions } from '../../store/changes/merge.ts';
import { previewChange } from '../../store/changes/preview.ts';
import { etagOfBody } from '../../store/questions/row.ts';
import { isCut, type ListDeps, renderPage } from '../paging.ts';
import { getCaller, getCallOptions, getChangedBy, writeIdempotently } from '../requests.ts';
import { parseBulkRequest } from './request.ts';

/** Changes are evaluated with the stored answers, and show what was changed, also of drafts. */
const WRITE = ['questions:write', 'answers:read'] as const;
const MERGE_CATEGORIES = ['categories:write', ...WRITE] as const;
/** Holds 100,000 ids. */
const MAX_REQUEST_BYTES = 10 * 1024 * 1024;

const IdPath = Type.Object({ id: Type.String({ description: "The change's id." }) });
const QuestionPath = Type.Object({ id: Type.String({ description: 'The question to merge into.' }) });
const CategoryPath = Type.Object({ id: Type.String({ description: 'The category to merge into.' }) });
type ById = { Params: { id: string } };

export function changeRoutes(app: FastifyInstance, lists: ListDeps): void {
  const { engine, quotas, maxPageBytes, largePages } = lists;
  app.post<{ Body: BulkRequest }>(
    '/questions/bulk',
    {
      config: { scopes: WRITE, maxObjectBytes: MAX_REQUEST_BYTES },
      bodyLimit: MAX_REQUEST_BYTES,
      attachValidation: true,
      schema: {
        operationId: 'changeQuestions',
        summary: 'Change many questions',
        description:
          'Changes, deletes or corrects all questions that match at the time of the request, in the background: poll `Location`. Each question ' +
          'that changes gets an ordinary revision. Questions for which the change is not valid are refused and counted, the others are changed. ' +
          '`dry_run` responds with 200, counts and a sample, and changes nothing.',
        body: BulkRequest,
        creates: '/changes/:id',
        response: { 202: Change, 200: BulkPreview },
      },
    },
    async (request, reply) => {
      if (request.body?.dry_run === true) {
        const { members, plan } = await parseBulkRequest(request, engine);
        return engine.search(previewChange, { members, step: plan.step }, getCallOptions(request));
      }
      const change = await writeIdempotently(engine, request, createChange, async () => {
        await quotas.check(request, 0);
        return parseBulkRequest(request, engine);
      });
      return sendAccepted(request, reply, change);
    },
  );

  app.post<ById & { Body: MergeRequest }>(
    '/questions/:id/merge',
    {
      config: { scopes: WRITE },
      schema: {
        operationId: 'mergeQuestions',
        summary: 'Merge questions',
        description:
          'Merges questions of the same kind into this one, which keeps its id, takes their tags and, where it has none, the explanation, topic ' +
          'and source of the first that has one. The others are deleted at once, and requests for them are answered with 410 and the `Location` ' +
          'of this one. Their responses are moved in the background: a respondent who answered this question in the same session keeps that ' +
          'response, otherwise the latest; an answer that this key scores differently is kept as right or wrong.',
        params: QuestionPath,
        body: MergeRequest,
        creates: '/changes/:id',
        takes: ['IfMatch'],
        response: { 202: Change },
      },
    },
    async (request, reply) => {
      const merge = {
        id: request.params.id,
        question_ids: request.body.question_ids,
        ifMatch: readIfMatch(request),
        by: getChangedBy(request),
      };
      return sendAccepted(request, reply, await writeIdempotently(engine, request, mergeQuestions, merge));
    },
  );

  app.post<ById & { Body: CategoryMergeRequest }>(
    '/categories/:id/merge',
    {
      config: { scopes: MERGE_CATEGORIES },
      schema: {
        operationId: 'mergeCategories',
        summary: 'Merge categories',
        description:
          'Moves all questions of the categories into this one, in the background, and then deletes them. The six built-in categories can ' +
          'be merged into, but not be merged away.',
        params: CategoryPath,
        body: CategoryMergeRequest,
        creates: '/changes/:id',
        response: { 202: Change },
      },
    },
    async (request, reply) => {
      const merge = {
        id: request.params.id,
        category_ids: request.body.category_ids,
        by: getChangedBy(request),
      };
      return sendAccepted(request, reply, await writeIdempotently(engine, request, mergeCategories, merge));
    },
  );

  app.get<{ Querystring: ChangeListQuery }>(
    '/changes',
    {
      config: { scopes: WRITE },
      schema: {
        summary: 'List bulk changes',
        description: 'Newest first: by whom, what, and with which counts.',
        querystring: ChangeListQuery,
        response: { 200: ChangeList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0, status } = request.query;
      return largePages.send(reply, maxPageBytes, async (maxBytes) => {
        const page = await listChanges(engine.db, { status, limit, offset, maxBytes });
        return {
          cut: isCut(limit, page),
          send: () => sendJson(reply, renderPage(request, reply, { limit }, page)),
        };
      });
    },
  );

  app.get<ById>(
    '/changes/:id',
    {
      config: { scopes: WRITE },
      schema: { summary: 'Get a bulk change', params: IdPath, response: { 200: Change } },
    },
    async (request, reply) => {
      const body = JSON.stringify(await getChange(engine.db, request.params.id));
      return sendWithEtag(request, reply, etagOfBody(body), body);
    },
  );

  app.post<ById>(
    '/changes/:id/cancel',
    {
      config: { scopes: WRITE },
      schema: {
        summary: 'Cancel a bulk change',
        description:
          'It ends after the questions in progress. What was changed stays, and can be undone. A change that has ended stays as it is.',
        params: IdPath,
        response: { 200: Change },
      },
    },
    async (request, reply) => {
      const cancelled = await writeIdempotently(engine, request, cancelChange, { id: request.params.id });
      return sendChange(reply, cancelled);
    },
  );

  app.post<ById>(
    '/changes/:id/undo',
    {
      config: { scopes: WRITE },
      schema: {
        summary: 'Undo a bulk change',
        description:
          'Creates a change that reverts all revisions of another one by new revisions. Questions that have changed since are left as they are ' +
          'and counted as `changed_since`. Deleted and merged questions are restored, and their responses are moved back. An undo can be undone. ' +
          'Undoing a merge of categories requires `categories:write`.',
        params: IdPath,
        creates: '/changes/:id',
        response: { 202: Change },
      },
    },
    async (request, reply) => {
      const mayWriteCategories = getCaller(request).scopes.has('categories:write');
      const undo = { id: request.params.id, by: getChangedBy(request), mayWriteCategories };
      return sendAccepted(request, reply, await writeIdempotently(engine, request, undoChange, undo));
    },
  );
}

function sendChange(reply: FastifyReply, change: PresentedChange): FastifyReply {
  const body = JSON.stringify(change);
  return sendJson(reply.header('etag', etagOfBody(body)), body);
}

const sendAccepted = (request: FastifyRequest, reply: FastifyReply, change: PresentedChange) =>
  sendChange(
    reply.code(202).headers({ location: `${getBasePath(request)}/changes/${change.id}`, 'retry-after': '1' }),
    change,
  );
