/** Readability: syllables, counts, formulas compared with textstat 0.7.11, and rows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Value } from 'typebox/value';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { type Counts, TextAnalyzer } from '../../src/analyses/readability/counts.ts';
import { computeUpperFence, sortByRankAndGrade } from '../../src/analyses/readability/distribution.ts';
import {
  computeGrade,
  computeGradeStandardError,
  computeScores,
} from '../../src/analyses/readability/formulas.ts';
import { readability } from '../../src/analyses/readability/index.ts';
import { countSyllables, lookUpWord } from '../../src/analyses/readability/syllables.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { runInline } from '../support/inline-analysis.ts';
import { assertClose } from '../support/numbers.ts';
import { ENGLISH, FOREIGN, HARD_TO_READ, NOT_HARD_TO_READ, SENTENCES } from '../support/readability-texts.ts';

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
  const cases: [word: string, syllables: number, reason: string][] = [
    ['cat', 1, 'in the dictionary'],
    ['banana', 3, 'in the dictionary'],
    ["doesn't", 2, 'in the dictionary with its apostrophe'],
    ['hiv', 3, 'a comment in the dictionary is not a phoneme'],
    ['sh', 1, 'in the dictionary, without a vowel'],
    ['swedenborg', 3, 'hyphenated: swe-den-borg'],
    ['antidisestablishmentarian', 9, 'hyphenated'],
    ['exoplanets', 4, 'hyphenated: ex-o-plan-ets'],
    ['18th', 1, 'a number'],
    ['łódź', 1, 'letters without hyphenation patterns'],
    ['東京', 1, 'not English'],
    ['constructor', 3, 'also a property of every object'],
    ['__proto__', 2, 'a property of every object, but not in the dictionary'],
    ['x', 1, 'a letter'],
  ];
  for (const [word, syllables, reason] of cases) {
    it(`counts ${syllables} in ${word}: ${reason}`, () => assert.equal(countSyllables(word), syllables));
  }

  it('takes linear time for a very long word', () => {
    assert.ok(countSyllables('internationalisation'.repeat(500)) > 2000);
  });
});

describe('counts of a text', () => {
  const analyze = (text: string) => new TextAnalyzer(lookUpWord).analyze(text);
  const cases: [name: string, text: string, counts: Partial<Counts>][] = [
    [
      'a symbol is not a word',
      'What is 2 + 2?',
      { words: 4, tokens: 5, sentences: 1, letters: 8, characters: 10 },
    ],
    ['only a symbol', '?', { words: 0, tokens: 1, sentences: 1, syllables: 0, characters: 1 }],
    ['one word', 'Why?', { words: 1, sentences: 1, syllables: 1, difficult_words: 0 }],
    ['two sentences', 'A cat sat here. Did it see the dog?', { words: 9, sentences: 2, polysyllables: 0 }],
    ['full stops of an abbreviation', 'Who led the U.S. army then?', { words: 6, sentences: 1 }],
    ['a decimal point', 'About 3.14 they all agree.', { words: 5, sentences: 1 }],
    ['a hyphen', 'a well-known fact', { words: 3, letters: 14, characters: 15, long_words: 1 }],
    ['an apostrophe within a word', "He doesn't know", { words: 3, syllables: 4, difficult_words: 0 }],
    ['a typographic apostrophe', 'He doesn’t know', { words: 3, syllables: 4, difficult_words: 0 }],
    ['quotation marks', "the 'big' 'dog'", { words: 3, difficult_words: 0 }],
    ['capitals', 'THE BIG DOG', { words: 3, syllables: 3, difficult_words: 0 }],
    ['lines and tabs', 'How many\nlines\tare here?', { words: 5, tokens: 5, sentences: 1, characters: 20 }],
    ['a long easy word', 'a wonderful grandmother', { polysyllables: 2, complex_words: 0, long_words: 2 }],
    ['a long difficult word', 'an electromagnet', { polysyllables: 1, complex_words: 1, difficult_words: 1 }],
    ['surrogate pairs', '😀 𝐀𝐁 ok', { words: 2, tokens: 3, letters: 4, characters: 5 }],
    ['no-break space', 'one\u00a0two', { words: 2 }],
    ['an underscore', 'The ____ is red', { words: 4, letters: 12 }],
  ];
  for (const [name, text, counts] of cases) {
    it(name, () => assert.deepEqual({ ...analyze(text).counts, ...counts }, analyze(text).counts));
  }

  it('detects text in Latin letters', () => {
    const isLatin = (text: string) => analyze(text).isLatin;
    assert.deepEqual(['Łódź?', 'What does 東京 mean?', '東京 is?', 'Где?', '2 + 2', '😀'].map(isLatin), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('does not depend on the texts analyzed before', () => {
    const analyzer = new TextAnalyzer(lookUpWord);
    const texts = [EASY, HARD, 'x'.repeat(10_000), EASY];
    for (const text of texts) assert.deepEqual(analyzer.analyze(text), analyze(text));
  });
});

describe('sentences', () => {
  for (const [text, sentences] of SENTENCES) {
    it(`has ${sentences}: ${text.replaceAll('\n', '\\n')}`, () => {
      assert.equal(new TextAnalyzer(lookUpWord).analyze(text).counts.sentences, sentences);
    });
  }
});

describe('names', () => {
  const cases: [text: string, options: string[], names: number][] = [
    ['Which river flows through Philadelphia and Wilmington?', [], 2],
    ['Which organisation regulates international telecommunications?', [], 0],
    ['Mitsubishi Motors has built cars since when?', [], 2],
    ['Which Swiss town is it?', [], 1],
    ['Zorblax is a planet in which series?', [], 1],
    ['What does the iPhone have that the VR6 and NASA lack?', [], 3],
    ['What Is The Name Of The Imperial Organisation Of Telecommunications?', [], 0],
    ['WHAT IS THE NAME OF THIS ZORBLAX PLANET?', [], 1],
    ['Was it the 19th or the 20th century, the 1990s or 1850?', [], 0],
    ['Who is faster, mario or luigi?', ['Super Mario', 'Luigi Verdixo', 'Both'], 1],
    ['Both of them? Neither of them?', ['Both', 'Neither'], 0],
  ];
  for (const [text, options, names] of cases) {
    it(`has ${names}: ${text}`, () => {
      assert.equal(new TextAnalyzer(lookUpWord).analyze(text, options).counts.names, names);
    });
  }

  it('are neither long nor difficult words', () => {
    const { counts } = new TextAnalyzer(lookUpWord).analyze('Is it in Massachusetts?');
    const { syllables, letters, characters, polysyllables, long_words, difficult_words } = counts;
    assert.deepEqual(
      { syllables, letters, characters, polysyllables, long_words, difficult_words },
      { syllables: 5, letters: 12, characters: 13, polysyllables: 0, long_words: 0, difficult_words: 0 },
    );
  });
});

describe('labelled texts', () => {
  const countFlagged = async (texts: string[], flag: string) => {
    let flagged = 0;
    // One by one: the fences of a difficulty depend on its questions.
    for (const text of texts) {
      const { items } = await runInline(readability, [ask(text)]);
      flagged += Number(items[0].flags.includes(flag));
    }
    return flagged / texts.length;
  };
  const cases: [flag: string, hits: string[], misses: string[]][] = [
    ['not_english', FOREIGN, ENGLISH],
    ['too_hard_to_read', HARD_TO_READ, NOT_HARD_TO_READ],
  ];
  for (const [flag, hits, misses] of cases) {
    it(`${flag} finds at least 90 % and nothing else`, async () => {
      assert.ok(hits.length >= 40 && misses.length >= 40);
      assert.ok((await countFlagged(hits, flag)) >= 0.9);
      assert.equal(await countFlagged(misses, flag), 0);
    });
  }
});

describe('the formulas', () => {
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
    names: 0,
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
  /** Scores by textstat 0.7.11, in the order of the fields. */
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
    it(`agree with textstat for ${given.words} words`, () => {
      Object.entries(computeScores(given)).forEach(([name, score], i) => {
        assertClose(score, expected[i]!, { absolute: 1e-9 }, name);
      });
    });
  }

  it('give the median of four grades, to one decimal', () => {
    const [given] = cases[1]!;
    assert.equal(computeGrade(computeScores(given)), 8.3);
  });

  it('have a standard error of 11 / √words', () => {
    assert.deepEqual([1, 10, 30, 100].map(computeGradeStandardError), [11, 3.5, 2, 1.1]);
  });

  it('have an upper fence for outliers of a group', () => {
    const group = { count: 10, min: 1, lower_quartile: 4, median: 5, upper_quartile: 6, max: 20 };
    assert.equal(computeUpperFence(group, 1.5), 9);
    assert.equal(computeUpperFence({ ...group, lower_quartile: 6 }, 1.5), 7, 'one grade at least');
    assert.equal(computeUpperFence({ ...group, count: 4 }, 1.5), Number.POSITIVE_INFINITY, 'too few values');
  });

  it('sort by rank, then by descending grade, then by index', () => {
    const ranks = Uint8Array.of(4, 0, 4, 4, 0, 3);
    const grades = Float64Array.of(-2.5, 7, 30.1, -2.5, 58_000, Number.NaN);
    assert.deepEqual([...sortByRankAndGrade(ranks, grades)], [4, 1, 5, 2, 0, 3]);
  });
});

describe('readability of a bank', () => {
  it('has every flag in its example and conforms to its schemas', async () => {
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

  it('does not judge text that is not English', async () => {
    const german = 'Welche österreichische Bundeshauptstadt wurde im Jahre 1683 von den Türken belagert?';
    const { items } = await runInline(readability, [ask(german), ask(HARD)], { max_words: 5 });
    const row = items.find(({ flags }) => flags.includes('not_english'));
    assert.deepEqual(row.flags, ['long_question', 'not_english']);
    assert.match(row.message, /^Not judged: the text does not seem to be English/);
    assert.equal(items.filter(({ flags }) => flags.includes('not_english')).length, 1);
  });

  it('explains a flag and compares with questions of the same difficulty', async () => {
    const { items } = await runInline(readability, [...Array(8).fill(ask(EASY)), ask(HARD)]);
    assert.deepEqual(items[0].flags, ['too_hard_to_read', 'harder_to_read_than_level']);
    assert.match(
      items[0].message,
      /^Reads above any school grade; the middle half of the Basic questions are at grade \d\. /,
    );
    assert.match(
      items[0].message,
      /It exceeds the maximum of 13 by more than its standard error: it has 15 words in 1 sentence, 7 of them with three syllables or more\./,
    );
    assert.deepEqual(items[1].flags, []);
    assert.match(items[1].message, /^Reads at grade \d ± 3 \(standard error\); .* at grade \d\.$/);
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

  it('accepts an empty bank', async () => {
    const { items, summary, warnings } = await runInline(readability, []);
    assert.deepEqual([items, warnings, summary.grades.count], [[], [], 0]);
    assert.ok(Value.Check(readability.result.summary, summary));
    assert.equal(readability.plot({ items, summary, warnings }).description, 'No question has a grade.');
  });

  it('keeps the order of the bank for ties', async () => {
    const { items } = await runInline(readability, Array(20).fill(ask(EASY)));
    const indexes = items.map(({ question_id }) => Number(question_id.slice(-12)));
    assert.deepEqual(indexes, [...indexes.keys()]);
  });

  it('applies its parameters', async () => {
    const getFlags = async (parameters: object, text = EASY) =>
      (await runInline(readability, [ask(text)], parameters)).items[0].flags;
    assert.deepEqual(await getFlags({}), []);
    assert.deepEqual(await getFlags({ max_grade: 20 }, HARD), ['too_hard_to_read'], '22.9 ± 2.8');
    assert.deepEqual(await getFlags({ max_grade: 21 }, HARD), [], '22.9 ± 2.8');
    assert.deepEqual(await getFlags({ max_words: 13 }), ['long_question']);
    assert.deepEqual(await getFlags({ min_words: 15 }), ['unreliable_short_text']);
    const short = { min_words: 16, max_grade: 1 };
    assert.deepEqual(await getFlags(short, HARD), ['unreliable_short_text'], 'not both');
  });

  it('has no grade for text that is not in Latin letters', async () => {
    for (const text of ['東京はどこの国の首都ですか。', 'Столица Франции?', '😀😀', '2 + 2 = ?', '?']) {
      const { items, summary } = await runInline(readability, [ask(text)]);
      assert.deepEqual(items[0].flags, ['not_latin']);
      assert.match(items[0].message, /^Not graded: .*English/);
      for (const field of ['grade', 'standard_error', 'lix', 'flesch_reading_ease'])
        assert.equal(items[0][field], null);
      assert.equal(summary.grades.median, null);
      assert.ok(Value.Check(readability.result.item, items[0]));
    }
  });

  it('warns if the bank is not in English', async () => {
    const { warnings } = await runInline(readability, [
      ask(
        'Welcher längste Fluss fließt durch mehrere Hauptstädte Europas und mündet schließlich ins Schwarze Meer?',
      ),
    ]);
    assert.ok(warnings.some((warning) => /English dictionary/.test(warning)));
  });

  it('has only finite numbers', async () => {
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

  it('counts grades beyond the axis in the first and last bins', async () => {
    const { summary } = await runInline(readability, [ask('Is it so?'), ask('x'.repeat(500))]);
    const { bins } = summary.levels[0];
    assert.equal(bins[0] + bins.at(-1), 2);
  });

  it('has items that can be iterated more than once, and reports progress up to 1', async () => {
    const questions = [ask(EASY), ask(HARD, 1), ask('Why?', 2)];
    const parameters = { max_grade: 13, min_words: 10, max_words: 40, max_iqr_multiple: 1.5 };
    const all = questions.map((question, i) => ({
      ...question,
      id: `00000000-0000-7000-8000-00000000000${i}`,
      kind: 'short_answer' as const,
      choices: [],
      topic_focus: null,
      tags: [],
    }));
    const batches = async function* () {
      yield all;
    };
    const shares: number[] = [];
    const ticker = new Ticker({ sliceMs: 0, report: (share) => void shares.push(share) });
    const scope = { categories: [], difficulties: [0, 1, 2] };
    const input = { count: 3, scope, questions: batches(), ticker };
    const outcome = await readability.run(input, parameters);
    assert.deepEqual([...outcome.items], [...outcome.items]);
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    );
    assert.equal(shares.at(-1), 1);
  });

  it('plots a histogram for each difficulty', async () => {
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
