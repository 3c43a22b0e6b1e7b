/** The kind of a question, which is derived from its fields. */
import type { Kind } from '../../schemas/question-kinds.ts';
import type { QuestionFields } from './fields.ts';

export const kindOf = ({ incorrect_answers }: Pick<QuestionFields, 'incorrect_answers'>): Kind =>
  incorrect_answers.length > 0 ? 'multiple_choice' : 'short_answer';
