import type { QuestionChange, QuestionInput } from '../../schemas/question.ts';
import type { AnswerMatching, CorrectAnswer, Numeric } from '../../schemas/question-kinds.ts';
import type { Status } from '../../schemas/status.ts';

/**
 * The fields a caller can set. Those left out are null or empty; of the optional ones, absent, so
 * that the JSON of most questions stays short.
 */
export interface QuestionFields {
  difficulty: number;
  topic_focus: string | null;
  question_text: string;
  correct_answer: CorrectAnswer;
  incorrect_answers: string[];
  explanation: string | null;
  tags: string[];
  source: string | null;
  external_id: string | null;
  status: Status;
  /** Absent for plain text. */
  text_format?: 'markdown';
  /** Absent for shuffled choices. */
  choices_order?: 'sorted' | 'as_given';
  /** The options in the order that was given, with the order `as_given`. */
  choices?: string[];
  choose?: number;
  numeric?: Numeric;
  accepted_answers?: string[];
  answer_matching?: AnswerMatching;
}

/** Members are in a fixed order, so that equal fields have equal JSON. */
export function toFields(input: QuestionInput): QuestionFields {
  const { text_format, choices_order, choices, choose, numeric, accepted_answers, answer_matching } = input;
  const matching = answer_matching && toMatching(answer_matching);
  return {
    difficulty: input.difficulty,
    topic_focus: input.topic_focus ?? null,
    question_text: input.question_text,
    correct_answer: input.correct_answer,
    incorrect_answers: input.incorrect_answers ?? [],
    explanation: input.explanation ?? null,
    tags: input.tags ?? [],
    source: input.source ?? null,
    external_id: input.external_id ?? null,
    status: input.status ?? 'approved',
    ...(text_format === 'markdown' && { text_format }),
    ...((choices_order === 'sorted' || choices_order === 'as_given') && { choices_order }),
    ...(choices_order === 'as_given' && choices && { choices }),
    ...(choose && { choose }),
    ...(numeric && { numeric: toNumeric(numeric) }),
    ...(accepted_answers && accepted_answers.length > 0 && { accepted_answers }),
    ...(matching && Object.keys(matching).length > 0 && { answer_matching: matching }),
  };
}

const toNumeric = ({ tolerance, relative_tolerance, unit }: Numeric): Numeric => ({
  ...(tolerance !== undefined && { tolerance }),
  ...(relative_tolerance !== undefined && { relative_tolerance }),
  ...(unit !== undefined && { unit }),
});

const toMatching = (matching: AnswerMatching): AnswerMatching => ({
  ...(matching.ignore_case === false && { ignore_case: false }),
  ...(matching.ignore_diacritics && { ignore_diacritics: true }),
  ...(matching.ignore_punctuation && { ignore_punctuation: true }),
  ...(matching.ignore_articles && { ignore_articles: true }),
});

/**
 * Applies a change as a JSON merge patch (RFC 7396). The order of the choices is kept for as long as
 * they are shown as they were given.
 */
export function mergeChange(before: QuestionFields, change: QuestionChange & { category: string }) {
  const { choices, ...fields } = before;
  const merged = {
    ...fields,
    ...change,
    numeric: mergeMembers(before.numeric, change.numeric),
    answer_matching: mergeMembers(before.answer_matching, change.answer_matching),
  };
  return merged.choices_order === 'as_given' && choices ? { choices, ...merged } : merged;
}

type Patch<T> = { [K in keyof T]?: T[K] | null };

function mergeMembers<T extends object>(
  before: T | undefined,
  change: Patch<T> | null | undefined,
): T | null | undefined {
  if (change === undefined || change === null) return change === null ? null : before;
  const members = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(members) as T;
}
