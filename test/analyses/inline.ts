/** Runs an analysis in this process, on questions as a person would type them in. */
import type { Definition, ExampleQuestion, Face, Outcome, Whole } from '../../src/analyses/define.ts';

const BATCH = 1000;

/** The questions with ids by their place; the choices are sorted, so that their order tells nothing here either. */
export const asWhole = (questions: readonly ExampleQuestion[]): Whole[] =>
  questions.map((question, i) => ({
    id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
    topic_focus: null,
    tags: [],
    incorrect_answers: [],
    explanation: null,
    ...question,
    choices: question.incorrect_answers?.length
      ? [question.correct_answer, ...question.incorrect_answers].sort()
      : [],
  }));

const asFace = ({ correct_answer, incorrect_answers, explanation, ...face }: Whole): Face => face;

// biome-ignore lint/suspicious/noExplicitAny: whatever the analysis gives, the test asserts
type Any = any;

type Shown = Outcome<Any, Any> & { items: Any[] };

/** The result for those who may see answers and, in `open`, for the others; where answers are not looked at, they are one. */
export async function runInline<D extends Definition<Any, Any, Any, Any, Any>>(
  definition: D,
  questions: readonly ExampleQuestion[],
  parameters: object = {},
): Promise<Shown & { open: Shown }> {
  const all: Face[] = definition.answers ? asWhole(questions) : asWhole(questions).map(asFace);
  const defaults = Object.entries(definition.parameters.properties as Record<string, { default?: unknown }>);
  const effective = {
    ...Object.fromEntries(defaults.map(([name, schema]) => [name, schema.default])),
    ...parameters,
  };
  const batches = async function* () {
    for (let i = 0; i < all.length; i += BATCH) yield all.slice(i, i + BATCH);
  };
  const input = { count: all.length, questions: batches(), progress: async () => {} };
  const result = await definition.run(input as Any, effective);
  const { whole, open } = 'open' in result ? result : { whole: result, open: result };
  return { ...shown(whole), open: shown(open) };
}

const shown = (outcome: Outcome<Any, Any>): Shown => ({ ...outcome, items: [...outcome.items] });
