import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findAnswerWords } from '../../src/analyses/duplicates/answer-words.ts';
import { areEquivalentAnswers } from '../../src/analyses/duplicates/answers.ts';
import { duplicates } from '../../src/analyses/duplicates/index.ts';
import { buildShingleSets, findMaxChars } from '../../src/analyses/duplicates/shingles.ts';
import { joinSimilarSets } from '../../src/analyses/duplicates/similarity-join.ts';
import { diffWords } from '../../src/analyses/duplicates/word-diff.ts';
import { editDistance } from '../../src/bits/edit-distance.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { type QuestionRow, runDuplicates } from '../support/duplicate-questions.ts';
import { expectChart } from '../support/figures.ts';
import { createRandom } from '../support/random.ts';

/** The class of the only group that two questions make, or null. */
async function findClass(a: QuestionRow, b: QuestionRow): Promise<string | null> {
  const { items } = await runDuplicates([a, b]);
  return items[0]?.class ?? null;
}

const SEAS = ['Baltic', 'North Sea', 'Black Sea'] as const;
const harbour = (text: string, answer = 'Baltic'): QuestionRow => [
  text,
  answer,
  ...[...SEAS, 'Adriatic'].filter((sea) => sea !== answer),
];
const BASE = 'Which sea does the harbour of Gdansk in northern Poland open to?';

const inYear = (year: number): QuestionRow => [
  `How many people lived in the old town of Lisbon in ${year}?`,
  'many',
];

describe('the same question twice', () => {
  const SAME: Record<string, string> = {
    'an exact copy': BASE,
    case: BASE.toUpperCase(),
    punctuation: 'Which sea does the harbour of Gdansk, in northern Poland, open to',
    'white space': `  ${BASE.replaceAll(' ', '  ')}\n`,
    accents: BASE.replace('Gdansk', 'Gdańsk'),
    'a typo': BASE.replace('harbour', 'habrour'),
    'a typo in a name': BASE.replace('Gdansk', 'Gdask'),
    'American spelling': BASE.replace('harbour', 'harbor'),
    stopwords: BASE.replace('Which sea', 'What is the sea that').replace('does ', ''),
    'the order of clauses': 'In northern Poland, which sea does the harbour of Gdansk open to?',
    'an added filler word': BASE.replace('harbour', 'famous harbour'),
    'an HTML entity': BASE.replace('of Gdansk', 'of&nbsp;Gdansk'),
  };
  for (const [how, text] of Object.entries(SAME)) {
    it(`is a duplicate in spite of ${how}`, async () => {
      assert.equal(await findClass(harbour(BASE), harbour(text)), 'duplicate');
    });
    it(`is a conflict in spite of ${how} if the answers differ`, async () => {
      assert.equal(await findClass(harbour(BASE), harbour(text, 'Black Sea')), 'conflict');
    });
  }

  const REWRITTEN: [string, QuestionRow, QuestionRow][] = [
    [
      'numbers in words',
      ['Who won World War II?', 'Allies'],
      ['Who won the Second World War?', 'The Allies'],
    ],
    ['thousands', ['What is 1,000 in Roman numerals?', 'M'], ['What is 1000 in roman numerals', 'M']],
    ['initials', ['Who leads the U.S. Senate?', 'x'], ['Who leads the United States Senate?', 'x']],
    [
      'one word or two',
      ['Which videogame has a plumber?', 'Mario'],
      ['Which video game has a plumber?', 'Mario'],
    ],
    [
      'a synonym',
      ['What is the biggest lake in Africa?', 'Victoria'],
      ['What is the largest lake in Africa?', 'Victoria'],
    ],
    ['contractions', ['Which bird can’t fly?', 'Emu'], ['Which bird cannot fly?', 'Emu']],
    [
      'other options',
      ['Who painted Guernica?', 'Picasso', 'Dalí'],
      ['Who painted “Guernica”?', 'Pablo Picasso', 'Monet'],
    ],
    ['an unknown synonym, options agreeing', harbour(BASE), harbour(BASE.replace('open', 'lead'))],
    ['Chinese', ['中国的首都是哪里？', '北京'], ['中国的首都是哪里', '北京']],
  ];
  for (const [how, a, b] of REWRITTEN) {
    it(`is a duplicate in spite of ${how}`, async () => assert.equal(await findClass(a, b), 'duplicate'));
  }

  it('names the oldest question and both answers', async () => {
    const { items } = await runDuplicates([harbour(BASE), harbour(`${BASE} `), harbour(BASE, 'Black Sea')]);
    assert.deepEqual(
      items.map(({ flags, class: kind, group }) => [flags, kind, group]),
      [
        [['first'], 'conflict', 1],
        [['duplicate'], 'conflict', 1],
        [['conflict'], 'conflict', 1],
      ],
    );
    assert.match(items[2].message, /“Black Sea” here, “Baltic” there/);
    assert.ok(items.every((row) => row.first_question_id === items[0].question_id));
  });

  it('is flagged when the options differ', async () => {
    const { items } = await runDuplicates([harbour(BASE), [BASE, 'Baltic', 'Atlantic', 'Pacific']]);
    assert.deepEqual(items[1].flags, ['duplicate', 'other_options']);
  });
});

describe('different questions with similar wording', () => {
  const DIFFERENT: [string, QuestionRow, QuestionRow][] = [
    [
      'a number',
      ['How many strings has a violin of size 1?', '4'],
      ['How many strings has a violin of size 2?', '4'],
    ],
    ['a year', harbour(`In 1901, ${BASE}`), harbour(`In 1910, ${BASE}`)],
    ['an ordinal', ['Who was the third king of Rome?', 'x'], ['Who was the fifth king of Rome?', 'y']],
    ['a name', harbour(BASE), harbour(BASE.replace('Gdansk', 'Gdynia'))],
    [
      'a name at the beginning',
      ['Oslo is the capital of Norway.', 'True', 'False'],
      ['Bergen is the capital of Norway.', 'False', 'True'],
    ],
    ['a short name', ['Which river crosses Iran?', 'Karun'], ['Which river crosses Iraq?', 'Tigris']],
    ['a negation', harbour(BASE), harbour(BASE.replace('does', 'does not'))],
    [
      'a negation by a prefix',
      ['Which of them is a legal move?', 'a', 'b'],
      ['Which of them is an illegal move?', 'b', 'a'],
    ],
    [
      'an opposite',
      ['Which is the largest planet?', 'Jupiter'],
      ['Which is the smallest planet?', 'Mercury'],
    ],
    [
      'a direction',
      ['Which state lies north of Utah?', 'Idaho'],
      ['Which state lies south of Utah?', 'Arizona'],
    ],
    ['swapped names', ['Is Venus hotter than Mars?', 'Yes'], ['Is Mars hotter than Venus?', 'No']],
    ['a sign', ['What does ♀ stand for?', 'female'], ['What does ♂ stand for?', 'male']],
    ['an operator', ['What is 6 - 3?', '3'], ['What is 6 / 3?', '2']],
    ['a language', ['Who created C?', 'Ritchie'], ['Who created C++?', 'Stroustrup']],
    ['a question word', ['When was Bach born?', '1685'], ['Where was Bach born?', 'Eisenach']],
    ['one character in Chinese', ['中国的首都是哪里？', '北京'], ['法国的首都是哪里？', '巴黎']],
    ['one word in Arabic', ['ما هي عاصمة فرنسا الجميلة', 'باريس'], ['ما هي عاصمة المغرب الجميلة', 'الرباط']],
    ['emoji', ['Which film is 🦁👑?', 'x'], ['Which film is 🐟🔍?', 'y']],
    [
      'an unknown word, answers differing',
      harbour(BASE),
      harbour(BASE.replace('harbour', 'cathedral'), 'Black Sea'),
    ],
    [
      'the options it is about',
      ['Which of these is a mammal?', 'Whale', 'Shark', 'Trout'],
      ['Which of these is a mammal?', 'Bat', 'Eagle', 'Owl'],
    ],
  ];
  for (const [title, a, b] of DIFFERENT) {
    it(`are distinguished by ${title}`, async () => {
      const found = await findClass(a, b);
      assert.ok(found === null || found === 'variant', `${found}`);
    });
  }

  it('are variants if similar enough or opposites', async () => {
    const { items, summary } = await runDuplicates([
      inYear(1950),
      inYear(1960),
      ['Whales are fish.', 'False', 'True'],
      ['Whales are not fish.', 'True', 'False'],
    ]);
    assert.deepEqual(
      items.map((row) => [row.group, row.class]),
      [
        [1, 'variant'],
        [1, 'variant'],
        [2, 'variant'],
        [2, 'variant'],
      ],
    );
    assert.deepEqual(summary.classes.variant, { groups: 2, questions: 4 });
    assert.equal(summary.redundant_questions, 0);
  });

  it('are not reported without variants', async () => {
    const { items } = await runDuplicates([inYear(1950), inYear(1960)], { variants: false });
    assert.deepEqual(items, []);
  });
});

it('reports the same statement marked true and false as a conflict', async () => {
  assert.equal(
    await findClass(['Whales are fish.', 'False', 'True'], ['Whales are fish', 'True', 'False']),
    'conflict',
  );
});

describe('groups', () => {
  it('are ordered by class, similarity and age, with their rows together', async () => {
    const { items } = await runDuplicates(
      duplicates.example.questions.map((q) => [
        q.question_text,
        q.correct_answer,
        ...(q.incorrect_answers ?? []),
      ]),
    );
    const classes = items.filter(({ flags }) => flags[0] === 'first').map((row) => row.class);
    assert.deepEqual(classes, ['conflict', 'duplicate', 'likely', 'variant', 'variant']);
    assert.deepEqual(
      items.map(({ group }) => group),
      items.map(({ group }) => group).sort((a, b) => a - b),
    );
  });

  it('do not chain: every member is compared with the leader', async () => {
    const { items } = await runDuplicates([inYear(1950), inYear(1950), inYear(1960)]);
    assert.deepEqual(
      items.map((row) => [row.group, row.class, row.flags[0]]),
      [
        [1, 'duplicate', 'first'],
        [1, 'duplicate', 'duplicate'],
        [2, 'variant', 'first'],
        [2, 'variant', 'variant'],
      ],
    );
    assert.equal(items[0].question_id, items[2].question_id);
  });

  it('can be large', async () => {
    const copies = Array.from({ length: 300 }, (_, i) =>
      harbour(BASE, i % 100 === 99 ? 'Black Sea' : 'Baltic'),
    );
    const { summary, items } = await runDuplicates(copies);
    assert.equal(summary.groups, 1);
    assert.equal(items.length, 300);
    assert.equal(summary.redundant_questions, 296);
  });
});

describe('many near-duplicates', () => {
  const WORDS = 'amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge'.split(' ');
  const random = createRandom(11);
  const shuffle = () => {
    const words = [...WORDS];
    for (let i = words.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [words[i], words[j]] = [words[j]!, words[i]!];
    }
    return words.join(' ');
  };

  it('are compared with a part of each other, which is reported, and make one group', async () => {
    const n = 3000;
    const { items, summary, warnings } = await runDuplicates(
      Array.from({ length: n }, (): QuestionRow => [shuffle(), 'harbour']),
    );
    assert.deepEqual([summary.groups, items.length], [1, n]);
    // All pairs are 4.5 million; two joins compare each text with up to 250 others.
    assert.ok(summary.compared_pairs < 500 * n, `${summary.compared_pairs} pairs`);
    assert.ok(summary.skipped_pairs > 0);
    assert.ok(summary.bounded_searches > 0 && summary.bounded_searches <= n);
    assert.match(warnings.join(), /compared with only a part of them.*pairs were not compared/);
  });

  it('of one text with different answers make one group', async () => {
    const n = 1200;
    const { items, summary } = await runDuplicates(
      Array.from({ length: n }, (_, i): QuestionRow => [BASE, `answer ${WORDS[i % 12]} ${i}`]),
    );
    assert.deepEqual([summary.groups, items.length], [1, n]);
  });

  it('of the greatest length are compared within the same limit', async () => {
    const filler = Array.from({ length: 1600 }, (_, i) => `word${i}`)
      .join(' ')
      .slice(0, 9900);
    const { items, summary } = await runDuplicates(
      Array.from({ length: 150 }, (_, i): QuestionRow => [`${filler} ${WORDS[i % 12]} ${i}`, 'harbour']),
    );
    assert.ok(summary.compared_pairs <= 2 * 34 * 150, `${summary.compared_pairs} pairs`);
    assert.ok(summary.skipped_pairs > 0);
    assert.equal(items.length, 150);
  });
});

describe('unusual input', () => {
  it('warns about a single question', async () => {
    const { items, summary, warnings } = await runDuplicates([['?', '!']]);
    assert.deepEqual([items, summary.groups, warnings.length], [[], 0, 1]);
  });

  const ODD: Record<string, string> = {
    'no white space': 'x'.repeat(10_000),
    'many words': Array.from({ length: 2000 }, (_, i) => `w${i}`).join(' '),
    emoji: '🧪'.repeat(5000),
    markup: '<b>'.repeat(3000),
    entities: '&amp;'.repeat(2000),
    'direction marks': '\u202e\u200f'.repeat(4000),
    initials: 'a.'.repeat(5000),
    apostrophes: "it's".repeat(2500),
    'lone surrogates': '\ud83d '.repeat(3000),
    digits: '1,'.repeat(5000),
    'one letter': 'a',
  };
  for (const [title, text] of Object.entries(ODD)) {
    it(`finds a copy of ${title}`, async () => {
      assert.equal(await findClass([text, 'a', 'b'], [text, 'a', 'b']), 'duplicate');
      assert.doesNotThrow(() => JSON.stringify([text]));
    });
  }
  it('does not match different unusual texts', async () => {
    const { summary } = await runDuplicates(Object.values(ODD).map((text): QuestionRow => [text, 'a', 'b']));
    assert.equal(summary.groups, 0);
  });
});

describe('without answers', () => {
  const bank: QuestionRow[] = [
    harbour(BASE),
    harbour(BASE.replace('harbour', 'harbor')),
    harbour(BASE.replace('Gdansk', 'Gdynia')),
    harbour(BASE.replace('open', 'lead')),
    ['Which of these is a mammal?', 'Whale', 'Shark', 'Trout'],
    ['Which of these is a mammal?', 'Bat', 'Eagle', 'Owl'],
    ['Whales are fish.', 'False', 'True'],
    ['Whales are fish!', 'False', 'True'],
    ['Who painted Guernica?', 'Picasso'],
    ['Who painted “Guernica”?', 'Pablo Picasso'],
  ];
  /** The bank with other options marked as correct, and other free answers. */
  const rotateKeys = (by: number): QuestionRow[] =>
    bank.map(([text, ...options], i): QuestionRow => {
      if (options.length === 1) return [text, `another answer ${i * by}`];
      const at = (i * by) % options.length;
      return [text, options[at]!, ...options.filter((_, k) => k !== at)];
    });
  const serialize = async (rows: QuestionRow[]) => {
    const outcome = (await runDuplicates(rows)).withoutAnswers;
    return JSON.stringify([outcome.summary, [...outcome.items], outcome.warnings, duplicates.plot(outcome)]);
  };

  it('the result does not depend on which option is correct', async () => {
    const expected = await serialize(bank);
    for (const by of [1, 2, 3]) assert.equal(await serialize(rotateKeys(by)), expected);
  });

  it('classes and answers are null', async () => {
    const outcome = (await runDuplicates(bank)).withoutAnswers;
    const rows = [...outcome.items];
    assert.ok(rows.length > 0);
    for (const row of rows) assert.deepEqual([row.class, row.correct_answer], [null, null]);
    assert.deepEqual([outcome.summary.classes, outcome.summary.redundant_questions], [null, null]);
    assert.doesNotMatch(JSON.stringify([rows, duplicates.plot(outcome)]), /Picasso|Baltic/);
  });
});

describe('the figure', () => {
  it('shows groups of each class and the number omitted', async () => {
    const pairs = Array.from({ length: 30 }, (_, i): QuestionRow[] => [
      [`Name the founder of the village number ${i} of the Hobbits`, 'x'],
      [`Name the founder of the village number ${i} of the Hobbits!`, i < 25 ? 'x' : 'y'],
    ]);
    const figure = expectChart(
      duplicates.plot(await runDuplicates(pairs.flat(), { min_similarity: 1 })),
      'text-groups',
    );
    assert.equal(figure.groups.length, 12);
    assert.equal(figure.omitted, 18);
    const labels = new Set(figure.groups.map(({ label }) => label));
    assert.deepEqual([...labels], ['Same question, other answer', 'Duplicate']);
    assert.equal(figure.groups[0]!.texts[1]!.note, '100 % similar, answer: y');
    assert.deepEqual(figure.overview, [
      {
        title: 'Groups by class',
        rows: [
          { label: 'conflicts', value: 5 },
          { label: 'duplicates', value: 25 },
          { label: 'likely duplicates', value: 0 },
          { label: 'variants', value: 0 },
        ],
      },
      {
        title: 'Groups by size',
        rows: [
          { label: '2 questions', value: 30 },
          { label: '3 questions', value: 0 },
          { label: '4 questions', value: 0 },
          { label: '5 or more', value: 0 },
        ],
      },
      { title: 'Questions by category', rows: [{ label: 'general', value: 60 }] },
    ]);
  });

  it('marks the words that differ', () => {
    assert.deepEqual(diffWords('Where is the old mill?', 'Where is the mill'), [
      { text: 'Where is the ', differs: false },
      { text: 'old ', differs: true },
      { text: 'mill?', differs: false },
    ]);
    assert.deepEqual(diffWords('a b', 'c'), [{ text: 'a b', differs: true }]);
  });
});

describe('the similarity join', () => {
  const toShingles = (text: string) =>
    new Set(Array.from({ length: Math.max(1, text.length - 4) }, (_, i) => text.slice(i, i + 5)));
  const { below } = createRandom(7);
  const texts: string[] = [];
  for (let i = 0; i < 200; i++) {
    const words = i % 3 && i > 10 ? texts[below(i)]!.split(' ') : [];
    while (words.length < 4 + below(10)) words.push(`w${below(500)}x${below(9)}`);
    words[below(words.length)] += 'x';
    texts.push(words.join(' '));
  }
  const shingles = texts.map(toShingles);
  const similarities = shingles.flatMap((one, later) =>
    shingles.slice(0, later).map((other, earlier) => ({
      earlier,
      later,
      similarity: one.intersection(other).size / one.union(other).size,
    })),
  );

  async function findPairs(texts: readonly string[], threshold: number) {
    const lengths = texts.map((text) => text.length);
    const ticker = new Ticker();
    const sets = await buildShingleSets(lengths, (i) => texts[i]!, findMaxChars(lengths), ticker);
    const pairs: (typeof similarities)[number][] = [];
    const emit = (earlier: number, later: number, similarity: number) =>
      void pairs.push({ earlier, later, similarity });
    await joinSimilarSets(sets, () => threshold, emit, ticker);
    return pairs.sort((a, b) => a.later - b.later || a.earlier - b.earlier);
  }

  for (const threshold of [0.5, 0.8, 0.9]) {
    it(`finds exactly the pairs above ${threshold}`, async () => {
      const expected = similarities.filter(({ similarity }) => similarity >= threshold);
      assert.deepEqual(await findPairs(texts, threshold), expected);
      assert.ok(expected.length > 5);
    });
  }

  it('takes a text shorter than a shingle as one shingle', async () => {
    assert.deepEqual(await findPairs(['a b', 'a b', 'ab'], 0.8), [{ earlier: 0, later: 1, similarity: 1 }]);
  });

  it('cuts the longest texts first when there are too many shingles', () => {
    assert.equal(findMaxChars([10, 20, 3000], 1000), 970);
    assert.equal(findMaxChars([10, 20, 3000]), 3000);
  });
});

describe('answers', () => {
  const PAIRS: [string, string, boolean][] = [
    ['Russia', 'Russian Federation', true],
    ['Neville Chamberlain', 'Chamberlain', true],
    ['The Beatles', 'beatles', true],
    ['4', 'Four', true],
    ['1789', 'May 05 1789', true],
    ['5', '5 million', false],
    ['Korea', 'North Korea', false],
    ['Queen Anne', 'Queen Mary', false],
    ['1914', '1915', false],
    ['5', '-5', false],
    ['True', 'False', false],
    ['Henry V', 'Henry VI', false],
  ];
  for (const [a, b, same] of PAIRS) {
    it(`${a} and ${b} are ${same ? 'equivalent' : 'different'}`, () => {
      const [wordsA, wordsB] = [findAnswerWords(a)!, findAnswerWords(b)!];
      assert.equal(areEquivalentAnswers(wordsA, wordsB), same);
      assert.equal(areEquivalentAnswers(wordsB, wordsA), same);
    });
  }
});

it('counts a transposition as one edit', () => {
  assert.deepEqual(
    [editDistance('form', 'from'), editDistance('kitten', 'sitting'), editDistance('', 'ab')],
    [1, 3, 2],
  );
});
