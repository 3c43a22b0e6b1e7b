import type { Definition, ExampleQuestion } from '../define.ts';

const ask = (
  question_text: string,
  correct_answer: string,
  category: string,
  difficulty: number,
  topic_focus?: string,
): ExampleQuestion => ({
  question_text,
  correct_answer,
  category,
  difficulty,
  ...(topic_focus && { topic_focus }),
});

export const example = {
  parameters: {
    min_per_cell: 2,
    blueprint: [
      { category: 'Geography', difficulty: 0, share: 0.2 },
      { category: 'Geography', share: 0.2 },
      { category: 'Chemistry', topic_focus: 'Elements', share: 0.4 },
      { category: 'Chemistry', difficulty: 2, share: 0.2 },
    ],
  },
  questions: [
    ask('Which river flows through Vienna?', 'Danube', 'Geography', 0),
    ask('On which continent is Chad?', 'Africa', 'Geography', 0),
    ask('Which sea lies between Sweden and Estonia?', 'Baltic Sea', 'Geography', 0),
    ask('Which country has Windhoek as its capital?', 'Namibia', 'Geography', 1),
    ask('What is the symbol of tin?', 'Sn', 'Chemistry', 0, 'Elements'),
    ask('Which metal is liquid at room temperature?', 'Mercury', 'Chemistry', 0, 'Elements'),
    ask('Which element has the atomic number 8?', 'Oxygen', 'Chemistry', 1, 'Elements'),
    ask('What is the pH of pure water at 25 °C?', '7', 'Chemistry', 1),
    ask('Which instrument has 88 keys?', 'Piano', 'Music', 0),
  ],
} satisfies Definition['example'];
