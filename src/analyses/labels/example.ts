/** Questions of two categories, with one wrong category and one wrong difficulty. */
import type { ExampleQuestion } from '../define.ts';

const toQuestion = (
  category: string,
  difficulty: number,
  question_text: string,
  correct_answer: string,
): ExampleQuestion => ({ question_text, correct_answer, category, difficulty });

export const example = {
  parameters: { folds: 3 },
  questions: [
    toQuestion('Geography', 0, 'What is the name of the river in this country?', 'The Loire'),
    toQuestion('Geography', 2, 'In which year was the river in this country first mentioned?', '871'),
    toQuestion('Geography', 0, 'What is the name of the mountain in this country?', 'Triglav'),
    toQuestion('Geography', 2, 'In which year was the mountain in this country first mentioned?', '956'),
    toQuestion('Geography', 0, 'In which year was the mountain by this river first mentioned?', '1012'),
    toQuestion('Cooking', 0, 'What is the name of the sauce with butter and flour?', 'Béchamel'),
    toQuestion('Cooking', 2, 'In which year was the sauce with butter and flour first mentioned?', '1651'),
    toQuestion('Cooking', 0, 'What is the name of the soup with butter and flour?', 'Velouté'),
    toQuestion('Cooking', 2, 'In which year was the soup with cream and butter first mentioned?', '1739'),
    toQuestion('Cooking', 2, 'In which year was the sauce with cream and flour first mentioned?', '1604'),
    toQuestion('Cooking', 2, 'In which year was the soup with cream and flour first mentioned?', '1604'),
    toQuestion('Geography', 0, 'What is the name of the soup with cream and butter?', 'Bisque'),
  ],
};
