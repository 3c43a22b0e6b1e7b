import type { QuestionInput } from '../../schemas/question.ts';

/** The fields a caller can set. Those left out are null or empty. */
export interface QuestionFields {
  difficulty: number;
  topic_focus: string | null;
  question_text: string;
  correct_answer: string;
  incorrect_answers: string[];
  explanation: string | null;
  tags: string[];
  source: string | null;
  external_id: string | null;
}

export function toFields(input: QuestionInput): QuestionFields {
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
  };
}
