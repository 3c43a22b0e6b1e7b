import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Value } from 'typebox/value';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { calibrate } from '../../src/analyses/labels/calibration.ts';
import * as confident from '../../src/analyses/labels/confident-learning.ts';
import { toProbabilities } from '../../src/analyses/labels/cross-validation.ts';
import {
  assignFolds,
  countDistinctByClass,
  groupByKey,
  selectTrainingRows,
} from '../../src/analyses/labels/folds.ts';
import { labels } from '../../src/analyses/labels/index.ts';
import { computeCertainties } from '../../src/analyses/labels/misfilings.ts';
import { extractTerms, tokenize } from '../../src/analyses/labels/terms.ts';
import { TextStore } from '../../src/analyses/labels/text-store.ts';
import { type TfIdfMatrix, TfIdfVectorizer } from '../../src/analyses/labels/tf-idf.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { expectChart } from '../support/figures.ts';
import { runInline } from '../support/inline-analysis.ts';
import { assertClose } from '../support/numbers.ts';
import { ansiCLcg } from '../support/random.ts';

const WORDS: Record<string, string[]> = {
  Astronomy: [
    'planet',
    'orbit',
    'comet',
    'telescope',
    'galaxy',
    'moon',
    'eclipse',
    'asteroid',
    'nebula',
    'star',
  ],
  Cooking: ['butter', 'oven', 'flour', 'recipe', 'sauce', 'soup', 'pastry', 'spice', 'boil', 'dough'],
  Music: ['violin', 'sonata', 'composer', 'melody', 'rhythm', 'opera', 'singer', 'chord', 'piano', 'concert'],
  Sports: [
    'goalkeeper',
    'stadium',
    'referee',
    'league',
    'sprint',
    'medal',
    'tennis',
    'coach',
    'racket',
    'team',
  ],
};
const CATEGORIES = Object.keys(WORDS);

/** A question with three words of its category in a sentence that all categories share. */
function createQuestion(category: string, next: () => number): ExampleQuestion {
  const words = WORDS[category]!;
  const word = () => words[Math.floor(next() * words.length)]!;
  return {
    question_text: `Which ${word()} goes with the ${word()} when there is a ${word()}?`,
    correct_answer: word(),
    incorrect_answers: ['this one', 'that one'],
    category,
    difficulty: Math.floor(next() * 3),
  };
}

function createQuestions(count: number, seed = 1): ExampleQuestion[] {
  const next = ansiCLcg(seed);
  return Array.from({ length: count }, (_, i) => createQuestion(CATEGORIES[i % CATEGORIES.length]!, next));
}

const listMarked = (marks: Uint8Array) => [...marks.keys()].filter((row) => marks[row]);

const ticker = new Ticker();

const getIndex = (item: { question_id: string }) => Number(item.question_id.slice(-12));

describe('confident learning', () => {
  // Three classes. Rows 2 and 5 have wrong labels.
  const predictions: confident.Predictions = {
    classes: 3,
    labels: [0, 0, 0, 1, 1, 1, 2, 2],
    probabilities: Float64Array.from(
      [
        [0.8, 0.1, 0.1],
        [0.7, 0.2, 0.1],
        [0.15, 0.75, 0.1],
        [0.1, 0.8, 0.1],
        [0.2, 0.6, 0.2],
        [0.1, 0.1, 0.8],
        [0.1, 0.2, 0.7],
        [0.3, 0.3, 0.4],
      ].flat(),
    ),
  };
  const thresholds = confident.computeThresholds(predictions);
  const joint = confident.computeConfidentJoint(predictions, thresholds);
  const counts = confident.countClasses(predictions);
  const calibrated = confident.calibrateJoint(joint, counts);

  it('uses the mean self-confidence of a class as its threshold', () => {
    [1.65 / 3, 1.5 / 3, 1.1 / 2].forEach((threshold, c) => {
      assertClose(thresholds[c]!, threshold, { absolute: 1e-12 });
    });
  });

  it('counts the confident joint', () => {
    assert.deepEqual([...joint], [2, 1, 0, 0, 2, 1, 0, 0, 1]);
    assert.deepEqual([...calibrated], [2, 1, 0, 0, 2, 1, 0, 0, 2]);
    assert.equal(confident.countOffDiagonal(calibrated, 3), 2);
  });

  it('rounds a row half to even without changing its sum', () => {
    // 7, 5, 2, 25, 5 and 96 of 140, scaled to 210, are 10.5, 7.5, 3, 37.5, 7.5 and 144. cleanlab
    // rounds the same way.
    const square = new Float64Array(36);
    for (let c = 0; c < 6; c++) square[c * 7] = 1;
    square.set([7, 5, 2, 25, 5, 96], 30);
    const totals = Float64Array.from([200, 203, 205, 196, 186, 210]);
    assert.deepEqual([...confident.calibrateJoint(square, totals).subarray(30)], [11, 7, 3, 37, 8, 144]);
  });

  // Forty rows on which the methods differ. The results agreed with cleanlab 2.9.0 on 1,200 rows
  // and 6 classes.
  const expected: Record<confident.Method, number[]> = {
    prune_by_noise_rate: [1, 6, 7, 9, 11, 15, 18, 25, 29, 32, 33, 38],
    prune_by_class: [1, 6, 7, 9, 10, 11, 15, 25, 29, 32, 33, 38],
    both: [1, 6, 7, 9, 11, 15, 25, 29, 32, 33, 38],
    confident_learning: [1, 6, 9, 11, 25, 32, 33, 38],
    predicted_neq_given: [1, 6, 7, 9, 10, 11, 15, 16, 18, 22, 25, 29, 31, 32, 33, 38],
    low_normalized_margin: [6, 9, 15, 25, 29, 32, 33, 38],
    low_self_confidence: [7, 9, 10, 15, 25, 29, 33, 38],
  };
  function createForty(): confident.Predictions {
    const next = ansiCLcg(11);
    const given = Array.from({ length: 40 }, () => Math.floor(next() * 3));
    const rows = given.map((label) => {
      const weights = [0, 1, 2].map((c) => 0.05 + next() ** 2 + (c === label ? 0.25 : 0));
      const sum = weights.reduce((total, weight) => total + weight);
      return weights.map((weight) => weight / sum);
    });
    return { classes: 3, labels: given, probabilities: Float64Array.from(rows.flat()) };
  }
  for (const method of confident.METHODS) {
    it(`finds label issues by ${method}`, () => {
      const plain = confident.findIssues(predictions, method, thresholds, calibrated);
      assert.deepEqual(listMarked(plain), [2, 5]);
      const many = createForty();
      const limits = confident.computeThresholds(many);
      const manyJoint = confident.calibrateJoint(
        confident.computeConfidentJoint(many, limits),
        confident.countClasses(many),
      );
      assert.deepEqual([...manyJoint], [10, 0, 5, 2, 10, 2, 2, 3, 6]);
      assert.deepEqual(listMarked(confident.findIssues(many, method, limits, manyJoint)), expected[method]);
    });
  }

  it('scores labels by self-confidence and normalized margin', () => {
    assert.equal(confident.computeSelfConfidence(predictions, 2), 0.15);
    assertClose(confident.computeNormalizedMargin(predictions, 2), (0.15 - 0.75 + 1) / 2, {
      absolute: 1e-12,
    });
  });
});

describe('features', () => {
  const computeCosine = ({ starts, terms, idf, scales }: TfIdfMatrix, a: number, b: number): number => {
    const own = new Set(terms.subarray(starts[a], starts[a + 1]));
    let sum = 0;
    for (const term of terms.subarray(starts[b], starts[b + 1])) {
      if (own.has(term)) sum += idf[term]! ** 2;
    }
    return sum * scales[a]! * scales[b]!;
  };

  it('weighs terms by inverse document frequency and scales rows to unit length', async () => {
    const vectorizer = new TfIdfVectorizer(3);
    for (const text of ['red apple', 'red pear', 'green pear tree']) vectorizer.add(text.split(' '));
    const matrix = await vectorizer.build(100, 1, ticker);
    // ln((1 + n) / (1 + df)) + 1, as scikit-learn has it: red and pear are in two of three texts,
    // the others in one.
    const [two, one] = [Math.log(4 / 3) + 1, Math.log(4 / 2) + 1];
    const short = Math.hypot(two, one);
    assertClose(computeCosine(matrix, 0, 1), two ** 2 / (short * Math.hypot(two, two)), { absolute: 1e-12 });
    assertClose(computeCosine(matrix, 1, 2), two ** 2 / (Math.hypot(two, two) * Math.hypot(two, one, one)), {
      absolute: 1e-12,
    });
    assert.equal(computeCosine(matrix, 0, 2), 0);
    assertClose(computeCosine(matrix, 2, 2), 1, { absolute: 1e-12 });
  });

  it('counts a term once per text and drops terms of a single text', async () => {
    const vectorizer = new TfIdfVectorizer(2);
    vectorizer.add(['so', 'so', 'good']);
    vectorizer.add(['so', 'bad']);
    const matrix = await vectorizer.build(100, 2, ticker);
    assert.equal(matrix.termCount, 1);
    assert.deepEqual([...matrix.starts], [0, 1, 2]);
    assert.equal(matrix.findTerm('good'), -1);
    assert.equal(matrix.findTerm('so'), 0);
  });

  it('drops the rarest terms if there are too many', async () => {
    const vectorizer = new TfIdfVectorizer(4);
    for (const text of ['a b c', 'a b c', 'a b', 'a']) vectorizer.add(text.split(' '));
    const matrix = await vectorizer.build(2, 2, ticker);
    assert.equal(matrix.termCount, 2);
    assert.ok(matrix.findTerm('a') >= 0 && matrix.findTerm('b') >= 0);
    assert.equal(matrix.findTerm('c'), -1);
  });

  it('extracts words, prefixes and bigrams', () => {
    assert.deepEqual(extractTerms(tokenize('Glands grow'), tokenize('Pancreas')), [
      'glands',
      '^glan',
      'grow',
      'glands grow',
      'pancreas',
      '^panc',
      '^pancre',
    ]);
  });

  for (const [text, keys] of [
    ['日本の首都', ['日本', '本の', 'の首', '首都']],
    ['川', ['川']],
    ['Москва — столица', ['москва', 'столица']],
    ['🦊🦊', []],
  ] as const) {
    it(`tokenizes ${text}`, () => {
      assert.deepEqual(
        tokenize(text).map((token) => token.key),
        keys,
      );
    });
  }

  it('stores texts unchanged', () => {
    const rows = [['id', 'Größe 🦊', ''], ['', 'ا', 'x'.repeat(5000)], ['only']];
    const texts = new TextStore(rows.length);
    for (const row of rows) texts.add(row);
    for (const [i, row] of rows.entries()) assert.deepEqual(texts.get(i), row);
  });
});

describe('folds', () => {
  it('are stratified by class and keep copies of a text together', async () => {
    const keys = Float64Array.from([1, 2, 3, 1, 4, 5, 6, 2]);
    const groups = await groupByKey(keys, ticker);
    assert.deepEqual([...groups], [0, 1, 2, 0, 4, 5, 6, 1]);
    const classes = [0, 0, 0, 1, 1, 1, 1, 0];
    assert.deepEqual([...countDistinctByClass(classes, groups, 2)], [3, 4]);
    assert.deepEqual([...assignFolds(classes, groups, 2, 2)], [0, 1, 0, 0, 0, 1, 0, 1]);
  });

  it('sample every class evenly if there are too many rows', () => {
    const classes = Array.from({ length: 40 }, (_, i) => (i < 30 ? 0 : 1));
    const folds = Uint8Array.from(classes, (_, i) => i % 2);
    const rows = selectTrainingRows(0, folds, classes, 2, 10);
    assert.ok(rows.every((row) => folds[row] === 1));
    // Half of the 15 and 5 rows outside the fold, rounded up.
    assert.equal(rows.filter((row) => row < 30).length, 8);
    assert.equal(rows.filter((row) => row >= 30).length, 3);
    assert.equal(selectTrainingRows(0, folds, classes, 2, 1000).length, 20);
  });
});

describe('calibration', () => {
  /** Correct logits, and labels of which a share is wrong. The last class is a catch-all. */
  async function calibrateSample(share: number, catchAll: number) {
    const [classes, count, next] = [6, 6000, ansiCLcg(7)];
    const logits = new Float32Array(classes * count);
    const given = Uint16Array.from({ length: count }, (_, i) => {
      const kind = i % classes;
      logits[i * classes + kind] = 8;
      if (next() < share) return (kind + 1 + Math.floor(next() * (classes - 1))) % classes;
      return next() < catchAll ? classes - 1 : kind;
    });
    return { logits, given, calibration: await calibrate(logits, given, classes, ticker) };
  }

  for (const share of [0.02, 0.1]) {
    it(`estimates a noise rate of ${share * 100} %`, async () => {
      const { noise } = (await calibrateSample(share, 0)).calibration;
      assertClose(noise, share, { relative: 0.2 }, 'noise');
    });
  }

  it('does not count the questions of a catch-all as mistakes', async () => {
    const { calibration } = await calibrateSample(0.05, 0.2);
    assertClose(calibration.noise, 0.05, { absolute: 0.02 }, 'noise');
    assert.ok(calibration.noiseRates[5]! > 5 * calibration.noiseRates[0]!);
  });
});

describe('certainty', () => {
  const [classes, count] = [6, 3000];
  /** Classes in rotation, predicted with certainty. Some labels differ from the class. */
  async function compute(wrong: Map<number, number>) {
    const logits = new Float32Array(classes * count);
    const given = new Uint16Array(count);
    for (let i = 0; i < count; i++) {
      logits[i * classes + (i % classes)] = 9;
      given[i] = wrong.get(i) ?? i % classes;
    }
    const calibration = await calibrate(logits, given, classes, ticker);
    await toProbabilities(logits, classes, calibration.inverseTemperature, ticker);
    return computeCertainties({ labels: given, probabilities: logits, classes }, calibration, ticker);
  }
  const mistakes: [number, number][] = [
    [0, 4],
    [601, 3],
    [1202, 0],
    [1803, 5],
  ];

  it('is high for single mistakes and 0 for predicted labels', async () => {
    const certainties = await compute(new Map(mistakes));
    for (const [row] of mistakes) assert.ok(certainties[row]! > 0.5, `${row}: ${certainties[row]}`);
    assert.equal(certainties.filter((certainty) => certainty > 0).length, mistakes.length);
  });

  it('is low for a pair of classes that overlap', async () => {
    // 40 questions of class 0 have the label 1.
    const overlap = Array.from({ length: 40 }, (_, k): [number, number] => [6 * (k + 5), 1]);
    const certainties = await compute(new Map([...mistakes, ...overlap]));
    for (const [row] of overlap) assert.ok(certainties[row]! < 0.2, `${row}: ${certainties[row]}`);
    for (const [row] of mistakes) assert.ok(certainties[row]! > 0.4, `${row}: ${certainties[row]}`);
  });
});

describe('labels', () => {
  const wrongLabels = new Map([
    [17, 'Music'],
    [101, 'Sports'],
    [250, 'Astronomy'],
    [303, 'Astronomy'],
  ]);
  const planted = createQuestions(400).map((question, i) => ({
    ...question,
    category: wrongLabels.get(i) ?? question.category,
  }));

  it('finds wrong categories with the suggested one and the evidence', async () => {
    const { items, summary, warnings } = await runInline(labels, planted);
    assert.deepEqual(new Set(items.map(getIndex)), new Set(wrongLabels.keys()));
    assert.equal(items.length, wrongLabels.size);
    for (const item of items) {
      const expected = CATEGORIES[getIndex(item) % 4]!;
      assert.deepEqual(item.flags, ['category_suspect']);
      assert.equal(item.category.given, wrongLabels.get(getIndex(item)));
      assert.equal(item.category.suggested, expected);
      assert.ok(item.category.probability_given < item.category.probability_suggested);
      assert.ok(
        item.category.words.some((word: string) => WORDS[expected]!.includes(word)),
        item.message,
      );
      assert.ok(
        item.message.startsWith(
          `The category is ${item.category.given}, but the text suggests ${expected}: “`,
        ),
      );
    }
    assert.equal(summary.category.judged, true);
    assert.ok(summary.category.accuracy > 0.95);
    assert.ok(summary.category.noise_rate < 0.03);
    assert.equal(summary.difficulty.judged, false);
    assert.ok(
      warnings.some((warning) => warning.startsWith('The difficulty cannot be predicted from the text')),
    );
  });

  it('orders suspects by certainty and is deterministic', async () => {
    const [one, two] = [await runInline(labels, planted), await runInline(labels, planted)];
    assert.equal(JSON.stringify(one), JSON.stringify(two));
    const certainties = one.items.map((item) => item.category.certainty);
    assert.deepEqual(
      certainties,
      certainties.toSorted((a, b) => b - a),
    );
  });

  it('conforms to its schemas for its example and for unusual texts', async () => {
    const unusual = [
      'x'.repeat(10_000),
      '🦊'.repeat(2000),
      '<b>&amp;</b>\u202e',
      "'''''",
      'ا'.repeat(500),
      '字'.repeat(9000),
    ];
    const questions = unusual.flatMap((text, i) =>
      [0, 1, 2].map((k) => ({ ...planted[k]!, question_text: text, category: `${(i + k) % 2}` })),
    );
    for (const [bank, parameters] of [
      [labels.example.questions, labels.example.parameters],
      [questions, { folds: 2, min_certainty: 0.05 }],
    ] as const) {
      const { summary, items } = await runInline(labels, bank, parameters);
      assert.deepEqual([...Value.Errors(labels.result.summary, summary)], []);
      for (const item of items) assert.deepEqual([...Value.Errors(labels.result.item, item)], []);
      assert.ok(!/NaN|Infinity/.test(JSON.stringify(summary)));
    }
  });

  it('finds a wrong category and a wrong difficulty in its example', async () => {
    const { items } = await runInline(labels, labels.example.questions, labels.example.parameters);
    assert.deepEqual(items.flatMap((item) => item.flags).sort(), ['category_suspect', 'difficulty_suspect']);
  });

  it('reports both fields of a question in one row', async () => {
    const questions = createQuestions(400).map((question, i) => {
      const hard = i % 8 < 4;
      const wrong = i === 50;
      return {
        ...question,
        question_text: `${hard ? 'Prove formally' : 'Say simply'}: ${question.question_text}`,
        category: wrong ? 'Cooking' : question.category,
        difficulty: hard !== wrong ? 2 : 0,
      };
    });
    const { items } = await runInline(labels, questions);
    assert.equal(items.length, 1);
    assert.equal(getIndex(items[0]), 50);
    assert.deepEqual(items[0].flags, ['category_suspect', 'difficulty_suspect']);
    assert.match(
      items[0].message,
      /^The category is Cooking, but the text suggests Music: .*\. The difficulty is /,
    );
  });

  for (const method of confident.METHODS) {
    it(`finds the wrong categories by ${method}`, async () => {
      const { items } = await runInline(labels, planted, { method, fields: ['category'] });
      const indices = new Set(items.map(getIndex));
      for (const index of wrongLabels.keys()) assert.ok(indices.has(index), `${index}`);
    });
  }

  it('warns about a catch-all and reports none of its questions', async () => {
    const next = ansiCLcg(3);
    const questions = createQuestions(800).map((question) =>
      next() < 0.2 ? { ...question, category: 'General' } : question,
    );
    questions[5] = { ...questions[5]!, category: 'Astronomy' };
    const { items, summary, warnings } = await runInline(labels, questions, { fields: ['category'] });
    assert.ok(!items.some((item) => item.category.given === 'General'));
    assert.deepEqual(items.map(getIndex), [5]);
    const isCatchAll = Object.fromEntries(
      summary.category.largest.map((row: { label: string; catch_all: boolean }) => [
        row.label,
        row.catch_all,
      ]),
    );
    const others = Object.fromEntries(CATEGORIES.map((category) => [category, false]));
    assert.deepEqual(isCatchAll, { ...others, General: true });
    assert.ok(
      warnings.some((warning) => warning.startsWith('Catch-all or overlapping categories: General.')),
    );
  });

  // A category that takes in every question with certain words is predicted for them.
  for (const method of ['mixture', ...confident.METHODS]) {
    it(`never suggests a catch-all by ${method}`, async () => {
      const next = ansiCLcg(5);
      const questions = createQuestions(800).map((question) => {
        if (next() < 0.4) return question;
        const question_text = `${question.question_text} Think of a person, a place, a country or the world.`;
        return { ...question, question_text, category: next() < 0.45 ? 'World' : question.category };
      });
      const parameters = { method, fields: ['category'], min_certainty: 0.05 };
      const { items, summary } = await runInline(labels, questions, parameters);
      const { counts, labels: names } = summary.category.confusion;
      const predicted = counts.reduce((sum: number, row: number[]) => sum + row[names.indexOf('World')]!, 0);
      assert.ok(predicted > 50, 'it is predicted');
      const { catch_all } = summary.category.largest.find((row: { label: string }) => row.label === 'World');
      assert.equal(catch_all, true);
      assert.ok(!items.some((item) => item.category.suggested === 'World'));
    });
  }

  it('does not suggest a category for the form of a question or for a single word', async () => {
    const questions = createQuestions(800);
    const all = questions.map((question) =>
      question.category === 'Astronomy'
        ? { ...question, question_text: `How does he do that? ${question.question_text}` }
        : question,
    );
    const unlike = { ...questions[1]!, category: 'Music', correct_answer: 'None', incorrect_answers: [] };
    all.push(
      { ...unlike, question_text: 'How does he do that?' },
      { ...unlike, question_text: 'Only a planet?' },
    );
    const { items } = await runInline(labels, all, { fields: ['category'], min_certainty: 0.05 });
    assert.deepEqual(items, []);
  });

  it('does not judge copies of a question by each other', async () => {
    const questions = createQuestions(400);
    const copy = {
      ...questions[0]!,
      question_text: `  ${questions[0]!.question_text.toUpperCase()}`,
      category: 'Music',
    };
    const { items } = await runInline(labels, [...questions, copy], { fields: ['category'] });
    assert.deepEqual(items.map(getIndex), [400]);
  });

  const one = planted[0]!;
  const edges: [string, ExampleQuestion[], RegExp][] = [
    ['one question', [one], /not two labels/],
    [
      'one category',
      createQuestions(40).map((question) => ({ ...question, category: 'All' })),
      /not two labels/,
    ],
    ['five questions', createQuestions(5), /not two labels/],
    [
      'identical questions',
      Array.from({ length: 40 }, (_, i) => ({ ...one, category: CATEGORIES[i % 4]! })),
      /not two labels/,
    ],
    [
      'texts without words',
      createQuestions(40).map((question, i) => ({
        ...question,
        question_text: '?'.repeat(i + 1),
        incorrect_answers: [],
      })),
      /share no word with others .* 40 of them/,
    ],
    [
      'small categories',
      [...planted, ...createQuestions(8).map((question, i) => ({ ...question, category: `Small ${i % 4}` }))],
      /values of category were left out: 4, with 8 questions/,
    ],
  ];
  for (const [name, questions, warning] of edges) {
    it(`handles ${name}`, async () => {
      const outcome = await runInline(labels, questions);
      assert.ok(
        outcome.warnings.some((text) => warning.test(text)),
        outcome.warnings.join('\n'),
      );
      assert.equal(outcome.summary.questions, questions.length);
      assert.deepEqual([...Value.Errors(labels.result.summary, outcome.summary)], []);
      const figure = expectChart(labels.plot(outcome), 'heat-map');
      assert.equal(figure.cells.length, figure.rows.length);
      assert.ok(figure.rows.length > 0);
    });
  }

  it('bounds the summary and the figure with many categories', async () => {
    const next = ansiCLcg(9);
    const questions = Array.from({ length: 900 }, (_, i) => ({
      ...createQuestion(CATEGORIES[i % 4]!, next),
      question_text: `Which topic${i % 30} has subject${i % 30} and matter${Math.floor(next() * 50)}?`,
      category: `Category ${i % 30}`,
    }));
    const outcome = await runInline(labels, questions, { fields: ['category'] });
    assert.equal(outcome.summary.category.labels, 30);
    assert.equal(outcome.summary.category.largest.length, 24);
    assert.equal(outcome.summary.difficulty, null);
    const figure = expectChart(labels.plot(outcome), 'heat-map');
    assert.equal(figure.rows.length, 25);
    assert.equal(figure.rows[24], '(others)');
    assert.equal(
      figure.cells.flat().reduce((sum: number, cell) => sum + (cell ?? 0), 0),
      900,
    );
  });

  it('reports progress that never decreases', async () => {
    const shares: number[] = [];
    const rows = planted.map((question, i) => ({
      ...question,
      id: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
      kind: 'short_answer' as const,
      choices: [],
      topic_focus: null,
      tags: [],
    }));
    const questions = (async function* () {
      yield rows;
    })();
    const input = {
      count: rows.length,
      scope: { categories: [], difficulties: [0, 1, 2] },
      questions,
      ticker: new Ticker({ sliceMs: 0, report: (share) => void shares.push(share) }),
    };
    await labels.run(input, {
      fields: ['category', 'difficulty'],
      method: 'mixture',
      min_certainty: 0.25,
      folds: 5,
    });
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    );
    assert.ok(shares.every((share) => share >= 0 && share <= 1));
    assert.equal(shares.at(-1), 1);
  });
});
