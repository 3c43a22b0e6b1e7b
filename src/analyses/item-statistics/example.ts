/** Six questions with 24 respondents: one is miskeyed, and one distractor is never chosen. */

const ask = (
  question_text: string,
  correct_answer: string,
  incorrect_answers: string[],
  category: string,
  difficulty: number,
) => ({ question_text, correct_answer, incorrect_answers, category, difficulty });

const QUESTIONS = [
  ask('Which is the largest ocean?', 'Pacific', ['Atlantic', 'Indian', 'Arctic'], 'Geography', 0),
  ask('What is the capital of Australia?', 'Sydney', ['Canberra', 'Melbourne', 'Perth'], 'Geography', 1),
  ask('Which river flows through Budapest?', 'Danube', ['Rhine', 'Vistula', 'Amazon'], 'Geography', 0),
  ask('Which country has the most people?', 'India', ['China', 'United States', 'Indonesia'], 'Geography', 1),
  ask(
    'Which mountain is the highest in Africa?',
    'Kilimanjaro',
    ['Mount Kenya', 'Toubkal', 'Meru'],
    'Geography',
    1,
  ),
  ask('Which desert is the largest hot one?', 'Sahara', ['Gobi', 'Kalahari', 'Namib'], 'Geography', 0),
];

/**
 * By respondent and question: the index of the chosen option, 0 for the key; a dot for an omitted
 * question.
 */
const ANSWERS =
  '010000 010030 010000 010000 010030 010000 020000 010000 010010 010200 012101 010330 ' +
  '010330 010032 032322 310220 002332 100222 002211 222313 201112 201112 132323 30112.';

export const EXAMPLE = {
  parameters: { min_cases: 20, min_per_outcome: 6 },
  questions: QUESTIONS,
  responses: ANSWERS.split(' ').map((answers, i) => ({
    respondent: `person-${i + 1}`,
    answers: [...answers].map((digit, q) => {
      const { correct_answer, incorrect_answers } = QUESTIONS[q]!;
      return digit === '.' ? null : [correct_answer, ...incorrect_answers][Number(digit)]!;
    }),
  })),
};
