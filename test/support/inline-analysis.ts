/** Runs an analysis in this process, without a bank. */
import {
  CORRECT,
  type Definition,
  type ExampleQuestion,
  type ExampleSitting,
  NO_OPTION,
  NOT_REACHED,
  OMITTED,
  type Outcome,
  type QuestionWithAnswers,
  type QuestionWithoutAnswers,
  type Responses,
  type Scope,
  WRONG,
} from '../../src/analyses/define.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { kindOf, listCorrect } from '../../src/schemas/question-kinds.ts';
import { isCorrect } from '../../src/store/questions/scoring.ts';

const BATCH_QUESTIONS = 1000;

/** A question of a test, which may have several correct answers. */
type GivenQuestion = Omit<ExampleQuestion, 'correct_answer'> &
  Pick<QuestionWithAnswers, 'correct_answer'> &
  Partial<QuestionWithAnswers>;

/**
 * Adds default fields and an id by index. Choices are sorted, so that their order does not reveal
 * the key.
 */
export const toQuestions = (questions: readonly GivenQuestion[]): QuestionWithAnswers[] =>
  questions.map((question, i) => ({
    id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
    topic_focus: null,
    tags: [],
    revision: 1,
    incorrect_answers: [],
    explanation: null,
    kind: kindOf(question),
    ...question,
    choices: question.incorrect_answers?.length
      ? [...listCorrect(question.correct_answer), ...question.incorrect_answers].sort()
      : [],
  }));

const hideAnswers = ({
  revision,
  correct_answer,
  incorrect_answers,
  explanation,
  accepted_answers,
  answer_matching,
  had_markup,
  choices_given,
  ...question
}: QuestionWithAnswers): QuestionWithoutAnswers => question;

// biome-ignore lint/suspicious/noExplicitAny: results of any shape, asserted by the test
type Any = any;

type Shown = Outcome<Any, Any> & { items: Any[] };

/** Uniform questions, for tests in which only the responses matter. */
export const plainQuestions = (n: number, difficulty = 0): ExampleQuestion[] =>
  Array.from({ length: n }, (_, i) => ({
    question_text: `Question ${i + 1}?`,
    correct_answer: 'Right',
    category: 'Science',
    difficulty,
  }));

/**
 * Builds responses from a matrix of cases by questions: 1 or true is correct, 0 or false wrong,
 * null not asked, `omitted` and `not reached` are missing responses, and any other text is an
 * answer to be scored, and so are several texts: the options that were chosen.
 */
export function buildResponses(
  rows: readonly (readonly (number | boolean | string | string[] | null)[])[],
  {
    groups,
    questions = [],
  }: { groups?: readonly (string | null)[]; questions?: readonly QuestionWithAnswers[] } = {},
): Responses {
  const starts = [0];
  const indexes: number[] = [];
  const outcomes: number[] = [];
  const options: number[] = [];
  const details = { at: [] as number[], values: [] as number[] };
  const wrongTexts = new Map<number, string[]>();
  const groupNames = [...new Set((groups ?? []).filter((name) => name !== null))].sort();
  const asked = rows.map((row) => row.some((cell) => cell !== null));
  for (const row of rows.filter((_, i) => asked[i])) {
    for (const [index, cell] of row.entries()) {
      if (cell === null) continue;
      const answered =
        Array.isArray(cell) || (typeof cell === 'string' && cell !== 'omitted' && cell !== 'not reached');
      const addDetail = (value: number) => {
        details.at.push(indexes.length);
        details.values.push(value);
      };
      if (Array.isArray(cell))
        addDetail(cell.reduce((bits, text) => bits + 2 ** questions[index]!.choices.indexOf(text), 0));
      else if (
        typeof cell === 'string' &&
        answered &&
        questions[index]!.choices.length === 0 &&
        !isCorrect(questions[index]!, cell)
      ) {
        const texts = wrongTexts.getOrInsertComputed(index, () => []);
        addDetail(texts.includes(cell) ? texts.indexOf(cell) : texts.push(cell) - 1);
      }
      indexes.push(index);
      const option = typeof cell === 'string' && answered ? questions[index]!.choices.indexOf(cell) : -1;
      options.push(option < 0 ? NO_OPTION : option);
      if (cell === 'omitted') outcomes.push(OMITTED);
      else if (cell === 'not reached') outcomes.push(NOT_REACHED);
      else outcomes.push((answered ? isCorrect(questions[index]!, cell) : cell) ? CORRECT : WRONG);
    }
    starts.push(indexes.length);
  }
  return {
    cases: starts.length - 1,
    starts: Uint32Array.from(starts),
    questions: Uint32Array.from(indexes),
    outcomes: Uint8Array.from(outcomes),
    options: Uint8Array.from(options),
    details: { at: Uint32Array.from(details.at), values: Uint32Array.from(details.values), wrongTexts },
    groups: Int32Array.from(
      rows.flatMap((_, i) => (asked[i] ? [groupNames.indexOf(groups?.[i] ?? '')] : [])),
    ),
    groupNames,
  };
}

export const exampleResponses = (
  sittings: readonly ExampleSitting[],
  questions: readonly QuestionWithAnswers[],
) =>
  buildResponses(
    sittings.map(({ answers }) => answers.map((answer) => answer ?? 'omitted')),
    { groups: sittings.map(({ group }) => group ?? null), questions },
  );

/**
 * Returns the result with answers and, in `withoutAnswers`, the one without; some analyses have
 * only one.
 */
export async function runInline<D extends Definition<Any, Any, Any, Any, Any>>(
  definition: D,
  questions: readonly GivenQuestion[],
  parameters: object = {},
  responses?: Responses,
  scope: Scope = { categories: [], difficulties: [0, 1, 2] },
): Promise<Shown & { withoutAnswers: Shown }> {
  const all: QuestionWithoutAnswers[] = definition.readsAnswers
    ? toQuestions(questions)
    : toQuestions(questions).map(hideAnswers);
  const defaults = Object.entries(definition.parameters.properties as Record<string, { default?: unknown }>);
  const effective = {
    ...Object.fromEntries(defaults.map(([name, schema]) => [name, schema.default])),
    ...parameters,
  };
  const batches = async function* () {
    for (let i = 0; i < all.length; i += BATCH_QUESTIONS) yield all.slice(i, i + BATCH_QUESTIONS);
  };
  const input = {
    count: all.length,
    scope,
    questions: batches(),
    ticker: new Ticker(),
    responses: async () => responses!,
  };
  const result = await definition.run(input as Any, effective);
  const { with_answers, without_answers } =
    'with_answers' in result ? result : { with_answers: result, without_answers: result };
  return { ...listItems(with_answers), withoutAnswers: listItems(without_answers) };
}

const listItems = (outcome: Outcome<Any, Any>): Shown => ({ ...outcome, items: [...outcome.items] });
