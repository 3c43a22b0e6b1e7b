/** Runs the item statistics on small response matrices. */
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { itemStatistics } from '../../src/analyses/item-statistics/index.ts';
import { buildResponses, plainQuestions, runInline, toQuestions } from './inline-analysis.ts';

export type Cell = number | boolean | string | null;

export const run = (
  rows: readonly (readonly Cell[])[],
  parameters: object = {},
  questions = rows[0]?.length ?? 0,
) => runInline(itemStatistics, plainQuestions(questions), parameters, buildResponses(rows));

export const byQuestion = <T extends { question_id: string }>(items: T[]) =>
  [...items].sort((a, b) => a.question_id.localeCompare(b.question_id));

/** Eight cases by four questions, of which each case was asked three or four. */
export const INCOMPLETE_CASES: readonly (readonly (0 | 1 | null)[])[] = [
  [1, 1, 0, 1],
  [1, 1, 1, null],
  [0, 0, null, 0],
  [1, null, 0, 1],
  [null, 1, 1, 1],
  [0, 0, 1, 0],
  [1, 1, 0, 0],
  [0, null, 0, 0],
];

export const OPTIONS = ['A', 'B', 'C', 'D'];
/** Multiple-choice questions whose first option is the key. */
const multipleChoice = (count: number): ExampleQuestion[] =>
  plainQuestions(count).map((question) => ({
    ...question,
    correct_answer: 'A',
    incorrect_answers: OPTIONS.slice(1),
  }));
export const runChoices = (rows: readonly (readonly Cell[])[], parameters: object = {}) => {
  const questions = multipleChoice(rows[0]!.length);
  return runInline(
    itemStatistics,
    questions,
    parameters,
    buildResponses(rows, { questions: toQuestions(questions) }),
  );
};
/** Choices of cases of rising ability on ten questions; `first` is the choice on the first one. */
export const choicesByAbility = (first: (ability: number) => Cell, n = 60) =>
  Array.from({ length: n }, (_, i) => [
    first(i / n),
    ...Array.from({ length: 9 }, (_, q) =>
      (q + 1) / 10 < i / n + ((i * 7 + q * 3) % 5) / 20 ? 'A' : OPTIONS[1 + ((i + q) % 3)]!,
    ),
  ]);
