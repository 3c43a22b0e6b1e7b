import type { PortableQuestion } from '../../src/formats/format.ts';

/** Leaves out defaults, and orders sets: with `choices`, the order of the answers means nothing. */
export function toComparable(question: PortableQuestion): PortableQuestion {
  const { choices_order, text_format, numeric, correct_answer, incorrect_answers = [], ...rest } = question;
  const { tolerance, ...others } = numeric ?? {};
  const order = (texts: string[]) => (question.choices ? texts.toSorted() : texts);
  return {
    ...rest,
    correct_answer: Array.isArray(correct_answer) ? order(correct_answer) : correct_answer,
    ...(incorrect_answers.length > 0 && { incorrect_answers: order(incorrect_answers) }),
    ...(choices_order && choices_order !== 'shuffled' && { choices_order }),
    ...(text_format === 'markdown' && { text_format }),
    ...(numeric && { numeric: { ...others, ...(tolerance && { tolerance }) } }),
  };
}
