/** Difficulty labels against observed facilities. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { difficultyAudit } from '../../src/analyses/difficulty-audit/index.ts';
import { findFaults } from '../../src/http/validation.ts';
import { expectChart } from '../support/figures.ts';
import {
  buildResponses,
  exampleResponses,
  plainQuestions,
  runInline,
  toQuestions,
} from '../support/inline-analysis.ts';
import { assertClose, assertFinite } from '../support/numbers.ts';

/** Questions by label, correct responses and all responses. */
type Counts = [difficulty: number, correct: number, n: number][];

function run(counts: Counts, parameters: object = {}) {
  const questions = plainQuestions(counts.length).map((question, i) => ({
    ...question,
    difficulty: counts[i]![0],
  }));
  const cases = Math.max(0, ...counts.map(([, , n]) => n));
  const rows = Array.from({ length: cases }, (_, c) =>
    counts.map(([, correct, n]) => (c >= n ? null : c < correct ? 1 : 0)),
  );
  return runInline(difficultyAudit, questions, parameters, buildResponses(rows));
}
const TOLERANCE = { absolute: 1e-12 };
const parseIndex = ({ question_id }: { question_id: string }) => Number(question_id.slice(-12));
/** Wilson's interval is 0.3094 to 0.4980 for 40 of 100, and 0.5020 to 0.6906 for 60 of 100. */
const VERDICTS: [
  label: number,
  correct: number,
  n: number,
  flags: string[],
  suggested: number | null,
  certain: boolean | null,
][] = [
  [0, 90, 100, [], null, null],
  [0, 65, 100, [], null, null],
  [0, 60, 100, ['misrated_harder'], 1, true],
  [0, 45, 100, ['misrated_harder'], 1, false],
  [0, 38, 100, ['misrated_harder'], 2, false],
  [0, 5, 100, ['misrated_harder'], 2, true],
  [1, 55, 100, [], null, null],
  [1, 75, 100, [], null, null],
  [1, 85, 100, ['misrated_easier'], 0, true],
  [1, 20, 100, ['misrated_harder'], 2, true],
  [2, 10, 100, [], null, null],
  [2, 45, 100, [], null, null],
  [2, 55, 100, ['misrated_easier'], 1, true],
  [2, 95, 100, ['misrated_easier'], 0, true],
  [2, 9, 9, ['too_few'], null, null],
  [2, 10, 10, ['misrated_easier'], 0, true],
];

describe('difficulty audit', () => {
  for (const [label, correct, n, flags, suggested, certain] of VERDICTS) {
    it(`judges label ${label} with ${correct} of ${n} correct`, async () => {
      const { items } = await run([[label, correct, n]]);
      assert.deepEqual(items[0].flags, flags);
      assert.deepEqual([items[0].suggested_difficulty, items[0].suggestion_certain], [suggested, certain]);
      assert.match(items[0].message, /^[A-Z].*\.$/);
      assertClose(items[0].facility, correct / n, TOLERANCE);
    });
  }

  it('computes Wilson’s interval at the significance level', async () => {
    const { items } = await run([[0, 82, 133]]);
    assertClose(items[0].low, 0.5317374963621947, TOLERANCE);
    assertClose(items[0].high, 0.6948020353496082, TOLERANCE);
    const { items: wider } = await run([[0, 82, 133]], { significance: 0.01 });
    assert.ok(wider[0].low < items[0].low && wider[0].high > items[0].high);
    assert.match(wider[0].message, /99 % interval/);
  });

  it('sorts by distance from the band, questions not judged last', async () => {
    const { items } = await run([
      [0, 2, 5],
      [0, 90, 100],
      [0, 60, 100],
      [2, 99, 100],
      [1, 90, 100],
    ]);
    assert.deepEqual(items.map(parseIndex), [3, 4, 2, 1, 0]);
  });

  it('computes the agreement of labels and facilities', async () => {
    // The data of the rank correlation tests (ranks.test.ts), with 100 responses each.
    const labels = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1];
    const correct = [95, 80, 80, 50, 60, 70, 35, 30, 20, 50, 45, 62];
    const { summary } = await run(labels.map((label, i) => [label, correct[i]!, 100]));
    assertClose(summary.spearman.coefficient, -0.7714080778260046, TOLERANCE);
    assertClose(summary.kendall_tau_b.coefficient, -0.6675612487505048, TOLERANCE);
    assert.deepEqual(summary.confusion, [
      [3, 1, 0],
      [1, 2, 1],
      [0, 2, 2],
    ]);
    assertClose(summary.kappa.coefficient, 3 / 8, TOLERANCE);
    assertClose(summary.kappa_quadratic.coefficient, 2 / 3, TOLERANCE);
    assert.deepEqual([summary.judged, summary.misrated_harder, summary.misrated_easier], [12, 1, 1]);
    const [basic] = summary.levels;
    assert.deepEqual(
      [basic.min_facility, basic.max_facility, basic.judged, basic.misrated_harder],
      [0.7, 1, 4, 1],
    );
    assertClose(basic.mean_facility, 0.7625, TOLERANCE);
    assertClose(basic.median, 0.8, TOLERANCE);
  });

  it('applies the bounds of the bands', async () => {
    const { items } = await run([[0, 60, 100]], { min_basic_facility: 0.55 });
    assert.deepEqual(items[0].flags, []);
    const check = (max_advanced_facility: number, min_basic_facility: number) =>
      difficultyAudit.check!({ max_advanced_facility, min_basic_facility } as never).map(({ code }) => code);
    assert.deepEqual([check(0.7, 0.7), check(0.4, 0.7)], [['out_of_order'], []]);
  });

  it('warns if cases were asked different questions', async () => {
    const uneven = await run([
      [0, 20, 30],
      [1, 20, 40],
    ]);
    assert.equal(uneven.summary.same_questions, false);
    assert.match(uneven.warnings[0]!, /Facility depends on who was asked/);
    const even = await run([
      [0, 25, 30],
      [1, 20, 30],
    ]);
    assert.deepEqual([even.summary.same_questions, even.warnings], [true, []]);
  });

  it('scores omitted and not-reached questions by the parameters', async () => {
    const rows = Array.from({ length: 20 }, (_, c) => [c < 12 ? 1 : c < 15 ? 'omitted' : 'not reached']);
    const audit = (parameters: object) =>
      runInline(difficultyAudit, plainQuestions(1), parameters, buildResponses(rows));
    for (const [parameters, n] of [
      [{}, 15],
      [{ omitted: 'missing' }, 12],
      [{ not_reached: 'wrong' }, 20],
    ] as const) {
      const { items } = await audit(parameters);
      assert.deepEqual([items[0].n, items[0].correct], [n, 12]);
    }
  });

  const UNANSWERED: [
    name: string,
    row: (c: number) => number | string,
    parameters: object,
    remark: RegExp | null,
  ][] = [
    [
      'half of the wrong responses',
      (c) => (c < 12 ? 1 : c < 16 ? 0 : 'omitted'),
      {},
      /4 of the 8 wrong responses were omitted: without them the facility is 75 %\.$/,
    ],
    ['a third of the wrong responses', (c) => (c < 8 ? 1 : c < 16 ? 0 : 'omitted'), {}, null],
    [
      'the only wrong response',
      (c) => (c < 19 ? 1 : 'omitted'),
      {},
      /The only wrong response was omitted: without it the facility is 100 %\.$/,
    ],
    [
      'all responses',
      () => 'omitted',
      {},
      /20 of the 20 wrong responses were omitted: there are no answers\.$/,
    ],
    ['omitted as missing', (c) => (c < 12 ? 1 : c < 16 ? 0 : 'omitted'), { omitted: 'missing' }, null],
    [
      'not reached',
      (c) => (c < 15 ? 1 : 'not reached'),
      { not_reached: 'wrong' },
      /5 of the 5 wrong responses were omitted or not reached: /,
    ],
  ];
  for (const [name, row, parameters, remark] of UNANSWERED) {
    it(`remarks on unanswered questions scored as wrong: ${name}`, async () => {
      const rows = Array.from({ length: 20 }, (_, c) => [row(c)]);
      const { items } = await runInline(difficultyAudit, plainQuestions(1), parameters, buildResponses(rows));
      if (remark) assert.match(items[0].message, remark);
      else assert.doesNotMatch(items[0].message, /wrong response/);
    });
  }

  it('shows 0 % and 100 % only for exact values', async () => {
    const { items } = await run([
      [0, 9999, 10000],
      [0, 10000, 10000],
      [2, 1, 10000],
      [2, 0, 10000],
    ]);
    const shares = items.map(({ message }) => /(?:over |under )?[\d.]+ % of/.exec(message)![0]).sort();
    assert.deepEqual(shares, ['0 % of', '100 % of', 'over 99.9 % of', 'under 0.1 % of']);
  });

  it('explains null statistics, and has no κ of a single label or band', async () => {
    for (const labels of [
      [1, 1, 1],
      [0, 1, 2],
    ]) {
      // With the second labels, all observed bands are the same.
      const { summary } = await run(
        labels.map((label, i) => [label, labels[1] === labels[0] ? 5 + 5 * i : 10 + i, 20]),
      );
      for (const { coefficient, low, high, p_value } of [summary.kappa, summary.kappa_quadratic]) {
        assert.deepEqual([coefficient, low, high, p_value], [null, null, null, null]);
      }
      const { kappa, kappa_quadratic, spearman, kendall_tau_b } = summary;
      for (const agreement of [kappa, kappa_quadratic, spearman, kendall_tau_b]) {
        const { coefficient, low, high, p_value, reason } = agreement;
        assert.equal(reason !== null, [coefficient, low, high, p_value].includes(null));
      }
    }
  });

  const EDGES: [name: string, counts: Counts][] = [
    ['no questions', []],
    ['no responses', [[0, 0, 0]]],
    ['one response', [[1, 1, 1]]],
    ['one question', [[1, 10, 20]]],
    [
      'all correct',
      [
        [0, 20, 20],
        [1, 20, 20],
        [2, 20, 20],
      ],
    ],
    [
      'all incorrect',
      [
        [0, 0, 20],
        [1, 0, 20],
        [2, 0, 20],
      ],
    ],
    [
      'one label',
      [
        [1, 5, 20],
        [1, 10, 20],
        [1, 15, 20],
      ],
    ],
    [
      'one label, as labelled',
      [
        [0, 19, 20],
        [0, 18, 20],
      ],
    ],
  ];
  for (const [name, counts] of EDGES) {
    it(`handles ${name}`, async () => {
      const { summary, items, warnings } = await run(counts);
      assertFinite({ summary, items });
      assert.equal(items.length, counts.filter(([, , n]) => n > 0).length);
      assert.equal(summary.spearman.coefficient, null);
      assert.match(summary.spearman.reason, /\.$/);
      if (items.length === 0) assert.match(warnings[0]!, /nothing was judged/);
      assertFinite(difficultyAudit.plot({ summary, items, warnings } as never));
    });
  }

  it('has a row without a verdict if no response is scored', async () => {
    const questions = plainQuestions(1);
    const { items, summary } = await runInline(
      difficultyAudit,
      questions,
      {},
      buildResponses([['not reached']]),
    );
    assert.deepEqual([items[0].n, items[0].facility, items[0].flags], [0, null, ['too_few']]);
    assert.deepEqual([summary.questions_with_responses, summary.judged, summary.cases], [1, 0, 0]);
  });

  it('finds the misrated question of its example', async () => {
    const { questions, responses } = difficultyAudit.example;
    const given = exampleResponses(responses!, toQuestions(questions));
    const { items, summary } = await runInline(difficultyAudit, questions, {}, given);
    assert.equal(summary.misrated, 1);
    assert.deepEqual(findFaults(difficultyAudit.result.summary, summary), []);
    for (const item of items) assert.deepEqual(findFaults(difficultyAudit.result.item, item), []);
    assert.deepEqual([parseIndex(items[0]), items[0].suggested_difficulty], [5, 2]);
    assert.match(items[0].message, /^Harder than labelled: 30 % of 20 responses are correct/);
  });

  it('plots 20 questions per label, misrated ones first', async () => {
    const counts: Counts = Array.from({ length: 50 }, (_, i) => [0, i < 5 ? 10 : 95, 100]);
    const result = await run(counts);
    const { groups } = expectChart(difficultyAudit.plot(result as never), 'intervals');
    const [basic, intermediate] = groups;
    assert.deepEqual([basic!.rows.length, basic!.omitted, intermediate!.rows.length], [20, 30, 0]);
    assert.deepEqual(
      basic!.rows.map(({ series }) => series),
      [...Array(5).fill(0), ...Array(15).fill(2)],
    );
    assert.deepEqual(basic!.expected, { from: 0.7, to: 1 });
    assert.equal(new Set(basic!.rows.map(({ label }) => label)).size, 20);
  });
});
