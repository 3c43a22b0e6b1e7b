/** `POST /questions`: creates questions, or updates those with the same `external_id`. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { readQuery } from '../http/request-checks.ts';
import { getBasePath } from '../http/url.ts';
import type { DuplicateCheck } from '../schemas/duplicate-check.ts';
import { AnyQuestion, type QuestionInput, QuestionsInput } from '../schemas/question.ts';
import {
  CheckedQuestion,
  CreateQuery,
  QuestionsCreated,
  QuestionsValid,
} from '../schemas/question-creation.ts';
import { findCompleteFaults, findQuestionFaults } from '../schemas/question-rules.ts';
import { findAssignedFaults } from '../schemas/read-only-rules.ts';
import { Type } from '../schemas/type.ts';
import type { Engine } from '../store/db.ts';
import { type Creation, countNew, validateQuestions } from '../store/questions/creation.ts';
import type { CreationResult } from '../store/questions/creation-replay.ts';
import { createQuestions } from '../store/questions/questions.ts';
import type { ListDeps } from './paging.ts';
import { refuseFaults, separateBad } from './question-faults.ts';
import { getCaller, getCallOptions, getChangedBy, getView, writeIdempotently } from './requests.ts';
import { sendManyStored, sendStored } from './stored-questions.ts';

const MAX_ARRAY_BYTES = 10 * 1024 * 1024;

export function creationRoute(app: FastifyInstance, lists: ListDeps): void {
  const { engine, quotas } = lists;
  app.post(
    '/questions',
    {
      config: { scopes: ['questions:write'], views: true },
      bodyLimit: MAX_ARRAY_BYTES,
      attachValidation: true,
      schema: {
        summary: 'Create questions',
        description:
          'Creates one question or an array of questions. An array is stored completely or not at all; with `mode=skip_bad`, without the ' +
          'questions that are refused. With `on_match=update`, a question with the `external_id` of a stored one updates it, so that a ' +
          'file can be imported again. Responds with 201 if a question was created, otherwise with 200. With `validate_only`, nothing is ' +
          'stored: the response has the questions as they would be stored, or the faults. With `validate_only` or `check_duplicates`, it ' +
          'also has questions of the bank that are nearly identical.',
        querystring: CreateQuery,
        body: QuestionsInput,
        response: {
          201: Type.Union([AnyQuestion, CheckedQuestion, QuestionsCreated]),
          200: Type.Union([QuestionsValid, CheckedQuestion, QuestionsCreated]),
        },
      },
    },
    async (request, reply) => {
      const query = readQuery(request, CreateQuery);
      const creation = await parseCreation(request, query, engine);
      const { validate_only = false, check_duplicates = validate_only } = query;
      if (validate_only) {
        const { data, inputs, ...result } = await validateQuestions(engine.db, creation);
        const duplicates = check_duplicates ? await findDuplicates(request, engine, inputs) : undefined;
        const valid = result.refused.length === 0;
        return { valid, data, ...selectMembers(creation, result), duplicates };
      }
      // A repetition under the same key stores nothing.
      const result = await writeIdempotently(engine, request, createQuestions, async () => {
        await quotas.check(request, await countNew(engine.db, creation));
        return { ...creation, by: getChangedBy(request) };
      });
      const { stored, outcomes } = result;
      // Searched for after the commit: of two concurrent creates, at least one finds the other.
      const duplicates = check_duplicates
        ? await findDuplicates(request, engine, listStoredInputs(creation, result), stored)
        : undefined;
      const isNew = outcomes.includes('created');
      reply.code(isNew ? 201 : 200);
      const members = selectMembers(creation, result);
      if (creation.many) return sendManyStored(request, reply, lists, stored, { ...members, duplicates });
      if (isNew) reply.header('location', `${getBasePath(request)}/questions/${stored[0]!.id}`);
      const outcome = members.outcomes?.[0];
      return sendStored(request, reply, stored[0]!, { outcome, duplicates: duplicates?.[0] });
    },
  );
}

const findNewFaults = (question: unknown, pointer: string) => [
  ...findCompleteFaults(question, pointer),
  ...findAssignedFaults(question, pointer),
];

async function parseCreation(
  request: FastifyRequest,
  { mode, on_match }: CreateQuery,
  { db }: Engine,
): Promise<Creation> {
  const many = Array.isArray(request.body);
  const items = (many ? request.body : [request.body]) as QuestionInput[];
  const updateMatches = on_match === 'update';
  const mayApprove = getCaller(request).scopes.has('admin');
  // The faults of an update can disclose answers.
  if (updateMatches && getView(request) === 'without_answers')
    throw errors.insufficientScope(['answers:read'], 'on_match=update');
  // An update keeps the fields that are left out, and may repeat read-only ones.
  const find = updateMatches ? findQuestionFaults : findNewFaults;
  if (many && mode === 'skip_bad')
    return {
      ...(await separateBad(request, db, items, find)),
      many,
      updateMatches,
      mayApprove,
      skipBad: true,
    };
  await refuseFaults(request, db, items, { many, find });
  return { inputs: items, many, updateMatches, mayApprove };
}

/** The members of a response that depend on the mode. */
const selectMembers = (
  { skipBad, updateMatches }: Creation,
  { outcomes, refused }: Pick<CreationResult, 'outcomes' | 'refused'>,
) => ({
  outcomes: updateMatches ? outcomes : undefined,
  refused: skipBad ? refused : undefined,
});

function listStoredInputs({ inputs, indices }: Creation, { refused }: CreationResult): QuestionInput[] {
  const skipped = new Set(refused.map(({ index }) => index));
  return inputs.filter((_, i) => !skipped.has(indices?.[i] ?? i));
}

/** Checks questions, which have the ids of `stored` if they are. */
async function findDuplicates(
  request: FastifyRequest,
  engine: Engine,
  inputs: QuestionInput[],
  stored?: { id: string }[],
): Promise<DuplicateCheck[]> {
  // Loaded on demand, with its word lists.
  const { checkDuplicates } = await import('../duplicate-check/check.ts');
  return checkDuplicates(engine, inputs, {
    ids: stored?.map(({ id }) => id),
    view: getView(request),
    showsTexts: getCaller(request).scopes.has('questions:read'),
    call: getCallOptions(request),
    onFailure: (error) => request.log.warn({ err: error }, 'the check for duplicates ended early'),
  });
}
