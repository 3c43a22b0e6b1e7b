import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { combineNumbers, parseRomanNumeral } from '../../src/analyses/duplicates/number-words.ts';
import { type QuestionRow, runDuplicates } from '../support/duplicate-questions.ts';
import { createRandom } from '../support/random.ts';
import { REWORDED_PAIRS } from '../support/reworded-questions.ts';
import { DIFFERENT_PAIRS } from '../support/same-answer-questions.ts';

async function findClass(a: QuestionRow, b: QuestionRow, parameters = {}): Promise<string | null> {
  const { items } = await runDuplicates([a, b], parameters);
  return items[0]?.class ?? null;
}

describe('labelled pairs', () => {
  const parse = (table: string, isSame: boolean) =>
    table
      .trim()
      .split('\n')
      .map((line) => line.split(' | ') as [string, string, string])
      .map(([answer, first, second]) => ({ answer, texts: [first, second] as const, isSame }));
  const pairs = [...parse(REWORDED_PAIRS, true), ...parse(DIFFERENT_PAIRS, false)];
  const random = createRandom(5);
  const drawDistractors = (answer: string) =>
    [...new Set(Array.from({ length: 3 }, () => pairs[random.below(pairs.length)]!.answer))].filter(
      (distractor) => distractor !== answer,
    );
  const rows = pairs.flatMap(({ answer, texts }) =>
    texts.map((text): QuestionRow => [text, answer, ...drawDistractors(answer)]),
  );

  /** The TF-IDF cosine of the words as written, without a short list of function words. */
  const FUNCTION_WORDS = new Set(
    `a an the is are was were be been do does did has have had can which what who whom whose when where why how this that
     these those there it its of in on at for and or as with to from by you your he she his her their`.split(
      /\s+/,
    ),
  );
  const wordsOf = (text: string) =>
    new Set(
      text
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)!
        .filter((word) => !FUNCTION_WORDS.has(word)),
    );
  const wordSets = rows.map(([text]) => wordsOf(text));
  const frequencies = new Map<string, number>();
  for (const words of wordSets)
    for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const square = (word: string) => (Math.log((1 + rows.length) / (1 + frequencies.get(word)!)) + 1) ** 2;
  const sum = (words: Iterable<string>) => [...words].reduce((total, word) => total + square(word), 0);
  const cosines = pairs.map((_, i) => {
    const [a, b] = [wordSets[2 * i]!, wordSets[2 * i + 1]!];
    return sum(a.intersection(b)) / Math.sqrt(sum(a) * sum(b));
  });

  /** By pair: whether both questions are in one group that is not of variants. */
  async function findGrouped(min_word_similarity: number): Promise<boolean[]> {
    const { items } = await runDuplicates(rows, { min_word_similarity });
    const groups = new Map<string, number>();
    for (const row of items)
      if (row.class !== 'variant') groups.set(`${row.question_text}|${row.correct_answer}`, row.group);
    return pairs.map(({ answer, texts: [a, b] }) => {
      const group = groups.get(`${a}|${answer}`);
      return group !== undefined && group === groups.get(`${b}|${answer}`);
    });
  }

  it('are at least 150 of each label', () => {
    assert.ok(pairs.filter(({ isSame }) => isSame).length >= 150);
    assert.ok(pairs.filter(({ isSame }) => !isSame).length >= 150);
  });

  for (const [similarity, minRecall, minPrecision] of [
    [0.75, 0.85, 0.95],
    [0.6, 0.85, 0.9],
  ] as const) {
    it(`of a cosine from ${similarity} on are found, and others are not`, async () => {
      const grouped = await findGrouped(similarity);
      const wanted = pairs.flatMap(({ isSame }, i) => (isSame && cosines[i]! >= similarity ? [i] : []));
      const found = wanted.filter((i) => grouped[i]);
      assert.ok(wanted.length >= 50, `${wanted.length} pairs`);
      assert.ok(found.length / wanted.length >= minRecall, `recall ${found.length} of ${wanted.length}`);
      const right = pairs.filter(({ isSame }, i) => isSame && grouped[i]).length;
      const reported = grouped.filter(Boolean).length;
      assert.ok(right / reported >= minPrecision, `precision ${right} of ${reported}`);
    });
  }
});

describe('likely duplicates', () => {
  const SAME: [string, QuestionRow, QuestionRow][] = [
    [
      'an added noun and a lost apostrophe',
      ['What is the name of Nicolas Cages character in City of Angels?', 'Seth'],
      ["What is the name of Nicolas Cage's character in the movie City of Angels?", 'Seth'],
    ],
    [
      'an added description',
      ['Who is the lead singer of the band Coldplay?', 'Chris Martin'],
      ['Who is the lead singer of the British pop rock band Coldplay?', 'Chris Martin'],
    ],
    [
      'another verb',
      ['How long did the Hundred Years War last?', '116 years'],
      ['How long was the 100 Years War?', '116 years'],
    ],
    [
      'an ordinal for a Roman numeral',
      ['Who was the second wife of King Henry VIII of England?', 'Anne Boleyn'],
      ["Who was King Henry the Eighth's second wife?", 'Anne Boleyn'],
    ],
    [
      'a more complete answer',
      ['Which river in South America is the longest?', 'Amazon'],
      ['Which is the longest South American river flowing to the Atlantic?', 'Amazon River'],
    ],
  ];
  for (const [how, a, b] of SAME) {
    it(`are found in spite of ${how}`, async () => {
      assert.ok(['duplicate', 'likely'].includes((await findClass(a, b, { min_word_similarity: 0.5 }))!));
    });
  }

  it('require the same answer', async () => {
    const [, a, b] = SAME[1]!;
    assert.equal(await findClass(a, b), 'likely');
    assert.notEqual(await findClass(a, [b[0], 'Bono']), 'likely');
  });

  it('are in one group with duplicates of the same question, each with its flag', async () => {
    const [, a, b] = SAME[1]!;
    const { items, summary } = await runDuplicates([a, b, [`${a[0]}!`, a[1]]]);
    assert.deepEqual(
      items.map(({ group, class: kind, flags }) => [group, kind, flags[0]]),
      [
        [1, 'likely', 'first'],
        [1, 'likely', 'likely'],
        [1, 'likely', 'duplicate'],
      ],
    );
    assert.deepEqual(summary.classes.likely, { groups: 1, questions: 3 });
    assert.equal(summary.redundant_questions, 1);
    assert.match(
      items[1].message,
      /^Probably asks the same as “Who is the lead singer of the band Coldplay\?”/,
    );
  });

  it('are not found without answers', async () => {
    const [, a, b] = SAME[1]!;
    const { withoutAnswers } = await runDuplicates([a, b]);
    assert.deepEqual([...withoutAnswers.items], []);
  });

  it('are compared within the limits, and what was skipped is reported', async () => {
    const words = 'amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge'.split(' ');
    const n = 3000;
    const { summary, warnings } = await runDuplicates(
      Array.from(
        { length: n },
        (_, i): QuestionRow => [
          `Which ${words.filter((_, k) => (i >> k) & 1).join(' ')} of the harbour?`,
          'Gdansk',
        ],
      ),
    );
    assert.ok(summary.compared_pairs < 3 * 1000 * n, `${summary.compared_pairs} pairs`);
    assert.ok(summary.bounded_searches > 0);
    assert.match(warnings.join(), /compared with only a part of them/);
  });
});

describe('the same words', () => {
  it('with exchanged roles are not a conflict', async () => {
    const liger: QuestionRow = [
      'What is the offspring of a male lion and a female tiger?',
      'Liger',
      'Tigon',
      'Leopon',
    ];
    const tigon: QuestionRow = [
      'What is the offspring of a female lion and a male tiger?',
      'Tigon',
      'Liger',
      'Leopon',
    ];
    assert.notEqual(await findClass(liger, tigon), 'conflict');
    const order: QuestionRow = [
      'What is the offspring of a female tiger and a male lion?',
      ...liger.slice(1),
    ] as QuestionRow;
    assert.equal(await findClass(liger, order), 'duplicate');
    assert.notEqual(
      await findClass(['Which dog bites a man?', 'x', 'y'], ['Which man bites a dog?', 'y', 'x']),
      'conflict',
    );
  });

  it('that say nothing make neither variants nor conflicts', async () => {
    const compose = (answer: string, ...distractors: string[]): QuestionRow => [
      'Name the composer.',
      answer,
      ...distractors,
    ];
    const { items, withoutAnswers } = await runDuplicates([
      compose('Bach', 'Haydn', 'Verdi'),
      compose('Verdi', 'Bach', 'Puccini'),
      compose('Ravel', 'Satie', 'Fauré'),
      ['Which of these is a mammal?', 'Whale', 'Shark'],
      ['Which of these is a mammal?', 'Bat', 'Owl'],
    ]);
    assert.deepEqual(items, []);
    assert.deepEqual([...withoutAnswers.items], []);
    assert.equal(await findClass(compose('Bach', 'Verdi'), compose('Verdi', 'Bach')), 'conflict');
    assert.equal(await findClass(compose('Bach', 'Verdi'), compose('Bach', 'Ravel')), 'duplicate');
  });

  it('and the same answer are in one group, however the answers are spelled', async () => {
    const { items } = await runDuplicates([
      ['Who was it that painted Guernica?', 'Ruiz Picasso', 'Goya', 'Miró'],
      ['Who painted Guernica?', 'Pablo Picasso', 'Dalí', 'Braque'],
      ['Who painted Guernica?', 'Picasso', 'Gris', 'Monet'],
      ['Who painted Guernica?', 'Pablo Picasso', 'Dalí', 'Braque'],
    ]);
    assert.equal(new Set(items.map(({ group }) => group)).size, 1);
    assert.equal(items.length, 3);
  });
});

it('folds numerals to digits', () => {
  const numerals: Record<string, string | undefined> = {
    XIV: '14',
    XLII: '42',
    "VIII's": '8',
    VIIIs: '8',
    MCMXCIV: '1994',
    MIX: undefined,
    CD: undefined,
    IIII: undefined,
  };
  for (const [numeral, digits] of Object.entries(numerals)) assert.equal(parseRomanNumeral(numeral), digits);
  assert.equal(combineNumbers('20', '1th', 'first'), '21th');
  assert.equal(combineNumbers('3', '100', 'hundred'), '300');
  assert.equal(combineNumbers('3', '100', '100'), undefined);
});
