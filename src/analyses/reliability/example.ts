/**
 * Six questions with 24 respondents. The last question does not correlate with the others and
 * lowers alpha.
 */
import type { ExampleQuestion, ExampleSitting } from '../define.ts';

const ask = (question_text: string, correct_answer: string, difficulty: number): ExampleQuestion => ({
  question_text,
  correct_answer,
  category: 'Astronomy',
  difficulty,
});

/** By respondent and question: y if correct, n if not. */
const SCORES =
  'yyyyyn yyyyyy yyyyyn yyyyny yyyynn yyyynn yyyyny yyynnn yyynny yyynnn yyynny yynynn ' +
  'yynnny yynnnn yynnny yynnnn ynnnny ynynnn ynnnnn ynnnny nynnnn nnnnnn nnnnny ynnnnn';

export const EXAMPLE = {
  parameters: { min_cases: 20 },
  questions: [
    ask('Which planet is closest to the Sun?', 'Mercury', 0),
    ask('How many minutes does light take from the Sun to the Earth?', '8', 1),
    ask('Which planet has the moon Titan?', 'Saturn', 1),
    ask('Which element is most abundant in the Sun?', 'Hydrogen', 1),
    ask('Who measured the distance of a star for the first time?', 'Friedrich Bessel', 2),
    ask('On which weekday did people first land on the Moon?', 'Sunday', 2),
  ],
  responses: SCORES.split(' ').map(
    (row, i): ExampleSitting => ({
      respondent: `person-${i + 1}`,
      answers: [...row].map((score) => score === 'y'),
    }),
  ),
};
