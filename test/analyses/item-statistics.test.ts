/** What responses tell of each question, beside figures of R, SciPy and exact fractions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { itemStatistics } from '../../src/analyses/item-statistics.ts';
import { alpha } from '../../src/analyses/lib/classical/coefficients.ts';
import {
  correlationOf,
  discriminativeEfficiency,
  effectiveWeights,
  momentsOf,
} from '../../src/analyses/lib/classical/indices.ts';
import { equalGroups, inRange, kelleyGroups, levelsOf } from '../../src/analyses/lib/classical/levels.ts';
import { fisher, wilson } from '../../src/analyses/lib/intervals.ts';
import { normalQuantile } from '../../src/analyses/lib/special.ts';
import { asWhole, exampleResponses, plainQuestions, responsesOf, runInline } from './inline.ts';
import { LSAT7 } from './lsat7.ts';

type Cell = number | boolean | string | null;

const near = (actual: number | null, expected: number, tolerance = 1e-10) =>
  assert.ok(actual !== null && Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

const run = (rows: readonly (readonly Cell[])[], parameters: object = {}, questions = rows[0]?.length ?? 0) =>
  runInline(itemStatistics, plainQuestions(questions), parameters, responsesOf(rows));

const inOrder = <T extends { question_id: string }>(items: T[]) =>
  [...items].sort((a, b) => a.question_id.localeCompare(b.question_id));

function assertFinite(value: unknown): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value));
  else if (value && typeof value === 'object') Object.values(value).forEach(assertFinite);
}

const OPTIONS = ['A', 'B', 'C', 'D'];
/** The first of the options is the key. */
const choosing = (count: number): ExampleQuestion[] =>
  plainQuestions(count).map((question) => ({
    ...question,
    correct_answer: 'A',
    incorrect_answers: OPTIONS.slice(1),
  }));
const chosen = (rows: readonly (readonly Cell[])[], parameters: object = {}) => {
  const questions = choosing(rows[0]!.length);
  return runInline(
    itemStatistics,
    questions,
    parameters,
    responsesOf(rows, { questions: asWhole(questions) }),
  );
};
/** People of rising ability who know more and more of nine questions, and what they choose at the first one. */
const people = (first: (ability: number) => Cell, n = 60) =>
  Array.from({ length: n }, (_, i) => [
    first(i / n),
    ...Array.from({ length: 9 }, (_, q) =>
      (q + 1) / 10 < i / n + ((i * 7 + q * 3) % 5) / 20 ? 'A' : OPTIONS[1 + ((i + q) % 3)]!,
    ),
  ]);

describe('item statistics', () => {
  it('gives the figures of R for the classic data', async () => {
    const { summary, items, warnings } = await run(LSAT7);
    assert.deepEqual([summary.score, summary.cases, summary.responses], ['number right', 1000, 5000]);
    near(summary.mean_score, 3.707);
    near(summary.alpha, 0.453408735387426);
    assert.deepEqual(warnings, []);
    const ITEMS = [
      [0.828, 0.529987800786494, 0.245731649926474, 0.784482861704038, 0.395974965076689, 33.2621462893753],
      [0.658, 0.599676653354952, 0.246673576711962, 0.774649457396041, 0.393831044857665, 31.6487951049601],
      [0.772, 0.611210327483153, 0.313179253380072, 0.848641633468865, 0.345391220017891, 40.5903830682592],
      [0.606, 0.592028626334548, 0.222751254071482, 0.751829534245181, 0.414600748981188, 28.1597935181847],
      [0.843, 0.461191701590627, 0.174786300909304, 0.698189997894464, 0.438462101660169, 23.7826002605249],
    ] as const;
    for (const [i, row] of inOrder(items).entries()) {
      const [p, raw, corrected, biserial, without, efficiency] = ITEMS[i]!;
      near(row.facility, p);
      near(row.point_biserial, raw);
      near(row.corrected_point_biserial, corrected);
      near(row.biserial, biserial);
      near(row.alpha_if_deleted, without);
      near(row.discrimination_index, 100 * corrected);
      near(row.discriminative_efficiency, efficiency);
      assert.ok(row.corrected_point_biserial_interval.low < corrected);
      assert.equal(row.options, null);
      assert.equal(itemStatistics.plotQuestion!(row), undefined);
    }
    near(
      items.reduce((sum, { effective_weight }) => sum + effective_weight, 0),
      100,
    );
  });

  it('has Moodle’s indices for marks in part, as exact fractions give them', () => {
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
    const weights = effectiveWeights(columns.map((x) => momentsOf(x, totals)!.covariance));
    for (const [q, [index, efficiency, weight]] of EXPECTED.entries()) {
      const x = columns[q]!;
      const rest = totals.map((total, i) => total - x[i]!);
      const moments = momentsOf(x, rest);
      near(100 * correlationOf(moments)!, index);
      near(discriminativeEfficiency(moments, levelsOf(x), levelsOf(rest)), efficiency);
      near(weights[q]!, weight);
    }
    const trace = columns.reduce((sum, x) => sum + momentsOf(x, x)!.varianceX, 0);
    near(alpha({ k: 4, trace, total: momentsOf(totals, totals)!.varianceX }), 952 / 1653);
    assert.deepEqual(effectiveWeights([4, -1, null, 16]), [100 / 3, null, null, 200 / 3]);
  });

  it('breaks ties for the upper and lower 27 % evenly, whatever the order of the cases', async () => {
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
        near(row.upper_lower, 2 / 3);
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
    const levels = levelsOf(Float64Array.of(0.5, 0.25, 0.5, 1));
    near(inRange(Uint32Array.of(1, 1, 0), levels, [0, 2]), 1.5);
  });

  it('scores by the share right where not all were asked the same', async () => {
    const rows: Cell[][] = [
      [1, 1, 0, 1],
      [1, 1, 1, null],
      [0, 0, null, 0],
      [1, null, 0, 1],
      [null, 1, 1, 1],
      [0, 0, 1, 0],
      [1, 1, 0, 0],
      [0, null, 0, 0],
      [1, null, null, null],
    ];
    const { summary, items, warnings } = await run(rows);
    assert.equal(summary.score, 'share right of the questions asked');
    assert.match(warnings[0]!, /^Not all cases were asked the same questions/);
    const [first] = inOrder(items);
    near(first.corrected_point_biserial, 0.7668496718679523);
    assert.deepEqual([first.n, first.discrimination_n, first.effective_weight], [8, 7, null]);
  });

  it('counts what was left out and not reached, and scores it as it is told', async () => {
    const rows: Cell[][] = [
      [1, 'omitted', 1],
      [0, 'not reached', 1],
      [1, 1, 0],
      [0, 0, 0],
    ];
    const byDefault = inOrder((await run(rows)).items)[1];
    const { n, right, wrong, omitted, not_reached } = byDefault;
    assert.deepEqual([n, right, wrong, omitted, not_reached], [3, 1, 1, 1, 1]);
    const strict = inOrder((await run(rows, { omitted: 'missing', not_reached: 'wrong' })).items)[1];
    assert.deepEqual([strict.n, strict.facility], [3, 1 / 3]);
  });

  it('finds a wrong key, with evidence, and tells nothing of options on the open side', async () => {
    const result = await chosen(people((ability) => (ability > 0.4 ? 'C' : ability > 0.2 ? 'A' : 'B')));
    const [first] = result.items;
    assert.equal(first.question_text, 'Question 1?');
    assert.equal(first.verdict, 'check_key');
    assert.ok(first.flags.includes('likely_wrong_key') && first.flags.includes('dead_option'));
    assert.equal(first.key_evidence.option, 'C');
    assert.ok(first.key_evidence.p_value < 0.001 && first.key_evidence.upper === 1);
    assert.match(first.message, /^Check the key: .*“C” looks more like the right answer.*\.$/);
    const figure = itemStatistics.plotQuestion!(first) as { lines: { label: string; strong: boolean }[] };
    assert.deepEqual(
      figure.lines.map(({ label, strong }) => [label, strong]),
      OPTIONS.map((label) => [label, label === 'A']),
    );
    const open = result.open.items.find(({ question_text }) => question_text === 'Question 1?');
    assert.deepEqual(
      [open.options, open.score_groups, open.key_evidence, open.option_n],
      [null, null, null, null],
    );
    assert.equal(itemStatistics.plotQuestion!(open), undefined);
    assert.equal(result.open.summary.flags.likely_wrong_key + result.open.summary.flags.dead_option, 0);
    assert.doesNotMatch(JSON.stringify(result.open), /“[A-D]”/);
    assert.equal(result.open.items.filter(({ flags }) => flags.includes('positive_distractor')).length, 0);
  });

  it('does not doubt the key of a question that works, nor on a lucky number', async () => {
    const works = await chosen(
      people((ability) => (ability > 0.5 ? 'A' : OPTIONS[1 + ((ability * 60) % 3)]!)),
    );
    assert.equal(works.summary.flags.likely_wrong_key, 0);
    const few = await chosen(people((ability) => (ability > 0.4 ? 'C' : 'A'), 12));
    const first = inOrder(few.items)[0];
    assert.deepEqual([first.verdict, first.flags], ['too_little_data', []]);
    assert.match(first.message, /with fewer than 30 cases it is not judged; a first sign that “C”/);
  });

  it('keeps options and their shares apart from answers that are none', async () => {
    const rows: Cell[][] = [
      ['A', 'A'],
      ['B', 'A'],
      ['gone', 'B'],
      [true, 'C'],
      ['omitted', 'A'],
      ['A', 'D'],
    ];
    const [first] = inOrder((await chosen(rows)).items);
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
    near(first.options[0].share, 2 / 3);
    const unknown = await chosen([
      [true, 'A'],
      [false, 'B'],
    ]);
    const known = inOrder(unknown.items)[0];
    assert.deepEqual([known.options, known.option_n, known.other_answers], [null, 0, 2]);
  });

  it('sums the shares of the options to one in every group', async () => {
    const { items } = await chosen(people((ability) => OPTIONS[Math.floor(ability * 17) % 4]!));
    for (const { options, score_groups } of items) {
      for (const part of ['share', 'upper', 'middle', 'lower'])
        near(
          options.reduce((sum: number, option: Record<string, number>) => sum + option[part]!, 0),
          1,
        );
      for (const [g] of score_groups.entries())
        near(
          options.reduce(
            (sum: number, option: { score_groups: number[] }) => sum + option.score_groups[g]!,
            0,
          ),
          1,
        );
    }
  });

  const VERDICTS: [name: string, first: (i: number) => number, verdict: string, flags: string[]][] = [
    ['everybody right', () => 1, 'revise', ['too_easy', 'no_variance']],
    ['everybody wrong', () => 0, 'revise', ['too_hard', 'no_variance']],
    ['the weak right', (i) => Number(i < 500), 'check_key', ['negative_discrimination']],
    ['the able right', (i) => Number(i >= 500), 'keep', []],
    ['by chance', (i) => i % 2, 'revise', ['low_discrimination']],
  ];
  for (const [name, first, verdict, flags] of VERDICTS) {
    it(`judges: ${name}`, async () => {
      const rows = Array.from({ length: 1000 }, (_, i) => [
        first(i),
        ...[2, 4, 6, 8].map((level) => Number(i / 100 >= level)),
      ]);
      const row = inOrder((await run(rows)).items)[0];
      assert.deepEqual([row.verdict, row.flags], [verdict, flags]);
    });
  }

  const EDGES: [name: string, rows: Cell[][]][] = [
    ['nobody', []],
    ['one response', [[1]]],
    ['one respondent', [[1, 0, 1]]],
    ['one question', [[1], [0], [1], [1], [0]]],
    [
      'all right',
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    ],
    [
      'all wrong',
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    ],
    [
      'opposites',
      [
        [1, 0],
        [0, 1],
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'never together',
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
    it(`has no number that is none: ${name}`, async () => {
      const { summary, items, open } = await run(rows, { minimum_cases: 4 }, 3);
      const answered = [0, 1, 2].filter((q) => rows.some((row) => (row[q] ?? null) !== null)).length;
      assert.equal(items.length, answered);
      assert.equal(summary.questions_without_responses, 3 - answered);
      assertFinite([summary, items, open.items, itemStatistics.plot({ summary, items, warnings: [] })]);
      for (const { message, discrimination_n, discrimination_reason, corrected_point_biserial } of items) {
        assert.match(message, /^[A-Z].*\.$/);
        assert.equal(corrected_point_biserial === null, discrimination_reason !== null);
        if (name === 'never together' || name === 'one question') assert.equal(discrimination_n, 0);
      }
    });
  }

  it('puts first what needs attention, in its example too, and draws it', async () => {
    const { questions, parameters, responses } = itemStatistics.example;
    const result = await runInline(
      itemStatistics,
      questions,
      parameters,
      exampleResponses(responses!, asWhole(questions)),
    );
    assert.deepEqual(
      result.items.slice(0, 3).map(({ verdict, flags }) => [verdict, flags.join(' ')]),
      [
        ['check_key', 'negative_discrimination likely_wrong_key positive_distractor'],
        ['keep', 'dead_option'],
        ['keep', ''],
      ],
    );
    const figure = itemStatistics.plot(result) as { series: { label: string; points: unknown[] }[] };
    assert.deepEqual(
      figure.series.map(({ label, points }) => [label, points.length]),
      [
        ['Check key', 1],
        ['Keep', 5],
      ],
    );
  });
});

describe('intervals', () => {
  it('has the score interval of a share', () => {
    const [low, high] = wilson(7, 10)!;
    near(low, 0.39677814746114526, 1e-14);
    near(high, 0.892208732593699, 1e-14);
    assert.equal(wilson(0, 10)![0], 0);
    assert.equal(wilson(10, 10)![1], 1);
    assert.equal(wilson(0, 0), null);
  });

  it('has Fisher’s interval of a correlation', () => {
    const [low, high] = fisher(0.5, 20)!;
    near(low, 0.0738105744, 1e-9);
    near(high, 0.7717607064, 1e-9);
    assert.deepEqual(fisher(-1, 30), [-1, -1]);
    assert.equal(fisher(0.5, 3), null);
  });

  it('has the quantiles of the normal distribution', () => {
    const QUANTILES: [p: number, z: number][] = [
      [1e-300, -37.0470962993612],
      [1e-20, -9.262340089798409],
      [0.01, -2.3263478740408408],
      [0.5, 0],
      [0.6, 0.2533471031357997],
      [0.975, 1.959963984540054],
    ];
    for (const [p, z] of QUANTILES) near(normalQuantile(p), z, 1e-13);
  });
});
