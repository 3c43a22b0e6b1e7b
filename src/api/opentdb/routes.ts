/**
 * The Open Trivia DB's API, for its clients: they work with this service once their base URL is
 * changed. It serves questions with answers to anyone, those of a filter that the operator sets,
 * and does not exist without one. See docs/delivery.md.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashToken } from '../../access/token-text.ts';
import { sendProblem, toApiError } from '../../http/problem.ts';
import type { QuestionFilter } from '../../schemas/question-filter.ts';
import type { Engine } from '../../store/db.ts';
import {
  listTriviaCategories,
  selectTrivia,
  type TriviaCategory,
  type TriviaQuestion,
  type TriviaSelection,
} from '../../store/opentdb/selection.ts';
import { advanceOpentdbToken, createOpentdbToken, resetOpentdbToken } from '../../store/opentdb/tokens.ts';
import { drawSeed } from '../random-list.ts';
import { getCallOptions } from '../requests.ts';
import { ENCODINGS, type Encoding } from './encoding.ts';
import { LEVELS, parseNumber, parsePairs, parseQuestionsQuery, type QuestionsQuery } from './query.ts';

/** The response codes of the API. */
const CODES = {
  found: 0,
  too_few: 1,
  invalid_parameter: 2,
  no_such_token: 3,
  exhausted: 4,
  rate_limit: 5,
} as const;

const TOKEN_BYTES = 32;
/** How often a query is repeated if another one with the same token comes first. */
const MAX_ATTEMPTS = 10;

const CONFIG = { public: true, unlisted: true, anyOrigin: true, compression: 'never' } as const;
const LIMITED = { ...CONFIG, rateLimit: 'opentdb' } as const;

export interface OpentdbDeps {
  engine: Engine;
  /** The questions that are served. */
  filter: QuestionFilter;
}

export function opentdbRoutes(app: FastifyInstance, { engine, filter }: OpentdbDeps): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = toApiError(error);
    if (problem.status !== 429) return sendProblem(error, request, reply);
    return sendCode(reply.headers(problem.headers), 'rate_limit');
  });

  app.get('/api.php', { config: LIMITED }, async (request, reply) => {
    const query = parseQuestionsQuery(getRawQuery(request));
    if (!query) return sendCode(reply, 'invalid_parameter');
    const selection = await selectOnce(request, query);
    if (selection?.outcome !== 'found') return sendCode(reply, selection?.outcome ?? 'rate_limit');
    const results = selection.questions.map((question) => render(question, query.encoding));
    return reply.send({ response_code: CODES.found, results });
  });

  app.get('/api_token.php', { config: LIMITED }, async (request, reply) => {
    const query = parsePairs(getRawQuery(request));
    const command = query.get('command') ?? '';
    if (command === 'request') {
      const token = randomBytes(TOKEN_BYTES).toString('hex');
      await engine.write(createOpentdbToken, describeToken(token), getCallOptions(request));
      return reply.send({
        response_code: CODES.found,
        response_message: 'Token Generated Successfully!',
        token,
      });
    }
    // A client repeats the name in the value: `command=resetcommand=reset`.
    if (!command.startsWith('reset')) return reply.send({ response_code: CODES.invalid_parameter });
    const token = query.get('token') ?? '';
    const isReset = await engine.write(resetOpentdbToken, describeToken(token), getCallOptions(request));
    if (!isReset) return reply.send({ response_code: CODES.no_such_token });
    return reply.send({ response_code: CODES.found, token });
  });

  app.get('/api_category.php', { config: CONFIG }, async (request) => {
    const categories = await listCategories(request);
    return { trivia_categories: categories.map(({ number, name }) => ({ id: number, name })) };
  });

  app.get('/api_count.php', { config: CONFIG }, async (request) => {
    const number = parseNumber(parsePairs(getRawQuery(request)).get('category')) ?? 0;
    const found = (await listCategories(request)).find((category) => category.number === number);
    const [easy, medium, hard] = found?.counts ?? [0, 0, 0];
    return {
      category_id: number,
      category_question_count: {
        total_question_count: countAll(found),
        total_easy_question_count: easy,
        total_medium_question_count: medium,
        total_hard_question_count: hard,
      },
    };
  });

  app.get('/api_count_global.php', { config: CONFIG }, async (request) => {
    const categories = await listCategories(request);
    return {
      overall: countStates(categories.reduce((sum, category) => sum + countAll(category), 0)),
      categories: Object.fromEntries(
        categories.map((category) => [category.number, countStates(countAll(category))]),
      ),
    };
  });

  const listCategories = (request: FastifyRequest) =>
    engine.search(listTriviaCategories, filter, getCallOptions(request));

  /** Undefined if other queries with the same token came first each time. */
  async function selectOnce(
    request: FastifyRequest,
    { encoding, token, ...query }: QuestionsQuery,
  ): Promise<TriviaSelection | undefined> {
    const hash = token === undefined ? undefined : hashToken(token);
    const options = getCallOptions(request);
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const now = Date.now();
      const given = { ...query, filter, token: hash, seed: drawSeed(), now };
      const selection = await engine.search(selectTrivia, given, options);
      if (hash === undefined || selection.outcome === 'no_such_token') return selection;
      const advance = { hash, ...selection.next!, at: now };
      if (await engine.write(advanceOpentdbToken, advance, options)) return selection;
    }
    return undefined;
  }
}

const getRawQuery = ({ query }: FastifyRequest): string => (query as { raw: string }).raw;

const describeToken = (token: string) => ({ hash: hashToken(token), seed: drawSeed(), at: Date.now() });

function sendCode(reply: FastifyReply, code: Exclude<keyof typeof CODES, 'found'>): FastifyReply {
  reply.code(code === 'rate_limit' ? 429 : 200);
  return reply.send({ response_code: CODES[code], results: [] });
}

/** In the order of the members that the clients know. */
function render({ category, difficulty, ...question }: TriviaQuestion, encoding: Encoding) {
  const encode = ENCODINGS[encoding];
  const { question_text, correct_answer, incorrect_answers } = question;
  const isBoolean = [correct_answer, ...incorrect_answers].toSorted().join() === 'False,True';
  return {
    type: encode(isBoolean ? 'boolean' : 'multiple'),
    difficulty: encode(LEVELS[difficulty]!),
    category: encode(category),
    question: encode(question_text),
    correct_answer: encode(correct_answer),
    incorrect_answers: incorrect_answers.map(encode),
  };
}

const countAll = (category: TriviaCategory | undefined): number =>
  category?.counts.reduce((sum, n) => sum + n, 0) ?? 0;

/** Questions that are not served are not counted. */
const countStates = (n: number) => ({
  total_num_of_questions: n,
  total_num_of_pending_questions: 0,
  total_num_of_verified_questions: n,
  total_num_of_rejected_questions: 0,
});
