/** What responses tell of each question, beside figures of R, SciPy and exact fractions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alpha } from '../../src/analyses/classical/coefficients.ts';
import {
  correlationOf,
  discriminativeEfficiency,
  effectiveWeights,
  momentsOf,
  newcombe,
} from '../../src/analyses/classical/indices.ts';
import { equalGroups, inRange, kelleyGroups, levelsOf } from '../../src/analyses/classical/score-groups.ts';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { itemStatistics } from '../../src/analyses/item-statistics/index.ts';
import type { Parameters } from '../../src/analyses/item-statistics/schemas.ts';
import { judge } from '../../src/analyses/item-statistics/verdict.ts';
import { fisher, wilson } from '../../src/statistics/intervals.ts';
import { normalQuantile } from '../../src/statistics/special.ts';
import { expectChart } from '../support/figures.ts';
import {
  asWhole,
  exampleResponses,
  plainQuestions,
  responsesOf,
  runInline,
} from '../support/inline-analysis.ts';
import { LSAT7 } from '../support/lsat7.ts';

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
    const figure = expectChart(itemStatistics.plotQuestion!(first), 'curves');
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

  /** Right answers of the first question that rise with the score on the others, or fall. */
  const single = (right: number, wrong: number, better: boolean) => {
    const n = right + wrong;
    return Array.from({ length: n }, (_, i) => [
      Number(better ? i >= wrong : i < right),
      ...[2, 4, 6, 8].map((level) => Number((10 * i) / n >= level)),
    ]);
  };
  const FEW: [name: string, rows: Cell[][], parameters: object, verdict: string, message: RegExp][] = [
    [
      'one wrong answer',
      single(299, 1, false),
      {},
      'revise',
      /^Revise: more than 99 % of 300 had it right; too few had it wrong \(1\) to tell about its discrimination; it is too easy/,
    ],
    [
      'one right answer',
      single(1, 299, true),
      {},
      'revise',
      /^Revise: less than 1 % of 300 had it right; too few had it right \(1\) to tell .*; it is too hard/,
    ],
    ['nine wrong answers', single(31, 9, false), {}, 'keep', /^Keep: 78 % of 40 .* wrong \(9\) to tell/],
    [
      'ten wrong answers',
      single(30, 10, false),
      {},
      'check_key',
      /^Check the key: .* −0\.\d\d is negative; those/,
    ],
    ['nine, and that is enough', single(31, 9, false), { min_per_outcome: 9 }, 'check_key', /^Check the key/],
    ['few of both', single(9, 9, false), { min_cases: 10 }, 'keep', /right \(9\) or wrong \(9\) to tell/],
    [
      'few who answered another question',
      [...single(12, 12, false), ...Array.from({ length: 20 }, (_, i) => [i % 2, null, null, null, null])],
      { min_per_outcome: 13 },
      'keep',
      /too few of the 24 who answered another question, too, had it right \(12\) or wrong \(12\)/,
    ],
  ];
  for (const [name, rows, parameters, verdict, message] of FEW) {
    it(`says nothing of the discrimination that single cases could decide: ${name}`, async () => {
      const row = inOrder((await run(rows, parameters)).items)[0];
      assert.equal(row.verdict, verdict);
      assert.match(row.message, message);
      assert.equal(row.flags.includes('negative_discrimination'), verdict === 'check_key');
      assert.ok(!row.flags.includes('low_discrimination'));
      assert.ok(row.corrected_point_biserial_interval !== null);
      const answered = rows.filter((cells) => cells[1] !== null);
      assert.deepEqual(
        [row.discrimination_n, row.discrimination_right],
        [answered.length, answered.filter(([first]) => first === 1).length],
      );
    });
  }

  it('finds no fault in an option that few chose, however good they are', async () => {
    const best = (count: number) =>
      people((ability) => (ability >= 1 - count / 60 ? 'D' : OPTIONS[Math.floor(ability * 60) % 2]!));
    const first = async (count: number, parameters = {}) =>
      inOrder((await chosen(best(count), parameters)).items)[0];
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
        /a first sign that “D” may be the right answer \(\d+ chose it\)/.test(row.message),
        !flagged && count > 4,
      );
    }
    const { key_evidence: evidence } = await first(10);
    assert.deepEqual([evidence.n, evidence.compared_n], [10, 25]);
    // All but nine chose it: that they are better rests on the nine.
    const most = await chosen(people((ability) => (ability >= 9 / 60 ? 'D' : 'B')));
    assert.ok(inOrder(most.items)[0].options[3].point_biserial_interval.low > 0);
    assert.ok(!inOrder(most.items)[0].flags.includes('positive_distractor'));
  });

  it('tells options that nobody chose from those that few do', async () => {
    const rows = people((ability) => (ability >= 1 / 60 ? 'A' : 'B'));
    const row = inOrder((await chosen(rows)).items)[0];
    assert.ok(row.flags.includes('dead_option'));
    assert.match(
      row.message,
      /nobody has chosen “C” and “D”; hardly anybody chooses “B” \(less than 5 %\)\.$/,
    );
  });

  it('says how many left a question out, where many did', async () => {
    const rows = (omitted: number): Cell[][] =>
      Array.from({ length: 30 }, (_, i) => [i < omitted ? 'omitted' : i % 2, i % 3 ? 1 : 0, i > 12 ? 1 : 0]);
    const message = async (omitted: number, parameters = {}) =>
      inOrder((await run(rows(omitted), parameters)).items)[0].message;
    assert.match(await message(20), /; 20 of 30 left it out, which counts as wrong;/);
    assert.match(
      await message(20, { omitted: 'missing' }),
      /^Too little data: 5 of 10 .*; 20 of 30 left it out;/,
    );
    assert.match(await message(30), /^Revise: 0 % of 30 .*; 30 of 30 left it out/);
    assert.match(
      await message(30, { omitted: 'missing' }),
      /no response to it counts.*; 30 of 30 left it out\.$/,
    );
    assert.match(await message(11), /11 of 30 left it out/);
    assert.doesNotMatch(await message(10), /left it out/);
  });

  it('takes the word for a discrimination from the figure as it is shown', async () => {
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
      [0.1949, '0.19 is poor; so little'],
      [-0.0049, '0.00 is poor; so little'],
      [-0.0051, '−0.01 is negative; so little'],
    ];
    for (const [r, word] of WORDS) {
      const interval = { low: r - 0.3, high: r + 0.3 };
      const figures = {
        ...sample,
        facility: 0.5,
        facility_interval: { low: 0.4, high: 0.6 },
        corrected_point_biserial: r,
        corrected_point_biserial_interval: interval,
      };
      const { message } = judge(figures, defaults);
      assert.ok(message.includes(`its discrimination of ${word}`), message);
      if (!word.includes('so little')) assert.ok(!message.includes('so little'));
    }
  });

  it('counts one as one in what it says', async () => {
    assert.deepEqual((await run([[1, 0]])).warnings, [
      'There is only 1 case: questions are not judged below 30.',
      'There is no alpha. It takes two cases, and there is only one.',
    ]);
  });

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
      const { summary, items, open } = await run(rows, { min_cases: 4 }, 3);
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
    const figure = expectChart(itemStatistics.plot(result), 'scatter');
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

  it('has Newcombe’s interval of the difference of two shares', () => {
    const [low, high] = newcombe(14, 3, 20)!;
    near(low, 0.24631398811194127, 1e-14);
    near(high, 0.7327816829761227, 1e-14);
    near(newcombe(2.5, 1, 3)![0], -0.19611616345523342, 1e-14);
    near(newcombe(20, 0, 20)![0], 0.7721346162421945, 1e-14);
    assert.equal(newcombe(20, 0, 20)![1], 1);
    assert.equal(newcombe(0, 0, 0), null);
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
