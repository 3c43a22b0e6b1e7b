import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { Ticker } from '../concurrency/ticker.ts';
import { checkDuplicates } from '../duplicate-check/check.ts';
import { errors, type Fault } from '../errors.ts';
import { readIfMatch, sendJson, sendWithEtag } from '../http/preconditions.ts';
import { readSchemaFaults } from '../http/request-checks.ts';
import { getBasePath } from '../http/url.ts';
import type { DuplicateCheck } from '../schemas/duplicate-check.ts';
import { toNameKey } from '../schemas/names.ts';
import {
  AnyQuestion,
  CheckRequest,
  CheckResult,
  Question,
  QuestionChange,
  type QuestionInput,
  QuestionList,
  QuestionsInput,
  RestoreRequest,
  RevisionList,
  RevisionQuery,
} from '../schemas/question.ts';
import {
  CheckedQuestion,
  CreateQuery,
  QuestionsCreated,
  QuestionsValid,
} from '../schemas/question-creation.ts';
import { QuestionQuery } from '../schemas/question-query.ts';
import { findCompleteFaults, findQuestionFaults } from '../schemas/question-rules.ts';
import { findAssignedFaults } from '../schemas/read-only-rules.ts';
import type { Engine } from '../store/db.ts';
import { MAX_WHOLE_PAGE_BYTES } from '../store/page-bytes.ts';
import { categoriesByKey, unknownCategory } from '../store/questions/categories.ts';
import { validateQuestions } from '../store/questions/checks.ts';
import { listChanges, listDeleted } from '../store/questions/deleted-lists.ts';
import { listQuestions, mayTakeLong } from '../store/questions/listing.ts';
import type { ListArgs } from '../store/questions/pages.ts';
import {
  createQuestions,
  deleteQuestion,
  getQuestion,
  updateQuestion,
} from '../store/questions/questions.ts';
import { listRevisions, restoreQuestion } from '../store/questions/revisions.ts';
import { computeEtag, renderHead, renderQuestion, type StoredQuestion } from '../store/questions/row.ts';
import { checkAnswer } from '../store/questions/scoring.ts';
import { searchQuestions } from '../store/questions/search.ts';
import { measureMembers, toStoredItem } from '../store/questions/stored-items.ts';
import type { View } from '../store/view.ts';
import { addChangeRoutes } from './change-routes.ts';
import { type ListDeps, parseListQuery, sendPage, sendStoredItems } from './paging.ts';
import {
  getCaller,
  getCallOptions,
  getChangedBy,
  getView,
  getWriteOptions,
  writeIdempotently,
} from './requests.ts';

const MAX_ARRAY_BYTES = 10 * 1024 * 1024;
const READ = ['questions:read'] as const;
const WRITE = ['questions:write'] as const;
/** An update is validated together with the stored answers, which its faults can disclose. */
const UPDATE = ['questions:write', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The question's id." }) });
type ById = { Params: { id: string } };

export function questionRoutes(app: FastifyInstance, lists: ListDeps): void {
  const { engine, maxPageBytes, quotas } = lists;
  app.get<{ Querystring: QuestionQuery }>(
    '/questions',
    {
      config: { scopes: READ, views: true },
      schema: {
        summary: 'List questions',
        description:
          'Filtered, sorted and paged. `total` is exact, and any page costs about the same. Without `answers:read`, questions ' +
          'are shown without answers.',
        querystring: QuestionQuery,
        response: { 200: QuestionList },
      },
    },
    async (request, reply) => {
      const { args, next } = parseListQuery(request.query, getCaller(request), lists);
      const find = chooseList(args);
      const page = mayTakeLong(args)
        ? await engine.search(find, args, getCallOptions(request))
        : await find(engine.db, args);
      return sendPage(request, reply, { lists, limit: args.limit, next }, page);
    },
  );

  app.post<{ Querystring: CreateQuery }>(
    '/questions',
    {
      config: { scopes: WRITE, views: true },
      bodyLimit: MAX_ARRAY_BYTES,
      attachValidation: true,
      schema: {
        summary: 'Create questions',
        description:
          'Creates one question or an array of questions. An array is stored completely or not at all. With `validate_only`, nothing is ' +
          'stored: the response has the questions as they would be stored, or the faults. With either of the two parameters, it also has ' +
          'questions of the bank that are nearly identical.',
        querystring: CreateQuery,
        body: QuestionsInput,
        response: {
          201: Type.Union([AnyQuestion, CheckedQuestion, QuestionsCreated]),
          200: QuestionsValid,
        },
      },
    },
    async (request, reply) => {
      const creation = await parseCreation(request, engine);
      const { validate_only = false, check_duplicates = validate_only } = request.query;
      if (validate_only) {
        const data = await validateQuestions(engine.db, creation);
        const duplicates = check_duplicates && (await findDuplicates(request, engine, creation.inputs));
        return { valid: true, data, ...(duplicates && { duplicates }) };
      }
      // A repetition under the same key stores nothing.
      const stored = await writeIdempotently(engine, request, createQuestions, async () => {
        await quotas.check(request, creation.inputs.length);
        return { ...creation, by: getChangedBy(request) };
      });
      // Searched for after the commit: of two concurrent creates, at least one finds the other.
      const ids = stored.map(({ id }) => id);
      const duplicates = check_duplicates
        ? await findDuplicates(request, engine, creation.inputs, ids)
        : undefined;
      const view = getView(request);
      reply.code(201);
      if (creation.many) return sendCreated(reply, lists, stored, view, duplicates);
      reply.header('location', `${getBasePath(request)}/questions/${stored[0]!.id}`);
      return sendStored(request, reply, stored[0]!, duplicates?.[0]);
    },
  );

  app.get<ById>(
    '/questions/:id',
    {
      config: { scopes: READ, views: true },
      schema: { summary: 'Get a question', params: IdPath, response: { 200: AnyQuestion } },
    },
    async (request, reply) => {
      const { etag, body } = await getQuestion(engine.db, { id: request.params.id, view: getView(request) });
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
        'sent back as it was read: read-only fields are accepted with their current values, and refused with others (`read_only`).',
      params: IdPath,
      body: QuestionChange,
      response: { 200: Question },
    },
    handler: async (request, reply) => {
      await refuseFaults(request, engine, [request.body], false, findQuestionFaults);
      const update = { ...getTarget(request), change: request.body };
      return sendStored(request, reply, await engine.write(updateQuestion, update, getWriteOptions(request)));
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
      const page = await listRevisions(engine.db, { id, limit, offset, maxBytes: maxPageBytes });
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
          'Creates a new revision with the content of an earlier one. A deleted question is restored.',
        params: IdPath,
        body: RestoreRequest,
        response: { 200: Question },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const restore = { id, revision: request.body.revision, by: getChangedBy(request) };
      return sendStored(request, reply, await writeIdempotently(engine, request, restoreQuestion, restore));
    },
  );

  app.post<ById & { Body: CheckRequest }>(
    '/questions/:id/check',
    {
      config: { scopes: ['answers:check'] },
      schema: {
        summary: 'Check an answer',
        description:
          'The comparison ignores case, white space, Unicode normalisation and the style of quotation marks and dashes. Numbers ' +
          'are compared by value, options by their text. Of several correct answers, all must be chosen and no others; order and ' +
          'repeats are ignored. Counts towards the write limit.',
        repeatable: true,
        params: IdPath,
        body: CheckRequest,
        response: { 200: CheckResult },
      },
    },
    (request) => checkAnswer(engine.db, { id: request.params.id, answer: request.body.answer }),
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

function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredQuestion,
  duplicates?: DuplicateCheck,
): FastifyReply {
  const view = getView(request);
  const body = renderQuestion(stored, view);
  const checked = duplicates && `${body.slice(0, -1)}${renderDuplicates(duplicates)}}`;
  return sendJson(reply.header('etag', computeEtag(stored, view)), checked ?? body);
}

/** A JSON member that follows others; empty if there was no check. */
const renderDuplicates = (duplicates: DuplicateCheck | DuplicateCheck[] | undefined) =>
  duplicates ? `,"duplicates":${JSON.stringify(duplicates)}` : '';

/** Checks questions, which have these ids if they are stored. */
function findDuplicates(
  request: FastifyRequest,
  engine: Engine,
  inputs: QuestionInput[],
  ids?: string[],
): Promise<DuplicateCheck[]> {
  return checkDuplicates(engine, inputs, {
    ids,
    view: getView(request),
    showsTexts: getCaller(request).scopes.has('questions:read'),
    call: getCallOptions(request),
    onFailure: (error) => request.log.warn({ err: error }, 'the check for duplicates ended early'),
  });
}

/**
 * Sends the created questions. Many large ones are read again while they are sent, so that they do
 * not stay in memory for as long as the client takes to read them.
 */
function sendCreated(
  reply: FastifyReply,
  lists: ListDeps,
  stored: StoredQuestion[],
  view: View,
  duplicates: DuplicateCheck[] | undefined,
) {
  const end = `]${renderDuplicates(duplicates)}}`;
  const chars = stored.reduce((sum, row) => sum + row.public_json.length + row.answer_json.length, 0);
  if (chars <= MAX_WHOLE_PAGE_BYTES)
    return sendJson(reply, `{"data":[${stored.map((row) => renderQuestion(row, view)).join(',')}${end}`);
  const list = stored.map((row) => {
    const { id, revision, public_json, answer_json } = row;
    const members = view === 'with_answers' ? `${public_json},${answer_json}` : public_json;
    return toStoredItem({ before: renderHead(row), id, revision, after: '}' }, measureMembers(members));
  });
  return sendStoredItems(reply, lists, { view, list }, Buffer.from(end));
}

async function parseCreation(request: FastifyRequest, engine: Engine) {
  const many = Array.isArray(request.body);
  const inputs = (many ? request.body : [request.body]) as QuestionInput[];
  await refuseFaults(request, engine, inputs, many, findNewFaults);
  return { inputs, many };
}

const findNewFaults = (question: unknown, pointer: string) => [
  ...findCompleteFaults(question, pointer),
  ...findAssignedFaults(question, pointer),
];

/** Reports the faults found by the schema together with those found by the rules and the bank. */
async function refuseFaults(
  request: FastifyRequest,
  engine: Engine,
  items: unknown[],
  many: boolean,
  find: typeof findQuestionFaults,
): Promise<void> {
  const getPointer = (i: number) => (many ? `/${i}` : '');
  const faults: Fault[] = readSchemaFaults(request);
  const ticker = new Ticker();
  for (const [i, item] of items.entries()) {
    faults.push(...find(item, getPointer(i)));
    if (ticker.due()) await ticker.yield();
  }
  if (faults.length === 0) return;
  const categories = await categoriesByKey(engine.db);
  for (const [i, item] of items.entries()) {
    const category = (item as { category?: unknown } | null)?.category;
    const known = typeof category !== 'string' || category === '' || categories.has(toNameKey(category));
    if (!known) faults.push(unknownCategory(`${getPointer(i)}/category`, categories));
  }
  throw errors.invalidBody(faults);
}
