/** The questions of the demo bank: one file of JSON Lines for each category, and the planted faults. */
import { readFileSync } from 'node:fs';
import type { QuestionInput } from '../schemas/question.ts';

const FILES = [
  ...['astronomy', 'geography', 'literature', 'mathematics', 'science', 'general-knowledge'],
  'planted',
];

export type DemoQuestion = QuestionInput & { external_id: string };

/** All questions, in an order that does not change: the simulated responses depend on it. */
export const readQuestions = (): DemoQuestion[] =>
  FILES.flatMap((name) =>
    readFileSync(new URL(`questions/${name}.jsonl`, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => ({ ...(JSON.parse(line) as DemoQuestion), source: 'Quaestor demo bank, Apache-2.0' })),
  );
