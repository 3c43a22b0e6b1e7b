/** The answers of a GIFT question: what is between its braces. */
import type { PortableQuestion } from '../format.ts';
import type { ItemReport } from '../items/item-report.ts';
import { RejectItem } from '../reject-item.ts';
import { unsupported } from '../unsupported.ts';
import { findUnescaped, type GiftText, readText, trim } from './text.ts';

type AnswerFields = Omit<PortableQuestion, 'question_text'>;

export interface GiftAnswers {
  fields: AnswerFields;
  /** Options in the order of the file. */
  options: string[];
  /** Feedback on answers, one line each. */
  feedback: string[];
}

interface Answer {
  text: string;
  /** Percent of the marks. */
  weight: number;
  feedback: string;
}

const WEIGHT = /^%(-?\d{1,3}(?:\.\d*)?)%/;
const FULL = 99.99;
/** An attribute whose equals sign begins an answer. */
const ATTRIBUTE = /<[a-z]+\s[^>]*[a-z-](?<!\\)=["']/i;
const has = (text: string, control: string) => findUnescaped(text, control).length > 0;

/** Divides a text at a control character that is not escaped. */
function split(text: string, control: string): string[] {
  const at = findUnescaped(text, control);
  return [-1, ...at].map((start, i) => text.slice(start + 1, at[i]));
}

/** @throws RejectItem */
export function readAnswers(
  source: string,
  format: GiftText['format'],
  report: ItemReport,
  lenient: boolean,
): GiftAnswers {
  const text = trim(source);
  if (text === '') throw unsupported('essay');
  if (ATTRIBUTE.test(text))
    throw new RejectItem(
      'unescaped_equals',
      'An attribute of HTML within the answers has an equals sign, which begins an answer. Write it as \\=.',
    );
  if (text.startsWith('#')) return readNumerical(text.slice(1), format, report);
  if (has(text, '~')) return readChoice(text, format, report, lenient);
  if (has(text, '=') && text.includes('->')) throw unsupported('matching');
  const word = trim(split(text, '#')[0]!);
  if (/^(?:T|TRUE|F|FALSE)$/.test(word)) return readTrueFalse(text, word, format, report);
  if (/^(?:t|true|f|false)$/i.test(word)) {
    if (lenient) return readTrueFalse(text, word.toUpperCase(), format, report);
    report.add(
      'lowercase_truth',
      `{${word}} is a short answer; a true-false question is written {${word.toUpperCase()}}.`,
    );
  }
  return readShortAnswer(text, format, report);
}

/** `text#feedback`, perhaps with a weight before it. */
function readAnswer(
  source: string,
  defaultWeight: number,
  format: GiftText['format'],
  report: ItemReport,
): Answer {
  const trimmed = trim(source);
  const weight = WEIGHT.exec(trimmed);
  const [text, ...feedback] = split(weight ? trimmed.slice(weight[0].length) : trimmed, '#');
  return {
    text: readText(text!, format, report).text,
    weight: weight ? Number(weight[1]) : defaultWeight,
    feedback: readText(feedback.join('#'), format, report).text,
  };
}

const toFeedback = (answers: readonly Answer[]) =>
  answers.filter(({ feedback }) => feedback !== '').map(({ text, feedback }) => `${text}: ${feedback}`);

const noKey = () =>
  new RejectItem('no_correct_answer', 'No answer is correct. Write = before the correct one.');

function reportWeights(answers: readonly Answer[], report: ItemReport): void {
  if (answers.some(({ weight }) => weight > 0 && weight < FULL))
    report.add('partial_credit_dropped', 'Answers that give a part of the marks are wrong.');
  if (answers.some(({ weight }) => weight < 0))
    report.add('negative_marks_dropped', 'Wrong answers take no marks away.');
}

function readChoice(
  text: string,
  format: GiftText['format'],
  report: ItemReport,
  lenient: boolean,
): GiftAnswers {
  const answers: Answer[] = [];
  let isSingle = false;
  // Every control character begins an answer; text before the first one is none.
  const starts = findUnescaped(text, '=~');
  for (const [i, start] of starts.entries()) {
    const isKey = text[start] === '=';
    isSingle ||= isKey;
    answers.push(readAnswer(text.slice(start + 1, starts[i + 1]), isKey ? 100 : 0, format, report));
  }
  const filled = answers.filter((answer) => trim(answer.text) !== '');
  if (filled.length < answers.length) report.add('empty_option_dropped', 'Options without text are lost.');
  if (filled.length < 2)
    throw new RejectItem('too_few_options', 'The question has one option. Give at least two.');
  const keys = new Set(pickKeys(filled, isSingle, report, lenient));
  const texts = (list: readonly Answer[]) => list.map((answer) => answer.text);
  const correct = texts(filled.filter((answer) => keys.has(answer)));
  return {
    fields: {
      correct_answer: correct.length === 1 ? correct[0]! : correct,
      incorrect_answers: texts(filled.filter((answer) => !keys.has(answer))),
    },
    options: texts(filled),
    feedback: toFeedback(filled),
  };
}

function pickKeys(
  answers: readonly Answer[],
  isSingle: boolean,
  report: ItemReport,
  lenient: boolean,
): Answer[] {
  const full = answers.filter(({ weight }) => weight >= FULL);
  if (!isSingle) {
    const keys = answers.filter(({ weight }) => weight > 0);
    if (keys.length === 0) throw noKey();
    if (keys.length === 1)
      report.add(
        'single_key_of_several',
        'Several options can be chosen, but one is correct: multiple choice.',
      );
    const weights = keys.map(({ weight }) => weight);
    if (Math.max(...weights) - Math.min(...weights) > 0.01)
      report.add('partial_credit_dropped', 'The correct options have different shares of the marks.');
    reportWeights(
      answers.filter((answer) => !keys.includes(answer)),
      report,
    );
    return keys;
  }
  if (full.length === 0) throw noKey();
  if (full.length > 1 && !lenient)
    throw new RejectItem(
      'several_correct_answers',
      `${full.length} answers are marked with =, but only one can be chosen. Leave one, or write ~%${Number((100 / full.length).toFixed(5))}% before each.`,
    );
  reportWeights(answers, report);
  return full;
}

function readTrueFalse(
  text: string,
  word: string,
  format: GiftText['format'],
  report: ItemReport,
): GiftAnswers {
  const isTrue = word.startsWith('T');
  const [, wrong = '', right = ''] = split(text, '#').map((part, i) =>
    i === 0 ? part : readText(part, format, report).text,
  );
  const [correct, incorrect] = isTrue ? ['True', 'False'] : ['False', 'True'];
  const feedback = [
    ...(wrong === '' ? [] : [`${incorrect}: ${wrong}`]),
    ...(right === '' ? [] : [`${correct}: ${right}`]),
  ];
  return {
    fields: { correct_answer: correct!, incorrect_answers: [incorrect!] },
    options: ['True', 'False'],
    feedback,
  };
}

const WILDCARD = /(?<!\\)\*/;

function readShortAnswer(text: string, format: GiftText['format'], report: ItemReport): GiftAnswers {
  const parts = split(text, '=');
  if (trim(parts[0]!) === '') parts.shift();
  const answers = parts.map((part) => readAnswer(part, 100, format, report));
  const full = answers.filter((answer) => answer.weight >= FULL && trim(answer.text) !== '');
  if (full.length === 0) throw noKey();
  const exact = full.filter((answer) => !WILDCARD.test(answer.text));
  if (exact.length === 0)
    throw new RejectItem('wildcard_answer', 'Every correct answer has a wildcard (*). Add one in full.');
  if (exact.length < full.length)
    report.add('wildcard_answer_dropped', 'Correct answers with a wildcard (*) are lost.');
  reportWeights(answers, report);
  const [first, ...others] = [...new Set(exact.map((answer) => answer.text.replaceAll('\\*', '*')))];
  return {
    fields: { correct_answer: first!, ...(others.length > 0 && { accepted_answers: others }) },
    options: [],
    feedback: toFeedback(answers),
  };
}

function readNumerical(source: string, format: GiftText['format'], report: ItemReport): GiftAnswers {
  const [text, ...wrong] = split(source, '~');
  const parts = split(text!, '=');
  if (trim(parts[0]!) === '') parts.shift();
  const answers = parts.map((part) => readAnswer(part, 100, format, report));
  const full = answers.filter(({ weight }) => weight >= FULL);
  if (full.length === 0) throw noKey();
  if (full.length > 1)
    report.add('accepted_answers_dropped', 'Only the first number with full marks is kept.');
  reportWeights(answers, report);
  const { value, tolerance } = readNumber(full[0]!.text);
  const remark = wrong.length > 0 ? readAnswer(wrong.join('~'), 0, format, report).feedback : '';
  return {
    fields: { correct_answer: value, numeric: tolerance > 0 ? { tolerance } : {} },
    options: [],
    feedback: [...toFeedback(answers), ...(remark === '' ? [] : [remark])],
  };
}

/** `3`, `3:0.5` or `2.5..3.5`. */
function readNumber(source: string): { value: string; tolerance: number } {
  const invalid = () =>
    new RejectItem(
      'invalid_number',
      `"${source.slice(0, 60)}" is not a number, a number with a tolerance (3:0.5) or a range (2..4).`,
    );
  const range = source.split('..');
  if (range.length === 2) {
    const [min, max] = range.map(Number) as [number, number];
    if (!Number.isFinite(min) || !Number.isFinite(max) || min > max) throw invalid();
    const round = (number: number) => Number(number.toPrecision(12));
    return { value: String(round((min + max) / 2)), tolerance: round((max - min) / 2) };
  }
  const [value, tolerance = '0'] = source.split(':').map(trim);
  if (!/\d/.test(value!) || tolerance === '' || !(Number(tolerance) >= 0)) throw invalid();
  return { value: value!, tolerance: Number(tolerance) };
}
