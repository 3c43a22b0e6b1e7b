/** Several maxima of the likelihood, parameters that are not identified, and priors. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { calibrate } from '../../src/analyses/irt/calibration/calibrate.ts';
import { runEm } from '../../src/analyses/irt/calibration/em.ts';
import { newInlineExecutor } from '../../src/analyses/irt/calibration/executor.ts';
import type { Model } from '../../src/analyses/irt/calibration/model.ts';
import { computeLogPrior, getGuessingPrior, type Priors } from '../../src/analyses/irt/calibration/priors.ts';
import { prepareProblem } from '../../src/analyses/irt/calibration/problem.ts';
import { countResponses } from '../../src/analyses/irt/calibration/starting-values.ts';
import { irt } from '../../src/analyses/irt/index.ts';
import { scoreResponses } from '../../src/analyses/shared/responses.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { buildResponses, plainQuestions, runInline } from '../support/inline-analysis.ts';
import { assertAllClose, assertClose } from '../support/numbers.ts';
import { mulberry32 } from '../support/random.ts';

type Row = (0 | 1)[];
const LIMITS = { tolerance: 1e-6, max_iterations: 500 };

const toScores = (rows: Row[]) =>
  scoreResponses(buildResponses(rows), rows[0]!.length, { omitted: 'wrong', not_reached: 'wrong' });
const newPriors = (items: number): Priors => ({
  guessing: Array.from({ length: items }, () => getGuessingPrior(5)),
});
const run = (rows: Row[], model: Model, priors = newPriors(rows[0]!.length)) =>
  calibrate(toScores(rows), { model, priors, ...LIMITS }, new Ticker());

function simulate(seed: number, cases: number, items: number, guessing: number): Row[] {
  const random = mulberry32(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const discrimination = Array.from({ length: items }, () => Math.exp(0.5 * normal()));
  const difficulty = Array.from({ length: items }, () => 1.5 * normal());
  return Array.from({ length: cases }, () => {
    const ability = normal();
    return discrimination.map((a, j): 0 | 1 => {
      const p = guessing + (1 - guessing) / (1 + Math.exp(-a * (ability - difficulty[j]!)));
      return random() < p ? 1 : 0;
    });
  });
}

/** The highest posterior density that EM reaches from eight starts. */
async function maximiseFromManyStarts(rows: Row[], priors: Priors): Promise<number> {
  const [scores, ticker, items] = [toScores(rows), new Ticker(), rows[0]!.length];
  const { right } = await countResponses(scores, ticker);
  const prepared = await prepareProblem(scores, '3pl', ticker);
  const executor = newInlineExecutor(prepared.problem, ticker);
  const context = { model: '3pl' as const, priors, prepared, rightCount: right, executor, ticker };
  const random = mulberry32(99);
  let best = -Infinity;
  for (let n = 0; n < 8; n++) {
    const start = Float64Array.from({ length: 3 * items }, (_, i) => {
      const noise = n < 4 ? 0 : 2 * random() - 1;
      if (i < items) return [0.5, 1, 1.7, 3, 1, 1, 1, 1][n]! * Math.exp(noise);
      const facility = right[i % items]! / rows.length;
      return i < 2 * items ? Math.log(facility / (1 - facility)) + noise : -1.4 + noise;
    });
    const { evaluation } = await runEm(context, start, LIMITS);
    best = Math.max(best, evaluation.objective);
  }
  return best;
}

describe('several maxima', () => {
  // Data on which EM from one start ends in a lower maximum, or does not converge.
  for (const seed of [5, 6, 30, 45]) {
    test(`no other start is better by 0.01, seed ${seed}`, async () => {
      const rows = simulate(seed, 250, 8, 0.2);
      const priors = newPriors(8);
      const found = await run(rows, '3pl', priors);
      assert.equal(found.converged, true);
      const objective = found.logLikelihood + computeLogPrior(found, '3pl', priors);
      const best = await maximiseFromManyStarts(rows, priors);
      assert.ok(objective > best - 0.01, `${objective}, but ${best} from another start`);
    });
  }

  test('abilities belong to the solution that is reported', async () => {
    const rows = simulate(6, 250, 8, 0.2);
    const found = await run(rows, '3pl');
    const nodes = Array.from({ length: 61 }, (_, q) => -6 + q / 5);
    for (const c of [0, 1, 2, 100]) {
      const joint = nodes.map((theta) =>
        rows[c]!.reduce<number>(
          (product, right, j) => {
            const guessing = found.guessing[j]!;
            const logit = found.discrimination[j]! * theta + found.intercept[j]!;
            const p = guessing + (1 - guessing) / (1 + Math.exp(-logit));
            return product * (right ? p : 1 - p);
          },
          Math.exp((-theta * theta) / 2),
        ),
      );
      const total = joint.reduce((sum, value) => sum + value);
      const mean = joint.reduce((sum, value, q) => sum + value * nodes[q]!, 0) / total;
      assertClose(found.ability[c]!, mean, { absolute: 1e-9 });
    }
  });
});

describe('parameters that are not identified', () => {
  test('a nearly singular information matrix gives no standard errors instead of absurd ones', async () => {
    // All responses to the last item are right, so its intercept is not identified.
    const rows = simulate(19, 250, 8, 0.2);
    const { standardErrors, standardErrorsNote } = await run(rows, '3pl');
    assert.match(standardErrorsNote!, /nearly singular/);
    const without = await run(
      rows.map((row) => row.slice(0, 7)),
      '3pl',
    );
    assert.equal(without.standardErrorsNote, undefined);
    for (const name of ['discrimination', 'intercept', 'guessing'] as const) {
      assert.equal(standardErrors![name][7], Infinity);
      assertAllClose(
        standardErrors![name].slice(0, 7),
        without.standardErrors![name],
        { absolute: 1e-3 },
        `errors of ${name}`,
      );
    }
  });

  test('an interval wider than the range of possible values is null, with a reason', async () => {
    const rows = simulate(55, 120, 6, 0.2);
    const { items } = await runInline(irt, plainQuestions(6), {}, buildResponses(rows));
    const row = items.find(({ question_text }: { question_text: string }) => question_text === 'Question 2?');
    assert.ok(row.discrimination > 5 && row.discrimination < 20);
    for (const name of ['discrimination', 'intercept', 'difficulty'])
      for (const field of ['se', 'low', 'high']) assert.equal(row[`${name}_${field}`], null);
    assert.deepEqual([row.difficulty, row.peak], [null, null]);
    assert.match(
      row.message,
      /There are no standard errors, because the responses do not identify its parameters\./,
    );
    for (const other of items) if (other !== row) assert.ok(other.discrimination_se < 1);
  });

  test('a difficulty is null, and not flagged, where the interval of the discrimination includes 0', async () => {
    const rows = simulate(3, 800, 7, 0);
    const random = mulberry32(4);
    const withFlat = rows.map((row): Row => [...row, random() < 0.55 ? 1 : 0]);
    const result = await runInline(irt, plainQuestions(8), {}, buildResponses(withFlat));
    const flat = result.items.find(
      ({ question_text }: { question_text: string }) => question_text === 'Question 8?',
    );
    assert.ok(flat.discrimination_low < 0 && flat.discrimination_high > 0);
    assert.deepEqual(
      [flat.difficulty, flat.difficulty_se, flat.difficulty_low, flat.difficulty_high, flat.peak],
      [null, null, null, null, null],
    );
    assert.deepEqual(flat.flags, ['low_discrimination']);
    assert.match(
      flat.message,
      /Its difficulty is not identified, because the confidence interval .* includes 0\./,
    );
    for (const row of result.items)
      if (row !== flat) assert.ok(row.difficulty !== null && row.discrimination_low > 0);
  });
});

describe('priors', () => {
  const options = (n: number) => Array.from({ length: n - 1 }, (_, i) => `Wrong ${i + 1}`);
  const estimate = async (rows: Row[], optionCounts: number[], parameters: object) => {
    const questions = plainQuestions(rows[0]!.length).map((question, j) => ({
      ...question,
      ...(optionCounts[j]! > 1 ? { incorrect_answers: options(optionCounts[j]!) } : {}),
    }));
    const result = await runInline(irt, questions, { model: '3pl', ...parameters }, buildResponses(rows));
    return new Map(
      result.items.map((row: { question_text: string; guessing: number }) => [
        row.question_text,
        row.guessing,
      ]),
    );
  };

  test('the prior of guessing follows the number of options', async () => {
    const rows = simulate(21, 600, 6, 0.25);
    for (const [k, alpha, beta] of [
      [4, 6, 16],
      [2, 11, 11],
      [5, 5, 17],
      [0, 5, 17],
    ] as const) {
      const found = await estimate(rows, Array(6).fill(k), {});
      const expected = await estimate(rows, Array(6).fill(3), { guessing_alpha: alpha, guessing_beta: beta });
      assert.deepEqual(found, expected, `${k} options`);
    }
    const mixed = await estimate(rows, [2, 5, 5, 5, 5, 5], {});
    const same = await estimate(rows, Array(6).fill(5), {});
    assert.ok((mixed.get('Question 1?') as number) > (same.get('Question 1?') as number) + 0.02);
  });

  test('one parameter of the prior needs the other', () => {
    const defaults = { guessing_alpha: null, guessing_beta: null };
    const check = (parameters: object) => irt.check!({ ...defaults, ...parameters } as never);
    assert.deepEqual(check({}), []);
    assert.deepEqual(check({ guessing_alpha: 5, guessing_beta: 17 }), []);
    assert.equal(check({ guessing_alpha: 5 })[0]!.pointer, '/guessing_beta');
    assert.equal(check({ guessing_beta: 5 })[0]!.pointer, '/guessing_alpha');
  });

  for (const model of ['2pl', '3pl'] as const) {
    test(`a lognormal prior of discriminations: the posterior mode of the ${model}`, async () => {
      const rows = simulate(8, 200, 5, 0.1).map((row): Row => [row[0] ? 0 : 1, ...row.slice(1)]);
      const discrimination = { logMean: 0.2, logSd: 0.5 };
      const priors = { ...newPriors(5), discrimination };
      const found = await run(rows, model, priors);
      assert.equal(found.converged, true);
      assert.ok(found.discrimination.every((a) => a > 0));
      const nodes = Array.from({ length: 61 }, (_, q) => -6 + q / 5);
      const weights = nodes.map((theta) => Math.exp((-theta * theta) / 2));
      const logDensity = (x: number[]) => {
        const [a, d, g] = [x.slice(0, 5), x.slice(5, 10), x.slice(10)];
        const c = g.map((logit) => 1 / (1 + Math.exp(-logit)));
        let sum = 0;
        for (const row of rows) {
          let likelihood = 0;
          for (const [q, theta] of nodes.entries()) {
            let product = weights[q]!;
            for (const [j, right] of row.entries()) {
              const p = (c[j] ?? 0) + (1 - (c[j] ?? 0)) / (1 + Math.exp(-a[j]! * theta - d[j]!));
              product *= right ? p : 1 - p;
            }
            likelihood += product;
          }
          sum += Math.log(likelihood);
        }
        for (const value of a) sum += -Math.log(value) - (Math.log(value) - 0.2) ** 2 / (2 * 0.5 ** 2);
        for (const value of c) sum += 4 * Math.log(value) + 16 * Math.log(1 - value);
        return sum;
      };
      const point = [
        ...found.discrimination,
        ...found.intercept,
        ...(model === '3pl' ? Array.from(found.guessing, (c) => Math.log(c / (1 - c))) : []),
      ];
      const moved = (i: number, by: number) =>
        logDensity(point.map((value, k) => (k === i ? value + by : value)));
      const gradient = point.map((_, i) => (moved(i, 1e-4) - moved(i, -1e-4)) / 2e-4);
      assertAllClose(
        gradient,
        point.map(() => 0),
        { absolute: 1e-4 },
        'gradient',
      );
      // The variance given all other parameters is a lower bound.
      for (const j of [0, 1, 2, 3, 4]) {
        const curvature = (2 * moved(j, 0) - moved(j, 1e-3) - moved(j, -1e-3)) / 1e-6;
        const se = found.standardErrors!.discrimination[j]!;
        assert.ok(se > 0.99 / Math.sqrt(curvature) && se < 3 / Math.sqrt(curvature), `${se}`);
      }
    });
  }
});
