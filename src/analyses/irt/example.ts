/** Example: a general knowledge quiz with a wrong key (Canberra is the capital of Australia). */
import type { ExampleQuestion, ExampleSitting } from '../define.ts';

const newQuestion = (
  category: string,
  difficulty: number,
  question_text: string,
  ...[correct_answer = '', ...incorrect_answers]: string[]
): ExampleQuestion => ({ question_text, correct_answer, incorrect_answers, category, difficulty });

export const EXAMPLE_QUESTIONS: ExampleQuestion[] = [
  newQuestion('Geography', 0, 'Which river flows through Paris?', 'Seine', 'Rhine', 'Rhône', 'Loire'),
  newQuestion('History', 0, 'In which year did the Second World War end?', '1945', '1918', '1939', '1949'),
  newQuestion('Science', 0, 'Which planet is closest to the sun?', 'Mercury', 'Venus', 'Mars', 'Earth'),
  newQuestion(
    'Literature',
    1,
    'Who wrote "The Trial"?',
    'Franz Kafka',
    'Thomas Mann',
    'Robert Musil',
    'Hermann Hesse',
  ),
  newQuestion('Science', 1, 'Which element has the symbol W?', 'Tungsten', 'Tin', 'Wolframite', 'Vanadium'),
  newQuestion(
    'Geography',
    1,
    'What is the capital of Australia?',
    'Sydney',
    'Canberra',
    'Melbourne',
    'Perth',
  ),
  newQuestion(
    'History',
    2,
    "Which treaty ended the Thirty Years' War?",
    'Westphalia',
    'Utrecht',
    'Tordesillas',
    'Verdun',
  ),
];

const RESPONSE_PATTERNS = [
  '0000010 1110000 1110010 0000010 1111111 1101010 0100000 1111000',
  '1110111 1111000 1000100 1111000 1110000 1111101 1100010 1001010',
  '1111000 1010010 0111000 0000010 1010010 1110100 1101010 1101000',
  '1111100 1110101 1111101 1101001 1111100 1111100 1110000 1110100',
  '1101001 1101010 0100010 1111100 1010000 1111000 1110001 1000010',
].flatMap((line) => line.split(' '));

/** One response pattern per respondent, 1 for right. */
export const EXAMPLE_RESPONSES: ExampleSitting[] = RESPONSE_PATTERNS.map((pattern, i) => ({
  respondent: `p${String(i + 1).padStart(2, '0')}`,
  answers: [...pattern].map((digit) => digit === '1'),
}));
