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
  '1111100 1111000 0010000 1111101 1000010 1111101 1110100 1110010 1100100 1111100',
  '1111101 1100101 0000010 1111100 0010010 0010010 0100010 1100010 1110010 1110000',
  '1010010 1100010 0000110 1100100 1000010 1011011 0110000 1111000 1101100 0000010',
  '0100000 1111101 1011001 1111100 0010000 1110000 1101101 0000010 1101011 1111101',
  '1111101 1110101 1111100 1111000 1010101 1111000 0010110 0000000 1100100 1111101',
  '1100100 1011000 1111101 1111101 1110101 1111000 1101100 1110000 1111000 1001100',
  '1110000 1101001 1111001 1101000 0000000 1110000 0101000 1110000 1101000 1111100',
  '1000010 1100010 0000010 1111100 1100110 1110100 1110000 0000010 0000010 0100010',
  '1111010 0111010 0100000 1110110 1000010 1111100 1000010 0100010 1100101 1000010',
  '1110010 0110010 1111100 1101000 1101010 0010010 1111000 1111100 0110010 1111101',
  '1111001 0000010 1000000 1100011 1011000 1111100 1111011 1111010 1111001 0010010',
  '1010010 1110000 1110000 1000010 1111000 1111000 0111010 1010000 1111100 1111000',
].flatMap((line) => line.split(' '));

/** One response pattern per respondent, 1 for right. */
export const EXAMPLE_RESPONSES: ExampleSitting[] = RESPONSE_PATTERNS.map((pattern, i) => ({
  respondent: `p${String(i + 1).padStart(3, '0')}`,
  answers: [...pattern].map((digit) => digit === '1'),
}));
