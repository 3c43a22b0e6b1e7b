/** Simulated responses under the 2PL, and the analyses run on them. */
import type { Definition, ExampleQuestion } from '../../src/analyses/define.ts';
import { buildResponses, plainQuestions, runInline, toQuestions } from './inline-analysis.ts';
import { mulberry32 } from './random.ts';

export type Cells = (number | string | null)[];

interface Settings {
  seed?: number;
  /** Discrimination and difficulty by question. */
  a?: (question: number) => number;
  b?: (question: number) => number;
  /** Changes the responses of a case. */
  edit?: (row: Cells, c: number, next: () => number) => Cells;
}

/** Cases by questions, 1 or 0. */
export function simulateResponses(
  cases: number,
  questions: number,
  { seed = 1, a = () => 1.2, b, edit = (row) => row }: Settings = {},
): Cells[] {
  const next = mulberry32(seed);
  const difficulty = b ?? ((q: number) => -1.5 + (3 * q) / questions);
  return Array.from({ length: cases }, (_, c) => {
    const ability = (next() + next() + next() - 1.5) * 2;
    const row = Array.from({ length: questions }, (_, q) =>
      next() < 1 / (1 + Math.exp(-a(q) * (ability - difficulty(q)))) ? 1 : 0,
    );
    return edit(row, c, next);
  });
}

/** Replaces 1 by the key A, and 0 by one of the distractors B, C and D at random. */
export const toChoices = (row: Cells, next: () => number): Cells =>
  row.map((cell) => (cell === 1 ? 'A' : 'BCD'.charAt(Math.floor(3 * next()))));

const choiceQuestions = (n: number): ExampleQuestion[] =>
  plainQuestions(n).map((question) => ({
    ...question,
    correct_answer: 'A',
    incorrect_answers: ['B', 'C', 'D'],
  }));

/** Runs an analysis. Rows with texts are answers to questions with the options A to D. */
// biome-ignore lint/suspicious/noExplicitAny: definitions of any analysis
export function analyse(definition: Definition<any, any, any, any, any>, rows: Cells[], settings: Run = {}) {
  const { parameters = {}, groups = false, choices = false, difficulty = 0 } = settings;
  const n = rows[0]!.length;
  const questions = choices ? choiceQuestions(n) : plainQuestions(n, difficulty);
  const names = groups ? rows.map((_, c) => (c % 2 === 0 ? 'a' : 'b')) : [];
  const responses = buildResponses(rows, {
    ...(groups && { groups: names }),
    questions: toQuestions(questions),
  });
  return runInline(definition, questions, parameters, responses);
}

interface Run {
  parameters?: object;
  /** Whether even and odd cases are two groups. */
  groups?: boolean;
  choices?: boolean;
  difficulty?: number;
}

export const getIndex = ({ question_id }: { question_id: string }) => Number(question_id.slice(-12));
