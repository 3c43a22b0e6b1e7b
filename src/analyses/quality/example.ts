/** A small bank in which all questions but one have flaws. */
import type { Definition, ExampleQuestion } from '../define.ts';

const questions: ExampleQuestion[] = [
  {
    question_text: 'Which of these is not a citrus fruit?',
    correct_answer: 'Plum',
    incorrect_answers: ['Lemon', 'Lime', 'Orange'],
    category: 'Biology',
    difficulty: 0,
  },
  {
    question_text: 'Which of these metals is NOT attracted by a magnet?',
    correct_answer: 'Copper',
    incorrect_answers: ['Iron', 'Nickel', 'None of the above'],
    category: 'Physics',
    difficulty: 0,
  },
  {
    question_text: 'A doctor who looks after the heart is called a',
    correct_answer: 'Cardiologist',
    incorrect_answers: ['Oncologist', 'Allergist', 'Orthopaedist'],
    category: 'Medicine',
    difficulty: 0,
  },
  {
    question_text: 'What is the capital of Luxembourg?',
    correct_answer: 'Luxembourg City',
    incorrect_answers: ['Esch', 'Differdange', 'Dudelange'],
    category: 'Geography',
    difficulty: 1,
  },
  {
    question_text: 'Why do leaves look green?',
    correct_answer: 'Chlorophyll throws back the green part of the light that falls on them',
    incorrect_answers: ['By drinking water', 'By storing sugar', 'By growing in spring'],
    category: 'Biology',
    difficulty: 1,
  },
  {
    question_text: 'How many bones are there in a person&#039;s hand?',
    correct_answer: '27 to 30',
    incorrect_answers: ['less than 20', '20 to 27', 'more than 30'],
    category: 'Medicine',
    difficulty: 2,
  },
  {
    question_text: 'Metals are not always solid at room temperature.',
    correct_answer: 'True',
    incorrect_answers: ['False'],
    category: 'Physics',
    difficulty: 0,
  },
  {
    question_text: 'Which of the following rivers is the longest?',
    correct_answer: 'The Nile',
    category: 'Geography',
    difficulty: 1,
  },
  {
    question_text: 'Who is currently the the oldest head of state?',
    correct_answer: 'TODO',
    category: 'Politics',
    difficulty: 2,
  },
  {
    question_text: 'The largest moon of Saturn.',
    correct_answer: 'Titan',
    incorrect_answers: ['Rhea', 'rhea', 'Iapetus'],
    category: 'Astronomy',
    difficulty: 1,
  },
  {
    question_text: 'Which Viennese cafÃ© was opened in 1876? Who built it?',
    correct_answer: 'Café Central',
    incorrect_answers: ['Café Sperl', 'Café Hawelka', 'Both A and B'],
    category: 'History',
    difficulty: 2,
  },
  {
    question_text: 'Which planet is nearest to the Sun?',
    correct_answer: 'Mercury',
    incorrect_answers: ['Venus', 'Mars', 'Saturn'],
    category: 'Astronomy',
    difficulty: 0,
  },
];

export const example = { parameters: {}, questions } satisfies Definition['example'];
