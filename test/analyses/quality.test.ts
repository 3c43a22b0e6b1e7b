/** Item-writing rules, with questions that each must and must not flag, and the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { quality } from '../../src/analyses/quality/index.ts';
import { RULES } from '../../src/analyses/quality/rules/index.ts';
import { expectChart } from '../support/figures.ts';
import { runInline } from '../support/inline-analysis.ts';
import { assertClose } from '../support/numbers.ts';

const about = { category: 'Anything', difficulty: 0 };
/** The first option is the key. */
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

const getFlags = async (question: ExampleQuestion, parameters = {}): Promise<string[]> => {
  const { items } = await runInline(quality, [question], parameters);
  return items.flatMap(({ flags }) => flags);
};

/** By rule: questions that it must flag, and similar questions that it must not. */
const CASES: Record<string, { flagged: ExampleQuestion[]; accepted: ExampleQuestion[] }> = {
  media_missing: {
    flagged: ['Who is this?', 'Which bird is shown in the picture?', 'Name this flower.'].map(choose),
    accepted: ['Who is this: a detective with a moustache?', 'Which picture won the prize?'].map(choose),
  },
  grammar_clue: {
    flagged: [ask('What are mammals?', 'Animals', 'A plant', 'A mineral', 'A fungus')],
    accepted: [ask('What are mammals?', 'Animals', 'Plants', 'Minerals', 'A fungus')],
  },
  equivalent_options: {
    flagged: [
      ask('How many are there?', '12', 'twelve', '14'),
      ask('Who fought there?', 'USA', 'United States', 'Peru'),
      ask('How long is it?', '60 minutes', '1 hour', '2 hours'),
    ],
    accepted: [
      ask('How many are there?', '12', 'thirteen', '14'),
      ask('How is twelve written in Roman numerals?', '12', 'twelve', 'XII'),
    ],
  },
  truncated: {
    flagged: [choose('What is the name of the?'), choose('In which year did the')],
    accepted: [choose('What is it made of?'), choose('The river that crosses the city is the')],
  },
  mixed_scripts: {
    flagged: [choose('Who wr\u043ete Hamlet?')],
    accepted: [choose('What is 5 \u00b5m in metres?'), choose('Who are Ko\u042fn?')],
  },
  lost_apostrophe: {
    flagged: [choose('Who said that he didnt know?'), choose('Who sang "Im a Believer"?')],
    accepted: [choose('As was his wont, who walked there?'), choose('Who wrote "Im Westen nichts Neues"?')],
  },
  lost_ampersand: {
    flagged: [choose('Where did Laverne  Shirley work?')],
    accepted: [choose('Who  is it?'), choose('Who was the king of  Sweden?')],
  },
  article_clue: {
    flagged: [
      ask('An insect that makes honey is called a', 'bee', 'ant', 'wasp', 'earwig'),
      ask('A person who studies the stars is an ____.', 'astronomer', 'geologist', 'botanist', 'diver'),
    ],
    accepted: [
      ask('An insect that makes honey is called a(n)', 'bee', 'ant', 'wasp', 'earwig'),
      ask('An insect that makes honey is called a', 'bee', 'wasp', 'moth', 'beetle'),
      ask('The person who works there is a', 'unicyclist', 'European', 'MP', 'one-man band'),
      ask('It is known as vitamin A?', 'Retinol', 'Iron', 'Biotin', 'Zinc'),
      ask('A person who studies the stars is a/an ____.', 'astronomer', 'geologist', 'botanist', 'diver'),
    ],
  },
  answer_in_question: {
    flagged: [
      ask('Who invented the Morse code?', 'Morse', 'Bell', 'Edison', 'Marconi'),
      ask('Which town gave Jersey City its second word?', 'Jersey City'),
    ],
    accepted: [
      ask('Which is larger, Jupiter or Saturn?', 'Jupiter', 'Saturn', 'Mars'),
      ask('Which is larger, Jupiter or Saturn?', 'Jupiter'),
      ask('Who invented the telegraph?', 'Morse', 'Bell', 'Edison', 'Marconi'),
      ask('Which of these is NOT by Morse?', 'Morse', 'Bell', 'Edison', 'Marconi'),
    ],
  },
  answer_echo: {
    flagged: [ask('Who leads the Lannister army?', 'Tywin Lannister', 'Ned Stark', 'Hodor', 'Balon Greyjoy')],
    accepted: [
      ask('Who leads the Lannister army?', 'Tywin Lannister', 'Cersei Lannister', 'Hodor', 'Balon Greyjoy'),
      ask('Which city lies on the Hudson?', 'New York City', 'Boston', 'Chicago', 'Denver'),
    ],
  },
  answer_is_longest: {
    flagged: [options('The one that is much longer than any of the others', 'Short', 'Brief', 'Small')],
    accepted: [
      options('Short', 'The one that is much longer than any of the others', 'Brief', 'Small'),
      options('Johannesburg', 'Rome', 'Oslo', 'Bern'),
    ],
  },
  odd_length: {
    flagged: [options('Short', 'The one that is much longer than any of the others', 'Brief', 'Small')],
    accepted: [
      options('Johannesburg', 'Rome', 'Oslo', 'Bern'),
      options('A long sentence about the first thing', 'A long sentence about the next', 'Short'),
    ],
  },
  all_of_the_above: {
    flagged: [
      'All of the above',
      'all the above.',
      'Both of these',
      'All of these cities',
      'All three options',
    ].map((last) => options('Red', 'Green', last)),
    accepted: ['All of Us Strangers', 'All about Eve', 'Above all'].map((last) =>
      options('Red', 'Green', last),
    ),
  },
  none_of_the_above: {
    flagged: ['None of the above', 'none of these', 'Neither of them'].map((last) =>
      options('Red', 'Green', last),
    ),
    accepted: ['None', 'None of Your Business', 'Neither'].map((last) => options('Red', 'Green', last)),
  },
  names_other_options: {
    flagged: ['Both A and B', 'A and C', 'both (a) and (c)', 'Options A, B and C', 'Both 1 and 2'].map(
      (last) => options('Red', 'Green', last),
    ),
    accepted: [
      ask('Which vitamins are soluble in fat?', 'A and D', 'Only biotin', 'Niacin'),
      options('A and E', 'B and D', 'C and D', 'Red'),
    ],
  },
  repeated_option: {
    flagged: [
      options('Paris', 'paris', 'Rome', 'Oslo'),
      options('The Hague', 'Hague.', 'Rome'),
      options('“Yes”', 'Yes', 'No'),
    ],
    accepted: [
      options('C', 'C++', 'C#'),
      options('resume', 'résumé', 'résume'),
      ask('Which is spelt right?', 'Paris', 'paris', 'Parris'),
      options('-5', '5', '.5'),
      options(`5'`, '5"', '5 m'),
    ],
  },
  overlapping_options: {
    flagged: [
      ask('How many bones are there?', '10-20', '15-25', '30-40'),
      ask('How many bones are there?', '10 to 20', '20 to 30', '31 to 40'),
      ask('How many bones are there?', 'More than 10', 'More than 1,000', '5'),
    ],
    accepted: [
      ask('How many bones are there?', 'fewer than 10', '10 to 20', 'more than 20'),
      ask('How long is it?', '1 to 3 hours', '2 to 4 days'),
      ask('When did she reign?', '1740-1780', '1745-1765', '1711-1740'),
      ask('How many points made the score?', '3-2', '2-1', '1-0'),
    ],
  },
  option_is_question: {
    flagged: [ask('What is a moraine?', 'Debris', 'what is a moraine', 'Ice')],
    accepted: [ask('Why?', 'Why', 'Because')],
  },
  mixed_notation: {
    flagged: [
      ask('How many are there?', '3', 'Four', '5', '6'),
      ask('How many are there?', '1,200', '1300', '1,400'),
      ask('How far is it?', '5 km', '7 km', '9', '11 km'),
    ],
    accepted: [
      ask('How many are there?', '3', '40', '5,000', '600'),
      ask('How many are there?', '1 million', '500,000', '2 billion'),
      ask('When was it?', '1914', '1918', '1939'),
      ask('How many are there?', 'None', '1', '2'),
    ],
  },
  odd_capital: {
    flagged: [options('Red', 'Green', 'blue', 'Yellow')],
    accepted: [
      options('iPhone', 'Nokia', 'Samsung'),
      options('Rembrandt', 'Vermeer', 'van Gogh'),
      options('dog', 'cat', 'Dalmatian'),
    ],
  },
  odd_full_stop: {
    flagged: [
      options('It rains often.', 'It snows', 'It is windy'),
      options('It rains often.', 'It snows today.', 'It is windy'),
    ],
    accepted: [
      options('Super Smith Bros.', 'Smith and Daughter', 'Smith'),
      options('Smith Jr.', 'Smith', 'Jones'),
    ],
  },
  odd_beginning: {
    flagged: [options('To eat', 'To drink', 'To sleep', 'Swimming')],
    accepted: [
      options('A hat', 'An umbrella', 'A shoe', 'Courage'),
      options('The Kinks', 'The Who', 'The Clash', 'Queen'),
      options('A hat', 'An umbrella', 'A shoe', 'The rain'),
    ],
  },
  absolute_term: {
    flagged: [
      judge('Water always boils at 100 degrees.'),
      options('It never rains', 'It rains in May', 'It snows in May'),
    ],
    accepted: [
      options('Never Say Never Again', 'Goldfinger', 'Moonraker'),
      ask('Which line does she sing?', 'you will never walk alone here', 'let it be', 'help me'),
      judge('"Never Say Never Again" is a film.'),
    ],
  },
  vague_term: {
    flagged: [judge('Cats sometimes swim.'.replace('Cats', 'The cats of the house'))],
    accepted: [
      choose('Which city is often called the city of music?'),
      judge('Vienna is often called the city of music.'),
    ],
  },
  negative_option: {
    flagged: [options('It does not rain', 'It rains a little', 'It rains a lot')],
    accepted: [options("Don't Look Now", 'Psycho', 'Vertigo')],
  },
  negative_unmarked: {
    flagged: [
      choose('Which of these is not a capital?'),
      choose('In Europe, which river does the Danube not meet?'),
      choose("Who wasn't there?"),
      choose('Which of these isn’t a capital?'),
      choose('All of the following are capitals except:'),
      choose('The following are capitals, except which one?'),
      choose('There are four by which it is known. Which of the following is not one of them?'),
    ],
    accepted: [
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
    flagged: [
      choose('Which of these is NOT a capital?'),
      choose('Which of these is *not* a capital?'),
      choose('All of these are capitals EXCEPT:'),
    ],
    accepted: [choose('WHICH OF THESE IS NOT A CAPITAL?'), choose('Which singer wrote "NOT"?')],
  },
  negative_statement: {
    flagged: [judge('Liechtenstein does not have an airport.'), judge("The moon isn't a planet.")],
    accepted: [
      judge('It can be used not only to record but also to play.'),
      judge('A pencil is made from graphite, not lead.'),
      judge('He resigned because he was not paid.'),
      choose('The moon is not a'),
    ],
  },
  options_missing: {
    flagged: [ask('Which of these rivers is the longest?'), ask('Which one of the following is a river?')],
    accepted: [
      choose('Which of these cities is the largest?'),
      ask('Which of the two Koreas is the larger?'),
      ask('Which of these is larger: Mars, Venus or Earth?'),
    ],
  },
  time_bound: {
    flagged: [
      ask('Who is currently the mayor of the town?'),
      ask('Who is the current mayor of the town?'),
      ask('Which team has won the cup most often so far?'),
      ask('Which team won the cup this year?'),
    ],
    accepted: [
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
    flagged: [ask('As of 2015, how many moons are known?'), ask('As of March 3, 2015, how many are there?')],
    accepted: [ask('What was the currency until 2002?'), ask('What is as of yet unknown?')],
  },
  several_questions: {
    flagged: [ask('Who wrote it? And when was it printed?')],
    accepted: [
      ask('Who hosted the show "Who Is It?" in the year when it began?'),
      ask('Ready? Who wrote it?'),
      ask('In Who Framed Roger Rabbit? who is the judge?'),
    ],
  },
  no_question: {
    flagged: [choose('Mozart lived in a city on a river.')],
    accepted: [
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
    flagged: [
      choose('What is the capital of the country'),
      choose('In which year was that.'),
      choose('How many are there'),
    ],
    accepted: [
      choose('What is the capital of the country?'),
      choose('What goes up must come'),
      choose('What is the next: red, yellow, ...'),
      choose('When it rains, streets are'),
    ],
  },
  all_capitals: {
    flagged: [choose('WHICH CITY IS THE CAPITAL OF THE COUNTRY?')],
    accepted: [choose('NASA, ESA, ISRO?'), choose('Which city hosts UNESCO?')],
  },
  html_remnant: {
    flagged: [
      'It&#039;s what?',
      'Fish &amp; chips?',
      'Fish &amp chips?',
      'What is <b>this</b>?',
      'One<br/>two?',
    ].map(choose),
    accepted: [
      'AT&T; what is that?',
      'Is a < b > c?',
      'What does the <br> tag do in HTML?',
      'Who is Q&A;?',
    ].map(choose),
  },
  misread_characters: {
    flagged: ['Who sang at the cafÃ©?', 'Whatâ€™s that?', 'Who is Bj\ufffdrk?'].map(choose),
    accepted: ['Who founded SÃO PAULO?', 'Où est la pâte?', 'Who is Björk?'].map(choose),
  },
  lost_character: {
    flagged: [choose('Who is the trainer of the Pok?mon?')],
    accepted: [choose('Who is it?'), choose('What is at example.org/watch?v=1?')],
  },
  invisible_characters: {
    flagged: [choose('Who is\u200b it?'), options('Red', '\ufeffGreen', 'Blue')],
    accepted: [choose('Who is 👩‍👩‍👧?'), choose('מי זה\u200f?')],
  },
  placeholder: {
    flagged: [
      ask('Lorem ipsum dolor sit amet?'),
      ask('Who was the first? TODO'),
      ask('TODO: write this'),
      ask('Test question 1'),
      options('Option A', 'Option B', 'Option C'),
      ask('Who was it?', 'N/A'),
      ask('xxxx'),
    ],
    accepted: [
      ask('Which film is called xXx: Return?'),
      ask('What does a test question do?', 'It tests'),
      ask('Which Spanish word for everything is spelt todo?', 'Todo es'),
      options('XXX', 'XX', 'XIX'),
      ask('What is the text that begins with Lorem ipsum for?'),
      options('Todo', 'Nada', 'Algo'),
    ],
  },
  doubled_word: {
    flagged: [choose('What is the the capital?'), choose('Who has a a dog?')],
    accepted: [
      choose('Who founded the band The The?'),
      choose('Who had had enough?'),
      choose('Whom do you talk to to get in?'),
      choose('Where is Walla Walla?'),
    ],
  },
  unbalanced_marks: {
    flagged: ['Who sang "Hello?', 'Who (with whom was it?', 'Who was it)?'].map(choose),
    accepted: [
      'Who is 6\' 2" tall?',
      'Who sang “Hello"?',
      'Is it 1) this or 2) that?',
      'Who likes it :)',
      'What is on [0, 1) here?',
      'Who (or what) is [it]?',
    ].map(choose),
  },
  wrong_article: {
    flagged: [choose('Who has a elephant?'), choose('Who has an dog?')],
    accepted: [
      'Who has a unicorn, a euro, a one?',
      'Who waits an hour?',
      'Is vitamin A in it?',
      'Who is an MP?',
    ].map(choose),
  },
  spacing: {
    flagged: ['Who  is it?', 'Who is it ?', 'First this,then what?'].map(choose),
    accepted: ['It ended.  Who won?', 'Who won 1,000 times?', 'Who is it?'].map(choose),
  },
  repeated_punctuation: {
    flagged: ['Who is it??', 'He was called..'].map(choose),
    accepted: ['Who is it?!', 'He was called...', 'What does ?? do?'].map(choose),
  },
};

test('every rule has cases and well-formed texts', () => {
  assert.deepEqual(RULES.map(({ name }) => name).sort(), Object.keys(CASES).sort());
  for (const { problem, why, how, source } of RULES) {
    assert.match(problem, /^\p{L}.*[^.]$/u);
    assert.match(why, /^\p{Lu}.*\.$/u);
    assert.match(how, /^\p{Lu}.*\.$/u);
    assert.match(source, /guideline \d+: /);
  }
});

for (const [rule, { flagged, accepted }] of Object.entries(CASES)) {
  test(`rule ${rule}`, async () => {
    for (const question of flagged) {
      assert.ok((await getFlags(question)).includes(rule), `not flagged: ${JSON.stringify(question)}`);
    }
    for (const question of accepted) {
      assert.ok(!(await getFlags(question)).includes(rule), `false positive: ${JSON.stringify(question)}`);
    }
  });
}

test('a finding has a span in code units and an excerpt', async () => {
  const text =
    '😀 Which of these rivers in all of the wide world is not in Asia, one &amp; the other &amp; all?';
  const { items } = await runInline(quality, [choose(text)]);
  const [html, negative] = items[0].findings;
  assert.deepEqual(
    { ...html, why: '', how: '', change: null },
    {
      rule: 'html_remnant',
      severity: 'major',
      field: 'question_text',
      start: text.indexOf('&amp;'),
      end: text.indexOf('&amp;') + 5,
      occurrences: 2,
      excerpt: '…is not in Asia, one &amp; the other &amp; all…',
      why: '',
      how: '',
      change: null,
    },
  );
  assert.equal(text.slice(negative.start, negative.end), 'not');
  assert.ok(negative.why.endsWith('.') && negative.how.endsWith('.'));
  assert.equal(
    items[0].message,
    'The text contains HTML entities, tags or escape sequences; the stem is negative, and the negation is not emphasised.',
  );
});

test('an excerpt does not split a surrogate pair', async () => {
  const { items } = await runInline(quality, [
    choose(`Who is 😀${'x'.repeat(19)} &amp; ${'y'.repeat(18)}😀 then?`),
  ]);
  assert.ok(items[0].findings.every(({ excerpt }: { excerpt: string }) => excerpt.isWellFormed()));
});

test('options are identified by their index, the answer only if there are no options', async () => {
  const { items } = await runInline(quality, [
    ask('Who was it?', 'Zeus', 'Ares', 'Hera &amp; Leto'),
    ask('Who was it?', 'Hera &amp; Leto'),
  ]);
  const fields = items.map(({ findings }) => findings.map(({ field }: { field: string }) => field));
  assert.deepEqual(fields, [['choices/1'], ['correct_answer']]);
});

test('items are sorted by severity, then in the order of the bank', async () => {
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
    items.map(({ position }) => position),
    [3, 6, 4, 1, 5, 0],
  );
});

test('rules can be selected by name and by minimum severity', async () => {
  const question = choose('Which of these is not  a caf&eacute;?');
  assert.deepEqual(await getFlags(question), ['html_remnant', 'negative_unmarked', 'spacing']);
  assert.deepEqual(await getFlags(question, { min_severity: 'minor' }), [
    'html_remnant',
    'negative_unmarked',
  ]);
  assert.deepEqual(await getFlags(question, { min_severity: 'major' }), ['html_remnant']);
  assert.deepEqual(await getFlags(question, { rules: ['spacing', 'dated'] }), ['spacing']);
  const { summary } = await runInline(quality, [question], { rules: ['spacing', 'dated'] });
  assert.deepEqual(
    summary.rules.map(({ rule, questions, share }: { rule: string; questions: number; share: number }) => [
      rule,
      questions,
      share,
    ]),
    [['spacing', 1, 1]],
  );
});

test('the length thresholds are parameters', async () => {
  const question = ask('Who saw the fox?', 'The red fox of the hill', 'The badger', 'The stork', 'The mole');
  assert.deepEqual(await getFlags(question), []);
  assert.deepEqual(await getFlags(question, { min_length_difference: 10 }), [
    'answer_is_longest',
    'odd_length',
  ]);
  assert.deepEqual(await getFlags(question, { min_length_difference: 10, min_length_ratio: 3 }), []);
  assert.deepEqual(await getFlags(question, { min_clue_word_length: 3 }), ['answer_echo']);
});

test('the longest-option test agrees with a calculation by hand', async () => {
  const { summary } = await runInline(quality, [
    options('aaaa', 'bbb', 'cc', 'd'),
    options('aaaa', 'bbb', 'cc'),
    options('a', 'bbb', 'cc', 'd'),
    // A tie has no longest option; 👍 is one character; true/false questions are skipped.
    options('aaaa', 'bbbb', 'cc', 'd'),
    options('👍👍', 'bbb', 'c'),
    judge('The sky over the town is blue.'),
    ask('Who was it?', 'Zeus'),
  ]);
  // Observed 2 of 4; expected 1/4 + 1/3 + 1/4 + 1/3, with a variance of 2 · 3/16 + 2 · 2/9.
  const { questions, observed, expected, observed_share, z, p_value } = summary.key_longest;
  assert.deepEqual([questions, observed, observed_share], [4, 2, 0.5]);
  assertClose(expected, 7 / 6, { absolute: 1e-12 });
  assertClose(z, (2 - 7 / 6) / Math.sqrt(3 / 8 + 4 / 9), { absolute: 1e-12 });
  assertClose(p_value, 0.35733, { absolute: 1e-4 });
  assert.equal(summary.key_longest_reason, null);
});

test('the longest-option test reports a significant excess, or why it is null', async () => {
  const many = Array.from({ length: 40 }, () => options('Longest', 'Short', 'Brief', 'Small'));
  const { summary } = await runInline(quality, many);
  assert.equal(summary.key_longest.observed, 40);
  assert.match(summary.key_longest.message, /100\.0 %.*25\.0 %.*winning strategy/);
  const none = await runInline(quality, [ask('Who was it?', 'Zeus')]);
  assert.equal(none.summary.key_longest, null);
  assert.match(none.summary.key_longest_reason, /longer than all others/);
});

test('the result without answers does not depend on the key', async () => {
  const questions = [
    ...quality.example.questions,
    ...Object.values(CASES).flatMap(({ flagged, accepted }) => [...flagged, ...accepted]),
  ];
  /** The same questions with another key, and open-ended ones with another answer. */
  const rekeyed = questions.map((question) => {
    const [first, ...others] = question.incorrect_answers ?? [];
    if (first === undefined) return { ...question, correct_answer: 'Something &amp; else, currently' };
    return { ...question, correct_answer: first, incorrect_answers: [...others, question.correct_answer] };
  });
  const runWithoutAnswers = async (bank: ExampleQuestion[]) => {
    const { items, ...rest } = (await runInline(quality, bank)).withoutAnswers;
    return JSON.stringify({ items: [...items], ...rest });
  };
  const result = await runInline(quality, questions);
  assert.equal(await runWithoutAnswers(questions), await runWithoutAnswers(rekeyed));
  assert.notDeepEqual(result.items, (await runInline(quality, rekeyed)).items);
  const withoutAnswers = result.withoutAnswers;
  assert.equal(withoutAnswers.summary.key_longest, null);
  assert.ok(
    withoutAnswers.summary.rules.every(({ needs_answer }: { needs_answer: boolean }) => !needs_answer),
  );
  assert.equal([...withoutAnswers.items].length, withoutAnswers.summary.questions_with_findings);
});

test('rules about wording apply to English only, rules about encoding to every language', async () => {
  const foreign = [
    'Quelle ville est la capitale de la France, et pourquoi not?',
    'Welche Stadt ist not die Hauptstadt?',
    '¿Qué ciudad no es la capital, currently?',
    '日本の首都はどこですか not',
    'מהי בירת ישראל  ?',
    '😀😀 😀',
  ];
  for (const text of foreign) assert.deepEqual(await getFlags(choose(text)), [], text);
  assert.deepEqual(await getFlags(choose('Quelle est la capitale &amp; la ville?')), ['html_remnant']);
  const { summary, warnings } = await runInline(quality, [...foreign.map(choose), choose('Who is it?')]);
  assert.equal(summary.not_english, foreign.length);
  assert.match(warnings[0]!, /^6 of 7 questions do not seem to be English/);
});

test('counts by rule and category add up, and the summary has a bounded size', async () => {
  const bank = Array.from({ length: 300 }, (_, i) => ({
    ...choose(i % 3 === 0 ? 'Which of these is not a capital?' : 'Who is it?'),
    category: `Category ${i % 50}`,
  }));
  const { summary, items } = await runInline(quality, bank);
  assert.deepEqual([summary.questions, summary.questions_with_findings, items.length], [300, 100, 100]);
  assert.equal(summary.clean_share, 2 / 3);
  assert.deepEqual(summary.by_severity, { major: 0, minor: 100, info: 0 });
  assert.equal(summary.categories.length, 20);
  assert.deepEqual([summary.other_categories.categories, summary.other_categories.questions], [30, 180]);
  const parts = [...summary.categories, summary.other_categories];
  const total = (count: (part: (typeof parts)[number]) => number) =>
    parts.reduce((sum, part) => sum + count(part), 0);
  assert.equal(
    total(({ questions_with_findings }) => questions_with_findings),
    100,
  );
  assert.equal(
    total(({ rules }) => rules[0]?.questions ?? 0),
    100,
  );

  const { series, bars } = expectChart(quality.plot({ summary, items, warnings: [] }), 'stacked-bars');
  assert.deepEqual(series, ['major', 'minor', 'info']);
  assert.equal(bars.length, 1);
  assert.equal(bars[0]!.label, 'negative unmarked');
  assert.deepEqual(bars[0]!.values, [0, 100, 0]);
});

test('the chart lists rules by severity, then by frequency', async () => {
  const { summary } = await runInline(quality, [
    choose('Who  is it?'),
    choose('Who  was it?'),
    choose('Fish &amp; what?'),
    choose('Which of these is not a capital?'),
  ]);
  const { bars } = expectChart(quality.plot({ summary, items: [], warnings: [] }), 'stacked-bars');
  assert.deepEqual(
    bars.map(({ label, values }) => [label, ...values]),
    [
      ['html remnant', 1, 0, 0],
      ['negative unmarked', 0, 1, 0],
      ['spacing', 0, 0, 2],
    ],
  );
});

test('a change corrects all occurrences in a field, and no other rule minds the result', async () => {
  const corrections: [before: string, after: string][] = [
    ['Who  is it ?', 'Who is it?'],
    ['What is the the capital of of Peru?', 'What is the capital of Peru?'],
    ['In which year was that.', 'In which year was that?'],
    ['Who said that he didnt or couldnt know?', "Who said that he didn't or couldn't know?"],
    ['Who is\u200e it\u200b?', 'Who is it?'],
    ['Who wrote &quot;Emma&quot;?', 'Who wrote "Emma"?'],
    ['Which cafÃ© is in Rome?', 'Which café is in Rome?'],
    ['Who has a elephant or an dog?', 'Who has an elephant or a dog?'],
    ['Who wr\u043ete it?', 'Who wrote it?'],
    ['Who is it??', 'Who is it?'],
  ];
  for (const [before, after] of corrections) {
    const { items } = await runInline(quality, [choose(before)]);
    assert.deepEqual(
      items[0].findings.map(({ change }: { change: unknown }) => change),
      [{ before, after, revision: 1, body: { question_text: after } }],
      before,
    );
    assert.deepEqual(await getFlags(choose(after)), [], after);
  }
});

test('no change is offered where the remedy is not certain', async () => {
  for (const text of ['Where did Laverne  Shirley work?', 'What is <b>this</b>?', 'Who is Bj\ufffdrk?']) {
    const { items } = await runInline(quality, [choose(text)]);
    assert.deepEqual(
      items[0].findings.map(({ change }: { change: unknown }) => change),
      [null],
      text,
    );
  }
});

test('a change to an option names the field of the question, and is hidden without answers', async () => {
  const bank = [ask('Who was it?', 'Zeus  Ares', 'Hera  and Leto', 'Io')].map((question) => ({
    ...question,
    correct_answer: 'Zeus  and Ares',
  }));
  const { items, withoutAnswers } = await runInline(quality, bank);
  const changes = items[0].findings.map(({ change }: { change: { body: object } }) => change.body);
  assert.deepEqual(changes, [
    { incorrect_answers: ['Hera and Leto', 'Io'] },
    { correct_answer: 'Zeus and Ares' },
  ]);
  for (const { change } of [...withoutAnswers.items][0].findings) assert.equal(change, null);
});

test('an empty bank and a bank without findings are valid', async () => {
  const none = await runInline(quality, []);
  assert.deepEqual([none.summary.questions, none.summary.clean_share, none.items], [0, null, []]);
  const one = await runInline(quality, [choose('Which city lies on the river?')]);
  assert.deepEqual([one.summary.clean_share, one.items, one.warnings], [1, [], []]);
  const { series, bars } = expectChart(quality.plot(one), 'stacked-bars');
  assert.deepEqual([bars, series], [[], ['major', 'minor', 'info']]);
  assert.equal(one.summary.other_categories, null);
});

test('adversarial texts neither throw nor take long, and have at most one finding per rule and field', async () => {
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

test('the result is deterministic', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => runInline(quality, quality.example.questions)));
  assert.equal(JSON.stringify(first), JSON.stringify(second));
});

test('the example has findings of major and minor severity, and a question without any', async () => {
  const { summary } = await runInline(quality, quality.example.questions);
  assert.equal(summary.questions_with_findings, summary.questions - 1);
  assert.ok(summary.by_severity.major > 0 && summary.by_severity.minor > 0);
});
