/** Item response theory: figures against published data, fits against plain computations, and what is said of odd data. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Value } from 'typebox/value';
import { abilityAt, information, peakOf, probability } from '../../src/analyses/irt/curves.ts';
import { irt } from '../../src/analyses/irt/index.ts';
import { meanSquares } from '../../src/analyses/irt/infit-outfit.ts';
import { mostLikely } from '../../src/analyses/irt/ml-ability.ts';
import { observedGroups } from '../../src/analyses/irt/observed-proportions.ts';
import { sumScoreFits } from '../../src/analyses/irt/s-x2.ts';
import { sampleOf } from '../../src/analyses/irt/sample.ts';
import { scoreResponses } from '../../src/analyses/shared/responses.ts';
import { falseDiscoveryRate } from '../../src/statistics/adjust.ts';
import {
  asWhole,
  exampleResponses,
  plainQuestions,
  responsesOf,
  runInline,
} from '../support/inline-analysis.ts';
import { LSAT7 } from '../support/lsat7.ts';

type Cells = (number | string | null)[];

const rest = async () => {};
const EVERYTHING = { omitted: 'wrong', not_reached: 'wrong' } as const;
const scoresOf = (rows: Cells[]) => scoreResponses(responsesOf(rows), rows[0]!.length, EVERYTHING);

function near(actual: number, expected: number, tolerance: number, what = ''): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} is ${actual}, not ${expected}`);
}

/** Numbers between 0 and 1, always the same ones. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/** People of a standard normal population answering questions with these slopes and difficulties. */
function simulated(
  cases: number,
  slopes: number[],
  difficulties: number[],
  seed: number,
  lower = 0,
): number[][] {
  const next = numbers(seed);
  return Array.from({ length: cases }, () => {
    const ability = Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
    return slopes.map((slope, j) => {
      const curve = { slope, intercept: -slope * difficulties[j]!, lower };
      return next() < probability(curve, ability) ? 1 : 0;
    });
  });
}

const placeOf = (item: { question_id: string }) => Number(item.question_id.slice(-12));

const analysed = async (rows: Cells[], parameters = {}) => {
  const result = await runInline(irt, plainQuestions(rows[0]?.length ?? 3), parameters, responsesOf(rows));
  const byPlace = result.items.toSorted((a, b) => placeOf(a) - placeOf(b));
  return { ...result, byPlace, people: [...(result.abilities ?? [])] };
};

describe('the Law School Admission Test, section 7', () => {
  it('has the 2PL estimates, errors and fit that are known of it', async () => {
    const { summary, byPlace, people, warnings } = await analysed(LSAT7);
    const known = {
      slope: [0.987546, 1.080837, 1.707478, 0.76499, 0.735673],
      intercept: [1.855856, 0.80797, 1.805206, 0.486, 1.854458],
      difficulty: [-1.87926, -0.747541, -1.057236, -0.635302, -2.520764],
    };
    const errors = {
      slope: [0.177195, 0.168764, 0.321077, 0.13412, 0.151134],
      intercept: [0.13145, 0.091247, 0.204825, 0.074913, 0.114409],
    };
    const fit = [
      [4.75054, 2, 0.092989, 0.037103],
      [14.453453, 2, 0.000727, 0.078949],
      [1.27266, 2, 0.529231, 0],
      [5.236482, 2, 0.072931, 0.040247],
      [0.940942, 2, 0.624708, 0],
    ];
    for (const [j, row] of byPlace.entries()) {
      for (const name of ['slope', 'intercept', 'difficulty'] as const)
        near(row[name].estimate, known[name][j]!, 1e-4, `${name} ${j}`);
      for (const name of ['slope', 'intercept'] as const) {
        near(row[name].standard_error, errors[name][j]!, 1e-3, `error of ${name} ${j}`);
        near(row[name].high - row[name].low, 2 * 1.96 * errors[name][j]!, 1e-3);
      }
      const { chi_squared, degrees_of_freedom, p_value, rmsea } = row.s_x2;
      for (const [i, figure] of [chi_squared, degrees_of_freedom, p_value, rmsea].entries())
        near(figure, fit[j]![i]!, 1e-3, `fit ${j} ${i}`);
      near(row.peak.information, row.slope.estimate ** 2 / 4, 1e-9);
      near(row.peak.ability, row.difficulty.estimate, 1e-9);
    }
    near(byPlace[1].s_x2.p_adjusted, 5 * byPlace[1].s_x2.p_value, 1e-12);
    near(summary.estimation.log_likelihood, -2658.80511, 1e-4);
    near(summary.estimation.aic, 5337.61023, 1e-3);
    near(summary.estimation.bic, 5386.68778, 1e-3);
    near(summary.reliability.marginal, 0.441819, 1e-5);
    near(summary.reliability.empirical, 0.452305, 1e-5);
    const points = new Map<number, { information: number; standard_error: number }>(
      summary.information.points.map((point: { ability: number }) => [point.ability, point]),
    );
    near(points.get(-1)!.information, 1.460828, 1e-4);
    near(points.get(-1)!.standard_error, 1 / Math.sqrt(1.460828), 1e-4);
    near(points.get(3)!.information, 0.071427, 1e-4);
    assert.equal(summary.information.points.length, 81);
    assert.equal(summary.information.precise, null);
    near(people[0]!.ability, -1.869783, 1e-4);
    near(people[0]!.standard_error, 0.6927, 1e-4);
    near(people.at(-1)!.ability, 0.727185, 1e-4);
    assert.deepEqual([people.length, people.at(-1)!.answered, people.at(-1)!.correct], [1000, 5, 5]);
    assert.deepEqual(
      byPlace.map(({ flags }) => flags),
      [[], ['misfit'], [], [], []],
    );
    assert.deepEqual(warnings, []);
  });

  it('has the 1PL estimates, infit and outfit that are known of it', async () => {
    const { summary, byPlace } = await analysed(LSAT7, { model: '1pl' });
    const difficulty = [-1.847449, -0.782193, -1.444701, -0.515695, -1.970769];
    const squares = [
      [0.637704, -6.492086, 0.737158, -5.911684],
      [0.80476, -6.275817, 0.80161, -7.368846],
      [0.627093, -8.804753, 0.700191, -8.248176],
      [0.835959, -5.460089, 0.859221, -5.963009],
      [0.706307, -4.702392, 0.806032, -4.008659],
    ];
    for (const [j, { outfit, infit, ...row }] of byPlace.entries()) {
      near(row.slope.estimate, 1.011268, 1e-4);
      near(row.difficulty.estimate, difficulty[j]!, 1e-4);
      for (const [i, figure] of [outfit.mean_square, outfit.z, infit.mean_square, infit.z].entries())
        near(figure, squares[j]![i]!, i % 2 === 0 ? 1e-4 : 1e-3, `${j} ${i}`);
    }
    near(summary.estimation.log_likelihood, -2664.90089, 1e-4);
    assert.equal(summary.estimation.parameters, 6);
  });
});

describe('curves', () => {
  const guessed = { slope: 1.3, intercept: 0.4, lower: 0.2 };

  it('give their information, its peak and their inverse', () => {
    for (const curve of [guessed, { ...guessed, lower: 0 }, { ...guessed, slope: -0.8 }]) {
      const step = 1e-5;
      const p = probability(curve, 0.7);
      const rise = (probability(curve, 0.7 + step) - probability(curve, 0.7 - step)) / (2 * step);
      near(information(curve, 0.7), rise ** 2 / (p * (1 - p)), 1e-8);
      const peak = peakOf(curve)!;
      for (const aside of [-0.01, 0.01])
        assert.ok(information(curve, peak.ability + aside) < peak.information);
      near(abilityAt(curve, p)!, 0.7, 1e-12);
    }
    assert.equal(peakOf({ slope: 0, intercept: 1, lower: 0 }), null);
    for (const value of [0, 0.2, 1]) assert.equal(abilityAt(guessed, value), null);
    assert.equal(information({ slope: 20, intercept: 900, lower: 0 }, -1000), 0);
  });
});

describe('fit', () => {
  const slopes = [0.7, 1.6, -0.6, 1.1, 2.2, 0.9];
  const difficulties = [-1, 0.5, 0, 1.2, -0.3, 0.1];
  const curves = {
    slope: Float64Array.from(slopes),
    intercept: Float64Array.from(slopes, (slope, j) => -slope * difficulties[j]!),
    lower: Float64Array.from([0, 0.2, 0, 0.1, 0, 0.25]),
  };
  const rows = simulated(4000, slopes, difficulties, 5, 0.1);
  const nodes = Array.from({ length: 61 }, (_, q) => (q - 30) / 5);
  const at = (j: number, ability: number) =>
    probability(
      { slope: curves.slope[j]!, intercept: curves.intercept[j]!, lower: curves.lower[j]! },
      ability,
    );

  it('by sum scores is that of all patterns, added up one by one', async () => {
    const { fit, cases } = await sumScoreFits(scoresOf(rows), curves, 3, rest);
    assert.equal(cases, rows.length);
    const share = Array.from({ length: 7 }, () => 0);
    const rightShare = slopes.map(() => Array.from({ length: 7 }, () => 0));
    for (let pattern = 0; pattern < 64; pattern++) {
      const marks = slopes.map((_, j) => (pattern >> j) & 1);
      const score = marks.filter(Boolean).length;
      for (const node of nodes) {
        const likelihood = marks.reduce(
          (product, mark, j) => product * (mark ? at(j, node) : 1 - at(j, node)),
          Math.exp((-node * node) / 2),
        );
        share[score]! += likelihood;
        for (const [j, mark] of marks.entries()) rightShare[j]![score]! += mark * likelihood;
      }
    }
    for (const j of slopes.keys()) {
      let expected = 0;
      for (let score = 1; score < 6; score++) {
        const those = rows.filter((row) => row.reduce((sum, mark) => sum + mark) === score);
        const right = those.filter((row) => row[j]).length;
        const p = rightShare[j]![score]! / share[score]!;
        expected += (right - those.length * p) ** 2 / (those.length * p * (1 - p));
      }
      near(fit(j)!.chi_squared, expected, 1e-6 * expected);
      assert.equal(fit(j)!.degrees_of_freedom, 2);
    }
  });

  it('by sum scores takes together what is too rare, and is not computed where nothing is left', async () => {
    const few = await sumScoreFits(scoresOf(rows.slice(0, 6)), curves, 2, rest);
    for (const j of slopes.keys()) assert.equal(few.fit(j), null);
    const some = await sumScoreFits(scoresOf(rows.slice(0, 150)), curves, 2, rest);
    assert.ok(slopes.some((_, j) => (some.fit(j)?.degrees_of_freedom ?? 9) < 3));
    const incomplete = rows.map((row, i) => row.map((mark, j) => (i % 6 === j ? null : mark)));
    const none = await sumScoreFits(scoresOf(incomplete), curves, 2, rest);
    assert.deepEqual([none.cases, none.fit(0)], [0, null]);
    assert.match(none.reason!, /Nobody/);
  });

  it('takes the abilities that are most likely, and a little more where none is enough', async () => {
    const plain = { ...curves, slope: curves.slope.map(Math.abs), lower: new Float64Array(6) };
    const all = [...rows.slice(0, 200), [1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0]];
    const scores = scoresOf(all);
    const found = await mostLikely(scores, plain, new Float64Array(all.length), rest);
    const extreme = (i: number) => new Set(all[i]!).size === 1;
    const finite = [...found].filter((_, i) => !extreme(i));
    for (const [i, row] of all.entries()) {
      if (extreme(i)) continue;
      const gradient = row.reduce((sum, mark, j) => {
        const curve = { slope: plain.slope[j]!, intercept: plain.intercept[j]!, lower: 0 };
        return sum + curve.slope * (mark - probability(curve, found[i]!));
      }, 0);
      near(gradient, 0, 1e-6);
    }
    const beyond = 0.1 / (plain.slope.reduce((sum, slope) => sum + slope) / 6);
    near(found[200]!, Math.max(...finite) + beyond, 1e-12);
    near(found[201]!, Math.min(...finite) - beyond, 1e-12);
  });

  it('by mean squares counts every answer where it was given', async () => {
    const sparse = rows
      .slice(0, 300)
      .map((row, i) => row.map((mark, j) => ((i + j) % 3 === 0 ? null : mark)));
    const ability = Float64Array.from(sparse, (_, i) => Math.sin(i));
    const squares = await meanSquares(scoresOf(sparse), curves, ability, rest);
    for (const j of slopes.keys()) {
      let [n, standardised, residual, variance] = [0, 0, 0, 0];
      for (const [i, row] of sparse.entries()) {
        if (row[j] === null) continue;
        const p = at(j, ability[i]!);
        n++;
        standardised += (row[j]! - p) ** 2 / (p * (1 - p));
        residual += (row[j]! - p) ** 2;
        variance += p * (1 - p);
      }
      near(squares(j)!.outfit.mean_square, standardised / n, 1e-9);
      near(squares(j)!.infit.mean_square, residual / variance, 1e-9);
    }
  });

  it('is observed by what people answered to the other questions', async () => {
    const some = rows.slice(0, 400);
    const ability = Float64Array.from(some, (_, i) => Math.sin(i));
    const groups = await observedGroups(scoresOf(some), curves, ability, rest);
    for (const j of slopes.keys()) {
      let expected = 0;
      for (const row of some) {
        const weights = nodes.map((node) =>
          row.reduce(
            (product, mark, k) => (k === j ? product : product * (mark ? at(k, node) : 1 - at(k, node))),
            Math.exp((-node * node) / 2),
          ),
        );
        const total = weights.reduce((sum, weight) => sum + weight);
        expected += weights.reduce((sum, weight, q) => sum + (weight / total) * at(j, nodes[q]!), 0);
      }
      const found = groups(j);
      const sum = (of: (group: (typeof found)[number]) => number) =>
        found.reduce((all, each) => all + of(each), 0);
      assert.equal(
        sum(({ n }) => n),
        some.length,
      );
      assert.equal(
        sum(({ right }) => right),
        some.filter((row) => row[j]).length,
      );
      near(
        sum(({ n, expected }) => n * expected),
        expected,
        1e-4,
      );
      assert.ok(found.every((group, i) => i === 0 || group.ability > found[i - 1]!.ability));
    }
  });
});

describe('p-values of many tests', () => {
  const cases: [(number | null)[], (number | null)[]][] = [
    [[], []],
    [[null], [null]],
    [[0.03], [0.03]],
    [
      [0.04, 0.01, null, 0.03, 0.02],
      [0.04, 0.04, null, 0.04, 0.04],
    ],
    [
      [0.001, 0.5, 0.9],
      [0.003, 0.75, 0.9],
    ],
  ];
  it('are adjusted as Benjamini and Hochberg say', () => {
    for (const [given, expected] of cases)
      for (const [i, value] of falseDiscoveryRate(given).entries())
        if (value === null) assert.equal(expected[i], null);
        else near(value, expected[i]!, 1e-12);
  });
});

describe('what is calibrated', () => {
  it('is what has right and wrong answers, and hangs together', async () => {
    const rows: Cells[] = [
      [1, 0, 1, null, null],
      [0, 1, 1, null, null],
      [null, null, 1, 1, 0],
      [null, null, 1, 0, 1],
      [null, null, 1, null, null],
    ];
    const { questions, scores, cases_used, parts, place } = await sampleOf(scoresOf(rows), 1, rest);
    assert.deepEqual([...questions], [0, 1, 3, 4]);
    assert.deepEqual([...place], [0, 1, -1, 2, 3]);
    assert.deepEqual([...scores.starts], [0, 2, 4, 6, 8, 8]);
    assert.deepEqual([...scores.item], [0, 1, 0, 1, 2, 3, 2, 3]);
    assert.deepEqual([cases_used, parts], [4, 2]);
  });
});

describe('verdicts', () => {
  const slopes = [1.2, 1.4, -0.9, 1, 0.1, 1.3, 1.5, 0.9, 1.1, 1.6];
  const difficulties = [-1.2, -0.8, 0.3, 0, 0.4, 0.5, 0.2, 1, 1.5, -0.4];
  const rows = simulated(1500, slopes, difficulties, 11);

  it('name a wrong key and a question that tells nothing, and put them first', async () => {
    const { items, byPlace, summary, warnings } = await analysed(rows);
    assert.deepEqual(items.slice(0, 2).map(placeOf), [2, 4]);
    assert.ok(byPlace[2].flags.includes('negative_slope'));
    assert.match(byPlace[2].message, /check the key/);
    assert.equal(byPlace[2].discrimination, 'negative');
    assert.ok(byPlace[4].flags.includes('low_slope'));
    assert.equal(byPlace[4].discrimination, 'very low');
    assert.ok(warnings.some((warning) => /negative slope/.test(warning)));
    const counted = new Map(summary.flags.map(({ flag, questions }: never) => [flag, questions]));
    assert.equal(counted.get('negative_slope' as never), 1);
    for (const [j, row] of byPlace.entries()) {
      if (j === 4) continue;
      assert.ok(row.slope.low < slopes[j]! + 0.2 && row.slope.high > slopes[j]! - 0.2, `slope ${j}`);
    }
  });

  it('find answers that do not rise with ability as they should', async () => {
    const next = numbers(3);
    // The abler half guesses on this one.
    const odd = rows.map((row) => {
      const others = row.filter((_, j) => j !== 2 && j !== 4).reduce((sum, mark) => sum + mark, 0);
      const right = others < 3 ? 0.1 : others < 5 ? 0.9 : 0.4;
      return [...row.filter((_, j) => j !== 2 && j !== 4), next() < right ? 1 : 0];
    });
    const { items } = await analysed(odd);
    assert.equal(placeOf(items[0]), 8);
    assert.ok(items[0].flags.includes('misfit'));
    assert.ok(items[0].s_x2.p_adjusted < 1e-6);
  });

  it('warn of few cases, and drop and name what cannot be calibrated', async () => {
    const few = simulated(60, slopes, difficulties, 4)
      .map((row) => row.filter((_, j) => j !== 2 && j !== 4))
      .map((row, i) => [...row, 1, 0, i === 0 ? 1 : 0]);
    const { summary, byPlace, warnings } = await analysed(few, { model: '1pl', min_per_outcome: 2 });
    assert.equal(summary.questions_estimated, 8);
    assert.deepEqual(
      summary.dropped.map(({ question_text }: { question_text: string }) => question_text),
      ['Question 9?', 'Question 10?', 'Question 11?'],
    );
    assert.deepEqual(
      byPlace.slice(8).map(({ flags }) => flags[0]),
      ['one_category', 'one_category', 'too_few_each'],
    );
    assert.match(byPlace[8].message, /^Everybody got it right/);
    assert.match(
      byPlace[10].message,
      /^Too few answers are right \(1 of 60\) .* `min_per_outcome` asks for 2\./,
    );
    assert.ok(warnings.some((warning) => /60 cases are fewer than the 100/.test(warning)));
    assert.ok(warnings.some((warning) => /There are 3 questions left out/.test(warning)));
    assert.equal(byPlace[8].slope, null);
  });

  it('are the same whoever asks, to the byte', async () => {
    const text = async () => JSON.stringify(await analysed(rows.slice(0, 300)));
    assert.equal(await text(), await text());
  });

  it('do not need everybody to answer everything', async () => {
    const forms = rows.map((row, i) => row.map((mark, j) => ((i % 2 ? j < 4 : j > 6) ? null : mark)));
    const { summary, warnings, people } = await analysed(forms);
    assert.ok(summary.estimation.converged);
    assert.deepEqual([summary.parts, summary.fit.complete_cases], [1, 0]);
    assert.ok(warnings.some((warning) => /S-X² was not computed. Nobody/.test(warning)));
    assert.deepEqual(people[0]!.answered, 7);
    const apart = rows.map((row, i) => row.map((mark, j) => ((i % 2 ? j < 5 : j > 4) ? null : mark)));
    const split = await analysed(apart);
    assert.equal(split.summary.parts, 2);
    assert.ok(split.warnings.some((warning) => /falls into 2 parts/.test(warning)));
  });

  it('leave out who answered nothing that counts', async () => {
    const some: Cells[] = [
      ...rows.slice(0, 100),
      slopes.map(() => 'omitted'),
      slopes.map(() => 'not reached'),
    ];
    const missing = await analysed(some, { omitted: 'missing' });
    assert.deepEqual(
      [missing.summary.cases, missing.summary.cases_used, missing.people.length],
      [102, 100, 100],
    );
    const wrong = await analysed(some);
    assert.deepEqual([wrong.summary.cases_used, wrong.people.at(-1)!.correct], [101, 0]);
  });
});

describe('parameters at their bounds', () => {
  const slopes = [1.2, 1.4, 0.9, 1, 0.8, 1.3, 1.5, 0.9];
  const rows = simulated(600, slopes, [-1.2, -0.8, 0.3, 0, 0.4, 0.5, 0.2, 1], 12);
  const total = (row: number[]) => row.reduce((sum, mark) => sum + mark, 0);
  /** One more question, which ten people answered. */
  const withStep = (right: (score: number) => boolean): Cells[] =>
    rows.map((row, i) => [...row, i < 10 ? Number(right(total(row))) : null]);
  const pictures = (result: Awaited<ReturnType<typeof analysed>>) =>
    [irt.plot(result), irt.plots!.wright_map!(result)].map(({ description }) => description);
  const nothing = { standard_error: null, low: null, high: null };

  it('are told of on the row of the question alone', async () => {
    const result = await analysed(withStep((score) => score > 4));
    const { summary, byPlace, warnings, items } = result;
    assert.deepEqual([summary.estimation.converged, summary.estimation.standard_errors], [true, true]);
    assert.match(summary.estimation.standard_errors_note, /bounds/);
    assert.ok(!warnings.some((warning) => /rest|maximum/.test(warning)));
    assert.ok(
      warnings.some((warning) => /^There is 1 question with fewer than 250 answers: its /.test(warning)),
    );
    assert.equal(placeOf(items[0]), 8);
    const { flags, message, slope, difficulty, intercept, peak, discrimination } = byPlace[8];
    assert.deepEqual(flags, ['slope_at_bound', 'few_responses']);
    assert.match(
      message,
      /^Its slope ran to the bound of 20: the answers fit a step better than any curve, and there is no estimate of it\. .*Difficulty −?\d\.\d\d\.$/,
    );
    assert.deepEqual(slope, { estimate: 20, ...nothing });
    assert.deepEqual({ ...difficulty, ...nothing }, difficulty);
    assert.deepEqual({ ...intercept, ...nothing }, intercept);
    assert.deepEqual([peak, discrimination], [null, null]);
    for (const row of byPlace.slice(0, 8)) assert.ok(row.slope.standard_error > 0);
    const without = await analysed(rows);
    assert.deepEqual([summary.information.questions, without.summary.information.questions], [8, 8]);
    near(summary.information.best.standard_error, without.summary.information.best.standard_error, 0.01);
    near(summary.reliability.marginal, without.summary.reliability.marginal, 0.01);
    assert.match(pictures(result)[0]!, /standard error of \d\.\d\d\. Not counted: 1 question /);
  });

  it('speak of the key where the slope is negative', async () => {
    const { byPlace } = await analysed(withStep((score) => score <= 4));
    assert.equal(byPlace[8].slope.estimate, -20);
    assert.deepEqual(byPlace[8].flags, ['slope_at_bound', 'few_responses']);
    assert.match(byPlace[8].message, /bound of −20: .* Check the key/);
  });

  it('leave no difficulties where questions work against each other in the 1PL', async () => {
    const opposed = rows.map((row) => row.map((mark, j) => (j % 2 ? 1 - mark : mark)));
    const result = await analysed(opposed, { model: '1pl' });
    const { summary, byPlace, warnings } = result;
    assert.deepEqual([summary.estimation.converged, summary.estimation.shared_slope_bound], [true, 'lower']);
    assert.deepEqual(summary.information, { questions: 0, points: [], best: null, precise: null });
    assert.equal(summary.reliability.marginal, null);
    assert.deepEqual(summary.flags, [{ flag: 'slope_at_bound', questions: 8 }]);
    for (const { difficulty, peak, intercept, facility, message } of byPlace) {
      assert.deepEqual([difficulty, peak], [null, null]);
      near(intercept.estimate, Math.log(facility / (1 - facility)), 1e-6);
      assert.ok(intercept.standard_error > 0);
      assert.match(message, /^The slope that all questions share ran to its lower bound, as good as 0/);
    }
    assert.match(warnings[0]!, /^The shared slope is 0: .* Look at the keys/);
    for (const description of pictures(result)) assert.match(description, /share is 0/);
    assert.deepEqual(Value.Errors(irt.result.summary, summary), []);
  });

  it('are what a perfect ladder comes to', async () => {
    const ladder = Array.from({ length: 60 }, (_, i) => [0, 1, 2, 3, 4].map((j) => (i % 6 > j ? 1 : 0)));
    const result = await analysed(ladder, { model: '1pl' });
    const { summary, byPlace, warnings } = result;
    const { converged, shared_slope_bound, standard_errors } = summary.estimation;
    assert.deepEqual([converged, shared_slope_bound, standard_errors], [true, 'upper', false]);
    assert.deepEqual([summary.information.best, summary.information.precise], [null, null]);
    for (const { flags, message, difficulty } of byPlace) {
      assert.ok(flags.includes('slope_at_bound'));
      assert.match(message, /share ran to the bound of 20/);
      assert.deepEqual({ ...difficulty, ...nothing }, difficulty);
    }
    assert.match(byPlace[2].message, /Difficulty 0\.00\.$/);
    assert.match(warnings[0]!, /^The shared slope ran to the bound of 20/);
    for (const description of pictures(result)) assert.match(description, /bound/);
  });

  it('are not the end of an estimation that is still on its way', async () => {
    const result = await analysed(rows.slice(0, 60), { model: '3pl', max_iterations: 1 });
    const { summary, byPlace, warnings } = result;
    assert.equal(summary.estimation.converged, false);
    assert.match(warnings[0]!, /^The estimation did not come to rest within \d+ cycles: do not rely/);
    for (const { message } of byPlace) {
      assert.ok(!message.startsWith('Nothing stands out'));
      assert.match(message, /came to no definite maximum/);
    }
    for (const description of pictures(result)) assert.match(description, /do not rely on this picture/);
  });
});

describe('what is not known', () => {
  const nobodyTwice: Cells[] = Array.from({ length: 40 }, (_, i) =>
    [0, 1, 2, 3].map((j) => (i % 4 === j ? (i >> 2) % 2 : null)),
  );

  it('has a reason in the message', async () => {
    const { byPlace, summary, warnings } = await analysed(nobodyTwice);
    assert.deepEqual([summary.estimation.converged, summary.estimation.standard_errors], [false, false]);
    assert.match(warnings[0]!, /^The estimation found no definite maximum: do not rely/);
    for (const { message, flags } of byPlace) {
      assert.match(
        message,
        /There are no standard errors, for the answers do not tell its parameters apart\./,
      );
      assert.ok(!flags.includes('negative_slope'));
    }
  });

  it('is a slope whose interval reaches above 0', async () => {
    const few = simulated(40, [1.2, 1.4, -0.2, 1], [0, 0.2, 0, 0.4], 21);
    const { byPlace } = await analysed(few);
    for (const { slope, flags } of byPlace)
      assert.equal(flags.includes('negative_slope'), slope.high !== null && slope.high < 0);
    assert.ok(byPlace.some(({ slope }) => slope.estimate < 0 && slope.high > 0));
  });

  it('is what falls short of min_per_outcome', async () => {
    const rows = simulated(12, [1, 1, 1, 1], [0, 0, 0, 0], 8);
    const { summary, byPlace, warnings } = await analysed(rows, { min_per_outcome: 20 });
    assert.equal(
      summary.reason,
      'The 2PL takes at least 3 questions with at least 20 right and 20 wrong answers each (`min_per_outcome`); there are none.',
    );
    assert.deepEqual(warnings, [summary.reason]);
    for (const { message } of byPlace)
      assert.match(
        message,
        /^Too few answers are right \(\d+ of 12\) and too few wrong \(\d+ of 12\) .* `min_per_outcome` asks for 20/,
      );
  });

  it('is counted in words that fit one or many', async () => {
    const rows = simulated(300, [1, 1, 1, 1], [0, 0.5, -0.5, 0.2], 14).map((row) => [...row, 1]);
    const { warnings } = await analysed(rows);
    assert.deepEqual(warnings, [
      'There is 1 question left out: all answers to it are right, or all are wrong.',
    ]);
    assert.deepEqual((await analysed(rows, { min_per_outcome: 2 })).warnings, [
      'There is 1 question left out: it has fewer than 2 right or fewer than 2 wrong answers (`min_per_outcome`).',
    ]);
    // One right answer is enough, and its standard error says how little is known.
    const rare = rows.map((row, i) => [...row.slice(0, 4), i === 7 ? 1 : 0]);
    const [seldom] = (await analysed(rare)).byPlace.slice(4);
    assert.ok(seldom.estimated && (seldom.difficulty.standard_error ?? Infinity) > 0.5);
    const unreached = await analysed(rows.map((row) => row.map(() => 'not reached')));
    assert.deepEqual([unreached.summary.cases, unreached.summary.cases_used], [300, 0]);
    assert.match(
      irt.plots!.wright_map!(unreached).description,
      /^Nothing was calibrated\. There are no answers/,
    );
  });
});

/** No number that JSON would turn into null in silence. */
function finite(value: unknown, at: string): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), `${at} is ${value}`);
  if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) finite(inner, `${at}/${key}`);
}

describe('odd data', () => {
  const half = (n: number, m: number) =>
    Array.from({ length: n }, (_, i) => Array.from({ length: m }, (_, j) => (i + j) % 2));
  const cases: Record<string, Cells[]> = {
    'no responses': [],
    'one response': [[1, null, null]],
    'one respondent': [[1, 0, 1, 1]],
    'one question': [[1], [0], [1], [0], [1]],
    'two questions': half(20, 2),
    'three questions': simulated(30, [1, 1, 1], [0, 0, 0], 2),
    'all right': Array.from({ length: 10 }, () => [1, 1, 1, 1]),
    'all wrong': Array.from({ length: 10 }, () => [0, 0, 0, 0]),
    'everybody the same': Array.from({ length: 10 }, () => [1, 0, 1, 0]),
    'two patterns': half(40, 6),
    'a perfect ladder': Array.from({ length: 60 }, (_, i) => [0, 1, 2, 3, 4].map((j) => (i % 6 > j ? 1 : 0))),
    'every question twice': simulated(80, [1, 1, 1], [-1, 0, 1], 6).map((row) => [...row, ...row]),
    'hardly anybody twice': Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 20 }, (_, j) => (i % 20 === j || (i + 1) % 20 === j ? (i >> 1) % 2 : null)),
    ),
    'pure chance': simulated(50, [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], 9),
    'nobody reached anything': [['not reached', 'not reached', 'not reached']],
  };
  for (const [name, rows] of Object.entries(cases)) {
    for (const model of ['1pl', '2pl', '3pl']) {
      it(`${name} (${model}) has a result that says so`, async () => {
        const result = await analysed(rows, { model, max_iterations: 500 });
        const { summary, items, warnings, people } = result;
        finite({ summary, items, people }, name);
        const faults = [...Value.Errors(irt.result.summary, summary)];
        assert.deepEqual(faults, []);
        for (const item of items) {
          assert.deepEqual([...Value.Errors(irt.result.item, item)], []);
          assert.match(item.message, /^[A-Z].*\.$/);
          finite(irt.plotQuestion!(item), 'picture');
          assert.equal(irt.plotQuestion!(item) === undefined, !item.estimated);
        }
        if (!summary.estimated) {
          assert.match(summary.reason, /^[A-Z].*\.$/);
          assert.deepEqual([people.length, warnings.length > 0], [0, true]);
        }
        for (const warning of warnings) assert.match(warning, /^[A-Z0-9].*\.$/);
        finite([irt.plot(result), irt.plots!.wright_map!(result)], 'pictures');
        assert.equal(
          items.length,
          rows.length === 0 || name === 'nobody reached anything'
            ? 0
            : rows[0]!.filter((_, j) => rows.some((row) => row[j] !== null)).length,
        );
      });
    }
  }
});

describe('the example', () => {
  const { questions, responses, parameters } = irt.example;
  it('comes to rest, and finds the question with the wrong key', async () => {
    const result = await runInline(
      irt,
      questions,
      parameters,
      exampleResponses(responses!, asWhole(questions)),
    );
    assert.ok(result.summary.estimation.converged);
    assert.ok(result.items[0].flags.includes('negative_slope'));
    assert.match(result.items[0].question_text, /Australia/);
    const picture = irt.plot(result);
    assert.ok(picture.chart === 'curves' && picture.lines.length === 2);
    const map = irt.plots!.wright_map!(result);
    assert.ok(map.chart === 'wright-map');
    assert.equal(map.questions.places.length, questions.length);
    assert.equal(
      map.people.counts.reduce((sum, n) => sum + n),
      responses!.length,
    );
    const curve = irt.plotQuestion!(result.items[1])!;
    assert.ok(curve.chart === 'curves' && curve.observed.length > 2);
    assert.ok(curve.observed.every(({ x }) => x >= -4 && x <= 4));
  });
});
