/**
 * IRT calibration against published results and against a naive implementation of the likelihood.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Calibration, calibrate } from '../../src/analyses/irt/calibration/calibrate.ts';
import {
  type Executor,
  newInlineExecutor,
  newThreadExecutor,
} from '../../src/analyses/irt/calibration/executor.ts';
import { prepareProblem } from '../../src/analyses/irt/calibration/problem.ts';
import type { Scores } from '../../src/analyses/shared/responses.ts';
import { Ticker } from '../../src/concurrency/ticker.ts';
import { LSAT7 } from '../support/lsat7.ts';
import { assertAllClose, assertClose } from '../support/numbers.ts';
import { mulberry32 } from '../support/random.ts';

type Model = '1pl' | '2pl' | '3pl';
type Row = (0 | 1 | null)[];

const GUESSING_PRIOR = { alpha: 5, beta: 17 };
const newPriors = (items: number) => ({ guessing: Array.from({ length: items }, () => GUESSING_PRIOR) });

const run = (rows: Row[], model: Model, more: { tolerance?: number; max_iterations?: number } = {}) =>
  calibrate(
    toScores(rows),
    { model, priors: newPriors(rows[0]!.length), tolerance: 1e-6, max_iterations: 2000, ...more },
    new Ticker(),
  );

function toScores(rows: Row[]): Scores {
  const starts = [0];
  const item: number[] = [];
  const right: number[] = [];
  for (const row of rows) {
    for (const [j, answer] of row.entries()) {
      if (answer === null) continue;
      item.push(j);
      right.push(answer);
    }
    starts.push(item.length);
  }
  return {
    cases: rows.length,
    items: rows[0]!.length,
    starts: Uint32Array.from(starts),
    item: Uint32Array.from(item),
    right: Uint8Array.from(right),
  };
}

interface Simulation {
  cases: number;
  items: number;
  seed: number;
  guessing?: number;
  asked?: (person: number, item: number, random: () => number) => boolean;
}

function simulate({ cases, items, seed, guessing = 0, asked = () => true }: Simulation) {
  const random = mulberry32(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const discrimination = Array.from({ length: items }, () => Math.exp(0.3 * normal()));
  const intercept = Array.from({ length: items }, () => normal());
  const ability = Array.from({ length: cases }, normal);
  const rows = ability.map((theta, person) =>
    discrimination.map((a, j) => {
      const p = guessing + (1 - guessing) / (1 + Math.exp(-a * theta - intercept[j]!));
      const right = random() < p ? 1 : 0;
      return asked(person, j, random) ? right : null;
    }),
  ) as Row[];
  return { rows, discrimination, intercept, ability };
}

/**
 * Naive marginal likelihood: every case, every node, every response, and numerical second
 * derivatives.
 */
function evaluateNaively(rows: Row[], model: Model, found: Calibration) {
  const items = rows[0]!.length;
  const nodes = Array.from({ length: 61 }, (_, q) => -6 + q / 5);
  const density = nodes.map((theta) => Math.exp((-theta * theta) / 2));
  const total = density.reduce((sum, value) => sum + value, 0);
  const point =
    model === '1pl'
      ? [found.discrimination[0]!, ...found.intercept]
      : [...found.discrimination, ...found.intercept, ...(model === '3pl' ? found.guessing : [])];
  const at = (x: number[], j: number): [number, number, number] => {
    if (model === '1pl') return [x[0]!, x[1 + j]!, 0];
    return [x[j]!, x[items + j]!, model === '3pl' ? x[2 * items + j]! : 0];
  };

  const counts = new Map<string, number>();
  for (const row of rows) counts.set(JSON.stringify(row), (counts.get(JSON.stringify(row)) ?? 0) + 1);

  /** Log-likelihood, gradient of the objective (with the prior) and EAP abilities. */
  function evaluate(x: number[]) {
    let logLikelihood = 0;
    const gradient = x.map(() => 0);
    const ability = new Map<string, number>();
    for (const [key, count] of counts) {
      const row: Row = JSON.parse(key);
      const joint = nodes.map((theta, q) =>
        row.reduce<number>((product, answer, j) => {
          if (answer === null) return product;
          const [a, d, c] = at(x, j);
          const p = c + (1 - c) / (1 + Math.exp(-a * theta - d));
          return product * (answer ? p : 1 - p);
        }, density[q]! / total),
      );
      const likelihood = joint.reduce((sum, value) => sum + value, 0);
      logLikelihood += count * Math.log(likelihood);
      ability.set(key, joint.reduce((sum, value, q) => sum + value * nodes[q]!, 0) / likelihood);
      for (const [q, theta] of nodes.entries()) {
        for (const [j, answer] of row.entries()) {
          if (answer === null) continue;
          const [a, d, c] = at(x, j);
          const known = 1 / (1 + Math.exp(-a * theta - d));
          const p = c + (1 - c) * known;
          const residual = (((count * joint[q]!) / likelihood) * (answer - p)) / (p * (1 - p));
          const byLogit = residual * (1 - c) * known * (1 - known);
          gradient[model === '1pl' ? 0 : j]! += byLogit * theta;
          gradient[model === '1pl' ? 1 + j : items + j]! += byLogit;
          if (model === '3pl') gradient[2 * items + j]! += residual * (1 - known);
        }
      }
    }
    if (model === '3pl') {
      for (let i = 2 * items; i < x.length; i++)
        gradient[i]! += (GUESSING_PRIOR.alpha - 1) / x[i]! - (GUESSING_PRIOR.beta - 1) / (1 - x[i]!);
    }
    return { logLikelihood, gradient, ability: rows.map((row) => ability.get(JSON.stringify(row))!) };
  }

  const here = evaluate(point);
  // Fourth-order central differences of the gradient.
  const information = point.map((_, i) => {
    const beside = (by: number) => evaluate(point.map((value, k) => (k === i ? value + by : value))).gradient;
    const [far, close, back, farBack] = [2e-3, 1e-3, -1e-3, -2e-3].map(beside);
    return point.map((_, k) => (far![k]! - 8 * close![k]! + 8 * back![k]! - farBack![k]!) / 12e-3);
  });
  const covariance = inverse(information);
  const step = covariance.map((row) => row.reduce((sum, value, k) => sum + value * here.gradient[k]!, 0));
  return { ...here, step, errors: covariance.map((row, i) => Math.sqrt(row[i]!)), covariance };
}

/** Gauss-Jordan elimination with partial pivoting. */
function inverse(matrix: number[][]): number[][] {
  const size = matrix.length;
  const work = matrix.map((row, i) => [...row, ...row.map((_, k) => (i === k ? 1 : 0))]);
  for (let i = 0; i < size; i++) {
    let best = i;
    for (let r = i + 1; r < size; r++) if (Math.abs(work[r]![i]!) > Math.abs(work[best]![i]!)) best = r;
    [work[i], work[best]] = [work[best]!, work[i]!];
    const pivot = work[i]![i]!;
    work[i] = work[i]!.map((value) => value / pivot);
    for (let r = 0; r < size; r++) {
      const factor = work[r]![i]!;
      if (r !== i) work[r] = work[r]!.map((value, k) => value - factor * work[i]![k]!);
    }
  }
  return work.map((row) => row.slice(size));
}

const listStandardErrors = (model: Model, { standardErrors: se }: Calibration) =>
  model === '1pl'
    ? [se!.discrimination[0]!, ...se!.intercept]
    : [...se!.discrimination, ...se!.intercept, ...(model === '3pl' ? se!.guessing : [])];

describe('LSAT section 7', () => {
  test('2PL: estimates, standard errors and likelihood match mirt and direct maximisation', async () => {
    const found = await run(LSAT7, '2pl');
    assertAllClose(
      found.discrimination,
      [0.98754589, 1.08083714, 1.70747766, 0.76498987, 0.73567271],
      { absolute: 1e-7 },
      'discrimination',
    );
    assertAllClose(
      found.intercept,
      [1.85585564, 0.80796959, 1.8052062, 0.4859998, 1.85445759],
      { absolute: 1e-7 },
      'intercept',
    );
    assertAllClose(
      found.standardErrors!.discrimination,
      [0.1771948, 0.1687639, 0.321077, 0.1341203, 0.1511339],
      { absolute: 1e-5 },
      'errors of discriminations',
    );
    assertAllClose(
      found.standardErrors!.intercept,
      [0.1314501, 0.091247, 0.2048251, 0.0749134, 0.1144087],
      { absolute: 1e-5 },
      'of intercepts',
    );
    assertClose(found.logLikelihood, -2658.8051136323, { absolute: 1e-7 });
    assert.equal(found.parameters, 10);
    assert.equal(found.converged, true);
    assert.equal(found.standardErrorsNote, undefined);
    assert.ok(found.gradient < 1e-3 && found.change <= 1e-6);
    assertAllClose(
      [found.ability[0]!, found.abilitySe[0]!],
      [-1.8697835, 0.6926997],
      { absolute: 1e-6 },
      'ability of 00000',
    );
  });

  test('1PL: estimates, standard errors and likelihood match direct maximisation', async () => {
    const found = await run(LSAT7, '1pl');
    assertAllClose(found.discrimination, new Array(5).fill(1.01126752), { absolute: 2e-6 }, 'discrimination');
    assertAllClose(
      found.intercept,
      [1.86826476, 0.79100624, 1.46097959, 0.52150605, 1.99297494],
      { absolute: 2e-6 },
      'intercept',
    );
    assertAllClose(
      [found.standardErrors!.discrimination[0]!, ...found.standardErrors!.intercept],
      [0.064943, 0.1004293, 0.0811566, 0.0913104, 0.0787252, 0.1037048],
      { absolute: 1e-6 },
      'errors',
    );
    assertClose(found.logLikelihood, -2664.9008909159, { absolute: 1e-7 });
    assert.equal(found.parameters, 6);
  });
});

describe('maximum, standard errors and EAP abilities match the naive likelihood', () => {
  const some = (share: number) => (_person: number, _item: number, random: () => number) => random() < share;
  const data: [name: string, rows: Row[]][] = [
    ['complete', simulate({ cases: 700, items: 6, seed: 51, guessing: 0.1 }).rows],
    ['30 % missing at random', simulate({ cases: 900, items: 6, seed: 52, asked: some(0.7) }).rows],
    [
      'four forms with an overlap',
      simulate({ cases: 900, items: 8, seed: 53, asked: (c, j) => (j - 2 * (c % 4) + 8) % 8 < 5 }).rows,
    ],
    ['half of the items for each', simulate({ cases: 600, items: 7, seed: 55, asked: some(0.5) }).rows],
    ['an item with a wrong key', LSAT7.map(([a, ...rest]) => [a ? 0 : 1, ...rest])],
  ];
  for (const [name, rows] of data) {
    for (const model of ['1pl', '2pl', '3pl'] as const) {
      test(`${model}, ${name}`, async () => {
        const found = await run(rows, model);
        assert.equal(found.converged, true);
        const expected = evaluateNaively(rows, model, found);
        assertClose(found.logLikelihood, expected.logLikelihood, { absolute: 1e-8 }, 'log-likelihood');
        assertAllClose(found.ability, expected.ability, { absolute: 1e-9 }, 'ability');
        assertAllClose(
          expected.step,
          expected.step.map(() => 0),
          { absolute: 2e-6 },
          'Newton step to the maximum',
        );
        const errors = listStandardErrors(model, found);
        assertAllClose(
          errors.map((error, i) => error / expected.errors[i]! - 1),
          errors.map(() => 0),
          { absolute: 2e-4 },
          'errors',
        );
        if (model === '2pl') {
          const items = rows[0]!.length;
          for (let j = 0; j < items; j++) {
            const [a, d] = [found.discrimination[j]!, found.intercept[j]!];
            const by = [d / (a * a), -1 / a];
            const indices = [j, items + j];
            let variance = 0;
            for (const i of [0, 1])
              for (const k of [0, 1])
                variance += by[i]! * by[k]! * expected.covariance[indices[i]!]![indices[k]!]!;
            assertClose(found.standardErrors!.difficulty[j]!, Math.sqrt(variance), { relative: 1e-3 });
          }
        }
      });
    }
  }

  test('a wrong key gives a negative discrimination', async () => {
    const found = await run(
      LSAT7.map(([a, ...rest]) => [a ? 0 : 1, ...rest]),
      '2pl',
    );
    assertAllClose(
      found.discrimination,
      [-0.98754589, 1.08083714, 1.70747766, 0.76498987, 0.73567271],
      { absolute: 1e-6 },
      'discrimination',
    );
  });
});

describe('parameter recovery', () => {
  for (const model of ['2pl', '3pl'] as const) {
    test(model, async () => {
      const guessing = model === '3pl' ? 0.2 : 0;
      const { rows, discrimination, intercept } = simulate({ cases: 4000, items: 30, seed: 21, guessing });
      const found = await run(rows, model);
      assert.equal(found.converged, true);
      const z = discrimination.flatMap((a, j) => [
        (found.discrimination[j]! - a) / found.standardErrors!.discrimination[j]!,
        (found.intercept[j]! - intercept[j]!) / found.standardErrors!.intercept[j]!,
      ]);
      const square = z.reduce((sum, value) => sum + value * value, 0) / z.length;
      assert.ok(square > 0.5 && square < 1.6, `mean square of the standardised distance: ${square}`);
      assert.ok(Math.max(...z.map(Math.abs)) < 4.5);
    });
  }
});

describe('degenerate data', () => {
  const repeat = (rows: Row[], times: number) => Array.from({ length: times }, () => rows).flat();
  const odd: [name: string, rows: Row[]][] = [
    [
      'two cases',
      [
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'two cases with all right and all wrong',
      [
        [1, 1],
        [0, 0],
      ],
    ],
    [
      'independent items',
      [
        [1, 1],
        [0, 0],
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'one response per case',
      [
        [1, null],
        [0, null],
        [null, 1],
        [null, 0],
      ],
    ],
    [
      'a case without responses',
      [
        [1, 0, null],
        [null, null, null],
        [0, 1, 1],
        [1, 1, 0],
        [null, 0, 1],
      ],
    ],
    [
      'a Guttman scale',
      [
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
      ],
    ],
    [
      'a Guttman scale, repeated',
      repeat(
        [
          [0, 0, 0],
          [1, 0, 0],
          [1, 1, 0],
          [1, 1, 1],
        ],
        50,
      ),
    ],
    ['one deviating case', [...repeat([[1, 0, 1]], 99), [0, 1, 0]]],
    [
      'opposite items',
      repeat(
        [
          [1, 0, 1],
          [0, 1, 0],
          [1, 0, 0],
          [0, 1, 1],
        ],
        20,
      ),
    ],
    ['one right response in a thousand', LSAT7.map((row, i) => [...row, i === 500 ? 1 : 0])],
  ];
  for (const [name, rows] of odd) {
    for (const model of ['1pl', '2pl', '3pl'] as const) {
      test(`${name}, ${model}`, async () => {
        const found = await run(rows, model, { max_iterations: 300 });
        const { standardErrors: errors, standardErrorsNote, converged: _, ...rest } = found;
        for (const [name, value] of Object.entries(rest)) {
          const numbers = typeof value === 'number' ? [value] : [...value];
          assert.ok(numbers.every(Number.isFinite), `${name}: ${numbers}`);
        }
        for (const values of Object.values(errors ?? {}) as Float64Array[])
          assert.ok(
            values.every((value) => value >= 0),
            `${values}`,
          );
        assert.ok(found.discrimination.every((discrimination) => Math.abs(discrimination) <= 20));
        if (!errors) assert.match(standardErrorsNote!, /^[A-Z].*\.$/);
        for (const [j, discrimination] of found.discrimination.entries())
          if (errors && Math.abs(discrimination) === 20)
            assert.deepEqual(
              [errors.discrimination[j], errors.intercept[j], errors.difficulty[j]],
              Array(3).fill(Infinity),
            );
        assert.ok(found.logLikelihood <= 1e-9);
      });
    }
  }

  test('a discrimination at its bound counts as converged and hardly affects the others', async () => {
    const { rows } = simulate({ cases: 900, items: 8, seed: 71 });
    const score = (row: Row) => row.reduce<number>((sum, mark) => sum + (mark ?? 0), 0);
    const step = rows.map((row, i): Row => [...row, i < 10 ? (score(row) > 4 ? 1 : 0) : null]);
    for (const model of ['2pl', '3pl'] as const) {
      const [without, found] = [await run(rows, model), await run(step, model)];
      assert.equal(found.discrimination[8], 20);
      assert.equal(found.converged, true);
      assert.ok(found.gradient < 1e-4, `gradient ${found.gradient}`);
      assert.equal(found.standardErrors!.intercept[8], Infinity);
      for (let j = 0; j < 8; j++) {
        const error = without.standardErrors!.discrimination[j]!;
        const tolerance = { absolute: error / 2 };
        assertClose(found.discrimination[j]!, without.discrimination[j]!, tolerance, `discrimination ${j}`);
        assertClose(found.standardErrors!.discrimination[j]!, error, { relative: 0.2 }, `error ${j}`);
      }
      assert.match(found.standardErrorsNote!, /bounds/);
    }
  });

  test('a common discrimination at its lower bound counts as converged', async () => {
    const opposed = LSAT7.map((row) => row.map((mark, j) => (j % 2 ? 1 - mark! : mark)) as Row);
    const found = await run(opposed, '1pl');
    assert.deepEqual(
      [found.discrimination[0], found.converged, found.standardErrors!.discrimination[0]],
      [1e-4, true, Infinity],
    );
    assertAllClose(
      found.intercept,
      [0, 1, 2, 3, 4].map((j) => {
        const right = opposed.filter((row) => row[j]).length;
        return Math.log(right / (opposed.length - right));
      }),
      { absolute: 1e-6 },
      'intercept',
    );
    assert.ok(found.standardErrors!.intercept.every(Number.isFinite));
  });

  test('a case without scores has the prior mean and standard deviation', async () => {
    const { ability, abilitySe } = await run([[null, null], ...LSAT7.map((row) => row.slice(0, 2))], '1pl');
    assert.equal(ability[0], 0);
    assert.equal(abilitySe[0], 1);
  });

  test('too few iterations do not converge', async () => {
    const found = await run(LSAT7, '2pl', { max_iterations: 2, tolerance: 1e-12 });
    assert.equal(found.converged, false);
  });

  test('the order of cases does not matter', async () => {
    const { rows } = simulate({ cases: 500, items: 9, seed: 31, asked: (c, j) => (c + j) % 5 > 0 });
    const [one, other] = [await run(rows, '2pl'), await run(rows.toReversed(), '2pl')];
    assertAllClose(one.discrimination, other.discrimination, { absolute: 1e-8 }, 'discrimination');
    assertAllClose(one.ability, other.ability.toReversed(), { absolute: 1e-8 }, 'ability');
  });

  test('too many parameters for the joint information: standard errors by item', async () => {
    const asked = (c: number, j: number) => (j * 13 + c) % 20 === 0;
    const { rows, intercept } = simulate({ cases: 4000, items: 800, seed: 32, asked });
    const found = await run(rows, '2pl', { tolerance: 1e-4 });
    assert.equal(found.converged, true);
    assert.match(found.standardErrorsNote!, /question alone/);
    const z = intercept.map(
      (value, j) => (found.intercept[j]! - value) / found.standardErrors!.intercept[j]!,
    );
    const square = z.reduce((sum, value) => sum + value * value, 0) / z.length;
    assert.ok(square > 0.8 && square < 1.2, `mean square of the standardised distance: ${square}`);
  });

  test('too many items for the joint information of a common discrimination', async () => {
    const asked = (c: number, j: number) => (j * 13 + c) % 20 === 0;
    const { rows } = simulate({ cases: 2000, items: 1100, seed: 33, asked });
    const found = await run(rows, '1pl', { tolerance: 1e-4 });
    assert.match(found.standardErrorsNote!, /question alone/);
    // With abilities this precise, the relative error is that of a standard deviation of 2000
    // values.
    const expected = found.discrimination[0]! / Math.sqrt(2 * 2000);
    assertClose(found.standardErrors!.discrimination[0]!, expected, { relative: 0.15 });
  });
});

describe('executor', () => {
  const large = () =>
    toScores(simulate({ cases: 9000, items: 16, seed: 41, asked: (c, j) => (c + j) % 7 > 0 }).rows);

  /** All outputs of one E-step, by forms and by blocks. */
  async function sums(
    newExecutor: (problem: Parameters<typeof newInlineExecutor>[0]) => Executor,
  ): Promise<Float64Array[]> {
    const outputs: Float64Array[] = [];
    for (const model of ['2pl', '3pl'] as const) {
      const { problem } = await prepareProblem(large(), model, new Ticker());
      const executor = newExecutor(problem);
      const parts = problem.parts.length - 1;
      assert.ok(parts > 1);
      problem.logRight.forEach((_, i, all) => {
        all[i] = Math.log(0.2 + 0.01 * (i % 61));
        problem.logWrong[i] = Math.log(0.8 - 0.01 * (i % 61));
      });
      if (!problem.tables) {
        await executor.run('fillBlocks', parts);
        await executor.run('expectByBlock', parts);
      } else await executor.run('expectByForm', parts);
      await executor.run('estimateEap', parts);
      await executor.close();
      outputs.push(
        problem.logLikelihood,
        problem.ability,
        problem.asked,
        problem.tables?.abilitySum ?? problem.right,
      );
    }
    return outputs;
  }

  test('sums are bit-identical for any number of threads', async () => {
    const expected = await sums((problem) => newInlineExecutor(problem, new Ticker()));
    for (const count of [1, 3]) {
      const found = await sums((problem) => newThreadExecutor(problem, new Ticker(), count));
      for (const [i, values] of found.entries()) assert.deepEqual(values, expected[i]);
    }
  });

  test('threads end when the run is cancelled', async () => {
    const { rows } = simulate({ cases: 60_000, items: 30, seed: 42 });
    const scores = toScores(rows);
    let reports = 0;
    const cancelled = calibrate(
      scores,
      { model: '3pl', priors: newPriors(30), tolerance: 1e-12, max_iterations: 10_000 },
      new Ticker({
        report: () => {
          if (++reports === 5) throw new Error('cancelled');
        },
      }),
    );
    await assert.rejects(cancelled, /cancelled/);
    assert.ok(!process.getActiveResourcesInfo().includes('MessagePort'), 'a thread is left');
  });

  test('a long calibration yields to the event loop', async () => {
    const { rows } = simulate({ cases: 20_000, items: 24, seed: 43, asked: (c, j) => (c + j) % 11 > 0 });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const { converged } = await run(rows, '2pl');
    clearInterval(timer);
    assert.ok(converged && ticks > 3);
  });
});

test('patterns are weighted by their frequency', async () => {
  const { rows } = simulate({ cases: 300, items: 8, seed: 61 });
  const [once, often] = [await run(rows, '2pl'), await run(Array(4).fill(rows).flat(), '2pl')];
  assertAllClose(often.discrimination, once.discrimination, { absolute: 1e-6 }, 'discrimination');
  assertAllClose(
    often.standardErrors!.discrimination.map((error) => error * 2),
    once.standardErrors!.discrimination,
    { absolute: 1e-5 },
    'errors',
  );
  assertClose(often.logLikelihood, 4 * once.logLikelihood, { absolute: 1e-6 });
});
