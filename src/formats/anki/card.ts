/** The two sides of a card for a question, as HTML. */
import type { PortableQuestion } from '../format.ts';

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\n': '<br>' };
const toHtml = (text: string) => text.replace(/[&<>\n]/g, (character) => REFERENCES[character]!);

/** The question and its options, in the order of their texts unless their order is given. */
export function writeFront(question: PortableQuestion): string {
  const { question_text, correct_answer, incorrect_answers = [], choices, choices_order } = question;
  const stem = toHtml(question_text);
  if (incorrect_answers.length === 0) return stem;
  const sorted = [correct_answer, incorrect_answers].flat().toSorted();
  const options = choices_order === 'as_given' && choices ? choices : sorted;
  return `${stem}<ul>${options.map((option) => `<li>${toHtml(option)}</li>`).join('')}</ul>`;
}

export function writeBack({ correct_answer, numeric, explanation }: PortableQuestion): string {
  const unit = numeric?.unit === undefined ? '' : ` ${toHtml(numeric.unit)}`;
  const answer = [correct_answer].flat().map(toHtml).join('<br>') + unit;
  return explanation === undefined ? answer : `${answer}<hr>${toHtml(explanation)}`;
}
