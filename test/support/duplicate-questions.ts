/** Runs the duplicates analysis on questions in short form. */
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { duplicates } from '../../src/analyses/duplicates/index.ts';
import { runInline } from './inline-analysis.ts';

export type QuestionRow = [text: string, answer: string, ...distractors: string[]];

const toQuestion = ([question_text, correct_answer, ...incorrect_answers]: QuestionRow): ExampleQuestion => ({
  question_text,
  correct_answer,
  incorrect_answers,
  category: 'general',
  difficulty: 1,
});

export const runDuplicates = (rows: readonly QuestionRow[], parameters = {}) =>
  runInline(duplicates, rows.map(toQuestion), parameters);
