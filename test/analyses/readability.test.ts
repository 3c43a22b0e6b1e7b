/** Readability: syllables, counts, formulae beside figures of textstat 0.7.11, and what is found in a bank. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Value } from 'typebox/value';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { type Counts, Reader } from '../../src/analyses/readability/counts.ts';
import { fenceOf, gradeOf, marginOf, orderOf, scoresOf } from '../../src/analyses/readability/formulae.ts';
import { readability } from '../../src/analyses/readability/index.ts';
import { factsOf, syllablesOf } from '../../src/analyses/readability/syllables.ts';
import { runInline } from '../support/inline-analysis.ts';

const ask = (question_text: string, difficulty = 0): ExampleQuestion => ({
  question_text,
  correct_answer: 'x',
  category: 'Mixed',
  difficulty,
});

const EASY = 'Which big red bus goes all the way from the town to the sea?';
const HARD =
  'Which international organisation is responsible for the regulation of telecommunications and the allocation of frequencies?';

describe('syllables', () => {
  const cases: [word: string, syllables: number, why: string][] = [
    ['cat', 1, 'in the dictionary'],
    ['banana', 3, 'in the dictionary'],
    ["doesn't", 2, 'in the dictionary with its apostrophe'],
    ['hiv', 3, 'a remark in the dictionary is not a sound'],
    ['sh', 1, 'in the dictionary, without a vowel'],
    ['swedenborg', 3, 'hyphenated: swe-den-borg'],
    ['antidisestablishmentarian', 9, 'hyphenated'],
    ['exoplanets', 4, 'hyphenated: ex-o-plan-ets'],
    ['18th', 1, 'a number is one'],
    ['łódź', 1, 'letters no pattern has'],
    ['東京', 1, 'not English'],
    ['constructor', 3, 'also the name of a property of every object'],
    ['__proto__', 2, 'the name of a property, but not in the dictionary'],
    ['x', 1, 'a letter'],
  ];
  for (const [word, syllables, why] of cases) {
    it(`finds ${syllables} in ${word}: ${why}`, () => assert.equal(syllablesOf(word), syllables));
  }

  it('takes time in proportion for a word without end', () => {
    assert.ok(syllablesOf('internationalisation'.repeat(500)) > 2000);
  });
});

describe('counts of a text', () => {
  const read = (text: string) => new Reader(factsOf).read(text);
  const cases: [what: string, text: string, counts: Partial<Counts>][] = [
    [
      'a sign alone is no word',
      'What is 2 + 2?',
      { words: 4, tokens: 5, sentences: 1, letters: 8, characters: 10 },
    ],
    ['nothing but a sign', '?', { words: 0, tokens: 1, sentences: 1, syllables: 0, characters: 1 }],
    ['one word', 'Why?', { words: 1, sentences: 1, syllables: 1, difficult_words: 0 }],
    ['two sentences', 'A cat sat here. Did it see the dog?', { words: 9, sentences: 2, polysyllables: 0 }],
    ['stops of an abbreviation', 'Who led the U.S. army then?', { words: 6, sentences: 1 }],
    ['the point of a number', 'About 3.14 they all agree.', { words: 5, sentences: 1 }],
    ['a hyphen', 'a well-known fact', { words: 3, letters: 14, characters: 15, long_words: 1 }],
    [
      'an apostrophe that belongs to a word',
      "He doesn't know",
      { words: 3, syllables: 4, difficult_words: 0 },
    ],
    ['the same, typographic', 'He doesn’t know', { words: 3, syllables: 4, difficult_words: 0 }],
    ['quotation marks', "the 'big' 'dog'", { words: 3, difficult_words: 0 }],
    ['capitals', 'THE BIG DOG', { words: 3, syllables: 3, difficult_words: 0 }],
    ['lines and tabs', 'How many\nlines\tare here?', { words: 5, tokens: 5, sentences: 1, characters: 20 }],
    ['a long easy word', 'a wonderful grandmother', { polysyllables: 2, complex_words: 0, long_words: 2 }],
    ['a long difficult word', 'an electromagnet', { polysyllables: 1, complex_words: 1, difficult_words: 1 }],
    ['characters of two halves', '😀 𝐀𝐁 ok', { words: 2, tokens: 3, letters: 4, characters: 5 }],
    ['no-break space', 'one\u00a0two', { words: 2 }],
    ['an underscore', 'The ____ is red', { words: 4, letters: 12 }],
  ];
  for (const [what, text, counts] of cases) {
    it(what, () => assert.deepEqual({ ...read(text).counts, ...counts }, read(text).counts));
  }

  it('tells Latin letters from others', () => {
    const latin = (text: string) => read(text).latin;
    assert.deepEqual(['Łódź?', 'What does 東京 mean?', '東京 is?', 'Где?', '2 + 2', '😀'].map(latin), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('counts the same whether or not it has read other texts before', () => {
    const reader = new Reader(factsOf);
    const texts = [EASY, HARD, 'x'.repeat(10_000), EASY];
    for (const text of texts) assert.deepEqual(reader.read(text), read(text));
  });
});

describe('the formulae', () => {
  const counts = (
    words: number,
    tokens: number,
    sentences: number,
    syllables: number,
    letters: number,
    characters: number,
    polysyllables: number,
    long_words: number,
    difficult_words: number,
    complex_words: number,
  ): Counts => ({
    words,
    tokens,
    sentences,
    syllables,
    letters,
    characters,
    polysyllables,
    long_words,
    difficult_words,
    complex_words,
  });
  /** As textstat 0.7.11 gives them, in the order of the fields. */
  const cases: [Counts, number[]][] = [
    [
      counts(6, 6, 1, 8, 31, 32, 0, 2, 3, 0),
      [87.945, 2.4833333333333343, 3.1291, 2.4, 9.233333333333338, 6.69, 11.8291, 39.333333333333336],
    ],
    [
      counts(30, 30, 3, 51, 140, 143, 8, 9, 8, 7),
      [52.865, 8.37, 12.457975602129121, 13.333333333333332, 8.306666666666668, 6.021, 8.343166666666667, 40],
    ],
    [
      counts(19, 20, 1, 28, 85, 89, 1, 3, 5, 1),
      [
        62.87631578947371, 9.209473684210526, 8.841846274778883, 9.705263157894738, 8.589473684210528, 9.0295,
        8.734163157894738, 34.78947368421053,
      ],
    ],
    [counts(1, 1, 1, 1, 3, 4, 0, 0, 0, 0), [121.22, -3.4, 3.1291, 0.4, -28, -2.09, 0.0496, 1]],
  ];
  for (const [given, expected] of cases) {
    it(`gives what textstat gives for ${given.words} words`, () => {
      Object.entries(scoresOf(given)).forEach(([name, score], i) => {
        assert.ok(Math.abs(score - expected[i]!) < 1e-9, `${name}: ${score}, not ${expected[i]}`);
      });
    });
  }

  it('takes the median of four grades, to one decimal', () => {
    const [given] = cases[1]!;
    assert.equal(gradeOf(scoresOf(given)), 8.3);
  });

  it('has a margin that shrinks with the root of the words', () => {
    assert.deepEqual([1, 10, 30, 100].map(marginOf), [11, 3.5, 2, 1.1]);
  });

  it('knows what stands out in a group', () => {
    const group = { count: 10, min: 1, lower_quartile: 4, median: 5, upper_quartile: 6, max: 20 };
    assert.equal(fenceOf(group, 1.5), 9);
    assert.equal(fenceOf({ ...group, lower_quartile: 6 }, 1.5), 7, 'by a grade at least');
    assert.equal(fenceOf({ ...group, count: 4 }, 1.5), Number.POSITIVE_INFINITY, 'too few to tell');
  });

  it('orders by rank, then the highest grade, then place', () => {
    const ranks = Uint8Array.of(4, 0, 4, 4, 0, 3);
    const grades = Float64Array.of(-2.5, 7, 30.1, -2.5, 58_000, Number.NaN);
    assert.deepEqual([...orderOf(ranks, grades)], [4, 1, 5, 2, 0, 3]);
  });
});

describe('readability of a bank', () => {
  it('finds in its example everything there is to find, as its schemas say', async () => {
    const { questions, parameters } = readability.example;
    const { summary, items, warnings } = await runInline(readability, questions, parameters);
    assert.ok(Value.Check(readability.result.summary, summary));
    for (const item of items) assert.ok(Value.Check(readability.result.item, item), JSON.stringify(item));
    assert.ok(Object.values(summary.flagged).every((count) => Number(count) > 0));
    assert.equal(items.length, questions.length);
    assert.equal(warnings.length, 2);
    assert.deepEqual(
      items.map(({ flags }) => flags[0] ?? ''),
      [
        ...['too_hard_to_read', 'long_question', 'not_latin', 'not_english'],
        ...['', '', '', '', '', '', 'unreliable_short_text'],
      ],
    );
  });

  it('does not judge what is not English', async () => {
    const german = 'Welche österreichische Bundeshauptstadt wurde im Jahre 1683 von den Türken belagert?';
    const { items } = await runInline(readability, [ask(german), ask(HARD)], { max_words: 5 });
    const row = items.find(({ flags }) => flags.includes('not_english'));
    assert.deepEqual(row.flags, ['long_question', 'not_english']);
    assert.match(row.message, /^Not judged: the formulae are for English/);
    assert.equal(items.filter(({ flags }) => flags.includes('not_english')).length, 1);
  });

  it('says what is wrong and how others are', async () => {
    const { items } = await runInline(readability, [...Array(8).fill(ask(EASY)), ask(HARD)]);
    assert.deepEqual(items[0].flags, ['too_hard_to_read', 'harder_to_read_than_level']);
    assert.match(
      items[0].message,
      /^Reads harder than any school grade; Basic questions in this bank are mostly at grade \d\. /,
    );
    assert.match(
      items[0].message,
      /above the limit of 13: it has 15 words in 1 sentence, 7 of them with three syllables/,
    );
    assert.deepEqual(items[1].flags, []);
    assert.match(items[1].message, /^Reads like grade \d, give or take 3; .* at grade \d\.$/);
  });

  it('compares with questions of the same difficulty', async () => {
    const questions = [...Array(6).fill(ask(EASY, 0)), ...Array(6).fill(ask(HARD, 2)), ask(HARD, 0)];
    const { items, summary } = await runInline(readability, questions, { max_grade: 30 });
    const flagged = items.filter(({ flags }) => flags.length > 0);
    assert.deepEqual(
      flagged.map(({ question_id, flags }) => [Number(question_id.slice(-12)), flags]),
      [[12, ['harder_to_read_than_level']]],
    );
    assert.deepEqual(
      summary.levels.map((level: { name: string; grades: { count: number } }) => [
        level.name,
        level.grades.count,
      ]),
      [
        ['Basic', 7],
        ['Intermediate', 0],
        ['Advanced', 6],
      ],
    );
  });

  it('has nothing to say about no question', async () => {
    const { items, summary, warnings } = await runInline(readability, []);
    assert.deepEqual([items, warnings, summary.grades.count], [[], [], 0]);
    assert.ok(Value.Check(readability.result.summary, summary));
    assert.equal(readability.plot({ items, summary, warnings }).description, 'No question has a grade.');
  });

  it('keeps the order of the bank among equals', async () => {
    const { items } = await runInline(readability, Array(20).fill(ask(EASY)));
    const places = items.map(({ question_id }) => Number(question_id.slice(-12)));
    assert.deepEqual(places, [...places.keys()]);
  });

  it('obeys its parameters', async () => {
    const flagsWith = async (parameters: object, text = EASY) =>
      (await runInline(readability, [ask(text)], parameters)).items[0].flags;
    assert.deepEqual(await flagsWith({}), []);
    assert.deepEqual(await flagsWith({ max_grade: 1 }), ['too_hard_to_read']);
    assert.deepEqual(await flagsWith({ max_words: 13 }), ['long_question']);
    assert.deepEqual(await flagsWith({ min_words: 15 }), ['unreliable_short_text']);
    assert.deepEqual(await flagsWith({ min_words: 15, max_grade: 1 }), ['unreliable_short_text'], 'not both');
  });

  it('gives no grade to what is not in Latin letters, and says why', async () => {
    for (const text of ['東京はどこの国の首都ですか。', 'Столица Франции?', '😀😀', '2 + 2 = ?', '?']) {
      const { items, summary } = await runInline(readability, [ask(text)]);
      assert.deepEqual(items[0].flags, ['not_latin']);
      assert.match(items[0].message, /^Not graded: .*English/);
      for (const field of ['grade', 'margin', 'lix', 'flesch_reading_ease'])
        assert.equal(items[0][field], null);
      assert.equal(summary.grades.median, null);
      assert.ok(Value.Check(readability.result.item, items[0]));
    }
  });

  it('warns where the language is not English', async () => {
    const { warnings } = await runInline(readability, [
      ask(
        'Welcher längste Fluss fließt durch mehrere Hauptstädte Europas und mündet schließlich ins Schwarze Meer?',
      ),
    ]);
    assert.ok(warnings.some((warning) => /dictionary of English/.test(warning)));
  });

  it('never has a number that JSON has not', async () => {
    const hostile = [
      'x',
      'é'.repeat(10_000),
      'w '.repeat(5_000),
      '\u202e<b>مرحبا</b>',
      '.'.repeat(10_000),
      "'".repeat(9_999),
      'a.'.repeat(5_000),
      '👩‍👩‍👧‍👦 ok',
    ];
    const { items, summary } = await runInline(
      readability,
      hostile.map((text) => ask(text)),
    );
    assert.deepEqual(JSON.parse(JSON.stringify(items)), items);
    assert.deepEqual(JSON.parse(JSON.stringify(summary)), summary);
    assert.equal(items.length, hostile.length);
    for (const item of items) assert.ok(Value.Check(readability.result.item, item), JSON.stringify(item));
  });

  it('puts all beyond the axis into the bins at its ends', async () => {
    const { summary } = await runInline(readability, [ask('Is it so?'), ask('x'.repeat(500))]);
    const { bins } = summary.levels[0];
    assert.equal(bins[0] + bins.at(-1), 2);
  });

  it('gives rows that can be gone through again, and the same for the same questions', async () => {
    const questions = [ask(EASY), ask(HARD, 1), ask('Why?', 2)];
    const parameters = { max_grade: 13, min_words: 10, max_words: 40, outlier_factor: 1.5 };
    const all = questions.map((question, i) => ({
      ...question,
      id: `00000000-0000-7000-8000-00000000000${i}`,
      choices: [],
      topic_focus: null,
      tags: [],
    }));
    const batches = async function* () {
      yield all;
    };
    const shares: number[] = [];
    const progress = async (share: number) => void shares.push(share);
    const outcome = await readability.run({ count: 3, questions: batches(), progress }, parameters);
    assert.deepEqual([...outcome.items], [...outcome.items]);
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    );
    assert.equal(shares.at(-1), 1);
  });

  it('draws a histogram for each difficulty', async () => {
    const outcome = await runInline(readability, [ask(EASY), ask(HARD, 2)]);
    const figure = readability.plot(outcome);
    assert.equal(figure.chart, 'distributions');
    assert.deepEqual(
      figure.groups.map(({ label, counts, mark }) => [label, counts.reduce((a, b) => a + b), mark === null]),
      [
        ['Basic', 1, false],
        ['Intermediate', 0, true],
        ['Advanced', 1, false],
      ],
    );
    assert.match(figure.description, /1 Basic question, median/);
  });
});
