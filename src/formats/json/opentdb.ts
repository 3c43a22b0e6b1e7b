/** Open Trivia DB: the JSON of its API in its four encodings. */
import { decodeHTML } from 'entities';
import {
  type Format,
  type PortableQuestion,
  UnreadableFile,
  type WriteNotice,
  type WriteOptions,
} from '../format.ts';
import { fieldsNotWritten, kindNotWritten, listLostFields } from '../lost-fields.ts';
import { RejectItem } from '../reject-item.ts';
import { parseDifficulty } from '../table/cells.ts';
import { encodeTexts, toItems } from '../text/batches.ts';
import { decodeHead } from '../text/encoding.ts';
import { TEXT_LOSSES } from '../text/losses.ts';
import type { ReadObject } from './items.ts';
import { readElements } from './json.ts';

const FAILURES: Record<number, string> = {
  1: 'there were not enough questions for the request',
  2: 'a parameter of the request was invalid',
  3: 'the session token was not found',
  4: 'the session token had returned all questions',
  5: 'there were too many requests',
};
const LEVELS = ['easy', 'medium', 'hard'] as const;
const KEPT = new Set([
  ...[
    'question_text',
    'correct_answer',
    'incorrect_answers',
    'category',
    'difficulty',
    'choices',
    'choices_order',
  ],
]);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const TYPES = /"type"\s*:\s*"(multiple|boolean|bXVsdGlwbGU=|Ym9vbGVhbg==)"/;

export const opentdb: Format = {
  name: 'opentdb',
  title: 'Open Trivia DB',
  extensions: ['.json'],
  mediaTypes: ['application/json'],
  losses: {
    ...TEXT_LOSSES,
    kind_not_written:
      'Only questions with one correct answer and options can be written; others are left out.',
    fields_not_written: 'Only question, answers, category and difficulty are written.',
    order_not_written: 'The order of options is not written.',
  },
  detect(head) {
    const text = decodeHead(head);
    if (!/^\s*[[{]/.test(text)) return 0;
    if (/^\s*\{\s*"response_code"\s*:/.test(text)) return 0.97;
    return TYPES.test(text) && text.includes('"incorrect_answers"') ? 0.95 : 0;
  },
  read: (source, options) => toItems(readElements(source, options, readTrivia, checkResponse)),
  write: (questions, options) => encodeTexts(writeTrivia(questions, options)),
};

function checkResponse({ response_code }: Record<string, unknown>): void {
  if (response_code === undefined || response_code === 0) return;
  const reason = FAILURES[Number(response_code)] ?? 'the request failed';
  throw new UnreadableFile(
    'error_response',
    `The file is an error of the Open Trivia DB (response code ${String(response_code)}): ${reason}. Download it again.`,
  );
}

const readTrivia: ReadObject = (value) => {
  const given = (value ?? {}) as Record<string, unknown>;
  const texts = [given.question, given.correct_answer, ...asList(given.incorrect_answers)];
  if (!texts.every((text) => typeof text === 'string') || !Array.isArray(given.incorrect_answers))
    throw new RejectItem(
      'wrong_type',
      'A question of the Open Trivia DB has the texts question and correct_answer, and the array incorrect_answers.',
    );
  const decode = chooseDecoder([...texts, given.category, given.type, given.difficulty]);
  const [question_text, correct_answer, ...incorrect_answers] = texts.map(decode);
  if (question_text === '') throw new RejectItem('no_question_text', 'The question has no text.');
  if (correct_answer === '')
    throw new RejectItem('no_correct_answer', 'The question has no correct answer. Give one.');
  const question: PortableQuestion = {
    question_text: question_text!,
    correct_answer: correct_answer!,
    incorrect_answers,
  };
  if (typeof given.category === 'string' && given.category !== '') question.category = decode(given.category);
  const difficulty =
    typeof given.difficulty === 'string' ? parseDifficulty(decode(given.difficulty)) : undefined;
  if (difficulty !== undefined) question.difficulty = difficulty;
  return question;
};

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Base64 encodes every field, type and difficulty too; RFC 3986 leaves no space and no quote. */
function chooseDecoder(values: unknown[]): (text: string) => string {
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.some((text) => text === 'bXVsdGlwbGU=' || text === 'Ym9vbGVhbg=='))
    return (text) => (BASE64.test(text) ? Buffer.from(text, 'base64').toString() : text);
  const isEscaped = texts.some((text) => /%[0-9A-F]{2}/i.test(text)) && texts.every(isUriComponent);
  return isEscaped ? decodeURIComponent : decodeHTML;
}

function isUriComponent(text: string): boolean {
  if (!/^[\w\-.~!*'()%+]*$/.test(text)) return false;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

async function* writeTrivia(questions: AsyncIterable<PortableQuestion>, options: WriteOptions) {
  let separator = '{"response_code":0,"results":[\n';
  let index = -1;
  for await (const question of questions) {
    index++;
    const { correct_answer, incorrect_answers = [] } = question;
    if (typeof correct_answer !== 'string' || incorrect_answers.length === 0) {
      options.onNotice(kindNotWritten(index));
      continue;
    }
    for (const notice of findLosses(question, index)) options.onNotice(notice);
    yield separator + JSON.stringify(toTrivia(question, correct_answer, incorrect_answers));
    separator = ',\n';
  }
  yield separator === ',\n' ? '\n]}\n' : `${separator}]}\n`;
}

function findLosses(question: PortableQuestion, index: number): WriteNotice[] {
  const lost = listLostFields(question, KEPT);
  const notices = lost.length > 0 ? [fieldsNotWritten(index, lost)] : [];
  const { choices, choices_order = 'shuffled' } = question;
  if (choices || choices_order !== 'shuffled')
    notices.push({ index, code: 'order_not_written', detail: 'The order of the options is not written.' });
  return notices;
}

function toTrivia(question: PortableQuestion, correct: string, incorrect: string[]) {
  const isBoolean = incorrect.length === 1 && [correct, ...incorrect].toSorted().join() === 'False,True';
  return {
    type: isBoolean ? 'boolean' : 'multiple',
    ...(question.difficulty !== undefined && { difficulty: LEVELS[question.difficulty] }),
    ...(question.category !== undefined && { category: escapeHtml(question.category) }),
    question: escapeHtml(question.question_text),
    correct_answer: escapeHtml(correct),
    incorrect_answers: incorrect.map(escapeHtml),
  };
}

/** With the percent sign, so that no question looks as if it were encoded by RFC 3986. */
const ESCAPES: Record<string, string> = {
  '%': '&#37;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
};
const escapeHtml = (text: string) => text.replace(/[%&<>"']/g, (character) => ESCAPES[character]!);
