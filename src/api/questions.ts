import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { errors, type Fault } from '../errors.ts';
import { ifMatch, sendJson, sendTagged } from '../http/preconditions.ts';
import { schemaFaults } from '../http/request-checks.ts';
import {
  AnyQuestion,
  Check,
  Checked,
  CreateQuery,
  Question,
  QuestionChange,
  type QuestionInput,
  QuestionList,
  QuestionQuery,
  QuestionsCreated,
  QuestionsInput,
  QuestionsValid,
  Restore,
  RevisionList,
  RevisionQuery,
} from '../schemas/question.ts';
import type { Engine } from '../store/db.ts';
import { categoriesByKey } from '../store/questions/categories.ts';
import { unknownCategory, validateQuestions } from '../store/questions/checks.ts';
import { nameKey } from '../store/questions/facets.ts';
import { listQuestions, mayTakeLong } from '../store/questions/listing.ts';
import {
  createQuestions,
  deleteQuestion,
  getQuestion,
  updateQuestion,
} from '../store/questions/questions.ts';
import { listRevisions, restoreQuestion } from '../store/questions/revisions.ts';
import { bodyOf, etagOf, type Stored } from '../store/questions/row.ts';
import { checkAnswer } from '../store/questions/scoring.ts';
import { searchQuestions } from '../store/questions/search.ts';
import { answerFaults } from '../store/rules.ts';
import type { Cursors } from './cursors.ts';
import { asPage, listArgs } from './paging.ts';
import { basePath, viewOf, writeOnce } from './requests.ts';

const LARGEST_ARRAY = 10 * 1024 * 1024;
const READ = ['questions:read'] as const;
const WRITE = ['questions:write'] as const;
/** A change is compared with the answers that are there, and a refusal tells of them. */
const CHANGE = ['questions:write', 'answers:read'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The question's id." }) });
type ById = { Params: { id: string } };

export function questionRoutes(app: FastifyInstance, engine: Engine, cursors: Cursors): void {
  app.get<{ Querystring: QuestionQuery }>(
    '/questions',
    {
      config: { scopes: READ, views: true },
      schema: {
        summary: 'List questions',
        description:
          'Filtered, sorted and paged; `total` is exact, and any page costs about the same. Without `answers:read`, questions ' +
          'come without what tells the answer.',
        querystring: QuestionQuery,
        response: { 200: QuestionList },
      },
    },
    async (request, reply) => {
      const { args, next } = listArgs(request.query, viewOf(request), cursors);
      const find = args.filter.q === undefined ? listQuestions : searchQuestions;
      const page = mayTakeLong(args) ? await engine.search(find, args) : await find(engine.db, args);
      return sendJson(reply, asPage(request, reply, { limit: args.limit, next }, page));
    },
  );

  app.post<{ Querystring: { validate_only?: boolean } }>(
    '/questions',
    {
      config: { scopes: WRITE, views: true },
      bodyLimit: LARGEST_ARRAY,
      attachValidation: true,
      schema: {
        summary: 'Add one question or many',
        description:
          'One object is answered with the question, an array with `data` in the order given; an array is stored all or none.',
        querystring: CreateQuery,
        body: QuestionsInput,
        response: { 201: Type.Union([AnyQuestion, QuestionsCreated]), 200: QuestionsValid },
      },
    },
    async (request, reply) => {
      const creation = await accept(request, engine);
      if (request.query.validate_only) {
        return { valid: true, data: await validateQuestions(engine.db, creation) };
      }
      const stored = await writeOnce(engine, request, createQuestions, creation);
      const view = viewOf(request);
      reply.code(201);
      if (creation.many) {
        return sendJson(reply, `{"data":[${stored.map((each) => bodyOf(each, view)).join(',')}]}`);
      }
      reply.header('location', `${basePath(request)}/questions/${stored[0]!.id}`);
      return sendStored(request, reply, stored[0]!);
    },
  );

  app.get<ById>(
    '/questions/:id',
    {
      config: { scopes: READ, views: true },
      schema: { summary: 'Fetch a question', params: IdPath, response: { 200: AnyQuestion } },
    },
    async (request, reply) => {
      const { etag, body } = await getQuestion(engine.db, { id: request.params.id, view: viewOf(request) });
      return sendTagged(request, reply, etag, body);
    },
  );

  app.put<ById & { Body: QuestionChange }>(
    '/questions/:id',
    {
      config: { scopes: CHANGE },
      attachValidation: true,
      schema: {
        summary: 'Change a question',
        description:
          'With `If-Match`, only if it is still the one you saw. A change that changes nothing makes no revision.',
        params: IdPath,
        body: QuestionChange,
        response: { 200: Question },
      },
    },
    async (request, reply) => {
      await refuseFaults(request, engine, [request.body], false);
      const update = { ...target(request), change: request.body };
      return sendStored(request, reply, await engine.write(updateQuestion, update));
    },
  );

  app.delete<ById>(
    '/questions/:id',
    {
      config: { scopes: WRITE },
      schema: {
        summary: 'Delete a question',
        description: 'Its history stays, and it can be restored.',
        params: IdPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await engine.write(deleteQuestion, target(request));
      return reply.code(204).send();
    },
  );

  app.get<ById & { Querystring: { limit?: number; offset?: number } }>(
    '/questions/:id/revisions',
    {
      config: { scopes: [...READ, 'answers:read'] },
      schema: {
        summary: "A question's history",
        description: 'Every revision, newest first; a deleted question still has its history.',
        params: IdPath,
        querystring: RevisionQuery,
        response: { 200: RevisionList },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0 } = request.query;
      const page = await listRevisions(engine.db, { id: request.params.id, limit, offset });
      return sendJson(reply, asPage(request, reply, { limit }, { ...page, offset, last: undefined }));
    },
  );

  app.post<ById & { Body: Restore }>(
    '/questions/:id/restore',
    {
      config: { scopes: CHANGE },
      schema: {
        summary: 'Restore a revision',
        description:
          'Makes a new revision with the content of an earlier one; a deleted question comes back.',
        params: IdPath,
        body: Restore,
        response: { 200: Question },
      },
    },
    async (request, reply) => {
      const restore = { id: request.params.id, revision: request.body.revision };
      return sendStored(request, reply, await writeOnce(engine, request, restoreQuestion, restore));
    },
  );

  app.post<ById & { Body: Check }>(
    '/questions/:id/check',
    {
      config: { scopes: ['answers:check'] },
      schema: {
        summary: 'Check an answer',
        description:
          'Compared as a person would: case, space, the Unicode form and the kind of quotation marks or dashes make no ' +
          'difference, numbers count by their value, and an option is named by its text. Counted as a write.',
        repeatable: true,
        params: IdPath,
        body: Check,
        response: { 200: Checked },
      },
    },
    (request) => checkAnswer(engine.db, { id: request.params.id, answer: request.body.answer }),
  );
}

/** Which question a change is about, and what the caller knows of it. */
const target = (request: FastifyRequest) => ({
  id: (request.params as { id: string }).id,
  view: viewOf(request),
  ifMatch: ifMatch(request),
});

/** A question after a write, in the caller's view. */
function sendStored(request: FastifyRequest, reply: FastifyReply, stored: Stored): FastifyReply {
  const view = viewOf(request);
  return sendJson(reply.header('etag', etagOf(stored, view)), bodyOf(stored, view));
}

/** The questions of a create, or every fault they have. */
async function accept(request: FastifyRequest, engine: Engine) {
  const many = Array.isArray(request.body);
  const inputs = (many ? request.body : [request.body]) as QuestionInput[];
  await refuseFaults(request, engine, inputs, many);
  return { inputs, many };
}

/** What the schema found is told together with what only rules and the bank can know. */
async function refuseFaults(
  request: FastifyRequest,
  engine: Engine,
  items: unknown[],
  many: boolean,
): Promise<void> {
  const at = (i: number) => (many ? `/${i}` : '');
  const faults: Fault[] = [
    ...schemaFaults(request),
    ...items.flatMap((item, i) => answerFaults(item, at(i))),
  ];
  if (faults.length === 0) return;
  const categories = await categoriesByKey(engine.db);
  for (const [i, item] of items.entries()) {
    const category = (item as { category?: unknown } | null)?.category;
    const known = typeof category !== 'string' || category === '' || categories.has(nameKey(category));
    if (!known) faults.push(unknownCategory(`${at(i)}/category`, categories));
  }
  throw errors.invalidBody(faults);
}
