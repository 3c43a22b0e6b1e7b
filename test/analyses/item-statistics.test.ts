/** Item statistics against reference values from R, SciPy and exact fractions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cronbachAlpha } from '../../src/analyses/classical/coefficients.ts';
import {
  computeMoments,
  discriminativeEfficiency,
  effectiveWeights,
  pearson,
} from '../../src/analyses/classical/item-indices.ts';
import {
  buildScoreLevels,
  countInRange,
  equalGroups,
  kelleyGroups,
} from '../../src/analyses/classical/score-groups.ts';
import { itemStatistics } from '../../src/analyses/item-statistics/index.ts';
import { expectChart } from '../support/figures.ts';
import { exampleResponses, runInline, toQuestions } from '../support/inline-analysis.ts';
import {
  byQuestion,
  type Cell,
  choicesByAbility,
  INCOMPLETE_CASES,
  OPTIONS,
  run,
  runChoices,
} from '../support/item-responses.ts';
import { LSAT7 } from '../support/lsat7.ts';
import { assertClose, assertFinite } from '../support/numbers.ts';

describe('item statistics', () => {
  it('agrees with R on the LSAT-7 data', async () => {
    const { summary, items, warnings } = await run(LSAT7);
    assert.deepEqual([summary.score, summary.cases, summary.responses], ['number_correct', 1000, 5000]);
    assertClose(summary.mean_score, 3.707);
    assertClose(summary.alpha, 0.453408735387426);
    assert.deepEqual(warnings, []);
    const ITEMS = [
      [0.828, 0.529987800786494, 0.245731649926474, 0.784482861704038, 0.395974965076689, 33.2621462893753],
      [0.658, 0.599676653354952, 0.246673576711962, 0.774649457396041, 0.393831044857665, 31.6487951049601],
      [0.772, 0.611210327483153, 0.313179253380072, 0.848641633468865, 0.345391220017891, 40.5903830682592],
      [0.606, 0.592028626334548, 0.222751254071482, 0.751829534245181, 0.414600748981188, 28.1597935181847],
      [0.843, 0.461191701590627, 0.174786300909304, 0.698189997894464, 0.438462101660169, 23.7826002605249],
    ] as const;
    for (const [i, row] of byQuestion(items).entries()) {
      const [p, raw, corrected, biserial, alphaIfDeleted, efficiency] = ITEMS[i]!;
      assertClose(row.facility, p);
      assertClose(row.point_biserial, raw);
      assertClose(row.corrected_point_biserial, corrected);
      assertClose(row.biserial, biserial);
      assertClose(row.alpha_if_deleted, alphaIfDeleted);
      assertClose(row.discrimination_index, 100 * corrected);
      assertClose(row.discriminative_efficiency, efficiency);
      assert.ok(row.corrected_point_biserial_interval.low < corrected);
      assert.equal(row.options, null);
      assert.equal(itemStatistics.plotQuestion!(row), undefined);
    }
    assertClose(
      items.reduce((sum, { effective_weight }) => sum + effective_weight, 0),
      100,
    );
  });

  it('computes Moodle’s indices for partial marks', () => {
    const MARKS = [
      [1, 0.5, 0, 1],
      [1, 1, 1, 1],
      [0, 0.5, 0, 0],
      [1, 0, 0, 0.5],
      [0.5, 1, 1, 1],
      [0, 0, 1, 0],
      [1, 1, 0, 0.25],
    ];
    const EXPECTED = [
      [27.620311610887473, 35.87786259541985, 23.71723883933476],
      [49.02920596697864, 54.01459854014598, 25.48330449450069],
      [6.914781822318995, 9.090909090909092, 22.42889686579496],
      [73.09561805972116, 78.62595419847328, 28.37055980036959],
    ] as const;
    const totals = MARKS.map((row) => row.reduce((sum, mark) => sum + mark));
    const columns = [0, 1, 2, 3].map((q) => MARKS.map((row) => row[q]!));
    const weights = effectiveWeights(columns.map((x) => computeMoments(x, totals)!.covariance));
    for (const [q, [index, efficiency, weight]] of EXPECTED.entries()) {
      const x = columns[q]!;
      const rest = totals.map((total, i) => total - x[i]!);
      const moments = computeMoments(x, rest);
      assertClose(100 * pearson(moments)!, index);
      assertClose(discriminativeEfficiency(moments, buildScoreLevels(x), buildScoreLevels(rest)), efficiency);
      assertClose(weights[q]!, weight);
    }
    const trace = columns.reduce((sum, x) => sum + computeMoments(x, x)!.varianceX, 0);
    assertClose(cronbachAlpha({ k: 4, trace, total: computeMoments(totals, totals)!.varianceX }), 952 / 1653);
    assert.deepEqual(effectiveWeights([4, -1, null, 16]), [100 / 3, null, null, 200 / 3]);
  });

  it('counts ties at the boundary of the upper and lower 27 % fractionally', async () => {
    const rows = [
      [1, 1, 1],
      [1, 1, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0, 0, 0],
      [1, 0, 1],
      [0, 1, 1],
    ];
    for (const table of [rows, [...rows].reverse()]) {
      const { items } = await run(table);
      for (const row of items) {
        assertClose(row.upper_lower, 2 / 3);
        assert.ok(row.upper_lower_interval.low < 2 / 3 && row.upper_lower_interval.high > 2 / 3);
        assert.equal(row.upper_lower_n, 2);
      }
    }
    assert.deepEqual(kelleyGroups(1000), { lower: [0, 270], middle: [270, 730], upper: [730, 1000] });
    assert.deepEqual(equalGroups(24, 5), [
      [0, 5],
      [5, 10],
      [10, 14],
      [14, 19],
      [19, 24],
    ]);
    const levels = buildScoreLevels(Float64Array.of(0.5, 0.25, 0.5, 1));
    assertClose(countInRange(Uint32Array.of(1, 1, 0), levels, [0, 2]), 1.5);
  });

  it('scores by the proportion correct if cases were asked different questions', async () => {
    const rows = [...INCOMPLETE_CASES, [1, null, null, null]];
    const { summary, items, warnings } = await run(rows);
    assert.equal(summary.score, 'proportion_correct');
    assert.match(warnings[0]!, /^Cases were asked different questions/);
    const [first] = byQuestion(items);
    assertClose(first.corrected_point_biserial, 0.7668496718679523);
    assert.deepEqual([first.n, first.discrimination_n, first.effective_weight], [8, 7, null]);
  });

  it('counts omitted and not-reached questions and scores them by the parameters', async () => {
    const rows: Cell[][] = [
      [1, 'omitted', 1],
      [0, 'not reached', 1],
      [1, 1, 0],
      [0, 0, 0],
    ];
    const byDefault = byQuestion((await run(rows)).items)[1];
    const { n, correct, incorrect, omitted, not_reached } = byDefault;
    assert.deepEqual([n, correct, incorrect, omitted, not_reached], [3, 1, 1, 1, 1]);
    const strict = byQuestion((await run(rows, { omitted: 'missing', not_reached: 'wrong' })).items)[1];
    assert.deepEqual([strict.n, strict.facility], [3, 1 / 3]);
  });

  it('counts answers that are not current options separately', async () => {
    const rows: Cell[][] = [
      ['A', 'A'],
      ['B', 'A'],
      ['gone', 'B'],
      [true, 'C'],
      ['omitted', 'A'],
      ['A', 'D'],
    ];
    const [first] = byQuestion((await runChoices(rows)).items);
    assert.deepEqual([first.n, first.option_n, first.other_answers, first.omitted], [6, 3, 2, 1]);
    assert.deepEqual(
      first.options.map(({ text, key, n }: { text: string; key: boolean; n: number }) => [text, key, n]),
      [
        ['A', true, 2],
        ['B', false, 1],
        ['C', false, 0],
        ['D', false, 0],
      ],
    );
    assertClose(first.options[0].share, 2 / 3);
    const unknown = await runChoices([
      [true, 'A'],
      [false, 'B'],
    ]);
    const known = byQuestion(unknown.items)[0];
    assert.deepEqual([known.options, known.option_n, known.other_answers], [null, 0, 2]);
  });

  it('has option shares that sum to 1 in every score group', async () => {
    const { items } = await runChoices(choicesByAbility((ability) => OPTIONS[Math.floor(ability * 17) % 4]!));
    for (const { options, score_groups } of items) {
      for (const part of ['share', 'upper', 'middle', 'lower'])
        assertClose(
          options.reduce((sum: number, option: Record<string, number>) => sum + option[part]!, 0),
          1,
        );
      for (const [g] of score_groups.entries())
        assertClose(
          options.reduce(
            (sum: number, option: { score_groups: number[] }) => sum + option.score_groups[g]!,
            0,
          ),
          1,
        );
    }
  });

  const EDGES: [name: string, rows: Cell[][]][] = [
    ['no response', []],
    ['one response', [[1]]],
    ['one respondent', [[1, 0, 1]]],
    ['one question', [[1], [0], [1], [1], [0]]],
    [
      'all correct',
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    ],
    [
      'all incorrect',
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    ],
    [
      'opposite questions',
      [
        [1, 0],
        [0, 1],
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'no shared cases',
      [
        [1, null],
        [0, null],
        [null, 1],
        [null, 0],
      ],
    ],
    ['nothing reached', [['not reached', 'not reached']]],
  ];
  for (const [name, rows] of EDGES) {
    it(`has only finite numbers: ${name}`, async () => {
      const { summary, items, withoutAnswers } = await run(rows, { min_cases: 4 }, 3);
      const answered = [0, 1, 2].filter((q) => rows.some((row) => (row[q] ?? null) !== null)).length;
      assert.equal(items.length, answered);
      assert.equal(summary.questions_without_responses, 3 - answered);
      assertFinite([
        summary,
        items,
        withoutAnswers.items,
        itemStatistics.plot({ summary, items, warnings: [] }),
      ]);
      for (const { message, discrimination_n, discrimination_reason, corrected_point_biserial } of items) {
        assert.match(message, /^[A-Z].*\.$/);
        assert.equal(corrected_point_biserial === null, discrimination_reason !== null);
        if (name === 'no shared cases' || name === 'one question') assert.equal(discrimination_n, 0);
      }
    });
  }

  it('sorts its example by urgency and plots it', async () => {
    const { questions, parameters, responses } = itemStatistics.example;
    const result = await runInline(
      itemStatistics,
      questions,
      parameters,
      exampleResponses(responses!, toQuestions(questions)),
    );
    assert.deepEqual(
      result.items.slice(0, 3).map(({ verdict, flags }) => [verdict, flags.join(' ')]),
      [
        ['check_key', 'negative_discrimination likely_wrong_key positive_distractor'],
        ['keep', 'nonfunctioning_distractor'],
        ['keep', ''],
      ],
    );
    const figure = expectChart(itemStatistics.plot(result), 'scatter');
    assert.deepEqual(
      figure.series.map(({ label, points }) => [label, points.length]),
      [
        ['Check the key', 1],
        ['Keep', 5],
      ],
    );
  });
});
