/** Item statistics against reference values from R, SciPy and exact fractions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cronbachAlpha } from '../../src/analyses/classical/coefficients.ts';
import {
  computeMoments,
  discriminativeEfficiency,
  effectiveWeights,
  newcombeInterval,
  pearson,
} from '../../src/analyses/classical/item-indices.ts';
import {
  buildScoreLevels,
  countInRange,
  equalGroups,
  kelleyGroups,
} from '../../src/analyses/classical/score-groups.ts';
import type { ExampleQuestion } from '../../src/analyses/define.ts';
import { itemStatistics } from '../../src/analyses/item-statistics/index.ts';
import type { Parameters } from '../../src/analyses/item-statistics/schemas.ts';
import { judgeItem } from '../../src/analyses/item-statistics/verdict.ts';
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

const byQuestion = <T extends { question_id: string }>(items: T[]) =>
  [...items].sort((a, b) => a.question_id.localeCompare(b.question_id));

function assertFinite(value: unknown): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value));
  else if (value && typeof value === 'object') Object.values(value).forEach(assertFinite);
}

const OPTIONS = ['A', 'B', 'C', 'D'];
/** Multiple-choice questions whose first option is the key. */
const multipleChoice = (count: number): ExampleQuestion[] =>
  plainQuestions(count).map((question) => ({
    ...question,
    correct_answer: 'A',
    incorrect_answers: OPTIONS.slice(1),
  }));
const runChoices = (rows: readonly (readonly Cell[])[], parameters: object = {}) => {
  const questions = multipleChoice(rows[0]!.length);
  return runInline(
    itemStatistics,
    questions,
    parameters,
    responsesOf(rows, { questions: asWhole(questions) }),
  );
};
/** Choices of cases of rising ability on ten questions; `first` is the choice on the first one. */
const choicesByAbility = (first: (ability: number) => Cell, n = 60) =>
  Array.from({ length: n }, (_, i) => [
    first(i / n),
    ...Array.from({ length: 9 }, (_, q) =>
      (q + 1) / 10 < i / n + ((i * 7 + q * 3) % 5) / 20 ? 'A' : OPTIONS[1 + ((i + q) % 3)]!,
    ),
  ]);

describe('item statistics', () => {
  it('agrees with R on the LSAT-7 data', async () => {
    const { summary, items, warnings } = await run(LSAT7);
    assert.deepEqual([summary.score, summary.cases, summary.responses], ['number_correct', 1000, 5000]);
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
    for (const [i, row] of byQuestion(items).entries()) {
      const [p, raw, corrected, biserial, alphaIfDeleted, efficiency] = ITEMS[i]!;
      near(row.facility, p);
      near(row.point_biserial, raw);
      near(row.corrected_point_biserial, corrected);
      near(row.biserial, biserial);
      near(row.alpha_if_deleted, alphaIfDeleted);
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
      near(100 * pearson(moments)!, index);
      near(discriminativeEfficiency(moments, buildScoreLevels(x), buildScoreLevels(rest)), efficiency);
      near(weights[q]!, weight);
    }
    const trace = columns.reduce((sum, x) => sum + computeMoments(x, x)!.varianceX, 0);
    near(cronbachAlpha({ k: 4, trace, total: computeMoments(totals, totals)!.varianceX }), 952 / 1653);
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
    const levels = buildScoreLevels(Float64Array.of(0.5, 0.25, 0.5, 1));
    near(countInRange(Uint32Array.of(1, 1, 0), levels, [0, 2]), 1.5);
  });

  it('scores by the proportion correct if cases were asked different questions', async () => {
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
    assert.equal(summary.score, 'proportion_correct');
    assert.match(warnings[0]!, /^Cases were asked different questions/);
    const [first] = byQuestion(items);
    near(first.corrected_point_biserial, 0.7668496718679523);
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
    assert.match(first.message, /^Check the key: .*“C” is more likely the key.*\.$/);
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
    assert.equal(
      result.open.summary.flags.likely_wrong_key + result.open.summary.flags.nonfunctioning_distractor,
      0,
    );
    assert.doesNotMatch(JSON.stringify(result.open), /“[A-D]”/);
    assert.equal(result.open.items.filter(({ flags }) => flags.includes('positive_distractor')).length, 0);
  });

  it('does not flag the key of a good question, nor on too few cases', async () => {
    const works = await runChoices(
      choicesByAbility((ability) => (ability > 0.5 ? 'A' : OPTIONS[1 + ((ability * 60) % 3)]!)),
    );
    assert.equal(works.summary.flags.likely_wrong_key, 0);
    const few = await runChoices(choicesByAbility((ability) => (ability > 0.4 ? 'C' : 'A'), 12));
    const first = byQuestion(few.items)[0];
    assert.deepEqual([first.verdict, first.flags], ['too_little_data', []]);
    assert.match(first.message, /not judged with fewer than 30 cases; weak evidence that “C”/);
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
    near(first.options[0].share, 2 / 3);
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
      'keep',
      /^Keep: 78 % of 40 .* too few incorrect \(9\)/,
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
      'keep',
      /too few correct \(9\) and incorrect \(9\) responses/,
    ],
    [
      'few cases with another question',
      [...perfect(12, 12, false), ...Array.from({ length: 20 }, (_, i) => [i % 2, null, null, null, null])],
      { min_per_outcome: 13 },
      'keep',
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
      assert.equal(/weak evidence that “D” is the key \(n = \d+\)/.test(row.message), !flagged && count > 4);
    }
    const { key_evidence: evidence } = await first(10);
    assert.deepEqual([evidence.n, evidence.compared_n], [10, 25]);
    // Only nine cases did not choose it, so its discrimination is not judged.
    const most = await runChoices(choicesByAbility((ability) => (ability >= 9 / 60 ? 'D' : 'B')));
    assert.ok(byQuestion(most.items)[0].options[3].point_biserial_interval.low > 0);
    assert.ok(!byQuestion(most.items)[0].flags.includes('positive_distractor'));
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
      [0.1949, '0.19 is poor; the low'],
      [-0.0049, '0.00 is poor; the low'],
      [-0.0051, '−0.01 is negative; the low'],
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
      const { message } = judgeItem(statistics, defaults);
      assert.ok(message.includes(`discrimination ${word}`), message);
      if (!word.includes('the low')) assert.ok(!message.includes('the low'));
    }
  });

  it('uses the singular for one case', async () => {
    assert.deepEqual((await run([[1, 0]])).warnings, [
      'Only 1 case: questions are judged from 30 cases on.',
      'Alpha could not be computed. At least two cases are needed; there is one.',
    ]);
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
      const { summary, items, open } = await run(rows, { min_cases: 4 }, 3);
      const answered = [0, 1, 2].filter((q) => rows.some((row) => (row[q] ?? null) !== null)).length;
      assert.equal(items.length, answered);
      assert.equal(summary.questions_without_responses, 3 - answered);
      assertFinite([summary, items, open.items, itemStatistics.plot({ summary, items, warnings: [] })]);
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
      exampleResponses(responses!, asWhole(questions)),
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
        ['Check key', 1],
        ['Keep', 5],
      ],
    );
  });
});

describe('intervals', () => {
  it('computes Wilson’s interval of a proportion', () => {
    const [low, high] = wilson(7, 10)!;
    near(low, 0.39677814746114526, 1e-14);
    near(high, 0.892208732593699, 1e-14);
    assert.equal(wilson(0, 10)![0], 0);
    assert.equal(wilson(10, 10)![1], 1);
    assert.equal(wilson(0, 0), null);
  });

  it('computes Fisher’s interval of a correlation', () => {
    const [low, high] = fisher(0.5, 20)!;
    near(low, 0.0738105744, 1e-9);
    near(high, 0.7717607064, 1e-9);
    assert.deepEqual(fisher(-1, 30), [-1, -1]);
    assert.equal(fisher(0.5, 3), null);
  });

  it('computes Newcombe’s interval of a difference of proportions', () => {
    const [low, high] = newcombeInterval(14, 3, 20)!;
    near(low, 0.24631398811194127, 1e-14);
    near(high, 0.7327816829761227, 1e-14);
    near(newcombeInterval(2.5, 1, 3)![0], -0.19611616345523342, 1e-14);
    near(newcombeInterval(20, 0, 20)![0], 0.7721346162421945, 1e-14);
    assert.equal(newcombeInterval(20, 0, 20)![1], 1);
    assert.equal(newcombeInterval(0, 0, 0), null);
  });

  it('computes quantiles of the normal distribution', () => {
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
