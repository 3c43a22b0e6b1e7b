import type { Definition, ExampleQuestion } from '../define.ts';

const ask = (question_text: string, difficulty: number): ExampleQuestion => ({
  question_text,
  correct_answer: 'See the key',
  category: 'Mixed',
  difficulty,
});

export const example = {
  parameters: { max_grade: 12, max_words: 30 },
  questions: [
    ask('What is the name of the big river that runs through the middle of Egypt?', 0),
    ask('How many legs do a spider and an ant have if you count them all?', 0),
    ask('Which of these four birds can swim well but is not able to fly?', 0),
    ask('What do we call the time of day when the sun goes down in the west?', 0),
    ask('Which fruit has its seeds on the outside and turns red when it is ripe?', 0),
    ask(
      'Which international organisation is responsible for the regulation of telecommunications and for the allocation of radio frequencies?',
      0,
    ),
    ask('Which city was the capital of the country before the government moved to Ankara in 1923?', 1),
    ask('Name the photosynthetic organelle.', 1),
    ask(
      'A train leaves the first town at nine and goes at sixty miles an hour. A second train leaves the next town an hour later and goes at eighty. How far from the first town do they meet?',
      2,
    ),
    ask('東京はどこの国の首都ですか。', 2),
    ask('Welche österreichische Hauptstadt wurde im Jahre 1683 belagert?', 2),
  ],
} satisfies Definition['example'];
