/**
 * Six questions with 40 respondents in each of two groups. The one about cricket favours one group.
 */
import type { ExampleQuestion, ExampleSitting } from '../define.ts';

const ask = (question_text: string, correct_answer: string, difficulty: number): ExampleQuestion => ({
  question_text,
  correct_answer,
  category: 'General Knowledge',
  difficulty,
});

/** By group, respondent and question: 1 if correct, 0 if not. */
const SCORES = {
  Manchester:
    '000000 010001 000001 100100 100001 100100 111011 010111 010101 101011 111000 101011 110101 111101 110111 111010 111111 111101 111100 110111 ' +
    '000000 100001 000010 100001 011001 000000 100001 111100 101001 110101 101001 111011 001101 110010 111011 111111 101101 111111 111111 111111',
  Chicago:
    '000000 010000 000000 100100 010100 110001 101000 010010 010000 010100 011000 110101 000010 111100 111110 111100 111111 111101 111110 111110 ' +
    '000000 000000 000000 000000 100000 100000 100010 100000 100000 000000 100000 110000 111010 111101 111111 111110 111111 111111 111011 111111',
};

const listSittings = (group: keyof typeof SCORES): ExampleSitting[] =>
  SCORES[group].split(' ').map((row, i) => ({
    respondent: `${group} ${i + 1}`,
    group,
    answers: [...row].map((digit) => digit === '1'),
  }));

export const EXAMPLE = {
  parameters: { reference: 'Manchester' },
  questions: [
    ask('Which planet is known as the Red Planet?', 'Mars', 0),
    ask('What is the largest ocean on Earth?', 'The Pacific', 0),
    ask('In which year did the Second World War end?', '1945', 1),
    ask('What is the chemical symbol of potassium?', 'K', 1),
    ask('Who painted the ceiling of the Sistine Chapel?', 'Michelangelo', 1),
    ask('How many players of a cricket team are on the field when it bowls?', '11', 1),
  ],
  responses: [...listSittings('Manchester'), ...listSittings('Chicago')],
};
