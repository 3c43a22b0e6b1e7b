/**
 * The estimation of item response models: against known results, and against the likelihood written down as
 * plainly as it can be.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Calibration, calibrate } from '../../src/analyses/irt/calibration/calibrate.ts';
import { alone, inThreads, type Team } from '../../src/analyses/irt/calibration/executor.ts';
import { prepare } from '../../src/analyses/irt/calibration/problem.ts';
import type { Scores } from '../../src/analyses/shared/responses.ts';
import { paceOf } from '../../src/analyses/shared/ticker.ts';
import { LSAT7 } from '../support/lsat7.ts';

type Model = '1pl' | '2pl' | '3pl';
type Row = (0 | 1 | null)[];

const GUESSING = { alpha: 5, beta: 17 };
const idle = async () => {};

const run = (rows: Row[], model: Model, more: { tolerance?: number; max_iterations?: number } = {}) =>
  calibrate(
    scoresOf(rows),
    { model, guessing: GUESSING, tolerance: 1e-6, max_iterations: 2000, ...more },
    idle,
  );

function scoresOf(rows: Row[]): Scores {
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

/** Numbers from 0 to 1 that look like chance and are the same every time. */
function chance(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Simulation {
  cases: number;
  items: number;
  seed: number;
  /** The share of right answers that come from guessing alone. */
  lower?: number;
  asked?: (person: number, item: number, random: () => number) => boolean;
}

function simulate({ cases, items, seed, lower = 0, asked = () => true }: Simulation) {
  const random = chance(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const slope = Array.from({ length: items }, () => Math.exp(0.3 * normal()));
  const intercept = Array.from({ length: items }, () => normal());
  const ability = Array.from({ length: cases }, normal);
  const rows = ability.map((theta, person) =>
    slope.map((a, j) => {
      const p = lower + (1 - lower) / (1 + Math.exp(-a * theta - intercept[j]!));
      const right = random() < p ? 1 : 0;
      return asked(person, j, random) ? right : null;
    }),
  ) as Row[];
  return { rows, slope, intercept, ability };
}

function near(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, what: string): void {
  assert.equal(actual.length, expected.length, what);
  for (let i = 0; i < actual.length; i++)
    assert.ok(
      Math.abs(actual[i]! - expected[i]!) <= tolerance,
      `${what}[${i}]: ${actual[i]} instead of ${expected[i]}`,
    );
}

/** The same likelihood, with no thought for speed: every case, every node, every answer. */
function plainly(rows: Row[], model: Model, found: Calibration) {
  const items = rows[0]!.length;
  const nodes = Array.from({ length: 61 }, (_, q) => -6 + q / 5);
  const density = nodes.map((theta) => Math.exp((-theta * theta) / 2));
  const total = density.reduce((sum, value) => sum + value, 0);
  const point =
    model === '1pl'
      ? [found.slope[0]!, ...found.intercept]
      : [...found.slope, ...found.intercept, ...(model === '3pl' ? found.lower : [])];
  const at = (x: number[], j: number): [number, number, number] => {
    if (model === '1pl') return [x[0]!, x[1 + j]!, 0];
    return [x[j]!, x[items + j]!, model === '3pl' ? x[2 * items + j]! : 0];
  };

  const counts = new Map<string, number>();
  for (const row of rows) counts.set(JSON.stringify(row), (counts.get(JSON.stringify(row)) ?? 0) + 1);

  /** The log-likelihood, the derivatives of what is maximised (with the prior), and the abilities. */
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
        gradient[i]! += (GUESSING.alpha - 1) / x[i]! - (GUESSING.beta - 1) / (1 - x[i]!);
    }
    return { logLikelihood, gradient, ability: rows.map((row) => ability.get(JSON.stringify(row))!) };
  }

  const here = evaluate(point);
  // Differences of the derivatives, to the fourth order.
  const information = point.map((_, i) => {
    const beside = (by: number) => evaluate(point.map((value, k) => (k === i ? value + by : value))).gradient;
    const [far, close, back, farBack] = [2e-3, 1e-3, -1e-3, -2e-3].map(beside);
    return point.map((_, k) => (far![k]! - 8 * close![k]! + 8 * back![k]! - farBack![k]!) / 12e-3);
  });
  const covariance = inverse(information);
  const step = covariance.map((row) => row.reduce((sum, value, k) => sum + value * here.gradient[k]!, 0));
  return { ...here, step, errors: covariance.map((row, i) => Math.sqrt(row[i]!)), covariance };
}

/** By Gauss and Jordan, with the largest pivot. */
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

const parametersOf = (model: Model, { errors }: Calibration) =>
  model === '1pl'
    ? [errors!.slope[0]!, ...errors!.intercept]
    : [...errors!.slope, ...errors!.intercept, ...(model === '3pl' ? errors!.lower : [])];

describe('LSAT section 7', () => {
  test('2PL: estimates, standard errors and likelihood as mirt and direct maximisation give them', async () => {
    const found = await run(LSAT7, '2pl');
    near(found.slope, [0.98754589, 1.08083714, 1.70747766, 0.76498987, 0.73567271], 1e-7, 'slope');
    near(found.intercept, [1.85585564, 0.80796959, 1.8052062, 0.4859998, 1.85445759], 1e-7, 'intercept');
    near(
      found.errors!.slope,
      [0.1771948, 0.1687639, 0.321077, 0.1341203, 0.1511339],
      1e-5,
      'errors of slopes',
    );
    near(
      found.errors!.intercept,
      [0.1314501, 0.091247, 0.2048251, 0.0749134, 0.1144087],
      1e-5,
      'of intercepts',
    );
    assert.ok(Math.abs(found.log_likelihood - -2658.8051136323) < 1e-7);
    assert.equal(found.parameters, 10);
    assert.equal(found.converged, true);
    assert.equal(found.errors_note, undefined);
    assert.ok(found.gradient < 1e-3 && found.change <= 1e-6);
    near([found.ability[0]!, found.ability_error[0]!], [-1.8697835, 0.6926997], 1e-6, 'ability of 00000');
  });

  test('1PL: one slope for all', async () => {
    const found = await run(LSAT7, '1pl');
    near(found.slope, new Array(5).fill(1.01126752), 2e-6, 'slope');
    near(found.intercept, [1.86826476, 0.79100624, 1.46097959, 0.52150605, 1.99297494], 2e-6, 'intercept');
    near(
      [found.errors!.slope[0]!, ...found.errors!.intercept],
      [0.064943, 0.1004293, 0.0811566, 0.0913104, 0.0787252, 0.1037048],
      1e-6,
      'errors',
    );
    assert.ok(Math.abs(found.log_likelihood - -2664.9008909159) < 1e-7);
    assert.equal(found.parameters, 6);
  });
});

describe('the maximum, its curvature and the abilities are those of the plain likelihood', () => {
  const some = (share: number) => (_person: number, _item: number, random: () => number) => random() < share;
  const data: [name: string, rows: Row[]][] = [
    ['complete', simulate({ cases: 700, items: 6, seed: 51, lower: 0.1 }).rows],
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
        const expected = plainly(rows, model, found);
        assert.ok(Math.abs(found.log_likelihood - expected.logLikelihood) < 1e-8, 'log-likelihood');
        near(found.ability, expected.ability, 1e-9, 'ability');
        near(
          expected.step,
          expected.step.map(() => 0),
          2e-6,
          'way to the maximum',
        );
        const errors = parametersOf(model, found);
        near(
          errors.map((error, i) => error / expected.errors[i]! - 1),
          errors.map(() => 0),
          2e-4,
          'errors',
        );
        if (model === '2pl') {
          const items = rows[0]!.length;
          for (let j = 0; j < items; j++) {
            const [a, d] = [found.slope[j]!, found.intercept[j]!];
            const by = [d / (a * a), -1 / a];
            const places = [j, items + j];
            let variance = 0;
            for (const i of [0, 1])
              for (const k of [0, 1])
                variance += by[i]! * by[k]! * expected.covariance[places[i]!]![places[k]!]!;
            assert.ok(Math.abs(found.errors!.difficulty[j]! / Math.sqrt(variance) - 1) < 1e-3);
          }
        }
      });
    }
  }

  test('the wrong key is told by a negative slope', async () => {
    const found = await run(
      LSAT7.map(([a, ...rest]) => [a ? 0 : 1, ...rest]),
      '2pl',
    );
    near(found.slope, [-0.98754589, 1.08083714, 1.70747766, 0.76498987, 0.73567271], 1e-6, 'slope');
  });
});

describe('known parameters are found again', () => {
  for (const model of ['2pl', '3pl'] as const) {
    test(model, async () => {
      const lower = model === '3pl' ? 0.2 : 0;
      const { rows, slope, intercept } = simulate({ cases: 4000, items: 30, seed: 21, lower });
      const found = await run(rows, model);
      assert.equal(found.converged, true);
      const z = slope.flatMap((a, j) => [
        (found.slope[j]! - a) / found.errors!.slope[j]!,
        (found.intercept[j]! - intercept[j]!) / found.errors!.intercept[j]!,
      ]);
      const square = z.reduce((sum, value) => sum + value * value, 0) / z.length;
      assert.ok(square > 0.5 && square < 1.6, `mean square of the standardised distance: ${square}`);
      assert.ok(Math.max(...z.map(Math.abs)) < 4.5);
    });
  }
});

describe('odd data', () => {
  const repeat = (rows: Row[], times: number) => Array.from({ length: times }, () => rows).flat();
  const odd: [name: string, rows: Row[]][] = [
    [
      'two people',
      [
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'two people who agree',
      [
        [1, 1],
        [0, 0],
      ],
    ],
    [
      'no connection at all',
      [
        [1, 1],
        [0, 0],
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'nobody was asked twice',
      [
        [1, null],
        [0, null],
        [null, 1],
        [null, 0],
      ],
    ],
    [
      'somebody was asked nothing',
      [
        [1, 0, null],
        [null, null, null],
        [0, 1, 1],
        [1, 1, 0],
        [null, 0, 1],
      ],
    ],
    [
      'a perfect scale',
      [
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
      ],
    ],
    [
      'a perfect scale, often',
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
    ['one who differs', [...repeat([[1, 0, 1]], 99), [0, 1, 0]]],
    [
      'opposites',
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
    ['one right in a thousand', LSAT7.map((row, i) => [...row, i === 500 ? 1 : 0])],
  ];
  for (const [name, rows] of odd) {
    for (const model of ['1pl', '2pl', '3pl'] as const) {
      test(`${name}, ${model}`, async () => {
        const found = await run(rows, model, { max_iterations: 300 });
        const { errors, errors_note, converged: _, ...rest } = found;
        for (const [what, value] of Object.entries(rest)) {
          const numbers = typeof value === 'number' ? [value] : [...value];
          assert.ok(numbers.every(Number.isFinite), `${what}: ${numbers}`);
        }
        for (const values of Object.values(errors ?? {}) as Float64Array[])
          assert.ok(
            values.every((value) => value >= 0),
            `${values}`,
          );
        assert.ok(found.slope.every((slope) => Math.abs(slope) <= 20));
        if (!errors) assert.match(errors_note!, /^[A-Z].*\.$/);
        for (const [j, slope] of found.slope.entries())
          if (errors && Math.abs(slope) === 20)
            assert.deepEqual(
              [errors.slope[j], errors.intercept[j], errors.difficulty[j]],
              Array(3).fill(Infinity),
            );
        assert.ok(found.log_likelihood <= 1e-9);
      });
    }
  }

  test('a slope at its bound is at rest there, and leaves the others as they are', async () => {
    const { rows } = simulate({ cases: 900, items: 8, seed: 71 });
    const score = (row: Row) => row.reduce<number>((sum, mark) => sum + (mark ?? 0), 0);
    const step = rows.map((row, i): Row => [...row, i < 10 ? (score(row) > 4 ? 1 : 0) : null]);
    for (const model of ['2pl', '3pl'] as const) {
      const [without, found] = [await run(rows, model), await run(step, model)];
      assert.equal(found.slope[8], 20);
      assert.equal(found.converged, true);
      assert.ok(found.gradient < 1e-4, `gradient ${found.gradient}`);
      assert.equal(found.errors!.intercept[8], Infinity);
      for (let j = 0; j < 8; j++) {
        const error = without.errors!.slope[j]!;
        assert.ok(Math.abs(found.slope[j]! - without.slope[j]!) < error / 2, `slope ${j}`);
        assert.ok(Math.abs(found.errors!.slope[j]! / error - 1) < 0.2, `error of slope ${j}`);
      }
      assert.match(found.errors_note!, /bounds/);
    }
  });

  test('a common slope of nothing is at rest', async () => {
    const opposed = LSAT7.map((row) => row.map((mark, j) => (j % 2 ? 1 - mark! : mark)) as Row);
    const found = await run(opposed, '1pl');
    assert.deepEqual([found.slope[0], found.converged, found.errors!.slope[0]], [1e-4, true, Infinity]);
    near(
      found.intercept,
      [0, 1, 2, 3, 4].map((j) => {
        const right = opposed.filter((row) => row[j]).length;
        return Math.log(right / (opposed.length - right));
      }),
      1e-6,
      'intercept',
    );
    assert.ok(found.errors!.intercept.every(Number.isFinite));
  });

  test('a case without scores is where the population is', async () => {
    const { ability, ability_error } = await run(
      [[null, null], ...LSAT7.map((row) => row.slice(0, 2))],
      '1pl',
    );
    assert.equal(ability[0], 0);
    assert.equal(ability_error[0], 1);
  });

  test('too few cycles are told', async () => {
    const found = await run(LSAT7, '2pl', { max_iterations: 2, tolerance: 1e-12 });
    assert.equal(found.converged, false);
  });

  test('the order of the cases does not matter', async () => {
    const { rows } = simulate({ cases: 500, items: 9, seed: 31, asked: (c, j) => (c + j) % 5 > 0 });
    const [one, other] = [await run(rows, '2pl'), await run(rows.toReversed(), '2pl')];
    near(one.slope, other.slope, 1e-8, 'slope');
    near(one.ability, other.ability.toReversed(), 1e-8, 'ability');
  });

  test('more parameters than can be taken together: standard errors from each item alone', async () => {
    const asked = (c: number, j: number) => (j * 13 + c) % 20 === 0;
    const { rows, intercept } = simulate({ cases: 4000, items: 800, seed: 32, asked });
    const found = await run(rows, '2pl', { tolerance: 1e-4 });
    assert.equal(found.converged, true);
    assert.match(found.errors_note!, /question alone/);
    const z = intercept.map((value, j) => (found.intercept[j]! - value) / found.errors!.intercept[j]!);
    const square = z.reduce((sum, value) => sum + value * value, 0) / z.length;
    assert.ok(square > 0.8 && square < 1.2, `mean square of the standardised distance: ${square}`);
  });

  test('a common slope of more items than can be taken together', async () => {
    const asked = (c: number, j: number) => (j * 13 + c) % 20 === 0;
    const { rows } = simulate({ cases: 2000, items: 1100, seed: 33, asked });
    const found = await run(rows, '1pl', { tolerance: 1e-4 });
    assert.match(found.errors_note!, /question alone/);
    // With abilities known as well as this, the slope is known as well as a standard deviation of 2000 numbers.
    assert.ok(Math.abs(found.errors!.slope[0]! / (found.slope[0]! / Math.sqrt(2 * 2000)) - 1) < 0.15);
  });
});

describe('threads', () => {
  const large = () =>
    scoresOf(simulate({ cases: 9000, items: 16, seed: 41, asked: (c, j) => (c + j) % 7 > 0 }).rows);

  /** Everything that the threads have written after one cycle, by forms and by blocks. */
  async function sums(teamOf: (problem: Parameters<typeof alone>[0]) => Team): Promise<Float64Array[]> {
    const kept: Float64Array[] = [];
    for (const model of ['2pl', '3pl'] as const) {
      const { problem } = await prepare(large(), model, paceOf(idle));
      const team = teamOf(problem);
      const parts = problem.parts.length - 1;
      assert.ok(parts > 1);
      problem.logRight.forEach((_, i, all) => {
        all[i] = Math.log(0.2 + 0.01 * (i % 61));
        problem.logWrong[i] = Math.log(0.8 - 0.01 * (i % 61));
      });
      if (!problem.tables) {
        await team.run('fillBlocks', parts);
        await team.run('expectByBlock', parts);
      } else await team.run('expectByForm', parts);
      await team.run('measure', parts);
      await team.end();
      kept.push(problem.logLikelihood, problem.ability, problem.asked, problem.tables?.mean ?? problem.right);
    }
    return kept;
  }

  test('the sums are the same to the last bit, however many threads there are', async () => {
    const expected = await sums((problem) => alone(problem, paceOf(idle)));
    for (const count of [1, 3]) {
      const found = await sums((problem) => inThreads(problem, paceOf(idle), count));
      for (const [i, values] of found.entries()) assert.deepEqual(values, expected[i]);
    }
  });

  test('they end when the run is cancelled', async () => {
    const { rows } = simulate({ cases: 60_000, items: 30, seed: 42 });
    const scores = scoresOf(rows);
    let reports = 0;
    const cancelled = calibrate(
      scores,
      { model: '3pl', guessing: GUESSING, tolerance: 1e-12, max_iterations: 10_000 },
      async () => {
        if (++reports === 5) throw new Error('cancelled');
      },
    );
    await assert.rejects(cancelled, /cancelled/);
    assert.ok(!process.getActiveResourcesInfo().includes('MessagePort'), 'a thread is left');
  });

  test('others get their turn while there is much to do', async () => {
    const { rows } = simulate({ cases: 20_000, items: 24, seed: 43, asked: (c, j) => (c + j) % 11 > 0 });
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const { converged } = await run(rows, '2pl');
    clearInterval(timer);
    assert.ok(converged && turns > 3);
  });
});

test('a pattern counts as often as it occurs', async () => {
  const { rows } = simulate({ cases: 300, items: 8, seed: 61 });
  const [once, often] = [await run(rows, '2pl'), await run(Array(4).fill(rows).flat(), '2pl')];
  near(often.slope, once.slope, 1e-6, 'slope');
  near(
    often.errors!.slope.map((error) => error * 2),
    once.errors!.slope,
    1e-5,
    'errors',
  );
  assert.ok(Math.abs(often.log_likelihood - 4 * once.log_likelihood) < 1e-6);
});
