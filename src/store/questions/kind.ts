/** The kind of a question, which follows from its fields. */
export { kindOf } from '../../schemas/question-kinds.ts';
