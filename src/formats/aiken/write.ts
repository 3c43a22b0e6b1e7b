/** Writes Aiken. Options are sorted, so that the letter of the answer varies. */
import type { PortableQuestion, WriteOptions } from '../format.ts';
import { fieldsNotWritten, kindNotWritten, listLostFields } from '../lost-fields.ts';

const WRITTEN = new Set(['question_text', 'correct_answer', 'incorrect_answers', 'choices']);
/** Lines that are not a stem for Moodle. */
const NOT_A_STEM =
  /^(?:[A-Z](?=[).])|(?:ANSWER|ANTWORT|RÉPONSE\s?|RESPUESTA|RESPOSTA|RISPOSTA|ANTWOORD)(?=:))/i;

export async function* writeAiken(questions: AsyncIterable<PortableQuestion>, { onNotice }: WriteOptions) {
  let index = -1;
  for await (const question of questions) {
    index++;
    const { question_text, correct_answer, incorrect_answers = [], choices, choices_order } = question;
    if (typeof correct_answer !== 'string' || incorrect_answers.length === 0) {
      onNotice(kindNotWritten(index));
      continue;
    }
    const notice = (code: string, detail: string) => onNotice({ index, code, detail });
    const lost = listLostFields(question, WRITTEN);
    if (lost.length > 0) onNotice(fieldsNotWritten(index, lost));
    const isGiven = choices_order === 'as_given' && choices !== undefined;
    const options = isGiven ? choices : [correct_answer, ...incorrect_answers].toSorted(compare);
    if ([question_text, ...options].some((text) => /\n/.test(text.trim())))
      notice('line_breaks_flattened', 'Line breaks within a text are written as spaces.');
    const stem = toLine(question_text);
    if (NOT_A_STEM.test(stem))
      notice('text_changed', `A space is added to the beginning of "${stem.slice(0, 40)}".`);
    const letters = options.map((text, i) => `${toLetter(i)}) ${toLine(text)}\n`);
    const key = toLetter(options.indexOf(correct_answer));
    yield `${stem.replace(NOT_A_STEM, '$& ')}\n${letters.join('')}ANSWER: ${key}\n\n`;
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const toLetter = (index: number) => String.fromCharCode(65 + index);
const toLine = (text: string) => text.trim().replace(/[ \t]*[\r\n]+[ \t]*/g, ' ');
