/** The status of questions, changes that wait for approval, reviews and comments. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { readIfMatch, sendJson, sendWithEtag } from '../http/preconditions.ts';
import { PendingList, PendingQuestion } from '../schemas/pending.ts';
import { Question, QuestionChange } from '../schemas/question.ts';
import { findQuestionFaults } from '../schemas/question-rules.ts';
import {
  Comment,
  CommentChange,
  CommentInput,
  CommentList,
  CommentQuery,
  PageQuery,
  ReviewInput,
  ReviewList,
  ReviewResult,
  StatusChange,
} from '../schemas/review.ts';
import { findReviewFaults } from '../schemas/review-rules.ts';
import { Type } from '../schemas/type.ts';
import { getPending, listPending, withdrawPending } from '../store/questions/pending.ts';
import { updateQuestion } from '../store/questions/questions.ts';
import { computeEtag, renderQuestion } from '../store/questions/row.ts';
import { createComment, deleteComment, listComments, updateComment } from '../store/review/comments.ts';
import { listReviews, reviewQuestion } from '../store/review/reviews.ts';
import { changeStatus } from '../store/review/transitions.ts';
import { type ListDeps, renderPage } from './paging.ts';
import { refuseFaults } from './question-faults.ts';
import { getCaller, getChangedBy, getVisibility, getWriteOptions, writeIdempotently } from './requests.ts';
import { sendChanged } from './stored-questions.ts';

/** Besides, the caller writes or reviews questions: see `requireEditor`. */
const EDIT = ['questions:read', 'answers:read'] as const;
const WRITE = ['questions:write', 'answers:read'] as const;
const REVIEW = ['questions:review', 'answers:read'] as const;

const QuestionPath = Type.Object({ id: Type.String({ description: "The question's id." }) });
const CommentPath = Type.Object({ id: Type.String({ description: "The comment's id." }) });
type ById = { Params: { id: string } };

const FOR_EDITORS = 'Requires `questions:write` or `questions:review`.';

/** Drafts, changes and what is said about them are for callers that see questions of every status. */
async function requireEditor(request: FastifyRequest): Promise<void> {
  if (getVisibility(request) !== 'all')
    throw errors.insufficientScope(['questions:write'], 'This operation, without questions:review,');
}

export function reviewRoutes(app: FastifyInstance, deps: ListDeps): void {
  statusRoutes(app, deps);
  pendingRoutes(app, deps);
  commentRoutes(app, deps);
}

function statusRoutes(app: FastifyInstance, { engine, maxPageBytes }: ListDeps): void {
  app.post<ById & { Body: StatusChange }>(
    '/questions/:id/status',
    {
      config: { scopes: EDIT },
      preHandler: requireEditor,
      schema: {
        operationId: 'changeStatus',
        summary: 'Change the status',
        description:
          'Submits a draft for review, sends a question back, or retires it. A change to an earlier status requires a reason. Which ' +
          `transitions a caller may make depends on their scopes and on whether review is on. ${FOR_EDITORS}`,
        takes: ['IfMatch'],
        params: QuestionPath,
        body: StatusChange,
        response: { 200: Question },
      },
    },
    async (request, reply) => {
      const { scopes } = getCaller(request);
      const stored = await writeIdempotently(engine, request, changeStatus, {
        ...request.body,
        id: request.params.id,
        ifMatch: readIfMatch(request),
        by: getChangedBy(request),
        powers: {
          writes: scopes.has('questions:write'),
          reviews: scopes.has('questions:review'),
          administers: scopes.has('admin'),
        },
      });
      const etag = computeEtag(stored, 'with_answers');
      return sendJson(reply.header('etag', etag), renderQuestion(stored, 'with_answers'));
    },
  );

  app.post<ById & { Body: ReviewInput }>(
    '/questions/:id/reviews',
    {
      config: { scopes: REVIEW },
      schema: {
        operationId: 'reviewQuestion',
        summary: 'Review a question',
        description:
          'Approves a question in review or its pending change, or sends it back with a comment. A review is of one revision; of another ' +
          'one it is refused (412). The authors of a change cannot review it, unless they have `admin`. The last approval that is required ' +
          'makes the question, or the change, visible to readers. A second review of a revision replaces the first.',
        params: QuestionPath,
        body: ReviewInput,
        response: { 201: ReviewResult },
      },
    },
    async (request, reply) => {
      const faults = findReviewFaults(request.body);
      if (faults.length > 0) throw errors.invalidBody(faults);
      const result = await writeIdempotently(engine, request, reviewQuestion, {
        ...request.body,
        id: request.params.id,
        by: getChangedBy(request),
        mayApproveOwn: getCaller(request).scopes.has('admin'),
      });
      return reply.code(201).send(result);
    },
  );

  app.get<ById & { Querystring: PageQuery }>(
    '/questions/:id/reviews',
    {
      config: { scopes: EDIT },
      preHandler: requireEditor,
      schema: {
        summary: 'List reviews',
        description: `Of all revisions, newest first. ${FOR_EDITORS}`,
        params: QuestionPath,
        querystring: PageQuery,
        response: { 200: ReviewList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0 } = request.query;
      const { id } = request.params;
      const page = await listReviews(engine.db, { id, limit, offset, maxBytes: maxPageBytes });
      return sendJson(reply, renderPage(request, reply, { limit }, page));
    },
  );
}

function pendingRoutes(app: FastifyInstance, { engine, maxPageBytes }: ListDeps): void {
  app.get<{ Querystring: PageQuery }>(
    '/pending',
    {
      config: { scopes: EDIT },
      preHandler: requireEditor,
      schema: {
        summary: 'List pending changes',
        description: `Changes of approved questions that wait for approval, the oldest first. ${FOR_EDITORS}`,
        querystring: PageQuery,
        response: { 200: PendingList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0 } = request.query;
      const page = await listPending(engine.db, { limit, offset, maxBytes: maxPageBytes });
      return sendJson(reply, renderPage(request, reply, { limit }, page));
    },
  );

  app.get<ById>(
    '/questions/:id/pending',
    {
      config: { scopes: EDIT },
      preHandler: requireEditor,
      schema: {
        operationId: 'getPendingChange',
        summary: 'Get a pending change',
        description: `The question as it will be once its change is approved. ${FOR_EDITORS}`,
        params: QuestionPath,
        response: { 200: PendingQuestion },
      },
    },
    async (request, reply) => {
      const stored = await getPending(engine.db, request.params.id);
      const etag = computeEtag(stored, 'with_answers');
      return sendWithEtag(request, reply, etag, renderQuestion(stored, 'with_answers'));
    },
  );

  app.post<ById & { Body: QuestionChange }>(
    '/questions/:id/pending',
    {
      config: { scopes: WRITE },
      attachValidation: true,
      schema: {
        operationId: 'proposeChange',
        summary: 'Propose a change',
        description:
          'Like PUT, but the change of an approved question waits for approval even while review is off (202). A question that is not ' +
          'approved is changed at once (200).',
        takes: ['IfMatch'],
        params: QuestionPath,
        body: QuestionChange,
        response: { 200: Question, 202: PendingQuestion },
      },
    },
    async (request, reply) => {
      await refuseFaults(request, engine.db, [request.body], { many: false, find: findQuestionFaults });
      const stored = await writeIdempotently(engine, request, updateQuestion, {
        id: request.params.id,
        view: 'with_answers',
        change: request.body,
        ifMatch: readIfMatch(request),
        by: getChangedBy(request),
        proposes: true,
      });
      return sendChanged(request, reply, stored);
    },
  );

  app.delete<ById>(
    '/questions/:id/pending',
    {
      config: { scopes: WRITE },
      schema: {
        operationId: 'withdrawPendingChange',
        summary: 'Withdraw a pending change',
        description:
          'The question stays as readers see it. Without a pending change, nothing happens. Reviews of the change do not apply to a later one.',
        params: QuestionPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await engine.write(withdrawPending, { id, ifMatch: readIfMatch(request) }, getWriteOptions(request));
      return reply.code(204).send();
    },
  );
}

function commentRoutes(app: FastifyInstance, { engine, quotas, maxPageBytes }: ListDeps): void {
  const sendComments = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { limit = 20, offset = 0, resolved }: CommentQuery,
  ) => {
    const { id } = request.params as { id: string };
    const page = await listComments(engine.db, { id, resolved, limit, offset, maxBytes: maxPageBytes });
    return sendJson(reply, renderPage(request, reply, { limit }, page));
  };

  app.get<ById & { Querystring: CommentQuery }>(
    '/questions/:id/comments',
    {
      config: { scopes: EDIT },
      preHandler: requireEditor,
      schema: {
        summary: 'List comments',
        description: `On a question, oldest first. ${FOR_EDITORS}`,
        params: QuestionPath,
        querystring: CommentQuery,
        response: { 200: CommentList },
      },
    },
    (request, reply) => sendComments(request, reply, request.query),
  );

  app.post<ById & { Body: CommentInput }>(
    '/questions/:id/comments',
    {
      config: { scopes: EDIT },
      preHandler: requireEditor,
      schema: {
        summary: 'Comment on a question',
        description: `In any status. ${FOR_EDITORS}`,
        params: QuestionPath,
        body: CommentInput,
        response: { 201: Comment },
      },
    },
    async (request, reply) => {
      const created = await writeIdempotently(engine, request, createComment, async () => {
        await quotas.check(request, 0);
        return {
          question_id: request.params.id,
          text: request.body.text,
          author: getCaller(request).client,
          at: Date.now(),
        };
      });
      return reply.code(201).send(created);
    },
  );

  app.patch<ById & { Body: CommentChange }>(
    '/comments/:id',
    {
      config: { scopes: EDIT },
      preHandler: requireEditor,
      schema: {
        summary: 'Change or resolve a comment',
        description: `The text is changed by its author alone. ${FOR_EDITORS}`,
        params: CommentPath,
        body: CommentChange,
        response: { 200: Comment },
      },
    },
    (request) => {
      const { client } = getCaller(request);
      const update = { ...request.body, id: request.params.id, client, at: Date.now() };
      return engine.write(updateComment, update, getWriteOptions(request));
    },
  );

  app.delete<ById>(
    '/comments/:id',
    {
      config: { scopes: EDIT },
      preHandler: requireEditor,
      schema: {
        summary: 'Delete a comment',
        description: `By its author, or with \`admin\`. ${FOR_EDITORS}`,
        params: CommentPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { client, scopes } = getCaller(request);
      const deletion = { id: request.params.id, client, administers: scopes.has('admin') };
      await engine.write(deleteComment, deletion, getWriteOptions(request));
      return reply.code(204).send();
    },
  );
}
