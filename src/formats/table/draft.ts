/** Builds a question from named values, whatever names and conventions its file has. */
import type { PortableQuestion } from '../format.ts';
import { RejectItem } from '../reject-item.ts';
import { isDateLike, type KindHint, parseDifficulty, parseKind, splitForeignList } from './cells.ts';
import { type KeyStyle, resolveKey } from './key.ts';

/** Values of one question. Empty texts are absent values. */
export interface Draft {
  question_text: string;
  /** Several texts if the file has them apart. */
  correct: string | string[];
  kind: string;
  /** All options, by number; empty if there is none of that number. */
  options: string[];
  incorrect: string[];
  accepted: string[];
  difficulty: string;
  tags: string[];
  tolerance: string;
  relative_tolerance: string;
  unit: string;
  /** The texts that need no conversion. */
  plain: Pick<PortableQuestion, 'external_id' | 'category' | 'topic_focus' | 'explanation' | 'source'>;
}

export interface Remark {
  code: string;
  detail: string;
}

const TRUE_WORDS = /^(true|t|yes|y|1|wahr|richtig|ja|verdadero|vrai|verdadeiro|vero|waar)$/i;
const FALSE_WORDS = /^(false|f|no|n|0|falsch|nein|falso|faux|onwaar)$/i;

/** @throws RejectItem */
export function buildQuestion(draft: Draft, known: KeyStyle, remarks: Remark[]): PortableQuestion {
  const kind = draft.kind === '' ? undefined : parseKind(draft.kind);
  if (draft.question_text === '') throw new RejectItem('no_question_text', 'The question has no text.');
  if (kind === 'not_supported')
    throw new RejectItem(
      'kind_not_supported',
      `A question of the type "${draft.kind.slice(0, 60)}" has no answer that can be scored.`,
    );
  const question: PortableQuestion = {
    question_text: draft.question_text,
    ...readAnswers(draft, kind, known, remarks),
    ...draft.plain,
  };
  const difficulty = draft.difficulty === '' ? undefined : parseDifficulty(draft.difficulty);
  if (difficulty !== undefined) question.difficulty = difficulty;
  else if (draft.difficulty !== '')
    remarks.push({
      code: 'difficulty_unknown',
      detail: `The difficulty "${draft.difficulty.slice(0, 60)}" is left out: it must be 0 (Basic), 1 (Intermediate), 2 (Advanced) or such a name.`,
    });
  if (draft.tags.length > 0) question.tags = draft.tags;
  for (const answer of [question.correct_answer, question.incorrect_answers ?? []].flat())
    if (isDateLike(answer))
      remarks.push({
        code: 'date_like_answer',
        detail: `The answer "${answer}" looks like a date that a spreadsheet made of a number such as 1-2. Compare it with the original.`,
      });
  return question;
}

type Answers = Pick<
  PortableQuestion,
  'correct_answer' | 'incorrect_answers' | 'accepted_answers' | 'numeric'
>;

function readAnswers(draft: Draft, kind: KindHint | undefined, known: KeyStyle, remarks: Remark[]): Answers {
  const options = draft.options;
  const hasOptions = options.some((option) => option !== '');
  const isNumeric = kind === 'numeric' || draft.tolerance !== '' || draft.relative_tolerance !== '';
  if (hasOptions && kind === 'short_answer') return readVariants(draft);
  requireCorrect(draft);
  if (kind === 'true_false' && !hasOptions && draft.incorrect.length === 0) return readTrueFalse(draft);
  if (isNumeric) return { correct_answer: toText(draft.correct), numeric: readNumeric(draft) };
  if (hasOptions) return readOptions(draft, known);
  const correct = toCorrect(draft, kind, remarks);
  const answers: Answers = { correct_answer: correct };
  if (draft.incorrect.length > 0) answers.incorrect_answers = draft.incorrect;
  if (draft.accepted.length > 0) answers.accepted_answers = draft.accepted;
  return answers;
}

function requireCorrect({ correct }: Draft): void {
  if (correct === '' || correct.length === 0)
    throw new RejectItem('no_correct_answer', 'The question has no correct answer. Give one.');
}

const toText = (correct: string | string[]) => (Array.isArray(correct) ? correct.join(', ') : correct);

/** Several correct answers without a list of options. */
function toCorrect({ correct, incorrect }: Draft, kind: KindHint | undefined, remarks: Remark[]) {
  if (Array.isArray(correct)) return correct.length === 1 ? correct[0]! : correct;
  if (kind !== 'multiple_response' || incorrect.length === 0) return correct;
  const { elements, isDoubtful } = splitForeignList(correct);
  if (isDoubtful) remarks.push(remarkOnCommas('correct_answer'));
  return elements.length > 1 ? elements : correct;
}

export const remarkOnCommas = (field: string): Remark => ({
  code: 'list_not_split',
  detail: `\`${field}\` has commas, which may belong to the text, and is read as one answer. Separate several answers with "|".`,
});

/** A question to fill in, whose options are the answers that are accepted. */
function readVariants({ options, correct, accepted }: Draft): Answers {
  const [first, ...others] = [...[correct].flat(), ...options, ...accepted].filter((text) => text !== '');
  const variants = [...new Set(others)].filter((text) => text !== first);
  return {
    correct_answer: first!,
    ...(variants.length > 0 && { accepted_answers: variants }),
  };
}

function readTrueFalse({ correct }: Draft): Answers {
  const text = toText(correct);
  if (TRUE_WORDS.test(text)) return { correct_answer: 'True', incorrect_answers: ['False'] };
  if (FALSE_WORDS.test(text)) return { correct_answer: 'False', incorrect_answers: ['True'] };
  throw new RejectItem(
    'key_not_among_options',
    `The answer to a true-false question must be true or false, not "${text.slice(0, 60)}".`,
  );
}

function readNumeric(draft: Draft): NonNullable<PortableQuestion['numeric']> {
  const numeric: NonNullable<PortableQuestion['numeric']> = {};
  for (const field of ['tolerance', 'relative_tolerance'] as const) {
    if (draft[field] === '') continue;
    numeric[field] = Number(draft[field].replace(',', '.'));
    if (!Number.isFinite(numeric[field]))
      throw new RejectItem(
        'invalid_number',
        `\`${field}\` must be a number such as 0.5, not "${draft[field].slice(0, 60)}".`,
      );
  }
  if (draft.unit !== '') numeric.unit = draft.unit;
  return numeric;
}

function readOptions({ correct, options, incorrect }: Draft, known: KeyStyle): Answers {
  const indices = Array.isArray(correct)
    ? [...new Set(correct.flatMap((key) => resolveKey(key, options, known)))]
    : resolveKey(correct, options, known);
  const right = indices.map((index) => options[index]!);
  const wrong = options.filter((option, index) => option !== '' && !indices.includes(index));
  return {
    correct_answer: right.length === 1 ? right[0]! : right,
    incorrect_answers: [...wrong, ...incorrect.filter((text) => !wrong.includes(text))],
  };
}
