import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Guard } from '../access/guard.ts';
import { readIfMatch, sendWithEtag } from '../http/preconditions.ts';
import { PendingQuestion } from '../schemas/pending.ts';
import {
  AnyQuestion,
  CheckRequest,
  CheckResult,
  Question,
  QuestionChange,
  QuestionList,
  RestoreRequest,
  RevisionList,
  RevisionQuery,
} from '../schemas/question.ts';
import { QuestionQuery } from '../schemas/question-query.ts';
import { findQuestionFaults } from '../schemas/question-rules.ts';
import { Type } from '../schemas/type.ts';
import { isExplained } from '../store/draws/responses.ts';
import { checkAnswer } from '../store/questions/check-answer.ts';
import { listChanges, listDeleted } from '../store/questions/deleted-lists.ts';
import { listQuestions, mayTakeLong } from '../store/questions/listing.ts';
import type { ListArgs } from '../store/questions/pages.ts';
import { deleteQuestion, updateQuestion } from '../store/questions/questions.ts';
import { getQuestion } from '../store/questions/read-questions.ts';
import { listRevisions, restoreQuestion } from '../store/questions/revisions.ts';
import { parseId } from '../store/questions/row.ts';
import { searchQuestions } from '../store/questions/search.ts';
import { addChangeRoutes } from './change-routes.ts';
import { getAnswering, readExplain } from './draw-access.ts';
import { type ListDeps, parseListQuery, sendPage } from './paging.ts';
import { creationRoute } from './question-creation.ts';
import { refuseFaults } from './question-faults.ts';
import { sendRandomList } from './random-list.ts';
import {
  getCaller,
  getCallOptions,
  getChangedBy,
  getReader,
  getView,
  getVisibility,
  getWriteOptions,
  writeIdempotently,
} from './requests.ts';
import { sendChanged } from './stored-questions.ts';

const READ = ['questions:read'] as const;
const WRITE = ['questions:write'] as const;
/** An update is validated together with the stored answers, which its faults can disclose. */
const UPDATE = ['questions:write', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The question's id." }) });
type ById = { Params: { id: string } };

export function questionRoutes(app: FastifyInstance, { guard, ...lists }: ListDeps & { guard: Guard }): void {
  const { engine, maxPageBytes } = lists;
  app.get<{ Querystring: QuestionQuery }>(
    '/questions',
    {
      config: { scopes: READ, views: true },
      schema: {
        summary: 'List questions',
        description:
          'Filtered, sorted and paged. `total` is exact, and any page costs about the same. The pages of `sort=random` have each question once, ' +
          'also if others are created or deleted meanwhile; `total` counts those that existed when the first page was read. Without `answers:read`, questions ' +
          'are shown without answers.',
        querystring: QuestionQuery,
        response: { 200: QuestionList },
      },
    },
    async (request, reply) => {
      if (request.query.sort === 'random') return sendRandomList(request, reply, lists);
      const { args, next } = parseListQuery(request.query, getCaller(request), lists);
      const find = chooseList(args);
      const page = mayTakeLong(args)
        ? await engine.search(find, args, getCallOptions(request))
        : await find(engine.db, args);
      return sendPage(request, reply, { lists, limit: args.limit, next }, page);
    },
  );

  creationRoute(app, lists);

  app.get<ById>(
    '/questions/:id',
    {
      config: { scopes: READ, views: true },
      schema: { summary: 'Get a question', params: IdPath, response: { 200: AnyQuestion } },
    },
    async (request, reply) => {
      const { etag, body } = await getQuestion(engine.db, {
        id: request.params.id,
        ...getReader(request),
      });
      return sendWithEtag(request, reply, etag, body);
    },
  );

  addChangeRoutes<ById & { Body: QuestionChange }>(app, {
    url: '/questions/:id',
    config: { scopes: UPDATE },
    attachValidation: true,
    schema: {
      summary: 'Update a question',
      description:
        'With `If-Match`, only if the question has not changed since. An update without effect creates no revision. A question can be ' +
        'sent back as it was read: read-only fields are accepted with their current values, and refused with others (`read_only`). ' +
        'While review is on, the change of an approved question waits for approval (202); further changes are of the one that waits, and ' +
        '`If-Match` has its ETag.',
      params: IdPath,
      body: QuestionChange,
      response: { 200: Question, 202: PendingQuestion },
    },
    handler: async (request, reply) => {
      await refuseFaults(request, engine.db, [request.body], { many: false, find: findQuestionFaults });
      const update = { ...getTarget(request), change: request.body };
      return sendChanged(
        request,
        reply,
        await engine.write(updateQuestion, update, getWriteOptions(request)),
      );
    },
  });

  app.delete<ById>(
    '/questions/:id',
    {
      config: { scopes: WRITE },
      schema: {
        summary: 'Delete a question',
        description: 'Its revisions are kept, and it can be restored.',
        params: IdPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await engine.write(deleteQuestion, getTarget(request), getWriteOptions(request));
      return reply.code(204).send();
    },
  );

  app.get<ById & { Querystring: { limit?: number; offset?: number } }>(
    '/questions/:id/revisions',
    {
      config: { scopes: [...READ, 'answers:read'] },
      schema: {
        summary: 'List revisions',
        description: 'All revisions of a question, newest first, also of a deleted one.',
        params: IdPath,
        querystring: RevisionQuery,
        response: { 200: RevisionList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0 } = request.query;
      const { id } = request.params;
      const visibility = getVisibility(request);
      const page = await listRevisions(engine.db, { id, visibility, limit, offset, maxBytes: maxPageBytes });
      return sendPage(request, reply, { lists, limit }, page);
    },
  );

  app.post<ById & { Body: RestoreRequest }>(
    '/questions/:id/restore',
    {
      config: { scopes: UPDATE },
      schema: {
        summary: 'Restore a revision',
        description:
          'Creates a new revision with the content of an earlier one. A deleted question is restored. While review is on, the change of an ' +
          'approved question waits for approval (202), and a question that was deleted while it was approved is a draft.',
        params: IdPath,
        body: RestoreRequest,
        response: { 200: Question, 202: PendingQuestion },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const restore = { id, revision: request.body.revision, by: getChangedBy(request) };
      return sendChanged(request, reply, await writeIdempotently(engine, request, restoreQuestion, restore));
    },
  );

  app.post<ById & { Body: CheckRequest }>(
    '/questions/:id/check',
    {
      // The draw decides whether the explanation is shown.
      config: { scopes: ['answers:check'], drawTokens: true, views: true, compression: 'never' },
      schema: {
        summary: 'Check an answer',
        description:
          'The comparison ignores case, white space, Unicode normalisation and the style of quotation marks and dashes. Numbers ' +
          'are compared by value, options by their text. Of several correct answers, all must be chosen and no others; order and ' +
          'repeats are ignored. Counts towards the write limit, and the check limit: 10 per minute for each respondent and ' +
          'question, 60 for each client and question. With a `draw_id`, or a token for a draw, the explanation is shown if the draw says so.',
        repeatable: true,
        params: IdPath,
        body: CheckRequest,
        response: { 200: CheckResult },
      },
    },
    async (request) => {
      const { answer, draw_id } = request.body;
      const id = parseId(request.params.id);
      const explain = await readExplain(engine.db, request, { question: id, draw_id });
      guard.countCheck(request, id, getAnswering(request, request.body.respondent));
      const checked = await checkAnswer(engine.db, { id, answer, visibility: getVisibility(request) });
      const { correct, explanation } = checked;
      return { correct, ...(isExplained(explain, correct) && { explanation }) };
    },
  );
}

const chooseList = ({ deleted, filter }: ListArgs) =>
  deleted === 'only'
    ? listDeleted
    : deleted === 'included'
      ? listChanges
      : filter.q === undefined
        ? listQuestions
        : searchQuestions;

const getTarget = (request: FastifyRequest) => ({
  id: (request.params as { id: string }).id,
  view: getView(request),
  ifMatch: readIfMatch(request),
  by: getChangedBy(request),
});
