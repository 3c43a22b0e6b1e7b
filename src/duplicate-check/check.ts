/**
 * Finds the questions of the bank, and those earlier in the same request, that are nearly identical
 * to new ones. Similar texts are found through the full-text index (store/questions/similar.ts) and
 * compared as in the analysis `duplicates`.
 */
import { Ticker } from '../concurrency/ticker.ts';
import type { DuplicateCheck, DuplicateMatch } from '../schemas/duplicate-check.ts';
import type { QuestionInput } from '../schemas/question.ts';
import { listCorrect } from '../schemas/question-kinds.ts';
import type { CallOptions, Engine } from '../store/db.ts';
import { findSimilar, type SimilarQuestions } from '../store/questions/similar.ts';
import type { View } from '../store/view.ts';
import { stripMarkup } from '../text/markup.ts';
import { BatchIndex } from './batch-index.ts';
import { type ComparedQuestion, findDuplicates } from './comparison.ts';
import { listAlternatives } from './words.ts';

/** Questions of the bank and of the request that a question is compared with. */
const MAX_COMPARED = 16;
/** Questions that one search looks up, so that other searches need not wait for a large request. */
const MAX_QUESTIONS_PER_SEARCH = 16;
const SLICE_MS = 5;
/** The time for all questions of a request. */
const MAX_CHECK_MS = 5_000;

export interface CheckOptions {
  view: View;
  /** Whether the caller may see the texts and answers of other questions. */
  showsTexts: boolean;
  /** The ids of the questions, if they are stored already. */
  ids?: string[] | undefined;
  call: CallOptions;
  /** Receives the error that ended the check early. */
  onFailure: (error: unknown) => void;
}

/**
 * Checks questions in the order of the request. Never rejects: questions that could not be checked
 * in time, or because of a failure, are reported as such.
 */
export async function checkDuplicates(
  engine: Engine,
  inputs: readonly QuestionInput[],
  options: CheckOptions,
): Promise<DuplicateCheck[]> {
  const { view, ids, call } = options;
  const checks = inputs.map((): DuplicateCheck => ({ complete: false, matches: [] }));
  const deadlineAt = Math.min(performance.now() + MAX_CHECK_MS, call.deadlineAt ?? Number.POSITIVE_INFINITY);
  const ticker = new Ticker({ sliceMs: SLICE_MS });
  const batch = new BatchIndex();
  try {
    for (const { question_text } of inputs) {
      batch.add(question_text);
      if (ticker.due()) await ticker.yield();
    }
    for (let start = 0; start < inputs.length; start += MAX_QUESTIONS_PER_SEARCH) {
      if (performance.now() >= deadlineAt) break;
      const part = inputs.slice(start, start + MAX_QUESTIONS_PER_SEARCH);
      const similar = await engine.search(
        findSimilar,
        {
          texts: part.map(({ question_text }) => listAlternatives(question_text)),
          view,
          limit: MAX_COMPARED,
          except: ids,
        },
        { ...call, deadlineAt },
      );
      for (const [i, found] of similar.entries()) {
        const index = start + i;
        const compare = (other: number) => toCompared(inputs[other]!, ids?.[other] ?? null, other, view);
        const candidates = [
          ...parseQuestions(found, view),
          ...batch.findEarlier(index, MAX_COMPARED).map(compare),
        ];
        const matches = findDuplicates(compare(index), candidates, found, view);
        checks[index] = { complete: true, matches: options.showsTexts ? matches : matches.map(hideTexts) };
        if (ticker.due()) await ticker.yield();
      }
    }
  } catch (error) {
    options.onFailure(error);
  }
  return checks;
}

const hideTexts = ({ id, index, class: found, similarity }: DuplicateMatch): DuplicateMatch => ({
  ...{ id, index, class: found, similarity },
});

const toPlainText = (text: string, format: QuestionInput['text_format']) =>
  format === 'markdown' ? stripMarkup(text) : text;

function toCompared(input: QuestionInput, id: string | null, index: number, view: View): ComparedQuestion {
  const { question_text, correct_answer, text_format } = input;
  const incorrect = input.incorrect_answers ?? [];
  return {
    id,
    index,
    question_text: toPlainText(question_text, text_format),
    correct_answer: view === 'with_answers' ? correct_answer : '',
    choices: incorrect.length > 0 ? [...listCorrect(correct_answer), ...incorrect] : [],
  };
}

function parseQuestions({ questions }: SimilarQuestions, view: View): ComparedQuestion[] {
  return questions.map((body) => {
    const { id, question_text, correct_answer, choices = [], text_format } = JSON.parse(body);
    return {
      ...{ id, index: null, question_text: toPlainText(question_text, text_format), choices },
      correct_answer: view === 'with_answers' ? correct_answer : '',
    };
  });
}
