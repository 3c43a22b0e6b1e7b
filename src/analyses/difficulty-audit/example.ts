/** Six questions with 20 respondents. The last one is labelled Basic, but hard. */
import type { ExampleQuestion, ExampleSitting } from '../define.ts';

const ask = (question_text: string, correct_answer: string, difficulty: number): ExampleQuestion => ({
  question_text,
  correct_answer,
  category: 'Geography',
  difficulty,
});

/** By respondent and question: 1 if correct, 0 if not. */
const SCORES =
  '110000 101000 110000 100001 111000 110100 100001 111000 110001 111100 110100 101001 111010 011100 110110 111001 111110 111010 111110 111111';

const sittings: ExampleSitting[] = SCORES.split(' ').map((row, i) => ({
  respondent: `Person ${i + 1}`,
  answers: [...row].map((digit) => digit === '1'),
}));

export const EXAMPLE = {
  parameters: {},
  questions: [
    ask('Which is the largest continent?', 'Asia', 0),
    ask('On which continent is Kenya?', 'Africa', 0),
    ask('Which river flows through Budapest?', 'The Danube', 1),
    ask('Which city is the capital of Canada?', 'Ottawa', 1),
    ask('Which country has Windhoek for its capital?', 'Namibia', 2),
    ask('Which strait lies between Tasmania and the mainland?', 'Bass Strait', 0),
  ],
  responses: sittings,
};
