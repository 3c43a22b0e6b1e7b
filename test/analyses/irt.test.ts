/**
 * Analysis type `irt`: estimates against published results, fit against naive computations, and
 * degenerate data.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Value } from 'typebox/value';
import { computeInformation, computeProbability, findPeak } from '../../src/analyses/irt/curves.ts';
import { irt } from '../../src/analyses/irt/index.ts';
import { computeInfitOutfit } from '../../src/analyses/irt/infit-outfit.ts';
import { estimateMlAbilities } from '../../src/analyses/irt/ml-ability.ts';
import { computeObservedProportions } from '../../src/analyses/irt/observed-proportions.ts';
import { computeSX2 } from '../../src/analyses/irt/s-x2.ts';
import { selectSample } from '../../src/analyses/irt/sample.ts';
import { scoreResponses } from '../../src/analyses/shared/responses.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { falseDiscoveryRate } from '../../src/statistics/adjust.ts';
import {
  buildResponses,
  exampleResponses,
  plainQuestions,
  runInline,
  toQuestions,
} from '../support/inline-analysis.ts';
import { LSAT7 } from '../support/lsat7.ts';
import { assertClose, assertFinite } from '../support/numbers.ts';
import { numericalRecipesLcg } from '../support/random.ts';

type Cells = (number | string | null)[];

const SCORING = { omitted: 'wrong', not_reached: 'wrong' } as const;
const toScores = (rows: Cells[]) => scoreResponses(buildResponses(rows), rows[0]!.length, SCORING);

/** Uniform numbers in (0, 1): half a step is added because the logarithm of 0 is infinite. */
function createUniform(seed: number): () => number {
  const next = numericalRecipesLcg(seed);
  return () => next() + 2 ** -33;
}

/** Responses of a standard normal population to items with these parameters. */
function simulate(
  cases: number,
  discriminations: number[],
  difficulties: number[],
  seed: number,
  guessing = 0,
): number[][] {
  const next = createUniform(seed);
  return Array.from({ length: cases }, () => {
    const ability = Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
    return discriminations.map((discrimination, j) => {
      const curve = { discrimination, intercept: -discrimination * difficulties[j]!, guessing };
      return next() < computeProbability(curve, ability) ? 1 : 0;
    });
  });
}

const getQuestionIndex = (item: { question_id: string }) => Number(item.question_id.slice(-12));

const analyse = async (rows: Cells[], parameters = {}) => {
  const result = await runInline(irt, plainQuestions(rows[0]?.length ?? 3), parameters, buildResponses(rows));
  const byQuestion = result.items.toSorted((a, b) => getQuestionIndex(a) - getQuestionIndex(b));
  return { ...result, byQuestion, respondents: [...(result.abilities ?? [])] };
};

describe('LSAT section 7', () => {
  it('has the published 2PL estimates, standard errors and fit', async () => {
    const { summary, byQuestion, respondents, warnings } = await analyse(LSAT7);
    const known = {
      discrimination: [0.987546, 1.080837, 1.707478, 0.76499, 0.735673],
      intercept: [1.855856, 0.80797, 1.805206, 0.486, 1.854458],
      difficulty: [-1.87926, -0.747541, -1.057236, -0.635302, -2.520764],
    };
    const errors = {
      discrimination: [0.177195, 0.168764, 0.321077, 0.13412, 0.151134],
      intercept: [0.13145, 0.091247, 0.204825, 0.074913, 0.114409],
    };
    const fit = [
      [4.75054, 2, 0.092989, 0.037103],
      [14.453453, 2, 0.000727, 0.078949],
      [1.27266, 2, 0.529231, 0],
      [5.236482, 2, 0.072931, 0.040247],
      [0.940942, 2, 0.624708, 0],
    ];
    for (const [j, row] of byQuestion.entries()) {
      for (const name of ['discrimination', 'intercept', 'difficulty'] as const)
        assertClose(row[name], known[name][j]!, { absolute: 1e-4 }, `${name} ${j}`);
      for (const name of ['discrimination', 'intercept'] as const) {
        assertClose(row[`${name}_se`], errors[name][j]!, { absolute: 1e-3 }, `error of ${name} ${j}`);
        assertClose(row[`${name}_high`] - row[`${name}_low`], 2 * 1.96 * errors[name][j]!, {
          absolute: 1e-3,
        });
      }
      const { chi_squared, degrees_of_freedom, p_value, rmsea } = row.s_x2;
      for (const [i, figure] of [chi_squared, degrees_of_freedom, p_value, rmsea].entries())
        assertClose(figure, fit[j]![i]!, { absolute: 1e-3 }, `fit ${j} ${i}`);
      assertClose(row.peak.information, row.discrimination ** 2 / 4, { absolute: 1e-9 });
      assertClose(row.peak.ability, row.difficulty, { absolute: 1e-9 });
    }
    assertClose(byQuestion[1].s_x2.p_adjusted, 5 * byQuestion[1].s_x2.p_value, { absolute: 1e-12 });
    assertClose(summary.estimation.log_likelihood, -2658.80511, { absolute: 1e-4 });
    assertClose(summary.estimation.aic, 5337.61023, { absolute: 1e-3 });
    assertClose(summary.estimation.bic, 5386.68778, { absolute: 1e-3 });
    assertClose(summary.reliability.marginal, 0.441819, { absolute: 1e-5 });
    assertClose(summary.reliability.empirical, 0.452305, { absolute: 1e-5 });
    const points = new Map<number, { information: number; ability_se: number }>(
      summary.information.points.map((point: { ability: number }) => [point.ability, point]),
    );
    assertClose(points.get(-1)!.information, 1.460828, { absolute: 1e-4 });
    assertClose(points.get(-1)!.ability_se, 1 / Math.sqrt(1.460828), { absolute: 1e-4 });
    assertClose(points.get(3)!.information, 0.071427, { absolute: 1e-4 });
    assert.equal(summary.information.points.length, 81);
    assert.equal(summary.information.precise_range, null);
    assertClose(respondents[0]!.ability, -1.869783, { absolute: 1e-4 });
    assertClose(respondents[0]!.standard_error, 0.6927, { absolute: 1e-4 });
    assertClose(respondents.at(-1)!.ability, 0.727185, { absolute: 1e-4 });
    assert.deepEqual(
      [respondents.length, respondents.at(-1)!.answered, respondents.at(-1)!.correct],
      [1000, 5, 5],
    );
    assert.deepEqual(
      byQuestion.map(({ flags }) => flags),
      [[], ['misfit'], [], [], []],
    );
    assert.deepEqual(warnings, []);
  });

  it('has the published 1PL estimates, infit and outfit', async () => {
    const { summary, byQuestion } = await analyse(LSAT7, { model: '1pl' });
    const difficulty = [-1.847449, -0.782193, -1.444701, -0.515695, -1.970769];
    const squares = [
      [0.637704, -6.492086, 0.737158, -5.911684],
      [0.80476, -6.275817, 0.80161, -7.368846],
      [0.627093, -8.804753, 0.700191, -8.248176],
      [0.835959, -5.460089, 0.859221, -5.963009],
      [0.706307, -4.702392, 0.806032, -4.008659],
    ];
    for (const [j, { outfit, infit, ...row }] of byQuestion.entries()) {
      assertClose(row.discrimination, 1.011268, { absolute: 1e-4 });
      assertClose(row.difficulty, difficulty[j]!, { absolute: 1e-4 });
      for (const [i, figure] of [outfit.mean_square, outfit.z, infit.mean_square, infit.z].entries())
        assertClose(figure, squares[j]![i]!, { absolute: i % 2 === 0 ? 1e-4 : 1e-3 }, `${j} ${i}`);
    }
    assertClose(summary.estimation.log_likelihood, -2664.90089, { absolute: 1e-4 });
    assert.equal(summary.estimation.parameters, 6);
  });
});

describe('item curves', () => {
  const guessed = { discrimination: 1.3, intercept: 0.4, guessing: 0.2 };

  it('have an information function and its peak', () => {
    for (const curve of [guessed, { ...guessed, guessing: 0 }, { ...guessed, discrimination: -0.8 }]) {
      const step = 1e-5;
      const p = computeProbability(curve, 0.7);
      const rise =
        (computeProbability(curve, 0.7 + step) - computeProbability(curve, 0.7 - step)) / (2 * step);
      assertClose(computeInformation(curve, 0.7), rise ** 2 / (p * (1 - p)), { absolute: 1e-8 });
      const peak = findPeak(curve)!;
      for (const offset of [-0.01, 0.01])
        assert.ok(computeInformation(curve, peak.ability + offset) < peak.information);
    }
    assert.equal(findPeak({ discrimination: 0, intercept: 1, guessing: 0 }), null);
    assert.equal(computeInformation({ discrimination: 20, intercept: 900, guessing: 0 }, -1000), 0);
  });
});

describe('item fit', () => {
  const discriminations = [0.7, 1.6, -0.6, 1.1, 2.2, 0.9];
  const difficulties = [-1, 0.5, 0, 1.2, -0.3, 0.1];
  const curves = {
    discrimination: Float64Array.from(discriminations),
    intercept: Float64Array.from(discriminations, (discrimination, j) => -discrimination * difficulties[j]!),
    guessing: Float64Array.from([0, 0.2, 0, 0.1, 0, 0.25]),
  };
  const rows = simulate(4000, discriminations, difficulties, 5, 0.1);
  const nodes = Array.from({ length: 61 }, (_, q) => (q - 30) / 5);
  const at = (j: number, ability: number) =>
    computeProbability(
      {
        discrimination: curves.discrimination[j]!,
        intercept: curves.intercept[j]!,
        guessing: curves.guessing[j]!,
      },
      ability,
    );

  it('S-X² matches an enumeration of all response patterns', async () => {
    const { get, cases } = await computeSX2(toScores(rows), curves, 3, new Ticker());
    assert.equal(cases, rows.length);
    const share = Array.from({ length: 7 }, () => 0);
    const rightShare = discriminations.map(() => Array.from({ length: 7 }, () => 0));
    for (let pattern = 0; pattern < 64; pattern++) {
      const marks = discriminations.map((_, j) => (pattern >> j) & 1);
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
    for (const j of discriminations.keys()) {
      let expected = 0;
      for (let score = 1; score < 6; score++) {
        const those = rows.filter((row) => row.reduce((sum, mark) => sum + mark) === score);
        const right = those.filter((row) => row[j]).length;
        const p = rightShare[j]![score]! / share[score]!;
        expected += (right - those.length * p) ** 2 / (those.length * p * (1 - p));
      }
      assertClose(get(j)!.chi_squared, expected, { absolute: 1e-6 * expected });
      assert.equal(get(j)!.degrees_of_freedom, 2);
    }
  });

  it('S-X² collapses rare scores, and is null without degrees of freedom', async () => {
    const few = await computeSX2(toScores(rows.slice(0, 6)), curves, 2, new Ticker());
    for (const j of discriminations.keys()) assert.equal(few.get(j), null);
    const some = await computeSX2(toScores(rows.slice(0, 150)), curves, 2, new Ticker());
    assert.ok(discriminations.some((_, j) => (some.get(j)?.degrees_of_freedom ?? 9) < 3));
    const incomplete = rows.map((row, i) => row.map((mark, j) => (i % 6 === j ? null : mark)));
    const none = await computeSX2(toScores(incomplete), curves, 2, new Ticker());
    assert.deepEqual([none.cases, none.get(0)], [0, null]);
    assert.match(none.reason!, /^No case has responses to all/);
  });

  it('uses ML abilities, slightly beyond the others for all right or all wrong', async () => {
    const plain = {
      ...curves,
      discrimination: curves.discrimination.map(Math.abs),
      guessing: new Float64Array(6),
    };
    const all = [...rows.slice(0, 200), [1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0]];
    const scores = toScores(all);
    const found = await estimateMlAbilities(scores, plain, new Float64Array(all.length), new Ticker());
    const extreme = (i: number) => new Set(all[i]!).size === 1;
    const finite = [...found].filter((_, i) => !extreme(i));
    for (const [i, row] of all.entries()) {
      if (extreme(i)) continue;
      const gradient = row.reduce((sum, mark, j) => {
        const curve = {
          discrimination: plain.discrimination[j]!,
          intercept: plain.intercept[j]!,
          guessing: 0,
        };
        return sum + curve.discrimination * (mark - computeProbability(curve, found[i]!));
      }, 0);
      assertClose(gradient, 0, { absolute: 1e-6 });
    }
    const offset = 0.1 / (plain.discrimination.reduce((sum, discrimination) => sum + discrimination) / 6);
    assertClose(found[200]!, Math.max(...finite) + offset, { absolute: 1e-12 });
    assertClose(found[201]!, Math.min(...finite) - offset, { absolute: 1e-12 });
  });

  it('infit and outfit use all responses of incomplete data', async () => {
    const sparse = rows
      .slice(0, 300)
      .map((row, i) => row.map((mark, j) => ((i + j) % 3 === 0 ? null : mark)));
    const ability = Float64Array.from(sparse, (_, i) => Math.sin(i));
    const squares = await computeInfitOutfit(toScores(sparse), curves, ability, new Ticker());
    for (const j of discriminations.keys()) {
      let [n, standardised, residual, variance] = [0, 0, 0, 0];
      for (const [i, row] of sparse.entries()) {
        if (row[j] === null) continue;
        const p = at(j, ability[i]!);
        n++;
        standardised += (row[j]! - p) ** 2 / (p * (1 - p));
        residual += (row[j]! - p) ** 2;
        variance += p * (1 - p);
      }
      assertClose(squares(j)!.outfit.mean_square, standardised / n, { absolute: 1e-9 });
      assertClose(squares(j)!.infit.mean_square, residual / variance, { absolute: 1e-9 });
    }
  });

  it('observed proportions group cases by their other responses', async () => {
    const some = rows.slice(0, 400);
    const ability = Float64Array.from(some, (_, i) => Math.sin(i));
    const groups = await computeObservedProportions(toScores(some), curves, ability, new Ticker());
    for (const j of discriminations.keys()) {
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
      const sum = (field: (group: (typeof found)[number]) => number) =>
        found.reduce((total, group) => total + field(group), 0);
      assert.equal(
        sum(({ n }) => n),
        some.length,
      );
      assert.equal(
        sum(({ right }) => right),
        some.filter((row) => row[j]).length,
      );
      assertClose(
        sum(({ n, expected }) => n * expected),
        expected,
        { absolute: 1e-4 },
      );
      assert.ok(found.every((group, i) => i === 0 || group.ability > found[i - 1]!.ability));
    }
  });
});

describe('false discovery rate', () => {
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
  it('is controlled by the procedure of Benjamini and Hochberg', () => {
    for (const [given, expected] of cases)
      for (const [i, value] of falseDiscoveryRate(given).entries())
        if (value === null) assert.equal(expected[i], null);
        else assertClose(value, expected[i]!, { absolute: 1e-12 });
  });
});

describe('sample', () => {
  it('has the questions with right and wrong responses, and counts connected components', async () => {
    const rows: Cells[] = [
      [1, 0, 1, null, null],
      [0, 1, 1, null, null],
      [null, null, 1, 1, 0],
      [null, null, 1, 0, 1],
      [null, null, 1, null, null],
    ];
    const { questions, scores, cases_used, components, itemOf } = await selectSample(
      toScores(rows),
      1,
      new Ticker(),
    );
    assert.deepEqual([...questions], [0, 1, 3, 4]);
    assert.deepEqual([...itemOf], [0, 1, -1, 2, 3]);
    assert.deepEqual([...scores.starts], [0, 2, 4, 6, 8, 8]);
    assert.deepEqual([...scores.item], [0, 1, 0, 1, 2, 3, 2, 3]);
    assert.deepEqual([cases_used, components], [4, 2]);
  });
});

describe('verdicts', () => {
  const discriminations = [1.2, 1.4, -0.9, 1, 0.1, 1.3, 1.5, 0.9, 1.1, 1.6];
  const difficulties = [-1.2, -0.8, 0.3, 0, 0.4, 0.5, 0.2, 1, 1.5, -0.4];
  const rows = simulate(1500, discriminations, difficulties, 11);

  it('flag a wrong key and a question without discrimination, and sort them first', async () => {
    const { items, byQuestion, summary, warnings } = await analyse(rows);
    assert.deepEqual(items.slice(0, 2).map(getQuestionIndex), [2, 4]);
    assert.ok(byQuestion[2].flags.includes('negative_discrimination'));
    assert.match(byQuestion[2].message, /Check the key\./);
    assert.equal(byQuestion[2].discrimination_level, 'negative');
    assert.ok(byQuestion[4].flags.includes('low_discrimination'));
    assert.equal(byQuestion[4].discrimination_level, 'very low');
    assert.ok(warnings.some((warning) => /has a negative discrimination: check its key/.test(warning)));
    const counted = new Map(summary.flags.map(({ flag, questions }: never) => [flag, questions]));
    assert.equal(counted.get('negative_discrimination' as never), 1);
    for (const [j, row] of byQuestion.entries()) {
      if (j === 4) continue;
      assert.ok(
        row.discrimination_low < discriminations[j]! + 0.2 &&
          row.discrimination_high > discriminations[j]! - 0.2,
        `discrimination ${j}`,
      );
    }
  });

  it('flag a curve that does not rise with ability', async () => {
    const next = createUniform(3);
    // Respondents with a high score guess on the last question.
    const odd = rows.map((row) => {
      const others = row.filter((_, j) => j !== 2 && j !== 4).reduce((sum, mark) => sum + mark, 0);
      const right = others < 3 ? 0.1 : others < 5 ? 0.9 : 0.4;
      return [...row.filter((_, j) => j !== 2 && j !== 4), next() < right ? 1 : 0];
    });
    const { items } = await analyse(odd);
    assert.equal(getQuestionIndex(items[0]), 8);
    assert.ok(items[0].flags.includes('misfit'));
    assert.ok(items[0].s_x2.p_adjusted < 1e-6);
  });

  it('warn of few cases, and list questions that cannot be calibrated', async () => {
    const few = simulate(60, discriminations, difficulties, 4)
      .map((row) => row.filter((_, j) => j !== 2 && j !== 4))
      .map((row, i) => [...row, 1, 0, i === 0 ? 1 : 0]);
    const { summary, byQuestion, warnings } = await analyse(few, { model: '1pl', min_per_outcome: 2 });
    assert.equal(summary.questions_estimated, 8);
    assert.deepEqual(
      summary.dropped.map(({ question_text }: { question_text: string }) => question_text),
      ['Question 9?', 'Question 10?', 'Question 11?'],
    );
    assert.deepEqual(
      byQuestion.slice(8).map(({ flags }) => flags[0]),
      ['no_variance', 'no_variance', 'too_few_per_outcome'],
    );
    assert.match(byQuestion[8].message, /^Every response is right \(60 responses\)/);
    assert.match(
      byQuestion[10].message,
      /^Too few responses are right \(1 of 60\) .* `min_per_outcome` is 2\./,
    );
    assert.ok(warnings.some((warning) => /60 cases are fewer than the 100 recommended/.test(warning)));
    assert.ok(warnings.some((warning) => /^3 questions were not calibrated/.test(warning)));
    assert.equal(byQuestion[8].discrimination, null);
  });

  it('are reproducible to the byte', async () => {
    const text = async () => JSON.stringify(await analyse(rows.slice(0, 300)));
    assert.equal(await text(), await text());
  });

  it('do not need complete data', async () => {
    const forms = rows.map((row, i) => row.map((mark, j) => ((i % 2 ? j < 4 : j > 6) ? null : mark)));
    const { summary, warnings, respondents } = await analyse(forms);
    assert.ok(summary.estimation.converged);
    assert.deepEqual([summary.connected_components, summary.fit.complete_cases], [1, 0]);
    assert.ok(warnings.some((warning) => /S-X² was not computed. No case/.test(warning)));
    assert.deepEqual(respondents[0]!.answered, 7);
    const apart = rows.map((row, i) => row.map((mark, j) => ((i % 2 ? j < 5 : j > 4) ? null : mark)));
    const split = await analyse(apart);
    assert.equal(split.summary.connected_components, 2);
    assert.ok(split.warnings.some((warning) => /falls into 2 subsets/.test(warning)));
  });

  it('leave out cases without scored responses', async () => {
    const some: Cells[] = [
      ...rows.slice(0, 100),
      discriminations.map(() => 'omitted'),
      discriminations.map(() => 'not reached'),
    ];
    const missing = await analyse(some, { omitted: 'missing' });
    assert.deepEqual(
      [missing.summary.cases, missing.summary.cases_used, missing.respondents.length],
      [102, 100, 100],
    );
    const wrong = await analyse(some);
    assert.deepEqual([wrong.summary.cases_used, wrong.respondents.at(-1)!.correct], [101, 0]);
  });
});

describe('parameters at their bounds', () => {
  const discriminations = [1.2, 1.4, 0.9, 1, 0.8, 1.3, 1.5, 0.9];
  const rows = simulate(600, discriminations, [-1.2, -0.8, 0.3, 0, 0.4, 0.5, 0.2, 1], 12);
  const total = (row: number[]) => row.reduce((sum, mark) => sum + mark, 0);
  /** Adds a question that ten respondents answered. */
  const withStep = (right: (score: number) => boolean): Cells[] =>
    rows.map((row, i) => [...row, i < 10 ? Number(right(total(row))) : null]);
  const describePlots = (result: Awaited<ReturnType<typeof analyse>>) =>
    [irt.plot(result), irt.plots!.wright_map!(result)].map(({ description }) => description);
  const withoutInterval = (row: Record<string, unknown>, name: string) =>
    ['se', 'low', 'high'].every((field) => row[`${name}_${field}`] === null);

  it('are reported on the row of the question only', async () => {
    const result = await analyse(withStep((score) => score > 4));
    const { summary, byQuestion, warnings, items } = result;
    assert.deepEqual([summary.estimation.converged, summary.estimation.has_standard_errors], [true, true]);
    assert.match(summary.estimation.standard_errors_note, /bounds/);
    assert.ok(!warnings.some((warning) => /converge|maximum/.test(warning)));
    assert.ok(warnings.some((warning) => /^1 question has fewer than 250 responses: its /.test(warning)));
    assert.equal(getQuestionIndex(items[0]), 8);
    const { flags, message, discrimination, peak, discrimination_level } = byQuestion[8];
    assert.deepEqual(flags, ['discrimination_at_bound', 'few_responses']);
    assert.match(
      message,
      /^Its discrimination reached the bound of 20 and has no estimate: .* step function .*Difficulty −?\d\.\d\d\.$/,
    );
    assert.equal(discrimination, 20);
    for (const name of ['discrimination', 'difficulty', 'intercept'])
      assert.ok(withoutInterval(byQuestion[8], name), name);
    assert.deepEqual([peak, discrimination_level], [null, null]);
    for (const row of byQuestion.slice(0, 8)) assert.ok(row.discrimination_se > 0);
    const without = await analyse(rows);
    assert.deepEqual([summary.information.questions, without.summary.information.questions], [8, 8]);
    assertClose(summary.information.peak.ability_se, without.summary.information.peak.ability_se, {
      absolute: 0.01,
    });
    assertClose(summary.reliability.marginal, without.summary.reliability.marginal, { absolute: 0.01 });
    assert.match(describePlots(result)[0]!, /standard error of \d\.\d\d\. Not included: 1 question /);
  });

  it('mention the key if the discrimination is negative', async () => {
    const { byQuestion } = await analyse(withStep((score) => score <= 4));
    assert.equal(byQuestion[8].discrimination, -20);
    assert.deepEqual(byQuestion[8].flags, ['discrimination_at_bound', 'few_responses']);
    assert.match(
      byQuestion[8].message,
      /bound of −20 .* responses are (right|wrong), too few to question the key\./,
    );
  });

  it('leave no difficulties if half of the questions are reversed in the 1PL', async () => {
    const opposed = rows.map((row) => row.map((mark, j) => (j % 2 ? 1 - mark : mark)));
    const result = await analyse(opposed, { model: '1pl' });
    const { summary, byQuestion, warnings } = result;
    assert.deepEqual(
      [summary.estimation.converged, summary.estimation.common_discrimination_bound],
      [true, 'lower'],
    );
    assert.deepEqual(summary.information, { questions: 0, points: [], peak: null, precise_range: null });
    assert.equal(summary.reliability.marginal, null);
    assert.deepEqual(summary.flags, [{ flag: 'discrimination_at_bound', questions: 8 }]);
    for (const { difficulty, peak, intercept, intercept_se, facility, message } of byQuestion) {
      assert.deepEqual([difficulty, peak], [null, null]);
      assertClose(intercept, Math.log(facility / (1 - facility)), { absolute: 1e-6 });
      assert.ok(intercept_se > 0);
      assert.match(message, /^The common discrimination reached its lower bound, practically 0/);
    }
    assert.match(warnings[0]!, /^The common discrimination is 0: .* Check the keys/);
    for (const description of describePlots(result)) assert.match(description, /common discrimination is 0/);
    assert.deepEqual(Value.Errors(irt.result.summary, summary), []);
  });

  it('are reached by a Guttman scale', async () => {
    const ladder = Array.from({ length: 60 }, (_, i) => [0, 1, 2, 3, 4].map((j) => (i % 6 > j ? 1 : 0)));
    const result = await analyse(ladder, { model: '1pl' });
    const { summary, byQuestion, warnings } = result;
    const { converged, common_discrimination_bound, has_standard_errors } = summary.estimation;
    assert.deepEqual([converged, common_discrimination_bound, has_standard_errors], [true, 'upper', false]);
    assert.deepEqual([summary.information.peak, summary.information.precise_range], [null, null]);
    for (const row of byQuestion) {
      assert.ok(row.flags.includes('discrimination_at_bound'));
      assert.match(row.message, /common discrimination reached the bound of 20/);
      assert.ok(row.difficulty !== null && withoutInterval(row, 'difficulty'));
    }
    assert.match(byQuestion[2].message, /Difficulty 0\.00\.$/);
    assert.match(warnings[0]!, /^The common discrimination reached the bound of 20/);
    for (const description of describePlots(result)) assert.match(description, /bound/);
  });

  it('do not hide that the estimation did not converge', async () => {
    const result = await analyse(rows.slice(0, 60), { model: '3pl', max_iterations: 1 });
    const { summary, byQuestion, warnings } = result;
    assert.equal(summary.estimation.converged, false);
    assert.match(warnings[0]!, /^The estimation did not converge within \d+ iterations: do not rely/);
    for (const { message } of byQuestion) {
      assert.ok(!message.startsWith('No problems found'));
      assert.match(message, /did not converge/);
    }
    for (const description of describePlots(result)) assert.match(description, /do not rely on this plot/);
  });
});

describe('missing estimates', () => {
  const oneResponseEach: Cells[] = Array.from({ length: 40 }, (_, i) =>
    [0, 1, 2, 3].map((j) => (i % 4 === j ? (i >> 2) % 2 : null)),
  );

  it('have a reason in the message', async () => {
    const { byQuestion, summary, warnings } = await analyse(oneResponseEach);
    assert.deepEqual([summary.estimation.converged, summary.estimation.has_standard_errors], [false, false]);
    assert.match(warnings[0]!, /^The estimation found no unique maximum: do not rely/);
    for (const { message, flags } of byQuestion) {
      assert.match(
        message,
        /There are no standard errors, because the responses do not identify its parameters\./,
      );
      assert.ok(!flags.includes('negative_discrimination'));
    }
  });

  it('a discrimination whose interval includes 0 is not flagged as negative', async () => {
    const few = simulate(40, [1.2, 1.4, -0.2, 1], [0, 0.2, 0, 0.4], 21);
    const { byQuestion } = await analyse(few);
    for (const { discrimination_high: high, flags } of byQuestion)
      assert.equal(flags.includes('negative_discrimination'), high !== null && high < 0);
    assert.ok(byQuestion.some((row) => row.discrimination < 0 && row.discrimination_high > 0));
  });

  it('are explained where min_per_outcome is not met', async () => {
    const rows = simulate(12, [1, 1, 1, 1], [0, 0, 0, 0], 8);
    const { summary, byQuestion, warnings } = await analyse(rows, { min_per_outcome: 20 });
    assert.equal(
      summary.reason,
      'The 2PL needs at least 3 questions with at least 20 right and 20 wrong responses each (`min_per_outcome`); there are none.',
    );
    assert.deepEqual(warnings, [summary.reason]);
    for (const { message } of byQuestion)
      assert.match(
        message,
        /^Too few responses are right \(\d+ of 12\) and too few wrong \(\d+ of 12\) .* `min_per_outcome` is 20/,
      );
  });

  it('are counted in the singular and the plural', async () => {
    const rows = simulate(300, [1, 1, 1, 1], [0, 0.5, -0.5, 0.2], 14).map((row) => [...row, 1]);
    const { warnings } = await analyse(rows);
    assert.deepEqual(warnings, ['1 question was not calibrated: all responses are right, or all are wrong.']);
    assert.deepEqual((await analyse(rows, { min_per_outcome: 2 })).warnings, [
      '1 question was not calibrated: fewer than 2 responses are right, or fewer than 2 are wrong (`min_per_outcome`).',
    ]);
    // One right response is enough; the standard error shows how little is known.
    const rare = rows.map((row, i) => [...row.slice(0, 4), i === 7 ? 1 : 0]);
    const [seldom] = (await analyse(rare)).byQuestion.slice(4);
    assert.ok(seldom.estimated && (seldom.difficulty_se ?? Infinity) > 0.5);
    const unreached = await analyse(rows.map((row) => row.map(() => 'not reached')));
    assert.deepEqual([unreached.summary.cases, unreached.summary.cases_used], [300, 0]);
    assert.match(
      irt.plots!.wright_map!(unreached).description,
      /^No question was calibrated\. There are no scored responses/,
    );
  });
});

describe('degenerate data', () => {
  const half = (n: number, m: number) =>
    Array.from({ length: n }, (_, i) => Array.from({ length: m }, (_, j) => (i + j) % 2));
  const cases: Record<string, Cells[]> = {
    'no responses': [],
    'one response': [[1, null, null]],
    'one respondent': [[1, 0, 1, 1]],
    'one question': [[1], [0], [1], [0], [1]],
    'two questions': half(20, 2),
    'three questions': simulate(30, [1, 1, 1], [0, 0, 0], 2),
    'all right': Array.from({ length: 10 }, () => [1, 1, 1, 1]),
    'all wrong': Array.from({ length: 10 }, () => [0, 0, 0, 0]),
    'identical patterns': Array.from({ length: 10 }, () => [1, 0, 1, 0]),
    'two patterns': half(40, 6),
    'a Guttman scale': Array.from({ length: 60 }, (_, i) => [0, 1, 2, 3, 4].map((j) => (i % 6 > j ? 1 : 0))),
    'every question twice': simulate(80, [1, 1, 1], [-1, 0, 1], 6).map((row) => [...row, ...row]),
    'two responses per case': Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 20 }, (_, j) => (i % 20 === j || (i + 1) % 20 === j ? (i >> 1) % 2 : null)),
    ),
    'pure chance': simulate(50, [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], 9),
    'nothing reached': [['not reached', 'not reached', 'not reached']],
  };
  for (const [name, rows] of Object.entries(cases)) {
    for (const model of ['1pl', '2pl', '3pl']) {
      it(`${name} (${model}) gives a valid result`, async () => {
        const result = await analyse(rows, { model, max_iterations: 500 });
        const { summary, items, warnings, respondents } = result;
        assertFinite({ summary, items, respondents }, name);
        const faults = [...Value.Errors(irt.result.summary, summary)];
        assert.deepEqual(faults, []);
        for (const item of items) {
          assert.deepEqual([...Value.Errors(irt.result.item, item)], []);
          assert.match(item.message, /^[A-Z].*\.$/);
          assertFinite(irt.plotQuestion!(item), 'plot');
          assert.equal(irt.plotQuestion!(item) === undefined, !item.estimated);
        }
        if (!summary.estimated) {
          assert.match(summary.reason, /^[A-Z].*\.$/);
          assert.deepEqual([respondents.length, warnings.length > 0], [0, true]);
        }
        for (const warning of warnings) assert.match(warning, /^[A-Z0-9].*\.$/);
        assertFinite([irt.plot(result), irt.plots!.wright_map!(result)], 'plots');
        assert.equal(
          items.length,
          rows.length === 0 || name === 'nothing reached'
            ? 0
            : rows[0]!.filter((_, j) => rows.some((row) => row[j] !== null)).length,
        );
      });
    }
  }
});

describe('the example', () => {
  const { questions, responses, parameters } = irt.example;
  it('converges, and flags the question with the wrong key', async () => {
    const result = await runInline(
      irt,
      questions,
      parameters,
      exampleResponses(responses!, toQuestions(questions)),
    );
    assert.ok(result.summary.estimation.converged);
    assert.ok(result.items[0].flags.includes('negative_discrimination'));
    assert.match(result.items[0].question_text, /Australia/);
    const plot = irt.plot(result);
    assert.ok(plot.chart === 'curves' && plot.lines.length === 2);
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
