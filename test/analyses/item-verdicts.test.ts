/** Verdicts, flags and messages of item statistics. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itemStatistics } from '../../src/analyses/item-statistics/index.ts';
import type { Parameters } from '../../src/analyses/item-statistics/schemas.ts';
import { judgeItem } from '../../src/analyses/item-statistics/verdict.ts';
import { expectChart } from '../support/figures.ts';
import {
  byQuestion,
  type Cell,
  choicesByAbility,
  OPTIONS,
  run,
  runChoices,
} from '../support/item-responses.ts';
import { LSAT7 } from '../support/lsat7.ts';

describe('item verdicts', () => {
  it('finds a wrong key, and hides options in the view without answers', async () => {
    const result = await runChoices(
      choicesByAbility((ability) => (ability > 0.4 ? 'C' : ability > 0.2 ? 'A' : 'B')),
    );
    const [first] = result.items;
    assert.equal(first.question_text, 'Question 1?');
    assert.equal(first.verdict, 'check_key');
    assert.ok(first.flags.includes('likely_wrong_key') && first.flags.includes('nonfunctioning_distractor'));
    assert.equal(first.key_evidence.option, 'C');
    assert.ok(first.key_evidence.p_value < 0.001 && first.key_evidence.upper === 1);
    assert.match(first.message, /^Check the key: .*“C” may be the key.*\.$/);
    const figure = expectChart(itemStatistics.plotQuestion!(first), 'curves');
    assert.deepEqual(
      figure.lines.map(({ label, strong }) => [label, strong]),
      OPTIONS.map((label) => [label === 'A' ? 'Key: A' : label, label === 'A']),
    );
    const item = result.withoutAnswers.items.find(({ question_text }) => question_text === 'Question 1?');
    assert.deepEqual(
      [item.options, item.score_groups, item.key_evidence, item.option_n],
      [null, null, null, null],
    );
    assert.equal(itemStatistics.plotQuestion!(item), undefined);
    assert.equal(
      result.withoutAnswers.summary.flags.likely_wrong_key +
        result.withoutAnswers.summary.flags.nonfunctioning_distractor,
      0,
    );
    assert.doesNotMatch(JSON.stringify(result.withoutAnswers), /“[A-D]”/);
    assert.equal(
      result.withoutAnswers.items.filter(({ flags }) => flags.includes('positive_distractor')).length,
      0,
    );
  });

  it('does not flag the key of a good question, nor on too few cases', async () => {
    const works = await runChoices(
      choicesByAbility((ability) => (ability > 0.5 ? 'A' : OPTIONS[1 + ((ability * 60) % 3)]!)),
    );
    assert.equal(works.summary.flags.likely_wrong_key, 0);
    const few = await runChoices(choicesByAbility((ability) => (ability > 0.4 ? 'C' : 'A'), 12));
    const first = byQuestion(few.items)[0];
    assert.deepEqual([first.verdict, first.flags], ['too_little_data', []]);
    assert.match(
      first.message,
      /not judged with fewer than 30 cases; “C” may be the key, but only \d+ cases chose it/,
    );
  });

  const VERDICTS: [name: string, first: (i: number) => number, verdict: string, flags: string[]][] = [
    ['all correct', () => 1, 'revise', ['too_easy', 'no_variance']],
    ['all incorrect', () => 0, 'revise', ['too_hard', 'no_variance']],
    ['low scorers correct', (i) => Number(i < 500), 'check_key', ['negative_discrimination']],
    ['high scorers correct', (i) => Number(i >= 500), 'keep', []],
    ['chance', (i) => i % 2, 'revise', ['low_discrimination']],
  ];
  for (const [name, first, verdict, flags] of VERDICTS) {
    it(`judges: ${name}`, async () => {
      const rows = Array.from({ length: 1000 }, (_, i) => [
        first(i),
        ...[2, 4, 6, 8].map((level) => Number(i / 100 >= level)),
      ]);
      const row = byQuestion((await run(rows)).items)[0];
      assert.deepEqual([row.verdict, row.flags], [verdict, flags]);
    });
  }

  /** The first question correlates positively with the others if `positive`, else negatively. */
  const perfect = (correct: number, incorrect: number, positive: boolean) => {
    const n = correct + incorrect;
    return Array.from({ length: n }, (_, i) => [
      Number(positive ? i >= incorrect : i < correct),
      ...[2, 4, 6, 8].map((level) => Number((10 * i) / n >= level)),
    ]);
  };
  const FEW: [name: string, rows: Cell[][], parameters: object, verdict: string, message: RegExp][] = [
    [
      'one incorrect response',
      perfect(299, 1, false),
      {},
      'revise',
      /^Revise: more than 99 % of 300 answered correctly; too few incorrect \(1\) responses to judge discrimination; too easy/,
    ],
    [
      'one correct response',
      perfect(1, 299, true),
      {},
      'revise',
      /^Revise: less than 1 % of 300 answered correctly; too few correct \(1\) .*; too hard/,
    ],
    [
      'nine incorrect responses',
      perfect(31, 9, false),
      {},
      'too_little_data',
      /^Too little data: 78 % of 40 .* too few incorrect \(9\)/,
    ],
    [
      'ten incorrect responses',
      perfect(30, 10, false),
      {},
      'check_key',
      /^Check the key: .* −0\.\d\d is negative; cases/,
    ],
    [
      'nine of a minimum of nine',
      perfect(31, 9, false),
      { min_per_outcome: 9 },
      'check_key',
      /^Check the key/,
    ],
    [
      'few of each outcome',
      perfect(9, 9, false),
      { min_cases: 10 },
      'too_little_data',
      /too few correct \(9\) and incorrect \(9\) responses/,
    ],
    [
      'few cases with another question',
      [...perfect(12, 12, false), ...Array.from({ length: 20 }, (_, i) => [i % 2, null, null, null, null])],
      { min_per_outcome: 13 },
      'too_little_data',
      /too few correct \(12\) and incorrect \(12\) responses among the 24 cases with a score on another question/,
    ],
  ];
  for (const [name, rows, parameters, verdict, message] of FEW) {
    it(`judges discrimination only with enough responses per outcome: ${name}`, async () => {
      const row = byQuestion((await run(rows, parameters)).items)[0];
      assert.equal(row.verdict, verdict);
      assert.match(row.message, message);
      assert.equal(row.flags.includes('negative_discrimination'), verdict === 'check_key');
      assert.ok(!row.flags.includes('low_discrimination'));
      assert.ok(row.corrected_point_biserial_interval !== null);
      const answered = rows.filter((cells) => cells[1] !== null);
      assert.deepEqual(
        [row.discrimination_n, row.discrimination_correct],
        [answered.length, answered.filter(([first]) => first === 1).length],
      );
    });
  }

  it('does not flag a distractor that few cases chose', async () => {
    const best = (count: number) =>
      choicesByAbility((ability) =>
        ability >= 1 - count / 60 ? 'D' : OPTIONS[Math.floor(ability * 60) % 2]!,
      );
    const first = async (count: number, parameters = {}) =>
      byQuestion((await runChoices(best(count), parameters)).items)[0];
    for (const [count, parameters, flagged] of [
      [4, {}, false],
      [9, {}, false],
      [10, {}, true],
      [9, { min_per_outcome: 9 }, true],
      [10, { min_per_outcome: 11 }, false],
    ] as const) {
      const row = await first(count, parameters);
      assert.ok(row.options[3].point_biserial_interval.low > 0);
      assert.deepEqual([row.options[3].n, row.options[3].discrimination_n], [count, count]);
      assert.equal(row.flags.includes('positive_distractor'), flagged);
      assert.equal(row.flags.includes('likely_wrong_key'), flagged);
      assert.equal(
        /“D” may be the key, but only \d+ cases chose it/.test(row.message),
        !flagged && count > 4,
      );
    }
    const { key_evidence: evidence } = await first(10);
    assert.deepEqual([evidence.n, evidence.compared_n], [10, 25]);
    // Only nine cases did not choose it, so its discrimination is not judged.
    const popular = await runChoices(choicesByAbility((ability) => (ability >= 9 / 60 ? 'D' : 'B')));
    assert.ok(byQuestion(popular.items)[0].options[3].point_biserial_interval.low > 0);
    assert.ok(!byQuestion(popular.items)[0].flags.includes('positive_distractor'));
  });

  it('distinguishes distractors never chosen from those rarely chosen', async () => {
    const rows = choicesByAbility((ability) => (ability >= 1 / 60 ? 'A' : 'B'));
    const row = byQuestion((await runChoices(rows)).items)[0];
    assert.ok(row.flags.includes('nonfunctioning_distractor'));
    assert.match(
      row.message,
      /distractor never chosen: “C” and “D”; distractor chosen by less than 5 %: “B”\.$/,
    );
  });

  it('reports omissions if they are many', async () => {
    const rows = (omitted: number): Cell[][] =>
      Array.from({ length: 30 }, (_, i) => [i < omitted ? 'omitted' : i % 2, i % 3 ? 1 : 0, i > 12 ? 1 : 0]);
    const message = async (omitted: number, parameters = {}) =>
      byQuestion((await run(rows(omitted), parameters)).items)[0].message;
    assert.match(await message(20), /; 20 of 30 omitted it, which counts as wrong;/);
    assert.match(
      await message(20, { omitted: 'missing' }),
      /^Too little data: 5 of 10 .*; 20 of 30 omitted it;/,
    );
    assert.match(await message(30), /^Revise: 0 % of 30 .*; 30 of 30 omitted it/);
    assert.match(await message(30, { omitted: 'missing' }), /no response was scored; 30 of 30 omitted it\.$/);
    assert.match(await message(11), /11 of 30 omitted it/);
    assert.doesNotMatch(await message(10), /omitted it/);
  });

  it('grades the discrimination as it is rounded in the message', async () => {
    const { items } = await run(LSAT7);
    const [sample] = items;
    const { parameters } = itemStatistics;
    const defaults = Object.fromEntries(
      Object.entries(parameters.properties as Record<string, { default?: unknown }>).map(([name, schema]) => [
        name,
        schema.default,
      ]),
    ) as Parameters;
    const WORDS: [r: number, word: string][] = [
      [0.3951, '0.40 is very good'],
      [0.3949, '0.39 is good'],
      [0.1951, '0.20 is marginal'],
      [0.1949, '0.19 is poor; 0.2 is within'],
      [-0.0049, '0.00 is poor; 0.2 is within'],
      [-0.0051, '−0.01 is poor; 0.2 is within'],
    ];
    for (const [r, word] of WORDS) {
      const interval = { low: r - 0.3, high: r + 0.3 };
      const statistics = {
        ...sample,
        facility: 0.5,
        facility_interval: { low: 0.4, high: 0.6 },
        corrected_point_biserial: r,
        corrected_point_biserial_interval: interval,
      };
      const { message } = judgeItem(statistics, defaults, { directionUncertain: false });
      assert.ok(message.includes(`discrimination ${word}`), message);
      if (!word.includes('within')) assert.ok(!message.includes('0.2 is within'));
    }
  });

  it('uses the singular for one case', async () => {
    assert.deepEqual((await run([[1, 0]])).warnings, [
      'Only 1 case: questions are judged from 30 cases on.',
      'Alpha could not be computed. At least two cases are needed; there is one.',
    ]);
  });
});
