/** The order in which the options of a question are shown. */
import { hash32 } from '../../bits/hash.ts';
import { listCorrect } from '../../schemas/question-kinds.ts';
import { refersToOptions } from '../../text/option-references.ts';
import { parseQuantity } from '../../text/quantity.ts';
import { compare } from '../../text/rational.ts';
import type { QuestionFields } from './fields.ts';

/**
 * Orders the options. Which of them are correct has no influence, so the order reveals nothing and
 * stays the same when only the key changes.
 */
export function arrangeChoices(id: string, fields: QuestionFields): string[] {
  if (fields.choices) return fields.choices;
  const options = [...listCorrect(fields.correct_answer), ...fields.incorrect_answers];
  return arrange(
    options,
    fields.choices_order === 'sorted' ? sortOptions : (part) => shuffleOptions(id, part),
  );
}

/** Shuffles options by a key. Those that refer to the others come last. */
export const shuffleChoices = (key: string, options: readonly string[]): string[] =>
  arrange(options, (part) => shuffleOptions(key, part));

const arrange = (options: readonly string[], order: (part: string[]) => string[]): string[] => [
  ...order(options.filter((text) => !refersToOptions(text))),
  ...order(options.filter(refersToOptions)),
];

/** Shuffles by a hash of the key, which is the question's id, and the option. */
const shuffleOptions = (key: string, options: readonly string[]) =>
  options
    .map((text) => ({ text, rank: hash32(`${key} ${text}`) }))
    .sort((a, b) => a.rank - b.rank || compareText(a.text, b.text))
    .map(({ text }) => text);

/** By value if all are numbers of one unit, else by code units of the folded text. */
function sortOptions(options: readonly string[]): string[] {
  const parsed = options.map((text) => ({ text, quantity: parseQuantity(text) }));
  const units = new Set(parsed.map(({ quantity }) => quantity?.unit).filter((unit) => unit !== null));
  const isNumeric = parsed.every(({ quantity }) => quantity) && units.size <= 1;
  const byText = (a: string, b: string) =>
    compareText(a.normalize('NFKC').toLowerCase(), b.normalize('NFKC').toLowerCase()) || compareText(a, b);
  return parsed
    .sort((a, b) => {
      const byValue = isNumeric && a.quantity && b.quantity ? compare(a.quantity.value, b.quantity.value) : 0;
      return byValue || byText(a.text, b.text);
    })
    .map(({ text }) => text);
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
