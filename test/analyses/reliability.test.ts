/** Reliability against reference values from psych (R), SciPy and exact fractions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countPairs, pairIndex } from '../../src/analyses/classical/pair-counts.ts';
import type { Reliability } from '../../src/analyses/reliability/coefficients.ts';
import { reliability } from '../../src/analyses/reliability/index.ts';
import { describeQuestion } from '../../src/analyses/reliability/messages.ts';
import { judgeAlpha } from '../../src/analyses/reliability/verdict.ts';
import { scoreResponses } from '../../src/analyses/shared/responses.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { expectChart } from '../support/figures.ts';
import {
  buildResponses,
  exampleResponses,
  plainQuestions,
  runInline,
  toQuestions,
} from '../support/inline-analysis.ts';
import { INCOMPLETE_CASES } from '../support/item-responses.ts';
import { LSAT7 } from '../support/lsat7.ts';
import { assertClose, assertFinite } from '../support/numbers.ts';
import { numericalRecipesLcg } from '../support/random.ts';

type Cell = number | string | null;

const run = (rows: readonly (readonly Cell[])[], parameters: object = {}, questions = rows[0]?.length ?? 0) =>
  runInline(reliability, plainQuestions(questions), parameters, buildResponses(rows));

describe('reliability', () => {
  it('agrees with psych on the LSAT-7 data', async () => {
    const { summary, items, warnings } = await run(LSAT7);
    const EXPECTED = {
      alpha: 0.453408735387426,
      alpha_all_questions: 0.453408735387426,
      kr20: 0.453408735387426,
      kr21: 0.415044131244726,
      standardized_alpha: 0.455804507691537,
      guttman_lambda2: 0.460727431159124,
      guttman_lambda6: 0.40801090661917,
      split_half: 0.460546635170536,
      standard_error_of_measurement: 0.886129914982124,
      average_inter_item_correlation: 0.143479946721513,
    };
    for (const [name, value] of Object.entries(EXPECTED)) assertClose(summary[name], value);
    assertClose(summary.alpha_interval.low, 0.3979563774632);
    assertClose(summary.alpha_interval.high, 0.5052031603211);
    assertClose(summary.score.sd, 1.19857731815164);
    assert.deepEqual(summary.score.histogram, { from: -0.5, step: 1, counts: [12, 40, 114, 205, 321, 308] });
    assert.deepEqual(
      [summary.method, summary.cases_used, summary.questions_used, summary.verdict],
      ['all_cases', 1000, 5, 'low'],
    );
    assert.deepEqual(warnings, []);
    const byQuestion = items.sort((a, b) => a.question_text.localeCompare(b.question_text));
    const ITEMS = [
      [0.395974965076689, 0.245731649926474, 0.0627083743],
      [0.393831044857665, 0.246673576711962, 0.0812939009],
      [0.345391220017891, 0.313179253380072, 0.1061968008],
      [0.414600748981188, 0.222751254071482, 0.0534340951],
      [0.438462101660169, 0.174786300909304, 0.0376500904],
    ] as const;
    for (const [i, [alphaIfDeleted, itemTotal, squaredMultiple]] of ITEMS.entries()) {
      assertClose(byQuestion[i].alpha_if_deleted, alphaIfDeleted);
      assertClose(byQuestion[i].corrected_item_total_correlation, itemTotal);
      assertClose(byQuestion[i].squared_multiple_correlation, squaredMultiple, { absolute: 1e-9 });
    }
  });

  it('counts pairs within cases and by words alike', async () => {
    const next = numericalRecipesLcg(7);
    const rows = Array.from({ length: 500 }, () =>
      Array.from({ length: 40 }, () => (next() < 0.93 ? null : Number(next() < 0.6))),
    );
    const dense = rows.map((row) => row.map((cell) => cell ?? Number(next() < 0.5)));
    for (const table of [rows, dense]) {
      const responses = buildResponses(table);
      const scores = scoreResponses(responses, 40, { omitted: 'wrong', not_reached: 'missing' });
      const used = new Uint8Array(scores.cases).fill(1);
      const columnByItem = Int32Array.from({ length: 40 }, (_, i) => i);
      const counts = await countPairs(scores, used, columnByItem, 40, new Ticker());
      for (let i = 0; i < 40; i += 3) {
        for (let j = i + 1; j < 40; j++) {
          const expected = [0, 0, 0, 0];
          for (const row of table) if (row[i] !== null && row[j] !== null) expected[2 * row[i]! + row[j]!]!++;
          const index = pairIndex(i, j, 40);
          assert.deepEqual([...counts.subarray(index, index + 4)], expected);
        }
      }
    }
  });

  it('leaves questions without variance out of the coefficients', async () => {
    const rows = LSAT7.slice(0, 400).map((row) => [...row, 1, 0]);
    const { summary, items, warnings } = await run(rows);
    const plain = await run(LSAT7.slice(0, 400));
    assertClose(summary.alpha, plain.summary.alpha);
    assertClose(summary.alpha_all_questions, (plain.summary.alpha * (7 / 6)) / (5 / 4));
    assert.deepEqual([summary.questions_used, summary.questions_without_variance], [5, 2]);
    assert.match(warnings.join(' '), /2 questions have no variance/);
    assert.equal(items.filter(({ flags }) => flags.includes('no_variance')).length, 2);
    assertClose(summary.score.mean, plain.summary.score.mean + 1);
  });

  it('drops incomplete cases if they are few, and is pairwise if they are many', async () => {
    const few = LSAT7.map((row, i): Cell[] => (i % 10 === 0 ? ['not reached', ...row.slice(1)] : row));
    const listwise = await run(few);
    const kept = await run(LSAT7.filter((_, i) => i % 10 !== 0));
    assert.equal(listwise.summary.method, 'listwise');
    assert.equal(listwise.summary.cases_used, 900);
    assertClose(listwise.summary.alpha, kept.summary.alpha);
    assert.deepEqual(listwise.summary.score, kept.summary.score);

    const pairwise = await run(INCOMPLETE_CASES);
    assert.equal(pairwise.summary.method, 'pairwise');
    assert.equal(pairwise.summary.min_shared_cases, 5);
    assertClose(pairwise.summary.alpha, 0.6492753623188408);
    assert.equal(pairwise.summary.score.kind, 'proportion_correct');
    assert.equal(pairwise.summary.kr21, null);
    // 27 responses of 8 cases to 4 questions: a test of 27/32 of the length.
    const factor = 27 / 32;
    const { alpha } = pairwise.summary;
    assertClose(pairwise.summary.alpha_at_mean_length, (factor * alpha) / (1 + (factor - 1) * alpha));
  });

  const EDGES: [name: string, rows: Cell[][], reason: RegExp][] = [
    ['no response', [], /No response was scored/],
    ['one response', [[1]], /two questions with responses are needed; there is one/],
    ['one respondent', [[1, 0, 1]], /two cases are needed; there is one/],
    ['one question', [[1], [0], [1]], /two questions with responses are needed; there is one/],
    [
      'all correct',
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
      /Fewer than two questions vary/,
    ],
    [
      'all incorrect',
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
      /Fewer than two questions vary/,
    ],
    [
      'opposite questions',
      [
        [1, 0],
        [0, 1],
        [1, 0],
        [0, 1],
      ],
      /cancel out/,
    ],
    [
      'no shared cases',
      [
        [1, null],
        [0, null],
        [null, 1],
        [null, 0],
      ],
      /no cases in common/,
    ],
    ['nothing reached', [['not reached', 'not reached']], /No response was scored/],
  ];
  for (const [name, rows, reason] of EDGES) {
    it(`explains a missing alpha: ${name}`, async () => {
      const result = await run(rows, {}, 3);
      assert.equal(result.summary.alpha, null);
      assert.match(result.summary.alpha_reason, reason);
      assert.equal(result.summary.verdict, 'too_little_data');
      assert.match(result.warnings.join(' '), reason);
      const answered = [0, 1, 2].filter((q) => rows.some((row) => (row[q] ?? null) !== null)).length;
      assert.equal(result.items.length, answered);
      assert.equal(result.summary.questions_without_responses, 3 - answered);
      assertFinite(result.summary);
      assertFinite(result.items);
      for (const { message } of result.items) assert.match(message, /^[A-Z].*\.$/);
    });
  }

  const EFFECTS: [itemTotal: number | null, alpha: number, alphaIfDeleted: number, message: string][] = [
    [
      0.35,
      0.64,
      0.59,
      'Positively correlated with the other questions (corrected item-total correlation 0.35, 95 % interval 0.16 to 0.51); without it, alpha would fall from 0.640 to 0.590.',
    ],
    [
      0.12,
      0.64,
      0.648,
      'Its correlation with the other questions cannot be distinguished from 0 (corrected item-total correlation 0.12, 95 % interval −0.08 to 0.31); without it, alpha would rise from 0.640 to 0.648, less than the limit for a flag.',
    ],
    [
      0.8,
      0.992,
      0.992,
      'Positively correlated with the other questions (corrected item-total correlation 0.80, 95 % interval 0.72 to 0.86); alpha would hardly change without it (from 0.992 to 0.992).',
    ],
    [
      -0.004,
      0.6,
      0.604,
      'Its correlation with the other questions cannot be distinguished from 0 (corrected item-total correlation 0.00, 95 % interval −0.20 to 0.19); alpha would hardly change without it (from 0.600 to 0.604).',
    ],
    [
      -0.2,
      -0.332,
      -0.882,
      'Its correlation with the other questions cannot be distinguished from 0 (corrected item-total correlation −0.20, 95 % interval −0.38 to 0.00); without it, alpha would fall from −0.332 to −0.882.',
    ],
    [null, 0.64, 0.59, 'Without it, alpha would fall from 0.640 to 0.590.'],
  ];
  const COUNTS = { n: 100, cases: 100, correct: 20, isConstant: false };
  for (const [itemTotal, alpha, alphaIfDeleted, message] of EFFECTS) {
    it(`describes the effect on alpha: ${itemTotal}, ${alpha} to ${alphaIfDeleted}`, () => {
      const effect = { itemTotal, alpha, alphaIfDeleted, lowersAlpha: false, hasEnoughCases: true };
      assert.equal(describeQuestion({ ...COUNTS, ...effect }), message);
    });
  }

  it('describes a question that lowers alpha, with enough cases and with too few', () => {
    const effect = { ...COUNTS, itemTotal: -0.3, alpha: 0.6, alphaIfDeleted: 0.7, lowersAlpha: true };
    const message =
      'Negatively correlated with the other questions (corrected item-total correlation −0.30, 95 % interval −0.47 to −0.11); without it, alpha would rise from 0.600 to 0.700';
    assert.equal(describeQuestion({ ...effect, hasEnoughCases: true }), `${message}.`);
    assert.equal(
      describeQuestion({ ...effect, hasEnoughCases: false }),
      `${message} in these cases, which are too few to rely on that.`,
    );
  });

  const DESCRIPTIONS: [name: string, rows: Cell[][], text: RegExp][] = [
    ['no response', [], /^There are no scores\.$/],
    [
      'one case',
      [[1, 0, 1]],
      /^Scores \(number correct\) of 1 case: mean 2\.00, median 2\.00\. Alpha could not be computed\.$/,
    ],
    [
      'all cases',
      LSAT7,
      /standard deviation 1\.20\. Alpha: 0\.45; standard error of measurement: 0\.89 questions\.$/,
    ],
    [
      'different questions',
      LSAT7.map((row, i) => row.map((cell, q) => (q === i % 5 ? null : cell))),
      /^Scores \(proportion correct\) of 1000 cases: .*standard deviation 0\.26\. Alpha: 0\.46\.$/,
    ],
    [
      'opposite questions',
      Array.from({ length: 40 }, (_, i) => [i % 2, 1 - (i % 2), Number(i % 3 > 0), Number(i % 5 === 0)]),
      /Alpha: −1\.80; standard error/,
    ],
  ];
  for (const [name, rows, text] of DESCRIPTIONS) {
    it(`describes the scores: ${name}`, async () => {
      assert.match(reliability.plot(await run(rows, {}, 5)).description, text);
    });
  }

  it('uses the singular for one case, and a minus sign', async () => {
    const rows: Cell[][] = LSAT7.slice(300, 400).map((row, i) => (i === 0 ? [null, ...row.slice(1)] : row));
    const { warnings } = await run(rows);
    assert.match(
      warnings.join(' '),
      /^Cases were asked different questions\. 1 case of 100 without a score on every question is left out/,
    );
    const opposed = await run(
      Array.from({ length: 40 }, (_, i) => [i % 2, 1 - (i % 2), Number(i % 3 > 0), Number(i % 5 === 0)]),
    );
    assert.match(opposed.summary.message, /^Alpha is −1\.80 \(95 % interval −\d\.\d\d to −0\.\d\d\)/);
    assert.doesNotMatch(JSON.stringify(opposed.items.map(({ message }) => message)), /-\d/);
  });

  it('grades alpha as it is rounded in the message', () => {
    const WORDS: [alpha: number, verdict: string][] = [
      [0.8951, 'high'],
      [0.8949, 'good'],
      [0.6951, 'modest'],
      [0.6949, 'low'],
    ];
    const covariances = { cases: 100, minShared: 100, method: 'all_cases' };
    for (const [alpha, verdict] of WORDS) {
      const coefficients = { alpha, alpha_interval: null, alpha_reason: null };
      const estimate = { coefficients, covariances, items: new Map() } as unknown as Reliability;
      assert.equal(judgeAlpha(estimate, 30).verdict, verdict);
    }
  });

  it('has no λ6 if a question duplicates another, or with few cases', async () => {
    const copied = await run(LSAT7.map((row) => [...row, row[0]!]));
    assert.equal(copied.summary.guttman_lambda6, null);
    assert.match(copied.summary.guttman_lambda6_reason, /not positive definite/);
    const few = await run([
      [1, 1, 0],
      [1, 0, 1],
      [0, 0, 0],
    ]);
    assert.match(few.summary.guttman_lambda6_reason, /More cases than questions/);
    assertFinite(few.summary);
  });

  it('does not depend on the order of cases, nor on questions without responses', async () => {
    const forward = await runInline(reliability, plainQuestions(9), {}, buildResponses(LSAT7));
    const backward = await run([...LSAT7].reverse());
    assert.equal(forward.summary.alpha, backward.summary.alpha);
    assert.equal(forward.summary.questions_without_responses, 4);
    assert.equal(forward.items.length, 5);
  });

  it('does not compute coefficients of more than 1000 questions', async () => {
    const row = Array.from({ length: 1001 }, (_, i) => i % 2);
    const { summary, items } = await run([row, row.map((cell) => 1 - cell)]);
    assert.match(summary.alpha_reason, /At most 1000 questions/);
    assert.equal(items.length, 1001);
    assert.equal(summary.score.histogram.counts.length <= 50, true);
  });

  it('flags the question of its example that lowers alpha, and plots the scores', async () => {
    const { questions, parameters, responses } = reliability.example;
    const result = await runInline(
      reliability,
      questions,
      parameters,
      exampleResponses(responses!, toQuestions(questions)),
    );
    assert.deepEqual(result.items[0].flags, ['lowers_alpha']);
    assert.match(result.items[0].question_text, /weekday/);
    assert.match(
      result.summary.message,
      /Alpha is 0\.64 \(95 % interval 0\.36 to 0\.83\) from 24 cases: low/,
    );
    const figure = expectChart(reliability.plot(result), 'distributions');
    assert.equal(
      figure.groups[0]!.counts.reduce((sum, n) => sum + n),
      24,
    );
    assert.equal(figure.groups[0]!.mark, 3);
  });
});
