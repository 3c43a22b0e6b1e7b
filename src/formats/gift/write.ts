/** Writes GIFT as Moodle reads it. */
import type { PortableQuestion, WriteOptions } from '../format.ts';
import { writeCategory, writeComments } from './comments.ts';
import { escapeText, trim, writeText } from './text.ts';

type OnNotice = (code: string, detail: string) => void;
const FIVE_DECIMALS = 5;

export async function* writeGift(questions: AsyncIterable<PortableQuestion>, options: WriteOptions) {
  let category: string | undefined;
  let index = 0;
  for await (const question of questions) {
    const number = index++;
    const notice: OnNotice = (code, detail) => options.onNotice({ index: number, code, detail });
    const wanted = question.category;
    const change = wanted === undefined || wanted === category ? '' : writeCategory(wanted);
    if (wanted !== undefined && change !== undefined) category = wanted;
    const comments = writeComments(question, {
      isWritten: change !== undefined,
      isReset: wanted === undefined && category !== undefined,
    });
    if (comments.extension.length > 0)
      notice(
        'metadata_extension',
        `In a comment that other programs ignore: ${comments.extension.join(', ')}.`,
      );
    reportSpaces(question, notice);
    const format = question.text_format === 'markdown' ? 'markdown' : 'plain';
    const stem = `[${format}]${escapeText(question.question_text)}`;
    yield `${change ?? ''}${comments.text}${stem}{${writeAnswers(question, format, notice)}}\n\n`;
  }
}

function reportSpaces(question: PortableQuestion, notice: OnNotice): void {
  const { question_text, correct_answer, incorrect_answers, accepted_answers, explanation } = question;
  const texts = [question_text, correct_answer, incorrect_answers, accepted_answers, explanation].flat();
  if (texts.some((text) => text !== undefined && trim(text).length < text.replace(/^\n+|\n+$/g, '').length))
    notice('space_trimmed', 'Spaces at the beginning or end of a text are lost.');
}

type Format = 'plain' | 'markdown';

function writeAnswers(question: PortableQuestion, format: Format, notice: OnNotice): string {
  const { correct_answer, incorrect_answers = [], numeric, explanation } = question;
  const general = explanation === undefined ? '' : `####${writeText(explanation, format)}`;
  if (numeric) return `${writeNumber(question, notice)}${general}`;
  if (isTrueFalse(question)) return `${String(correct_answer).toUpperCase()}${general}`;
  const answers =
    Array.isArray(correct_answer) || incorrect_answers.length > 0
      ? writeOptions(question, format)
      : writeShortAnswers(question, format, notice);
  return `\n${[...answers, general]
    .filter((line) => line !== '')
    .map((line) => `\t${line}\n`)
    .join('')}`;
}

function isTrueFalse({
  correct_answer,
  incorrect_answers,
  choices_order = 'shuffled',
}: PortableQuestion): boolean {
  const pair = `${correct_answer}/${incorrect_answers?.join('/')}`;
  return (pair === 'True/False' || pair === 'False/True') && choices_order === 'shuffled';
}

function writeNumber({ correct_answer, numeric = {} }: PortableQuestion, notice: OnNotice): string {
  const value = String(correct_answer);
  let { tolerance = 0 } = numeric;
  if (numeric.relative_tolerance !== undefined) {
    tolerance = Math.abs(Number(value)) * numeric.relative_tolerance;
    if (!Number.isFinite(tolerance)) tolerance = 0;
    notice('relative_tolerance_converted', `The relative tolerance is written as ${tolerance}.`);
  }
  return `#${value}${tolerance > 0 ? `:${tolerance}` : ''}`;
}

function writeOptions(
  { correct_answer, incorrect_answers = [], choices, choices_order }: PortableQuestion,
  format: Format,
): string[] {
  const keys = new Set([correct_answer].flat());
  const options = choices_order === 'as_given' && choices ? choices : [...keys, ...incorrect_answers];
  const share = Number((100 / keys.size).toFixed(FIVE_DECIMALS));
  const key = Array.isArray(correct_answer) ? `~%${share}%` : '=';
  return options.map((text) => `${keys.has(text) ? key : '~'}${writeText(text, format)}`);
}

/** An arrow would make it a matching question, and GIFT has no escape for it. */
function writeShortAnswers(question: PortableQuestion, format: Format, notice: OnNotice): string[] {
  const texts = [question.correct_answer, ...(question.accepted_answers ?? [])].flat();
  if (texts.some((text) => text.includes('->')))
    notice('arrow_replaced', 'The characters -> in a short answer are written as →.');
  return texts.map((text) => `=${writeText(text.replaceAll('->', '→').replaceAll('*', '\\*'), format)}`);
}
