/** Reads one JSON value as a question: in the shape of the API, or as other programs write it. */
import type { PortableQuestion } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { buildQuestion, type Draft, type Remark } from '../table/draft.ts';
import { recogniseColumn } from '../table/fields.ts';
import type { KeyStyle } from '../table/key.ts';

/** What is known from the objects before. */
export interface ObjectContext {
  keyStyle: KeyStyle;
  /** Names of fields that were reported as ignored. */
  ignored: Set<string>;
}

export const createContext = (): ObjectContext => ({ keyStyle: { style: undefined }, ignored: new Set() });

type JsonObject = Record<string, unknown>;

const TEXTS = [
  ...['external_id', 'question_text', 'text_format', 'choices_order', 'category', 'topic_focus'],
  ...['explanation', 'source'],
] as const;
const LISTS = ['incorrect_answers', 'choices', 'accepted_answers', 'tags'] as const;
const NUMBERS = ['difficulty', 'choose'] as const;
const OBJECTS = ['numeric', 'answer_matching'] as const;
const KNOWN = new Set<string>([...TEXTS, ...LISTS, ...NUMBERS, ...OBJECTS, 'correct_answer']);
/** Fields of an exported question that the bank sets itself. */
const READ_ONLY = new Set(['$schema', 'id', 'kind', 'status', 'revision', 'created_at', 'updated_at']);

/** @throws RejectItem */
export function toQuestion(value: unknown, context: ObjectContext, remarks: Remark[]): PortableQuestion {
  if (!isObject(value))
    throw new RejectItem(
      'wrong_type',
      'A question must be an object such as {"question_text": …, "correct_answer": …}.',
    );
  if ('question_text' in value && ('correct_answer' in value || !findKey(value)))
    return readOwn(value, context, remarks);
  return readForeign(value, context, remarks);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const findKey = (value: JsonObject) =>
  Object.keys(value).some((name) => recogniseColumn(name)?.field === 'correct_answer');

function readOwn(value: JsonObject, context: ObjectContext, remarks: Remark[]): PortableQuestion {
  const question: JsonObject = {};
  for (const [name, given] of Object.entries(value)) {
    if (given === null) continue;
    if (!KNOWN.has(name)) ignore(name, context, remarks);
    else question[name] = convert(name, given);
  }
  if (question.question_text === undefined || question.question_text === '')
    throw new RejectItem('no_question_text', 'The question has no text.');
  if (question.correct_answer === undefined || question.correct_answer === '')
    throw new RejectItem('no_correct_answer', 'The question has no correct answer. Give one.');
  // The API shows the options in every order, but only this one is given.
  if (question.choices_order !== 'as_given') delete question.choices;
  return question as unknown as PortableQuestion;
}

function ignore(name: string, context: ObjectContext, remarks: Remark[]): void {
  if (READ_ONLY.has(name) || context.ignored.has(name)) return;
  context.ignored.add(name);
  remarks.push({ code: 'field_ignored', detail: `The field "${name.slice(0, 60)}" is not read.` });
}

function convert(name: string, value: unknown): unknown {
  const wrong = (expected: string) => new RejectItem('wrong_type', `\`${name}\` must be ${expected}.`);
  if ((TEXTS as readonly string[]).includes(name)) {
    if (typeof value === 'string') return value;
    throw wrong('a string');
  }
  if ((LISTS as readonly string[]).includes(name)) {
    if (Array.isArray(value) && value.every(isAnswer)) return value.map(String);
    throw wrong('an array of strings');
  }
  if ((NUMBERS as readonly string[]).includes(name)) {
    if (typeof value === 'number') return value;
    throw wrong('a number');
  }
  if (name === 'correct_answer') {
    if (isAnswer(value)) return String(value);
    if (Array.isArray(value) && value.every(isAnswer)) return value.map(String);
    throw wrong('a string, or an array of strings');
  }
  if (isObject(value)) return value;
  throw wrong('an object');
}

const isAnswer = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Any object whose fields have names that are recognised, as those of a table. */
function readForeign(value: JsonObject, context: ObjectContext, remarks: Remark[]): PortableQuestion {
  const draft: Draft = {
    question_text: '',
    correct: '',
    kind: '',
    options: [],
    incorrect: [],
    accepted: [],
    difficulty: '',
    tags: [],
    tolerance: '',
    relative_tolerance: '',
    unit: '',
    plain: {},
  };
  const columns = Object.entries(value).flatMap(([name, given]) => {
    const column = given === null ? undefined : recogniseColumn(name);
    if (!column && given !== null) ignore(name, context, remarks);
    return column ? [{ name, given, ...column }] : [];
  });
  const hasKey = columns.some(({ field }) => field === 'correct_answer');
  let isIndex = false;
  for (const { name, given, field, number } of columns) {
    if (field === 'question_text') draft.question_text = toText(name, given);
    else if (field === 'correct_answer' || (field === 'choices' && !hasKey && !isMarked(given))) {
      draft.correct = toCorrect(name, given);
      isIndex = typeof given === 'number';
    } else if (field === 'choices') addOptions(draft, name, given, hasKey);
    else if (field === 'option') draft.options[number! - 1] = toText(name, given);
    else if (field === 'incorrect_answer') draft.incorrect.push(toText(name, given));
    else if (field === 'incorrect_answers') draft.incorrect.push(...toList(name, given));
    else if (field === 'accepted_answers') draft.accepted.push(...toList(name, given));
    else if (field === 'tags') draft.tags = toList(name, given);
    else if (field === 'media') refuseMedia(given);
    else if (field === 'category' || field === 'topic_focus' || field === 'explanation' || field === 'source')
      setPlain(draft, field, toText(name, given));
    else if (field === 'external_id') setPlain(draft, field, toText(name, given));
    else if (field === 'kind' || field === 'difficulty') draft[field] = toText(name, given);
    else if (field === 'tolerance' || field === 'relative_tolerance' || field === 'unit')
      draft[field] = toText(name, given);
  }
  draft.options = Array.from(draft.options, (option) => option ?? '');
  if (isIndex && draft.options.length > 0 && !draft.options.includes(String(draft.correct)))
    throw new RejectItem(
      'ambiguous_key',
      `The correct answer ${draft.correct} may be counted from 0 or from 1. Give its text or its letter.`,
    );
  return buildQuestion(draft, context.keyStyle, remarks);
}

function setPlain(draft: Draft, field: keyof Draft['plain'], text: string): void {
  if (text !== '') draft.plain[field] = text;
}

function refuseMedia(value: unknown): void {
  if (value === '' || (Array.isArray(value) && value.length === 0) || value === false) return;
  throw new RejectItem(
    'needs_media',
    'The question has a picture or other media, which the bank does not keep. Remove the field if it can be answered without.',
  );
}

function toText(name: string, value: unknown): string {
  if (isAnswer(value)) return String(value).trim();
  throw new RejectItem('wrong_type', `\`${name}\` must be a string.`);
}

function toList(name: string, value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value.trim()];
  if (Array.isArray(value) && value.every(isAnswer)) return value.map((item) => String(item).trim());
  throw new RejectItem('wrong_type', `\`${name}\` must be an array of strings.`);
}

function toCorrect(name: string, value: unknown): string | string[] {
  if (!Array.isArray(value)) return toText(name, value);
  const list = toList(name, value);
  return list.length === 1 ? list[0]! : list;
}

const TEXT_NAMES = ['text', 'answer', 'option', 'label', 'value', 'content', 'title'];
const MARK_NAMES = ['correct', 'isCorrect', 'is_correct', 'right', 'isRight', 'is_right', 'isAnswer'];
const findMark = (option: JsonObject) => MARK_NAMES.find((name) => typeof option[name] === 'boolean');
/** Options such as `[{ "text": "Paris", "correct": true }, …]`. */
const isMarked = (value: unknown): value is JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && findMark(item));

function addOptions(draft: Draft, name: string, value: unknown, hasKey: boolean): void {
  if (isMarked(value)) {
    const texts = value.map((option) => toText(name, option[TEXT_NAMES.find((key) => key in option) ?? '']));
    draft.options = texts;
    if (!hasKey) draft.correct = texts.filter((_, i) => value[i]![findMark(value[i]!)!] === true);
    return;
  }
  // `{ "A": "Paris", "B": "Rome" }`
  if (
    isObject(value) &&
    Object.keys(value).every((key, i) => key.toUpperCase() === String.fromCharCode(65 + i))
  ) {
    draft.options = Object.values(value).map((option) => toText(name, option));
    return;
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
    draft.options = value.map((option) =>
      toText(name, option[TEXT_NAMES.find((key) => key in option) ?? '']),
    );
    return;
  }
  draft.options = toList(name, value);
}
