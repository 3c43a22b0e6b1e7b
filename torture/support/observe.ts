/** Reads through the API what is stored, and checks that all ways to read it agree. */
import type { Random } from '../../test/support/random.ts';
import type { Json } from '../../test/support/requests.ts';
import type { Observation } from './model.ts';
import type { Service } from './service.ts';
import { formatQuestion, readQuestionName } from './writers.ts';

const MAX_RUNS_PAGE = 100;
const SAMPLED_TAGS = 6;

export interface Stored {
  observation: Observation;
  questions: Json[];
  responses: Json[];
  /** Two rows for what was sent once. */
  violations: string[];
}

export async function observe(service: Service): Promise<Stored> {
  const observation: Observation = new Map();
  const violations: string[] = [];
  const put = (name: string, state: string) => {
    if (observation.has(name)) violations.push(`${name}: stored twice`);
    observation.set(name, state);
  };
  const questions = await service.list('/questions');
  for (const question of questions) put(readQuestionName(question.question_text), formatQuestion(question));
  const sessions = new Map<string, number>();
  const responses = await service.list('/responses');
  for (const { session } of responses) sessions.set(session, (sessions.get(session) ?? 0) + 1);
  for (const [session, n] of sessions) put(`session ${session}`, String(n));
  const categories = await service.call('GET', '/categories');
  for (const { name, description } of categories!.body.data)
    if (/^c\d+x\d+$/.test(description ?? '')) put(`category ${description}`, name);
  const runs = await service.call('GET', `/analysis?limit=${MAX_RUNS_PAGE}`);
  for (const { filter } of runs!.body.data) put(`run ${filter.tag[0]}`, 'queued');
  return { observation, questions, responses, violations };
}

/** Compares lists by facet, searches, counts and the order of updates with the lists of everything. */
export async function compareLists(
  service: Service,
  { questions, responses }: Stored,
  random: Random,
): Promise<string[]> {
  const violations: string[] = [];
  const compare = async (query: string, expected: Json[]) => {
    const found = new Set((await service.list(`/questions?${query}`)).map(({ id }) => id));
    const missing = expected.filter(({ id }) => !found.has(id));
    if (missing.length > 0 || found.size !== expected.length)
      violations.push(`GET /questions?${query}: ${found.size} instead of ${expected.length} questions`);
  };
  const facets: [string, (question: Json) => string | null][] = [
    ['category', ({ category }) => category],
    ['difficulty', ({ difficulty }) => String(difficulty)],
    ['topic_focus', ({ topic_focus }) => topic_focus],
  ];
  for (const [name, read] of facets)
    for (const [value, group] of Map.groupBy(questions, read))
      if (value !== null) await compare(`${name}=${value}`, group);
  for (let i = 0; i < Math.min(SAMPLED_TAGS, questions.length); i++) {
    const [tag] = random.pick(questions).tags;
    const group = questions.filter(({ tags }) => tags[0] === tag);
    await compare(`tag=${tag}`, group);
    await compare(`q=${tag}`, group);
  }
  for (let i = 0; i < Math.min(SAMPLED_TAGS, responses.length); i++) {
    const { question_id: id } = random.pick(responses);
    const expected = responses.filter(({ question_id }) => question_id === id).length;
    const found = await service.list(`/responses?question_id=${id}`);
    if (found.length !== expected)
      violations.push(`GET /responses?question_id=${id}: ${found.length} instead of ${expected}`);
  }
  const byUpdate = await service.list('/questions?sort=updated_at');
  if (byUpdate.length !== questions.length)
    violations.push(`sort=updated_at: ${byUpdate.length} instead of ${questions.length} questions`);
  if (byUpdate.some(({ updated_at }, i) => i > 0 && updated_at < byUpdate[i - 1].updated_at))
    violations.push('sort=updated_at is not in the order of updates');
  const categories = await service.call('GET', '/categories');
  const counted = categories!.body.data.reduce(
    (sum: number, { question_count }: Json) => sum + question_count,
    0,
  );
  if (counted !== questions.length)
    violations.push(`the categories count ${counted} instead of ${questions.length} questions`);
  return violations;
}
