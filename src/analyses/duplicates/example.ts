/** Questions that show a duplicate, a likely duplicate, a conflict and two kinds of variants. */
import type { ExampleQuestion } from '../define.ts';

const toQuestion = (
  question_text: string,
  correct_answer: string,
  incorrect_answers: string[],
): ExampleQuestion => ({
  question_text,
  correct_answer,
  incorrect_answers,
  category: 'general',
  difficulty: 0,
});

export const example = {
  parameters: {},
  questions: [
    toQuestion('What is the capital of Portugal?', 'Lisbon', ['Porto', 'Madrid', 'Rome']),
    toQuestion('what is the capital city of Portugal', 'Lisbon', ['Rome', 'Porto', 'Madrid']),
    toQuestion('Who is the lead singer of the band Coldplay?', 'Chris Martin', [
      'Bono',
      'Sting',
      'Mick Jagger',
    ]),
    toQuestion('Who is the lead singer of the British pop rock band Coldplay?', 'Chris Martin', [
      'Thom Yorke',
      'Jarvis Cocker',
      'Damon Albarn',
    ]),
    toQuestion('In which year did World War II end in Europe?', '1945', ['1943', '1944', '1946']),
    toQuestion('In which year did the Second World War end in Europe?', '1944', ['1943', '1945', '1946']),
    toQuestion('Which is the longest river that flows through South America?', 'Amazon', [
      'Nile',
      'Ohio',
      'Don',
    ]),
    toQuestion('Which is the longest river that flows through North America?', 'Missouri', [
      'Nile',
      'Ohio',
      'Don',
    ]),
    toQuestion('Whales are fish.', 'False', ['True']),
    toQuestion('Whales are not fish.', 'True', ['False']),
  ],
};
