/** Finds questions with the same text, by a hash, and compares their answers. */
import { hash } from 'node:crypto';
import type { QuestionInput } from '../../schemas/question.ts';

type Content = Pick<QuestionInput, 'question_text' | 'correct_answer' | 'incorrect_answers'>;

/** Differences of case and white space do not count. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** 52 bits, which both engines and JSON carry as an integer. */
export const computeContentHash = (question_text: string): number =>
  Number.parseInt(hash('sha256', fold(question_text), 'hex').slice(0, 13), 16);

/** Equal for questions with the same text, correct and incorrect answers, in any order. */
export function computeContentKey({ question_text, correct_answer, incorrect_answers }: Content): string {
  const list = (texts: readonly string[]) => [...texts].map((text) => text.trim()).sort();
  const parts = [fold(question_text), list([correct_answer].flat()), list(incorrect_answers ?? [])];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
