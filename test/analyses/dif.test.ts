/**
 * Differential item functioning. Reference values are from exact fractions and from an independent
 * implementation of Newton's method.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dif } from '../../src/analyses/dif/index.ts';
import { computeDeltaInterval, mantelHaenszel } from '../../src/analyses/dif/mantel-haenszel.ts';
import { findFaults } from '../../src/http/validation.ts';
import { type Cells, findRow, parseIndex, run, simulate } from '../support/dif.ts';
import { expectChart } from '../support/figures.ts';
import { exampleResponses, runInline, toQuestions } from '../support/inline-analysis.ts';
import { assertClose } from '../support/numbers.ts';
import { numericalRecipesLcg } from '../support/random.ts';

const { questions: QUESTIONS, responses: SITTINGS } = dif.example;
/** Half of each group: the responses that the reference values were computed from. */
const EXAMPLE = exampleResponses(
  SITTINGS!.filter((_, i) => i % 40 < 20),
  toQuestions(QUESTIONS),
);
const runExample = (parameters: object = {}) =>
  runInline(dif, QUESTIONS, { reference: 'Manchester', ...parameters }, EXAMPLE);

const TOLERANCE = { relative: 1e-10 };

/** By question: α, Δ, its standard error, χ² uncorrected and corrected, p-value, STD P-DIF. */
const MANTEL_HAENSZEL = [
  [1.3846153846153846, -0.7647426410213757, 2.3037079801988787, 0.1, 0.025, 0.8743670611628918, -0.075],
  [
    0.08450704225352113, 5.806662958361162, 3.209039364902809, 3.595744680851064, 2.127659574468085,
    0.14466148777280494, 0.275,
  ],
  [
    0.3645833333333333, 2.371150305449293, 2.205021457948531, 1.1622676870217086, 0.4629861002655005,
    0.4962317120078501, 0.155,
  ],
  [
    0.45652173913043476, 1.8426795530993294, 2.062596664437497, 0.7547169811320755, 0.22830188679245284,
    0.6327858223972039, 0.09,
  ],
  [
    1.2658227848101267, -0.5539474837745144, 1.916589784909962, 0.07961725943311067, 0.01462357826322441,
    0.9037480736869428, 0.03,
  ],
  [
    8.11, -4.918779990099205, 2.060924465703014, 8.011553273427472, 6.111681643132221, 0.013429129627767834,
    -0.475,
  ],
];

/**
 * χ² uniform, nonuniform and both, the R² change, and the coefficients. Question 0 is separated.
 */
const LOGISTIC: [number, number[]][] = [
  [
    1,
    [
      4.547494604718622, 0.06049531746090153, 4.607989922179524, 0.10662104110275383, -3.54775834278287,
      1.275941821431927, 1.710036479178316, 0.23357153292631408,
    ],
  ],
  [
    3,
    [
      1.1519907286420192, 2.1271665578520498, 3.279157286494069, 0.07162603879011159, -2.0486556868908123,
      0.6456077645670862, -2.0397018563440614, 1.1028111598282202,
    ],
  ],
  [
    5,
    [
      9.041009624294176, 0.11520000491981364, 9.15620962921399, 0.21188122627539102, -1.294114413401397,
      0.6580458378316549, -3.126935386744484, 0.20246946950641811,
    ],
  ],
];

/** The correct responses of the reference group in a table of 200 and 200 cases, 250 correct. */
function findCount(odds: number): number {
  let [low, high] = [50, 200];
  for (let i = 0; i < 100; i++) {
    const a = (low + high) / 2;
    if ((a * (a - 50)) / ((200 - a) * (250 - a)) < odds) low = a;
    else high = a;
  }
  return low;
}

describe('dif', () => {
  it('computes the Mantel-Haenszel statistics', async () => {
    const { items } = await runExample({ purify: false });
    for (const [index, expected] of MANTEL_HAENSZEL.entries()) {
      const { mantel_haenszel: result, standardized_difference } = findRow(items, index);
      const { alpha, delta, delta_se, chi_squared_uncorrected, chi_squared, p_value } = result;
      const statistics = [alpha, delta, delta_se, chi_squared_uncorrected, chi_squared, p_value];
      for (const [i, value] of [...statistics, standardized_difference].entries())
        assertClose(value, expected[i]!, TOLERANCE);
      assert.ok(result.delta_low < delta && delta < result.delta_high);
    }
    const { items: uncorrected } = await runExample({ purify: false, continuity_correction: false });
    assertClose(findRow(uncorrected, 5).mantel_haenszel.chi_squared, 8.011553273427472, TOLERANCE);
  });

  it('has an interval of values that the test does not reject', () => {
    // Strata of one, a few and many cases: wrong and right of the reference, then the focal group.
    const tables = [
      [5, 15, 11, 9],
      [1, 0, 0, 1, 3, 4, 6, 2, 2, 9, 5, 6],
      [60, 140, 90, 110, 20, 80, 35, 65],
    ];
    for (const counts of tables) {
      const table = Uint32Array.from(counts);
      for (const corrected of [true, false]) {
        const { delta_low, delta_high } = computeDeltaInterval(table, corrected);
        const { p_value, delta } = mantelHaenszel(table, corrected);
        assert.equal(delta_low! > 0 || delta_high! < 0, p_value! < 0.05);
        assert.ok(delta_low! < delta! && delta! < delta_high!);
      }
    }
    // Cornfield's limits of one stratum of 400, by hand: (a - E)² = 1.96² · variance.
    const { delta_low, delta_high } = computeDeltaInterval(Uint32Array.from([60, 140, 90, 110]), false);
    for (const limit of [delta_low!, delta_high!]) {
      const odds = Math.exp(limit / -2.35);
      const low = findCount(odds);
      const variance = 400 / 399 / (1 / low + 1 / (200 - low) + 1 / (250 - low) + 1 / (low - 50));
      assertClose((140 - low) ** 2 / variance, 1.959963984540054 ** 2, { relative: 1e-5 });
    }
  });

  it('fits the logistic regression, with null coefficients under separation', async () => {
    const { items } = await runExample({ purify: false });
    for (const [index, expected] of LOGISTIC) {
      const { uniform, nonuniform, both, coefficients } = findRow(items, index).logistic;
      const tests = [uniform, nonuniform, both].map(({ chi_squared }) => chi_squared);
      const values = [...tests, both.r_squared_change, ...Object.values<number>(coefficients)];
      for (const [i, value] of values.entries()) assertClose(value, expected[i]!, { relative: 1e-8 });
    }
    const separated = findRow(items, 0).logistic;
    assert.equal(separated.coefficients, null);
    assert.ok(separated.nonuniform.chi_squared > 2.8 && separated.nonuniform.chi_squared < 2.9);
  });

  it('finds the DIF question of the example', async () => {
    const { summary, items, warnings } = await runExample({ adjust: 'none' });
    assert.deepEqual(summary.classes, { A: 5, B: 0, C: 1 });
    assert.deepEqual(summary.favouring, { reference: 1, focal: 0 });
    assert.deepEqual([summary.reference.group, summary.focal.group], ['Manchester', 'Chicago']);
    assert.deepEqual([summary.purification_rounds, summary.purification_ending], [1, 'converged']);
    assert.equal(summary.anchor_questions, 5);
    assert.deepEqual([parseIndex(items[0]), items[0].flags], [5, ['dif_large', 'too_few']]);
    assert.match(
      items[0].message,
      /^Large difference \(class C\): harder for “Chicago” than for “Manchester”/,
    );
    assert.deepEqual([items[0].favours, items[0].anchor], ['Manchester', false]);
    // The other questions are matched by the five anchors that are left.
    assertClose(findRow(items, 0).mantel_haenszel.alpha, 3, TOLERANCE);
    assertClose(findRow(items, 0).mantel_haenszel.chi_squared, 0.1951501154734411, TOLERANCE);
    assert.ok(warnings.some((warning: string) => /matched by 5 questions/.test(warning)));
    assert.ok(warnings.some((warning: string) => /fewer than 100 cases/.test(warning)));
  });

  it('changes signs when the groups are exchanged', async () => {
    const one = await runExample({ purify: false });
    const other = await runExample({ reference: 'Chicago', purify: false });
    for (let index = 0; index < 6; index++) {
      const [a, b] = [findRow(one.items, index), findRow(other.items, index)];
      assertClose(a.mantel_haenszel.delta, -b.mantel_haenszel.delta, TOLERANCE);
      assertClose(a.mantel_haenszel.delta_low, -b.mantel_haenszel.delta_high, { absolute: 1e-7 });
      assertClose(a.mantel_haenszel.chi_squared, b.mantel_haenszel.chi_squared, TOLERANCE);
      assertClose(a.logistic.both.chi_squared, b.logistic.both.chi_squared, { relative: 1e-8 });
      assert.equal(a.class, b.class);
    }
  });

  it('compares the two largest groups, or the named ones', async () => {
    const { rows } = simulate(12, 4);
    const groups = ['c', 'c', 'c', 'c', 'c', 'b', 'b', 'b', 'a', 'a', 'a', null];
    const { summary, warnings } = await run(rows, groups);
    assert.deepEqual([summary.reference.group, summary.focal.group], ['c', 'a']);
    assert.deepEqual([summary.cases_in_other_groups, summary.cases_without_group], [3, 1]);
    assert.match(warnings[1]!, /3 cases in other groups and 1 case without a group/);
    const named = await run(rows, groups, { focal: 'c' });
    assert.deepEqual([named.summary.reference.group, named.summary.focal.group], ['a', 'c']);
    assert.deepEqual(
      named.summary.groups.map(({ group }: { group: string }) => group),
      ['c', 'a', 'b'],
    );
  });

  it('names a favoured group only if the test is significant', async () => {
    for (const [adjust, field] of [
      ['none', 'p_value'],
      ['false_discovery_rate', 'p_adjusted'],
    ] as const) {
      const { items } = await runExample({ adjust });
      for (const { favours, mantel_haenszel } of items) {
        assert.equal(favours !== null, mantel_haenszel[field] < 0.05);
      }
    }
  });

  it('explains separation, and flags nothing by it', async () => {
    const next = numericalRecipesLcg(3);
    // Group a answers the last question correctly from the middle score up; group b at random.
    const rows: Cells = Array.from({ length: 400 }, (_, c) => {
      const row = Array.from({ length: 9 }, () => (next() < 0.5 ? 1 : 0));
      const total = row.reduce<number>((sum, cell) => sum + cell, 0);
      return [
        ...row,
        c % 2 === 0 ? (total > 4 ? 1 : 0) : total > 8 ? 1 : total < 1 ? 0 : Number(next() < 0.5),
      ];
    });
    const groups = rows.map((_, c) => (c % 2 === 0 ? 'a' : 'b'));
    const { items, summary } = await run(rows, groups, { purify: false });
    const found = findRow(items, 9);
    assert.equal(found.logistic.coefficients, null);
    assert.ok(found.logistic.nonuniform.p_value < 1e-6 && found.logistic.jodoin_gierl === 'C');
    assert.match(found.logistic_reason, /no finite maximum-likelihood estimate/);
    assert.ok(!found.flags.includes('nonuniform') && !found.message.includes('varies'));
    assert.equal(summary.nonuniform, 0);
  });

  it('classifies a significant infinite odds ratio as C', async () => {
    const rows: Cells = Array.from({ length: 40 }, (_, c) => [c < 20 ? 1 : 0, c % 2, c < 20 ? 0 : 1]);
    const { items } = await run(
      rows,
      rows.map((_, c) => (c < 20 ? 'a' : 'b')),
      { purify: false },
    );
    assert.deepEqual(
      items.map(({ class: etsClass }) => etsClass),
      ['C', 'C', null],
    );
    assert.deepEqual(items[0].flags, ['dif_large', 'too_few', 'no_estimate']);
    const { delta, delta_low, delta_high } = items[0].mantel_haenszel;
    assert.equal(delta, null);
    assert.ok((delta_low === null) !== (delta_high === null), 'the interval is bounded on one side');
    assert.match(items[0].message, /95 % interval (from|up to) −?\d+\.\d\d, p < 0\.001/);
    assert.match(items[0].reason, /odds ratio is 0 or infinite/);
  });

  it('finds nonuniform DIF', async () => {
    const { rows, groups } = simulate(1200, 20);
    // The last question is correct from the middle score up in group a, and below it in group b.
    for (const [c, row] of rows.entries()) {
      const total = row.slice(0, -1).reduce<number>((sum, cell) => sum + cell!, 0);
      row[19] = total > 9 === (groups[c] === 'a') ? 1 : c % 3 === 0 ? 1 : 0;
    }
    const { items, summary } = await run(rows, groups);
    const found = findRow(items, 19);
    assert.ok(found.flags.includes('nonuniform'));
    const nonuniform =
      ' However, the difference varies with the score: with a higher score the question increasingly favours “a” over “b”.';
    const unadjusted = findRow((await run(rows, groups, { adjust: 'none' })).items, 19);
    assert.match(unadjusted.message, /^Negligible uniform difference \(class A\): harder for “b”/);
    assert.match(
      found.message,
      /^No significant uniform difference .* after adjustment for the 20 questions/,
    );
    assert.ok(found.message.endsWith(nonuniform));
    const strict = findRow((await run(rows, groups, { significance: 0.001 })).items, 19);
    assert.match(strict.message, /^No significant uniform difference between “b” and “a”/);
    assert.ok(strict.message.endsWith(nonuniform) && strict.favours === null);
    assert.equal(summary.nonuniform, 1);
    assert.ok(found.logistic.coefficients.score_by_group < 0);
  });

  it('matches by the adjusted proportion if cases were asked different questions', async () => {
    const full = simulate(2000, 30, { shift: 1.2 });
    // Group b is mostly asked the second half, which is harder; both are asked the middle.
    const asked = (c: number, q: number) => (c % 10 < 3 === (c % 2 === 0) ? q >= 8 : q < 22 || q === 29);
    const part = simulate(2000, 30, { shift: 1.2, asked });
    const complete = await run(full.rows, full.groups);
    const sparse = await run(part.rows, part.groups);
    assert.deepEqual(
      [complete.summary.matching, sparse.summary.matching],
      ['number_correct', 'adjusted_proportion'],
    );
    for (const { items, summary } of [complete, sparse]) {
      assert.deepEqual([parseIndex(items[0]), items[0].class, items[0].favours], [29, 'C', 'a']);
      assert.equal(summary.classes.C, 1);
      assert.ok(summary.classes.B <= 2);
    }
    assert.ok(
      sparse.warnings.some((warning: string) => /Cases were asked different questions/.test(warning)),
    );
  });

  it('approximates the total score if little is missing', async () => {
    const { rows, groups } = simulate(600, 20, { shift: 1 });
    const complete = await run(rows, groups, { purify: false });
    rows[0]![3] = null;
    const sparse = await run(rows, groups, { purify: false });
    for (let index = 0; index < 20; index++) {
      const [a, b] = [complete, sparse].map(({ items }) => findRow(items, index).mantel_haenszel.delta);
      assertClose(a, b, { absolute: 0.05 });
    }
  });

  it('drops and counts cases with too few questions', async () => {
    const { rows, groups } = simulate(200, 12, { asked: (c, q) => c > 9 || q < 3 });
    const { summary, warnings } = await run(rows, groups);
    assert.equal(summary.cases_below_min_items, 10);
    assert.ok(warnings.some((warning: string) => /min_items_per_case: 10 cases/.test(warning)));
  });

  it('has a row for a question with responses of other groups only', async () => {
    const { rows, groups } = simulate(30, 6, { asked: (c, q) => (c < 28 ? q < 5 : true) });
    groups.fill('c', 28);
    const { items, summary } = await run(rows, groups);
    assert.equal(summary.questions_with_responses, 6);
    assert.deepEqual([parseIndex(items[5]), items[5].flags, items[5].reference.n], [5, ['not_tested'], 0]);
    assert.match(items[5].message, /^Not tested: no case of either group/);
  });

  it('is deterministic', async () => {
    const { rows, groups } = simulate(300, 10, { asked: (c, q) => (c + q) % 3 > 0 });
    const [one, two] = [await run(rows, groups), await run(rows, groups)];
    assert.equal(JSON.stringify(one), JSON.stringify(two));
  });

  it('rejects a comparison of a group with itself', () => {
    const check = (focal: string | null, reference: string | null) =>
      dif.check!({ focal, reference } as never).map(({ pointer, code }) => [pointer, code]);
    assert.deepEqual(check('a', 'a'), [['/focal', 'same_group']]);
    assert.deepEqual(check(null, null), []);
    assert.deepEqual(check('a', 'b'), []);
  });

  it('conforms to its schema, and plots at most 40 questions', async () => {
    const { rows, groups } = simulate(120, 60);
    const result = await run(rows, groups);
    assert.deepEqual(findFaults(dif.result.summary, result.summary), []);
    for (const item of result.items) assert.deepEqual(findFaults(dif.result.item, item), []);
    const { groups: drawn, axis } = expectChart(dif.plot(result as never), 'intervals');
    assert.equal(drawn[0]!.rows.length, 40);
    const drawable = result.items.filter(({ mantel_haenszel }) => mantel_haenszel.delta !== null).length;
    assert.equal(drawn[0]!.omitted, drawable - 40);
    for (const { value } of drawn[0]!.rows) assert.ok(value >= axis.from && value <= axis.to);
    const beyond = drawn[0]!.rows.filter(({ low, high }) => low < axis.from || high > axis.to).length;
    assert.ok(beyond <= 4, 'one interval in ten may extend beyond the axis');
  });

  it('purifies by significance, or by class', async () => {
    const { rows, groups } = simulate(6000, 12, { shift: 0.3 });
    const last = async (parameters: object) => findRow((await run(rows, groups, parameters)).items, 11);
    const significant = await last({ purify_by: 'significance' });
    assert.ok(significant.mantel_haenszel.p_value < 0.05 && significant.class === 'A');
    assert.deepEqual([significant.anchor, (await last({ purify_by: 'class' })).anchor], [false, true]);
    assert.deepEqual(await last({}), significant);
    // Beyond 10,000 cases, by class.
    const all = await run([...rows, ...rows], [...groups, ...groups]);
    assert.equal(findRow(all.items, 11).anchor, true);
  });
});
