/** The rules about the writing of questions, by cases; and what becomes of their findings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { quality } from '../../src/analyses/quality/index.ts';
import { RULES } from '../../src/analyses/quality/rules.ts';
import { expectChart } from '../support/figures.ts';
import { runInline } from '../support/inline-analysis.ts';

const about = { category: 'Anything', difficulty: 0 };
/** The first option is the right one. */
const ask = (
  question_text: string,
  ...[correct_answer = 'Vienna', ...incorrect_answers]: string[]
): ExampleQuestion => ({
  question_text,
  correct_answer,
  incorrect_answers,
  ...about,
});
const cities = ['Vienna', 'Prague', 'Berlin', 'Madrid'];
const choose = (question_text: string) => ask(question_text, ...cities);
const judge = (question_text: string) => ask(question_text, 'True', 'False');
const options = (...all: string[]) => ask('Which of these is the case here?', ...all);

const flagsOf = async (question: ExampleQuestion, parameters = {}): Promise<string[]> => {
  const { items } = await runInline(quality, [question], parameters);
  return items.flatMap(({ flags }) => flags);
};

/** By rule: questions that it finds, and questions that look alike and are as they should be. */
const CASES: Record<string, { found: ExampleQuestion[]; fine: ExampleQuestion[] }> = {
  article_clue: {
    found: [
      ask('An insect that makes honey is called a', 'bee', 'ant', 'wasp', 'earwig'),
      ask('Whoever studies the stars is an ____.', 'astronomer', 'geologist', 'botanist', 'diver'),
    ],
    fine: [
      ask('An insect that makes honey is called a(n)', 'bee', 'ant', 'wasp', 'earwig'),
      ask('An insect that makes honey is called a', 'bee', 'wasp', 'moth', 'beetle'),
      ask('Whoever works there is a', 'unicyclist', 'European', 'MP', 'one-man band'),
      ask('It is known as vitamin A?', 'Retinol', 'Iron', 'Biotin', 'Zinc'),
    ],
  },
  answer_in_question: {
    found: [
      ask('Who invented the Morse code?', 'Morse', 'Bell', 'Edison', 'Marconi'),
      ask('Which town gave Jersey City its second word?', 'Jersey City'),
    ],
    fine: [
      ask('Which is larger, Jupiter or Saturn?', 'Jupiter', 'Saturn', 'Mars'),
      ask('Which is larger, Jupiter or Saturn?', 'Jupiter'),
      ask('Who invented the telegraph?', 'Morse', 'Bell', 'Edison', 'Marconi'),
      ask('Which of these is NOT by Morse?', 'Morse', 'Bell', 'Edison', 'Marconi'),
    ],
  },
  answer_echo: {
    found: [ask('Who leads the Lannister army?', 'Tywin Lannister', 'Ned Stark', 'Hodor', 'Balon Greyjoy')],
    fine: [
      ask('Who leads the Lannister army?', 'Tywin Lannister', 'Cersei Lannister', 'Hodor', 'Balon Greyjoy'),
      ask('Which city lies on the Hudson?', 'New York City', 'Boston', 'Chicago', 'Denver'),
    ],
  },
  answer_is_longest: {
    found: [options('The one that is much longer than any of the others', 'Short', 'Brief', 'Small')],
    fine: [
      options('Short', 'The one that is much longer than any of the others', 'Brief', 'Small'),
      options('Johannesburg', 'Rome', 'Oslo', 'Bern'),
    ],
  },
  odd_length: {
    found: [options('Short', 'The one that is much longer than any of the others', 'Brief', 'Small')],
    fine: [
      options('Johannesburg', 'Rome', 'Oslo', 'Bern'),
      options('A long sentence about the first thing', 'A long sentence about the next', 'Short'),
    ],
  },
  all_of_the_above: {
    found: [
      'All of the above',
      'all the above.',
      'Both of these',
      'All of these cities',
      'All three options',
    ].map((last) => options('Red', 'Green', last)),
    fine: ['All of Us Strangers', 'All about Eve', 'Above all'].map((last) => options('Red', 'Green', last)),
  },
  none_of_the_above: {
    found: ['None of the above', 'none of these', 'Neither of them'].map((last) =>
      options('Red', 'Green', last),
    ),
    fine: ['None', 'None of Your Business', 'Neither'].map((last) => options('Red', 'Green', last)),
  },
  names_other_options: {
    found: ['Both A and B', 'A and C', 'both (a) and (c)', 'Options A, B and C', 'Both 1 and 2'].map((last) =>
      options('Red', 'Green', last),
    ),
    fine: [
      ask('Which vitamins are soluble in fat?', 'A and D', 'Only biotin', 'Niacin'),
      options('A and E', 'B and D', 'C and D', 'Red'),
    ],
  },
  repeated_option: {
    found: [
      options('Paris', 'paris', 'Rome', 'Oslo'),
      options('The Hague', 'Hague.', 'Rome'),
      options('“Yes”', 'Yes', 'No'),
    ],
    fine: [
      options('C', 'C++', 'C#'),
      options('resume', 'résumé', 'résume'),
      ask('Which is spelt right?', 'Paris', 'paris', 'Parris'),
      options('-5', '5', '.5'),
      options(`5'`, '5"', '5 m'),
    ],
  },
  overlapping_options: {
    found: [
      ask('How many bones are there?', '10-20', '15-25', '30-40'),
      ask('How many bones are there?', '10 to 20', '20 to 30', '31 to 40'),
      ask('How many bones are there?', 'More than 10', 'More than 1,000', '5'),
    ],
    fine: [
      ask('How many bones are there?', 'fewer than 10', '10 to 20', 'more than 20'),
      ask('How long is it?', '1 to 3 hours', '2 to 4 days'),
      ask('When did she reign?', '1740-1780', '1745-1765', '1711-1740'),
      ask('How many points made the score?', '3-2', '2-1', '1-0'),
    ],
  },
  option_is_question: {
    found: [ask('What is a moraine?', 'Debris', 'what is a moraine', 'Ice')],
    fine: [ask('Why?', 'Why', 'Because')],
  },
  mixed_notation: {
    found: [
      ask('How many are there?', '3', 'Four', '5', '6'),
      ask('How many are there?', '1,200', '1300', '1,400'),
      ask('How far is it?', '5 km', '7 km', '9', '11 km'),
    ],
    fine: [
      ask('How many are there?', '3', '40', '5,000', '600'),
      ask('How many are there?', '1 million', '500,000', '2 billion'),
      ask('When was it?', '1914', '1918', '1939'),
      ask('How many are there?', 'None', '1', '2'),
    ],
  },
  odd_capital: {
    found: [options('Red', 'Green', 'blue', 'Yellow')],
    fine: [
      options('iPhone', 'Nokia', 'Samsung'),
      options('Rembrandt', 'Vermeer', 'van Gogh'),
      options('dog', 'cat', 'Dalmatian'),
    ],
  },
  odd_full_stop: {
    found: [
      options('It rains often.', 'It snows', 'It is windy'),
      options('It rains often.', 'It snows today.', 'It is windy'),
    ],
    fine: [
      options('Super Smith Bros.', 'Smith and Daughter', 'Smith'),
      options('Smith Jr.', 'Smith', 'Jones'),
    ],
  },
  odd_beginning: {
    found: [
      options('To eat', 'To drink', 'To sleep', 'Swimming'),
      options('A hat', 'An umbrella', 'A shoe', 'Courage'),
    ],
    fine: [
      options('The Kinks', 'The Who', 'The Clash', 'Queen'),
      options('A hat', 'An umbrella', 'A shoe', 'The rain'),
    ],
  },
  absolute_term: {
    found: [
      judge('Water always boils at 100 degrees.'),
      options('It never rains', 'It rains in May', 'It snows in May'),
    ],
    fine: [
      options('Never Say Never Again', 'Goldfinger', 'Moonraker'),
      ask('Which line does she sing?', 'you will never walk alone here', 'let it be', 'help me'),
      judge('"Never Say Never Again" is a film.'),
    ],
  },
  vague_term: {
    found: [judge('Cats sometimes swim.'.replace('Cats', 'The cats of the house'))],
    fine: [
      choose('Which city is often called the city of music?'),
      judge('Vienna is often called the city of music.'),
    ],
  },
  negative_option: {
    found: [options('It does not rain', 'It rains a little', 'It rains a lot')],
    fine: [options("Don't Look Now", 'Psycho', 'Vertigo')],
  },
  negative_unmarked: {
    found: [
      choose('Which of these is not a capital?'),
      choose('In Europe, which river does the Danube not meet?'),
      choose("Who wasn't there?"),
      choose('Which of these isn’t a capital?'),
      choose('All of the following are capitals except:'),
      choose('The following are capitals, except which one?'),
      choose('There are four by which it is known. Which of the following is not one of them?'),
    ],
    fine: [
      choose('Which of these is NOT a capital?'),
      choose('Which poet wrote "Do not go gentle"?'),
      choose('What is the only country that does not have a rectangular flag?'),
      choose('How many rooms are there, not including the stairs?'),
      choose('Why did the fleet not sail?'),
      choose("Which group sang 'Don't Look Back'?"),
      choose('In what year did the comet, which will not return until 2061, appear?'),
      choose('Which tower is not only tall but also old?'),
      judge('Which is not so.'),
    ],
  },
  negative_marked: {
    found: [
      choose('Which of these is NOT a capital?'),
      choose('Which of these is *not* a capital?'),
      choose('All of these are capitals EXCEPT:'),
    ],
    fine: [choose('WHICH OF THESE IS NOT A CAPITAL?'), choose('Which singer wrote "NOT"?')],
  },
  negative_statement: {
    found: [judge('Liechtenstein does not have an airport.'), judge("The moon isn't a planet.")],
    fine: [
      judge('It can be used not only to record but also to play.'),
      judge('A pencil is made from graphite, not lead.'),
      judge('He resigned because he was not paid.'),
      choose('The moon is not a'),
    ],
  },
  options_missing: {
    found: [ask('Which of these rivers is the longest?'), ask('Which one of the following is a river?')],
    fine: [
      choose('Which of these cities is the largest?'),
      ask('Which of the two Koreas is the larger?'),
      ask('Which of these is larger: Mars, Venus or Earth?'),
    ],
  },
  time_bound: {
    found: [
      ask('Who is currently the mayor of the town?'),
      ask('Who is the current mayor of the town?'),
      ask('Which team has won the cup most often so far?'),
      ask('Which team won the cup this year?'),
    ],
    fine: [
      ask('What is the unit of electric current?'),
      ask('Who was mayor in 1950, of those whose town is currently in Poland?'),
      ask('In this year the wall was torn down.'),
      ask('Which isotope is used to date the find?'),
      ask('Which explorer came so far north?'),
      ask('Who sang The Current King?'),
      ask('Ann is currently 12 years old. How old is her brother?'),
      ask('If Ann is currently 12 years old, how old is her brother?'),
      ask('What was the town called that is currently known as Gdansk?'),
      ask('Who sang "Right Here, Right Now, Currently"?'),
    ],
  },
  dated: {
    found: [ask('As of 2015, how many moons are known?'), ask('As of March 3, 2015, how many are there?')],
    fine: [ask('What was the currency until 2002?'), ask('What is as of yet unknown?')],
  },
  several_questions: {
    found: [ask('Who wrote it? And when was it printed?')],
    fine: [
      ask('Who hosted the show "Who Is It?" in the year when it began?'),
      ask('Ready? Who wrote it?'),
      ask('In Who Framed Roger Rabbit? who is the judge?'),
    ],
  },
  no_question: {
    found: [choose('Mozart lived in a city on a river.')],
    fine: [
      choose('This composer lived in Salzburg.'),
      choose('Mozart was born in'),
      choose('Mozart was born in ____.'),
      choose('Name the city of the opera.'),
      choose('Look at the map. Choose the capital.'),
      judge('Mozart lived in a city on a river.'),
      choose('She lived in a city on a river.'),
      ask('Mozart lived in a city on a river.'),
    ],
  },
  question_mark_missing: {
    found: [
      choose('What is the capital of the country'),
      choose('In which year was that.'),
      choose('How many are there'),
    ],
    fine: [
      choose('What is the capital of the country?'),
      choose('What goes up must come'),
      choose('What is the next: red, yellow, ...'),
      choose('When it rains, streets are'),
    ],
  },
  all_capitals: {
    found: [choose('WHICH CITY IS THE CAPITAL OF THE COUNTRY?')],
    fine: [choose('NASA, ESA, ISRO?'), choose('Which city hosts UNESCO?')],
  },
  html_remnant: {
    found: [
      'It&#039;s what?',
      'Fish &amp; chips?',
      'Fish &amp chips?',
      'What is <b>this</b>?',
      'One<br/>two?',
    ].map(choose),
    fine: ['AT&T; what is that?', 'Is a < b > c?', 'What does the <br> tag do in HTML?', 'Who is Q&A;?'].map(
      choose,
    ),
  },
  misread_characters: {
    found: ['Who sang at the cafÃ©?', 'Whatâ€™s that?', 'Who is Bj\ufffdrk?'].map(choose),
    fine: ['Who founded SÃO PAULO?', 'Où est la pâte?', 'Who is Björk?'].map(choose),
  },
  lost_character: {
    found: [choose('Who is the trainer of the Pok?mon?')],
    fine: [choose('Who is it?'), choose('What is at example.org/watch?v=1?')],
  },
  invisible_characters: {
    found: [choose('Who is\u200b it?'), options('Red', '\ufeffGreen', 'Blue')],
    fine: [choose('Who is 👩‍👩‍👧?'), choose('מי זה\u200f?')],
  },
  placeholder: {
    found: [
      ask('Lorem ipsum dolor sit amet?'),
      ask('Who was the first? TODO'),
      ask('TODO: write this'),
      ask('Test question 1'),
      options('Option A', 'Option B', 'Option C'),
      ask('Who was it?', 'N/A'),
      ask('xxxx'),
    ],
    fine: [
      ask('Which film is called xXx: Return?'),
      ask('What does a test question do?', 'It tests'),
      ask('Which Spanish word for everything is spelt todo?', 'Todo es'),
      options('XXX', 'XX', 'XIX'),
      ask('What is the text that begins with Lorem ipsum for?'),
      options('Todo', 'Nada', 'Algo'),
    ],
  },
  doubled_word: {
    found: [choose('What is the the capital?'), choose('Who has a a dog?')],
    fine: [
      choose('Who founded the band The The?'),
      choose('Who had had enough?'),
      choose('Whom do you talk to to get in?'),
      choose('Where is Walla Walla?'),
    ],
  },
  unbalanced_marks: {
    found: ['Who sang "Hello?', 'Who (with whom was it?', 'Who was it)?'].map(choose),
    fine: [
      'Who is 6\' 2" tall?',
      'Who sang “Hello"?',
      'Is it 1) this or 2) that?',
      'Who likes it :)',
      'What is on [0, 1) here?',
      'Who (or what) is [it]?',
    ].map(choose),
  },
  wrong_article: {
    found: [choose('Who has a elephant?'), choose('Who has an dog?')],
    fine: [
      'Who has a unicorn, a euro, a one?',
      'Who waits an hour?',
      'Is vitamin A in it?',
      'Who is an MP?',
    ].map(choose),
  },
  spacing: {
    found: ['Who  is it?', 'Who is it ?', 'First this,then what?'].map(choose),
    fine: ['It ended.  Who won?', 'Who won 1,000 times?', 'Who is it?'].map(choose),
  },
  repeated_punctuation: {
    found: ['Who is it??', 'He was called..'].map(choose),
    fine: ['Who is it?!', 'He was called...', 'What does ?? do?'].map(choose),
  },
};

test('every rule has its cases, and says what it finds in words that make a sentence', () => {
  assert.deepEqual(RULES.map(({ name }) => name).sort(), Object.keys(CASES).sort());
  for (const { what, why, how, source } of RULES) {
    assert.match(what, /^\p{L}.*[^.]$/u);
    assert.match(why, /^\p{Lu}.*\.$/u);
    assert.match(how, /^\p{Lu}.*\.$/u);
    assert.match(source, /guideline \d+: /);
  }
});

for (const [rule, { found, fine }] of Object.entries(CASES)) {
  test(`rule ${rule}`, async () => {
    for (const question of found) {
      assert.ok((await flagsOf(question)).includes(rule), `is missed: ${JSON.stringify(question)}`);
    }
    for (const question of fine) {
      assert.ok(!(await flagsOf(question)).includes(rule), `is a false alarm: ${JSON.stringify(question)}`);
    }
  });
}

test('a finding tells its place, in code units, and what stands around it', async () => {
  const text =
    '😀 Which of these rivers in all of the wide world is not in Asia, one &amp; the other &amp; all?';
  const { items } = await runInline(quality, [choose(text)]);
  const [html, negative] = items[0].findings;
  assert.deepEqual(
    { ...html, why: '', how: '' },
    {
      rule: 'html_remnant',
      severity: 'major',
      field: 'question_text',
      start: text.indexOf('&amp;'),
      end: text.indexOf('&amp;') + 5,
      times: 2,
      excerpt: '…is not in Asia, one &amp; the other &amp; all…',
      why: '',
      how: '',
    },
  );
  assert.equal(text.slice(negative.start, negative.end), 'not');
  assert.ok(negative.why.endsWith('.') && negative.how.endsWith('.'));
  assert.equal(
    items[0].message,
    'HTML codes stand in the text; the question asks for what is not so, and the negative word is not emphasised.',
  );
});

test('an excerpt does not cut a character in two', async () => {
  const { items } = await runInline(quality, [
    choose(`Who is 😀${'x'.repeat(19)} &amp; ${'y'.repeat(18)}😀 then?`),
  ]);
  assert.ok(items[0].findings.every(({ excerpt }: { excerpt: string }) => excerpt.isWellFormed()));
});

test('options are named by their place among the choices, the answer only where there are none', async () => {
  const { items } = await runInline(quality, [
    ask('Who was it?', 'Zeus', 'Ares', 'Hera &amp; Leto'),
    ask('Who was it?', 'Hera &amp; Leto'),
  ]);
  const fields = items.map(({ findings }) => findings.map(({ field }: { field: string }) => field));
  assert.deepEqual(fields, [['choices/1'], ['correct_answer']]);
});

test('the worst come first, and in the order of the bank where they are alike', async () => {
  const { items } = await runInline(quality, [
    choose('Who  is it?'),
    choose('Which of these is not a capital?'),
    choose('Who is it?'),
    choose('Fish &amp; what?'),
    choose('Which of these is  not a capital?'),
    choose('Who is not in the cup?'),
    choose('Fish &lt; what?'),
  ]);
  assert.deepEqual(
    items.map(({ place }) => place),
    [3, 6, 4, 1, 5, 0],
  );
});

test('rules can be chosen, and the lesser ones left out', async () => {
  const question = choose('Which of these is not  a caf&eacute;?');
  assert.deepEqual(await flagsOf(question), ['html_remnant', 'negative_unmarked', 'spacing']);
  assert.deepEqual(await flagsOf(question, { min_severity: 'minor' }), ['html_remnant', 'negative_unmarked']);
  assert.deepEqual(await flagsOf(question, { min_severity: 'major' }), ['html_remnant']);
  assert.deepEqual(await flagsOf(question, { rules: ['spacing', 'dated'] }), ['spacing']);
  const { summary } = await runInline(quality, [question], { rules: ['spacing', 'dated'] });
  assert.deepEqual(
    summary.rules.map(({ rule, questions, share }: { rule: string; questions: number; share: number }) => [
      rule,
      questions,
      share,
    ]),
    [
      ['dated', 0, 0],
      ['spacing', 1, 1],
    ],
  );
});

test('how much longer and how long a word: as set', async () => {
  const question = ask('Who saw the fox?', 'The red fox of the hill', 'The badger', 'The stork', 'The mole');
  assert.deepEqual(await flagsOf(question), []);
  assert.deepEqual(await flagsOf(question, { length_difference: 10 }), ['answer_is_longest', 'odd_length']);
  assert.deepEqual(await flagsOf(question, { length_difference: 10, length_ratio: 3 }), []);
  assert.deepEqual(await flagsOf(question, { clue_word_length: 3 }), ['answer_echo']);
});

test('the longest option against chance, by hand', async () => {
  const { summary } = await runInline(quality, [
    options('aaaa', 'bbb', 'cc', 'd'),
    options('aaaa', 'bbb', 'cc'),
    options('a', 'bbb', 'cc', 'd'),
    // Of two that are equally long, neither is the longest; 👍 counts as one character; true/false is left
    // out.
    options('aaaa', 'bbbb', 'cc', 'd'),
    options('👍👍', 'bbb', 'c'),
    judge('The sky over the town is blue.'),
    ask('Who was it?', 'Somebody'),
  ]);
  // Two of four; by chance 1/4 + 1/3 + 1/4 + 1/3, with a variance of 2 · 3/16 + 2 · 2/9.
  const { questions, observed, expected, observed_share, z, p_value } = summary.key_longest;
  assert.deepEqual([questions, observed, observed_share], [4, 2, 0.5]);
  assert.ok(Math.abs(expected - 7 / 6) < 1e-12);
  assert.ok(Math.abs(z - (2 - 7 / 6) / Math.sqrt(3 / 8 + 4 / 9)) < 1e-12);
  assert.ok(Math.abs(p_value - 0.35733) < 1e-4);
  assert.equal(summary.key_longest_reason, null);
});

test('a bank in which the right answer is always the longest is told so; one without choices, why not', async () => {
  const many = Array.from({ length: 40 }, () => options('Longest', 'Short', 'Brief', 'Small'));
  const { summary } = await runInline(quality, many);
  assert.equal(summary.key_longest.observed, 40);
  assert.match(summary.key_longest.message, /100\.0 %.*25\.0 %.*gain/);
  const none = await runInline(quality, [ask('Who was it?', 'Somebody')]);
  assert.equal(none.summary.key_longest, null);
  assert.match(none.summary.key_longest_reason, /longer than all others/);
});

test('what depends on the answer is not shown to whoever may not see it', async () => {
  const questions = [
    ...quality.example.questions,
    ...Object.values(CASES).flatMap(({ found, fine }) => [...found, ...fine]),
  ];
  /**
   * The same faces with another key: the next option is the right one, and answers without options are
   * others.
   */
  const others = questions.map((question) => {
    const [first, ...rest] = question.incorrect_answers ?? [];
    if (first === undefined) return { ...question, correct_answer: 'Something &amp; else, currently' };
    return { ...question, correct_answer: first, incorrect_answers: [...rest, question.correct_answer] };
  });
  const shown = async (bank: ExampleQuestion[]) => {
    const { items, ...opened } = (await runInline(quality, bank)).open;
    return JSON.stringify({ items: [...items], ...opened });
  };
  const whole = await runInline(quality, questions);
  assert.equal(await shown(questions), await shown(others));
  assert.notDeepEqual(whole.items, (await runInline(quality, others)).items);
  const opened = whole.open;
  assert.equal(opened.summary.key_longest, null);
  assert.ok(opened.summary.rules.every(({ needs_answer }: { needs_answer: boolean }) => !needs_answer));
  assert.equal([...opened.items].length, opened.summary.questions_with_findings);
});

test('wording is judged in English alone, what was garbled everywhere', async () => {
  const foreign = [
    'Quelle ville est la capitale de la France, et pourquoi not?',
    'Welche Stadt ist not die Hauptstadt?',
    '¿Qué ciudad no es la capital, currently?',
    '日本の首都はどこですか not',
    'מהי בירת ישראל  ?',
    '😀😀 😀',
  ];
  for (const text of foreign) assert.deepEqual(await flagsOf(choose(text)), [], text);
  assert.deepEqual(await flagsOf(choose('Quelle est la capitale &amp; la ville?')), ['html_remnant']);
  const { summary, warnings } = await runInline(quality, [...foreign.map(choose), choose('Who is it?')]);
  assert.equal(summary.not_english, foreign.length);
  assert.match(warnings[0]!, /^Not in English, it seems: 6 of 7 questions/);
});

test('figures by rule and category add up, and large banks have no larger summary', async () => {
  const bank = Array.from({ length: 300 }, (_, i) => ({
    ...choose(i % 3 === 0 ? 'Which of these is not a capital?' : 'Who is it?'),
    category: `Category ${i % 50}`,
  }));
  const { summary, items } = await runInline(quality, bank);
  assert.deepEqual([summary.questions, summary.questions_with_findings, items.length], [300, 100, 100]);
  assert.equal(summary.clean_share, 2 / 3);
  assert.deepEqual(summary.worst, { major: 0, minor: 100, info: 0 });
  assert.equal(summary.categories.length, 20);
  assert.deepEqual([summary.other_categories.categories, summary.other_categories.questions], [30, 180]);
  const parts = [...summary.categories, summary.other_categories];
  const total = (of: (part: (typeof parts)[number]) => number) =>
    parts.reduce((sum, part) => sum + of(part), 0);
  assert.equal(
    total(({ questions_with_findings }) => questions_with_findings),
    100,
  );
  assert.equal(
    total(({ rules }) => rules[0]?.questions ?? 0),
    100,
  );

  const { series, bars } = expectChart(quality.plot({ summary, items, warnings: [] }), 'stacked-bars');
  assert.deepEqual(series.length, 7);
  assert.equal(bars.length, 1);
  assert.equal(bars[0]!.label, 'negative unmarked');
  assert.equal(
    bars[0]!.values.reduce((sum, value) => sum + value, 0),
    100,
  );
});

test('one question, none, and nothing found', async () => {
  const none = await runInline(quality, []);
  assert.deepEqual([none.summary.questions, none.summary.clean_share, none.items], [0, null, []]);
  const one = await runInline(quality, [choose('Which city lies on the river?')]);
  assert.deepEqual([one.summary.clean_share, one.items, one.warnings], [1, [], []]);
  const { series, bars } = expectChart(quality.plot(one), 'stacked-bars');
  assert.deepEqual([bars, series], [[], ['Anything']]);
  assert.equal(one.summary.other_categories, null);
});

test('texts of any kind neither throw nor take long, and give no more than one finding a rule and field', async () => {
  const pieces = [
    'a',
    ' ',
    '. ',
    '?',
    '"',
    '“',
    '(',
    '&amp;',
    '<a ',
    'a  ',
    'not ',
    'the the ',
    '__',
    '😀',
    '\u202e',
    'Ã',
    '漢',
    '\ud83d',
  ];
  for (const piece of pieces) {
    const text = piece.repeat(10_000 / piece.length).slice(0, 10_000);
    const { items } = await runInline(quality, [
      ask(text, text.slice(0, 2000), `${text.slice(0, 1999)}x`, `${text.slice(0, 1998)}xy`),
      ask(`Which is it: ${text.slice(0, 9000)}`, text.slice(0, 2000)),
    ]);
    for (const { findings } of items) assert.ok(findings.length <= RULES.length * 4);
  }
});

test('the same questions give the same result', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => runInline(quality, quality.example.questions)));
  assert.equal(JSON.stringify(first), JSON.stringify(second));
});

test('the example shows findings of every severity, and a question that has none', async () => {
  const { summary } = await runInline(quality, quality.example.questions);
  assert.equal(summary.questions_with_findings, summary.questions - 1);
  assert.ok(summary.worst.major > 0 && summary.worst.minor > 0);
});
