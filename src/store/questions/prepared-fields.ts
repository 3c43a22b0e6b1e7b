/** The fields of new questions, computed before the transaction that stores them. */
import type { QuestionInput } from '../../schemas/question.ts';
import { prepareWords } from './facets.ts';
import { type QuestionFields, toFields } from './fields.ts';

const preparedFields = new WeakMap<QuestionInput, QuestionFields>();

export function prepareFields(input: QuestionInput): void {
  const fields = toFields(input);
  prepareWords(fields);
  preparedFields.set(input, fields);
}

export const findPreparedFields = (input: QuestionInput) => preparedFields.get(input);
